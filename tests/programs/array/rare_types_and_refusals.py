"""Kernels for rare types, second derivatives of eigenvalues, and what is refused before anything is fed."""

import numpy as np
import tensorflow as tf

results = {}
session = tf.Session()


def error_of(build):
    try:
        session.run(build())
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return type(error).__name__
    return "none"


# Constants of quantized types, which are structures to NumPy.
three, five, unit = (tf.constant(np.array((n,), tf.qint8.as_numpy_dtype)) for n in (3, 5, 1))
results["filled"] = session.run(tf.bitcast(tf.raw_ops.Fill(dims=[2], value=three), tf.int8))
results["one hot"] = session.run(
    tf.bitcast(tf.raw_ops.OneHot(indices=[0, 2], depth=3, on_value=five, off_value=unit), tf.int8)
)

# Eigenvalues that are apart, of a matrix that is diagonal already.
matrix = tf.constant(np.diag([2.0, 0.5, 1.0]))
values, vectors = tf.self_adjoint_eig(matrix)
first = tf.gradients(
    tf.reduce_sum(values * [1.0, 2.0, 3.0]) + tf.reduce_sum(tf.square(vectors) * [[1.0, 2.0, 4.0]]), matrix
)
second = tf.gradients(tf.reduce_sum(first[0] * np.arange(9.0).reshape(3, 3)), matrix)
results["finite second derivatives"] = bool(np.isfinite(session.run(second[0])).all())

# Each stack has a name of its own, whatever it was called.
one, other = (tf.raw_ops.Stack(elem_type=tf.float32, stack_name="foo") for _ in range(2))
names = session.run([one, other])
results["stacks"] = [names[0].shape, bool(names[0][1] == names[1][1])]

# A handle that is an argument is no variable that the function uses.
variable = tf.get_variable("v", [2], use_resource=True)


@tf.custom_gradient
def updated(handle, value):
    with tf.control_dependencies([tf.raw_ops.ResourceScatterUpdate(resource=handle, indices=[0], updates=value)]):
        again = tf.identity(handle)
    return again, lambda grad: [grad, None]


results["handle"] = updated(variable.handle, tf.constant([1.0])).dtype.name

images, filters = tf.placeholder(tf.float32, [2, 6, 6, 3]), tf.placeholder(tf.float32, [3, 3, 3, 2])
steps = tf.placeholder(tf.float32, [2, 3, 4, 2])
below, in_batch = [[0, 0], [-1, 0], [0, 0], [0, 0]], [[1, 0], [0, 0], [0, 0], [0, 0]]
for name, padding in ("below 0", below), ("in the batch", in_batch):
    results[name] = [
        error_of(lambda: tf.nn.conv2d_backprop_input([2, 6, 6, 3], filters, steps, [1, 1, 1, 1], padding)),
        error_of(lambda: tf.nn.conv2d_backprop_filter(images, [3, 3, 3, 2], steps, [1, 1, 1, 1], padding)),
        error_of(lambda: tf.nn.conv2d(images, filters, [1, 1, 1, 1], padding)),
    ]
results["too much padding"] = error_of(lambda: tf.pad(tf.zeros([2, 3]), [[2**30, 2**31 - 1], [0, 0]]))
results["inner shape"] = error_of(lambda: tf.ragged.constant([1, 2], inner_shape=(1,)))
