"""Gradients of the same computation taken again and again, with other values: slices, starts, tapes in tapes, own gradients."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
random = np.random.RandomState(1)
w = tf.Variable(random.rand(3, 4).astype("float32"))
b = tf.Variable(np.zeros(4, "float32"))
table = tf.Variable(random.rand(5, 3).astype("float32"))
unused = tf.Variable(2.0)


def value_of(gradient):
    if gradient is None:
        return "None"
    if isinstance(gradient, tf.IndexedSlices):
        return [gradient.values.numpy(), gradient.indices.numpy(), gradient.dense_shape.numpy()]
    return gradient.numpy()


def batches(count=7):
    generator = np.random.RandomState(2)
    return [tf.constant(generator.rand(6, 3).astype("float32")) for _ in range(count)]


def again(name, taken):
    results[name] = [[value_of(gradient) for gradient in taken(x)] for x in batches()]


def dense(x):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.matmul(x, w) + b)
        loss = tf.reduce_mean(tf.square(hidden - 0.5)) + tf.reduce_sum(tf.reshape(x, [3, 6]))
    found = tape.gradient(loss, [w, b, unused])
    w.assign_sub(0.1 * found[0])
    return found


def rows(x):
    with tf.GradientTape() as tape:
        looked = tf.nn.embedding_lookup(table, [0, 2, 2]) * tf.slice(x, [0, 0], [3, 3])
        loss = tf.reduce_sum(tf.concat([looked, x], 0) ** 2.0)
    return [tape.gradient(loss, table)]


def started(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(-x) * tf.reduce_sum(x, axis=1, keepdims=True)
        z = tf.stop_gradient(y) * x
    first = tape.gradient([y, z], x, output_gradients=[tf.ones_like(y) * 2.0, z])
    return [first, tape.gradient(z, x), tape.gradient(y, unused, unconnected_gradients="zero")]


def nested(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3.0)
        first = inner.gradient(y, x)
    return [first, outer.gradient(first, x)]


@tf.custom_gradient
def doubled_backwards(x):
    return tf.sin(x), lambda dy: dy * 2.0


def own(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(doubled_backwards(x * 3.0) * x)
    return [tape.gradient(y, x)]


def several_outputs(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        values, _ = tf.nn.top_k(x, 2)
        left, right = tf.split(x, [1, 2], axis=1)
        mean, variance = tf.nn.moments(x, [0])
        loss = tf.reduce_sum(values) + tf.reduce_sum(left * right) + tf.reduce_sum(mean * variance)
    return [tape.gradient(loss, x)]


def chosen(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0 if float(x[0, 0]) > 0.5 else tf.square(x)
        loss = tf.reduce_sum(tf.boolean_mask(y, y > 0.4))
    return [tape.gradient(loss, x)]


for taken in (dense, rows, started, nested, own, several_outputs, chosen):
    again(taken.__name__, taken)
results["variables"] = [w.numpy(), table.numpy()]
