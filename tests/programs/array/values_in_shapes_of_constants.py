"""Constants whose values are more, fewer or otherwise arranged than their shape, and ragged ones without values."""

import numpy as np
import tensorflow as tf

results = {}
values = {
    "number": 5,
    "one": [5],
    "one in a matrix": [[5]],
    "two": [1, 2],
    "array of one": np.ones(1),
    "matrix of one": np.ones([1, 1]),
    "array of two": np.ones(2),
    "empty list": [],
    "empty array": np.zeros([0, 2]),
    "list of anything": [None, "a"],
}
ways = {
    "constant": tf.constant,
    "verified": lambda value, shape: tf.constant(value, shape=shape, verify_shape=True),
    "constant of 2.x": lambda value, shape: tf.compat.v2.constant(value, shape=shape),
}


def outcome(make):
    try:
        made = make()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__
    return [made.dtype.name, str(made.shape)]


for name, value in sorted(values.items()):
    for shape in ([2, 2], [0, 3], [1], [2]):
        for way, function in sorted(ways.items()):
            if name == "list of anything" and 0 not in shape:
                continue  # The errors of Python lists of anything are another matter.
            results[f"{name}, {shape}, {way}"] = outcome(lambda: function(value, shape=shape))

ragged = [
    ([], {"ragged_rank": 1, "inner_shape": (7, 2)}),
    ([], {"ragged_rank": 2, "inner_shape": (4,)}),
    ([[], []], {"ragged_rank": 1, "inner_shape": (3,), "dtype": tf.string}),
    ([[[]]], {"inner_shape": (0,)}),
    ([], {"ragged_rank": 0, "inner_shape": (0, 3)}),
    ([], {"inner_shape": (2,)}),
    ([[[1, 2], [3, 4]]], {"ragged_rank": 1, "inner_shape": (4,)}),
    ([[[[1, 2]], [[3, 4]]]], {"ragged_rank": 1, "inner_shape": (2, 1)}),
]
for number, (rows, arguments) in enumerate(ragged):
    results[f"ragged {number}"] = outcome(lambda: tf.ragged.constant(rows, **arguments))
