"""Statistics of a series, kept in variables while batches of windows come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.timeseries.feature_keys import TrainEvalFeatures
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import DType, as_dtype, int64
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_max, reduce_min, reduce_sum
from headrace.functions.nn.moments import moments
from headrace.kernels.composing.arranging import identity
from headrace.kernels.composing.shapes import shape, size
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.argmax import argmin
from headrace.ops.math.binary import maximum, minimum
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import round
from headrace.state.initializers import Ones, Zeros
from headrace.state.updates import assign, assign_add
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike


class Moments(NamedTuple):
    """Mean and variance of each feature."""

    mean: Any
    variance: Any


class InputStatistics(NamedTuple):
    """What is known of a series: moments of its start and of all of it, its first time, and its length."""

    series_start_moments: Moments
    overall_feature_moments: Moments
    start_time: Any
    total_observation_count: Any


class _Totals:
    """Sums over the windows seen."""

    def __init__(self, num_features: int, dtype: DType) -> None:
        self.max_time_seen = _variable("max_time_seen", None, int64, int64.min)
        self.chunk_count = _variable("chunk_count", [], int64, Zeros())
        self.inter_observation_duration_sum = _variable("inter_observation_duration_sum", [], dtype, Zeros())
        self.example_count = _variable("example_count", [], int64, Zeros())
        self.overall_feature_sum = _variable("overall_feature_sum", [num_features], dtype, Zeros())
        self.overall_feature_sum_of_squares = _variable(
            "overall_feature_sum_of_squares", [num_features], dtype, Zeros()
        )

    def update(self, times: Tensor, values: Tensor, dtype: DType) -> Operation:
        """The operation that adds a batch of windows."""
        spans = cast(reduce_max(times, axis=1) - reduce_min(times, axis=1), dtype)
        durations = spans / cast(shape(times)[1] - 1, dtype)
        return group(
            assign(self.max_time_seen, maximum(self.max_time_seen, reduce_max(times))),
            assign_add(self.chunk_count, shape(times, out_type=int64)[0]),
            assign_add(self.inter_observation_duration_sum, reduce_sum(durations)),
            assign_add(self.example_count, size(times, out_type=int64)),
            assign_add(self.overall_feature_sum, reduce_sum(values, axis=[0, 1])),
            assign_add(self.overall_feature_sum_of_squares, reduce_sum(values**2, axis=[0, 1])),
        )


def _variable(name: str, sizes: list[int] | None, dtype: DType, initializer: Any) -> Any:
    return get_variable(name, sizes, dtype, initializer, trainable=False)


class InputStatisticsFromMiniBatch:
    """Statistics that adapt to the windows that training sees.

    Args:
        num_features: how many numbers a series has at a time.
        dtype: the type of values.
        starting_variance_window_size: how many observations the moments of the start are computed from.

    Example:
        >>> statistics = InputStatisticsFromMiniBatch(num_features=1, dtype=tf.float32)
        >>> times, values = tf.constant([[1, 2, 3]], tf.int64), tf.ones([1, 3, 1])
        >>> found = statistics.initialize_graph({"times": times, "values": values})
        >>> found.overall_feature_moments.mean.shape.as_list()
        [1]
    """

    def __init__(self, num_features: int, dtype: DTypeLike, starting_variance_window_size: int = 16) -> None:
        self._num_features, self._dtype = num_features, as_dtype(dtype)
        self._starting_window = starting_variance_window_size

    def initialize_graph(self, features: Mapping[str, TensorLike], update_statistics: bool = True) -> InputStatistics:
        """Makes the variables.

        Args:
            features: "times" [batch, window] and "values" [batch, window, features].
            update_statistics: whether reading the statistics adds the features to them first.
        """
        times: Any = cast(features[TrainEvalFeatures.TIMES], int64)
        values: Any = features.get(TrainEvalFeatures.VALUES)
        with variable_scope("input_statistics", use_resource=True):
            statistics = self._make_statistics()
        with variable_scope("input_statistics_auxiliary", use_resource=True):
            totals = _Totals(self._num_features, self._dtype)
        if not update_statistics:
            return statistics
        with control_dependencies([self._update(statistics, totals, times, values)]):
            # What reads the statistics waits for the update.
            read = InputStatistics(
                Moments(*(identity(part) for part in statistics.series_start_moments)),
                Moments(*(identity(part) for part in statistics.overall_feature_moments)),
                identity(statistics.start_time),
                identity(statistics.total_observation_count),
            )
        return read._replace(start_time=minimum(read.start_time, reduce_min(times)))

    def _make_statistics(self) -> InputStatistics:
        sizes, dtype = [self._num_features], self._dtype
        return InputStatistics(
            Moments(
                _variable("series_start_mean", sizes, dtype, Zeros()),
                _variable("series_start_variance", sizes, dtype, Ones()),
            ),
            Moments(
                _variable("overall_feature_mean", sizes, dtype, Zeros()),
                _variable("overall_feature_var", sizes, dtype, Ones()),
            ),
            _variable("start_time", None, int64, int64.max),
            _variable("total_observation_count", [], int64, Ones()),
        )

    def _update(self, statistics: InputStatistics, totals: _Totals, times: Tensor, values: Tensor) -> Operation:
        values = cast(values, self._dtype)
        summed = totals.update(times, values, self._dtype)
        with control_dependencies([summed]):
            count = cast(totals.example_count, self._dtype)
            mean = totals.overall_feature_sum / count
            of_mean = assign(statistics.overall_feature_moments.mean, mean)
            # The unbiased variance.
            correction = count / (count - 1.0)
            variance = correction * (totals.overall_feature_sum_of_squares / count - mean**2)
            of_variance = assign(statistics.overall_feature_moments.variance, variance)
            started = self._update_start(statistics, times, values)
            with control_dependencies([started]):
                start_time = assign(statistics.start_time, minimum(statistics.start_time, reduce_min(times)))
            with control_dependencies([start_time]):
                # The length of the series: its span in units of the average step.
                step = totals.inter_observation_duration_sum / cast(totals.chunk_count, self._dtype)
                span = cast(totals.max_time_seen - statistics.start_time + 1, self._dtype)
                length = cast(round(span / step), int64)
                counted = assign(statistics.total_observation_count, length)
        return group(summed, of_mean, of_variance, started, start_time, counted)

    def _update_start(self, statistics: InputStatistics, times: Tensor, values: Tensor) -> Operation:
        """Takes the moments of the window that starts first, if none before started earlier."""
        first = cast(argmin(times[:, 0], 0), "int32")

        def take() -> Operation:
            mean, variance = moments(values[first, : self._starting_window], axes=[0])
            return group(
                assign(statistics.series_start_moments.mean, mean),
                assign(statistics.series_start_moments.variance, variance),
            )

        return cond(times[first, 0] <= statistics.start_time, take, no_op)
