"""Activation functions: values over types, first and second derivatives, the operations they make."""

import numpy as np
import tensorflow as tf

results = {}
points = [-30.0, -3.0, -1.0, -0.25, 0.0, 0.5, 1.0, 5.5, 6.0, 7.0, 30.0]
functions = {
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky": tf.nn.leaky_relu,
    "leaky steep": lambda x: tf.nn.leaky_relu(x, alpha=1.5),
    "elu": tf.nn.elu,
    "selu": tf.nn.selu,
    "softplus": tf.nn.softplus,
    "softsign": tf.nn.softsign,
    "crelu": tf.nn.crelu,
    "swish": tf.nn.swish,
    "sigmoid": tf.nn.sigmoid,
    "tanh": tf.nn.tanh,
}
with tf.Session() as sess:
    for name, function in sorted(functions.items()):
        for dtype in (tf.float32, tf.float64):
            x = tf.constant(points, dtype)
            y = function(x)
            first = tf.gradients(y, x)[0]
            fetched = [y, first]
            if name not in ("softsign", "swish"):
                second = tf.gradients(first * tf.constant(np.arange(11.0), dtype), x)[0]
                fetched += [] if second is None else [second]
            results["%s %s" % (name, dtype.name)] = sess.run(fetched)
    x = tf.placeholder(tf.float32)
    for name, function in sorted(functions.items()):
        y = function(x)
        shape = str(y.get_shape())
        results[name + " fed"] = [shape, sess.run(y, {x: [[-1.0, 2.0]]}), sess.run(y, {x: np.zeros([0, 3])})]
    for dtype in (tf.int32, tf.uint8, tf.int8, tf.int16, tf.int64, tf.uint16, tf.float16):
        x = tf.constant([0, 3, 9] if dtype.name.startswith("u") else [-4, 3, 9], dtype)
        results["relu " + dtype.name] = sess.run([tf.nn.relu(x), tf.nn.relu6(x)])
    results["leaky of integers"] = sess.run(tf.nn.leaky_relu([-10, 10]))
    # The gradient of ReluGrad with respect to what flows into it.
    x, g = tf.constant([-1.0, 2.0]), tf.constant([3.0, 4.0])
    for op_type, function in (
        ("Relu", tf.nn.relu),
        ("Elu", tf.nn.elu),
        ("Selu", tf.nn.selu),
        ("Softplus", tf.nn.softplus),
    ):
        dx = tf.gradients(function(x), x, grad_ys=g)[0]
        results[op_type + " through the gradient"] = sess.run(tf.gradients(dx, [g, x], grad_ys=tf.constant([0.5, 2.0])))

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    for _, function in sorted(functions.items()):
        y = function(x)
        tf.gradients(y, x)
    tf.nn.relu6(x, name="named")
    tf.nn.crelu(x, name="both", axis=0)
results["operations"] = [
    "%s %s" % (op.name, op.type) for op in graph.get_operations() if "CustomGradient" not in op.name
]

results["errors"] = []
for bad in (lambda: tf.nn.elu([1, 2]), lambda: tf.nn.softplus(["a"]), lambda: tf.nn.relu([True])):
    try:
        bad()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["errors"].append(type(error).__name__)
