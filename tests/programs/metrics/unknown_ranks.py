"""Metrics of values whose rank is known when run only, beside weights and labels that have one; strings that are kept."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.metrics.python.ops import histogram_ops, metric_ops

results = {}
M = tf.contrib.metrics
random = np.random.RandomState(8)
VALUES = {
    "vector": random.uniform(size=[4]),
    "matrix": random.uniform(size=[3, 4]),
    "column": random.uniform(size=[4, 1]),
}
WEIGHTS = {
    "scalar": [],
    "vector": [4],
    "unknown": None,
    "open": [None],
    "column": [4, 1],
    "row": [1, 4],
    "half": [None, 4],
}
METRICS = {
    "mean": lambda x, w: tf.metrics.mean(x, w),
    "count": lambda x, w: M.count(x, w),
    "precision": lambda x, w: tf.metrics.precision(x > 0.5, x > 0.3, w),
    "squared": lambda x, w: tf.metrics.mean_squared_error(x, x * 2, w),
}
rows = {}
for metric in sorted(METRICS):
    for kind in sorted(WEIGHTS):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32)
            w = tf.placeholder(tf.float32, WEIGHTS[kind])
            try:
                value, update = METRICS[metric](x, w)
            except ValueError as e:
                rows[metric + " " + kind] = type(e).__name__
                continue
            row = [str(value.shape), len(tf.get_default_graph().get_operations())]
            for given in sorted(VALUES):
                shape = [1 if size is None else size for size in (WEIGHTS[kind] or [])]
                sess.run(tf.local_variables_initializer())
                try:
                    sess.run(update, {x: VALUES[given], w: np.full(shape, 2.0)})
                    row.append(sess.run(value))
                except tf.errors.InvalidArgumentError as e:
                    row.append(type(e).__name__)
            rows[metric + " " + kind] = row
results["rows"] = rows

with tf.Graph().as_default(), tf.Session() as sess:
    words = tf.placeholder(tf.string, [None])
    kept, more = M.streaming_concat(words)
    some, some_more = M.streaming_concat(words, max_size=3, name="some")
    sess.run(tf.local_variables_initializer())
    found = [sess.run([kept, some])]
    for batch in (["a", "b", "c"], ["d"], [], ["e", "f", "g", "h", "i"]):
        sess.run([more, some_more], {words: np.array(batch, object)})
        found.append(sess.run([kept, some]))
    results["strings"] = found
    zeros = [tf.zeros([2, 3], tf.string), tf.zeros(tf.shape(words), tf.string), tf.zeros_like(words)]
    results["empty"] = sess.run(zeros, {words: ["a", "b"]})

with tf.Graph().as_default(), tf.Session() as sess:
    sizes = [metric_ops._next_array_size(n) for n in (1, 2, 5, 100)]
    sizes += [metric_ops._next_array_size(tf.constant(100), growth_factor=growth) for growth in (2, tf.constant(1.25))]
    results["sizes"] = sess.run(sizes)
    results["sums"] = sess.run([histogram_ops._strict_1d_cumsum(tf.constant([1.0, 2.0, 4.0]), n) for n in (0, 1, 3)])
    results["ops"] = [op.name for op in tf.get_default_graph().get_operations()]
