"""Arguments of estimators, metrics and layers in the places where 1.15 has them."""

import inspect

import numpy as np
import pytest

import headrace as tf
from headrace.contrib.learn import debug
from headrace.contrib.linear_optimizer.sdca_estimator import SDCALinearRegressor, SDCALogisticClassifier
from headrace.contrib.model_pruning.core_layers import MaskedConv2D, MaskedFullyConnected

COLUMNS = [tf.contrib.layers.real_valued_column("x")]


def _features():
    return {"id": tf.constant(["a", "b"]), "x": tf.constant([[1.0], [2.0]])}


def _classes():
    return _features(), tf.constant([[0], [1]])


def _numbers():
    return _features(), tf.constant([[1.0], [2.0]])


def test_classifiers_by_dual_ascent_predict_classes_and_probabilities(tmp_path):
    estimator = SDCALogisticClassifier("id", COLUMNS, model_dir=str(tmp_path))
    estimator.fit(input_fn=_classes, steps=3)
    predicted = list(estimator.predict(input_fn=_classes))
    assert list(estimator.predict_classes(_classes)) == [each["classes"] for each in predicted]
    for each, want in zip(estimator.predict_proba(_classes), predicted, strict=True):
        np.testing.assert_array_equal(each, want["probabilities"])


def test_regressors_by_dual_ascent_predict_scores(tmp_path):
    estimator = SDCALinearRegressor("id", COLUMNS, model_dir=str(tmp_path))
    estimator.fit(input_fn=_numbers, steps=30)
    # The weight w and the bias b for which (w + b - 1)^2 + (2 w + b - 2)^2 and w^2 + b^2 are the least: 2/3 and 1/3.
    np.testing.assert_allclose(list(estimator.predict_scores(_numbers)), [1.0, 5 / 3], rtol=1e-3)


def test_estimators_without_features_take_the_function_first(tmp_path):
    classifier = debug.DebugClassifier(model_dir=str(tmp_path / "classes"))
    classifier.fit(input_fn=_classes, steps=1)
    assert list(classifier.predict_classes(_classes)) == [0, 0]
    np.testing.assert_allclose(list(classifier.predict_proba(_classes)), [[0.5, 0.5]] * 2)
    regressor = debug.DebugRegressor(model_dir=str(tmp_path / "numbers"))
    regressor.fit(input_fn=_numbers, steps=1)
    assert len(list(regressor.predict_scores(_numbers))) == 2


def test_streaming_metrics_tell_predictions_first():
    metrics = tf.contrib.metrics
    for name in ("accuracy", "auc", "mean_iou", "true_positives", "sparse_recall_at_k"):
        function = getattr(metrics, f"streaming_{name}")
        for told in (inspect.signature(function).parameters, inspect.getfullargspec(function).args):
            assert list(told)[:2] == ["predictions", "labels"]


def test_layers_with_masks_have_no_constraints():
    zeros = tf.zeros_initializer()
    convolution = MaskedConv2D(
        4, 3, (1, 1), "same", "channels_last", (1, 1), None, True, None, zeros, None, None, None, False, "conv"
    )
    dense = MaskedFullyConnected(4, None, True, None, zeros, None, None, None, False, "dense")
    for layer, name in ((convolution, "conv"), (dense, "dense")):
        assert (layer.name, layer.trainable) == (name, False)
    for layer in (MaskedConv2D, MaskedFullyConnected):
        with pytest.raises(TypeError, match="not understood:', 'kernel_constraint"):
            layer(3, *[3][: layer is MaskedConv2D], kernel_constraint=abs)


def test_support_vector_machines_take_outputs_before_the_kind_of_result():
    told = inspect.signature(tf.contrib.learn.SVM.predict_proba).parameters
    assert list(told)[-2:] == ["outputs", "as_iterable"]
