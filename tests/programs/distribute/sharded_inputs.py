"""The parts of datasets for several workers: of the files that they read, or else of their elements."""

import os
import tempfile

import tensorflow as tf
from tensorflow.python.distribute import input_ops

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}
folder = tempfile.mkdtemp()
records, lines = [], []
for i in range(4):
    records.append(os.path.join(folder, "%d.tfrecord" % i))
    with tf.python_io.TFRecordWriter(records[-1]) as writer:
        for j in range(3):
            writer.write(b"%d-%d" % (i, j))
    lines.append(os.path.join(folder, "%d.txt" % i))
    with open(lines[-1], "w") as f:
        f.write("".join("%d-%d\n" % (i, j) for j in range(3)))

names = tf.data.Dataset.from_tensor_slices
read = tf.data.TFRecordDataset
experimental = tf.data.experimental


def elements(dataset):
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as sess:
        try:
            while True:
                found.append(sess.run(following))
        except tf.errors.OutOfRangeError:
            return found
        except tf.errors.InvalidArgumentError:
            return found + ["InvalidArgumentError"]


def unsharded():
    options = tf.data.Options()
    options.experimental_distribute.auto_shard = False
    return read(records).with_options(options)


DATASETS = {
    "numbers": lambda: tf.data.Dataset.range(9).batch(2),
    "records": lambda: read(records),
    "records at once": lambda: read(records, num_parallel_reads=2),
    "batches": lambda: read(records).map(lambda x: x + b"!").batch(2).prefetch(1),
    "lines": lambda: tf.data.TextLineDataset(lines),
    "interleaved": lambda: names(records).interleave(lambda name: read(name).map(lambda x: x), 2, num_parallel_calls=2),
    "interleaved at once": lambda: names(records).apply(experimental.parallel_interleave(read, 2)),
    "listed": lambda: tf.data.Dataset.list_files(folder + "/*.tfrecord", shuffle=False).flat_map(read),
    "shuffled names": lambda: names(records * 2).shuffle(8, seed=5).flat_map(read),
    "shuffled and repeated names": lambda: names(records).shuffle(4, seed=5).repeat(2).flat_map(read),
    "both at once": lambda: names(records).apply(experimental.shuffle_and_repeat(4, 2, seed=5)).flat_map(read),
    "shuffled": lambda: read(records).shuffle(3, seed=1).repeat(1).take(4),
    "side by side": lambda: tf.data.Dataset.zip((read(records), tf.data.TextLineDataset(lines))),
    "one after the other": lambda: read(records[:2]).concatenate(read(records[2:])),
    "numbered": lambda: read(records).apply(experimental.enumerate_dataset()),
    "filtered": lambda: read(records).filter(lambda x: tf.not_equal(x, b"0-1")),
    "cached": lambda: read(records).cache(),
    "skipped": lambda: read(records).skip(1),
    "windows": lambda: read(records).window(2).flat_map(lambda window: window.batch(2)),
    "scanned": lambda: read(records).apply(experimental.scan(tf.constant(0), lambda state, x: (state, x))),
    "while": lambda: read(records).apply(experimental.take_while(lambda x: tf.constant(True))),
    "unique": lambda: read(records).apply(experimental.unique()),
    "made of numbers": lambda: tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x)),
    "a shard": lambda: read(records).shard(2, 0),
    "one file": lambda: read(records[:1]),
    "not to be sharded": unsharded,
}
for name, make in sorted(DATASETS.items()):
    results[name] = []
    for index in range(2):
        with tf.Graph().as_default():
            results[name].append(elements(input_ops.auto_shard_dataset(make(), 2, index)))
results["one worker"] = elements(input_ops.auto_shard_dataset(read(records[:2]), 1, 0))
results["more workers than files"] = [elements(input_ops.auto_shard_dataset(read(records), 5, i)) for i in range(5)]
