"""Resizing by every method: values, gradients, types, shapes and what is refused."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(3)
results = {}
sess = tf.Session()
images = random.uniform(0, 1, [1, 5, 7, 2]).astype(np.float32)
wide = random.uniform(0, 1, [1, 4, 3, 17]).astype(np.float32)
raw = tf.raw_ops
SIZES = ([9, 4], [5, 7], [2, 13], [1, 1])


def fails(make, feed=None):
    try:
        sess.run(make(), feed)
    except Exception as error:
        return type(error).__name__
    return None


for op_type in ("ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor", "ResizeArea"):
    op = getattr(raw, op_type)
    ways = [{}, {"align_corners": True}]
    if op_type != "ResizeArea":
        ways.append({"half_pixel_centers": True})
    for way in ways:
        for size in SIZES:
            x = tf.constant(images)
            y = op(images=x, size=size, **way)
            key = "%s %s %s" % (op_type, sorted(way), size)
            results[key] = [sess.run(y), y.op.type]
            if op_type != "ResizeArea":
                weights = random.normal(size=y.shape.as_list())
                results[key + " slope"] = sess.run(tf.gradients(y * weights, x)[0])
    y = op(images=tf.constant(wide), size=[6, 5])
    results[op_type + " wide"] = sess.run(y)
    results[op_type + " uint8"] = sess.run(op(images=(images * 255).astype(np.uint8), size=[3, 9]))
    results[op_type + " empty"] = fails(lambda op=op: op(images=tf.constant(images), size=[0, 3]))
    results[op_type + " rank"] = fails(lambda op=op: op(images=tf.constant(images[0]), size=[2, 3]))
    results[op_type + " size"] = fails(lambda op=op: op(images=tf.constant(images), size=[2, 3, 4]))

for kernel in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
    for antialias in (False, True):
        x = tf.constant(images)
        y = raw.ScaleAndTranslate(
            images=x, size=[4, 9], scale=[0.7, 1.4], translation=[0.3, -0.5], kernel_type=kernel, antialias=antialias
        )
        weights = random.normal(size=y.shape.as_list())
        results["%s %s" % (kernel, antialias)] = [sess.run(y), sess.run(tf.gradients(y * weights, x)[0])]

double = tf.constant(images.astype(np.float64))
y = tf.image.resize_bilinear(double, [3, 3])
results["double"] = [y.dtype.name, sess.run(tf.gradients(y, double)[0])]

broken = images.copy()
broken[0, 2, 3, 1] = np.nan
results["not a number"] = np.isnan(sess.run(tf.image.resize_bicubic(tf.constant(broken), [9, 4])))
many = np.tile(random.uniform(size=[1, 64, 64, 3]).astype(np.float32), [50, 1, 1, 1])
for size in ([40, 48], [80, 90]):
    for method in range(4):
        y = tf.image.resize_images(tf.constant(many), size, method)
        results["many %s %d" % (size, method)] = sess.run(tf.reduce_mean(y, [1])[::49, ::8])
