"""Gradients people replaced: overrides, reversal, straight-through, custom, of py_func; and higher ones."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops

results = {}
values = np.array([[1.0, -2.0, 3.0], [0.3, 0.6, -0.7]], np.float32)
x = tf.placeholder(tf.float32, [None, 3])
graph = tf.get_default_graph()


@tf.RegisterGradient("UserClipped")
def clipped(op, grad):
    return tf.clip_by_value(grad, -0.5, 0.5)


@ops.RegisterGradient("UserGuided")
def guided(op, grad):
    return tf.where(grad > 0.0, grad * tf.to_float(op.outputs[0] > 0.0), tf.zeros(tf.shape(grad)))


@ops.RegisterGradient("UserReversed")
def reversed_gradient(op, grad):
    return [tf.negative(grad) * 0.3]


with graph.gradient_override_map({"Sign": "UserClipped"}):
    signs = tf.sign(x)
with graph.gradient_override_map({"Relu": "UserGuided"}):
    relus = tf.nn.relu(x * [[1.0, -1.0, 1.0]])
with graph.gradient_override_map({"Identity": "UserReversed"}):
    flipped = tf.identity(x)


@tf.custom_gradient
def log1pexp(x):
    power = tf.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + power))

    return tf.log(1 + power), grad


@tf.custom_gradient
def product_and_difference(a, b):
    def grad(da, db):
        return da * b + db, da * a - db

    return (a * b, a - b), grad


def in_numpy(function, inputs, grad, name):
    tf.RegisterGradient(name)(grad)
    with graph.gradient_override_map({"PyFunc": name, "PyFuncStateless": name}):
        return tf.py_func(function, inputs, [tf.float32], stateful=False)[0]


def spiky(x):
    return np.where(x % 1 <= 0.5, x % 1, 0).astype(np.float32)


spikes = in_numpy(spiky, [x], lambda op, grad: grad * tf.to_float(op.inputs[0] % 1.0 <= 0.5), "UserSpiky")
spikes.set_shape(x.get_shape())
rounded = x + tf.stop_gradient(tf.round(x) - x)
large = log1pexp(x * 40.0)
w = tf.Variable([[1.0, 0.5], [2.0, -1.0], [0.1, 0.2]])
chances = tf.nn.softmax(tf.matmul(x, w))
loss = tf.reduce_mean(tf.square(chances - 0.3))
of_loss = tf.gradients(loss, w)[0]
along = tf.stop_gradient(tf.constant([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]))
slopes = tf.gradients(tf.reduce_sum(tf.tanh(tf.matmul(x, w))), [x])[0]

fetches = {
    "override": tf.gradients(tf.reduce_sum(signs * x * 2.0), x)[0],
    "guided": tf.gradients(tf.reduce_sum(relus * [[-1.0, 1.0, 2.0]]), x)[0],
    "reversed": tf.gradients(tf.reduce_sum(flipped**2), x)[0],
    "custom": tf.gradients(large, x)[0],
    "custom of two": tf.gradients(list(product_and_difference(x, x + 1.0)), x)[0],
    "straight through": tf.gradients(rounded * x, x)[0],
    "spiky": [spikes, tf.gradients(spikes * 3.0, x)[0]],
    "jacobian": tf.stack([tf.gradients(chances[:, i], x)[0] for i in range(2)], 1),
    "product with hessian": tf.gradients(tf.reduce_sum(of_loss * along), w)[0],
    "hessian": tf.hessians(tf.reduce_sum(tf.tanh(w) ** 2), w)[0],
    "penalty": tf.gradients(tf.reduce_mean((tf.sqrt(tf.reduce_sum(slopes**2, 1)) - 1.0) ** 2), w)[0],
    "from two": tf.gradients(loss, [w], grad_ys=[tf.constant(2.0)])[0],
}
results["none"] = str(tf.gradients(loss, tf.constant(1.0)))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for name, fetch in fetches.items():
        results[name] = sess.run(fetch, {x: values})

with graph.gradient_override_map({"Square": "UserNowhere"}):
    squared = tf.square(x)
for name, attempt in [
    ("unknown override", lambda: tf.gradients(squared, x)),
    ("registered twice", lambda: tf.RegisterGradient("UserClipped")(clipped)),
]:
    try:
        attempt()
    except (LookupError, KeyError) as error:
        results[name] = type(error).__name__
