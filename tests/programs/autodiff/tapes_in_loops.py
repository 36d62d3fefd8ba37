"""Tapes inside of loops and branches of a graph, and around them."""

import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
results = {}


def variable():
    return tf.get_variable("v", [], initializer=tf.constant_initializer(3.0), use_resource=True)


def in_loop(step):
    def body(i, total):
        return i + 1, step(total)

    found = tf.while_loop(lambda i, total: i < 3, body, [0, tf.constant(1.0)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(found)


def of_a_variable():
    v = variable()

    def step(total):
        with tf.GradientTape() as tape:
            y = v * v * total
        return tape.gradient(y, v)

    return in_loop(step)


def of_a_loop_variable():
    v = variable()

    def step(total):
        with tf.GradientTape() as tape:
            tape.watch(total)
            y = v * total * total
        return tape.gradient(y, total)

    return in_loop(step)


def of_what_comes_in():
    outside = tf.constant(2.0)

    def step(total):
        with tf.GradientTape() as tape:
            tape.watch(outside)
            y = outside * outside * total
        return tape.gradient(y, outside)

    return in_loop(step)


def of_a_branch():
    v = variable()

    def branch():
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, v)

    found = tf.cond(tf.constant(True), branch, lambda: tf.constant(0.0))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(found)


def minimized_in_a_loop():
    v = variable()
    optimizer = tf.train.GradientDescentOptimizer(0.1)

    def step(total):
        with tf.control_dependencies([optimizer.minimize(lambda: v * v)]):
            return total + v.read_value()

    return in_loop(step)


def around_a_loop():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda i, total: i < 3, lambda i, total: (i + 1, total * x), [0, tf.constant(1.0)])[1]
    return tape.gradient(y, x) is None


def around_a_branch():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cond(tf.constant(True), lambda: x * x, lambda: x)
    try:
        return tape.gradient(y, x) is None
    except NotImplementedError:
        return "NotImplementedError"


CASES = [
    of_a_variable,
    of_a_loop_variable,
    of_what_comes_in,
    of_a_branch,
    minimized_in_a_loop,
    around_a_loop,
    around_a_branch,
]
for case in CASES:
    with tf.Graph().as_default():
        results[case.__name__] = case()
