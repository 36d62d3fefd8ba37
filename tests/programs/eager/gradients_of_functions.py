"""Gradients of traced functions: of their gradients, of variables through them, and as slices."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
v = tf.Variable(1.5)
table = tf.Variable(np.arange(8, dtype="float32").reshape(4, 2))


def derivative(f):
    @tf.function
    def inner(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    return inner


f = tf.function(lambda x: tf.cos(x) * x)
results["iterated"] = []
for _ in range(4):
    f = derivative(f)
    results["iterated"].append(f(tf.constant(1.0)).numpy())

with tf.GradientTape(persistent=True) as tape:
    start = x = tf.constant(1.0)
    tape.watch(x)
    x = tf.function(lambda z: tf.cos(z))(x)
    results["persistent"] = []
    for _ in range(3):
        x = tape.gradient(x, start)
        results["persistent"].append(x.numpy())

cube = tf.function(lambda: v * v * v)
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = cube()
    first = inner.gradient(y, v)
results["twice"] = [first.numpy(), outer.gradient(first, v).numpy()]


@tf.function
def both():
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = cube() * v
        first = inner.gradient(y, v)
    return first, outer.gradient(first, v)


results["twice inside"] = [t.numpy() for t in both()]


def parts(gradient):
    return [type(gradient).__name__, gradient.values.numpy(), gradient.indices.numpy(), gradient.dense_shape.numpy()]


@tf.function
def looked_up(params):
    return tf.reduce_sum(tf.gather(params, [1, 1, 2]) ** 2.0)


@tf.function
def looked_up_in_variable():
    return tf.reduce_sum(tf.gather(table, [1, 1, 2]) ** 2.0)


params = tf.constant(np.arange(8, dtype="float32").reshape(4, 2))
with tf.GradientTape() as tape:
    tape.watch(params)
    y = looked_up(params)
results["slices"] = parts(tape.gradient(y, params))
with tf.GradientTape() as tape:
    y = looked_up_in_variable()
gradient = tape.gradient(y, table)
results["slices of a variable"] = parts(gradient)
tf.train.MomentumOptimizer(0.1, 0.9).apply_gradients([(gradient, table)])
results["updated"] = table.numpy()

with tf.Graph().as_default(), tf.Session() as session:
    params = tf.constant(np.ones((4, 2), "float32"))
    rows = tf.function(lambda q: tf.gather(q, [0, 1]))
    outer = tf.function(lambda q: rows(q) * 2.0)
    w = tf.get_variable("w", shape=[], initializer=tf.constant_initializer(2.0), use_resource=True)
    square = tf.function(lambda: w * w)
    first = tf.gradients(rows(params), params)[0]
    second = tf.gradients(outer(params), params)[0]
    third = tf.gradients(square(), w)[0]
    session.run(w.initializer)
    results["in a graph"] = [
        [type(first).__name__, type(second).__name__, str(third.shape)],
        session.run([tf.convert_to_tensor(first), tf.convert_to_tensor(second), third]),
    ]
