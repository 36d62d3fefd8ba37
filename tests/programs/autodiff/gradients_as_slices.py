"""Gradients that come as slices, through each function: rows gathered from what was computed from a variable."""

import warnings

import numpy as np
import tensorflow as tf

results = {"gradients": {}}
rng = np.random.RandomState(0)
VALUES = rng.rand(5, 3).astype(np.float32) + 0.5
other = tf.constant(VALUES[::-1].copy())
row = tf.constant(VALUES[0])

FUNCTIONS = {
    "abs": tf.abs,
    "add": lambda v: v + other,
    "add row": lambda v: v + row,
    "atan2": lambda v: tf.atan2(v, other),
    "band": lambda v: tf.matrix_band_part(v, 0, -1),
    "batch norm": lambda v: tf.nn.batch_normalization(v, *tf.nn.moments(v, [0]), None, None, 1e-3),
    "bias": lambda v: tf.nn.bias_add(v, row),
    "cast": lambda v: tf.cast(tf.cast(v, tf.float64), tf.float32),
    "clip": lambda v: tf.clip_by_value(v, 0.6, 1.0),
    "clip norm": lambda v: tf.clip_by_norm(v, 1.0),
    "concat": lambda v: tf.concat([v, other], 1),
    "concat rows": lambda v: tf.concat([tf.zeros([1, 3]), v[1:]], 0),
    "cond": lambda v: tf.cond(tf.constant(True), lambda: v * 2.0, lambda: v),
    "div": lambda v: v / other,
    "div no nan": lambda v: tf.div_no_nan(v, other),
    "divided": lambda v: other / v,
    "dropout": lambda v: tf.nn.dropout(v, 0.5, seed=1),
    "exp": tf.exp,
    "expand": lambda v: tf.expand_dims(v, 1),
    "gather": lambda v: tf.gather(v, [4, 3, 2, 1, 0]),
    "l2 normalize": lambda v: tf.nn.l2_normalize(v, 1),
    "matmul": lambda v: tf.matmul(v, tf.ones([3, 2])),
    "maximum": lambda v: tf.maximum(v, other),
    "mod": lambda v: tf.mod(v, 0.3),
    "mul": lambda v: v * other,
    "mul row": lambda v: v * row,
    "mul self": lambda v: v * v,
    "mul unknown": lambda v: v * tf.placeholder_with_default(VALUES, None),
    "negative": tf.negative,
    "pad": lambda v: tf.pad(v, [[0, 1], [1, 0]]),
    "pow": lambda v: v**2,
    "pow of": lambda v: tf.pow(other, v),
    "reduce": lambda v: tf.reduce_sum(v, 1),
    "relu": tf.nn.relu,
    "reshape": lambda v: tf.reshape(tf.reshape(v, [15]), [5, 3]),
    "reverse": lambda v: tf.reverse(v, [0]),
    "row sums": lambda v: v / tf.reduce_sum(v, 1, keep_dims=True),
    "slice": lambda v: v[:, :2],
    "softmax": tf.nn.softmax,
    "split": lambda v: tf.concat(tf.split(v, [2, 3]), 0),
    "sqrt": tf.sqrt,
    "squared difference": lambda v: tf.squared_difference(v, other),
    "stack": lambda v: tf.stack([v, other], 1),
    "sub": lambda v: row - v,
    "tile": lambda v: tf.tile(v, [1, 2]),
    "transpose": lambda v: tf.transpose(tf.reshape(v, [3, 5])),
    "where": lambda v: tf.where(other > 1, v, other),
    "xlogy": lambda v: tf.math.xlogy(v, other),
}

with tf.Session() as sess:
    for name in sorted(FUNCTIONS):
        v = tf.Variable(VALUES)
        sess.run(v.initializer)
        rows = tf.gather(FUNCTIONS[name](v), [0, 2, 2, 0])
        (gradient,) = tf.gradients(tf.reduce_sum(rows**2), [v])
        results["gradients"][name] = [type(gradient).__name__, sess.run(tf.convert_to_tensor(gradient))]

# A factorization machine: the table and its square are looked up.
with tf.Graph().as_default() as graph:
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 4, 4], tf.int64), [2, 2])
    table = tf.get_variable("table", initializer=VALUES)
    first = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")
    second = tf.nn.embedding_lookup_sparse(table**2, ids, None, combiner="sum")
    loss = tf.reduce_sum(tf.square(first) - second)
    train = tf.train.AdagradOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        results["machine"] = [sess.run([train, loss])[1] for _ in range(3)] + [sess.run(table)]
    results["names"] = [op.name for op in graph.get_operations() if op.name.startswith("gradients")]

# What makes a sparse gradient dense without a word, and what warns of its size.
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, None])
    warned = results["warned"] = {}
    for name, rows in (
        ("reshape", tf.reshape(x, [-1, 4])),
        ("expand_dims", tf.expand_dims(x, 0)),
        ("squeeze", tf.squeeze(tf.expand_dims(x, 0), [0])),
        ("gather", tf.gather(x, [1, 2])),
        ("gather_columns", tf.gather(x, [1, 2], axis=1)),
        ("slice", x[1:]),
        ("multiply", x * 2.0),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tf.gradients(tf.gather(rows, [0, 1]), x)
        warned[name] = [str(w.message) for w in caught if "IndexedSlices" in str(w.message)]
