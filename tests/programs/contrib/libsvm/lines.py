"""Lines of the LIBSVM format."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import libsvm

results = {}


def error_of(sess, lines):
    try:
        sess.run(libsvm.decode_libsvm(lines, num_features=4))
    except (ValueError, tf.errors.OpError) as error:
        return type(error).__name__
    return None


lines = ["1 1:3.4 2:0.5 3:0.231", "1 2:2.5 3:5.5 1:0.503", "-2 3:2.5 2:6.5 1:0.105", "3"]
with tf.Session() as sess:
    for name, content, options in [
        ("vector", lines, {}),
        ("matrix", np.reshape(lines, [2, 2]), {"dtype": tf.float64, "label_dtype": tf.float32}),
        ("whole", ["7 0:1 3:2", "8 5:1"], {"dtype": tf.int64, "label_dtype": tf.int32}),
    ]:
        features, labels = libsvm.decode_libsvm(content, num_features=4, **options)
        results[name] = sess.run([features.indices, features.values, features.dense_shape, labels])
        results[name + "_static"] = [labels.shape.as_list(), features.indices.shape.as_list(), labels.dtype.name]
    results["errors"] = [error_of(sess, [line]) for line in ["", "a 1:2", "1 1:b", "1 x:2", "1 2"]]
