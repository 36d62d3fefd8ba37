"""What ops refuse while executing eagerly, by class of error; Python functions called eagerly; sparse reshaping."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}


def refused(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return "nothing"


image = tf.ones([1, 4, 4, 2])
kernel = tf.ones([2, 2, 2, 3])
results["words"] = {
    "padding": refused(lambda: tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "valid")),
    "format": refused(lambda: tf.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", data_format="FOO")),
    "unit": refused(lambda: tf.substr("hello", 1, 2, unit="LETTER")),
    "buckets": refused(lambda: tf.string_to_hash_bucket_fast(["a"], 0)),
    "strides": refused(lambda: tf.nn.conv3d(tf.ones([1, 3, 3, 3, 2]), tf.ones([2, 2, 2, 2, 3]), [1, 1, 1], "VALID")),
    "block": refused(lambda: tf.space_to_depth(tf.ones([1, 2, 2, 1]), 1)),
    "join": refused(lambda: tf.string_join([])),
}
results["types"] = {
    "conv2d": refused(
        lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 2], tf.int32), tf.ones([2, 2, 2, 3], tf.int32), 1, "SAME")
    ),
    "relu": refused(lambda: tf.nn.relu(["a"])),
    "softmax": refused(lambda: tf.nn.softmax(tf.ones([2, 3], tf.int32))),
    "l2_loss": refused(lambda: tf.nn.l2_loss(tf.ones([3], tf.int32))),
    "number": refused(lambda: tf.string_to_number(["1"], tf.uint8)),
}

one = tf.constant([1.0])


def broken(x):
    raise ZeroDivisionError("division by zero")


results["raised"] = [
    refused(lambda: tf.py_func(broken, [one], tf.float32)),
    refused(lambda: tf.numpy_function(broken, [one], [])),
]
results["single"] = [
    tf.py_func(lambda x: x + 1, [one], [tf.float32]).numpy(),
    tf.py_func(lambda: 3, [], tf.float32).dtype.name,
]
results["several"] = [t.numpy() for t in tf.py_func(lambda x: (x, x * 2), [one], tf.float32)]
results["given"] = [
    tf.py_func(lambda s: type(s).__name__, [tf.constant(value)], tf.string).numpy() for value in (2.0, b"a", [1.0])
]
reshaped = tf.sparse.reshape(tf.SparseTensor([[1, 0], [0, 1]], [1, 2], [2, 2]), [4])
results["sparse"] = [reshaped.indices.numpy(), reshaped.dense_shape.numpy()]
results["ctc"] = tf.nn.ctc_loss_v2(
    tf.constant([[1, 2]]), tf.constant(np.arange(16, dtype=np.float32).reshape(4, 1, 4) / 7), [2], [4]
).numpy()
apart = tf.squared_difference(tf.constant([1 + 2j, 3 + 0j]), tf.constant([2 - 1j, 1 + 0j]))
results["complex"] = apart.numpy()
results["moments"] = [t.numpy() for t in tf.nn.moments(tf.constant([1 + 2j, 3 + 0j, 2 - 1j]), [0])]
