"""Conditions in traced functions: lists stay lists, predicates may have one element, and what is said of values that differ."""

import re

import tensorflow as tf

tf.compat.v1.enable_eager_execution()
results = {}


def said(function):
    """The class of an error and its last sentence, which TensorFlow puts below where the code was converted from."""
    try:
        function()
    except Exception as e:
        last = str(e).strip().split("\n")[-1].strip()
        return [
            type(e).__name__,
            re.sub("^[A-Za-z]*Error: ", "", last).split(" Use tf.map_fn")[0].split(" The value of")[0],
        ]
    return None


one = tf.constant(1)
two = tf.constant(2)


@tf.function
def choose(x):
    if x:
        return one
    else:
        return two


results["one element"] = [choose(tf.constant(p)).numpy() for p in (True, [True], [[False]])]


@tf.function
def listed(x):
    return tf.cond(x > 3, lambda: [x], lambda: [x + 1])


results["list"] = [type(listed(one)).__name__, listed(one)[0].numpy()]


@tf.function
def types(x):
    if x > 0:
        y = 1
    else:
        y = 1.0
    return y


@tf.function
def shapes(x):
    y = tf.zeros([1])
    for _ in tf.range(x):
        y = tf.concat([y, y], 0)
    return y


@tf.function
def loop_types(x):
    y = 0
    while x > 0:
        y = 1.5
        x -= 1
    return y


@tf.function
def undefined(x):
    if x > 0:
        y = x
    return y


def plain(x):
    return 1 if x else 2


@tf.function
def iterated(x):
    return [a for a in x]


results["said"] = [
    said(lambda: types(one)),
    said(lambda: shapes(one)),
    said(lambda: loop_types(one)),
    said(lambda: undefined(one)),
    said(lambda: tf.function(plain, autograph=False)(tf.constant(True))),
    said(lambda: iterated(tf.constant([1, 2]))),
]
with tf.Graph().as_default():
    results["graph"] = [said(lambda: bool(tf.constant(1))), said(lambda: list(tf.constant([1])))]
