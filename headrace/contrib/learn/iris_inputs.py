"""What tests of estimators share: the irises as inputs, and checks of estimators and of their metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.learn.trainable import Evaluable, Trainable
from headrace.core.dtypes import float32, int32
from headrace.datasets.csv_tables import Dataset, load_iris
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

_METHODS = ("fit", "partial_fit", "evaluate", "predict", "get_variable_names", "get_variable_value")


def get_quantile_based_buckets(feature_values: Any, num_buckets: int) -> list[Any]:
    """Boundaries between which about as many of the values lie each.

    Args:
        feature_values: numbers.
        num_buckets: how many boundaries there are; below the first of them and between two lie equal shares.

    Returns:
        the boundaries.
    """
    shares = np.arange(1.0, num_buckets + 1) / (num_buckets + 1.0)
    return [float(value) for value in np.percentile(feature_values, 100 * shares)]


def prepare_iris_data_for_logistic_regression() -> Dataset:
    """The first two kinds of irises, one hundred flowers: features, and 0 or 1 as targets."""
    iris = load_iris()
    binary = iris.target < 2
    return Dataset(iris.data[binary], iris.target[binary])


def _inputs(irises: Dataset) -> tuple[dict[str, Tensor], Tensor]:
    return {"feature": constant(irises.data, dtype=float32)}, constant(irises.target.reshape([-1, 1]), dtype=int32)


def iris_input_multiclass_fn() -> tuple[dict[str, Tensor], Tensor]:
    """All irises as an input function gives them: `feature` [150, 4] and labels [150, 1]."""
    return _inputs(load_iris())


def iris_input_logistic_fn() -> tuple[dict[str, Tensor], Tensor]:
    """The irises of two kinds as an input function gives them: `feature` [100, 4] and labels [100, 1]."""
    return _inputs(prepare_iris_data_for_logistic_regression())


def assert_estimator_contract(tester: Any, estimator_class: type) -> None:
    """Has a test case assert that a class is an estimator with all that callers expect of one.

    Args:
        tester: the test case.
        estimator_class: the class.
    """
    check = tester.assertTrue
    for base in (Evaluable, Trainable):
        check(issubclass(estimator_class, base))
    for method in _METHODS:
        check(method in dir(estimator_class))


def assert_in_range(min_value: float, max_value: float, key: str, metrics: Mapping[str, Any]) -> None:
    """Raises ValueError unless the metric of a name lies between two numbers, ends included."""
    actual = metrics[key]
    if actual < min_value:
        raise ValueError(f"{key}: {actual} < {min_value}.")
    if actual > max_value:
        raise ValueError(f"{key}: {actual} > {max_value}.")
