"""cond and case: the operations they make, what they give, nested, with assignments, and their gradients."""

import numpy as np
import tensorflow as tf

results = {}


def operations(make):
    with tf.Graph().as_default() as graph:
        make()
        return [
            [op.name, op.type, [t.name for t in op.inputs], [c.name for c in op.control_inputs]]
            for op in graph.get_operations()
        ]


def scalar(name, dtype=tf.float32, shape=()):
    return tf.placeholder(dtype, shape, name=name)


def two_values():
    p, x = scalar("p", tf.bool), scalar("x")
    return tf.cond(p, lambda: [x * 2.0, x + 1.0], lambda: [x - 1.0, tf.constant(7.0)])


def nested():
    p, q, x = scalar("p", tf.bool), scalar("q", tf.bool), scalar("x")
    return tf.cond(p, lambda: tf.cond(q, lambda: x * 2.0, lambda: x * 3.0), lambda: x * 5.0)


def nested_outer_values():
    p, q, x = scalar("p", tf.bool), scalar("q", tf.bool), scalar("x")

    def outer():
        y = tf.exp(x)
        return tf.cond(q, lambda: y + x, lambda: y * y)

    return tf.cond(p, outer, lambda: x)


def same_tensor_twice():
    p, x = scalar("p", tf.bool), scalar("x")
    return tf.cond(p, lambda: x, lambda: x)


def in_name_scope():
    p, x = scalar("p", tf.bool), scalar("x")
    with tf.name_scope("outer"):
        return tf.cond(p, lambda: tf.square(x, name="sq"), lambda: tf.negative(x, name="neg"), name="choice")


def with_control():
    p, x = scalar("p", tf.bool), scalar("x")
    before = tf.no_op(name="before")
    with tf.control_dependencies([before]):
        return tf.cond(p, lambda: x * 2.0, lambda: tf.constant(1.0))


def operations_as_results():
    p = scalar("p", tf.bool)
    return tf.cond(p, lambda: tf.no_op(name="a"), lambda: tf.no_op(name="b"))


def differentiated():
    p, x = scalar("p", tf.bool), scalar("x")
    y = tf.cond(p, lambda: x * x, lambda: tf.exp(x))
    return tf.gradients(y, x)


def differentiated_one_side():
    p, x = scalar("p", tf.bool), scalar("x", shape=(2,))
    y = tf.cond(p, lambda: tf.reduce_sum(x * x), lambda: tf.constant(3.0))
    return tf.gradients(y, x)


def chosen():
    x, y = scalar("x"), scalar("y")
    return tf.case([(x < y, lambda: x * 2.0), (x > y + 10.0, lambda: y * 3.0)], default=lambda: x + y, exclusive=True)


def chosen_without_default():
    x, y = scalar("x"), scalar("y")
    return tf.case([(x < y, lambda: tf.constant(1)), (x > y, lambda: tf.constant(2))])


programs = [
    two_values,
    nested,
    nested_outer_values,
    same_tensor_twice,
    in_name_scope,
    with_control,
    operations_as_results,
    differentiated,
    differentiated_one_side,
    chosen,
    chosen_without_default,
]
for program in programs:
    results[program.__name__] = operations(program)


def runs(make, feeds):
    with tf.Graph().as_default(), tf.Session() as sess:
        fetched = make()
        out = []
        for feed in feeds:
            try:
                out.append(sess.run(fetched, {name + ":0": value for name, value in feed.items()}))
            except tf.errors.OpError as error:
                out.append(type(error).__name__ + ": " + error.message.split("\n")[0])
        return out


