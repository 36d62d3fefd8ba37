"""Cross-entropies: values, gradients, shapes, the operations they make, what they refuse."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(5)
logits = random.normal(size=[4, 3]) * 3
labels = random.dirichlet([1.0, 2.0, 3.0], size=4)
classes = [0, 2, 1, 2]
weights = np.array([1.0, -2.0, 0.5, 3.0])


def message(error):
    return [type(error).__name__, str(error).split("\n")[0].split("[[")[0][:90]]


with tf.Session() as sess:
    for dtype in (tf.float32, tf.float64):
        x, p, w = tf.constant(logits, dtype), tf.constant(labels, dtype), tf.constant(weights, dtype)
        v1 = tf.nn.softmax_cross_entropy_with_logits(labels=p, logits=x)
        v2 = tf.nn.softmax_cross_entropy_with_logits_v2(labels=p, logits=x)
        sparse = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=x)
        sigmoid = tf.nn.sigmoid_cross_entropy_with_logits(labels=p, logits=x)
        weighted = tf.nn.weighted_cross_entropy_with_logits(labels=p, logits=x, pos_weight=3.0)
        results["losses " + dtype.name] = sess.run([v1, v2, sparse, sigmoid, weighted])
        results["gradients " + dtype.name] = sess.run(
            [
                tf.gradients(v1, x, grad_ys=w)[0],
                tf.gradients(v2, [x, p], grad_ys=w),
                tf.gradients(sparse, x, grad_ys=w)[0],
                tf.gradients(sigmoid, [x, p]),
                tf.gradients(weighted, [x, p]),
            ]
        )
        results["no gradient for labels " + dtype.name] = str(tf.gradients(v1, p))
        g = tf.gradients(v2, x, grad_ys=w)[0]
        results["second " + dtype.name] = sess.run(tf.gradients(g * g, x)[0])

    for kind in (tf.int32, tf.int64):
        x = tf.constant(logits, tf.float32)
        y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant(classes, kind), logits=x)
        results["labels " + kind.name] = sess.run(y)
    half = tf.constant(logits, tf.float16)
    y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=half)
    z = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=half)
    results["half"] = [y.dtype.name, z.dtype.name] + sess.run([tf.cast(y, tf.float32), tf.cast(z, tf.float32)])

    # Higher ranks and other axes.
    cube = tf.constant(random.normal(size=[2, 3, 4]))
    target = tf.constant(random.dirichlet([1.0] * 4, size=[2, 3]))
    for axis in (-1, 2, 0, 1):
        y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=cube, axis=axis)
        results["axis %d" % axis] = [sess.run(y), str(y.get_shape())] + [sess.run(tf.gradients(y, cube)[0])]
    y = tf.nn.softmax_cross_entropy_with_logits(labels=target, logits=cube, dim=1)
    results["dim 1"] = sess.run(y)
    many = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0, 1, 3], [2, 2, 1]], logits=cube)
    results["sparse of rank 3"] = [sess.run(many), str(many.get_shape()), sess.run(tf.gradients(many, cube)[0])]

    fed, fed_labels = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=fed_labels, logits=fed)
    results["fed"] = [str(y.get_shape()), sess.run(y, {fed: logits, fed_labels: labels})]
    fed2, fed_classes = tf.placeholder(tf.float32, [None, None]), tf.placeholder(tf.int64, [None])
    y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=fed_classes, logits=fed2)
    results["fed classes"] = [str(y.get_shape()), sess.run(y, {fed2: logits, fed_classes: classes})]
    results["empty batch"] = sess.run(y, {fed2: np.zeros([0, 3]), fed_classes: []})
    results["out of range"] = []
    for wrong in ([0, 1, 2, 3], [0, -1, 5, 1], [0, 1]):
        try:
            sess.run(y, {fed2: logits, fed_classes: wrong})
        except tf.errors.InvalidArgumentError as error:
            results["out of range"].append(message(error))

    fed3, fed_classes = tf.placeholder(tf.float32, [None, None, 3]), tf.placeholder(tf.int64, [None, None])
    y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=fed_classes, logits=fed3)
    results["fed rank 3"] = [str(y.get_shape()), sess.run(y, {fed3: [logits], fed_classes: [classes]})]
    try:
        sess.run(y, {fed3: [logits], fed_classes: [[0, 1]]})
    except tf.errors.InvalidArgumentError as error:
        results["fed rank 3"].append(type(error).__name__)

    results["extremes"] = sess.run(
        [
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[0.5, 0.5]], logits=[[0.0, 1000.0]]),
            tf.nn.sigmoid_cross_entropy_with_logits(labels=[0.0, 1.0, 1.0], logits=[-1000.0, -1000.0, 1000.0]),
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0], logits=[[-1000.0, 1000.0]]),
        ]
    )
    once = tf.gradients(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=x), x)[0]
    try:
        tf.gradients(once, x)
    except LookupError as error:
        results["second derivative of sparse"] = "explicitly disabled" in str(error)

results["refused"] = []
for bad in (
    lambda: tf.nn.softmax_cross_entropy_with_logits(labels=labels),
    lambda: tf.nn.sigmoid_cross_entropy_with_logits(logits=logits),
    lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[1.0, 2.0]),
    lambda: tf.nn.weighted_cross_entropy_with_logits(labels=[1.0], logits=[1.0, 2.0], pos_weight=1),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=2.0),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1]], logits=[[2.0]]),
    lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=[[2.0]]),
    lambda: tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[1.0, 2.0]], logits=[[2.0, 3.0, 4.0]]),
    lambda: tf.nn.softmax_cross_entropy_with_logits(logits, labels=labels, logits=logits),
):
    try:
        bad()
        results["refused"].append("")
    except (TypeError, ValueError, tf.errors.OpError) as error:
        results["refused"].append(type(error).__name__)

graph = tf.Graph()
with graph.as_default():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    p = tf.placeholder(tf.float32, [None, 3], name="p")
    c = tf.placeholder(tf.int64, [None], name="c")
    tf.gradients(tf.nn.softmax_cross_entropy_with_logits(labels=p, logits=x), x, name="g1")
    tf.gradients(tf.nn.softmax_cross_entropy_with_logits_v2(labels=p, logits=x, name="v2"), [x, p], name="g2")
    tf.gradients(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=c, logits=x), x, name="g3")
    tf.gradients(tf.nn.sigmoid_cross_entropy_with_logits(labels=p, logits=x), x, name="g4")
    tf.nn.weighted_cross_entropy_with_logits(p, x, 2.0)
    tf.nn.softmax_cross_entropy_with_logits(labels=p, logits=x, dim=0, name="other_axis")
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.zeros([2, 2], tf.int32), logits=tf.zeros([2, 2, 3]), name="cube"
    )
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.placeholder(tf.int32, [None, 2]), logits=tf.placeholder(tf.float32, [None, 2, 3]), name="checked"
    )
    g = tf.gradients(tf.nn.softmax_cross_entropy_with_logits_v2(labels=p, logits=x), x, name="g5")[0]
    tf.gradients(g, x, name="g6")
results["operations"] = ["%s %s" % (op.name, op.type) for op in graph.get_operations()]
