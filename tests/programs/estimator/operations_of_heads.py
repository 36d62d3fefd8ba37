"""The operations that the heads of 2.x's interface make of logits and labels, in their order."""

import numpy as np
import tensorflow as tf

results = {}
estimators = tf.compat.v2.estimator
heads = {
    "binary": (estimators.BinaryClassHead(), 1, np.int64([[0], [1]])),
    "binary with words": (estimators.BinaryClassHead(label_vocabulary=["a", "b"]), 1, np.array([["a"], ["b"]])),
    "multi-class": (estimators.MultiClassHead(3), 3, np.int64([[0], [2]])),
    "multi-label": (estimators.MultiLabelHead(2), 2, np.int64([[0, 1], [1, 1]])),
    "regression": (estimators.RegressionHead(2), 2, np.float32([[0, 1], [2, 3]])),
    "logistic": (estimators.LogisticRegressionHead(), 1, np.float32([[0.25], [0.5]])),
    "poisson": (estimators.PoissonRegressionHead(), 1, np.float32([[1.0], [2.0]])),
}
for name, (head, size, labels) in sorted(heads.items()):
    with tf.Graph().as_default() as graph:
        logits = tf.constant(np.linspace(-1.0, 1.0, 2 * size).reshape([2, size]), tf.float32)
        head.predictions(logits)
        head.loss(labels=tf.constant(labels), logits=logits, features={}, mode="train")
        results[name] = [operation.name for operation in graph.get_operations()]
