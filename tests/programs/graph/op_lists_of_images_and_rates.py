"""The ops that learning rates in steps, connected regions and gradients of projective transforms make, and their values."""

import numpy as np
import tensorflow as tf

results = {}


def rate(x):
    return lambda: tf.train.piecewise_constant(x, [1, 2], [1.0, 0.5, 0.1])


def rate_of_resource():
    step = tf.get_variable("step", [], tf.int64, initializer=tf.zeros_initializer(), use_resource=True)
    return tf.train.piecewise_constant(step, [1, 2], [1.0, 0.5, 0.1])


def regions(pixels):
    return lambda: tf.contrib.image.connected_components(tf.constant(pixels))


def turned():
    images = tf.reshape(tf.range(12.0), [1, 3, 4, 1])
    transform = tf.constant([[1.0, 0.2, 0.5, -0.1, 1.0, 0.25, 0.0, 0.0]])
    moved = tf.contrib.image.transform(images, transform, "BILINEAR")
    return tf.gradients(moved * moved, images)[0]


pixels = np.array([[1, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 0]], bool)
uses = {
    "rate of a number": rate(2),
    "rate of a resource": rate_of_resource,
    "regions": regions(pixels),
    "regions of a batch": regions(np.stack([pixels, ~pixels])),
    "regions without background": regions(np.ones([2, 2], bool)),
    "only background": regions(np.zeros([2, 2], bool)),
    "turned": turned,
}
for name in sorted(uses):
    with tf.Graph().as_default() as graph:
        made = uses[name]()
        results["ops: " + name] = [op.name for op in graph.get_operations()]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            results["value: " + name] = session.run(made)
