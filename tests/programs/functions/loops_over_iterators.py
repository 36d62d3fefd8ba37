"""Loops of functions over iterators of datasets: what they take, where they stop, and what is refused."""

import tensorflow as tf

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}
seen = tf.Variable(tf.constant(0, tf.int64))


def total(iterator):
    found = tf.constant(0, tf.int64)
    for number in iterator:
        found += number
    return found


def left_early(iterator):
    found = tf.constant(0, tf.int64)
    for number in iterator:
        if number > 2:
            break
        found += number
    return found


def counted(iterator):
    for number in iterator:
        seen.assign_add(number)
    return seen.read_value()


def pairs(iterator):
    found = 0.0
    for pair in iterator:
        found += tf.cast(pair["a"], tf.float32) * pair["b"]
    return found


def made_inside(iterator):
    found = next(iterator)
    for number in iter(tf.data.Dataset.range(4)):
        found += number
    return found


def another_type(iterator):
    found = 0
    for number in iterator:
        found += number
    return found


def no_value_before(iterator):
    for number in iterator:
        found = number
    return found


def returned_from(iterator):
    for number in iterator:
        return number


def outcome(function, iterator):
    try:
        return tf.function(function)(iterator).numpy()
    except (TypeError, ValueError) as error:
        return type(error).__name__


for function in (total, left_early, counted, made_inside, another_type, no_value_before, returned_from):
    iterator = iter(tf.data.Dataset.range(6))
    first = outcome(function, iterator)
    results[function.__name__] = [first, [number.numpy() for number in iterator]]
rows = iter(tf.data.Dataset.from_tensor_slices({"a": [1, 2], "b": [3.0, 4.0]}))
results["pairs"] = [outcome(pairs, rows), outcome(pairs, rows)]
traced = tf.function(total)
results["again"] = [traced(iter(tf.data.Dataset.range(n))).numpy() for n in (3, 0, 5)]

with tf.Graph().as_default():
    try:
        tf.autograph.to_graph(total)(tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)))
    except TypeError as error:
        results["one shot"] = type(error).__name__
