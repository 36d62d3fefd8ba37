"""The losses as metrics: their means over all batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.keras.loss_functions import (
    binary_crossentropy,
    categorical_crossentropy,
    categorical_hinge,
    cosine_proximity,
    hinge,
    kullback_leibler_divergence,
    logcosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from headrace.keras.metrics.means import MeanMetricWrapper

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class MeanSquaredError(MeanMetricWrapper):
    """The mean of the squared differences.

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(mean_squared_error, name, dtype=dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of the absolute differences.

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "mean_absolute_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(mean_absolute_error, name, dtype=dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of the absolute differences in percents of the labels.

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "mean_absolute_percentage_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(mean_absolute_percentage_error, name, dtype=dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of the squared differences of log(1 + value).

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "mean_squared_logarithmic_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(mean_squared_logarithmic_error, name, dtype=dtype)


class Hinge(MeanMetricWrapper):
    """The mean of max(0, 1 - label * prediction).

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(hinge, name, dtype=dtype)


class SquaredHinge(MeanMetricWrapper):
    """The mean of the squares of max(0, 1 - label * prediction).

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "squared_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(squared_hinge, name, dtype=dtype)


class CategoricalHinge(MeanMetricWrapper):
    """The mean of max(0, 1 + the largest prediction of another class - that of the class itself).

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "categorical_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(categorical_hinge, name, dtype=dtype)


class LogCoshError(MeanMetricWrapper):
    """The mean of log(cosh(difference)).

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "logcosh", dtype: DTypeLike | None = None) -> None:
        super().__init__(logcosh, name, dtype=dtype)


class Poisson(MeanMetricWrapper):
    """The mean of prediction - label * log(prediction).

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "poisson", dtype: DTypeLike | None = None) -> None:
        super().__init__(poisson, name, dtype=dtype)


class KLDivergence(MeanMetricWrapper):
    """The mean over examples of the sum of label * log(label / prediction).

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "kullback_leibler_divergence", dtype: DTypeLike | None = None) -> None:
        super().__init__(kullback_leibler_divergence, name, dtype=dtype)


class CosineSimilarity(MeanMetricWrapper):
    """The mean cosine of the angles between labels and predictions.

    Args:
        name, dtype: as in `Metric`.
        axis: the dimension along which the vectors lie.
    """

    def __init__(self, name: str = "cosine_similarity", dtype: DTypeLike | None = None, axis: int = -1) -> None:
        super().__init__(cosine_proximity, name, dtype=dtype, axis=axis)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean of the cross entropies of two classes.

    Args:
        name, dtype: as in `Metric`.
        from_logits: whether predictions are logits.
        label_smoothing: the share of the labels that is spread over both classes.
    """

    def __init__(
        self,
        name: str = "binary_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float | TensorLike = 0,
    ) -> None:
        super().__init__(
            binary_crossentropy, name, dtype=dtype, from_logits=from_logits, label_smoothing=label_smoothing
        )


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean of the cross entropies of distributions over classes.

    Args:
        name, dtype: as in `Metric`.
        from_logits: whether predictions are logits.
        label_smoothing: the share of the labels that is spread over all classes.
    """

    def __init__(
        self,
        name: str = "categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        label_smoothing: float | TensorLike = 0,
    ) -> None:
        super().__init__(
            categorical_crossentropy, name, dtype=dtype, from_logits=from_logits, label_smoothing=label_smoothing
        )


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean of the cross entropies of classes and distributions over classes.

    Args:
        name, dtype: as in `Metric`.
        from_logits: whether predictions are logits.
        axis: the dimension of the classes.
    """

    def __init__(
        self,
        name: str = "sparse_categorical_crossentropy",
        dtype: DTypeLike | None = None,
        from_logits: bool = False,
        axis: int = -1,
    ) -> None:
        super().__init__(sparse_categorical_crossentropy, name, dtype=dtype, from_logits=from_logits, axis=axis)
