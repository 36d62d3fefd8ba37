"""Python's control flow over tensors, converted by tf.autograph."""

import tensorflow as tf

results = {}


def error_of(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "none"


def collatz(n):
    steps = 0
    while n > 1:
        if tf.equal(n % 2, 0):
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def relu_or_tanh(x, use_relu):
    if use_relu:
        y = tf.nn.relu(x)
    else:
        y = tf.tanh(x)
    return tf.reduce_sum(y) if tf.reduce_sum(y) > 0 else -1.0


def clipped(x, low, high):
    if x < low:
        return low
    if x > high:
        return high
    return x


def evens(n):
    total = 0
    for i in tf.range(n):
        if i > 7:
            break
        if i % 2 > 0:
            continue
        total += i
    return total


def in_range(x, low, high):
    return (x > low and x < high) or not x < 100.0


def dot(rows, weights):
    total = 0.0
    for row in rows:
        total += tf.reduce_sum(row * weights)
    return total


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def over_dataset(dataset):
    total, count = tf.constant(0, tf.int64), 0
    for item in dataset:
        if item > 2:
            total += item
            count += 1
    return total, count


class Model(object):
    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        if x > 0:
            self.calls = self.calls + 1
            return x
        return -x


def state_of_object(x):
    model = Model()
    y = model(x)
    return y, model.calls


def undefined(x):
    if x > 0:
        y = x
    return y


def types(x):
    if x > 0:
        y = 1
    else:
        y = 2.0
    return y


def not_before(n):
    i = 0
    while i < n:
        last = i
        i += 1
    return last


def returning(n):
    i = 0
    while i < n:
        if i > 2:
            return i
        i += 1
    return i


def shapes(n):
    x = tf.ones([1])
    for _ in tf.range(n):
        x = tf.concat([x, x], 0)
    return x


to_graph = tf.autograph.to_graph
with tf.Graph().as_default(), tf.Session() as sess:
    number = tf.placeholder(tf.int32, [])
    steps = to_graph(collatz)(number)
    results["collatz"] = [sess.run(steps, {number: n}) for n in (1, 6, 27)]
    results["evens"] = [sess.run(to_graph(evens)(number), {number: n}) for n in (0, 5, 20)]
    results["fibonacci"] = [sess.run(to_graph(fibonacci)(number), {number: n}) for n in (0, 10)]
    results["fibonacci of a number"] = to_graph(fibonacci)(10)
    x = tf.placeholder(tf.float32, [])
    y = to_graph(clipped)(x, -1.0, 2.0)
    slope = tf.gradients(y, x)[0]
    results["clipped"] = [sess.run([y, slope], {x: v}) for v in (-3.0, 0.5, 7.0)]
    flag = tf.placeholder(tf.bool, [])
    values = tf.constant([[-1.0, 2.0], [0.5, -3.0]])
    chosen = to_graph(relu_or_tanh)(values, flag)
    results["chosen"] = [
        chosen.op.type,
        chosen.dtype.name,
        sess.run(chosen, {flag: True}),
        sess.run(chosen, {flag: False}),
    ]
    results["chosen by Python"] = sess.run(to_graph(relu_or_tanh)(values, True))
    inside = to_graph(in_range)(x, 0.0, 1.0)
    results["in range"] = [sess.run(inside, {x: v}) for v in (-1.0, 0.5, 3.0, 200.0)]
    results["dot"] = sess.run(to_graph(dot)(values, tf.constant([2.0, 3.0])))
    results["dot gradient"] = sess.run(tf.gradients(to_graph(dot)(values, tf.constant([2.0, 3.0])), values)[0])
    dataset = tf.data.Dataset.range(6)
    results["over a dataset"] = sess.run(to_graph(over_dataset)(dataset))
    results["object"] = [sess.run(to_graph(state_of_object)(tf.constant(v))) for v in (3, -3)]
    element = tf.data.Dataset.range(4).map(lambda v: v * 10 if v > 1 else -v).make_one_shot_iterator().get_next()
    results["mapped"] = [sess.run(element) for _ in range(4)]
    results["errors"] = [
        error_of(lambda: to_graph(undefined)(x)), error_of(lambda: to_graph(types)(x)),
        error_of(lambda: to_graph(not_before)(number)), error_of(lambda: to_graph(returning)(number)),
        error_of(lambda: to_graph(shapes)(number)), error_of(lambda: to_graph(len)), error_of(lambda: to_graph(3)),
        error_of(lambda: collatz(number)),
    ]  # fmt: skip
    results["code"] = [isinstance(tf.autograph.to_code(collatz), str), "while_stmt" in tf.autograph.to_code(collatz)]

    @tf.autograph.experimental.do_not_convert
    def plain(x):
        return isinstance(x, tf.Tensor)

    results["plain"] = to_graph(lambda v: plain(v))(x)
