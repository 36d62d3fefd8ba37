"""Estimators made of SavedModels."""

import numpy as np
import pytest

import headrace as tf

VALUES = np.float32([[1.0], [2.0], [3.0]])


def _model(features, labels, mode):
    weight = tf.get_variable("weight", [1, 1], initializer=tf.constant_initializer(0.5))
    product = tf.matmul(features["x"], weight)
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": product})}
        return tf.estimator.EstimatorSpec(mode, predictions={"y": product}, export_outputs=outputs)
    loss = tf.reduce_mean(tf.square(product - labels))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def _examples():
    return tf.data.Dataset.from_tensors(({"x": VALUES}, 2.0 * VALUES))


def _requests():
    x = tf.placeholder(tf.float32, [None, 1])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


@pytest.mark.parametrize("steps", [0, 1])
def test_a_model_is_exported_again_trained_further_or_not(tmp_path, steps):
    contrib = tf.contrib.estimator
    original = tf.estimator.Estimator(_model, str(tmp_path / "first"))
    original.train(_examples, steps=1)
    labelled = contrib.build_supervised_input_receiver_fn_from_input_fn(_examples)
    receivers = {"train": labelled, "infer": _requests}
    saved = contrib.export_all_saved_models(original, str(tmp_path / "export"), receivers).decode()
    estimator = contrib.SavedModelEstimator(saved, str(tmp_path / "second"))
    if steps:
        estimator.train(_examples, steps=steps)
    again = estimator.export_saved_model(str(tmp_path / "again"), _requests).decode()
    # The slope of the mean of squares: 2 x (w x - 2 x), on average 28 / 3 (w - 2).
    weight = 0.5
    for _ in range(1 + steps):
        weight -= 0.1 * (weight - 2.0) * 28.0 / 3.0
    found = tf.contrib.predictor.from_saved_model(again)({"x": VALUES})["y"]
    np.testing.assert_allclose(found, weight * VALUES, rtol=1e-5)


def test_a_model_that_starts_from_nothing_has_nothing_to_export(tmp_path):
    estimator = tf.estimator.Estimator(_model, str(tmp_path / "model"))
    with pytest.raises(ValueError, match="Couldn't find trained model"):
        estimator.export_saved_model(str(tmp_path / "export"), _requests)
