"""The streaming metrics of tf.metrics over several batches: values, updates, variables, names, collections."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(11)
BATCHES = 3
scores = random.uniform(size=[BATCHES, 6]).astype(np.float32)
truth = random.randint(0, 2, size=[BATCHES, 6])
wide = random.normal(size=[BATCHES, 6, 5]).astype(np.float32)
classes = random.randint(0, 5, size=[BATCHES, 6])
weight = random.randint(0, 3, size=[BATCHES, 6]).astype(np.float32)
M = tf.metrics

x = wx = y = w = c = None  # placeholders, made anew in each graph


def with_threshold(make):
    return lambda **k: make(y, x, [0.25, 0.5, 0.9], **k)


CASES = {
    "mean": lambda **k: M.mean(x, **k),
    "mean_tensor": lambda **k: M.mean_tensor(x, **k),
    "accuracy": lambda **k: M.accuracy(y, tf.cast(x > 0.5, tf.int32), **k),
    "mean_absolute_error": lambda **k: M.mean_absolute_error(tf.cast(y, tf.float32), x, **k),
    "mean_relative_error": lambda **k: M.mean_relative_error(tf.cast(y, tf.float32), x, tf.cast(y, tf.float32), **k),
    "mean_squared_error": lambda **k: M.mean_squared_error(tf.cast(y, tf.float32), x, **k),
    "root_mean_squared_error": lambda **k: M.root_mean_squared_error(tf.cast(y, tf.float32), x, **k),
    "percentage_below": lambda **k: M.percentage_below(x, 0.4, **k),
    "mean_iou": lambda **k: M.mean_iou(c, tf.argmax(wx, 1), 5, **k),
    "mean_per_class_accuracy": lambda **k: M.mean_per_class_accuracy(c, tf.argmax(wx, 1), 5, **k),
    "precision": lambda **k: M.precision(y, x > 0.5, **k),
    "recall": lambda **k: M.recall(y, x > 0.5, **k),
    "true_positives": lambda **k: M.true_positives(y, x > 0.5, **k),
    "false_positives": lambda **k: M.false_positives(y, x > 0.5, **k),
    "true_negatives": lambda **k: M.true_negatives(y, x > 0.5, **k),
    "false_negatives": lambda **k: M.false_negatives(y, x > 0.5, **k),
    "true_positives_at_thresholds": with_threshold(M.true_positives_at_thresholds),
    "false_positives_at_thresholds": with_threshold(M.false_positives_at_thresholds),
    "true_negatives_at_thresholds": with_threshold(M.true_negatives_at_thresholds),
    "false_negatives_at_thresholds": with_threshold(M.false_negatives_at_thresholds),
    "precision_at_thresholds": with_threshold(M.precision_at_thresholds),
    "recall_at_thresholds": with_threshold(M.recall_at_thresholds),
    "auc": lambda **k: M.auc(y, x, **k),
    "auc few": lambda **k: M.auc(y, x, thresholds=[0.7, 0.2], **k),
    "sensitivity_at_specificity": lambda **k: M.sensitivity_at_specificity(y, x, 0.5, **k),
    "specificity_at_sensitivity": lambda **k: M.specificity_at_sensitivity(y, x, 0.7, num_thresholds=20, **k),
    "recall_at_k": lambda **k: M.recall_at_k(tf.cast(c, tf.int64), wx, 2, **k),
    "recall_at_k class": lambda **k: M.recall_at_k(tf.cast(c, tf.int64), wx, 2, class_id=1, **k),
    "recall_at_top_k": lambda **k: M.recall_at_top_k(tf.cast(c, tf.int64), tf.nn.top_k(wx, 3)[1], **k),
    "precision_at_k": lambda **k: M.precision_at_k(tf.cast(c, tf.int64)[:, tf.newaxis], wx, 2, **k),
    "precision_at_k class": lambda **k: M.precision_at_k(tf.cast(c, tf.int64), wx, 3, class_id=2, **k),
    "precision_at_top_k": lambda **k: M.precision_at_top_k(tf.cast(c, tf.int64), tf.nn.top_k(wx, 3)[1], k=3, **k),
    "average_precision_at_k": lambda **k: M.average_precision_at_k(tf.cast(c, tf.int64), wx, 3, **k),
    "sparse_average_precision_at_k": lambda **k: M.sparse_average_precision_at_k(
        tf.stack([tf.cast(c, tf.int64), 6 - tf.cast(c, tf.int64)], 1), wx, 4, **k
    ),
}
for curve in ("ROC", "PR"):
    for method in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
        CASES["auc %s %s" % (curve, method)] = lambda curve=curve, method=method, **k: M.auc(
            y, x, curve=curve, summation_method=method, num_thresholds=30, **k
        )

for name in sorted(CASES):
    for weighted in (False, True):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [6], "x")
            wx = tf.placeholder(tf.float32, [6, 5], "wx")
            y = tf.placeholder(tf.int32, [6], "y")
            c = tf.placeholder(tf.int32, [6], "c")
            w = tf.placeholder(tf.float32, [6], "w")
            keywords = {"weights": w} if weighted else {}
            metric, update = CASES[name](metrics_collections=["m"], updates_collections=["u"], **keywords)
            key = "%s %s" % (name, weighted)
            results[key + " names"] = [
                [metric.name, metric.dtype.name, str(metric.shape), update.name, str(update.shape)],
                [[v.name, v.dtype.name, str(v.shape)] for v in tf.local_variables()],
                [v.name for v in tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)],
                [v.name for v in tf.global_variables() + tf.trainable_variables()],
                [t.name for t in tf.get_collection("m") + tf.get_collection("u")],
            ]
            with tf.Session() as sess:
                seen = []
                for _ in range(2):
                    sess.run(tf.local_variables_initializer())
                    for b in range(BATCHES):
                        feed = {x: scores[b], wx: wide[b], y: truth[b], c: classes[b], w: weight[b]}
                        seen.append([sess.run(update, feed), sess.run(metric)])
                seen.append(sess.run(tf.local_variables()))
                results[key] = seen
                if not weighted and name in (
                    "auc PR careful_interpolation",
                    "precision_at_k class",
                    "mean_iou",
                    "recall",
                ):
                    results[key + " ops"] = ["%s = %s" % (op.name, op.type) for op in graph.get_operations()]

with tf.Graph().as_default():
    with tf.variable_scope("eval"):
        first = M.accuracy([1, 2], [1, 3], name="hits")
        second = M.accuracy([1, 2], [1, 3], name="hits")
        third = M.mean([1, 2])
        fourth = M.mean_cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], 1)
    distance = M.mean_cosine_distance(tf.constant([[1.0, 0.0]]), [[0.6, 0.8]], dim=1, weights=[[2.0]])
    strings = M.accuracy(tf.constant(["a", "b"]), tf.constant(["a", "c"]))
    fed = tf.placeholder(tf.float32)
    unknown = M.mean(fed, weights=tf.placeholder_with_default([[1.0], [0.0]], None))
    results["variables"] = [v.name for v in tf.local_variables()]
    results["named"] = [t.name for pair in (first, second, third, fourth, distance, strings, unknown) for t in pair]
    with tf.Session() as sess:
        try:
            sess.run(first[0])
        except tf.errors.FailedPreconditionError as error:
            results["uninitialized"] = type(error).__name__
        sess.run(tf.local_variables_initializer())
        results["several"] = sess.run([p[1] for p in (first, second, third, fourth, distance, strings)])
        results["unknown"] = sess.run(unknown[1], {fed: [[1.0, 3.0], [5.0, 7.0]]})
        results["sparse"] = []
        labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([3, 1, 0], tf.int64), [2, 3])
        best = tf.constant([[0.1, 0.5, 0.2, 0.4], [0.9, 0.3, 0.2, 0.1]])
        made = [
            M.precision_at_k(labels, best, 2),
            M.recall_at_k(labels, best, 3, class_id=1),
            M.average_precision_at_k(labels, best, 3),
            M.recall_at_k(labels, best, 1, weights=[0.5, 2.0]),
        ]
        sess.run(tf.local_variables_initializer())
        results["sparse"] = sess.run([[u, u.name] if False else u for _, u in made])

messages = []
for call in (
    lambda: M.auc([1], [0.5], curve="XY"),
    lambda: M.auc(tf.constant([1]), tf.constant([0.5]), summation_method="sum"),
    lambda: M.accuracy([1, 2], [1, 2, 3]),
    lambda: M.mean([1.0, 2.0], weights=[1.0, 2.0, 3.0]),
    lambda: M.sensitivity_at_specificity([1], [0.5], 1.5),
    lambda: M.specificity_at_sensitivity([1], [0.5], -0.5),
    lambda: M.average_precision_at_k([1], [[0.5, 1.0]], 0),
    lambda: M.recall_at_top_k(tf.constant([1], tf.int64), tf.constant([[[1, 2]]], tf.int64)),
    lambda: M.true_positives([True, False], [True]),
    lambda: M.mean_iou(tf.constant([1, 2]), tf.constant([1, 2, 3]), 4),
):
    with tf.Graph().as_default():
        try:
            call()
            messages.append("none")
        except (ValueError, TypeError) as error:
            messages.append("%s: %s" % (type(error).__name__, error))
results["messages"] = messages
with tf.Graph().as_default():
    area, update = M.auc(tf.constant([1, 0]), tf.placeholder_with_default([0.5, 1.5], [2]))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        try:
            sess.run(update)
        except tf.errors.InvalidArgumentError as error:
            results["out of range"] = "predictions must be in [0, 1]" in str(error)
