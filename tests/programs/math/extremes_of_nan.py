"""Maxima, minima and their places among NaNs, and the gradients of pools and rectifiers there."""

import numpy as np
import tensorflow as tf

results = {}
nan = np.nan
session = tf.Session()
random = np.random.RandomState(5)


def holed(*shape, dtype=np.float32, share=0.3):
    values = random.randn(*shape).astype(dtype)
    values[random.rand(*shape) < share] = nan
    return values


def note(name, tensors, feeds=None):
    results[name] = session.run(tensors, feeds)


for dtype in (np.float32, np.float64, np.float16):
    kind = np.dtype(dtype).name
    x = tf.placeholder(dtype)
    for shape, axis in [((1,), 0), ((2,), 0), ((40,), 0), ((5, 9), 0), ((5, 9), 1), ((3, 1), 1), ((2, 3, 4), (0, 2))]:
        for share in (0.3, 1.0):
            values = holed(*shape, dtype=dtype, share=share)
            key = "%s %s %s %s " % (kind, shape, axis, share)
            note(key + "max", tf.reduce_max(x, axis), {x: values})
            note(key + "min", tf.reduce_min(x, axis, keepdims=True), {x: values})
            if isinstance(axis, int):
                note(key + "argmax", tf.argmax(x, axis), {x: values})
                note(key + "argmin", tf.argmin(x, axis, output_type=tf.int32), {x: values})
    note(kind + " whole", [tf.reduce_max(x), tf.reduce_min(x)], {x: holed(6, 7, dtype=dtype)})
    note(kind + " top", tf.nn.top_k(x, 1), {x: holed(6, 7, dtype=dtype)})
    note(kind + " top of nothing else", tf.nn.top_k(x, 1), {x: np.full((2, 3), nan, dtype)})

wide = holed(40, 700)
note(
    "wide",
    [tf.reduce_sum(tf.argmax(wide, 0)), tf.reduce_sum(tf.argmin(wide, 1)), tf.reduce_sum(tf.reduce_max(wide, 1))],
)

x = tf.placeholder(tf.float32)
for rows in ([nan, 1, 2], [1, nan, 2], [2, nan, 1], [1, 2, nan], [nan, nan], [nan], [3, nan]):
    values = np.tile(np.array(rows, np.float32)[:, None], (1, 3))
    values[0, 1] = 4
    ids = np.zeros(len(rows), np.int32)
    note(
        "segments %s" % rows,
        [
            tf.segment_max(x, ids),
            tf.segment_min(x, ids + 1),
            tf.unsorted_segment_max(x, ids, 2),
            tf.unsorted_segment_min(x, ids, 2),
        ],
        {x: values},
    )

features = np.array([nan, nan, 1, -1, 0, 3], np.float32)
gradients = np.array([1, nan, nan, -2, 5, 7], np.float32)
for size in (6, 60000):
    y = tf.nn.relu(tf.constant(np.resize(features, size)))
    note("relu %d" % size, tf.gradients(y, y.op.inputs[0], np.resize(gradients, size))[0][:12])

for name, image in [("holes", holed(2, 6, 6, 3)), ("nothing else", np.full((1, 4, 4, 1), nan, np.float32))]:
    x = tf.constant(image)
    for window, stride, padding in [(2, 2, "VALID"), (2, 1, "VALID"), (3, 2, "SAME"), (2, 1, "SAME")]:
        key = "pool of %s %d %d %s " % (name, window, stride, padding)
        ksize, strides = [1, window, window, 1], [1, stride, stride, 1]
        y = tf.nn.max_pool(x, ksize, strides, padding)
        weights = tf.reshape(tf.range(1.0, tf.cast(tf.size(y), tf.float32) + 1), tf.shape(y))
        note(key, y)
        note(key + "gradient", tf.gradients(y, x, weights)[0])
        note(key + "both", [y, tf.gradients(y, x, weights)[0]])
        note(key + "places", tf.nn.max_pool_with_argmax(x, ksize, strides, padding))

large = holed(4, 64, 64, 4)
note("large pool", tf.reduce_sum(tf.nn.max_pool(large, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"), [1, 2]))
volume = holed(1, 4, 4, 4, 2)
note("volume", tf.nn.max_pool3d(volume, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID"))
