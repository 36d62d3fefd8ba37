"""Gradients of the broadcasting functions: values and the very operations TensorFlow makes of them."""

import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")
results = {}
graph = tf.get_default_graph()
sess = tf.Session()


def named(name):
    return getattr(tf, name) if hasattr(tf, name) else getattr(tf.math, name)


names = [
    "add", "subtract", "multiply", "divide", "div", "truediv", "realdiv", "maximum", "minimum",
    "squared_difference", "pow", "floormod", "div_no_nan", "multiply_no_nan", "xlogy", "xdivy", "atan2",
    "igamma", "igammac",
]  # fmt: skip
first, second = np.array([[0.5, 2.0, 3.0], [1.5, 0.1, 0.7]]), np.array([1.3, 0.4, 3.1])
pairs = {
    "same": (first, first + 0.25, (2, 3), (2, 3)),
    "vector": (first, second, (2, 3), (3,)),
    "scalar": (first, np.array(0.8), (2, 3), ()),
    "column": (first[:, :1], second, (2, 1), (3,)),
    "unknown batch": (first, second, (None, 3), (3,)),
    "unknown": (first, second, None, None),
}
for name in names:
    for kind in sorted(pairs):
        if name == "atan2" and kind != "same":
            continue  # 1.15 builds a gradient of the wrong shape
        a, b, shape_a, shape_b = pairs[kind]
        for dtype in (tf.float32, tf.float64):
            x, y = tf.placeholder(dtype, shape_a, name="x"), tf.placeholder(dtype, shape_b, name="y")
            before = len(graph.get_operations())
            z = named(name)(x, y)
            grads = tf.gradients(z, [x, y])
            key = "%s %s %s" % (name, kind, dtype.name)
            if (dtype == tf.float64 and name not in ("multiply", "xlogy")) or kind not in ("same", "vector", "unknown"):
                recorded = []
            else:
                recorded = graph.get_operations()[before:]
            results["ops " + key] = [
                [op.name, op.type, [t.name for t in op.inputs], sorted(c.name for c in op.control_inputs)]
                for op in recorded
            ]
            if dtype == tf.float64:
                fetches = grads
                if kind in ("vector", "unknown batch") and name not in ("igamma", "igammac", "floormod"):
                    fetches = grads + tf.gradients([grads[0] * 2.0, grads[1]], [x, y])
                results[key] = sess.run([g for g in fetches if g is not None], {x: a, y: b})

for name, a, b in (("zeta", [2.0, 3.0], [1.5, 0.7]), ("polygamma", [1.0, 2.0], [1.5, 0.7])):
    x, y = tf.constant(a), tf.constant(b)
    grads = tf.gradients(named(name)(x, y), [x, y])
    results[name] = [str(grads[0]), sess.run(grads[1])]
x = tf.constant([0.2, 0.6], tf.float64)
results["betainc"] = sess.run(
    tf.gradients(tf.betainc(tf.constant(2.0, tf.float64), tf.constant(3.5, tf.float64), x), x)
)

# Complex numbers.
re, im = tf.constant([0.3, -1.2]), tf.constant([[0.5], [2.0]])
z = tf.complex(re, im)
results["complex parts"] = sess.run(
    tf.gradients(tf.real(z) * 2.0 + tf.imag(z) * 3.0 + tf.angle(z) + tf.abs(z), [re, im])
)
w = tf.constant([1.0 - 2.0j, 0.5 + 1.0j], tf.complex64)
for name in ("add", "subtract", "multiply", "divide", "pow"):
    results["complex " + name] = sess.run(tf.gradients(tf.abs(named(name)(z, w)), [re, im]))
results["conj"] = sess.run(tf.gradients(tf.imag(tf.conj(z)), [re, im]))

# Choosing.
condition = tf.constant([True, False])
for name, t in (("rows", tf.constant([[1.0, 2.0], [3.0, 4.0]])), ("elements", tf.constant([1.0, 2.0]))):
    e = tf.ones_like(t)
    before = len(graph.get_operations())
    y = tf.where(condition, t * 2.0, e * 3.0)
    grads = tf.gradients(y, [t, e])
    results["select " + name] = sess.run([y] + grads)
    results["ops of select " + name] = [[op.name, op.type] for op in graph.get_operations()[before:]]
t, e = tf.constant([[1.0], [2.0]]), tf.constant([5.0, 6.0, 7.0])
y = tf.where_v2([[True, False, True]], t, e)
results["select with broadcasting"] = sess.run([y] + tf.gradients(y, [t, e]))

# Casting.
x = tf.constant([1.5, 2.5])
results["cast"] = sess.run(tf.gradients(tf.cast(x, tf.float64) * 3.0, x))
results["cast to ints"] = str(tf.gradients(tf.cast(x, tf.int32), x))
results["cast to complex"] = sess.run(tf.gradients(tf.abs(tf.cast(x, tf.complex64)), x))
