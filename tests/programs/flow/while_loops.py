"""while_loop: the operations it makes, its values in many shapes of program, its gradients, and what it refuses."""

import numpy as np
import tensorflow as tf

results = {}


def operations(make):
    with tf.Graph().as_default() as graph:
        make()
        return [
            [op.name, op.type, [t.name for t in op.inputs], sorted(c.name for c in op.control_inputs)]
            for op in graph.get_operations()
        ]


def run(make, feeds=()):
    with tf.Graph().as_default():
        made = make()
        fetches, feed = made if isinstance(made, tuple) and isinstance(made[-1], dict) else (made, {})
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(fetches, feed)


def refusal(make):
    with tf.Graph().as_default():
        try:
            made = make()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                sess.run(made)
        except (ValueError, TypeError, tf.errors.OpError, RuntimeError) as error:
            return type(error).__name__
    return "accepted"


def counter():
    return tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [tf.constant(0)])


def fibonacci():
    return tf.while_loop(lambda i, a, b: i < 10, lambda i, a, b: (i + 1, b, a + b), (0, 1, 1))


def power_with_gradient():
    x = tf.constant(1.5)
    _, y = tf.while_loop(lambda i, y: i < 6, lambda i, y: (i + 1, y * x), [0, 1.0])
    return [y] + tf.gradients(y, x)


def captured_variable():
    w = tf.Variable([[1.0, 2.0], [0.5, -1.0]])
    v = tf.Variable([[1.0], [2.0]])
    _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.tanh(tf.matmul(w, y))), [0, v])
    return [y] + tf.gradients(tf.reduce_sum(y), [w, v])


def resource_variable():
    w = tf.get_variable("w", initializer=[2.0, 3.0], use_resource=True)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * w + y), [0, tf.ones([2])])
    return [y] + tf.gradients(y, [w])


def data_dependent():
    x = tf.placeholder(tf.float32, [])
    y, n = tf.while_loop(lambda y, n: y < 100.0, lambda y, n: (y * x, n + 1), [x, 0])
    return [y, n] + tf.gradients(y, x), {x: 3.0}


def no_iterations():
    x = tf.placeholder(tf.float32, [3])
    y = tf.while_loop(lambda y: tf.reduce_sum(y) < 0.0, lambda y: y * 2.0, [x])
    return [y] + tf.gradients(y, x), {x: [1.0, 2.0, 3.0]}


def nested():
    x = tf.constant(1.1)

    def outer(i, total):
        def inner(j, product):
            return j + 1, product * x

        _, product = tf.while_loop(lambda j, p: j < i + 1, inner, [0, 1.0])
        return i + 1, total + product * total

    _, y = tf.while_loop(lambda i, t: i < 4, outer, [0, x])
    return [y] + tf.gradients(y, x)


def cond_inside():
    x = tf.constant([1.0, -2.0, 3.0])

    def body(i, total):
        value = x[i]
        return i + 1, total + tf.cond(value > 0.0, lambda: value * value, lambda: tf.exp(value))

    _, y = tf.while_loop(lambda i, t: i < 3, body, [0, 0.0])
    return [y] + tf.gradients(y, x)


def cond_inside_unknown_shapes():
    x = tf.placeholder(tf.float32, [None])

    def body(i, total):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: total * x, lambda: total + x)

    _, y = tf.while_loop(
        lambda i, t: i < 5, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])]
    )
    return [y] + tf.gradients(y, x), {x: [0.5, 2.0]}


def loop_inside_cond():
    p = tf.placeholder(tf.bool, [])
    x = tf.placeholder(tf.float32, [])

    def loop():
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]

    y = tf.cond(p, loop, lambda: x + 1.0)
    return [y] + tf.gradients(y, x), {p: True, x: 2.0}


def loop_inside_cond_not_taken():
    fetches, feed = loop_inside_cond()
    return fetches, {key: (False if key.dtype == tf.bool else 2.0) for key in feed}


def growing_shape():
    def body(i, m):
        return i + 1, tf.concat([m, m[:1] * 2.0], 0)

    x = tf.constant([[1.0, 2.0]])
    _, m = tf.while_loop(
        lambda i, m: i < 3, body, [0, x], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])]
    )
    return [m] + tf.gradients(m, x)


def structures():
    Pair = __import__("collections").namedtuple("Pair", "left right")

    def body(i, state):
        pair, rest = state
        return i + 1, (Pair(pair.right, pair.left + pair.right), {"n": rest["n"] * 2})

    return tf.while_loop(
        lambda i, _: i < 5, body, (tf.constant(0), (Pair(tf.constant(0), tf.constant(1)), {"n": tf.constant(1)}))
    )


def sparse_variable():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])

    def body(i, s):
        return i + 1, tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)

    _, result = tf.while_loop(lambda i, s: i < 3, body, [0, sparse])
    return result


def maximum_iterations():
    x = tf.constant(2.0)
    y = tf.while_loop(lambda y: y < 1e9, lambda y: y * x, [x], maximum_iterations=5)
    i, z = tf.while_loop(lambda i, z: i < 100, lambda i, z: (i + 1, z + x), (0, 0.0), maximum_iterations=tf.constant(7))
    return [y, i, z] + tf.gradients(y, x) + tf.gradients(z, x)


