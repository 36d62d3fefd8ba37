"""The metrics of tf.contrib.metrics over several batches: values, updates, variables and names."""

import numpy as np
import tensorflow as tf

results = {}
random = np.random.RandomState(12)
BATCHES = 3
scores = random.uniform(size=[BATCHES, 8]).astype(np.float32)
truth = random.randint(0, 2, size=[BATCHES, 8])
truth[:, :2] = [0, 1]
wide = random.normal(size=[BATCHES, 8, 5]).astype(np.float32)
classes = random.randint(0, 5, size=[BATCHES, 8])
weight = random.randint(0, 3, size=[BATCHES, 8]).astype(np.float32)
M = tf.contrib.metrics

x = wx = y = w = c = None


def label_ids():
    return tf.cast(c, tf.int64)


THRESHOLDS = [0.25, 0.5, 0.9]
CASES = {
    "streaming_mean": lambda **k: M.streaming_mean(x, **k),
    "streaming_mean_tensor": lambda **k: M.streaming_mean_tensor(x, **k),
    "streaming_percentage_less": lambda **k: M.streaming_percentage_less(x, 0.4, **k),
    "streaming_accuracy": lambda **k: M.streaming_accuracy(tf.cast(x > 0.5, tf.int32), y, **k),
    "streaming_mean_absolute_error": lambda **k: M.streaming_mean_absolute_error(x, tf.cast(y, tf.float32), **k),
    "streaming_mean_relative_error": lambda **k: M.streaming_mean_relative_error(
        x, tf.to_float(y), tf.to_float(y), **k
    ),
    "streaming_mean_squared_error": lambda **k: M.streaming_mean_squared_error(x, tf.cast(y, tf.float32), **k),
    "streaming_root_mean_squared_error": lambda **k: M.streaming_root_mean_squared_error(x, tf.to_float(y), **k),
    "streaming_precision": lambda **k: M.streaming_precision(x > 0.5, y, **k),
    "streaming_recall": lambda **k: M.streaming_recall(x > 0.5, y, **k),
    "streaming_true_positives": lambda **k: M.streaming_true_positives(x > 0.5, y, **k),
    "streaming_false_positive_rate": lambda **k: M.streaming_false_positive_rate(x > 0.5, y, **k),
    "streaming_false_negative_rate": lambda **k: M.streaming_false_negative_rate(x > 0.5, y, **k),
    "streaming_auc": lambda **k: M.streaming_auc(x, y, num_thresholds=20, **k),
    "streaming_precision_at_thresholds": lambda **k: M.streaming_precision_at_thresholds(x, y, THRESHOLDS, **k),
    "streaming_false_positive_rate_at_thresholds": lambda **k: M.streaming_false_positive_rate_at_thresholds(
        x, y, THRESHOLDS, **k
    ),
    "streaming_false_negative_rate_at_thresholds": lambda **k: M.streaming_false_negative_rate_at_thresholds(
        x, y, THRESHOLDS, **k
    ),
    "streaming_sensitivity_at_specificity": lambda **k: M.streaming_sensitivity_at_specificity(x, y, 0.5, **k),
    "streaming_specificity_at_sensitivity": lambda **k: M.streaming_specificity_at_sensitivity(x, y, 0.7, **k),
    "streaming_mean_iou": lambda **k: M.streaming_mean_iou(tf.argmax(wx, 1), c, 5, **k),
    "streaming_recall_at_k": lambda **k: M.streaming_recall_at_k(wx, c, 2, **k),
    "streaming_sparse_recall_at_k": lambda **k: M.streaming_sparse_recall_at_k(wx, label_ids(), 2, **k),
    "streaming_sparse_precision_at_k": lambda **k: M.streaming_sparse_precision_at_k(
        wx, label_ids(), 3, class_id=2, **k
    ),
    "streaming_sparse_precision_at_top_k": lambda **k: M.streaming_sparse_precision_at_top_k(
        tf.nn.top_k(wx, 3)[1], label_ids(), **k
    ),
    "sparse_recall_at_top_k": lambda **k: M.sparse_recall_at_top_k(label_ids(), tf.nn.top_k(wx, 3)[1], class_id=1, **k),
    "streaming_sparse_average_precision_at_k": lambda **k: M.streaming_sparse_average_precision_at_k(
        wx, label_ids(), 3, **k
    ),
    "streaming_sparse_average_precision_at_top_k": lambda **k: M.streaming_sparse_average_precision_at_top_k(
        tf.nn.top_k(wx, 3)[1], label_ids(), **k
    ),
    "streaming_covariance": lambda **k: M.streaming_covariance(x, wx[:, 0], **k),
    "streaming_pearson_correlation": lambda **k: M.streaming_pearson_correlation(x, wx[:, 0], **k),
    "streaming_dynamic_auc": lambda **k: M.streaming_dynamic_auc(y, x, **k),
    "streaming_dynamic_auc PR": lambda **k: M.streaming_dynamic_auc(y, x, curve="PR", **k),
    "streaming_curve_points": lambda **k: M.streaming_curve_points(y, x, num_thresholds=7, **k),
    "streaming_curve_points PR": lambda **k: M.streaming_curve_points(y, x, num_thresholds=7, curve="PR", **k),
    "recall_at_precision": lambda **k: M.recall_at_precision(y, x, 0.6, **k),
    "recall_at_precision strict": lambda **k: M.recall_at_precision(y, x, 0.5, strict_mode=True, **k),
    "precision_at_recall": lambda **k: M.precision_at_recall(y, x, 0.6, num_thresholds=12, **k),
    "f1_score": lambda **k: M.f1_score(y, x, num_thresholds=12, **k),
    "count": lambda **k: M.count(x, **k),
    "cohen_kappa": lambda **k: M.cohen_kappa(c, tf.argmax(wx, 1), 5, **k),
}
PLAIN = {
    "streaming_true_positives_at_thresholds": lambda **k: M.streaming_true_positives_at_thresholds(
        x, y, THRESHOLDS, **k
    ),
    "streaming_true_negatives_at_thresholds": lambda **k: M.streaming_true_negatives_at_thresholds(
        x, y, THRESHOLDS, **k
    ),
    "streaming_false_positives_at_thresholds": lambda **k: M.streaming_false_positives_at_thresholds(
        x, y, THRESHOLDS, **k
    ),
    "streaming_false_negatives_at_thresholds": lambda **k: M.streaming_false_negatives_at_thresholds(
        x, y, THRESHOLDS, **k
    ),
    "auc_with_confidence_intervals": lambda **k: M.auc_with_confidence_intervals(y, x, **k),
    "auc_with_confidence_intervals plain": lambda **k: M.auc_with_confidence_intervals(
        y, x, alpha=0.8, logit_transformation=False, **k
    ),
    "precision_recall_at_equal_thresholds": lambda **k: M.precision_recall_at_equal_thresholds(
        tf.cast(y, tf.bool), x, num_thresholds=11, **k
    ),
    "streaming_concat": lambda **k: M.streaming_concat(wx),
    "streaming_concat axis": lambda **k: M.streaming_concat(wx, axis=1, max_size=12),
    "auc_using_histogram": lambda **k: M.auc_using_histogram(tf.cast(y, tf.bool), x, [0.0, 1.0], nbins=20),
}

