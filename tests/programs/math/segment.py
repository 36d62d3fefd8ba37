"""Segment reductions sorted, unsorted and of picked rows; scans; histograms and counts."""

import numpy as np
import tensorflow as tf

random = np.random.RandomState(7)
results = {}
sess = tf.Session()


def names(make):
    with tf.Graph().as_default() as graph:
        make()
        return [[o.name, o.type] for o in graph.get_operations()]


def fails(make, feed=None):
    try:
        sess.run(make(), feed)
    except Exception as error:
        return type(error).__name__
    return None


data = random.normal(size=[5, 3])
ids = np.array([0, 0, 2, 2, 3], np.int32)
loose = np.array([3, 0, -1, 3, 1], np.int64)
weights = random.normal(size=[5, 3]).astype(np.float32)
segments, slopes = {}, {}
for dtype in ("float32", "float64", "float16", "int32", "int64", "uint8", "int16", "uint16", "int8"):
    x = tf.constant(np.abs(data * 4).astype(dtype))
    for kind in ("sum", "mean", "prod", "min", "max"):
        segments["%s %s" % (kind, dtype)] = sess.run(getattr(tf, "segment_" + kind)(x, ids))
        if kind != "mean":
            y = getattr(tf, "unsorted_segment_" + kind)(x, loose, 5)
            segments["unsorted %s %s" % (kind, dtype)] = sess.run(y)
z = tf.constant(data + 1j * data[::-1])
segments["complex"] = sess.run([tf.segment_prod(z, ids), tf.unsorted_segment_sum(z, loose, 4), tf.segment_mean(z, ids)])
x = tf.constant(data.astype(np.float32))
for kind in ("sum", "mean", "min", "max"):
    y = getattr(tf, "segment_" + kind)(x, ids)
    slopes[kind] = sess.run(tf.gradients(y * weights[:4], x)[0])
for kind in ("sum", "prod", "min", "max", "mean", "sqrt_n"):
    y = getattr(tf, "unsorted_segment_" + kind)(x, loose, 5)
    segments["unsorted " + kind] = sess.run(y)
    slopes["unsorted " + kind] = sess.run(tf.gradients(y * weights, x)[0])
    nested = getattr(tf, "unsorted_segment_" + kind)(x, [[0, 1, 1]] * 5, 2)
    segments["nested " + kind] = [sess.run(nested), str(nested.get_shape())]
    slopes["nested " + kind] = sess.run(tf.gradients(nested, x)[0])
zeros = tf.constant([[0.0, 2.0], [0.0, 3.0], [4.0, 0.0]])
slopes["products with zeros"] = sess.run(tf.gradients(tf.unsorted_segment_prod(zeros, [0, 0, 0], 1), zeros)[0])
picked = [4, 0, 0, 2]
for kind in ("sum", "mean", "sqrt_n"):
    f = getattr(tf, "sparse_segment_" + kind)
    y = f(x, picked, [0, 0, 1, 3])
    segments["sparse " + kind] = [sess.run(y), str(y.get_shape())]
    slopes["sparse " + kind] = sess.run(tf.gradients(y * weights[:4], x)[0])
    y = f(x, np.array(picked, np.int64), [0, 0, 1, 3], num_segments=5)
    segments["sparse, numbered " + kind] = [sess.run(y), str(y.get_shape())]
    slopes["sparse, numbered " + kind] = sess.run(tf.gradients(y * weights, x)[0])
segments["empty"] = sess.run(
    [
        tf.segment_sum(tf.zeros([0, 2]), tf.zeros([0], tf.int32)),
        tf.unsorted_segment_max(tf.zeros([0, 2]), np.zeros([0], np.int32), 1),
    ]
)
results["segments"], results["gradients"] = segments, slopes
number = tf.placeholder(tf.int32, [])
fed = tf.placeholder(tf.float32)
results["shapes"] = [
    str(t.get_shape())
    for t in (
        tf.segment_sum(x, ids),
        tf.segment_sum(fed, ids),
        tf.unsorted_segment_sum(x, loose, number),
        tf.unsorted_segment_sum(fed, loose, 3),
        tf.unsorted_segment_sum(tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.int32, [None]), 3),
    )
]
results["fed"] = sess.run(tf.unsorted_segment_sum(fed, loose, number), {fed: data, number: 4})
results["segment errors"] = [
    fails(lambda: tf.segment_sum([1.0, 2.0], [1, 0])),
    fails(lambda: tf.segment_sum([1.0, 2.0], [-1, 0])),
    fails(lambda: tf.segment_sum([1.0, 2.0, 3.0], [0, 0])),
    fails(lambda: tf.segment_sum(x, [[0]])),
    fails(lambda: tf.unsorted_segment_sum([1.0, 2.0], [1, 5], 3)),
    fails(lambda: tf.unsorted_segment_sum(x, [0, 1], 3)),
    fails(lambda: tf.unsorted_segment_sum(x, loose, number), {number: -1}),
    fails(lambda: tf.sparse_segment_sum(x, [9], [0])),
    fails(lambda: tf.sparse_segment_sum(x, [1], [3], num_segments=2)),
]


def gradient_of(make, shape):
    def build():
        source = tf.placeholder(tf.float32, shape)
        tf.gradients(make(source), source)

    return build


