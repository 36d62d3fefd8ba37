"""Heads of tf.contrib.estimator in model functions: losses, metrics, predictions; boosted trees trained in memory."""

import numpy as np
import tensorflow as tf

results = {}
contrib = tf.contrib.estimator
logits_of = {1: [[0.3], [-1.2], [2.0]], 3: [[0.3, -0.1, 0.7], [-1.2, 0.4, 0.1], [2.0, -0.5, 0.6]]}
heads = {
    "binary": (lambda: contrib.binary_classification_head("w", thresholds=[0.6]), [[1], [0], [0]], 1),
    "several": (lambda: contrib.multi_class_head(3, name="named"), [[2], [1], [1]], 3),
    "numbers": (lambda: contrib.regression_head("w"), [[1.0], [0.5], [3.0]], 1),
    "sums": (lambda: contrib.regression_head(loss_reduction=tf.losses.Reduction.SUM), [[1.0], [0.5], [3.0]], 1),
    "probabilities": (lambda: contrib.logistic_regression_head(), [[1.0], [0.25], [0.5]], 1),
    "counts": (lambda: contrib.poisson_regression_head(), [[1.0], [0.0], [3.0]], 1),
}
features = {"w": np.array([[1.0], [2.0], [0.5]], np.float32)}

for name in sorted(heads):
    make, labels, size = heads[name]
    found = {}
    for mode in ("eval", "infer"):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.train.get_or_create_global_step()
            head = make()
            spec = head.create_estimator_spec(
                features={"w": tf.constant(features["w"])},
                mode=mode,
                logits=tf.constant(logits_of[size]),
                labels=None if mode == "infer" else tf.constant(labels),
            )
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
            if mode == "infer":
                found["predictions"] = session.run(spec.predictions)
                found["outputs"] = sorted(spec.export_outputs)
                continue
            found["dimension"] = head.logits_dimension
            found["loss"] = session.run(spec.loss)
            session.run([update for _, update in spec.eval_metric_ops.values()])
            found["metrics"] = {key: session.run(value) for key, (value, _) in spec.eval_metric_ops.items()}
    results[name] = found


def input_fn():
    x = np.arange(12, dtype=np.float32)[:, None]
    return tf.data.Dataset.from_tensors(({"x": x}, (x > 5).astype(np.float32)))


columns = [tf.feature_column.bucketized_column(tf.feature_column.numeric_column("x"), [2.5, 5.5, 8.5])]
classifier = contrib.boosted_trees_classifier_train_in_memory(input_fn, columns, n_trees=2, max_depth=2)
regressor = contrib.boosted_trees_regressor_train_in_memory(input_fn, columns, n_trees=2, max_depth=2)
results["trees"] = [float(each["logistic"][0]) for each in classifier.predict(input_fn)]
results["trees of numbers"] = [float(each["predictions"][0]) for each in regressor.predict(input_fn)]
