"""Loops over tf.range in functions: their operations, the numbers they count, random numbers drawn in them."""

import tensorflow as tf

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}


def down(n):
    seen = tf.TensorArray(tf.int32, 0, dynamic_size=True)
    for i in tf.range(5, n, -2):
        seen = seen.write(seen.size(), i)
    return seen.stack()


def by_steps(n):
    total = 0
    for i in tf.range(1, 8, n):
        total = total * 10 + i
    return total


def by_steps_down(n):
    total = 0
    for i in tf.range(8, 1, -n):
        total = total * 10 + i
    return total


def left_early(n):
    total = 0
    for i in tf.range(n):
        if i > 2:
            break
        if i == 1:
            continue
        total += i + 1
    return total


def of_floats(n):
    total = 0.0
    for x in tf.range(0.0, 2.0, 0.4):
        total += x * tf.cast(n, tf.float32)
    return total


def of_longs(n):
    total = tf.constant(0, tf.int64)
    for i in tf.range(tf.cast(n, tf.int64)):
        total += i
    return total


def for_nothing(n):
    for _ in tf.range(n):
        pass
    return n


def of_a_range_outside(n):
    total = 0
    numbers = tf.range(n) if n > 1 else tf.range(3)
    for i in numbers:
        for j in tf.range(i):
            total += i * j
    return total


n = tf.constant(3)
for function in (down, by_steps, by_steps_down, left_early, of_floats, of_longs, for_nothing, of_a_range_outside):
    traced = tf.function(function)
    results[function.__name__] = [traced(n).numpy().tolist(), traced(n + 2).numpy().tolist()]
for function in (by_steps, left_early, of_floats, for_nothing):
    traced = tf.function(function).get_concrete_function(n)
    operations = traced.graph.get_operations()
    results["operations of %s" % function.__name__] = ["%s %s" % (op.name, op.type) for op in operations]


@tf.function
def drawing(n):
    total = tf.zeros([2])
    for _ in tf.range(n):
        total += tf.random.uniform([2], seed=1) + tf.random.truncated_normal([2])
    return total


@tf.function
def drawn():
    return tf.random.uniform([])


@tf.function
def drawing_in_branches(n):
    total = drawn()
    for i in tf.range(n):
        if i > 0:
            total += drawn() * 10.0
        else:
            total -= tf.random.uniform([])
    return total, tf.random.uniform([])


@tf.function
def shuffling(n):
    rows = tf.range(5)
    for _ in tf.range(n):
        rows = tf.random.shuffle(rows)
    return rows


tf.compat.v1.set_random_seed(3)
results["random"] = [
    [drawing(n).numpy(), drawing(n).numpy()],
    [[x.numpy() for x in drawing_in_branches(n)] for _ in range(2)],
    [drawn().numpy(), shuffling(n).numpy(), shuffling(n).numpy()],
]

with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
    tf.compat.v1.set_random_seed(4)

    def in_a_graph(n):
        total = 0
        for i in tf.range(n):
            total = total * 10 + i
        return total

    made = tf.autograph.to_graph(in_a_graph)(tf.compat.v1.placeholder_with_default(4, []))
    results["in a graph"] = sess.run(made)
