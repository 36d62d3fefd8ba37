"""Input functions for models of time series."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.timeseries.feature_keys import FilteringResults, PredictionFeatures, TrainEvalFeatures
from headrace.contrib.timeseries.model_utils import canonicalize_times_or_steps_from_output
from headrace.contrib.timeseries.readers import TimeSeriesReader
from headrace.core import nest
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import int64
from headrace.functions.array.gather import batch_gather
from headrace.functions.array.sort import argsort
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all, reduce_any
from headrace.input_queues.batching import batch, maybe_shuffle_batch
from headrace.input_queues.producers import limit_epochs
from headrace.kernels.composing.arranging import concat, identity
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.ops.random.uniform import random_uniform
from headrace.state.updates import assign, count_up_to, is_variable_initialized
from headrace.state.variables import VariableV1

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

_TIMES = TrainEvalFeatures.TIMES


class TimeSeriesInputFn(abc.ABC):
    """An input function for models of time series."""

    @abc.abstractmethod
    def create_batch(self) -> tuple[dict[str, Tensor], Any]:
        """(features [batch, window, ...] by name, None)."""

    def __call__(self) -> tuple[dict[str, Tensor], Any]:
        """What `create_batch` returns."""
        return self.create_batch()


class WholeDatasetInputFn(TimeSeriesInputFn):
    """Gives the whole series as one window, for evaluation.

    Args:
        time_series_reader: reads it.

    Example:
        >>> reader = tf.contrib.timeseries.NumpyReader({"times": np.arange(4), "values": np.arange(4.0)})
        >>> features, _ = tf.contrib.timeseries.WholeDatasetInputFn(reader)()
        >>> features["values"].shape.as_list()
        [1, 4, 1]
    """

    def __init__(self, time_series_reader: TimeSeriesReader) -> None:
        self._reader = time_series_reader

    def create_batch(self) -> tuple[dict[str, Tensor], Any]:
        """(features [1, window, ...] by name, None)."""
        return {key: value[None] for key, value in self._reader.read_full().items()}, None


class RandomWindowInputFn(TimeSeriesInputFn):
    """Gives batches of windows from places of the series in random order, for training.

    Args:
        time_series_reader: reads it.
        window_size: how many observations a window has.
        batch_size: how many windows a batch has.
        queue_capacity_multiplier: how many batches are kept at most.
        shuffle_min_after_dequeue_multiplier: out of how many batches at least windows are drawn.
        discard_out_of_order: whether windows with falling times are left out; else each is sorted.
        discard_consecutive_batches_limit: after how many of such in a row reading ends.
        jitter: whether windows come to start anywhere, as a record is left out now and then; else at multiples of their
            size.
        num_threads: how many threads read; with one and a seed the windows are the same in each run.
        shuffle_seed: where the random order starts.

    Raises:
        ValueError: if the series is known to be shorter than a window.

    Example:
        >>> reader = tf.contrib.timeseries.NumpyReader({"times": np.arange(99), "values": np.arange(99.0)})
        >>> features, _ = tf.contrib.timeseries.RandomWindowInputFn(reader, window_size=5, batch_size=2)()
        >>> features["values"].shape.as_list()
        [2, 5, 1]
    """

    def __init__(
        self,
        time_series_reader: TimeSeriesReader,
        window_size: int,
        batch_size: int,
        queue_capacity_multiplier: int = 1000,
        shuffle_min_after_dequeue_multiplier: int = 2,
        discard_out_of_order: bool = True,
        discard_consecutive_batches_limit: int = 1000,
        jitter: bool = True,
        num_threads: int = 2,
        shuffle_seed: int | None = None,
    ) -> None:
        time_series_reader.check_dataset_size(window_size)
        self._reader = time_series_reader
        self._window_size, self._batch_size = window_size, batch_size
        self._capacity, self._min_after_dequeue = queue_capacity_multiplier, shuffle_min_after_dequeue_multiplier
        self._discard, self._discard_limit = discard_out_of_order, discard_consecutive_batches_limit
        self._jitter, self._num_threads, self._seed = jitter, num_threads, shuffle_seed

    def create_batch(self) -> tuple[dict[str, Tensor], Any]:
        """(features [batch, window, ...] by name, None)."""
        windows = self._windows()
        if self._discard:
            keep = self._in_order(windows[_TIMES])
        else:
            windows, keep = self._sorted(windows), constant([True] * self._batch_size)
        capacity = self._capacity * self._batch_size
        drawn: Any = maybe_shuffle_batch(
            windows,  # type: ignore[arg-type]  # dicts are batched too
            self._batch_size,
            capacity=capacity,
            min_after_dequeue=self._min_after_dequeue * self._batch_size,
            keep_input=keep,
            num_threads=self._num_threads,
            seed=self._seed,
            enqueue_many=True,
            name="shuffle_batch",
        )
        return drawn, None

    def _windows(self) -> dict[str, Tensor]:
        """Records as consecutive windows, [batch, window, ...]."""
        records = self._reader.read()
        needed: Any = self._window_size * self._batch_size
        skipped: Any = 0
        if self._jitter:
            # One record before the windows is left out or none, so that these come to start elsewhere. The order
            # alone has the seed that was given.
            skipped = random_uniform([], maxval=2, dtype="int32")
            needed = needed + skipped
        capacity = self._capacity * self._batch_size * self._window_size
        following: Any = batch(records, batch_size=needed, capacity=capacity, enqueue_many=True)

        if self._jitter:
            following = {key: values[skipped:] for key, values in following.items()}

        def cut(values: Tensor) -> Tensor:
            windows = reshape(values, concat([[self._batch_size, self._window_size], shape(values)[1:]], 0))
            windows.set_shape([self._batch_size, self._window_size, *values.shape.as_list()[1:]])
            return windows

        return {key: cut(values) for key, values in following.items()}

    def _in_order(self, times: Tensor) -> Tensor:
        """Whether the times of each window rise; ends reading where they long do not."""
        keep = reduce_all(times[:, 1:] >= times[:, :-1], axis=1)
        discarded = VariableV1(
            constant(0, dtype=int64),
            name="discarded_windows_limiter",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )

        def count() -> Tensor:
            return cond(
                reduce_any(keep),
                lambda: assign(discarded, 0),
                lambda: count_up_to(discarded, self._discard_limit),
            )

        counted = cond(is_variable_initialized(discarded), count, lambda: constant(0, dtype=int64))
        with control_dependencies([counted]):
            return identity(keep)

    @staticmethod
    def _sorted(windows: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Each window by its times."""
        order = argsort(windows[_TIMES], axis=1)
        return {key: batch_gather(values, order) for key, values in windows.items()}


