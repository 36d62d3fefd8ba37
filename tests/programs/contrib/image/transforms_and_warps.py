"""tf.contrib.image and tf.contrib.resampler: transforms, rotation, warps, splines, gradients, refusals."""

import numpy as np
import tensorflow as tf

ci = tf.contrib.image
random = np.random.RandomState(4)
results = {}
sess = tf.Session()


def array(*shape):
    return random.uniform(0, 1, shape).astype(np.float32)


def fails(make):
    try:
        sess.run(make())
    except Exception as error:
        return type(error).__name__
    return None


images, one, gray = array(2, 6, 7, 3), array(5, 4, 3), array(5, 6)
for kind in ("NEAREST", "BILINEAR"):
    for name, value in (("batch", images), ("one", one), ("gray", gray), ("uint8", (images * 255).astype(np.uint8))):
        results["rotate %s %s" % (kind, name)] = sess.run(ci.rotate(value, 0.4, interpolation=kind))
        results["translate %s %s" % (kind, name)] = sess.run(ci.translate(value, [1.0, -2.5], kind))
    bent = [1.1, 0.2, -1.0, 0.1, 0.9, 0.5, 0.01, -0.02]
    results["transform " + kind] = sess.run(ci.transform(images, [bent, bent[::-1]], kind))
    results["sized " + kind] = sess.run(ci.transform(images, bent, kind, output_shape=[3, 9]))
    x = tf.constant(images)
    y = ci.transform(x, bent, kind)
    results["slope " + kind] = [sess.run(tf.gradients(y * array(2, 6, 7, 3), x)[0]), y.name, str(y.shape)]
results["angles"] = sess.run(ci.rotate(images, [0.3, -1.2]))
results["matrices"] = sess.run(
    [
        ci.angles_to_projective_transforms([0.1, 0.7], 5.0, 6.0),
        ci.compose_transforms([1.0, 0.1, 2.0, 0.0, 1.0, 3.0, 0.0, 0.0], bent),
    ]
)
results["refused"] = [
    fails(lambda: ci.rotate(array(3), 0.1)),
    fails(lambda: ci.rotate(np.int16([[1, 2], [3, 4]]), 0.1)),
    fails(lambda: ci.transform(images, [[bent]])),
    fails(lambda: ci.transform(images, [bent] * 3)),
    fails(lambda: ci.rotate(images, [[0.1]])),
]
x, flow = tf.constant(images), tf.constant(array(2, 6, 7, 2) * 4 - 2)
warped = ci.dense_image_warp(x, flow)
results["warped"] = [sess.run(warped), sess.run(tf.gradients(warped * array(2, 6, 7, 3), [x, flow]))]
train, values, query = array(2, 6, 2) * 5, array(2, 6, 3), array(2, 4, 2) * 5
for order in (1, 2, 3, 4):
    results["spline %d" % order] = sess.run(
        ci.interpolate_spline(*[p.astype(float) for p in (train, values, query)], order=order)
    )
results["smooth"] = sess.run(ci.interpolate_spline(train, values, query, 2, 0.1))
source = np.float32([[[1, 1], [3, 4], [5, 2]]] * 2)
for held in (0, 2):
    results["sparse %d" % held] = sess.run(ci.sparse_image_warp(images, source, source + 0.5, num_boundary_points=held))

places = tf.constant(array(2, 5, 2) * 9 - 1)
y = tf.contrib.resampler.resampler(x, places)
results["resampled"] = [sess.run(y), str(y.shape), y.name, sess.run(tf.gradients(y * array(2, 5, 3), [x, places]))]
results["resampled wrong"] = fails(lambda: tf.contrib.resampler.resampler(images, array(3, 5, 2)))
