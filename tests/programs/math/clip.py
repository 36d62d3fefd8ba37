"""Clipping by value and by norm: values, operations, gradients, IndexedSlices."""

import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
results = {}
sess = tf.Session()
graph = tf.get_default_graph()


def built(make):
    before = len(graph.get_operations())
    value = make()
    ops = graph.get_operations()[before:]
    return value, [[op.name, op.type, [t.name for t in op.inputs]] for op in ops]


x = tf.constant([[3.0, 4.0], [0.3, -0.4]], name="x")
unknown = tf.placeholder(tf.float32, None, name="unknown")
feed = {unknown: [1.0, -5.0, 2.0]}
slices = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([4, 2]))
cases = {
    "value": lambda: tf.clip_by_value(x, -1.0, 2.0),
    "value, bounds": lambda: tf.clip_by_value(x, [0.0, -9.0], 2.0, name="bounded"),
    "value, unknown": lambda: tf.clip_by_value(unknown, -1.0, 2.0),
    "value, ints": lambda: tf.clip_by_value(tf.constant([-7, 2, 9]), 0, 5),
    "norm": lambda: tf.clip_by_norm(x, 1.0),
    "norm, axes": lambda: tf.clip_by_norm(x, 1.0, axes=[1], name="rows"),
    "norm, unknown": lambda: tf.clip_by_norm(unknown, 1.0),
    "norm, below": lambda: tf.clip_by_norm(x, 100.0),
    "norm, zero": lambda: tf.clip_by_norm(tf.zeros([2]), 1.0),
    "average norm": lambda: tf.clip_by_average_norm(x, 1.0),
    "average norm, unknown": lambda: tf.clip_by_average_norm(unknown, 0.1),
    "global norm": lambda: tf.global_norm([x, None, unknown]),
    "global": lambda: tf.clip_by_global_norm([x, None, unknown], 2.0)[0][2],
    "global, norm known": lambda: tf.clip_by_global_norm([x], 2.0, use_norm=tf.constant(4.0), name="mine")[0][0],
    "global, infinite": lambda: tf.clip_by_global_norm([x / 0.0], 2.0)[0][0],
}
for key in sorted(cases):
    value, ops = built(cases[key])
    results[key] = [sess.run(value, feed), ops, str(value.get_shape())]
for key, make in (
    ("value", lambda: tf.clip_by_value(slices, -1.0, 3.5)),
    ("norm", lambda: tf.clip_by_norm(slices, 1.0)),
    ("global", lambda: tf.clip_by_global_norm([slices], 1.0)[0][0]),
):
    value, ops = built(make)
    results["slices, " + key] = [type(value).__name__, sess.run([value.values, value.indices, value.dense_shape]), ops]
results["gradients"] = sess.run(
    [tf.gradients(f(x), x)[0] for f in (lambda v: tf.clip_by_value(v, -1.0, 3.0), lambda v: tf.clip_by_norm(v, 1.0))]
)
results["gradient at zero"] = sess.run([g for z in [tf.zeros([2])] for g in tf.gradients(tf.clip_by_norm(z, 1.0), z)])
results["raw"] = sess.run(tf.raw_ops.ClipByValue(t=np.array([-3.0, 0.5, 9.0]), clip_value_min=-1.0, clip_value_max=1.0))
for name, action in (
    ("not a list", lambda: tf.global_norm(x)),
    ("string", lambda: tf.clip_by_global_norm("abc", 1.0)),
    ("wider bounds", lambda: tf.clip_by_value(x, tf.zeros([3, 2, 2]), 1.0)),
):
    try:
        action()
        results[name] = "nothing"
    except Exception as error:
        results[name] = type(error).__name__
