"""Colours in YIQ, matching of rows and columns, and connected regions."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.image.python.ops import distort_image_ops

image = tf.contrib.image
results = {}
rng = np.random.RandomState(0)
pixels = rng.rand(2, 3, 3).astype(np.float32)
distances = rng.rand(4, 5).astype(np.float32)
masks = rng.rand(2, 6, 7) > 0.4


def error_of(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return None


with tf.Session() as sess:
    adjusted = distort_image_ops.adjust_hsv_in_yiq(pixels, 0.4, 1.3, 0.8)
    results["adjusted"] = [adjusted.name, sess.run(adjusted)]
    results["adjusted_bytes"] = sess.run(
        distort_image_ops.adjust_hsv_in_yiq(np.uint8(pixels * 255), 0.4, 1.0, tf.constant(0.9))
    )
    results["unchanged"] = sess.run(distort_image_ops.adjust_hsv_in_yiq(pixels))
    results["random"] = sess.run(distort_image_ops.random_hsv_in_yiq(pixels, 0.3, 0.5, 1.5, 0.5, 2.0, seed=4))
    results["random_errors"] = [
        error_of(distort_image_ops.random_hsv_in_yiq, pixels, -1),
        error_of(distort_image_ops.random_hsv_in_yiq, pixels, 0, 2, 1),
        error_of(distort_image_ops.random_hsv_in_yiq, pixels, 0, 1, 1, -1),
        error_of(distort_image_ops.random_hsv_in_yiq, pixels, 0, 1, 1, 2, 1),
    ]
    for valid, top_k in [(-1, -1), (3, -1), (-1, 2), (2, 0), (4, 9)]:
        results["match_%d_%d" % (valid, top_k)] = list(sess.run(image.bipartite_match(distances, valid, top_k)))
    for name, pixels in [
        ("batch", masks),
        ("one", masks[0]),
        ("values", rng.randint(0, 3, (5, 5))),
        ("full", np.ones((2, 3), bool)),
        ("empty", np.zeros((2, 3), bool)),
        ("texts", np.array([["a", "a", ""], ["b", "a", "b"]])),
    ]:
        regions = image.connected_components(pixels)
        results["regions_%s" % name] = [regions.dtype.name, regions.shape.as_list(), sess.run(regions)]
    results["regions_error"] = error_of(image.connected_components, [True])
