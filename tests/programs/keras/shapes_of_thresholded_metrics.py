"""Metrics of thresholds take labels and predictions of one shape only; other metrics bring ranks together."""

import tensorflow as tf

tf.enable_eager_execution()
results = {}
metrics = tf.keras.metrics


def updated(metric, labels, predictions, weights=None):
    try:
        metric.update_state(tf.ones(labels), tf.ones(predictions) * 0.7, sample_weight=weights)
    except ValueError as error:
        return str(error)
    return metric.result().numpy()


for labels, predictions in [([2], [2, 1]), ([2, 1], [2]), ([2, 2], [2]), ([2], [2]), ([2, 2], [2, 2]), ([], [1])]:
    for make in (metrics.AUC, metrics.TruePositives, metrics.Recall, metrics.MeanSquaredError):
        if make is not metrics.MeanSquaredError or labels in ([2], [2, 1]):
            results[f"{make.__name__} {labels} {predictions}"] = updated(make(), labels, predictions)
results["weighted"] = updated(metrics.TruePositives(), [2, 1], [2, 1], tf.constant([[1.0], [3.0]]))
with tf.Graph().as_default():
    try:
        metrics.AUC().update_state(tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None, 1]))
    except ValueError as error:
        results["in a graph"] = str(error)
