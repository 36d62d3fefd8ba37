"""What makes estimators of models of time series."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.feature_keys import (
    FilteringResults,
    PredictionFeatures,
    PredictionResults,
    SavedModelLabels,
    State,
    TrainEvalFeatures,
)
from headrace.contrib.timeseries.model import TimeSeriesModel
from headrace.contrib.timeseries.state_management import PassthroughStateManager
from headrace.core import nest
from headrace.core.collections import GraphKeys
from headrace.core.composite import convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.metrics.means import mean
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.saved_model.export_output import PredictOutput
from headrace.state.global_step import get_global_step
from headrace.state.updates import assign
from headrace.state.variable_scope import variable_scope
from headrace.state.variables import VariableV1
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

_TIMES, _VALUES, _STATE = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES, State.STATE_TUPLE


class _NoStatePredictOutput(PredictOutput):
    """An output whose signature does not ask for the state."""

    def as_signature_def(self, receiver_tensors: Mapping[str, Tensor]) -> Any:
        """The signature of the tensors that are no part of a state."""
        others = {key: value for key, value in receiver_tensors.items() if not key.startswith(State.STATE_PREFIX)}
        return super().as_signature_def(receiver_tensors=others)


def state_to_dictionary(state_tuple: Any) -> dict[str, Any]:
    """The parts of a state by name: "model_state_00", "model_state_01", ...

    Args:
        state_tuple: a nested structure.
    """
    parts = nest.flatten(state_tuple)
    return {f"{State.STATE_PREFIX}_{i:02d}": part for i, part in enumerate(parts)}


def _identity_metric_single(name: str, input_tensor: Tensor) -> tuple[Tensor, Tensor]:
    """A metric that is the tensor's last value."""
    held = VariableV1(
        initial_value=zeros([], dtype=input_tensor.dtype),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=False,
        name=f"{name}_identity_metric",
    )
    update = assign(held, input_tensor, validate_shape=False)
    return held.value(), update


def _identity_metric_nested(name: str, input_tensors: Any) -> tuple[Any, Any]:
    """A metric that is the last values of tensors in a structure."""
    metrics = [_identity_metric_single(name, tensor) for tensor in nest.flatten(input_tensors)]
    values = nest.pack_sequence_as(input_tensors, [value for value, _ in metrics])
    return values, group(*(update for _, update in metrics))


def _check_feature_shapes_compatible_with(
    features: Mapping[str, Any], compatible_with_name: str, compatible_with_value: Tensor, ignore: Iterable[str] = ()
) -> None:
    """Raises where the first dimensions of features are not those of another."""
    for name, value in features.items():
        if name in ignore or not hasattr(value, "shape"):
            continue
        given, expected = value.shape, compatible_with_value.shape
        if given.ndims is None or expected.ndims is None:
            continue
        if given.ndims < expected.ndims or not given[: expected.ndims].is_compatible_with(expected):
            raise ValueError(
                f"Features must have shape (batch dimension, window size, ...) with the first two dimensions those of "
                f"feature '{compatible_with_name}' (got shape {given} for feature '{name}' and shape {expected} for "
                f"feature '{compatible_with_name}')"
            )


def _check_train_eval_features(features: Mapping[str, Any], model: TimeSeriesModel) -> None:
    """Raises if features for training or evaluation are missing, or have other shapes."""
    for name in (_TIMES, _VALUES):
        if name not in features:
            raise ValueError(f"Expected a '{name}' feature for training/evaluation.")
    times, values = features[_TIMES], features[_VALUES]
    if not times.shape.is_compatible_with([None, None]):
        raise ValueError(
            f"Expected shape (batch dimension, window size) for feature '{_TIMES}' (got shape {times.shape})"
        )
    if not values.shape.is_compatible_with([None, None, model.num_features]):
        raise ValueError(
            f"Expected shape (batch dimension, window size, {model.num_features}) for feature '{_VALUES}', since the "
            f"model was configured with num_features={model.num_features} (got shape {values.shape})"
        )
    _check_feature_shapes_compatible_with(features, _TIMES, times, ignore=(_STATE,))


