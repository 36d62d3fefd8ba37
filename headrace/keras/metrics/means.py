"""Sums and means of what batches bring, and of what a function makes of labels and predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import control_dependencies
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_mean, reduce_sum
from headrace.functions.squeezing import remove_squeezable_dimensions
from headrace.functions.weights import broadcast_weights
from headrace.keras.backend.sessions import batch_set_value, get_value
from headrace.keras.metrics.base import Metric
from headrace.keras.utils.losses_utils import squeeze_or_expand_dimensions
from headrace.keras.utils.metrics_utils import Reduction, ragged_assert_compatible_and_get_flat_values
from headrace.kernels.composing.filling import ones_like
from headrace.kernels.composing.shapes import size
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div_no_nan
from headrace.state.scoping import init_scope
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


def _weighted(values: Tensor, weights: Any, reduce: Callable[..., Tensor]) -> tuple[Tensor, Tensor]:
    """Values and weights of one shape; where weights are of the first dimensions only, the others of the values go."""
    values, weights = squeeze_or_expand_dimensions(values, None, weights)
    try:
        weights = broadcast_weights(weights, values)
    except ValueError:
        if values.dims is None or weights.dims is None:
            raise
        values = reduce(values, axis=list(range(len(weights.dims), len(values.dims))))
    return values, weights


class Reduce(Metric):
    """A sum or a mean of values, whose variables are `total` and, for means, `count`.

    Args:
        reduction: one of `Reduction`.
        name, dtype: as in `Metric`.
    """

    def __init__(self, reduction: Reduction, name: str | None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.reduction = reduction
        self.total = self.add_weight("total", initializer="zeros")
        if reduction in (Reduction.SUM_OVER_BATCH_SIZE, Reduction.WEIGHTED_MEAN):
            self.count = self.add_weight("count", initializer="zeros")

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds values.

        Args:
            values: a tensor.
            sample_weight: a weight for each of them, or for each of the first dimensions.

        Returns:
            the operation that does so.
        """
        values, sample_weight = ragged_assert_compatible_and_get_flat_values(values, sample_weight)
        values = cast(values, self._dtype)
        if sample_weight is not None:
            reduce = reduce_sum if self.reduction is Reduction.SUM else reduce_mean
            values, sample_weight = _weighted(values, cast(sample_weight, self._dtype), reduce)
            values = values * sample_weight
        total = self.total.assign_add(reduce_sum(values))
        if self.reduction is Reduction.SUM:
            return total
        if sample_weight is not None and self.reduction is Reduction.WEIGHTED_MEAN:
            number = reduce_sum(sample_weight)
        else:
            number = cast(size(values), self._dtype)
        with control_dependencies([] if executing_eagerly() else [total]):
            return self.count.assign_add(number)

    def result(self) -> Any:
        """The sum or mean of the values so far."""
        return raw.Identity(self.total) if self.reduction is Reduction.SUM else div_no_nan(self.total, self.count)


class Sum(Reduce):
    """The sum of values, times their weights.

    Args:
        name, dtype: as in `Metric`.

    Example:
        >>> total = tf.keras.metrics.Sum()
        >>> total([1.0, 3.0], sample_weight=[1.0, 0.0])
    """

    def __init__(self, name: str = "sum", dtype: DTypeLike | None = None) -> None:
        super().__init__(Reduction.SUM, name, dtype=dtype)


class Mean(Reduce):
    """The mean of values, weighted if weights are given.

    Args:
        name, dtype: as in `Metric`.

    Example:
        >>> mean = tf.keras.metrics.Mean()
        >>> mean([1.0, 3.0], sample_weight=[1.0, 0.0])
    """

    def __init__(self, name: str = "mean", dtype: DTypeLike | None = None) -> None:
        super().__init__(Reduction.WEIGHTED_MEAN, name, dtype=dtype)


class SumOverBatchSize(Reduce):
    """The sum of values, times their weights, over their number.

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "sum_over_batch_size", dtype: DTypeLike | None = None) -> None:
        super().__init__(Reduction.SUM_OVER_BATCH_SIZE, name, dtype=dtype)


class _OfFunction(Reduce):
    """The mean of what a function makes of labels and predictions."""

    _fn: Callable[..., Any]
    _fn_kwargs: dict[str, Any]

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]  # each metric says what a batch is
        """Adds a batch.

        Args:
            y_true: labels.
            y_pred: predictions.
            sample_weight: a weight for each example or value.

        Returns:
            the operation that does so.
        """
        y_true, y_pred = cast(y_true, self._dtype), cast(y_pred, self._dtype)
        (y_true, y_pred), sample_weight = ragged_assert_compatible_and_get_flat_values([y_true, y_pred], sample_weight)
        y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        return super().update_state(self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight=sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {**super().get_config(), **{key: _plain(value) for key, value in self._fn_kwargs.items()}}


def _plain(value: Any) -> Any:
    return get_value(value) if isinstance(value, (Tensor, Variable)) else value


class MeanMetricWrapper(_OfFunction, Mean):
    """The weighted mean of what a function makes of labels and predictions.

    Args:
        fn: a function of labels, predictions and further arguments.
        name, dtype: as in `Metric`.
        **kwargs: the further arguments.
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        Mean.__init__(self, name=name, dtype=dtype)  # type: ignore[arg-type]  # a name may be left to be made
        self._fn = fn
        self._fn_kwargs = kwargs


