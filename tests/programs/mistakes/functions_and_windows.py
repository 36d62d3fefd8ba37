"""What is refused late: calls of traced functions, windows that leave nothing, branches and loops inside of functions."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
C = tf.constant


def ones(*shape):
    return np.ones(shape, np.float32)


def traced(function, spec=None, **settings):
    return tf.function(function, **settings).get_concrete_function(*([] if spec is None else [spec]))


def in_function(function):
    with tf.Graph().as_default():
        return tf.function(function, autograph=False)() is None


def run(make, feed=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        made = make()
        sess.run(tf.global_variables_initializer())
        return sess.run(made, feed)


def fed(dtype, value, make=tf.identity):
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(dtype, [None])
        return sess.run(make(x), {x: value})


def doubled(x):
    return x * 2.0


def iterated(x):
    for _ in x:
        pass
    return x


def collected(x):
    items = []
    for item in x:
        items.append(item)
    return items


def stacked(x):
    items = []
    for item in x:
        items.append(item)
    return tf.stack(items)


def either(x):
    if x > 0:
        z = [x]
    else:
        z = x
    return z


def slices(function):
    return run(lambda: function(tf.Variable([1.0, 2.0, 3.0]), [[0, 1]], [1.0]))


pair = tf.TensorSpec([2], tf.float32)
on = [1, 1, 1, 1]
image, small = ones(1, 5, 5, 1), ones(1, 2, 2, 1)
CASES = {
    "another shape": lambda: traced(doubled, pair)(C([1.0, 2.0, 3.0])),
    "another shape wrapped": lambda: tf.compat.v1.wrap_function(doubled, [pair])(C([1.0, 2.0, 3.0])),
    "another type": lambda: traced(doubled, pair)(C([1, 2])),
    "two specs for one": lambda: tf.function(doubled, input_signature=[pair] * 2)(C([1.0, 2.0])),
    "iterated number": lambda: tf.function(iterated)(C(1)),
    "collected in a loop": lambda: tf.function(collected)(C([1, 2])),
    "stacked from a loop": lambda: tf.function(stacked)(C([1, 2])),
    "list and tensor": lambda: tf.function(either)(C(1)),
}
for padding in ("conv2d", "depthwise_conv2d"):
    operation = getattr(tf.nn, padding)
    CASES[padding + " less by one"] = lambda op=operation: op(small, ones(3, 3, 1, 1), on, "VALID").numpy()
    CASES[padding + " less by two"] = lambda op=operation: op(small, ones(4, 4, 1, 1), on, "VALID").numpy()
for name in ("max_pool", "avg_pool"):
    operation = getattr(tf.nn, name)
    CASES[name + " less by one"] = lambda op=operation: op(small, [1, 3, 3, 1], on, "VALID").numpy()
    CASES[name + " one side"] = lambda op=operation: op(ones(1, 2, 5, 1), [1, 3, 3, 1], on, "VALID").numpy()
    CASES[name + " less by two"] = lambda op=operation: op(small, [1, 4, 4, 1], on, "VALID").numpy()
CASES["places"] = lambda: tf.nn.max_pool_with_argmax(small, [1, 3, 3, 1], on, "VALID")[1].numpy()
CASES["stride"] = lambda: tf.nn.conv2d(small, ones(6, 6, 1, 1), 3, "VALID").numpy()
for name, sizes in {
    "ksizes": [[1, 2, 2, 2], on, on],
    "strides": [on, [2, 1, 1, 1], on],
    "rates": [on, on, [1, 1, 1, 2]],
}.items():
    CASES["patches made: " + name] = lambda s=sizes: run(
        lambda: tf.extract_image_patches(image, *s, padding="SAME") is None or []
    )
    CASES["patches: " + name] = lambda s=sizes: tf.extract_image_patches(image, *s, padding="SAME")
for name in ("update", "add", "sub"):
    CASES["slices " + name] = lambda name=name: slices(getattr(tf, "scatter_nd_" + name))
BRANCHES = {
    "types": (lambda: C(1), lambda: C(1.0)),
    "counts": (lambda: C(1), lambda: (C(1), C(2))),
    "structures": (lambda: {"a": C(1)}, lambda: [C(1)]),
    "keys": (lambda: {"a": C(1)}, lambda: {"b": C(1)}),
    "one of none": (lambda: C(1), lambda: None),
    "none": (lambda: None, lambda: None),
    "list": (lambda: [C(1)], lambda: C(1)),
    "text": (lambda: C("a"), lambda: C(1)),
    "shapes": (lambda: C([1]), lambda: C([1, 2])),
}
for name, branches in BRANCHES.items():
    CASES["branches: " + name] = lambda b=branches: in_function(lambda: tf.cond(C(True), *b))
    CASES["branches of a graph: " + name] = lambda b=branches: run(lambda: tf.cond(C(True), *b))
LOOPS = {
    "type": (lambda i: i < 3, lambda i: C(1.0)),
    "condition of none": (lambda i: None, lambda i: i),
    "body of none": (lambda i: i < 3, lambda i: None),
    "count": (lambda i: i < 3, lambda i: (i, i)),
}
for name, (condition, body) in LOOPS.items():
    CASES["loops: " + name] = lambda c=condition, b=body: in_function(lambda: tf.while_loop(c, b, [C(0)]))
for value in ([300], [-1], [2**40], [2**70], [1.5]):
    CASES["fed %s" % value] = lambda v=value: fed(tf.uint8, v)
for value in ([1], [1.5], [None], ["a", 3], [[1]]):
    CASES["fed for texts %s" % value] = lambda v=value: fed(tf.string, v, tf.strings.length)
for name, size in {"number": 2, "negative": -1, "text": ["a"], "none": [None], "list": [2]}.items():
    CASES["shape of a constant: " + name] = lambda s=size: run(lambda: C(1, shape=s))
CASES["constant slope"] = lambda: run(lambda: (lambda x: tf.hessians(tf.reduce_sum(x), x))(C([1.0, 2.0])))


def trained(train):
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    return train(model)


CASES["batch of other targets"] = lambda: trained(lambda m: m.train_on_batch(ones(2, 3), ones(2, 2)))
CASES["batch without targets"] = lambda: trained(lambda m: m.test_on_batch(ones(2, 3)))
CASES["ragged lists"] = lambda: trained(lambda m: m.fit([[1, 2, 3], [1, 2]], ones(2, 3), verbose=0))
CASES["numbers and texts"] = lambda: ones(2) * C("a")


def outcome(make):
    """The class of the error, or what is made."""
    try:
        made = make()
    except Exception as error:
        return type(error).__name__
    return np.asarray(made) if isinstance(made, np.ndarray) else "made"


for name in sorted(CASES):
    results[name] = outcome(CASES[name])
