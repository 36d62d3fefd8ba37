"""Small families of tf.contrib: reductions of slices, periodic resampling, hyperplane probes, lists walked through."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import input_pipeline, memory_stats
from tensorflow.contrib.nearest_neighbor.python.ops import nearest_neighbor_ops
from tensorflow.contrib.periodic_resample.python.ops import periodic_resample_op
from tensorflow.contrib.reduce_slice_ops.python.ops import reduce_slice_ops

results = {}


def attempt(function):
    """What it gives, or the class of what it raises."""
    with tf.Graph().as_default(), tf.Session() as sess:
        try:
            tensor = function()
            sess.run(tf.global_variables_initializer())
            return sess.run(tensor)
        except Exception as error:
            return type(error).__name__


def gradient_of(function, x):
    return tf.gradients(function(x), x)


data = np.array([[1, 20, 3], [40, 5, 6], [7, 8, 90], [10, 2, 3]])
bounds = [[0, 1], [1, 1], [0, 2], [2, 100], [3, 1], [7, 9]]
for kind in ("sum", "prod", "max", "min"):
    reduce = getattr(reduce_slice_ops, "reduce_slice_" + kind)
    for dtype in (tf.float32, tf.float64, tf.float16, tf.int32, tf.int64, tf.int8, tf.uint8, tf.int16, tf.uint16):
        results["%s %s" % (kind, dtype.name)] = attempt(lambda: reduce(tf.cast(data[:3] % 7, dtype), bounds, 0))
    results[kind + " complex"] = attempt(lambda: reduce(tf.cast(data, tf.complex64) * 1j, bounds, 0))
    results[kind + " uint32"] = attempt(lambda: reduce(tf.cast(data, tf.uint32), bounds, 0))
    results[kind + " chained"] = attempt(lambda: reduce(data, [0, 2, 3, 3, 9], 0))
    results[kind + " one"] = attempt(lambda: reduce(data, [2], 0))
    results[kind + " none"] = attempt(lambda: reduce(data, np.zeros([0, 2], np.int64), 0))
    results[kind + " of nothing"] = attempt(lambda: reduce(np.zeros([0, 2], np.float32), bounds, 0))
    results[kind + " columns"] = attempt(lambda: reduce(data, [[0, 2], [1, 3]], 1))
    results[kind + " middle"] = attempt(lambda: reduce(np.arange(24.0).reshape(2, 3, 4), [[0, 2], [1, 9], [2, 2]], 1))
    results[kind + " vector"] = attempt(lambda: reduce([3.0, 1.0, 2.0], [0, 2, 3], 0))
    results[kind + " gradient"] = attempt(lambda: gradient_of(lambda x: reduce(x, [[0, 2]], 0), tf.ones([3])))
    for label, arguments in {
        "axis": (data, [[0, 2]], 5),
        "axes": (data, [[0, 2]], [0]),
        "bounds": (data, [[0, 2, 3]], 0),
        "deep bounds": (data, [[[0, 2]]], 0),
        "scalar bounds": (data, 3, 0),
        "scalar": (3, [[0, 2]], 0),
        "kind": ([True], [[0, 2]], 0),
    }.items():
        results["%s bad %s" % (kind, label)] = attempt(lambda: reduce(*arguments))
results["name"] = reduce_slice_ops.reduce_slice_sum(data, [[0, 1]], 0).name

resample = periodic_resample_op.periodic_resample
for given, wanted in [
    ((3, 4), (6, None)),
    ((3, 4), (None, 4)),
    ((3, 4), (None, 8)),
    ((2, 2, 4), (4, 4, None)),
    ((2, 4, 2), (4, None, 2)),
    ((4, 2, 2), (None, 4, 4)),
    ((3, 5), (4, None)),
    ((2, 3, 7), (3, None, 7)),
    ((12,), (None,)),
    ((3, 4, 2, 3), (6, None, 4, 3)),
    # Too many, too few, the wrong rank, more than one free dimension or none.
    ((2, 2, 4), (5, 4, None)),
    ((3, 4), (2, None)),
    ((3, 4), (6, 4)),
    ((3, 4), (None, None)),
    ((3, 4), (6, None, 1)),
]:
    values = np.arange(1.0, np.prod(given) + 1).reshape(given)
    key = "resampled %s %s" % (given, wanted)
    results[key] = attempt(lambda: resample(tf.constant(values), list(wanted)))

    def slope():
        x = tf.constant(values)
        y = resample(x, list(wanted))
        weights = tf.reshape(tf.range(1.0, tf.size(y, out_type=tf.int32) + 1), tf.shape(y))
        return tf.gradients(y * tf.cast(weights, tf.float64), x)[0]

    # Where elements are shown twice, threads decide which gradient stays.
    if all(w is None or w % g == 0 for g, w in zip(given, wanted)):
        results[key + " gradient"] = attempt(slope)
results["resampled types"] = {
    t.name: attempt(lambda: resample(tf.cast([[1, 2], [3, 4]], t), [4, None]))
    for t in (tf.int32, tf.int64, tf.float32, tf.uint8, tf.float16)
}
x = tf.placeholder(tf.float32, [None, 4])
y = resample(tf.ones([3, 4]), [6, None])
results["resampled shapes"] = [y.shape.as_list(), resample(x, [6, None]).shape.as_list(), y.name]
results["open gradient"] = attempt(
    lambda: gradient_of(lambda x: resample(x, [6, None]), tf.placeholder(tf.float32, [None, 4]))
)

probes = nearest_neighbor_ops.hyperplane_lsh_probes
for tables, planes, count in [
    (1, 3, 8),
    (2, 3, 16),
    (3, 2, 5),
    (4, 4, 2),
    (2, 4, 9),
    (3, 3, 1),
    (1, 12, 40),
    (1, 30, 3),
]:
    products = np.random.RandomState(planes).randn(3, tables * planes)
    results["probes %d %d %d" % (tables, planes, count)] = list(
        attempt(lambda: probes(products, tables, planes, count))
    )
for label, arguments in {
    "planes": (1, 3, 2),
    "tables": (0, 4, 2),
    "probes": (1, 4, 0),
    "too many": (1, 4, 20),
    "vector": ([1], 4, 2),
    "no planes": (1, 0, 2),
}.items():
    results["probes bad " + label] = attempt(lambda: probes(np.ones([1, 4]), *arguments))
results["probes bad rank"] = attempt(lambda: probes(np.ones([4]), 1, 4, 2))
results["probes of no points"] = list(attempt(lambda: probes(np.ones([0, 4]), 1, 4, 2)))

with tf.Graph().as_default(), tf.Session() as sess:
    counter = tf.Variable(np.int64(-1), trainable=False)
    element = input_pipeline.obtain_next(tf.constant(["a", "b", "c"]), counter)
    sess.run(tf.global_variables_initializer())
    results["walk"] = [[sess.run(element), sess.run(counter)] for _ in range(5)]
    sess.run(counter.assign(10))
    results["walk from 10"] = sess.run(element)
    results["walk name"] = [element.name, element.shape.as_list()]
for label, strings, make in [
    ("resource", ["a"], lambda: tf.Variable(np.int64(-1), use_resource=True)),
    ("int32", ["a"], lambda: tf.Variable(np.int32(-1))),
    ("matrix", [["a"]], lambda: tf.Variable(np.int64(-1))),
    ("vector", ["a"], lambda: tf.Variable(np.zeros(1, np.int64))),
]:
    results["walk bad " + label] = attempt(lambda: input_pipeline.obtain_next(tf.constant(strings), make()))

for name in ("BytesInUse", "BytesLimit", "MaxBytesInUse"):
    results[name] = attempt(getattr(memory_stats, name))