class TimeSeriesRegressionHead:
    """Makes `EstimatorSpec`s of a model of time series.

    Args:
        model: the model.
        state_manager: where states come from.
        optimizer: a `tf.train.Optimizer`.
        input_statistics_generator: an `InputStatisticsFromMiniBatch`, or None for none.
        name: a name scope.
    """

    def __init__(
        self,
        model: TimeSeriesModel,
        state_manager: PassthroughStateManager,
        optimizer: Any,
        input_statistics_generator: Any = None,
        name: str | None = None,
    ) -> None:
        self.model, self.state_manager, self.optimizer = model, state_manager, optimizer
        self.input_statistics_generator = input_statistics_generator
        self._name = name

    @property
    def name(self) -> str | None:
        """The name given."""
        return self._name

    @property
    def logits_dimension(self) -> int:
        """How many numbers there are at a time."""
        return 1

    def create_loss(self, features: Any, mode: str, logits: Any = None, labels: Any = None) -> Any:
        """The model's outputs, with the loss.

        Args:
            features: "times", "values" and others.
            mode: a `tf.estimator.ModeKeys`.
            logits, labels: unused.
        """
        outputs = self.state_manager.define_loss(self.model, features, mode)
        scalar(f"loss/{self._name}" if self._name else "loss", outputs.loss)
        return outputs

    def create_estimator_spec(self, features: Mapping[str, Any], mode: str, labels: Any = None) -> EstimatorSpec:
        """Builds the model in the default graph.

        Args:
            features: "times", "values" and others; by the mode.
            mode: a `tf.estimator.ModeKeys`.
            labels: None or nothing: the values to predict are among the features.

        Raises:
            ValueError: for labels, or features that are missing or have other shapes.
        """
        if labels is not None and not (isinstance(labels, Mapping) and not labels):
            raise ValueError(
                f"The model received a `labels`, which is not supported. Pass '{_TIMES}' and '{_VALUES}' as features."
            )
        with name_scope(self._name, "head"):
            tensors = {name: self._convert_feature_to_tensor(name, value) for name, value in features.items()}
            training = mode in (ModeKeys.TRAIN, ModeKeys.EVAL)
            if training:
                for name in (_TIMES, _VALUES):
                    if name not in tensors:
                        raise ValueError(f"Expected a '{name}' feature for training/evaluation.")
            statistics = None
            if self.input_statistics_generator is not None:
                statistics = self.input_statistics_generator.initialize_graph(
                    tensors, update_statistics=mode == ModeKeys.TRAIN
                )
            self.state_manager.initialize_graph(self.model, statistics)
            if mode == ModeKeys.TRAIN:
                _check_train_eval_features(tensors, self.model)
                return self._train_ops(tensors)
            if mode == ModeKeys.EVAL:
                _check_train_eval_features(tensors, self.model)
                return self._evaluate_ops(tensors)
            if mode == ModeKeys.PREDICT:
                return self._serving_ops(tensors) if _VALUES in tensors else self._predict_ops(tensors)
            raise ValueError(f"Unknown mode '{mode}' passed to model_fn.")

    def _convert_feature_to_tensor(self, name: str, value: Any) -> Any:
        if name == _TIMES:
            return cast(value, int64)
        if name == _VALUES:
            return cast(value, self.model.dtype)
        if name == _STATE:
            return nest.map_structure(convert_to_tensor, value)
        return convert_to_tensor_or_sparse_tensor(value)

    def _gather_state(self, features: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """(the state out of the features that are its parts, or None; the other features)."""
        parts = {key: value for key, value in features.items() if key.startswith(State.STATE_PREFIX)}
        others = {key: value for key, value in features.items() if key not in parts}
        if not parts:
            return None, others
        start = self.model.get_start_state()
        ordered = [parts[key] for key in sorted(parts)]
        return nest.pack_sequence_as(start, ordered), others

    def _train_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.TRAIN)
        train_op = self.optimizer.minimize(outputs.loss, global_step=get_global_step())
        return EstimatorSpec(loss=outputs.loss, mode=ModeKeys.TRAIN, train_op=train_op)

    def _evaluate_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        with variable_scope("model", use_resource=True):
            outputs = self.create_loss(features, ModeKeys.EVAL)
        metrics = {name: _identity_metric_single(name, value) for name, value in outputs.predictions.items()}
        metrics[FilteringResults.TIMES] = _identity_metric_single(FilteringResults.TIMES, outputs.prediction_times)
        metrics[FilteringResults.STATE_TUPLE] = _identity_metric_nested(FilteringResults.STATE_TUPLE, outputs.end_state)
        metrics["average_loss"] = mean(outputs.loss, name="average_loss")
        return EstimatorSpec(
            loss=outputs.loss, mode=ModeKeys.EVAL, eval_metric_ops=metrics, predictions=outputs.predictions
        )

    def _check_predict_features(self, features: Mapping[str, Any]) -> None:
        for name in (PredictionFeatures.TIMES, PredictionFeatures.STATE_TUPLE):
            if name not in features:
                raise ValueError(f"Expected a '{name}' feature for prediction.")
        times = features[_TIMES]
        if not times.shape.is_compatible_with([None, None]):
            raise ValueError(
                f"Expected shape (batch dimension, window size) for feature '{_TIMES}' (got shape {times.shape})"
            )
        _check_feature_shapes_compatible_with(features, _TIMES, times, ignore=(_STATE,))

    def _predict_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        self._check_predict_features(features)
        with variable_scope("model", use_resource=True):
            predictions = self.model.predict(features=features)
        predictions[PredictionResults.TIMES] = features[PredictionFeatures.TIMES]
        return EstimatorSpec(predictions=predictions, mode=ModeKeys.PREDICT)

    def _serving_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        state, others = self._gather_state(features)
        with variable_scope("model", use_resource=True):
            predictions = self.model.predict(features={**others, _STATE: state})
        with variable_scope("model", use_resource=True, reuse=True):
            filtered = self.create_loss({**others, _STATE: state}, ModeKeys.EVAL)
        with variable_scope("model", use_resource=True, reuse=True):
            cold = self.model.define_loss(others, ModeKeys.EVAL)
        return EstimatorSpec(
            mode=ModeKeys.PREDICT,
            export_outputs={
                SavedModelLabels.PREDICT: PredictOutput(predictions),
                SavedModelLabels.FILTER: PredictOutput(state_to_dictionary(filtered.end_state)),
                SavedModelLabels.COLD_START_FILTER: _NoStatePredictOutput(state_to_dictionary(cold.end_state)),
            },
            predictions={},
        )