both = [{"p": True, "x": 3.0}, {"p": False, "x": 3.0}]
four = [{"p": p, "q": q, "x": 1.5} for p in (True, False) for q in (True, False)]
for program, feeds in [
    (two_values, both),
    (nested, four),
    (nested_outer_values, four),
    (same_tensor_twice, both),
    (in_name_scope, both),
    (with_control, both),
    (differentiated, both),
    (differentiated_one_side, [{"p": p, "x": [1.0, 2.0]} for p in (True, False)]),
    (chosen, [{"x": 1.0, "y": 2.0}, {"x": 20.0, "y": 2.0}, {"x": 3.0, "y": 2.0}]),
    (chosen_without_default, [{"x": 1.0, "y": 2.0}, {"x": 2.0, "y": 1.0}, {"x": 1.0, "y": 1.0}]),
]:
    results[program.__name__ + ", runs"] = runs(program, feeds)

with tf.Graph().as_default(), tf.Session() as sess:
    p = tf.placeholder(tf.bool, [])
    v = tf.Variable(1.0)
    w = tf.Variable([1.0, 2.0])
    step = tf.Variable(0, trainable=False)
    counted = tf.assign_add(step, 1)
    update = tf.cond(p, lambda: tf.assign_add(v, 10.0), lambda: tf.assign(v, -1.0))
    grouped = tf.cond(
        p,
        lambda: tf.group(tf.assign_add(v, 1.0), tf.assign(w, [5.0, 6.0])),
        lambda: tf.group(tf.assign(v, 0.0)),
    )
    read = tf.cond(p, lambda: v + 1.0, lambda: tf.reduce_sum(w))
    # Made outside, so it runs whichever branch is taken.
    outside = tf.cond(p, lambda: tf.identity(counted), lambda: tf.constant(-1))
    inside = tf.cond(p, lambda: tf.identity(tf.assign_add(step, 100)), lambda: tf.constant(-1))
    sess.run(tf.global_variables_initializer())
    results["assign in branches"] = [sess.run(update, {p: c}) for c in (True, False, True)]
    sess.run(grouped, {p: True})
    results["group in branches"] = sess.run([v, w, read], {p: True})
    sess.run(grouped, {p: False})
    results["group in the other branch"] = sess.run([v, w, read], {p: False})
    results["made outside"] = [sess.run(outside, {p: c}) for c in (True, False, False)] + [sess.run(step)]
    results["made inside"] = [sess.run(inside, {p: c}) for c in (True, False, False)] + [sess.run(step)]

    loss = tf.cond(p, lambda: tf.square(v) * tf.reduce_sum(w), lambda: v * 3.0)
    gradients = tf.gradients(loss, [v, w])
    sess.run(tf.global_variables_initializer())
    results["gradients of variables"] = [sess.run(gradients, {p: c}) for c in (True, False)]
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    sess.run(train, {p: True})
    results["trained through true"] = sess.run([v, w])
    sess.run(train, {p: False})
    results["trained through false"] = sess.run([v, w])

