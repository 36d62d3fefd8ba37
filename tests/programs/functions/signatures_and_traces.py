"""What functions with an input_signature take and refuse, and for which arguments functions of relaxed shapes are traced."""

import functools

import numpy as np
import tensorflow as tf
from tensorflow.python.eager import function

tf.compat.v1.enable_eager_execution()
tf.compat.v1.logging.set_verbosity("ERROR")
results = {}
ROW, NUMBER = tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)
WORDS = (
    "only pass arguments covered",
    "must be convertible to tensors",
    "incompatible with input_signature",
    "does not match input_signature",
    "must be either a tuple or a list",
    "possibly nested sequence of TensorSpec",
    "unexpected keyword argument",
    "Keyword arguments not supported",
    "outside of the function building code",
)


def outcome(call):
    try:
        value = call()
        return value.numpy().tolist() if isinstance(value, tf.Tensor) else "taken"
    except (TypeError, ValueError, NotImplementedError) as error:
        return type(error).__name__, [words for words in WORDS if words in str(error)]


@tf.function(input_signature=[ROW])
def row(x):
    return x * 2.0


given = [
    *(tf.constant([1.0]), [1.0, 2.0], np.array([1.0, 2.0])),
    *(tf.constant(1.0), tf.constant([1]), None, "a", (tf.constant([1.0]),), object()),
]
results["arguments"] = [outcome(lambda value=value: row(value)) for value in given]
results["too few"] = outcome(row)
results["too many"] = outcome(lambda: row(tf.constant([1.0]), 2))
results["by name"] = [outcome(lambda: row(x=tf.constant([1.0]))), outcome(lambda: row(y=tf.constant([1.0])))]
results["others by name"] = [
    outcome(lambda: row(tf.constant([1.0]), y=1)),
    outcome(lambda: function.defun(lambda x, **others: x, input_signature=[NUMBER])(tf.constant(1.0), k=2)),
]
results["signatures"] = [
    outcome(lambda signature=signature: tf.function(lambda x: x, input_signature=signature))
    for signature in (NUMBER, [1], ["a"], [tf.float32], {"x": NUMBER}, [[NUMBER] * 2], (NUMBER,))
]
part = functools.partial(lambda a, b, c=1.0: a + b * c, tf.constant(1.0), c=3.0)
results["parts"] = [
    outcome(lambda: tf.function(part)(2.0)),
    outcome(lambda: tf.function(part, input_signature=[NUMBER])(2.0)),
    outcome(lambda: tf.function(part, input_signature=[NUMBER])(b=tf.constant(5.0))),
]
wrapped = tf.compat.v1.wrap_function(lambda x: x + 1.0, [NUMBER])
results["wrapped"] = [outcome(lambda: wrapped(tf.constant(1.0))), outcome(lambda: wrapped(x=tf.constant(1.0)))]
leaked = []


@tf.function
def leaking(x):
    leaked.append(x + 1.0)
    return x


leaking(tf.constant(1.0))
results["leaked"] = [outcome(lambda: leaked[0] * 2.0), outcome(lambda: leaking(leaked[0]))]


def traced(maker, shapes):
    """The shapes that a function is traced for where it gets tensors of these shapes, and which calls traced it."""
    seen, calls = [], []

    def look(x, y=None):
        seen.append([str(x.shape), x.dtype.name, None if y is None else str(y.shape)])
        return x

    traced_function = maker(look, experimental_relax_shapes=True)
    for shape in shapes:
        before = len(seen)
        if isinstance(shape, tuple):
            traced_function(tf.ones(shape[0]), tf.ones(shape[1]))
        else:
            traced_function(
                tf.ones(shape if shape != "integers" else [1], tf.int32 if shape == "integers" else tf.float32)
            )
        calls.append(len(seen) - before)
    return seen, calls


for maker in (tf.function, function.defun):
    results["traces of %s" % maker.__name__] = [
        traced(maker, shapes)
        for shapes in (
            [[1], [2], [3], [4]],
            [[1], [2], [1], [2], [5], [1], [7]],
            [[1], [1, 2], [1, 3], [1, 4], [2, 2], [3]],
            [[2, 2], [2, 3], [2, 4], [3, 4], [3, 5], [2, 2]],
            [[1], "integers", [2], [3], "integers"],
            [([1], [2]), ([1], [3]), ([1], [4]), ([2], [4]), ([2], [5]), ([9], [9])],
            [[], [1], [2], [3]],
            [[1], [2], [1, 1], [3]],
        )
    ]


class Kept(tf.Module):
    @tf.function
    def twice(self, x):
        return x * 2.0


class NotHashed:
    __hash__ = None
    shape, dtype = [2], tf.float32


@tf.function
def two(value, **named):
    return 2


def told(call):
    try:
        return call().numpy().tolist()
    except (AttributeError, TypeError) as error:
        return type(error).__name__


kept = Kept()
results["name"] = isinstance(two.get_concrete_function(1).name, bytes)
results["values that are a part of a trace"] = [
    *(told(lambda: two({1, 2})), told(lambda: two([{1}, 2])), told(lambda: two(1, named={3}))),
    *(told(lambda: two(frozenset([1]))), told(lambda: two(bytearray(b"a"))), told(lambda: two(NotHashed()))),
    *(told(lambda: kept.twice(1.0)), told(lambda: Kept().twice(1.0))),
]


@tf.function
def with_default(x, y, z=1):
    return x * y + z


def class_of(call):
    try:
        return call().numpy()
    except (AssertionError, TypeError) as error:
        return type(error).__name__


results["too few"] = [
    *(class_of(lambda: with_default()), class_of(lambda: with_default(1)), class_of(lambda: with_default(1, 2))),
    *(class_of(lambda: with_default(1, y=2)), class_of(lambda: with_default(1, 2, 3, 4)), class_of(lambda: two())),
    class_of(lambda: with_default(1, 2, w=3)),
]
