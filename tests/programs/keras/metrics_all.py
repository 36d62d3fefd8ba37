"""tf.keras.metrics: every class with its settings, weighted, of empty batches; names, variables, settings."""

import numpy as np
import tensorflow as tf

results = {}
M = tf.keras.metrics
R = np.random.RandomState(0)
P = R.rand(3, 6).astype(np.float32)
Y = (R.rand(3, 6) > 0.5).astype(np.float32)
W = R.rand(3).astype(np.float32)
FULL = R.rand(3, 6).astype(np.float32)
CLASSES = np.array([[0], [2], [5]], np.float32)
SETTINGS = {
    "MeanIoU": [{"num_classes": 6}],
    "SensitivityAtSpecificity": [{"specificity": 0.5}, {"specificity": 0.3, "num_thresholds": 5}],
    "SpecificityAtSensitivity": [{"sensitivity": 0.5}, {"sensitivity": 0.3, "num_thresholds": 1}],
    "MeanRelativeError": [{"normalizer": FULL}],
    "Precision": [{}, {"thresholds": [0.2, 0.7]}, {"top_k": 2}],
    "Recall": [{}, {"thresholds": [0.2, 0.7]}, {"top_k": 2}],
    "TruePositives": [{}, {"thresholds": [0.1, 0.6]}],
    "BinaryAccuracy": [{}, {"threshold": 0.3}],
    "BinaryCrossentropy": [{}, {"from_logits": True}, {"label_smoothing": 0.2}],
    "CategoricalCrossentropy": [{}, {"from_logits": True}],
    "TopKCategoricalAccuracy": [{}, {"k": 1}],
    "SparseTopKCategoricalAccuracy": [{}, {"k": 1}],
    "AUC": [{"thresholds": [0.7, 0.2]}]
    + [
        {"curve": curve, "summation_method": method, "num_thresholds": 8}
        for curve in ("ROC", "PR")
        for method in ("interpolation", "minoring", "majoring")
    ],
}


def batch(name):
    if name in ("Mean", "Sum", "MeanTensor"):
        return (P,), FULL if name == "MeanTensor" else W
    if name == "MeanIoU":
        return (CLASSES, np.array([[1], [2], [5]], np.float32)), np.array([[1.0], [2.0], [0.5]], np.float32)
    if "Sparse" in name:
        return (CLASSES, P), W
    return (Y, P), FULL if name == "MeanRelativeError" else W


for name in sorted(dir(M)):
    if name in ("Metric", "Layer") or not isinstance(getattr(M, name), type):
        continue
    for i, settings in enumerate(SETTINGS.get(name, [{}])):
        arrays, weights = batch(name)
        with tf.Graph().as_default(), tf.Session() as sess:
            metric = getattr(M, name)(**settings)
            fixed = name == "MeanTensor"
            fed = [tf.placeholder(tf.float32, a.shape if fixed else (None,) + a.shape[1:]) for a in arrays + (weights,)]
            plain = metric.update_state(*fed[:-1])
            weighted = metric.update_state(*fed[:-1], sample_weight=fed[-1])
            result = metric.result()
            called = metric(*fed[:-1])
            initialize = [v.initializer for v in metric.weights]
            feed = dict(zip(fed, arrays + (weights,)))
            sess.run(initialize)
            found = {"name": metric.name, "variables": [[v.name, v.shape.as_list()] for v in metric.weights]}
            sess.run(plain, feed)
            found["plain"] = sess.run(result)
            sess.run(weighted, feed)
            found["weighted"] = sess.run(result)
            found["called"] = sess.run(called, feed)
            found["values"] = sess.run(metric.weights)
            with sess.as_default():
                metric.reset_states()
            found["reset"] = sess.run(result)
            if not fixed and name != "MeanRelativeError":
                sess.run(plain, {p: np.zeros((0,) + a.shape[1:], np.float32) for p, a in zip(fed, arrays + (weights,))})
                found["empty"] = sess.run(result)
                found["config"] = repr(sorted(k for k in metric.get_config()))
            results["%s %d" % (name, i)] = found
