"""Convolutions of images and volumes and both halves of their gradients: paddings, strides, dilations, types, shapes."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(5)
results = {}


def numbers(*shape):
    return (random.randint(-8, 9, size=shape) / 8.0).astype(np.float32)


def names():
    return [(op.name, op.type) for op in tf.get_default_graph().get_operations()]


def attempt(make):
    try:
        return str(make().get_shape())
    except (TypeError, ValueError) as error:
        return type(error).__name__ + ": " + str(error).split(" for '")[0]


sess = tf.Session()

# Every padding, with odd and even windows, strides that leave a rest, and dilations.
images = numbers(2, 7, 8, 3)
cases = [
    ((3, 3), (1, 1), "SAME", (1, 1)),
    ((2, 3), (1, 1), "SAME", (1, 1)),
    ((3, 3), (2, 2), "SAME", (1, 1)),
    ((4, 2), (2, 3), "SAME", (1, 1)),
    ((1, 1), (2, 2), "SAME", (1, 1)),
    ((3, 2), (1, 1), "VALID", (1, 1)),
    ((2, 3), (3, 2), "VALID", (1, 1)),
    ((1, 1), (3, 3), "VALID", (1, 1)),
    ((3, 3), (1, 1), "SAME", (2, 2)),
    ((2, 2), (1, 1), "SAME", (3, 1)),
    ((2, 3), (1, 1), "VALID", (2, 2)),
]
for window, strides, padding, dilations in cases:
    key = str((window, strides, padding, dilations))
    x = tf.constant(images)
    w = tf.constant(numbers(window[0], window[1], 3, 4))
    y = tf.nn.conv2d(x, w, (1,) + strides + (1,), padding, dilations=(1,) + dilations + (1,))
    g = tf.constant(numbers(*y.get_shape().as_list()))
    grads = tf.gradients(y, [x, w], g) if dilations == (1, 1) else []  # there, not of dilated ones on a CPU
    results["conv2d " + key] = [str(y.get_shape())] + sess.run([y] + grads)
    results["conv2d shapes " + key] = [str(grad.get_shape()) for grad in grads]

explicit = tf.nn.conv2d(images, numbers(3, 3, 3, 2), 2, [[0, 0], [1, 2], [0, 1], [0, 0]])
results["explicit padding"] = [str(explicit.get_shape()), sess.run(explicit)]

# Shapes that only the step knows.
fed = tf.placeholder(tf.float32)
w = tf.constant(numbers(3, 2, 3, 4))
y = tf.nn.conv2d(fed, w, [1, 2, 2, 1], "SAME")
grads = tf.gradients(y, [fed, w])
results["unknown shape"] = [str(y.get_shape())] + sess.run([y] + grads, {fed: images})
batch = tf.placeholder(tf.float32, [None, 7, 8, 3])
y = tf.nn.conv2d(batch, w, [1, 1, 1, 1], "SAME")
grads = tf.gradients(tf.reduce_sum(y * y), [batch, w])
for size in (0, 1, 2):
    results["batch of %d" % size] = sess.run([y] + grads[:1], {batch: images[:size]})
results["batch, gradient of the filter"] = sess.run(grads[1], {batch: images})
results["batch, shapes"] = [str(t.get_shape()) for t in [y] + grads]

for dtype in (tf.float16, tf.float64):
    x, w = tf.cast(images, dtype), tf.cast(numbers(3, 3, 3, 2), dtype)
    y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
    results["conv2d " + dtype.name] = sess.run([y] + tf.gradients(y, [x, w]))

# Second order: every half is differentiated through the others.
x, w = tf.constant(images), tf.constant(numbers(3, 3, 3, 2))
y = tf.nn.conv2d(x, w, [1, 2, 2, 1], "SAME")
first = tf.gradients(tf.reduce_sum(y * y), [x, w])
results["second order"] = sess.run(tf.gradients(tf.reduce_sum(first[0] ** 2) + tf.reduce_sum(first[1] ** 2), [x, w]))

# Each channel by itself.
for window, stride, padding in (((3, 3), 1, "SAME"), ((2, 2), 2, "SAME"), ((3, 2), 1, "VALID"), ((3, 3), 2, "SAME")):
    x, w = tf.constant(images), tf.constant(numbers(window[0], window[1], 3, 2))
    y = tf.nn.depthwise_conv2d_native(x, w, [1, stride, stride, 1], padding)
    g = tf.constant(numbers(*y.get_shape().as_list()))
    key = "depthwise %s %s %s" % (window, stride, padding)
    results[key] = [str(y.get_shape())] + sess.run([y] + tf.gradients(y, [x, w], g))
x = tf.placeholder(tf.float32, [None, None, None, 3])
y = tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "SAME")
results["depthwise, unknown"] = [str(y.get_shape())] + sess.run([y] + tf.gradients(y, [x, w]), {x: images})

# Volumes.
volumes = numbers(1, 4, 5, 6, 2)
for window, stride, padding in (((2, 3, 2), 1, "SAME"), ((3, 2, 2), 2, "SAME"), ((2, 2, 3), 1, "VALID")):
    x, w = tf.constant(volumes), tf.constant(numbers(*(window + (2, 3))))
    y = tf.nn.conv3d(x, w, [1, stride, stride, stride, 1], padding)
    g = tf.constant(numbers(*y.get_shape().as_list()))
    grads = tf.gradients(y, [x, w], g)
    key = "conv3d %s %s %s" % (window, stride, padding)
    results[key] = [str(y.get_shape())] + sess.run([y] + grads) + [str(t.get_shape()) for t in grads]

P = tf.placeholder
unit = [1, 1, 1, 1]
f = tf.float32
results["errors"] = [
    attempt(lambda: tf.nn.conv2d(P(f, [1, 3, 3, 3]), P(f, [5, 5, 3, 2]), unit, "VALID")),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 9, 9, 3]), P(f, [5, 5, 4, 2]), unit, "VALID")),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 9, 9, 4]), P(f, [5, 5, 2, 3]), unit, "VALID")),
    attempt(lambda: tf.nn.conv2d(P(f, [9, 9, 3]), P(f, [5, 5, 4, 2]), unit, "VALID")),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 9, 9, 4]), P(f, [5, 5, 4, 2]), [1, 1, 1], "VALID")),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 9, 9, 4]), P(f, [5, 5, 4, 2]), [1, 0, 1, 1], "SAME")),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 9, 9, 4]), P(f, [5, 5, 4, 2]), unit, [[0, 0], [1, 1]])),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 9, 9, 4]), P(f, [5, 5, 4, 2]), unit, "EXPLICIT")),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 9, 9, 4]), P(f, [5, 5, 4, 2]), unit, [[1, 0], [1, 1], [0, 0], [0, 0]])),
    attempt(lambda: tf.nn.depthwise_conv2d_native(P(f, [1, 9, 9, 2]), P(f, [3, 3, 3, 4]), unit, "SAME")),
    attempt(lambda: tf.nn.conv3d(P(f, [1, 9, 9, 9, 2]), P(f, [3, 3, 3, 3, 4]), [1, 1, 1, 1, 1], "SAME")),
]
results["inferred"] = [
    attempt(lambda: tf.nn.conv2d(P(f, [None, None, 9, None]), P(f, [None, 5, None, None]), [1, 1, 2, 1], "VALID")),
    attempt(lambda: tf.nn.conv2d(P(f, [None, None, 9, None]), P(f, [None, 5, None, None]), [1, 1, 2, 1], "SAME")),
    attempt(lambda: tf.nn.conv2d(P(f), P(f), unit, "SAME")),
    attempt(lambda: tf.nn.conv2d(P(f, [1, 4, 9, 9]), P(f, [5, 5, 4, 2]), [1, 1, 2, 3], "SAME", data_format="NCHW")),
    attempt(
        lambda: tf.nn.conv2d_backprop_input(P(tf.int32, [4]), P(f, [5, 5, 4, 2]), P(f, [1, 9, 9, 2]), unit, "SAME")
    ),
    attempt(lambda: tf.nn.conv2d_backprop_filter(P(f, [1, 9, 9, 2]), [5, 5, 2, 3], P(f, [1, 9, 9, 3]), unit, "SAME")),
    attempt(lambda: tf.nn.depthwise_conv2d_native(P(f, [1, 9, 9, None]), P(f, [3, 3, 3, 4]), [1, 2, 1, 1], "SAME")),
]


def failure(make, feed=None):
    try:
        sess.run(make(), feed)
    except tf.errors.OpError as error:
        return type(error).__name__
    return "none"


results["run-time errors"] = [
    failure(lambda: tf.nn.conv2d(fed, numbers(3, 3, 4, 2), 1, "SAME"), {fed: images}),
    failure(lambda: tf.nn.conv2d_transpose(numbers(1, 4, 4, 4), numbers(3, 3, 3, 4), [1, 9, 8, 3], 2)),
    failure(lambda: tf.nn.conv2d(images, numbers(3, 3, 3, 2), unit, "SAME", dilations=[1, 1, 1, 2])),
]

tf.reset_default_graph()
x, w = P(f, [None, 8, 8, 3], "x"), P(f, [3, 3, 3, 4], "w")
tf.gradients(tf.nn.conv2d(x, w, 1, "SAME"), [x, w])
tf.gradients(tf.nn.depthwise_conv2d_native(x, w, unit, "SAME"), [x, w])
results["names"] = names()
