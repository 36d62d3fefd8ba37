"""Metrics of one's own, metrics while executing eagerly, and what metrics refuse."""

import numpy as np
import tensorflow as tf

tf.enable_eager_execution()
results = {}
M = tf.keras.metrics
P = np.array([[0.1, 0.9], [0.8, 0.3], [0.4, 0.6]], np.float32)
Y = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]], np.float32)


def refused(act):
    try:
        act()
    except Exception as error:
        return type(error).__name__ + ": " + str(error)[:60]
    return "no error"


class Farthest(M.Metric):
    """The largest difference so far, and how many batches there were."""

    def __init__(self, name="farthest", **kwargs):
        super(Farthest, self).__init__(name=name, **kwargs)
        self.most = self.add_weight("most", initializer="zeros")
        self.batches = self.add_weight("batches", initializer="zeros", dtype=tf.int64)

    def update_state(self, y_true, y_pred, sample_weight=None):
        far = tf.reduce_max(tf.abs(y_true - y_pred))
        if far > self.most:
            self.most.assign(far)
        self.batches.assign_add(1)

    def result(self):
        return self.most * 2.0


class Unfinished(M.Metric):
    """It has no result."""

    def update_state(self, values):
        return None


own = Farthest()
own.update_state(Y, P)
results["own"] = [own.result().numpy(), own(Y, P).numpy(), int(own.batches.numpy())]
own.reset_states()
results["own reset"] = [own.result().numpy(), int(own.batches.numpy())]
with tf.Graph().as_default(), tf.Session() as sess:
    own = Farthest()
    y, p = tf.placeholder(tf.float32, [None, 2]), tf.placeholder(tf.float32, [None, 2])
    value = own(y, p)
    sess.run([v.initializer for v in own.weights])
    results["own in a graph"] = [sess.run(value, {y: Y[:1], p: P[:1]}), sess.run(value, {y: Y, p: P})]
    results["own variables"] = [[v.name, v.dtype.name] for v in own.weights] + sess.run(own.weights)
    results["updates"] = len(own.updates)
    results["collections"] = [len(tf.global_variables()), len(tf.local_variables())]

for name in ("Mean", "Sum", "MeanTensor"):
    metric = getattr(M, name)()
    metric.update_state([1.0, 3.0])
    results[name] = [metric([2.0, 6.0], sample_weight=[0.5, 0.0]).numpy(), metric.result().numpy()]
for metric in (M.AUC(num_thresholds=5), M.Precision(), M.Recall(class_id=1), M.BinaryAccuracy(), M.MeanSquaredError()):
    results[type(metric).__name__] = [metric(Y, P).numpy(), metric(1.0 - Y, P).numpy()]
    results[type(metric).__name__ + " names"] = [v.name for v in metric.weights]
for name in ("binary_accuracy", "categorical_accuracy"):
    results[name] = getattr(M, name)(tf.constant(Y), tf.constant(P)).numpy()
results["sparse_categorical_accuracy"] = M.sparse_categorical_accuracy(
    tf.constant([[1.0], [0.0], [0.0]]), tf.constant(P)
).numpy()
results["top_k"] = M.top_k_categorical_accuracy(tf.constant(Y), tf.constant(P), k=1).numpy()
results["sparse_top_k"] = M.sparse_top_k_categorical_accuracy(tf.constant([1.0, 0.0, 0.0]), tf.constant(P), k=1).numpy()

results["abstract"] = refused(Unfinished)
results["thresholds"] = refused(lambda: M.Precision(thresholds=[0.5, 1.5]))
results["curve"] = refused(lambda: M.AUC(curve="X"))
results["method"] = refused(lambda: M.AUC(summation_method="x"))
results["few"] = refused(lambda: M.AUC(num_thresholds=1))
results["specificity"] = refused(lambda: M.SensitivityAtSpecificity(2.0))
results["none yet"] = refused(lambda: M.MeanTensor().result())
results["range"] = refused(lambda: M.Recall()([1.0], [1.5]))
results["unknown"] = refused(lambda: M.get("nothing"))
results["get"] = [M.get("mse").__name__, type(M.get("AUC")).__name__]
results["back"] = sorted(M.deserialize(M.serialize(M.Precision(top_k=2))).get_config())
