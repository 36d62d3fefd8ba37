"""Items of lists and dicts that branches of a converted function write."""

import numpy as np
import tensorflow as tf

results = {}


class Owner:
    pass


def dict_item(x):
    found = {"a": x, "b": x}
    if x > 3:
        found["a"] = found["a"] * 10
        y = found["b"]
    else:
        y = -x
    return found["a"], y


def list_items(x):
    rows = [x, x]
    if x > 3:
        rows[0] = rows[0] * 10
    else:
        rows[1] = rows[1] * 5
    return rows


def chains(x):
    owner = Owner()
    owner.count, owner.found = x, {"k": {"inner": x}}
    if x > 3:
        owner.count += 1
        owner.found["k"]["inner"] *= 2
    return owner.count, owner.found["k"]["inner"]


def named_key(x):
    key = "a"
    found = {key: x}
    if x > 3:
        found[key] = x * 7
    return found["a"]


def nested(x):
    found = {"a": x}
    if x > 3:
        if x > 5:
            found["a"] = x + 100
        else:
            found["a"] = x + 50
    return found["a"]


def in_loop(x):
    for i in tf.range(2):
        found = {"a": x}
        if i > 0:
            found["a"] = x * 2
        x = found["a"]
    return x


def with_return(x):
    found = {"a": x}
    if x > 3:
        found["a"] = x * 2
        return found["a"]
    return -found["a"]


def of_python(x):
    found = {"count": 0}
    for _ in range(3):
        found["count"] += 1
    if found["count"] > 2:
        found["count"] = x
    return found["count"]


for function in (dict_item, list_items, chains, named_key, nested, in_loop, with_return, of_python):
    for kind, convert in (("converted", tf.autograph.to_graph), ("function", tf.function)):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.int32, [])
            out = convert(function)(x)
            results[f"{function.__name__} {kind}"] = np.array([sess.run(out, {x: n}) for n in (7, 4, 2)])


def magnitude(x):
    if x > 0:
        return x
    return -x


@tf.contrib.autograph.convert()
def halved(x):
    while x > 3:
        x //= 2
    return x


@tf.contrib.autograph.convert(recursive=True)
def through(x):
    numbers = []
    tf.contrib.autograph.set_element_type(numbers, tf.int32)
    for i in range(2):
        numbers.append(magnitude(x) + i)
    return tf.stack(tf.contrib.autograph.stack(numbers, strict=False))


@tf.contrib.autograph.convert()
def not_through(x):
    return magnitude(x)


with tf.Graph().as_default(), tf.Session() as sess:
    array = tf.TensorArray(tf.int32, 2).unstack([1, 2])
    results["decorated"] = sess.run(
        [halved(tf.constant(30)), through(tf.constant(-7)), tf.contrib.autograph.stack(array)]
    )
    refused = results["refused"] = [halved(30), halved.__name__]
    for call in (lambda: not_through(tf.constant(1)), lambda: tf.contrib.autograph.stack([1])):
        try:
            refused.append(str(call()))
        except (TypeError, ValueError) as error:
            refused.append(isinstance(error, ValueError))
