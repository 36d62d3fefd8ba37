"""Loops that draw random numbers and write variables, in branches too, and a training loop in the graph."""

import numpy as np
import tensorflow as tf

results = {}


def run(name, make, runs=2):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(5)
        fetches = make()
        session.run(tf.global_variables_initializer())
        for k in range(runs):
            results["%s, %d" % (name, k)] = session.run(fetches)
        results[name + ", variables"] = session.run(tf.global_variables())


def loop(count, body, *start):
    return tf.while_loop(
        lambda i, *_: i < count,
        lambda i, *rest: [i + 1] + list(body(i, *rest)),
        [0] + list(start),
        parallel_iterations=1,
    )[1:]


def draws():
    def body(i, t, classes):
        noise = tf.random_uniform([3], seed=1) + tf.random_normal([2, 3], seed=2)[0] * tf.truncated_normal([3], seed=3)
        number = tf.random_uniform([], 0, 100, tf.int32, seed=4)
        chosen = tf.multinomial(tf.log([[0.2, 0.3, 0.5]]), 4, seed=6, output_dtype=tf.int32)
        return t + noise * tf.to_float(number), classes * 3 + chosen[0]

    return loop(6, body, tf.zeros([3]), tf.zeros([4], tf.int32))


def recurrent_dropout():
    cell = tf.nn.rnn_cell.GRUCell(4, kernel_initializer=tf.constant_initializer(0.1))
    cell = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=0.6, state_keep_prob=0.8, seed=3)
    x = tf.constant(np.linspace(-1, 1, 2 * 5 * 3).reshape(2, 5, 3), tf.float32)
    outputs, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    loss = tf.reduce_sum(tf.square(outputs)) + tf.reduce_sum(state)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return [step, loss, outputs]


def training():
    w = tf.get_variable("w", initializer=np.float32([[0.5], [-0.5]]))
    x = tf.constant([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
    optimizer = tf.train.MomentumOptimizer(0.02, 0.9)

    def body(i, _):
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - [[1.0], [0.0], [2.0]]))
        with tf.control_dependencies([optimizer.minimize(loss)]):
            return [tf.identity(loss)]

    return loop(20, body, 0.0)


def rows_of_a_table():
    table = tf.get_variable("table", initializer=np.zeros([4, 2], np.float32))

    def body(i, t):
        with tf.control_dependencies([tf.scatter_add(table, [i % 4, 0], tf.ones([2, 2]) * (t + 1.0))]):
            return [t + tf.gather(table, i % 4)]

    return loop(6, body, tf.zeros([2]))


def writes_in_branches(use_resource):
    v = tf.get_variable("v", initializer=np.float32([1.0, 2.0]), use_resource=use_resource)
    w = tf.get_variable("w", initializer=np.float32([0.0, 0.0]), use_resource=use_resource)

    def body(i, t):
        first = v.read_value() * 1.0
        before = tf.cond(i % 3 > 0, lambda: first + 1.0, lambda: first * 2.0)

        def written():
            with tf.control_dependencies([tf.assign_add(v, [1.0, 1.0]), tf.assign_add(w, before)]):
                return tf.constant(1.0)

        with tf.control_dependencies([before]):
            factor = tf.cond(i % 2 > 0, written, lambda: tf.constant(2.0))
        with tf.control_dependencies([factor]):
            second = v.read_value() * factor
        with tf.control_dependencies([second]):
            last = tf.cond(i % 2 < 1, lambda: tf.identity(tf.assign(v, second * 0.5)), lambda: tf.identity(second))
        return [t + first * 100.0 + second + last * 0.01 + before]

    return loop(7, body, tf.zeros([2]))


run("draws", draws)
run("dropout", recurrent_dropout)
run("training", training)
run("rows of a table", rows_of_a_table)
run("branches, references", lambda: writes_in_branches(False))
run("branches, resources", lambda: writes_in_branches(True))
