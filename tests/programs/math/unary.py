"""Element-wise functions of one tensor: values over their types, special values, shapes, names, gradients."""

import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
results = {}
nan, inf = float("nan"), float("inf")

reals = np.array([[0.3, -0.7, 0.0], [0.95, -0.2, 0.5]])
above_one = np.array([1.0, 1.5, 20.0])
positive = np.array([0.1, 1.0, 7.5])
complexes = np.array([0.3 + 0.4j, -1.2 + 0.5j, 2.0 - 1.0j])
ints = np.array([-7, 0, 3])
special = np.array([nan, inf, -inf, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, -2.0])

everywhere = [
    "abs", "negative", "sign", "square", "exp", "expm1", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "sigmoid", "erf", "erfc", "floor", "ceil", "round", "rint", "atanh",
]  # fmt: skip
of_positive = ["sqrt", "rsqrt", "reciprocal", "log", "log1p", "lgamma", "digamma"]
of_complex = [
    "abs", "negative", "sign", "square", "exp", "expm1", "sin", "cos", "sinh", "cosh", "tanh", "sigmoid", "sqrt",
    "rsqrt", "reciprocal", "log", "log1p", "asinh", "acosh", "atanh",
]  # fmt: skip
of_ints = ["abs", "negative", "sign", "square", "round"]
math_only = ["bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e"]


def function(name):
    return getattr(tf, name) if hasattr(tf, name) else getattr(tf.math, name)


def seen(y):
    return [sess.run(y), y.name, y.op.type, str(y.get_shape())]


with tf.Session() as sess:
    for names, values in ((everywhere + math_only, reals), (of_positive, positive), (["acosh"], above_one)):
        for name in names:
            for dtype in (np.float32, np.float64):
                results["%s %s" % (name, dtype.__name__)] = seen(function(name)(tf.constant(values.astype(dtype))))
    for name in of_complex:
        for dtype in (np.complex64, np.complex128):
            results["%s %s" % (name, dtype.__name__)] = seen(function(name)(tf.constant(complexes.astype(dtype))))
    for name in of_ints:
        for dtype in (np.int32, np.int64):
            results["%s %s" % (name, dtype.__name__)] = seen(function(name)(tf.constant(ints.astype(dtype))))
    for name in ("abs", "negative", "sign", "square", "floor", "ceil", "round", "rint", "sqrt"):
        results["half " + name] = seen(function(name)(tf.constant(np.array([1.5, 2.25, 0.0], np.float16))))
    for name in ("abs", "sign", "floor", "ceil", "round", "rint", "is_nan", "is_inf", "is_finite", "exp", "tanh"):
        results["special " + name] = sess.run(function(name)(tf.constant(special, tf.float32)))
    for name in ("lgamma", "digamma"):
        points = tf.constant([0.0, -1.0, -2.5, 3.0, inf, 1e-3, 100.0])
        results["special " + name] = sess.run(function(name)(points))

    # Shapes that are only known when run, and empty ones.
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.placeholder(tf.float32, None)
    for name in ("square", "exp", "negative", "abs"):
        results["fed " + name] = [
            str(function(name)(x).get_shape()),
            str(function(name)(y).get_shape()),
            sess.run(function(name)(x), {x: [[1.0, 2.0]]}),
            sess.run(function(name)(y), {y: np.zeros([0, 3])}),
        ]

    # Gradients, of the first and second order, in value and in the operations they are made of.
    graph = tf.get_default_graph()
    differentiable = {
        "abs negative square exp expm1 sin cos tan asin acos atan sinh cosh tanh asinh sigmoid erf erfc atanh": reals,
        "sqrt rsqrt reciprocal log log1p lgamma digamma": positive,
        "bessel_i0e bessel_i1e": reals,
        "acosh": above_one[1:],
    }
    for names in sorted(differentiable):
        for name in names.split():
            v = tf.constant(differentiable[names], name="at")
            before = len(graph.get_operations())
            first = tf.gradients(function(name)(v), v)
            results["ops of d " + name] = [
                [op.name, op.type, [t.name for t in op.inputs], sorted(c.name for c in op.control_inputs)]
                for op in graph.get_operations()[before:]
            ]
            if name in ("digamma", "bessel_i1e"):
                results["d " + name] = sess.run(first)
            else:
                second = tf.gradients(first, v)
                results["d " + name] = sess.run(first if second == [None] else first + second)
    for name in ["negative", "square", "exp", "sin", "cos", "tanh", "sqrt", "log", "reciprocal", "sigmoid"]:
        v = tf.constant(complexes.astype(np.complex64))
        loss = tf.reduce_sum(tf.abs(function(name)(v)))
        results["d |%s|, complex" % name] = sess.run(tf.gradients(loss, v))
    v = tf.constant(reals)
    results["d floor"] = str(tf.gradients(tf.floor(v), v))
    results["d sign"] = sess.run(tf.gradients(tf.sign(v), v))
    results["log_sigmoid"] = sess.run(tf.log_sigmoid(tf.constant([-100.0, 0.0, 3.0])))

    sparse = tf.SparseTensor([[0, 1], [2, 0]], [4.0, -9.0], [3, 2])
    results["sparse"] = [
        sess.run(f(sparse).values) for f in (tf.abs, tf.negative, tf.sign, tf.square, tf.tanh, tf.math.bessel_i0e)
    ]


def refused(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "nothing"


results["refused"] = {
    "sqrt of ints": refused(lambda: tf.sqrt([1, 2])),
    "exp of strings": refused(lambda: tf.exp("a")),
    "floor of ints": refused(lambda: tf.floor([1])),
    "is_nan of ints": refused(lambda: tf.is_nan([1])),
    "abs of bools": refused(lambda: tf.abs([True])),
}
