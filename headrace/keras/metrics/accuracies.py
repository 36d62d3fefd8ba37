"""How often predictions are right: functions, which say it of each example, and metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.functions.math.reduction import reduce_mean
from headrace.keras.backend_config import floatx
from headrace.keras.metrics.means import MeanMetricWrapper
from headrace.kernels.composing.shapes import squeeze
from headrace.ops.math.cast import cast
from headrace.ops.nn.topk import in_top_k

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


def _rank(tensor: Tensor) -> int | None:
    return None if tensor.dims is None else len(tensor.dims)


def accuracy(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Whether predictions equal labels, as 1 and 0.

    Args:
        y_true: labels.
        y_pred: predictions of that shape.

    Raises:
        ValueError: if the shapes do not fit.
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    y_pred.get_shape().assert_is_compatible_with(y_true.get_shape())
    return cast(raw.Equal(y_true, cast(y_pred, y_true.dtype)), floatx())


def binary_accuracy(y_true: TensorLike, y_pred: TensorLike, threshold: float = 0.5) -> Any:
    """How often predictions are on the labels' side of a threshold, for each example.

    Args:
        y_true: labels of 0 and 1.
        y_pred: predictions.
        threshold: predictions above it are for 1.
    """
    y_pred = convert_to_tensor(y_pred)
    positive = cast(raw.Greater(y_pred, cast(threshold, y_pred.dtype)), y_pred.dtype)
    return reduce_mean(cast(raw.Equal(cast(y_true, y_pred.dtype), positive), floatx()), axis=-1)


def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Whether the largest prediction is where the label has its one, as 1 and 0.

    Args:
        y_true: one-hot labels.
        y_pred: predictions for all classes.
    """
    return cast(raw.Equal(raw.ArgMax(y_true, -1), raw.ArgMax(y_pred, -1)), floatx())


def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Any:
    """Whether the largest prediction is that of the label, as 1 and 0.

    Args:
        y_true: labels, the numbers of classes; they may have a last dimension of 1.
        y_pred: predictions for all classes.
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    if _rank(y_true) is not None and _rank(y_true) == _rank(y_pred):
        y_true = squeeze(y_true, [-1])
    return cast(raw.Equal(y_true, cast(raw.ArgMax(y_pred, -1), y_true.dtype)), floatx())


def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Any:
    """Whether the prediction where the label has its one is among the `k` largest, as 1 and 0.

    Args:
        y_true: one-hot labels.
        y_pred: predictions for all classes.
        k: how many count.
    """
    return cast(in_top_k(y_pred, raw.ArgMax(y_true, -1), k), floatx())


def sparse_top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Any:
    """Whether the prediction for the label is among the `k` largest, as 1 and 0.

    Args:
        y_true: labels, the numbers of classes.
        y_pred: predictions for all classes.
        k: how many count.
    """
    y_true, y_pred = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    labels, predictions = _rank(y_true), _rank(y_pred)
    if labels is not None and predictions is not None:
        if predictions > 2:
            y_pred = raw.Reshape(y_pred, [-1, y_pred.get_shape()[-1]])
        if labels == 2:
            y_true = squeeze(y_true, [-1])
        elif labels > 2:
            y_true = raw.Reshape(y_true, [-1])
    return cast(in_top_k(y_pred, cast(y_true, "int32"), k), floatx())


class Accuracy(MeanMetricWrapper):
    """How often predictions equal labels.

    Args:
        name, dtype: as in `Metric`.

    Example:
        >>> tf.keras.metrics.Accuracy()([1, 2, 3, 4], [0, 2, 3, 4])
    """

    def __init__(self, name: str = "accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(accuracy, name, dtype=dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """How often predictions are on the labels' side of a threshold.

    Args:
        name, dtype: as in `Metric`.
        threshold: predictions above it are for 1.
    """

    def __init__(self, name: str = "binary_accuracy", dtype: DTypeLike | None = None, threshold: float = 0.5) -> None:
        super().__init__(binary_accuracy, name, dtype=dtype, threshold=threshold)


class CategoricalAccuracy(MeanMetricWrapper):
    """How often the largest prediction is where the label has its one.

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(categorical_accuracy, name, dtype=dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """How often the largest prediction is that of the label.

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "sparse_categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype=dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the prediction where the label has its one is among the `k` largest.

    Args:
        k: how many count.
        name, dtype: as in `Metric`.
    """

    def __init__(self, k: int = 5, name: str = "top_k_categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype=dtype, k=k)


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the prediction for the label is among the `k` largest.

    Args:
        k: how many count.
        name, dtype: as in `Metric`.
    """

    def __init__(
        self, k: int = 5, name: str = "sparse_top_k_categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype=dtype, k=k)