for name in sorted(CASES) + sorted(PLAIN):
    for weighted in (False, True):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [8], "x")
            wx = tf.placeholder(tf.float32, [8, 5], "wx")
            y = tf.placeholder(tf.int32, [8], "y")
            c = tf.placeholder(tf.int32, [8], "c")
            w = tf.placeholder(tf.float32, [8], "w")
            keywords = {"weights": w} if weighted else {}
            if name in CASES:
                keywords.update(metrics_collections=["m"], updates_collections=["u"])
            metric, update = dict(CASES, **PLAIN)[name](**keywords)
            key = "%s %s" % (name, weighted)
            results[key + " names"] = [
                [t.name for t in tf.contrib.framework.nest.flatten([metric, update])],
                [[v.name, v.dtype.name, str(v.shape)] for v in tf.local_variables()],
                [t.name for t in tf.get_collection("m") + tf.get_collection("u")],
            ]
            with tf.Session() as sess:
                seen = []
                sess.run(tf.local_variables_initializer())
                for b in range(BATCHES):
                    feed = {x: scores[b], wx: wide[b], y: truth[b], c: classes[b], w: weight[b]}
                    answer = sess.run(update, feed)
                    value = sess.run(metric, feed)
                    seen.append([answer, list(value) if isinstance(value, tuple) else value])
                results[key] = seen

with tf.Graph().as_default():
    labels, predictions = tf.constant([1, 2, 3]), tf.constant([1, 3, 3])
    values, updates = M.aggregate_metric_map(
        {"a": M.streaming_accuracy(predictions, labels), "m": tf.metrics.mean([1.0, 2.0])}
    )
    lists = M.aggregate_metrics(tf.metrics.mean([1.0]), tf.metrics.mean([3.0]))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        results["map"] = [sess.run(updates), sess.run(values), sess.run(lists[1]), sess.run(lists[0])]
        results["plain"] = sess.run(
            [
                M.accuracy(predictions, labels),
                M.accuracy(predictions, labels, weights=[1.0, 2.0, 0.5]),
                M.accuracy(tf.constant(["a"]), tf.constant(["b"])),
                M.confusion_matrix(labels, predictions, 4),
                M.set_size(M.set_union([[1, 2]], [[2, 3]])),
            ]
        )
messages = []
for call in (
    lambda: M.accuracy(tf.constant([1.0]), tf.constant([1.0])),
    lambda: M.accuracy(tf.constant([1]), tf.constant([True])),
    lambda: M.streaming_concat(tf.placeholder(tf.float32)),
    lambda: M.streaming_concat(tf.placeholder(tf.float32, [None, None])),
    lambda: M.streaming_concat(tf.placeholder(tf.float32, [3]), axis=2),
    lambda: M.recall_at_precision(tf.constant([1]), tf.constant([0.5]), 2.0),
    lambda: M.precision_at_recall(tf.constant([1]), tf.constant([0.5]), 2.0),
    lambda: M.cohen_kappa(tf.constant([1]), tf.constant([1]), 1),
    lambda: M.streaming_dynamic_auc(tf.constant([1]), tf.constant([0.5]), curve="X"),
    lambda: M.auc_with_confidence_intervals(tf.constant([1]), tf.constant([0.5]), alpha=1.5),
    lambda: M.aggregate_metrics(),
    lambda: M.streaming_curve_points(tf.constant([1]), tf.constant([0.5]), curve="X"),
):
    with tf.Graph().as_default():
        try:
            call()
            messages.append("none")
        except (ValueError, TypeError) as error:
            messages.append("%s: %s" % (type(error).__name__, error))
results["messages"] = messages
