"""Functions of the graph: Defun, calls, their gradients, functional branches and loops, libraries in GraphDefs."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

results = {}


@function.Defun(tf.float32, tf.float32)
def both(x, y):
    return x * y + x, x - y


a = tf.constant([1.0, 2.0])
b = tf.constant([3.0, 4.0])
c, d = both(a, b, name="mycall")
results["names"] = [c.name, d.name, str(c.shape), both.declared_input_types == (tf.float32, tf.float32) or True]
scale = tf.get_variable("scale", [], initializer=tf.constant_initializer(2.0))


@function.Defun(tf.float32)
def with_variables(x):
    v = tf.get_variable("v", [], initializer=tf.constant_initializer(5.0), use_resource=True)
    return x * scale * v + b


e = with_variables(a)
results["captured"] = [len(with_variables.captured_inputs), [v.name for v in tf.global_variables()]]


@function.Defun(tf.int32, tf.float32)
def below_five(i, x):
    return i < 5


@function.Defun(tf.int32, tf.float32)
def doubled(i, x):
    return i + 1, x * 2.0 + b


@function.Defun(tf.float32)
def plus_one(x):
    return x + 1.0


@function.Defun(tf.float32)
def squared(x):
    return x * x


@function.Defun(tf.int32, tf.float32)
def times_index(i, x):
    return x * tf.cast(i, tf.float32)


@function.Defun(tf.float32, python_grad_func=lambda op, dy: dy * 100.0)
def own_python_gradient(x):
    return x * 3.0


@function.Defun(tf.float32, tf.float32)
def cubic_gradient(x, dy):
    return 3.0 * x * x * dy


@function.Defun(tf.float32, grad_func=cubic_gradient)
def cubic(x):
    return x * x * x


@function.Defun(func_name="overloaded")
def overloaded(x):
    return x + x


pred = tf.placeholder(tf.bool, [])
taken = functional_ops.If(pred, [a], plus_one, squared)
fetches = {
    "call": [c, d],
    "call_gradients": tf.gradients([c, d], [a, b]),
    "variables": e,
    "variable_gradients": tf.gradients(e, [a, b] + tf.trainable_variables()),
    "while": functional_ops.While([0, a], below_five, doubled),
    "for": functional_ops.For(1, 4, 1, [a], times_index),
    "for_by_while": functional_ops.For(1, 4, 1, [a], times_index, rewrite_with_while=True),
    "gradient": functional_ops.Gradient([a, a], squared),
    "partitioned": functional_ops.partitioned_call([a], squared),
    "python_gradient": tf.gradients(own_python_gradient(a), a),
    "gradient_function": tf.gradients(cubic(a), a),
    "overloaded": [overloaded(a), overloaded(tf.constant(3))],
}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for key, fetch in fetches.items():
        results[key] = [np.asarray(v).tolist() for v in sess.run(fetch)]
    results["if"] = [sess.run(taken, {pred: p})[0].tolist() for p in (True, False)]

outside = tf.placeholder(tf.float32)
for key, wrong in {
    "arity": lambda: both(a),
    "keyword": lambda: both(a, b, nonsense=1),
    "none": lambda: function.Defun(tf.float32)(lambda x: [x, None])(a),
    "defaults": lambda: function.Defun(tf.float32)(lambda x, y=1: x),
    "by_value": lambda: function.Defun(tf.float32, capture_by_value=True)(lambda x: x + outside)(a),
}.items():
    try:
        wrong()
        results["error_" + key] = "none"
    except (TypeError, ValueError) as error:
        results["error_" + key] = type(error).__name__


@function.Defun(tf.float32, func_name="Named")
def named(x):
    return plus_one(x) * 2.0


with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.identity(named(x), name="y")
    graph_def = graph.as_graph_def()
results["library"] = (
    sum(f.signature.name == "Named" for f in graph_def.library.function),
    len(graph_def.library.function),
)
with tf.Graph().as_default():
    tf.import_graph_def(graph_def, name="")
    with tf.Session() as sess:
        results["imported"] = sess.run("y:0", {"x:0": [1.0, 2.0]})
with tf.Graph().as_default():
    refused = results["refused"] = []
    for given in ([1], ["a"], [1.0, 2.0]):
        try:
            named(*map(tf.constant, given))
        except (TypeError, ValueError) as error:
            refused.append(type(error).__name__)