results["created"] = {
    "sum": names(gradient_of(lambda s: tf.segment_sum(s, ids), [5, 2])),
    "mean": names(gradient_of(lambda s: tf.segment_mean(s, ids), [5, 2])),
    "max": names(gradient_of(lambda s: tf.segment_max(s, ids), [None, 2])),
    "unsorted sum": names(gradient_of(lambda s: tf.unsorted_segment_sum(s, loose, 5), [5, 2])),
    "unsorted max": names(gradient_of(lambda s: tf.unsorted_segment_max(s, loose, 5), [5, 2])),
    "unsorted prod": names(gradient_of(lambda s: tf.unsorted_segment_prod(s, loose, 5), [5, 2])),
    "unsorted mean": names(lambda: tf.unsorted_segment_mean(tf.ones([2, 3]), [0, 1], 2)),
    "sparse": names(gradient_of(lambda s: tf.sparse_segment_sum(s, [0], [0]), [5, 2])),
    "sparse mean": names(gradient_of(lambda s: tf.sparse_segment_mean(s, [0], [0]), [None, 2])),
    "cumsum": names(gradient_of(tf.cumsum, [4])),
    "cumprod": names(gradient_of(tf.cumprod, [4])),
    "bincount": names(lambda: tf.bincount([1], minlength=3)),
    "histogram": names(lambda: tf.histogram_fixed_width([1.0], [0.0, 1.0])),
    "bins": names(lambda: tf.histogram_fixed_width_bins([1.0], [0.0, 1.0])),
}

scans = {}
for dtype in ("float32", "float64", "float16", "int32", "int64", "uint8", "int8", "int16", "uint16", "complex64"):
    # Halves of float16 are sums without rounding.
    t = tf.constant((np.abs(data * 2) if dtype != "float16" else np.round(np.abs(data * 2)) / 2).astype(dtype))
    for exclusive in (False, True):
        for reverse in (False, True):
            scans["%s %s %s" % (dtype, exclusive, reverse)] = sess.run(
                [f(t, a, exclusive, reverse) for f in (tf.cumsum, tf.cumprod) for a in (0, -1)]
            )
for exclusive in (False, True):
    for reverse in (False, True):
        for f in (tf.cumsum, tf.cumprod, tf.math.cumulative_logsumexp):
            y = f(x, 1, exclusive=exclusive, reverse=reverse)
            grads = sess.run(tf.gradients(y[:, 1:2] * weights[:, :1], x)[0])
            scans["%s %s %s" % (y.op.type, exclusive, reverse)] = [sess.run(y), grads]
axis = tf.placeholder(tf.int32, [])
scans["fed"] = [sess.run(tf.cumsum(fed, axis), {fed: data, axis: a}) for a in (0, 1, -2)]
scans["empty"] = sess.run(tf.cumsum(tf.zeros([0, 2]), exclusive=True))
results["scans"] = scans
results["scan errors"] = [fails(lambda: tf.cumsum(x, 2)), fails(lambda: tf.cumsum(fed, axis), {fed: 1.0, axis: 0})]

results["bincount"] = sess.run(
    [
        tf.bincount([1, 1, 3]),
        tf.bincount([1, 1, 3], minlength=6),
        tf.bincount([1, 1, 3], maxlength=2),
        tf.bincount([1, 1, 3], weights=[0.5, 1.0, 2.0]),
        tf.bincount(np.zeros([0], np.int32)),
        tf.bincount([[1], [2]], dtype=tf.float32),
    ]
)
values = [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]
results["histogram"] = sess.run(
    [
        tf.histogram_fixed_width(values, [0.0, 5.0], 5),
        tf.histogram_fixed_width(values, [0.0, 5.0], 3, tf.int64),
        tf.histogram_fixed_width([1, 2, 3, 9], [0, 10], 5),
        tf.histogram_fixed_width_bins(values, [0.0, 5.0], 5),
        tf.histogram_fixed_width_bins([[1.0, 2.0]], [0.0, 5.0], 7),
    ]
)
results["confusion"] = sess.run(
    [
        tf.confusion_matrix([0, 1, 1, 2], [0, 1, 2, 2]),
        tf.confusion_matrix([0, 1], [1, 1], num_classes=4, dtype=tf.float32),
        tf.confusion_matrix([0, 1, 1], [[1], [1], [1]], weights=[0.5, 2.0, 3.0], dtype=tf.float64),
    ]
)
results["confusion errors"] = [
    fails(lambda: tf.confusion_matrix([-1, 1], [0, 1])),
    fails(lambda: tf.confusion_matrix([0, 1], [0, 5], num_classes=3)),
    fails(lambda: tf.confusion_matrix([0, 1], [0, 1], weights=[1.0])),
]
rows = tf.constant([[4.0, 1.0, 3.0, 2.0], [5.0, 8.0, 8.0, 7.0]])
results["bucketize"] = sess.run(
    [tf.raw_ops.Bucketize(input=t, boundaries=[1.0, 2.5, 2.5]) for t in ([0.0, 1.0, 2.5, 3.0], [1, 2, 3])]
)
results["nth"] = sess.run(
    [tf.raw_ops.NthElement(input=rows, n=1), tf.raw_ops.NthElement(input=rows, n=1, reverse=True)]
)
