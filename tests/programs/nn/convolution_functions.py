"""The functions over convolutions: other numbers of dimensions, transposes, dilation by way of batches, separable filters."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(6)
results = {}


def numbers(*shape):
    return (random.randint(-8, 9, size=shape) / 8.0).astype(np.float32)


def check(key, make):
    """The value, the static shape and the operations of what `make` builds in a new graph, fed and constant."""
    with tf.Graph().as_default() as graph:
        out = make()
        built = ["%s: %s" % (op.name, op.type) for op in graph.get_operations()]
        with tf.Session() as sess:
            results[key] = [sess.run(out), str(out.get_shape()), built]


x1, x2, x3 = numbers(2, 9, 3), numbers(2, 9, 8, 3), numbers(1, 6, 5, 4, 2)
w1, w2, w3 = numbers(3, 3, 4), numbers(3, 2, 3, 4), numbers(2, 3, 2, 2, 3)
back1, back2, back3 = numbers(2, 5, 4), numbers(2, 5, 4, 4), numbers(1, 3, 3, 2, 3)

check("conv1d", lambda: tf.nn.conv1d(x1, w1, 2, "SAME"))
check("conv1d, input", lambda: tf.nn.conv1d(input=x1, filters=w1, stride=1, padding="VALID", dilations=2, name="c"))
check("conv1d_transpose", lambda: tf.nn.conv1d_transpose(back1, w1, [2, 9, 3], 2))
check("conv2d_transpose", lambda: tf.nn.conv2d_transpose(back2, w2, [2, 9, 8, 3], [1, 2, 2, 1]))
check("conv2d_transpose, tensor", lambda: tf.nn.conv2d_transpose(back2, w2, tf.stack([2, 9, 8, 3]), 2, name="up"))
check("conv3d", lambda: tf.nn.conv3d(x3, w3, [1, 2, 2, 2, 1], "SAME", name="c3"))
check("conv3d_transpose", lambda: tf.nn.conv3d_transpose(back3, w3, [1, 6, 5, 4, 2], [1, 2, 2, 2, 1]))
check("conv_transpose", lambda: tf.nn.conv_transpose(back2, w2, [2, 9, 8, 3], 2))
check("conv2d_backprop_input", lambda: tf.nn.conv2d_backprop_input([2, 9, 8, 3], w2, back2, [1, 2, 2, 1], "SAME"))
check("conv2d_backprop_filter", lambda: tf.nn.conv2d_backprop_filter(x2, [3, 2, 3, 4], back2, [1, 2, 2, 1], "SAME"))
check("convolution 1", lambda: tf.nn.convolution(x1, w1, "SAME"))
check("convolution 2", lambda: tf.nn.convolution(x2, w2, "VALID", strides=[2, 1], name="two"))
check("convolution 3", lambda: tf.nn.convolution(x3, w3, "SAME"))
check("convolution 1, dilated", lambda: tf.nn.convolution(x1, w1, "SAME", dilation_rate=[2]))
check("convolution 2, dilated", lambda: tf.nn.convolution(x2, w2, "SAME", dilation_rate=[2, 3], name="wide"))
check("convolution 2, one dilated", lambda: tf.nn.convolution(x2, w2, "VALID", dilation_rate=[1, 2]))
check("convolution 3, dilated", lambda: tf.nn.convolution(x3, w3, "VALID", dilation_rate=[2, 1, 2]))
check("atrous_conv2d", lambda: tf.nn.atrous_conv2d(x2, w2, 2, "SAME"))
check("atrous_conv2d of rate 1", lambda: tf.nn.atrous_conv2d(x2, w2, 1, "VALID"))
check("atrous transpose", lambda: tf.nn.atrous_conv2d_transpose(numbers(2, 9, 8, 4), w2, [2, 9, 8, 3], 2, "SAME"))
check("depthwise", lambda: tf.nn.depthwise_conv2d(x2, w2, [1, 2, 2, 1], "SAME"))
check("depthwise, dilated", lambda: tf.nn.depthwise_conv2d(x2, w2, [1, 1, 1, 1], "SAME", rate=[2, 2], name="d"))
check("separable", lambda: tf.nn.separable_conv2d(x2, numbers(3, 3, 3, 2), numbers(1, 1, 6, 4), [1, 1, 1, 1], "SAME"))
check(
    "separable, dilated",
    lambda: tf.nn.separable_conv2d(
        x2, numbers(3, 3, 3, 2), numbers(1, 1, 6, 4), [1, 1, 1, 1], "VALID", rate=[2, 2], name="s"
    ),
)
check("dilation2d", lambda: tf.nn.dilation2d(x2, numbers(3, 2, 3), [1, 2, 1, 1], [1, 1, 2, 1], "SAME"))
check("dilation2d, valid", lambda: tf.nn.dilation2d(x2, numbers(2, 2, 3), [1, 1, 1, 1], [1, 2, 2, 1], "VALID"))
check("erosion2d", lambda: tf.nn.erosion2d(x2, numbers(3, 2, 3), [1, 1, 1, 1], [1, 1, 1, 1], "SAME"))

sess = tf.Session()
fed = tf.placeholder(tf.float32, [None, None, None, 3])
wide = tf.nn.convolution(fed, w2, "SAME", dilation_rate=[2, 2])
results["dilated, fed"] = [str(wide.get_shape()), sess.run([wide] + tf.gradients(wide, [fed]), {fed: x2})]
count = tf.shape(fed)[0]
up = tf.nn.conv2d_transpose(fed, numbers(3, 3, 4, 3), [count, 18, 16, 4], 2)
results["transposed, fed"] = [str(up.get_shape()), sess.run([up] + tf.gradients(up, [fed]), {fed: x2})]
image, weights = tf.constant(x2), tf.constant(numbers(3, 2, 3))
for padding in ("SAME", "VALID"):
    out = tf.nn.dilation2d(image, weights, [1, 2, 2, 1], [1, 1, 2, 1], padding)
    results["dilation2d, gradients, " + padding] = sess.run(tf.gradients(out * out, [image, weights]))
whole = tf.constant(random.randint(-5, 6, size=[1, 4, 4, 2]).astype(np.int32))
results["dilation2d of integers"] = sess.run(tf.nn.dilation2d(whole, -whole[0, :2, :2], [1] * 4, [1] * 4, "SAME"))


def attempt(make):
    try:
        make()
    except (TypeError, ValueError) as error:
        return type(error).__name__ + ": " + str(error).split(" for '")[0]


results["errors"] = [
    attempt(lambda: tf.nn.convolution(x2, w2, "SAME", strides=[2, 2], dilation_rate=[2, 2])),
    attempt(lambda: tf.nn.convolution(x2, w2, "SAME", strides=[1, 2, 3])),
    attempt(lambda: tf.nn.atrous_conv2d_transpose(x2, w2, [2, 9, 8, 3], 2, "SAME")),
    attempt(lambda: tf.nn.conv_transpose(x2, w2, [2, 9], 2)),
    attempt(lambda: tf.nn.conv1d(x1, w1, 1, "SAME", data_format="WC")),
]
