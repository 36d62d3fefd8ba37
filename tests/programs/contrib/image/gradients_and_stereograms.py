"""Gradients through transforms of images, one for each image of a batch; stereograms; fingerprints of examples."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import image

results = {}
pixels = np.random.RandomState(2).rand(2, 6, 7, 2).astype(np.float32)
transforms = [[1.0, 0.1, 0.5, -0.1, 1.0, 1.0, 0.001, 0.0], [0.9, 0.0, -1.0, 0.2, 1.1, 0.0, 0.0, 0.002]]

for name, transformed in (
    ("rotated", lambda x: image.rotate(x, [0.3, -0.7], "BILINEAR")),
    ("rotated alike", lambda x: image.rotate(x, 0.4)),
    ("moved", lambda x: image.translate(x, [[1.5, 0.25], [-2.0, 1.0]], "BILINEAR")),
    ("transformed", lambda x: image.transform(x, transforms, "BILINEAR")),
    ("transformed alike", lambda x: image.transform(x, transforms[0])),
    ("one", lambda x: image.rotate(x[0], 0.2, "BILINEAR")),
):
    for known in (True, False):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, pixels.shape if known else None)
            if not known:
                x = tf.reshape(x, [-1, 6, 7, 2])
            y = transformed(x)
            grad = tf.gradients(tf.reduce_sum(tf.square(y) + y), x)[0]
            results["%s %s" % (name, known)] = sess.run([y, grad], {x: pixels})

# Unknown transforms.
with tf.Graph().as_default(), tf.Session() as sess:
    x, angles = tf.constant(pixels), tf.placeholder(tf.float32, [None])
    grad = tf.gradients(tf.reduce_sum(tf.square(image.rotate(x, angles, "BILINEAR"))), x)[0]
    results["fed angles"] = [sess.run(grad, {angles: given}) for given in ([0.1, 0.2], [0.3])]

# Stereograms have the sizes asked for, and black dots at the bottom.
with tf.Graph().as_default(), tf.Session() as sess:
    depth = tf.placeholder(tf.int32, [None, None])
    for name, options in (("grey", {}), ("coloured", {"number_colors": 300}), ("bare", {"convergence_dots_size": 0})):
        picture = image.single_image_random_dot_stereograms(
            depth, output_image_shape=[240, 60, 1], output_data_window=[200, 45], **options
        )
        pictures = [sess.run(picture, {depth: np.arange(12).reshape(3, 4)}) for _ in range(8)]
        columns = np.stack(pictures, -1).reshape(60, 240, -1)
        # Which columns of a row always have the same colour, by the first of them.
        alike = []
        for y in (5, 30, 50):
            first = {}
            alike.append([first.setdefault(columns[y, at].tobytes(), at) for at in range(240)])
        results["stereogram " + name] = {
            "static shape": picture.shape.as_list(),
            "shape": list(pictures[0].shape),
            "type": picture.op.type,
            "alike": alike,
            "always black": np.argwhere((columns == 0).all(-1)).sum(0),
        }

# Keys of examples.
with tf.Graph().as_default(), tf.Session() as sess:
    texts = [b"ab%d" % size * size for size in range(60)]
    results["fingerprints"] = sess.run(tf.train.sdca_fprint(texts))