class OneShotPredictionHead(TimeSeriesRegressionHead):
    """A head whose exported model filters and predicts in one request: what is served keeps no state.

    The features of a request hold the times of observations and predictions one after the other, and the values of the
    observations.
    """

    def _check_predict_features(self, features: Mapping[str, Any]) -> None:
        for name in (_TIMES, _VALUES):
            if name not in features:
                raise ValueError(f"Expected a '{name}' feature for prediction.")

    def _evaluate_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        spec = super()._evaluate_ops(features)
        # There is nothing that would go on from a state.
        metrics = {key: value for key, value in spec.eval_metric_ops.items() if key != _STATE}
        return spec._replace(eval_metric_ops=metrics)

    def _serving_ops(self, features: Mapping[str, Any]) -> EstimatorSpec:
        # The model begins with its own state: one that is given is not looked at.
        _, others = self._gather_state(features)
        self._check_predict_features(others)
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        with variable_scope("model", use_resource=True):
            observed = shape(others[_VALUES])[1]
            for key, value in others.items():
                before[key] = value if key == _VALUES else value[:, :observed]
                if key != _VALUES:
                    after[key] = value[:, observed:]
            filtered = self.model.define_loss(before, ModeKeys.EVAL)
        with variable_scope("model", use_resource=True, reuse=True):
            predictions = self.model.predict(features={**after, _STATE: filtered.end_state})
        return EstimatorSpec(
            mode=ModeKeys.PREDICT,
            export_outputs={SavedModelLabels.PREDICT: _NoStatePredictOutput(predictions)},
            predictions={**predictions, PredictionResults.TIMES: after[_TIMES]},
        )

    _predict_ops = _serving_ops
