"""`keras.metrics` with those that ended with Keras 1, which look at batches by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.keras.backend_config import epsilon
from headrace.keras.losses import categorical_hinge as categorical_hinge
from headrace.keras.losses import logcosh as logcosh
from headrace.keras.metrics import MeanMetricWrapper as MeanMetricWrapper
from headrace.ops.math.cast import cast
from headrace.ops.math.clip import clip_by_value
from headrace.ops.math.comparison import equal
from headrace.ops.math.unary import round as rounded
from headrace.ops.math.unary import sqrt

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """How often labels and predictions are equal."""
    true = convert_to_tensor(y_true)
    return reduce_mean(cast(equal(true, cast(y_pred, true.dtype)), "float32"), axis=-1)


def _counts(y_true: TensorLike, y_pred: TensorLike) -> tuple[Tensor, Tensor, Tensor]:
    """How many are rightly positive, positive in truth, and predicted so."""

    def positive(values: TensorLike) -> Tensor:
        return reduce_sum(rounded(clip_by_value(convert_to_tensor(values), 0.0, 1.0)))

    true, predicted = convert_to_tensor(y_true), convert_to_tensor(y_pred)
    return positive(true * predicted), positive(true), positive(predicted)


def precision(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The share of those predicted positive that are, in the batch."""
    right, _, predicted = _counts(y_true, y_pred)
    return right / (predicted + epsilon())


def recall(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The share of the positive that are predicted so, in the batch."""
    right, true, _ = _counts(y_true, y_pred)
    return right / (true + epsilon())


def matthews_correlation(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """How well labels and predictions go together, from -1 to 1, in the batch (Matthews, 1975)."""
    true = rounded(clip_by_value(convert_to_tensor(y_true), 0.0, 1.0))
    predicted = rounded(clip_by_value(convert_to_tensor(y_pred), 0.0, 1.0))
    yes_yes, no_no = reduce_sum(true * predicted), reduce_sum((1 - true) * (1 - predicted))
    no_yes, yes_no = reduce_sum((1 - true) * predicted), reduce_sum(true * (1 - predicted))
    all_four = (yes_yes + no_yes) * (yes_yes + yes_no) * (no_no + no_yes) * (no_no + yes_no)
    return (yes_yes * no_no - no_yes * yes_no) / (sqrt(all_four) + epsilon())


def fbeta_score(y_true: TensorLike, y_pred: TensorLike, beta: float = 1) -> Tensor:
    """The weighted harmonic mean of precision and recall, in the batch.

    Args:
        y_true: labels of 0 and 1.
        y_pred: probabilities.
        beta: how much more recall weighs than precision.

    Raises:
        ValueError: if `beta` is negative.
    """
    if beta < 0:
        raise ValueError(f"The lowest choosable beta is zero (only precision), got {beta}.")
    exact, found = precision(y_true, y_pred), recall(y_true, y_pred)
    return (1 + beta**2) * (exact * found) / (beta**2 * exact + found + epsilon())


def fmeasure(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The harmonic mean of precision and recall, in the batch."""
    return fbeta_score(y_true, y_pred, beta=1)
