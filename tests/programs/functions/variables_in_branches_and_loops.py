"""Functions whose branches and loops write variables: what is read when, and which gradients are zeros and which are None."""

import tensorflow as tf

tf.enable_v2_behavior()
results = {}


def start():
    return tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])


a, b, c = start()


@tf.function
def in_one_branch(y):
    if tf.reduce_sum(y) > -1.0:
        b.assign(y)
    else:
        c.assign(y * a)
    if tf.reduce_sum(a) > 0.5:
        y = y * a
    return y


@tf.function
def in_either(y):
    if tf.reduce_sum(a) > 0.5:
        y = y * a
    else:
        y = y * b
    return y


@tf.function
def behind_a_loop(y):
    for _ in tf.range(2):
        y = y * a
    if tf.reduce_sum(a) > 0.5:
        y = y * a
    else:
        b.assign(y)
        y = y * 2.0
    return y


@tf.function
def in_a_loop(y):
    for _ in tf.range(2):
        y = y * a
        if tf.reduce_sum(a) > 0.5:
            c.assign(y)
        if tf.reduce_sum(b) > 0.5:
            c.assign(y)
            y = y + c
        c.assign_add(y)
    return y


@tf.function
def one_in_another(y):
    if tf.reduce_sum(c) > 3.5:
        b.assign(y)
    else:
        a.assign(y)
        b.assign(tf.sin(a))
        if tf.reduce_sum(b) > 0.0:
            for _ in tf.range(3):
                a.assign_add(b)
                c.assign(a * 2.0)
            b.assign(c)
        else:
            y = y * 0.5
        y = y + b
    return y + c


for function in (in_one_branch, in_either, behind_a_loop, in_a_loop, one_in_another):
    for data in ([1.0, 2.0], [-1.0, -3.0]):
        for sign in (1.0, -1.0):
            a.assign([sign, sign])
            b.assign([sign, 1.0])
            c.assign([1.0, 1.0])
            x = tf.constant(data)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            found = [None if g is None else g.numpy().tolist() for g in tape.gradient(y, [x, a, b, c])]
            values = [y.numpy().tolist(), *[each.numpy().tolist() for each in (a, b, c)]]
            results["%s %s %s" % (function.__name__, data, sign)] = [found, values]
