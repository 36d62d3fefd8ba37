"""Gradient tapes in graphs: they follow what was added to the graph while they recorded, and nothing else."""

import numpy as np
import tensorflow as tf

results = {}
cases = []


def case(function):
    cases.append(function)
    return function


def vector():
    return tf.constant([1.0, 2.0])


def variable(name, **options):
    return tf.get_variable(name, [2], initializer=tf.ones_initializer(), use_resource=True, **options)


@case
def inside():
    x = vector()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x + tf.sin(x))
    return tape.gradient(y, x)


@case
def made_after():
    x = vector()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(tf.reduce_sum(y * 2.0), x)


@case
def made_before():
    x = vector()
    y = x * x
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = y * 3.0 + x
    return tape.gradient(z, x)


@case
def not_recorded():
    x = vector()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            hidden = y * x
        z = hidden + y
    return tape.gradient(z, x)


@case
def variables():
    v, w, fixed = variable("v"), variable("w"), variable("fixed", trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        z = v * v * fixed
    results["watched"] = [each.name for each in tape.watched_variables()]
    return tape.gradient(z, [v, w, fixed])


@case
def asked_for():
    v, w = variable("v"), variable("w")
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        z = v * v * w
    return tape.gradient(z, [v, w])


@case
def rows():
    table = tf.get_variable("table", [4, 2], initializer=tf.ones_initializer(), use_resource=True)
    with tf.GradientTape() as tape:
        taken = tf.gather(table, [1, 1, 3])
        z = tf.reduce_sum(taken * taken)
    return tape.gradient(z, table)


@case
def two_targets():
    x = vector()
    with tf.GradientTape() as tape:
        tape.watch(x)
        a = tf.sin(x)
        b = tf.exp(a) * x
        c = tf.tanh(b) + a
    return tape.gradient([b, c], [x, a])


@case
def unconnected():
    x, other = vector(), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, other])
        y = x * x
    return tape.gradient(y, [x, other], unconnected_gradients="zero")


@case
def own_gradient():
    @tf.custom_gradient
    def function(x):
        return x * x, lambda dy: dy * 7.0

    x = vector()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x) + x
    return tape.gradient(y, x)


@case
def several_outputs():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        left, _ = tf.split(x, 2, 1)
        largest, _ = tf.nn.top_k(x)
        y = tf.reduce_sum(left * left) + tf.reduce_sum(largest)
    return tape.gradient(y, x)


@case
def normalized():
    x = tf.constant(np.random.RandomState(0).standard_normal((2, 3, 3, 2)).astype(np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.fused_batch_norm(x, [1.0, 2.0], [0.0, 0.0])[0]
        z = tf.reduce_sum(y * y * y)
    return tape.gradient(z, x)


@case
def in_function():
    v, u = variable("v"), variable("u")

    @tf.function
    def function(x):
        before = v * x
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(v * v * x + before * u)
            with tape.stop_recording():
                hidden = u * u
            w = y + tf.reduce_sum(hidden)
        results["in function"] = [
            tape.gradient(w, before) is None,
            tape.gradient(w * 2.0, v) is None,
            tape.gradient(w, x) is None,
        ]
        return tape.gradient(w, [v, u])

    return function(tf.constant(3.0))


@case
def loop_in_function():
    v = variable("v")

    @tf.function
    def function(x):
        y = v * x
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = y
            for _ in tf.range(3):
                z = z * v
            if tf.reduce_sum(z) > 0.0:
                z = z * y
        return tape.gradient(z, [v, y])

    return function(tf.constant(3.0))


@case
def callable_loss():
    v, u = variable("v"), variable("u")
    before = v * u
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(lambda: tf.reduce_sum(v * v * before), [v, u])
    return [gradient for gradient, _ in pairs]


@case
def callable_loss_of_all():
    v, _ = variable("v"), variable("u")
    pairs = tf.train.MomentumOptimizer(0.1, 0.9).compute_gradients(lambda: tf.reduce_sum(v * v))
    results["callable"] = [each.name for _, each in pairs]
    return [gradient for gradient, _ in pairs]


for function in cases:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        found = function()
        flat = found if isinstance(found, list) else [found]
        made = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
        sess.run(tf.global_variables_initializer())
        values = [None if each is None else sess.run(each) for each in flat]
        values = [[v.values, v.indices] if hasattr(v, "indices") else v for v in values]
        results[function.__name__] = {"values": values}
        if "function" not in function.__name__:
            results[function.__name__]["ops"] = made

for name, build in (
    ("branch", lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * x, lambda: x)),
    ("loop", lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])[1]),
):
    with tf.Graph().as_default():
        x = vector()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = build(x)
        try:
            tape.gradient(y, x)
        except Exception as e:
            results[name] = type(e).__name__
