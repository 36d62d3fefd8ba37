"""Casts between all numeric types, bit casts, complex parts, and choosing by a condition."""

import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
results = {}
sess = tf.Session()

types = [tf.float16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32,
         tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.bfloat16]  # fmt: skip
for source in types:
    values = [0, 1, 3, 100] if source != tf.bool else [True, False, True, True]
    x = tf.cast(tf.constant(values), source)
    for target in types:
        y = tf.cast(x, target)
        back = tf.cast(y, tf.float32) if target == tf.bfloat16 else y
        results["%s to %s" % (source.name, target.name)] = [sess.run(back), y.dtype.name]
far = [1.9, -1.9, 300.0, float("nan"), float("inf"), -1e20, 5e9, -0.5]
for target in types:
    if target.is_integer or target == tf.bool:
        results["far %s" % target.name] = sess.run(tf.cast(tf.constant(far), target))
        results["far double %s" % target.name] = sess.run(tf.cast(tf.constant(far, tf.float64), target))
results["wrapped"] = sess.run(
    [tf.cast(tf.constant([300, -1, 70000]), t) for t in (tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int64, tf.uint32)]
)
results["complex"] = sess.run([tf.cast([1.9 + 2j, 2j], t) for t in (tf.float32, tf.int32, tf.bool, tf.complex128)])
results["no op"] = tf.cast(sess.graph.get_tensor_by_name("Const:0"), tf.int32).name
functions = [tf.to_float, tf.to_double, tf.to_int32, tf.to_int64, tf.to_bfloat16, tf.to_complex64, tf.to_complex128]
results["named"] = [[f(tf.constant([1], tf.uint8)).name, f(tf.constant([1], tf.uint8)).dtype.name] for f in functions]
results["of a list"] = [tf.cast([1, 2], tf.float32).name, tf.cast(3.7, tf.int32, name="c").name]
for source, target in ((tf.float32, tf.uint8), (tf.int32, tf.int8), (tf.int64, tf.int32), (tf.int32, tf.uint16)):
    x = tf.cast(tf.constant([-300.0, -1.0, 5.0, 255.0, 256.0, 1e6]), source)
    y = tf.saturate_cast(x, target)
    results["saturate %s %s" % (source.name, target.name)] = [sess.run(y), y.name]
sparse = tf.cast(tf.SparseTensor([[0, 1]], [4], [3, 2]), tf.float32)
results["sparse"] = [sess.run(sparse.values), sparse.values.name, sparse.dtype.name]
slices = tf.cast(tf.IndexedSlices(tf.constant([4]), tf.constant([1])), tf.float32)
results["slices"] = [sess.run(slices.values), slices.values.name]
results["truncated"] = sess.run(
    [tf.cast(tf.raw_ops.Cast(x=[1.99999, -1.99999], DstT=tf.bfloat16, Truncate=t), tf.float32) for t in (True, False)]
)

results["bits"] = [
    sess.run(tf.bitcast(tf.constant([1.0, 2.0]), tf.int32)),
    sess.run(tf.bitcast(tf.constant([[1, 2], [3, 4]]), tf.int64)),
    sess.run(tf.bitcast(tf.constant([1.0]), tf.uint8)),
    sess.run(tf.bitcast(tf.constant(1.0), tf.uint16)),
    sess.run(tf.bitcast(tf.constant([1.0], tf.float64), tf.complex64)),
]
x = tf.placeholder(tf.float32, [None, 2])
results["bit shapes"] = [str(tf.bitcast(x, t).get_shape()) for t in (tf.float64, tf.int8, tf.int32)]
results["bits fed"] = sess.run(tf.bitcast(x, tf.int64), {x: [[1.0, 2.0]]})

z = tf.constant([[3 + 4j, -1j]])
results["parts"] = [[sess.run(f(z)), f(z).name, f(z).dtype.name] for f in (tf.real, tf.imag, tf.angle, tf.conj, tf.abs)]
results["parts of reals"] = [[sess.run(f([1.5, -2.0])), f([1.5]).name] for f in (tf.real, tf.imag, tf.angle, tf.conj)]
results["made"] = [sess.run(tf.complex([1.0, 2.0], [[3.0], [4.0]])), tf.complex(1.0, 2.0).name]

condition = tf.placeholder(tf.bool, None)
t, e = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
results["select"] = [
    sess.run(tf.where(condition, t, e), {condition: c}) for c in (True, [True, False], [[True, False], [False, True]])
]
results["select strings"] = sess.run(tf.where([True, False], ["a", "b"], ["c", "d"]))
shapes = [
    ([2], [2, 3], [2, 3]),
    ([], [2, 3], [2, 3]),
    (None, [None, 3], [2, None]),
    ([2, 3], None, None),
    ([2], None, [4]),
]
results["select shapes"] = []
for c, a, b in shapes:
    try:
        y = tf.where(tf.placeholder(tf.bool, c), tf.placeholder(tf.float32, a), tf.placeholder(tf.float32, b))
        results["select shapes"].append(str(y.get_shape()))
    except ValueError:
        results["select shapes"].append("ValueError")
results["where_v2"] = [
    sess.run(tf.where_v2([[True], [False]], [1, 2, 3], 0)),
    str(tf.where_v2(tf.placeholder(tf.bool, [None, 1]), tf.ones([3]), 0.0).get_shape()),
]


def refused(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = {
    "bitcast shape": refused(lambda: tf.bitcast(tf.ones([2, 3]), tf.float64)),
    "bitcast scalar": refused(lambda: tf.bitcast(1.0, tf.float64)),
    "complex of ints": refused(lambda: tf.complex(1, 2)),
    "complex of two types": refused(lambda: tf.complex(1.0, tf.constant(2.0, tf.float64))),
    "conj of bools": refused(lambda: tf.conj([True])),
    "select shapes": refused(lambda: tf.where([True, False], tf.ones([2]), tf.ones([3]))),
    "select rows": refused(lambda: tf.where([True, False], tf.ones([3, 2]), tf.ones([3, 2]))),
    "cast to nothing": refused(lambda: tf.cast(1.0, "flowt")),
    "cast of strings": refused(lambda: sess.run(tf.cast("1", tf.float32))),
}
