"""Element-wise functions of two tensors: broadcasting, integer division, special values, names, gradients."""

import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
results = {}
nan, inf = float("nan"), float("inf")
graph = tf.get_default_graph()
sess = tf.Session()


def named(name):
    return getattr(tf, name) if hasattr(tf, name) else getattr(tf.math, name)


def seen(y):
    return [sess.run(y), y.name, y.op.type, str(y.get_shape())]


def refused(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


# ---- values over types ----

left, right = np.array([[7, -7, 8], [1, 0, 5]]), np.array([2, -2, 3])
arithmetic = ["add", "subtract", "multiply", "squared_difference", "maximum", "minimum"]
division = ["divide", "truediv", "div", "floordiv", "floor_div", "floormod", "mod", "truncatemod"]
for dtype in (np.float16, np.float32, np.float64, np.int32, np.int64):
    for name in arithmetic + division:
        results["%s %s" % (name, dtype.__name__)] = seen(
            named(name)(tf.constant(left.astype(dtype)), tf.constant(right.astype(dtype)))
        )
for dtype in (np.uint8, np.int8, np.int16, np.uint16):
    a, b = np.array([200, 7, 3, 130]).astype(dtype), np.array([100, 2, 5, 7]).astype(dtype)
    for name in ("subtract", "multiply", "floordiv", "truncatediv", "truediv", "div"):
        results["%s %s" % (name, dtype.__name__)] = seen(named(name)(tf.constant(a), tf.constant(b)))
    if dtype is not np.uint16:
        results["add %s" % dtype.__name__] = seen(tf.add(tf.constant(a), tf.constant(b)))
for dtype in (np.complex64, np.complex128):
    a, b = np.array([1 + 2j, -3.5j]).astype(dtype), np.array([0.5 - 1j, 2]).astype(dtype)
    for name in ("add", "subtract", "multiply", "divide", "div", "pow", "div_no_nan", "xlogy", "xdivy"):
        results["%s %s" % (name, dtype.__name__)] = seen(named(name)(tf.constant(a), tf.constant(b)))
results["truncatediv"] = sess.run(tf.truncatediv([7, -7, 7, -7], [2, 2, -2, -2]))
results["realdiv"] = sess.run(tf.realdiv([7.0, -7.0], [2.0, 0.0]))
results["pow"] = [
    sess.run(tf.pow([2, 3, -2], [10, 0, 3])),
    sess.run(tf.pow([0.0, -8.0, -1.0, 2.0, inf], [0.0, 1 / 3.0, -3.0, -1.0, 0.0])),
    sess.run(tf.pow(tf.constant([2.0], tf.float64), 0.5)),
]
results["raw division"] = [
    sess.run(tf.raw_ops.Div(x=[7, -7, 7, -7], y=[2, 2, -2, -2])),
    sess.run(tf.raw_ops.Mod(x=[7, -7, 7, -7], y=[2, 2, -2, -2])),
]
results["strings"] = seen(tf.constant(["a", "b"]) + tf.constant(["c"])) + seen(tf.add("x", ["y", "z"]))

# ---- special values ----

numbers = tf.constant([nan, 1.0, inf, 0.0, -0.0, 1.0])
others = tf.constant([1.0, nan, inf, 0.0, 3.0, 0.0])
for name in ("maximum", "minimum", "divide", "floordiv", "floormod", "truncatemod", "div_no_nan", "multiply_no_nan",
             "xlogy", "xdivy", "pow", "squared_difference", "atan2"):  # fmt: skip
    results["special " + name] = sess.run(named(name)(numbers, others))
    results["special reversed " + name] = sess.run(named(name)(others, numbers))
results["nan against constants"] = sess.run(
    [tf.maximum(numbers, 0.0), tf.maximum(0.0, numbers), tf.minimum(2.0, numbers)]
)
results["floor of a rounded quotient"] = sess.run([tf.constant(1.0) // 0.1, tf.constant(-1e-10) % 3.0])
results["reciprocal_no_nan"] = sess.run(tf.math.reciprocal_no_nan([2.0, 0.0]))
results["nextafter"] = sess.run(
    tf.math.nextafter(tf.constant([1.0, 1.0], tf.float64), tf.constant([2.0, 0.0], tf.float64))
)

# ---- special functions ----

results["igamma"] = sess.run(tf.igamma([1.0, 0.0, -1.0, 2.0, 3.5], [1.0, 1.0, 1.0, -1.0, 2.0]))
results["igammac"] = sess.run(tf.igammac([1.0, 0.0, -1.0, 2.0, 3.5], [1.0, 1.0, 1.0, -1.0, 2.0]))
results["polygamma"] = sess.run(tf.polygamma([0.0, 1.0, 2.0, 1.5, -1.0], [1.0, 2.0, 3.0, 1.0, 1.0]))
results["zeta"] = sess.run(tf.zeta([2.0, 1.0, 0.5, 3.0, 2.0, 2.5], [1.0, 2.0, 3.0, -1.5, -2.0, -1.5]))
results["betainc"] = [
    sess.run(tf.betainc([1.0, 2.0, -1.0, 5.0], [1.0, 3.0, 1.0, 0.5], [0.3, 0.5, 0.3, 0.99])),
    sess.run(
        tf.betainc(tf.constant([[1.0], [20.0]], tf.float64), tf.constant(2.0, tf.float64), tf.constant(0.7, tf.float64))
    ),
]
results["igamma grad a"] = sess.run(
    tf.raw_ops.IgammaGradA(a=[0.1, 1.0, 3.5, 30.0, 5.0, 2.0], x=[0.2, 1.0, 2.0, 33.0, 0.0, 40.0])
)
results["lbeta"] = sess.run(tf.lbeta([[1.0, 2.0, 3.0], [0.5, 0.5, 4.0]]))
results["polyval"] = seen(tf.math.polyval([2.0, -1.0, 3.0], [1.0, 2.0]))

# ---- shapes ----

known = [[[2, 3], [3]], [[2, 1], [1, 3]], [[], [2]], [[None, 3], [3]], [[None], [None]], [None, [2]], [[None, 1], [4]],
         [[0, 3], [3]], [[2, 3], [2, 3]], [[None, 1], [None, 4]]]  # fmt: skip
results["static shapes"] = [
    str((tf.placeholder(tf.float32, a) * tf.placeholder(tf.float32, b)).get_shape()) for a, b in known
]
x, y = tf.placeholder(tf.float32, None, name="x"), tf.placeholder(tf.float32, None, name="y")
fed = [
    ([1.0, 2.0], [[1.0], [3.0]]),
    (np.zeros([0, 3]), np.ones([3])),
    (2.0, [1.0, 4.0]),
    (np.ones([2, 1, 2]), np.ones([3, 1])),
]
for name in ("add", "multiply", "maximum", "pow", "floordiv", "less", "equal", "div_no_nan"):
    z = named(name)(x, y)
    results["fed " + name] = [sess.run(z, {x: a, y: b}) for a, b in fed]
    results["clash " + name] = refused(lambda: sess.run(z, {x: [1.0, 2.0], y: [1.0, 2.0, 3.0]}))

# ---- comparisons and logic ----

comparisons = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
for name in comparisons:
    for dtype in (np.float32, np.int32, np.uint8, np.int8, np.int16, np.int64, np.float16):
        a, b = np.array([1, 2, 3]).astype(dtype), np.array([[2], [3]]).astype(dtype)
        results["%s %s" % (name, dtype.__name__)] = seen(named(name)(tf.constant(a), tf.constant(b)))
    results[name + " nan"] = sess.run(named(name)(numbers, others))
for name in ("equal", "not_equal"):
    results[name + " others"] = sess.run(
        [named(name)(["a", "b"], "a"), named(name)([True, False], True), named(name)([1 + 1j, 2], [1 + 1j, 3])]
    )
results["approximate"] = sess.run(tf.raw_ops.ApproximateEqual(x=[1.0, 2.0], y=[1.0005, 2.1], tolerance=0.01))
results["logical"] = [
    seen(f([True, False, True], [[True], [False]])) for f in (tf.logical_and, tf.logical_or, tf.logical_xor)
] + [seen(tf.logical_not([True, False]))]

# ---- bits ----

for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64):
    bits = np.dtype(dtype).itemsize * 8
    a, b = np.array([5, 1, 0]).astype(dtype), np.array([3, bits - 1, 1]).astype(dtype)
    if np.dtype(dtype).kind == "i":
        a[2] = -4
    else:
        a[2] = ~np.array(0, dtype)
    bitwise = tf.bitwise
    functions = [bitwise.bitwise_and, bitwise.bitwise_or, bitwise.bitwise_xor, bitwise.left_shift, bitwise.right_shift]
    results["bits %s" % dtype.__name__] = [sess.run(f(tf.constant(a), tf.constant(b))) for f in functions]
    results["invert %s" % dtype.__name__] = seen(bitwise.invert(tf.constant(a)))
    if bits < 32 or a.dtype.kind == "i":
        results["population %s" % dtype.__name__] = sess.run(tf.raw_ops.PopulationCount(x=a))
results["shifted far"] = sess.run(
    [tf.bitwise.left_shift([1, 1, 1, -1], [31, 32, -1, 1]), tf.bitwise.right_shift([1, -8, 1, -1], [31, 32, -1, 1])]
)

# ---- sums of many ----

several = [np.array([[1.0, 2.0]], np.float32) * i for i in range(5)]
results["add_n"] = [seen(tf.add_n(several[:n])) for n in (1, 2, 3, 5)]
results["add_n fed"] = sess.run(tf.add_n([x, y, x]), {x: [1.0, 2.0], y: [3.0, 4.0]})
results["add_n clash"] = refused(lambda: sess.run(tf.add_n([x, y]), {x: [1.0, 2.0], y: [3.0]}))
results["accumulate_n"] = seen(tf.accumulate_n(several))
results["add_n gradient"] = sess.run(tf.gradients(tf.add_n([x, x, y]), [x, y]), {x: [1.0, 2.0], y: [3.0, 4.0]})

# ---- refused ----

results["refused"] = {
    "shapes": refused(lambda: tf.ones([2]) + tf.ones([3])),
    "types": refused(lambda: tf.add(tf.constant(1), tf.constant(1.0))),
    "truediv types": refused(lambda: tf.truediv(tf.constant(1), tf.constant(1.0))),
    "float for int": refused(lambda: tf.constant(1) + 1.5),
    "strings": refused(lambda: tf.constant("a") * tf.constant("b")),
    "not of ints": refused(lambda: ~tf.constant(1)),
    "and of floats": refused(lambda: tf.constant(1.0) & tf.constant(1.0)),
    "bits of floats": refused(lambda: tf.bitwise.bitwise_and(1.0, 2.0)),
    "// 0": refused(lambda: sess.run(tf.constant([1, 2]) // tf.constant([0, 1]))),
    "% 0": refused(lambda: sess.run(tf.constant([1, 2]) % tf.constant([0, 1]))),
    "negative power": refused(lambda: sess.run(tf.pow([2, 3], [-1, 2]))),
    "add_n of nothing": refused(lambda: tf.add_n([])),
    "add_n shapes": refused(lambda: tf.add_n([tf.ones([2]), tf.ones([3])])),
    "scalar_mul": refused(lambda: tf.scalar_mul([1.0, 2.0], tf.ones([2]))),
}
try:
    tf.ones([2, 3]) + tf.ones([2, 4])
except ValueError as error:
    results["message"] = str(error)
