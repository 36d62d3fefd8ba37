"""Branches and loops in the body of a `tf.function`: their operations, effects in the order of the text, derivatives twice."""

import numpy as np
import tensorflow as tf

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}
v = tf.Variable(0.0)
x = tf.Variable([0.5, 1.2])


def operations(function, *arguments):
    """The operations of a traced function besides constants, by name."""
    concrete = tf.function(function).get_concrete_function(*arguments)
    return ["%s %s" % (op.name, op.type) for op in concrete.graph.get_operations() if op.type != "Const"]


def branched(a):
    return tf.cond(a > 1.0, lambda: a * 2.0, lambda: tf.sin(a))


def looped(a):
    return tf.while_loop(lambda i, _: i < 3, lambda i, b: (i + 1, b * a), [0, a])[1]


def mapped(a):
    return tf.map_fn(lambda row: row * row, a)


def of_arrays(a):
    rows = tf.TensorArray(tf.float32, 3).unstack(a)
    out = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        if rows.read(i) > 0.0:
            out = out.write(i, rows.read(i) * 2.0)
        else:
            out = out.write(i, -rows.read(i))
    return out.stack()


ROWS = np.float32([1.0, -2.0, 3.0])
results["a branch"] = operations(branched, tf.constant(2.0))
results["a loop"] = operations(looped, tf.constant(2.0))
results["a map"] = operations(mapped, tf.constant(ROWS))
results["values"] = [
    tf.function(branched)(tf.constant(0.5)).numpy(),
    tf.function(looped)(tf.constant(2.0)).numpy(),
    tf.function(mapped)(tf.constant(ROWS)).numpy(),
    tf.function(of_arrays)(tf.constant(ROWS)).numpy(),
]


@tf.function
def in_order(a):
    seen = [v.assign_add(1.0) + 0.0]
    tf.cond(a > 0.0, lambda: [v.assign_add(10.0)], lambda: [v.assign(v * 2.0)])
    seen.append(v.read_value())
    tf.while_loop(lambda i: i < 3, lambda i: (v.assign_add(100.0), i + 1)[1:], [0])
    seen.append(v.read_value())
    while v < 1000.0:
        v.assign_add(300.0)
    seen.append(v.read_value())
    return seen


for number in (1.0, -1.0):
    results["in order, %s" % number] = [each.numpy() for each in in_order(tf.constant(number))]


@tf.function
def twice(n):
    y = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, a * tf.sin(a) + x), [0, x * 1.0])[1]
    first = tf.gradients(y, x)[0]
    return y, first, tf.gradients(first, x)[0]


results["twice"] = [np.round(each.numpy(), 3) for each in twice(tf.constant(3))]


@tf.function
def by_a_tape(n):
    with tf.GradientTape() as tape:
        y, i = tf.constant([1.0, 2.0]) * x, tf.constant(0)
        while i < n:
            if tf.reduce_sum(y) > 1.5:
                y = tf.tanh(y) * x
            else:
                y = y * 1.5
            i += 1
        total = tf.reduce_sum(y)
    return total, tape.gradient(total, x)


for count in (0, 1, 4):
    results["by a tape, %d" % count] = [np.round(each.numpy(), 4) for each in by_a_tape(tf.constant(count))]


@tf.function
def over_rows(z):
    with tf.GradientTape() as tape:
        y = tf.map_fn(lambda row: tf.reduce_sum(row * row) * x, z)
    return y, tape.gradient(y, x)


results["over rows"] = [each.numpy() for each in over_rows(tf.constant([[1.0, 2.0], [3.0, 4.0]]))]


def outcome(function):
    try:
        return tf.function(function, autograph=False)(tf.constant([1, 2])).numpy()
    except Exception as error:
        return type(error).__name__


results["refused"] = [
    outcome(lambda a: tf.while_loop(lambda i: None, lambda i: i, [a])),
    outcome(lambda a: tf.while_loop(lambda i: i[0] < 3, lambda i: None, [a])),
    outcome(lambda a: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [a])),
    outcome(lambda a: tf.cond(a > 0, lambda: a, lambda: a)),
    outcome(lambda a: tf.cond(a[0], lambda: a, lambda: a)),
    outcome(lambda a: tf.cond(a[0] > 0, lambda: a, lambda: tf.cast(a, tf.float32))),
    outcome(lambda a: tf.TensorArray(tf.int32, 2).scatter([0, 5], a).stack()),
    outcome(lambda a: tf.TensorArray(tf.int32, 2).scatter([0, 5], a).read(3)),
]
