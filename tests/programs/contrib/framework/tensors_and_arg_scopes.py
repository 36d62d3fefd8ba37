"""tf.contrib.framework: asserted shapes, sums, device choosers, and variables in arg scopes."""

import numpy as np
import tensorflow as tf
import tensorflow.contrib.slim as slim

framework = tf.contrib.framework
results = {}


def error(function):
    try:
        function()
    except (TypeError, ValueError, tf.errors.OpError) as e:
        return type(e).__name__
    return "none"


x = tf.placeholder(tf.float32, [None, 3], name="x")
k = tf.constant(np.arange(6.0).reshape(2, 3), name="k")
one = tf.constant([1.5], name="one")
size = tf.placeholder(tf.int32, [2], name="size")
checked = [
    framework.with_shape([2, 3], x),
    framework.with_shape([2, 3], k),
    framework.with_shape([], one),
    framework.with_shape(size, x),
    framework.with_same_shape(k, x),
    framework.with_same_shape(x, k),
]
results["shapes"] = [[t.name, str(t.shape)] for t in checked]
total = [framework.reduce_sum_n([k, k]), framework.reduce_sum_n([k])]
squeezed = framework.remove_squeezable_dimensions(tf.zeros([4, 1]), tf.zeros([4]))
results["squeezed"] = [str(t.shape) for t in squeezed]
with tf.Session() as sess:
    good = {x: np.ones((2, 3)), size: [2, 3]}
    results["values"] = sess.run(checked + total, good)
    results["refused"] = [
        error(lambda: sess.run(checked[0], {x: np.ones((1, 3))})),
        error(lambda: sess.run(checked[3], {x: np.ones((1, 3)), size: [2, 3]})),
        error(lambda: sess.run(checked[4], {x: np.ones((5, 3))})),
    ]
results["errors"] = [
    error(lambda: framework.with_shape([3, 3], k)),
    error(lambda: framework.with_shape([[1]], k)),
    error(lambda: framework.with_shape([1.5, 2.0], k)),
    error(lambda: framework.with_shape(tf.constant([2.0, 3.0]), k)),
    error(lambda: framework.reduce_sum_n([])),
    error(lambda: framework.assert_scalar_int(k)),
    error(lambda: framework.assert_scalar_int(tf.constant(3))),
]
chooser = framework.VariableDeviceChooser(2)
results["devices"] = [
    chooser(None),
    chooser(None),
    chooser(None),
    framework.VariableDeviceChooser(device_type="GPU")(None),
]
with slim.arg_scope([slim.variable, slim.model_variable], regularizer=slim.l2_regularizer(0.1), collections=["mine"]):  # noqa: SIM117  nesting is what is tested
    with slim.arg_scope([slim.variable], trainable=False):
        a = slim.variable("a", [2])
        b = slim.model_variable("b", [2])
        c = slim.model_variable("c", [2], collections=["other"], regularizer=None)
with slim.arg_scope([slim.variable], device="/cpu:0"):
    d = slim.fully_connected(x, 2, scope="d")
results["collections"] = {
    key: [v.name for v in tf.get_collection(key)]
    for key in ("mine", "other", "model_variables", "variables", "trainable_variables", "regularization_losses")
}
results["placed"] = [v.device for v in tf.global_variables()]
results["to_restore"] = [v.name for v in slim.get_variables_to_restore(include=["d", "b"], exclude=["d/biases"])]
results["by"] = [
    [v.name for v in slim.get_variables_by_name("weights")],
    [v.name for v in slim.get_variables_by_suffix("ases")],
    [v.name for v in slim.get_model_variables("d")],
    slim.get_unique_variable("d/weights").op.name,
]
