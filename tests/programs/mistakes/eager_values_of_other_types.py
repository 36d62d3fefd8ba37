"""Eagerly: which of two mistakes is told, a value that does not become the type asked for or a type without a kernel."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
tensors = {
    "texts": tf.constant(["a", "b"]),
    "integers": tf.constant([1, 2]),
    "booleans": tf.constant([True, False]),
    "floats": tf.constant([1.0, 2.0]),
}
values = {
    "number": 1,
    "list of floats": [1.5, 2.5],
    "text": "z",
    "booleans": [True],
    "nothing": None,
    "array": np.array([1.5]),
    "rows": [[1], [2, 3]],
}
functions = {
    "subtract": tf.subtract,
    "subtract from": lambda x, y: tf.subtract(y, x),
    "minimum": tf.minimum,
    "less": lambda x, y: y < x if isinstance(y, tf.Tensor) else tf.less(x, y),
    "floordiv": tf.floordiv,
    "atan2": tf.atan2,
    "clip": lambda x, y: tf.clip_by_value(x, y, y),
    "and": tf.logical_and,
    "and before": lambda x, y: tf.logical_and(y, x),
    "bits": tf.bitwise.bitwise_and,
    "where": lambda x, y: tf.where(x, y, y),
    "where of both": lambda x, y: tf.where(x, x, y),
    "concat": lambda x, y: tf.concat([x, y], 0),
    "add_n": lambda x, y: tf.add_n([x, y]),
    "join": lambda x, y: tf.strings.join([x, y]),
    "segments": tf.math.segment_sum,
}
for of, tensor in sorted(tensors.items()):
    for name, value in sorted(values.items()):
        for called, function in sorted(functions.items()):
            try:
                outcome = function(tensor, value).dtype.name
            except (TypeError, ValueError, tf.errors.OpError) as error:
                outcome = type(error).__name__
            results[f"{called}: {of}, {name}"] = outcome
