"""Models that go over a series step by step with a state."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.feature_keys import PredictionFeatures, TrainEvalFeatures
from headrace.contrib.timeseries.model import ModelOutputs, TimeSeriesModel
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int64
from headrace.core.shapes import TensorShape
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_prod, reduce_sum
from headrace.kernels.composing.arranging import stack, transpose
from headrace.kernels.composing.shapes import expand_dims, rank, shape
from headrace.ops.array.constant import constant
from headrace.ops.array.where import where_v2
from headrace.ops.math.cast import cast
from headrace.state.current_scope import get_variable_scope
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike

Step = Callable[[Any, Any, Any], tuple[Any, dict[str, Any]]]


class SequentialTimeSeriesModel(TimeSeriesModel):
    """A model with a state, which each observation changes.

    Args:
        train_output_names, predict_output_names: what filtering, and predicting, gives.
        num_features: how many numbers there are at a time.
        normalize_features: whether the model sees normalized values.
        dtype: the type of numbers.
        exogenous_feature_columns: columns of `tf.feature_column` for features that are given.
        exogenous_update_condition: of times [batch] and features at these times; whether they change the state, a
            boolean [batch]. They always do by default.
        static_unrolling_window_size_threshold: windows of a known size below this are gone over without a loop.
    """

    def __init__(
        self,
        train_output_names: Sequence[str],
        predict_output_names: Sequence[str],
        num_features: int,
        normalize_features: bool = False,
        dtype: DTypeLike = float32,
        exogenous_feature_columns: Iterable[Any] | None = None,
        exogenous_update_condition: Callable[..., Any] | None = None,
        static_unrolling_window_size_threshold: int | None = None,
    ) -> None:
        super().__init__(num_features, exogenous_feature_columns, dtype)
        self._train_output_names, self._predict_output_names = train_output_names, predict_output_names
        self._normalizes = normalize_features
        self._update_condition = exogenous_update_condition
        self._unrolling_threshold = static_unrolling_window_size_threshold

    # ---- what a model says ----

    @abc.abstractmethod
    def _filtering_step(
        self, current_times: Tensor, current_values: Tensor, state: Any, predictions: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """The state after an observation, and outputs by name with the "loss" [batch].

        Args:
            current_times: [batch].
            current_values: [batch, features].
            state: at that time, before the observation.
            predictions: what was predicted of it.
        """

    @abc.abstractmethod
    def _prediction_step(self, current_times: Tensor, state: Any) -> tuple[Any, dict[str, Any]]:
        """The state, and predictions by name of an observation at its time."""

    @abc.abstractmethod
    def _imputation_step(self, current_times: Tensor, state: Any) -> Any:
        """The state brought to a later time, without observations between."""

    @abc.abstractmethod
    def _exogenous_input_step(self, current_times: Tensor, current_exogenous_regressors: Tensor, state: Any) -> Any:
        """The state changed by exogenous features [batch, size]."""

    def _loss_additions(self, times: Tensor, values: Tensor, mode: str) -> Any:
        """What the model adds to the loss."""
        return 0.0

    def _window_initializer(self, times: Tensor, state: Any) -> None:
        """Called before the steps over a window, to compute what all share."""

    def _scale_back_predictions(self, predictions: dict[str, Any]) -> dict[str, Any]:
        """Predictions in the units of the series."""
        assert not self._normalizes, "a model of normalized values scales its predictions back"
        return predictions

    # ---- losses and predictions ----

    def get_batch_loss(self, features: Mapping[str, TensorLike], mode: str, state: Any) -> ModelOutputs:
        """The loss of windows, the mean over all observations.

        Args:
            features: "times", "values" and exogenous features.
            mode: a `tf.estimator.ModeKeys`.
            state: before the windows.
        """
        return self.batch_loss_and_states(features, mode, state)[0]

    def batch_loss_and_states(
        self, features: Mapping[str, TensorLike], mode: str, state: Any
    ) -> tuple[ModelOutputs, Any]:
        """What `get_batch_loss` returns, and the states after each observation, [batch, window, ...]."""
        times = cast(features[TrainEvalFeatures.TIMES], int64)
        values = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        losses, states, outputs = self.per_step_batch_loss(features, mode, state)
        loss = reduce_sum(losses) / cast(reduce_prod(shape(times)), self.dtype)
        loss = loss + convert_to_tensor(self._loss_additions(times, values, mode), dtype=self.dtype)
        found = ModelOutputs(
            loss=loss,
            end_state=nest.map_structure(lambda part: part[:, -1], states),
            predictions={**self._scale_back_predictions(outputs), "observed": values},
            prediction_times=times,
        )
        return found, states

    def per_step_batch_loss(
        self, features: Mapping[str, TensorLike], mode: str, state: Any
    ) -> tuple[Tensor, Any, dict[str, Any]]:
        """(losses [batch, window], states and outputs [batch, window, ...]); arguments as of `get_batch_loss`."""
        self._check_graph_initialized()
        times = cast(features[TrainEvalFeatures.TIMES], int64)
        values = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        if self._normalizes:
            values = self._scale_data(values)
        embedded, given = self._exogenous(times, features)

        def step(i: Any, current_times: Tensor, current: Any) -> tuple[Any, dict[str, Any]]:
            current = self._imputation_step(current_times, current)
            current = self._apply_exogenous_update(current_times, i, current, given, embedded)
            current, predictions = self._prediction_step(current_times, current)
            return self._filtering_step(current_times, values[:, i], current, predictions)

        states, outputs = self._state_update_loop(times, state, step, ["loss", *self._train_output_names])
        return outputs.pop("loss"), states, outputs

    def predict(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """Predictions at times after a state.

        Args:
            features: "times" [batch, count], "start_tuple" (the state) and exogenous features.

        Returns:
            predictions by name, [batch, count, ...].
        """
        self._check_graph_initialized()
        times = cast(features[PredictionFeatures.TIMES], int64)
        start = features[PredictionFeatures.STATE_TUPLE]
        embedded, given = self._exogenous(times, features)

        def step(i: Any, current_times: Tensor, state: Any) -> tuple[Any, dict[str, Any]]:
            state = self._imputation_step(current_times, state)
            state = self._apply_exogenous_update(current_times, i, state, given, embedded)
            return self._prediction_step(current_times, state)

        _, outputs = self._state_update_loop(times, start, step, self._predict_output_names)
        return self._scale_back_predictions(outputs)

    # ---- exogenous features ----

    def _exogenous(self, times: Tensor, features: Mapping[str, Any]) -> tuple[Tensor | None, dict[str, Any]]:
        names = (PredictionFeatures.TIMES, TrainEvalFeatures.VALUES, PredictionFeatures.STATE_TUPLE)
        given = {key: value for key, value in features.items() if key not in names}
        if not self._exogenous_columns:
            return None, given
        return self._process_exogenous_features(times, given), given

    def _apply_exogenous_update(
        self,
        current_times: Tensor,
        step_number: Any,
        state: Any,
        raw_features: Mapping[str, Any],
        embedded_exogenous_regressors: Tensor | None,
    ) -> Any:
        """The state after the exogenous features of a step, where the condition holds."""
        if embedded_exogenous_regressors is None:
            return state
        here = embedded_exogenous_regressors[:, step_number]
        updated = self._exogenous_input_step(current_times, here, state)
        if self._update_condition is None:
            return updated
        features_here = {key: convert_to_tensor(value)[:, step_number] for key, value in raw_features.items()}
        wanted = self._update_condition(current_times, features_here)

        def chosen(after: Tensor, before: Tensor) -> Tensor:
            condition = wanted
            for _ in range((before.shape.ndims or 1) - 1):
                condition = expand_dims(condition, -1)
            return where_v2(condition, after, before)

        return nest.map_structure(chosen, updated, state)

    # ---- the loop ----

    def _state_update_loop(
        self, times: Tensor, state: Any, state_update_fn: Step, outputs: Sequence[str]
    ) -> tuple[Any, dict[str, Any]]:
        """Goes over a window.

        Args:
            times: [batch, window].
            state: before it.
            state_update_fn: of (number of the step, times [batch], state); returns the next state and outputs by name.
            outputs: the names of those wanted.

        Returns:
            states and outputs, [batch, window, ...].
        """
        times = convert_to_tensor(times)
        state = nest.map_structure(convert_to_tensor, state)
        self._window_initializer(times, state)
        # Variables that the steps make belong to the scope outside of the loop.
        scope = get_variable_scope()
        window = times.shape[1].value if times.shape.ndims == 2 else None
        if window is not None and self._unrolling_threshold is not None and window < self._unrolling_threshold:
            return self._unrolled(times, state, state_update_fn, outputs, window)
        size = shape(times)[1]
        known = [part.shape for part in nest.flatten(state)]

        def body(i: Tensor, flat: Sequence[Tensor], arrays: Sequence[TensorArray]) -> tuple[Any, ...]:
            with variable_scope(scope, reuse=scope.reuse), name_scope("state_update_step"):
                following, found = state_update_fn(i, times[:, i], nest.pack_sequence_as(state, flat))
            parts = nest.flatten(following)
            for part, sizes in zip(parts, known, strict=True):
                part.set_shape(sizes)
            values = [*parts, *(found[name] for name in outputs)]
            return i + 1, parts, [array.write(i, value) for array, value in zip(arrays, values, strict=True)]

        flat_state = nest.flatten(state)
        arrays = [TensorArray(part.dtype, size) for part in flat_state]
        arrays += [TensorArray(self.dtype, size) for _ in outputs]
        _, _, filled = while_loop(
            lambda i, *_: i < size,
            body,
            [constant(0), flat_state, arrays],
            shape_invariants=[TensorShape([]), known, [TensorShape(None)] * len(arrays)],
        )
        stacked = [_batch_first(array.stack()) for array in filled]
        return self._packed(stacked, state, outputs)

    def _unrolled(
        self, times: Tensor, state: Any, state_update_fn: Step, outputs: Sequence[str], window: int
    ) -> tuple[Any, dict[str, Any]]:
        columns: list[list[Any]] = []
        for i in range(window):
            state, found = state_update_fn(i, times[:, i], state)
            columns.append([*nest.flatten(state), *(found[name] for name in outputs)])
        stacked = [stack(list(column), axis=1) for column in zip(*columns, strict=True)]
        return self._packed(stacked, state, outputs)

    @staticmethod
    def _packed(stacked: Sequence[Tensor], state: Any, outputs: Sequence[str]) -> tuple[Any, dict[str, Any]]:
        count = len(nest.flatten(state))
        states = nest.pack_sequence_as(state, list(stacked[:count]))
        return states, dict(zip(outputs, stacked[count:], strict=True))


def _batch_first(steps: Tensor) -> Tensor:
    """[window, batch, ...] -> [batch, window, ...]."""
    if steps.shape.ndims is not None:
        return transpose(steps, [1, 0, *range(2, steps.shape.ndims)])
    others = rank(steps)
    raise ValueError(f"the rank of what a step gives must be known: {others}")
