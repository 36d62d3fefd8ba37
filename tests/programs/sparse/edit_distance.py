"""Levenshtein's distance of sparse sequences."""

import numpy as np
import tensorflow as tf

results = {}


def sparse(rows, dtype):
    indices = [[i, j] for i, row in enumerate(rows) for j in range(len(row))]
    values = [item for row in rows for item in row]
    return tf.SparseTensor(
        np.reshape(indices, [-1, 2]), tf.constant(values, dtype), [len(rows), max(map(len, rows) or [0])]
    )


with tf.Session() as sess:
    one = sparse([[1, 2, 3], [], [4, 5], [7], []], tf.int64)
    other = sparse([[1, 3], [2], [4, 6, 5, 9], [], []], tf.int64)
    for normalize in (True, False):
        distance = tf.edit_distance(one, other, normalize)
        results["numbers %s" % normalize] = [
            sess.run(distance),
            distance.name,
            str(distance.shape),
            distance.dtype.name,
        ]
    words = sparse([list("kitten"), list("abc")], tf.string), sparse([list("sitting"), list("abc")], tf.string)
    results["words"] = sess.run(tf.edit_distance(words[0], words[1], normalize=False, name="d"))
    deep = tf.SparseTensor([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [1.0, 2.0, 3.0], [2, 2, 1])
    true = tf.SparseTensor([[0, 0, 0], [0, 1, 0], [1, 0, 1]], [1.0, 5.0, 2.0], [2, 2, 2])
    results["deep"] = sess.run(tf.edit_distance(deep, true))
    errors = []
    for first, second in ((one, deep), (tf.constant([1]), one), (one, [1])):
        try:
            sess.run(tf.edit_distance(first, second))
        except (TypeError, ValueError, tf.errors.InvalidArgumentError) as error:
            errors.append(type(error).__name__)
    results["errors"] = errors
