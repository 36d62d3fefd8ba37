"""The static shapes of what calls of functions give: those of the bodies, for the shapes of the arguments."""

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops

results = {}
x = tf.placeholder(tf.float32, [2, 3])
in_part = tf.placeholder(tf.float32, [None, 3])
of_any_size = tf.placeholder(tf.float32, [None, None])
of_any_rank = tf.placeholder(tf.float32)


def shapes(called, *args):
    called.add_to_graph(tf.get_default_graph())
    outputs = functional_ops.partitioned_call(list(args) + list(called.captured_inputs), called)
    return [output.op.type for output in outputs[:1]] + [str(output.shape) for output in outputs]


@function.Defun(tf.float32)
def squared(a):
    return tf.square(a)


@function.Defun(tf.float32)
def several(a):
    return tf.reduce_sum(a, 0), tf.reshape(a, [-1]), tf.concat([a, a], 0), tf.ones([2, 2])


@function.Defun(tf.float32)
def sized(a):
    return tf.reshape(a, [tf.shape(a)[1], -1]), tf.zeros(tf.shape(a)), tf.fill(tf.shape(a) + 1, 2.0)


for name, called in [("squared", squared), ("several", several), ("sized", sized)]:
    results[name] = [shapes(called, given) for given in (x, in_part, of_any_size)]
results["any rank"] = [shapes(squared, of_any_rank), shapes(several, of_any_rank)[1:3]]


# Sizes are known from values of the body, not from those of the arguments.
@function.Defun(tf.float32, tf.int32)
def reshaped(a, size):
    return tf.reshape(a, size), tf.reshape(a, [3, 2])


results["values"] = shapes(reshaped, x, tf.constant([3, 2]))


# A shape that the body gives its argument is not that of another argument.
@function.Defun(tf.float32)
def of_three(a):
    a.set_shape([None, 3])
    return tf.square(a), tf.placeholder_with_default(a, [None, 3])


results["set_shape"] = [shapes(of_three, given) for given in (x, of_any_size)]


@function.Defun(tf.float32)
def calling(a):
    return functional_ops.partitioned_call([a], squared) + [squared(a), tf.identity(a)]


results["calls in calls"] = [shapes(calling, given) for given in (x, in_part)]


@function.Defun(tf.float32)
def choosing(a):
    positive = tf.reduce_sum(a) > 0
    return tf.cond(positive, lambda: a, lambda: a + 1), tf.cond(positive, lambda: a, lambda: a[:1])


results["branches"] = [shapes(choosing, given) for given in (x, in_part)]


@function.Defun(tf.float32)
def going_round(a):
    same = tf.while_loop(lambda i, b: i < 3, lambda i, b: (i + 1, b * 2.0), [0, a])[1]
    longer = tf.while_loop(
        lambda i, b: i < 3,
        lambda i, b: (i + 1, tf.concat([b, b], 0)),
        [0, a],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
    )[1]
    return same, longer, tf.square(a)


results["loops"] = [shapes(going_round, given)[-1] for given in (x, in_part)]

variable = tf.get_variable("variable", [4, 5], use_resource=True)
vector = tf.placeholder(tf.float32, [7])


@function.Defun(tf.float32)
def capturing(a):
    return variable + 0.0, vector * 1.0, a * 1.0


results["captured"] = [shapes(capturing, given) for given in (x, in_part)]


@function.Defun(tf.resource)
def reading(handle):
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)


results["handles"] = shapes(reading, variable.handle)


# Fully known or not, the shape is that of the value.
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    fed = {in_part: np.ones([4, 3]), of_any_size: np.ones([3, 3]), vector: np.ones(7)}
    for name, called in [("branches", choosing), ("loops", going_round), ("captured", capturing), ("sized", sized)]:
        outputs = functional_ops.partitioned_call([in_part] + list(called.captured_inputs), called)
        values = session.run(outputs, fed)
        results[name + " that run"] = [list(value.shape) for value in values]
        results[name + " that fit"] = [
            output.shape.is_compatible_with(value.shape) for output, value in zip(outputs, values)
        ]
