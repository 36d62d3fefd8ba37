"""Half squares, Poisson losses, averages, biases and the layers made of them."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(7)
square = random.normal(size=[4, 3])

with tf.Session() as sess:
    for dtype in (tf.float32, tf.float64):
        x = tf.constant(square, dtype)
        y = tf.nn.l2_loss(x)
        results["l2 " + dtype.name] = sess.run([y, tf.gradients(y, x)[0]]) + [str(y.get_shape())]
        counts = tf.constant([[0.0, 0.5, 1.0], [2.0, 3.0, 20.0], [1.0, 1.0, 1.0], [0.0, 4.0, 7.0]], dtype)
        for full in (False, True):
            y = tf.nn.log_poisson_loss(counts, x, compute_full_loss=full)
            results["poisson %s %s" % (dtype.name, full)] = sess.run([y, tf.gradients(y, x)[0]])
        for rank, data_format in ((2, None), (2, "NHWC"), (3, "NHWC"), (4, "NHWC"), (4, "NCHW"), (5, "NDHWC")):
            shape = [2, 3, 4, 5, 3][: rank - 1] + [3] if data_format != "NCHW" else [2, 3, 4, 5]
            value = tf.constant(random.normal(size=shape), dtype)
            bias = tf.constant([1.0, 2.0, 3.0], dtype)
            y = tf.nn.bias_add(value, bias, data_format=data_format)
            g = tf.gradients(y * y, [value, bias])
            again = tf.gradients(g[1] * tf.constant([1.0, 2.0, 3.0], dtype), value)
            results["bias %s %s %s" % (dtype.name, rank, data_format)] = sess.run([tf.reduce_sum(y, [0]), g[1], again])
        results["layers " + dtype.name] = sess.run(
            [tf.nn.xw_plus_b(x, tf.transpose(x), weights) for weights in [tf.constant([1.0, 2.0, 3.0, 4.0], dtype)]]
            + [tf.nn.relu_layer(x, tf.transpose(x), tf.constant([1.0, 2.0, 3.0, 4.0], dtype))]
        )
    for dtype in (tf.int32, tf.int64, tf.uint8, tf.int16, tf.complex64, tf.float16):
        results["bias of " + dtype.name] = sess.run(
            tf.nn.bias_add(tf.constant([[1, 2], [3, 4]], dtype), tf.constant([5, 6], dtype))
        )
    value, bias = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.bias_add(value, bias)
    results["fed"] = [str(y.get_shape()), sess.run(y, {value: np.ones([2, 2, 2]), bias: [1, 2]})]
    results["fed badly"] = []
    for feeds in (
        {value: np.ones([2, 2]), bias: [1]},
        {value: [1, 2], bias: [1, 2]},
        {value: np.ones([2, 2]), bias: [[1, 2]]},
    ):
        try:
            sess.run(y, feeds)
        except tf.errors.InvalidArgumentError:
            results["fed badly"].append("InvalidArgumentError")
    results["average"] = sess.run(
        [
            tf.nn.compute_average_loss([1.0, 2.0, 3.0]),
            tf.nn.compute_average_loss([1.0, 2.0, 3.0], sample_weight=[0.0, 1.0, 2.0]),
            tf.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=10),
            tf.nn.scale_regularization_loss([1.0, 2.0]),
        ]
    )

results["shapes"] = [
    str(tf.nn.bias_add(tf.placeholder(tf.float32, [None, None]), tf.zeros([3])).get_shape()),
    str(tf.nn.bias_add(tf.placeholder(tf.float32, [None, None, 2, 2]), tf.zeros([3]), "NCHW").get_shape()),
]
results["refused"] = []
for bad in (
    lambda: tf.nn.bias_add([1.0], [1.0]),
    lambda: tf.nn.bias_add([[1.0, 2.0]], [1.0]),
    lambda: tf.nn.bias_add([[1.0, 2.0]], [[1.0, 2.0]]),
    lambda: tf.nn.bias_add([[1.0]], [1.0], data_format="CHWN"),
    lambda: tf.nn.l2_loss([1, 2]),
    lambda: tf.nn.log_poisson_loss([1.0], [1.0, 2.0]),
):
    try:
        bad()
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["refused"].append(type(error).__name__)

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w, b = tf.zeros([3, 2]), tf.zeros([2])
    tf.gradients(tf.nn.bias_add(tf.matmul(x, w), b), [x, w, b])
    y = tf.nn.xw_plus_b(x, w, b)
    tf.nn.relu_layer(x, w, b, name="layer")
    tf.gradients(tf.nn.l2_loss(y), x)
    tf.nn.log_poisson_loss(x, x, True)
    g = tf.gradients(tf.nn.bias_add(x, [1.0, 2.0, 3.0]), tf.nn.bias_add(x, [1.0, 2.0, 3.0]))
    z = tf.nn.bias_add(x, [1.0, 2.0, 3.0], "NHWC")
    bias = z.op.inputs[1]
    tf.gradients(tf.gradients(z * z, bias)[0], x)
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
