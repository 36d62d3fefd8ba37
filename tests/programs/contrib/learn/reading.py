"""tf.contrib.learn: files of examples in the graph, with keys, in order and at random, by queue runners."""

import os
import tempfile

import tensorflow as tf
from tensorflow.contrib.input_pipeline.python.ops import input_pipeline_ops
from tensorflow.contrib.learn.python.learn.learn_io import graph_io

results = {}
learn = tf.contrib.learn
folder = tempfile.mkdtemp()
pattern = os.path.join(folder, "part-*")
for part in range(3):
    with tf.python_io.TFRecordWriter(os.path.join(folder, "part-%d" % part)) as writer:
        for number in range(5 * part, 5 * part + 5):
            example = tf.train.Example()
            example.features.feature["name"].bytes_list.value.append(b"number %d" % number)
            example.features.feature["label"].int64_list.value.append(number)
            if number % 3 == 0:
                example.features.feature["parts"].float_list.value.extend([number / 2, 1])
            writer.write(example.SerializeToString())
features = {
    "name": tf.FixedLenFeature([], tf.string),
    "label": tf.FixedLenFeature([], tf.int64),
    "parts": tf.VarLenFeature(tf.float32),
}
dense = {key: features[key] for key in ("name", "label")}


def key_of(key):
    return key.decode().rsplit("/", 1)[1]


def rows_of(value):
    """What a step gave, a row an example."""
    if isinstance(value, dict):
        return value["label"].tolist()
    if isinstance(value, (tuple, list)):
        keys = [key_of(key) for key in value[0].tolist()]
        return [list(row) for row in zip(keys, value[1]["label"].tolist())] if isinstance(value[1], dict) else keys
    return [len(one) for one in value.tolist()]


def drained(label, make, ordered=False):
    with tf.Graph().as_default() as graph:
        out = make()
        results[label + " ops"] = [op.name for op in graph.get_operations()]
        variables = tf.global_variables() + tf.local_variables()
        results[label + " variables"] = [variable.name for variable in variables]
        results[label + " queues"] = [runner.queue.name for runner in tf.get_collection("queue_runners")]
        rows = []
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                while True:
                    rows += rows_of(sess.run(out))
            except tf.errors.OutOfRangeError as error:
                results[label + " end"] = error.message.split("\n")[0].split(" '")[0]
            coord.request_stop()
            coord.join(threads)
        results[label] = rows if ordered else sorted(rows)


def refused(label, **arguments):
    given = dict(dict(file_pattern=pattern, batch_size=4, reader=tf.TFRecordReader), **arguments)
    try:
        learn.read_batch_examples(**given)
    except ValueError as error:
        results[label] = str(error)


drained("in order", lambda: learn.read_batch_examples(pattern, 4, tf.TFRecordReader, False, 1), ordered=True)
drained(
    "at random",
    lambda: learn.read_keyed_batch_examples(
        pattern, 4, tf.TFRecordReader, num_epochs=2, queue_capacity=50, seed=3, read_batch_size=3
    ),
)
drained(
    "features",
    lambda: learn.read_batch_features(
        pattern, 4, features, tf.TFRecordReader, randomize_input=False, num_epochs=1, num_enqueue_threads=1
    ),
    ordered=True,
)
drained(
    "features with keys",
    lambda: graph_io.read_keyed_batch_features(
        pattern, 4, features, tf.TFRecordReader, num_epochs=1, queue_capacity=40, name="mine"
    ),
)
drained(
    "one queue for all",
    lambda: learn.read_keyed_batch_features_shared_queue(
        [pattern], 4, features, tf.TFRecordReader, False, num_epochs=1, queue_capacity=40, num_queue_runners=1
    ),
    ordered=True,
)
drained(
    "one queue for all, shuffled",
    lambda: learn.read_keyed_batch_examples_shared_queue(
        pattern, 4, tf.TFRecordReader, num_epochs=2, queue_capacity=50, seed=4
    ),
)
drained("records", lambda: learn.read_batch_record_features(pattern, 4, features, num_epochs=1, queue_capacity=40))
drained(
    "parsed one by one",
    lambda: learn.io.read_keyed_batch_examples(
        pattern,
        4,
        tf.TFRecordReader,
        num_epochs=1,
        queue_capacity=50,
        parse_fn=lambda example: tf.parse_single_example(example, dense),
        num_threads=2,
    ),
)
drained("strings", lambda: input_pipeline_ops.seek_next(["a", "b"], num_epochs=2)[tf.newaxis])
refused("no pattern", file_pattern=[])
refused("no batch", batch_size=0)
refused("too large a batch", batch_size=20, queue_capacity=20)
refused("no queue", queue_capacity=0)
refused("no threads", num_threads=0)
refused("no epochs", num_epochs=0)
refused("reading nothing", read_batch_size=None)
