"""Where the state at the start of a window comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.feature_keys import FilteringFeatures, TrainEvalFeatures
from headrace.contrib.timeseries.input_statistics import InputStatistics
from headrace.contrib.timeseries.model import ModelOutputs, TimeSeriesModel
from headrace.contrib.timeseries.sequential_model import SequentialTimeSeriesModel
from headrace.contrib.timeseries.tensor_tables import TupleOfTensorsLookup
from headrace.core import nest
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import int64
from headrace.functions.array.where import boolean_mask
from headrace.kernels.composing.arranging import concat, identity
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import not_equal

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

_TRAIN = "train"


class PassthroughStateManager:
    """Starts each window with the state at the start of a series."""

    def __init__(self) -> None:
        self._input_statistics: InputStatistics | None = None
        self._graph_initialized = False

    def initialize_graph(self, model: TimeSeriesModel, input_statistics: InputStatistics | None = None) -> None:
        """Makes what model and manager need in the default graph.

        Args:
            model: the model.
            input_statistics: of the series.
        """
        self._graph_initialized = True
        self._input_statistics = input_statistics
        model.initialize_graph(input_statistics)

    def define_loss(self, model: TimeSeriesModel, features: Mapping[str, TensorLike], mode: str) -> ModelOutputs:
        """The loss of windows.

        Args:
            model: the model.
            features: "times", "values" and exogenous features.
            mode: a `tf.estimator.ModeKeys`.
        """
        return model.define_loss(features, mode)


class _OverridableStateManager(PassthroughStateManager):
    """Takes the state of the features where there is one."""

    def _define_loss_with_saved_state(
        self, model: TimeSeriesModel, features: Mapping[str, TensorLike], mode: str
    ) -> ModelOutputs:
        """The loss of windows without a state among the features."""
        return model.define_loss(features, mode)

    def define_loss(self, model: TimeSeriesModel, features: Mapping[str, Any], mode: str) -> ModelOutputs:
        """As of `PassthroughStateManager`; the features may hold "start_tuple", a state, except in training.

        Raises:
            ValueError: for a state in training.
        """
        if FilteringFeatures.STATE_TUPLE not in features:
            return self._define_loss_with_saved_state(model, features, mode)
        if mode == _TRAIN:
            raise ValueError(
                "Overriding saved state for training is not supported (but a value for feature "
                f"{FilteringFeatures.STATE_TUPLE} was specified)."
            )
        others = {key: value for key, value in features.items() if key != FilteringFeatures.STATE_TUPLE}
        return model.get_batch_loss(features=others, mode=mode, state=features[FilteringFeatures.STATE_TUPLE])


class FilteringOnlyStateManager(_OverridableStateManager):
    """Starts each window with the state at the start of a series, or with that among the features."""


class ChainingStateManager(_OverridableStateManager):
    """Starts each window of training with what an earlier one had come to there.

    The series is cut into chunks of time. When a window goes over the end of one, the state there is kept in a table; a
    window that begins in the next chunk starts with it.

    Args:
        state_saving_interval: how long a chunk is, in units of time.
        checkpoint_state: whether the table is saved in checkpoints.
    """

    def __init__(self, state_saving_interval: int = 20, checkpoint_state: bool = False) -> None:
        super().__init__()
        self._interval, self._checkpoint_state = state_saving_interval, checkpoint_state
        self._start_time: Any = None
        self._cached_states: TupleOfTensorsLookup | None = None

    def initialize_graph(self, model: TimeSeriesModel, input_statistics: InputStatistics | None = None) -> None:
        """As of `PassthroughStateManager`; makes the table.

        Raises:
            TypeError: for a model without states of single times.
        """
        super().initialize_graph(model, input_statistics)
        if not isinstance(model, SequentialTimeSeriesModel):
            raise TypeError(f"ChainingStateManager is for sequential models, not for {type(model).__name__}.")
        self._start_time = 0 if input_statistics is None else input_statistics.start_time
        self._cached_states = TupleOfTensorsLookup(
            key_dtype=int64,
            default_values=model.get_start_state(),
            empty_key=-1,
            deleted_key=-2,
            name="cached_states",
            checkpoint=self._checkpoint_state,
        )

    def _define_loss_with_saved_state(
        self, model: TimeSeriesModel, features: Mapping[str, TensorLike], mode: str
    ) -> ModelOutputs:
        times = cast(features[TrainEvalFeatures.TIMES], int64)
        start = self._get_cached_states(times)
        if mode != _TRAIN:
            return model.get_batch_loss(features, mode, start)
        assert isinstance(model, SequentialTimeSeriesModel), "checked when the graph was initialized"
        outputs, states = model.batch_loss_and_states(features, mode, start)
        with control_dependencies([self._update_cached_states(times, states)]):
            return outputs._replace(loss=identity(outputs.loss))

    def _get_chunk_number(self, time: Tensor) -> Tensor:
        return maximum((time - self._start_time) // self._interval, 0)

    def _get_cached_states(self, times: Tensor) -> Any:
        """The states to start windows with."""
        assert self._cached_states is not None, "the graph was not initialized"
        return self._cached_states.lookup(self._get_chunk_number(times[:, 0]))

    def _update_cached_states(self, times: Tensor, states: Any) -> Any:
        """The operation that keeps the states at the ends of chunks."""
        assert self._cached_states is not None, "the graph was not initialized"
        chunks = self._get_chunk_number(times)
        ends = reshape(not_equal(chunks[:, 1:], chunks[:, :-1]), [-1])
        keys = boolean_mask(reshape(chunks[:, 1:], [-1]), ends)

        def at_ends(part: Tensor) -> Tensor:
            flat = reshape(part[:, :-1], concat([[-1], shape(part)[2:]], 0))
            return boolean_mask(flat, ends)

        return self._cached_states.insert(keys, nest.map_structure(at_ends, states))