with tf.Graph().as_default(), tf.Session() as sess:
    p = tf.placeholder(tf.bool, [])
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    shapes = tf.cond(p, lambda: tf.zeros([2, 3]), lambda: tf.zeros([4, 3]))
    results["static shape, common"] = str(shapes.get_shape())
    results["static shape, ranks differ"] = str(tf.cond(p, lambda: tf.zeros([2]), lambda: tf.zeros([])).get_shape())
    pair = tf.cond(p, lambda: {"a": x, "b": (x + 1.0, x[0])}, lambda: {"a": -x, "b": (x, x[1])})
    results["structure"] = sess.run([pair["a"], pair["b"][0], pair["b"][1]], {p: False})
    one = tf.cond(p, lambda: [x], lambda: [x * 2.0])
    results["list of one"] = [type(one).__name__, sess.run(one, {p: False})]
    strict = tf.cond(p, lambda: [x], lambda: [x * 2.0], strict=True)
    results["list of one, strict"] = [type(strict).__name__, sess.run(strict, {p: False})]
    known = tf.cond(tf.constant(True), lambda: x, lambda: x / 0.0)
    results["known predicate"] = sess.run(known)
    text = tf.cond(p, lambda: tf.constant("yes"), lambda: tf.constant("no"))
    results["strings"] = [sess.run(text, {p: c}) for c in (True, False)]
    from_python = tf.cond(p, lambda: 1, lambda: 2)
    results["python values"] = [sess.run(from_python, {p: c}) for c in (True, False)]
    flag = tf.reduce_all(x > 0.0)
    results["computed predicate"] = sess.run(tf.cond(flag, lambda: tf.reduce_sum(x), lambda: 0.0))
    chain = x
    for _ in range(4):
        chain = tf.cond(tf.reduce_sum(chain) < 30.0, lambda c=chain: c * 2.0, lambda c=chain: c + 0.5)
    results["chain"] = sess.run(chain)
    results["chain, gradient"] = sess.run(tf.gradients(chain, x)[0])
    shared = tf.matmul(x, x)
    deep = tf.cond(
        p,
        lambda: tf.cond(tf.reduce_sum(shared) > 50.0, lambda: shared, lambda: tf.cond(p, lambda: x, lambda: shared)),
        lambda: tf.cond(p, lambda: x * 0.0, lambda: tf.matmul(shared, x)),
    )
    results["deep"] = [sess.run(deep, {p: c}) for c in (True, False)]
    results["deep, gradient"] = [sess.run(tf.gradients(deep, x)[0], {p: c}) for c in (True, False)]
    second = tf.cond(p, lambda: x * x * x, lambda: x * x)
    first = tf.gradients(second, x)[0]
    results["second gradient"] = [sess.run(tf.gradients(first, x)[0], {p: c}) for c in (True, False)]
    called = []

    def record(value):
        called.append(value)
        return np.float32(value)

    lazily = tf.cond(
        p, lambda: tf.py_func(lambda: record(1), [], tf.float32), lambda: tf.py_func(lambda: record(2), [], tf.float32)
    )
    results["only one branch runs"] = [sess.run(lazily, {p: c}) for c in (True, False)] + [list(called)]
    in_both = tf.cond(p, lambda: shared + 1.0, lambda: shared - 1.0) + tf.cond(p, lambda: shared, lambda: x)
    results["predicate used twice"] = [sess.run(in_both, {p: c}) for c in (True, False)]
    results["fetched beside"] = sess.run([deep, shared, flag, text], {p: False})


def refused(make):
    with tf.Graph().as_default():
        try:
            make(tf.placeholder(tf.bool, []))
        except ValueError:
            return "ValueError"
        except TypeError:
            return "TypeError"
    return "fine"


def control_dependencies_in_branches():
    p, q, x = scalar("p", tf.bool), scalar("q", tf.bool), scalar("x")
    outside = tf.no_op("outside")

    def yes():
        inner = tf.no_op("inner")

        def deeper():
            with tf.control_dependencies([outside, inner]):
                return tf.constant(1.0)

        with tf.control_dependencies([x, p]):
            y = tf.identity(x)
        return tf.cond(q, deeper, lambda: y)

    def no():
        a = tf.constant(1.0)
        with tf.control_dependencies([a]), tf.control_dependencies(None):
            return x * 2.0

    with tf.control_dependencies([x]):
        return tf.cond(p, yes, no)


results["control_dependencies_in_branches"] = operations(control_dependencies_in_branches)
results["control dependencies in branches, runs"] = runs(control_dependencies_in_branches, four)

results["refused"] = [
    refused(lambda p: tf.cond(True, lambda: 1, lambda: 2)),
    refused(lambda p: tf.cond(p, 1, lambda: 2)),
    refused(lambda p: tf.cond(p, lambda: 1, lambda: 2.0)),
    refused(lambda p: tf.cond(p, lambda: [1, 2], lambda: [2])),
    refused(lambda p: tf.cond(p, lambda: None, lambda: 2)),
    refused(lambda p: tf.cond(p, lambda: 1)),
    refused(lambda p: tf.case([(1, lambda: 2)])),
    refused(lambda p: tf.case([(p, 2)])),
    refused(lambda p: tf.case(p)),
    refused(lambda p: tf.Session().run(tf.cond(p, lambda: tf.constant(1, name="in"), lambda: 2).op.inputs[0])),
]
