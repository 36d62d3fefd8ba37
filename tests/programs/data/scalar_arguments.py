"""Arguments of datasets that must be scalars and are not: kernels say so, eagerly and where shape functions do not look."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}


def numbers(n=3):
    return tf.data.Dataset.range(n)


MADE = {
    "batch": lambda: numbers().batch([2, 2]),
    "batch, drop": lambda: numbers().batch(2, drop_remainder=[True]),
    "padded batch": lambda: numbers().padded_batch([2], []),
    "shuffle": lambda: numbers().shuffle([2, 2]),
    "take": lambda: numbers().take([2]),
    "skip": lambda: numbers().skip([2]),
    "repeat": lambda: numbers().repeat([2]),
    "prefetch": lambda: numbers().prefetch([2]),
    "shard": lambda: numbers().shard([2], 0),
    "shard, index": lambda: numbers().shard(2, [0]),
    "window": lambda: numbers().window(2, [2, 1]),
    "window, stride": lambda: numbers().window(2, stride=[1]),
    "range": lambda: tf.data.Dataset.range([3]),
    "cache": lambda: numbers().cache(["kept"]),
    "interleave": lambda: numbers().interleave(numbers, cycle_length=[1]),
    "interleave, block": lambda: numbers().interleave(numbers, cycle_length=1, block_length=[1]),
    "interleave, threads": lambda: numbers().interleave(numbers, cycle_length=1, num_parallel_calls=[2]),
    "map": lambda: numbers().map(lambda x: x, num_parallel_calls=[2]),
    "map and batch": lambda: numbers().apply(tf.data.experimental.map_and_batch(lambda x: x, [2])),
    "shuffle and repeat": lambda: numbers().apply(tf.data.experimental.shuffle_and_repeat([2])),
    "parallel interleave": lambda: numbers().apply(tf.data.experimental.parallel_interleave(numbers, [2])),
    "sliding windows": lambda: numbers().apply(tf.contrib.data.sliding_window_batch([2])),
    "records of CSV": lambda: tf.data.experimental.CsvDataset("x", [tf.constant([[0]])]),
    "two defaults": lambda: tf.data.experimental.CsvDataset("x", [tf.constant([0, 1])]),
}


def refusal(make, run):
    try:
        run(make())
    except (tf.errors.OpError, ValueError) as error:
        return [type(error).__name__, str(error).split(" for '")[0].split(" [Op:")[0].split("\n")[0]]
    return ["none", ""]


def initialize(dataset):
    iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
    with tf.Session() as session:
        session.run(iterator.initializer)


for name in sorted(MADE):
    results[name] = refusal(MADE[name], lambda dataset: dataset)
    with tf.Graph().as_default():
        results[name + ", in a graph"] = refusal(MADE[name], initialize)
