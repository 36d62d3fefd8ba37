"""Predictors of the estimator whose outputs are known."""

from __future__ import annotations

import operator

import pytest

import headrace as tf
from headrace.contrib.predictor.arithmetic_estimators import get_arithmetic_estimator, get_arithmetic_input_fn

OPERATIONS = {"sum": operator.add, "product": operator.mul, "difference": operator.sub}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("core", [True, False], ids=["estimator", "learn"])
def test_an_output(name, core, tmp_path):
    estimator = get_arithmetic_estimator(core=core, model_dir=str(tmp_path))
    features = get_arithmetic_input_fn(core=core)
    if core:
        predict = tf.contrib.predictor.from_estimator(estimator, features, output_key=name)
    else:
        predict = tf.contrib.predictor.from_contrib_estimator(estimator, features, output_alternative_key=name)
    # Sums, products and differences of halves are exact.
    assert predict({"x": 2.5, "y": 1.5})[name] == OPERATIONS[name](2.5, 1.5)


def test_features_for_training():
    features, labels = get_arithmetic_input_fn(train=True)()
    assert sorted(features) == ["x", "y"]
    assert labels is None
