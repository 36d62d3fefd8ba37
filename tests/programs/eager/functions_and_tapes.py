"""Tapes, optimizers, layers and effects inside functions, with variables that are made eagerly."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}

v = tf.Variable(2.0)
w = tf.Variable([1.0, 2.0])
u = tf.Variable(3.0)


@tf.function
def loss(x):
    return tf.reduce_sum(w * w * x) * v


@tf.function
def gradients(x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = loss(x)
    zero = tf.UnconnectedGradients.ZERO
    return tape.gradient(y, {"v": v, "w": w, "x": x}), tape.gradient(y, u), tape.gradient(y, [u, v], None, zero)


found = gradients(tf.constant([1.0, 2.0]))
results["structure"] = {name: t.numpy() for name, t in found[0].items()}
results["unconnected"] = str(found[1])
results["zero"] = [t.numpy() for t in found[2]]


@tf.function
def twice(x):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            y = v * v * v * x
        first = tape.gradient(y, v)
    return first, outer.gradient(first, v), tf.gradients(y, v)[0]


results["second order"] = [t.numpy() for t in twice(tf.constant(3.0))]


@tf.function
def in_loop(n):
    with tf.GradientTape() as tape:
        total = 0.0
        for _ in tf.range(n):
            total += v * v
    return tape.gradient(total, v)


@tf.function
def in_branch(flag):
    with tf.GradientTape() as tape:
        if flag:
            y = v * v
        else:
            y = v
    return tape.gradient(y, v)


results["flow"] = [
    t.numpy() for t in (in_loop(tf.constant(3)), in_branch(tf.constant(True)), in_branch(tf.constant(False)))
]

table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
adam = tf.train.AdamOptimizer(0.1)


@tf.function
def step(ids):
    with tf.GradientTape() as tape:
        cost = tf.reduce_sum(tf.nn.embedding_lookup(table, ids) ** 2) * v
    adam.apply_gradients(zip(tape.gradient(cost, [table, v]), [table, v]))
    return cost


results["adam"] = [step(tf.constant([0, 2])).numpy() for _ in range(3)] + [table.numpy(), v.numpy()]

layers = [tf.layers.Dense(3, kernel_initializer=tf.ones_initializer()), tf.layers.BatchNormalization()]
descent = tf.train.GradientDescentOptimizer(0.1)


@tf.function
def train(x):
    with tf.GradientTape() as tape:
        h = layers[1](layers[0](x), training=True)
        cost = tf.reduce_mean(tf.square(h - 1.0))
    trained = layers[0].trainable_variables + layers[1].trainable_variables
    descent.apply_gradients(zip(tape.gradient(cost, trained), trained))
    return cost


rows = tf.constant(np.arange(6, dtype=np.float32).reshape(3, 2))
results["layers"] = [train(rows).numpy() for _ in range(2)]
results["trained"] = [layer.trainable_variables[-1].numpy() for layer in layers]
results["counts"] = [[len(layer.trainable_variables), len(layer.variables)] for layer in layers]

counter = tf.Variable([0.0])


@tf.function
def read_and_add():
    before = counter.read_value()
    counter.assign_add([1.0])
    return before


@tf.function
def around():
    first = read_and_add()
    second = counter.read_value()
    counter.assign_add([1.0])
    return first, second


results["reads"] = [t.numpy() for t in (read_and_add(),) + around()]


@tf.function
def loops(n):
    last = counter.read_value()
    for i in tf.range(n):
        for _ in tf.range(2):
            last = counter.read_value()
            counter.assign_add([1.0])
        if i > 0:
            counter.assign(counter * 2.0)
    return last


results["effects"] = [loops(tf.constant(3)).numpy(), counter.numpy()]