class SumOverBatchSizeMetricWrapper(_OfFunction, SumOverBatchSize):
    """The sum of what a function makes of labels and predictions, times weights, over the number of examples.

    Args:
        fn: a function of labels, predictions and further arguments.
        name, dtype: as in `Metric`.
        **kwargs: the further arguments.
    """

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: DTypeLike | None = None, **kwargs: Any
    ) -> None:
        SumOverBatchSize.__init__(self, name=name, dtype=dtype)  # type: ignore[arg-type]  # a name may be left to be made
        self._fn = fn
        self._fn_kwargs = kwargs


class MeanRelativeError(Mean):
    """The mean of the absolute differences of labels and predictions, each over a normalizer, 0 where that is 0.

    Args:
        normalizer: a tensor of the shape of the predictions.
        name, dtype: as in `Metric`.
    """

    def __init__(self, normalizer: TensorLike, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)  # type: ignore[arg-type]  # a name may be left to be made
        self.normalizer = cast(normalizer, self._dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]  # each metric says what a batch is
        """Adds a batch of labels and predictions, with a weight for each; returns the operation that does so."""
        y_true, y_pred = cast(y_true, self._dtype), cast(y_pred, self._dtype)
        (y_true, y_pred), sample_weight = ragged_assert_compatible_and_get_flat_values([y_true, y_pred], sample_weight)
        y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        y_pred, normalizer = remove_squeezable_dimensions(y_pred, self.normalizer)
        y_pred.get_shape().assert_is_compatible_with(y_true.get_shape())
        errors = div_no_nan(raw.Abs(y_true - y_pred), normalizer)
        return super().update_state(errors, sample_weight=sample_weight)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {**super().get_config(), "normalizer": _plain(self.normalizer)}


class RootMeanSquaredError(Mean):
    """The root of the mean of the squared differences of labels and predictions.

    Args:
        name, dtype: as in `Metric`.
    """

    def __init__(self, name: str = "root_mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype=dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]  # each metric says what a batch is
        """Adds a batch of labels and predictions, with a weight for each; returns the operation that does so."""
        y_true, y_pred = cast(y_true, self._dtype), cast(y_pred, self._dtype)
        y_pred, y_true = squeeze_or_expand_dimensions(y_pred, y_true)
        return super().update_state(raw.SquaredDifference(y_pred, y_true), sample_weight=sample_weight)

    def result(self) -> Any:
        """The root of the mean so far."""
        return raw.Sqrt(div_no_nan(self.total, self.count))


class MeanTensor(Metric):
    """The mean of tensors of one shape, element by element, whose variables, `total` and `count`, the first update makes.

    Args:
        name, dtype: as in `Metric`.

    Example:
        >>> mean = tf.keras.metrics.MeanTensor()
        >>> mean.update_state([0.0, 1.0]); mean.update_state([2.0, 3.0])
        >>> mean.result()
    """

    def __init__(self, name: str = "mean_tensor", dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self._shape: Any = None
        self._total: Any = None
        self._count: Any = None
        self._built = False

    def _build(self, shape: ShapeLike) -> None:
        self._shape = shape
        with init_scope():
            self._total = self.add_weight("total", shape=shape, initializer="zeros")
            self._count = self.add_weight("count", shape=shape, initializer="zeros")
        self._built = True

    @property
    def total(self) -> Any:
        """The sums, None before the first update."""
        return self._total if self._built else None

    @property
    def count(self) -> Any:
        """The sums of weights, None before the first update."""
        return self._count if self._built else None

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds a tensor.

        Args:
            values: the tensor.
            sample_weight: a weight for each of its elements, or of the first dimensions.

        Returns:
            the operation that does so.

        Raises:
            ValueError: if it has another shape than the first.
        """
        values = cast(values, self._dtype)
        if not self._built:
            self._build(values.get_shape())
        elif values.get_shape() != self._shape:
            raise ValueError(
                "MeanTensor input values must always have the same shape. Expected shape (set during the first call): "
                f"{self._shape}. Got: {values.get_shape()}"
            )
        number = ones_like(values)
        if sample_weight is not None:
            values, sample_weight = _weighted(values, cast(sample_weight, self._dtype), reduce_mean)
            number = number * sample_weight
            values = values * sample_weight
        total = self._total.assign_add(values)
        with control_dependencies([] if executing_eagerly() else [total]):
            return self._count.assign_add(number)

    def result(self) -> Any:
        """The mean so far.

        Raises:
            ValueError: before the first update.
        """
        if not self._built:
            raise ValueError(
                "MeanTensor does not have any result yet. Please call the MeanTensor instance or use "
                "`.update_state(value)` before retrieving the result."
            )
        return div_no_nan(self.total, self.count)

    def reset_states(self) -> None:
        """Sets its variables to 0."""
        if self._built:
            batch_set_value([(v, np.zeros(self._shape.as_list())) for v in self.variables])
