"""Python's operators on tensors: what they compute, which ops they make, and which they refuse."""

import operator

import numpy as np
import tensorflow as tf

results = {}
floats = np.array([7.0, -7.0, 2.5], np.float32), np.array([2.0, 2.0, -0.5], np.float32)
ints = np.array([7, -7, 8], np.int32), np.array([2, 2, -3], np.int32)
bools = np.array([True, True, False]), np.array([True, False, False])

arithmetic = ["add", "sub", "mul", "truediv", "floordiv", "mod"]
compared = ["lt", "le", "gt", "ge"]
logical = ["and_", "or_", "xor"]


def seen(y):
    return [sess.run(y), y.op.type, y.name, y.dtype.name]


with tf.Session() as sess:
    for kind, (left, right), names in (
        ("float", floats, arithmetic + compared),
        ("int", ints, arithmetic + compared),
        ("bool", bools, logical),
    ):
        a, b = tf.constant(left, name=kind + "_a"), tf.constant(right, name=kind + "_b")
        for name in names:
            function = getattr(operator, name)
            results["%s %s" % (kind, name)] = seen(function(a, b))
            if name not in logical:
                results["%s %s, array left" % (kind, name)] = seen(function(left.tolist(), b))
                results["%s %s, number right" % (kind, name)] = seen(function(a, 2))
    a, b = tf.constant(floats[0], name="p"), tf.constant(floats[1], name="q")
    results["pow"] = seen(abs(a) ** b)
    results["pow, number left"] = seen(2.0**b)
    results["negative"] = seen(-a)
    results["absolute"] = seen(abs(a))
    results["invert"] = seen(~tf.constant(bools[0]))
    results["__div__ of ints"] = seen(tf.constant(ints[0]).__div__(tf.constant(ints[1])))
    matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="m")
    results["matmul"] = seen(operator.matmul(matrix, matrix))
    augmented = a
    augmented += b
    augmented **= 2
    augmented /= 4
    results["augmented"] = seen(augmented)

    # Slices: every form NumPy has for basic indexing, and tensors as bounds.
    cube = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    x = tf.constant(cube, name="cube")
    i = tf.constant(1, name="i")
    slices = {
        "one": x[1], "last": x[-1], "range": x[1:3], "step": x[:, ::2], "backwards": x[::-1, ::-2], "all": x[:],
        "ellipsis": x[..., 1], "middle": x[0, ..., 2], "newaxis": x[:, tf.newaxis, 1], "mixed": x[1, 1:-1, ::2],
        "tensor": x[i], "tensor bounds": x[:, i : i + 2], "empty": x[2:1], "beyond": x[1:100],
    }  # fmt: skip
    for name in sorted(slices):
        results["slice, " + name] = seen(slices[name]) + [str(slices[name].get_shape())]
    results["rows in turn"] = [str(row.get_shape()) for row in tf.unstack(x)]

y = tf.constant(1.0)


def refused(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = {
    "as a bool": refused(lambda: bool(y)),
    "if": refused(lambda: 1 if y else 2),
    "and": refused(lambda: y and y),
    "iteration": refused(lambda: list(y)),
    "mixed dtypes": refused(lambda: tf.constant(1) + tf.constant(1.0)),
    "too many indices": refused(lambda: y[0, 0]),
    "float index": refused(lambda: tf.zeros([3])[1.5]),
    "logical and of floats": refused(lambda: y & y),
}
results["equality is identity"] = [
    y == y,
    y == tf.constant(1.0),
    y != y,
    len({y, y}),
    y in [tf.constant(1.0)],
]
results["printed"] = [repr(matrix), str(tf.matmul(matrix, matrix)), repr(tf.placeholder(tf.int32, name="n"))]