def assigns_inside():
    v = tf.Variable(1.0)

    def body(i):
        with tf.control_dependencies([tf.assign(v, v * 2.0)]):
            return i + 1

    i = tf.while_loop(lambda i: i < 4, body, [0])
    with tf.control_dependencies([i]):
        return [i, tf.identity(v.read_value())]


def reads_before_assign():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    def body(i, seen):
        before = v.read_value()
        with tf.control_dependencies([before]):
            added = v.assign_add(10.0)
        with tf.control_dependencies([added]):
            return i + 1, seen + before

    return tf.while_loop(lambda i, s: i < 3, body, [0, 0.0])


def unused_result():
    x = tf.constant(3.0)
    a, _ = tf.while_loop(lambda a, b: a < 100.0, lambda a, b: (a * b, b + x), [x, x])
    return [a] + tf.gradients(a, x)


def swapped_variables():
    x, y = tf.constant(2.0), tf.constant(5.0)
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, b, a * x), [0, x, y])
    return [a, b] + tf.gradients(a + b, [x, y])


def gradient_of_embedding():
    table = tf.Variable(np.arange(8.0).reshape(4, 2).astype(np.float32))

    def body(i, total):
        return i + 1, total + tf.reduce_sum(tf.nn.embedding_lookup(table, [i, 1]), 0)

    _, total = tf.while_loop(lambda i, t: i < 3, body, [0, tf.zeros([2])])
    grad = tf.gradients(total, table)[0]
    return [total, tf.convert_to_tensor(grad)]


def stop_gradient_inside():
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x + tf.stop_gradient(y)), [0, x])
    return [y] + tf.gradients(y, x)


def integer_results():
    n = tf.placeholder(tf.int64, [])
    _, a, b = tf.while_loop(
        lambda i, a, b: tf.logical_and(i < n, tf.not_equal(b, 0)),
        lambda i, a, b: (i + 1, b, tf.mod(a, b)),
        [tf.constant(0, tf.int64), tf.constant(84, tf.int64), tf.constant(36, tf.int64)],
    )
    return [a, b, tf.cast(a, tf.float32) / 2.0], {n: 50}


def control_from_outside():
    log = tf.Variable(0)
    note = tf.assign_add(log, 5)

    def body(i):
        with tf.control_dependencies([note]):
            return tf.identity(i + 1)

    i = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.control_dependencies([i]):
        return [i, log.read_value()]


programs = [
    counter,
    fibonacci,
    power_with_gradient,
    captured_variable,
    resource_variable,
    data_dependent,
    no_iterations,
    nested,
    cond_inside,
    cond_inside_unknown_shapes,
    loop_inside_cond,
    loop_inside_cond_not_taken,
    growing_shape,
    structures,
    sparse_variable,
    maximum_iterations,
    assigns_inside,
    reads_before_assign,
    unused_result,
    swapped_variables,
    gradient_of_embedding,
    stop_gradient_inside,
    integer_results,
    control_from_outside,
]
for make in programs:
    got = run(make)
    if isinstance(got, tf.SparseTensorValue):
        got = list(got)
    if make is structures:
        got = [got[0], list(got[1][0]), got[1][1]["n"]]
    results[make.__name__] = list(got) if isinstance(got, (list, tuple)) else got

for make in (counter, power_with_gradient, nested, cond_inside, loop_inside_cond, unused_result):
    results["ops of " + make.__name__] = operations(make)


def changed_shape():
    return tf.while_loop(lambda m: True, lambda m: tf.concat([m, m], 0), [tf.ones([1, 2])])


def changed_type():
    return tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [tf.constant(0)])


def wrong_number():
    return tf.while_loop(lambda i, j: i < 3, lambda i, j: i + 1, [tf.constant(0), tf.constant(1)])


def fetch_inside():
    inside = []

    def body(i):
        inside.append(i + 1)
        return inside[0]

    tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    return inside[0]


def second_derivative():
    x = tf.constant(2.0)
    _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    return tf.gradients(tf.gradients(y, x), x)


def bad_invariant():
    return tf.while_loop(
        lambda m: tf.reduce_sum(m) < 9.0, lambda m: m * 2.0, [tf.ones([2])], shape_invariants=[tf.TensorShape([3])]
    )


for make in (changed_shape, changed_type, wrong_number, fetch_inside, second_derivative, bad_invariant):
    results["refused " + make.__name__] = refusal(make)
results["refused nothing"] = refusal(lambda: tf.while_loop(lambda: True, lambda: None, []))
results["refused no function"] = refusal(lambda: tf.while_loop(True, lambda i: i, [0]))
results["refused condition"] = refusal(lambda: tf.while_loop(lambda i: i, lambda i: i, [tf.constant(0)]))
results["refused vector condition"] = refusal(lambda: tf.while_loop(lambda i: i < [1, 2], lambda i: i, [0]))
