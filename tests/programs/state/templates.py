"""Templates: a function whose variables are made at the first call and shared by the later ones."""

import numpy as np
import tensorflow as tf

results = {}


def affine(x, units, scale=1.0):
    w = tf.get_variable("w", [x.get_shape()[-1].value, units], initializer=tf.constant_initializer(0.5))
    b = tf.get_variable("b", [units], initializer=tf.constant_initializer(0.25))
    return tf.add(tf.matmul(x, w) * scale, b, name="out")


layer = tf.make_template("layer", affine, units=3)
one = tf.constant(np.arange(4, dtype=np.float32).reshape(2, 2))
other = tf.constant(np.ones([1, 2], np.float32))

outputs = [layer(one), layer(other), layer(other, scale=2.0)]
results["one set of variables"] = [v.name for v in tf.global_variables()]
results["outputs"] = [y.name for y in outputs]

second = tf.make_template("layer", affine, units=1)
outputs.append(second(one))
with tf.variable_scope("outer"):
    third = tf.make_template("layer", affine, units=1, create_scope_now_=True)
    unique = tf.make_template("layer", affine, units=1, unique_name_="the_one")
outputs += [third(other), unique(other)]
results["all variables"] = [v.name for v in tf.global_variables()]
results["all outputs"] = [y.name for y in outputs]
results["scopes"] = [
    layer.variable_scope.name,
    second.variable_scope.name,
    third.variable_scope.name,
    layer.name,
]
results["its variables"] = [[v.name for v in t.variables] for t in (layer, second)]
results["its trainable variables"] = [v.name for v in layer.trainable_variables]


def nested(x):
    return tf.make_template("inner", affine, units=2)(tf.make_template("inner", affine, units=2)(x))


outer = tf.make_template("outer_template", nested)
outputs += [outer(one), outer(other)]
results["nested"] = [v.name for v in tf.global_variables() if v.name.startswith("outer_template")]


def fickle(x):
    return x + tf.get_variable("v%d" % len(calls), [], initializer=tf.zeros_initializer())


calls = []
unsteady = tf.make_template("unsteady", fickle)
unsteady(1.0)
calls.append(1)
try:
    unsteady(1.0)
except ValueError as error:
    results["new variable at the second call"] = type(error).__name__

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    results["values"] = sess.run(outputs)
    gradient = tf.gradients(tf.add_n([tf.reduce_sum(y) for y in outputs[:3]]), layer.trainable_variables)
    results["gradients of the shared variables"] = sess.run(gradient)
