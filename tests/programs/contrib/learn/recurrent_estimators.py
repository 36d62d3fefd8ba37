"""Recurrent networks over sequences: variables, losses, gradients, metrics and predictions from given values."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib.layers.python.layers import target_column
from tensorflow.contrib.learn.python.learn.estimators import dynamic_rnn_estimator

x = tf.contrib.layers.real_valued_column("inputs", dimension=3)
context = tf.contrib.layers.real_valued_column("context", dimension=2)
CLASSES, NUMBERS, ONE, EACH = 1, 2, 1, 2


def features():
    return {
        "inputs": tf.constant(np.arange(24.0).reshape(2, 4, 3) / 10, tf.float32),
        "context": tf.constant([[0.5, -1.0], [2.0, 0.1]]),
        "sequence_length": tf.constant([4, 2]),
    }


labels = {
    (CLASSES, ONE): np.array([[1], [2]]),
    (CLASSES, EACH): np.array([[0, 1, 2, 1], [2, 1, 0, 0]]),
    (NUMBERS, ONE): np.array([[1.0], [2.0]], np.float32),
    (NUMBERS, EACH): np.arange(8.0, dtype=np.float32).reshape(2, 4),
}
results = {}
for (problem, prediction), given in labels.items():
    for mode in ("train", "eval", "infer"):
        for cell, units in (("lstm", [4]), ("gru", [3, 2])):
            classes = problem == CLASSES
            target = target_column.multi_class_target(n_classes=3) if classes else target_column.regression_target()
            with tf.Graph().as_default(), tf.Session() as session:
                tf.train.create_global_step()
                model_fn = dynamic_rnn_estimator._get_dynamic_rnn_model_fn(
                    cell_type=cell,
                    num_units=units,
                    target_column=target,
                    problem_type=problem,
                    prediction_type=prediction,
                    optimizer="SGD",
                    sequence_feature_columns=[x],
                    context_feature_columns=[context],
                    predict_probabilities=classes,
                    learning_rate=0.1,
                    gradient_clipping_norm=5.0,
                )
                ops = model_fn(features(), None if mode == "infer" else tf.constant(given), mode)
                session.run(tf.global_variables_initializer())
                session.run(tf.local_variables_initializer())
                for i, variable in enumerate(tf.trainable_variables()):
                    size = int(np.prod(variable.shape.as_list()))
                    variable.load(0.3 * np.cos(np.arange(size) + i).reshape(variable.shape.as_list()), session)
                found = {
                    "names": [variable.op.name for variable in tf.trainable_variables()],
                    "predictions": session.run(ops.predictions),
                }
                if ops.loss is not None:
                    found["loss"] = session.run(ops.loss)
                if mode == "train":
                    session.run(ops.train_op)
                    found["trained"] = session.run(tf.trainable_variables())
                if mode == "eval" and ops.eval_metric_ops:
                    session.run({key: update for key, (_, update) in ops.eval_metric_ops.items()})
                    found["metrics"] = session.run({key: value for key, (value, _) in ops.eval_metric_ops.items()})
                results["%d %d %s %s" % (problem, prediction, mode, cell)] = found