def predict_continuation_input_fn(
    evaluation: Mapping[str, Any],
    steps: int | None = None,
    times: Any = None,
    exogenous_features: Mapping[str, Any] | None = None,
) -> Callable[[], Any]:
    """An input function for predictions that follow an evaluation.

    Args:
        evaluation: what `Estimator.evaluate` returned.
        steps: how many times follow, each a unit after the one before; or None.
        times: the times, [series, window] or [window]; or None.
        exogenous_features: the exogenous features at those times, [series, window, ...].

    Raises:
        ValueError: if none or both of `steps` and `times` are given, or the times do not follow.

    Example:
        >>> evaluation = {"times": np.array([[1, 2]]), "start_tuple": (np.zeros([1, 3]),)}
        >>> features, _ = tf.contrib.timeseries.predict_continuation_input_fn(evaluation, steps=4)()
        >>> features["times"].shape.as_list()
        [1, 4]
    """
    following = canonicalize_times_or_steps_from_output(times, steps, evaluation)
    features: dict[str, Any] = {
        PredictionFeatures.STATE_TUPLE: evaluation[FilteringResults.STATE_TUPLE],
        PredictionFeatures.TIMES: following,
        **(exogenous_features or {}),
    }

    def predict_input_fn() -> tuple[dict[str, Any], None]:
        def once(value: Any) -> Tensor:
            given = value if isinstance(value, np.ndarray) else np.asarray(value)
            return limit_epochs(convert_to_tensor(given), num_epochs=1)

        limited = {
            key: nest.map_structure(once, value) if key == PredictionFeatures.STATE_TUPLE else once(value)
            for key, value in features.items()
        }
        return limited, None

    return predict_input_fn
