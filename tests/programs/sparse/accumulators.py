"""Accumulators of slices: which rows meet, what shape is given, and what is refused."""

import numpy as np
import tensorflow as tf

results = {}


def floats(x):
    return np.array(x, np.float32)


def accumulated(shape, *gradients, **settings):
    with tf.Graph().as_default(), tf.Session() as sess:
        accumulator = tf.SparseConditionalAccumulator(tf.float32, shape=shape, **settings)
        found = []
        for gradient in gradients:
            try:
                sess.run(accumulator.apply_grad(*gradient))
            except tf.errors.InvalidArgumentError as error:
                found.append(error.message.split("\n")[0])
        if sess.run(accumulator.num_accumulated()):
            found.append([np.asarray(part).tolist() for part in sess.run(accumulator.take_grad(1))])
        return found


rows = floats([[0, 1], [3, 0]])
# The shape is the accumulator's own, whatever gradients say.
for name, shape in (("any", ()), ("rank", [None, None]), ("unknown", None), ("rows", [5, 2]), ("fewer", [5])):
    results["shape, " + name] = accumulated(shape, ([0, 2], rows, [5, 2] if name in ("rows", "any") else None))
results["first tells"] = accumulated((), ([0, 2], rows, [3, 2]), ([0, 2], rows))
results["second tells"] = accumulated((), ([0, 2], rows), ([0, 2], rows, [3, 2]))
results["scalars"] = accumulated([], ([0], floats([1])), ([0], floats([1]), []))
results["deeper"] = accumulated([2, None], ([0], floats([[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]])))

# Rows that do not increase meet only where they are passed together.
for name, first, second in (
    ("increasing", [0, 1], [0, 2]),
    ("repeated before", [0, 0], [0, 1]),
    ("repeated after", [0, 1], [0, 0]),
    ("falling", [0, 1], [1, 0]),
    ("both falling", [3, 1], [3, 0]),
):
    for kind in ("MEAN", "SUM"):
        results["rows, %s, %s" % (name, kind)] = accumulated((), (first, rows), (second, rows), reduction_type=kind)

results["refused by sizes"] = accumulated(
    [3, 2],
    ([0, 3], rows),
    ([0, -1], rows),
    ([], floats(np.zeros([0, 3]))),
    ([0], floats(np.zeros([0, 2]))),
    ([0, 1], floats(np.zeros([1, 2]))),
    ([0], floats(np.zeros([2, 2]))),
    ([[0, 1], [1, 0]], floats([1, 2])),
    ([0], floats(1)),
)
results["refused by shapes"] = accumulated(
    [3, 2], ([0, 1], rows, [4, 2]), ([0, 1], rows, [3, 3]), ([0, 1], rows, [3]), ([0, 1], rows, [3, 2, 1])
)
results["refused by ranks"] = accumulated(
    [2, 2, None],
    ([0, 1], rows),
    ([0], floats([[[1, 2], [3, 4], [5, 6]]])),
    ([0], floats([[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]])),
    ([0], floats([[[1, 2], [3, 4]]])),
    ([0], floats([[[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]])),
)
