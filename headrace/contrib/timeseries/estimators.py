"""Estimators of models of time series."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.anomaly_ar_model import AnomalyMixtureARModel
from headrace.contrib.timeseries.ar_model import ARModel
from headrace.contrib.timeseries.feature_keys import FilteringFeatures, TrainEvalFeatures
from headrace.contrib.timeseries.head import (
    OneShotPredictionHead,
    TimeSeriesRegressionHead,
    state_to_dictionary,
)
from headrace.contrib.timeseries.input_statistics import InputStatisticsFromMiniBatch
from headrace.contrib.timeseries.model import TimeSeriesModel
from headrace.contrib.timeseries.prediction_networks import FlatPredictionModel, LSTMPredictionModel
from headrace.contrib.timeseries.state_management import (
    ChainingStateManager,
    FilteringOnlyStateManager,
    PassthroughStateManager,
)
from headrace.contrib.timeseries.state_space.configuration import StateSpaceModelConfiguration
from headrace.contrib.timeseries.state_space.filtering_postprocessor import StateInterpolatingAnomalyDetector
from headrace.contrib.timeseries.state_space.state_space_model import StateSpaceModel
from headrace.contrib.timeseries.state_space.structural_ensemble import MultiResolutionStructuralEnsemble
from headrace.core.dtypes import as_dtype, float64, int64, string
from headrace.core.graph import Graph
from headrace.core.shapes import TensorShape
from headrace.estimator.canned.optimizers import get_optimizer_instance
from headrace.estimator.estimator import Estimator
from headrace.estimator.export.export import ServingInputReceiver
from headrace.feature_column.parsing import make_parse_example_spec
from headrace.functions.parsing.example import parse_example
from headrace.functions.parsing.features import FixedLenFeature
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import placeholder, placeholder_with_default
from headrace.ops.math.cast import cast
from headrace.optimizers.adagrad import AdagradOptimizer
from headrace.optimizers.adam import AdamOptimizer

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike
    from headrace.estimator.run_config import RunConfig

_TIMES, _VALUES = TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES


class TimeSeriesRegressor(Estimator):
    """An estimator of a model of time series.

    Args:
        model: the model.
        state_manager: where states come from; by default each window starts anew.
        optimizer: a `tf.train.Optimizer`; Adam by default.
        model_dir: the folder of checkpoints and summaries.
        config: a `RunConfig`.
        head_type: a `TimeSeriesRegressionHead` or a subclass.

    Example:
        >>> reader = tf.contrib.timeseries.NumpyReader({"times": np.arange(6), "values": np.arange(6.0)})
        >>> model = tf.contrib.timeseries.ARModel(
        ...     periodicities=3, input_window_size=4, output_window_size=2, num_features=1)
        >>> estimator = tf.contrib.timeseries.TimeSeriesRegressor(model)
        >>> estimator.train(tf.contrib.timeseries.WholeDatasetInputFn(reader), steps=1)
    """

    def __init__(
        self,
        model: TimeSeriesModel,
        state_manager: PassthroughStateManager | None = None,
        optimizer: Any = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        head_type: Callable[..., Any] = TimeSeriesRegressionHead,
    ) -> None:
        self._model = model
        statistics = InputStatisticsFromMiniBatch(dtype=model.dtype, num_features=model.num_features)
        head = head_type(
            model=model,
            state_manager=PassthroughStateManager() if state_manager is None else state_manager,
            optimizer=AdamOptimizer(0.02) if optimizer is None else optimizer,
            input_statistics_generator=statistics,
        )
        super().__init__(model_fn=head.create_estimator_spec, model_dir=model_dir, config=config)

    def _model_start_state_placeholders(
        self, batch_size_tensor: Tensor, static_batch_size: int | None = None
    ) -> dict[str, Tensor]:
        """What a request fills with the parts of a state; zeros where it does not."""
        # The sizes of the state are asked of a graph of its own, so that no variables come into this one.
        with Graph().as_default():
            self._model.initialize_graph()
            parts = state_to_dictionary(self._model.get_start_state())
            known = {name: (part.dtype.base_dtype, part.shape.as_list()) for name, part in parts.items()}
        found = {}
        for name, (kind, sizes) in known.items():
            default = zeros(concat([[batch_size_tensor], TensorShape(sizes)], 0), dtype=kind)
            found[name] = placeholder_with_default(default, shape=[static_batch_size, *sizes], name=name)
        return found

    def _exogenous_spec(self) -> dict[str, Any]:
        return dict(make_parse_example_spec(self._model.exogenous_feature_columns))

    def build_one_shot_parsing_serving_input_receiver_fn(
        self,
        filtering_length: int,
        prediction_length: int,
        default_batch_size: int | None = None,
        values_input_dtype: DTypeLike | None = None,
        truncate_values: bool = False,
    ) -> Callable[[], ServingInputReceiver]:
        """A function for `export_saved_model` of models with a `OneShotPredictionHead`, for serialized Examples.

        Args:
            filtering_length: how many observations a request has.
            prediction_length: how many times follow that are to be predicted.
            default_batch_size: how many Examples a request has, if that is fixed.
            values_input_dtype: the type of values in the Examples, if not the model's.
            truncate_values: whether Examples have values for all times, of which those to predict are cut off.
        """
        model = self._model

        def serving_input_receiver_fn() -> ServingInputReceiver:
            total = filtering_length + prediction_length
            kind = as_dtype(model.dtype if values_input_dtype is None else values_input_dtype)
            spec: dict[str, Any] = {
                _TIMES: FixedLenFeature([total], int64),
                _VALUES: FixedLenFeature([total if truncate_values else filtering_length, model.num_features], kind),
            }
            for name, feature in self._exogenous_spec().items():
                if not isinstance(feature, FixedLenFeature):
                    raise ValueError(f"Exogenous feature {name!r} must be of a fixed size for one-shot predictions.")
                spec[name] = FixedLenFeature([total, *feature.shape], feature.dtype)
            examples = placeholder(string, shape=[default_batch_size], name="input")
            features = dict(parse_example(examples, spec))
            features[_VALUES] = cast(features[_VALUES][:, :filtering_length], model.dtype)
            features.update(self._model_start_state_placeholders(shape(features[_TIMES])[0], default_batch_size))
            return ServingInputReceiver(features, {"examples": examples})

        return serving_input_receiver_fn

    def build_raw_serving_input_receiver_fn(
        self, default_batch_size: int | None = None, default_series_length: int | None = None
    ) -> Callable[[], ServingInputReceiver]:
        """A function for `export_saved_model`, for requests with tensors.

        Args:
            default_batch_size, default_series_length: how many series, and times, a request has, if that is fixed.
        """
        model = self._model

        def serving_input_receiver_fn() -> ServingInputReceiver:
            sizes = [default_batch_size, default_series_length]
            tensors: dict[str, Any] = {
                FilteringFeatures.TIMES: placeholder(int64, shape=sizes, name=_TIMES),
                FilteringFeatures.VALUES: placeholder(model.dtype, shape=[*sizes, model.num_features], name=_VALUES),
            }
            for name, feature in self._exogenous_spec().items():
                # Of features whose length is not told, the values of a time are an axis of any size.
                inner = TensorShape(feature.shape).as_list() if isinstance(feature, FixedLenFeature) else [None]
                tensors[name] = placeholder(feature.dtype, shape=[*sizes, *inner], name=name)
            tensors.update(self._model_start_state_placeholders(shape(tensors[_TIMES])[0], default_batch_size))
            return ServingInputReceiver(tensors, tensors)

        return serving_input_receiver_fn


class ARRegressor(TimeSeriesRegressor):
    """An estimator of an autoregressive model.

    Args:
        periodicities, input_window_size, output_window_size, num_features: see `ARModel`.
        exogenous_feature_columns, num_time_buckets, loss: see `ARModel`.
        hidden_layer_sizes: the sizes of layers with a ReLU before the last.
        anomaly_prior_probability: how probable values out of the ordinary are, for an `AnomalyMixtureARModel`.
        anomaly_distribution: "gaussian" or "cauchy"; the first by default.
        optimizer: a `tf.train.Optimizer`; Adagrad by default.
        model_dir: the folder of checkpoints and summaries.
        config: a `RunConfig`.

    Raises:
        ValueError: for an anomaly prior with another loss than the likelihood.

    Example:
        >>> estimator = tf.contrib.timeseries.ARRegressor(
        ...     periodicities=7, input_window_size=4, output_window_size=2, num_features=1)
        >>> reader = tf.contrib.timeseries.NumpyReader({"times": np.arange(99), "values": np.arange(99.0)})
        >>> input_fn = tf.contrib.timeseries.RandomWindowInputFn(reader, window_size=6, batch_size=4)
        >>> estimator.train(input_fn, steps=2)
    """

    def __init__(
        self,
        periodicities: int | Sequence[int],
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        exogenous_feature_columns: Iterable[Any] | None = None,
        num_time_buckets: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        hidden_layer_sizes: Sequence[int] | None = None,
        anomaly_prior_probability: float | None = None,
        anomaly_distribution: str | None = None,
        optimizer: Any = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
    ) -> None:
        network = functools.partial(FlatPredictionModel, hidden_layer_sizes=hidden_layer_sizes)
        if anomaly_prior_probability is None:
            model = ARModel(
                periodicities=periodicities,
                input_window_size=input_window_size,
                output_window_size=output_window_size,
                num_features=num_features,
                exogenous_feature_columns=exogenous_feature_columns,
                prediction_model_factory=network,
                num_time_buckets=num_time_buckets,
                loss=loss,
            )
        else:
            if loss != ARModel.NORMAL_LIKELIHOOD_LOSS:
                raise ValueError(
                    "AnomalyMixtureARModel only supports ar_model.ARModel.NORMAL_LIKELIHOOD_LOSS for its loss argument."
                )
            model = AnomalyMixtureARModel(
                periodicities=periodicities,
                input_window_size=input_window_size,
                output_window_size=output_window_size,
                num_features=num_features,
                exogenous_feature_columns=exogenous_feature_columns,
                prediction_model_factory=network,
                num_time_buckets=num_time_buckets,
                anomaly_prior_probability=anomaly_prior_probability,
                anomaly_distribution=anomaly_distribution or AnomalyMixtureARModel.GAUSSIAN_ANOMALY,
            )
        super().__init__(
            model=model,
            state_manager=FilteringOnlyStateManager(),
            optimizer=AdagradOptimizer(0.1) if optimizer is None else optimizer,
            model_dir=model_dir,
            config=config,
        )


class LSTMAutoRegressor(TimeSeriesRegressor):
    """An estimator of an autoregressive model by two LSTMs, which filters and predicts in one request.

    Args:
        periodicities, input_window_size, output_window_size: see `ARModel`.
        model_dir: the folder of checkpoints and summaries.
        num_features: how many numbers there are at a time.
        extra_feature_columns: columns of `tf.feature_column` for features that are given.
        num_timesteps: how finely the place in a period is seen.
        loss: see `ARModel`.
        num_units: how many numbers the states of the LSTMs have.
        optimizer: a `tf.train.Optimizer`, its name, or a function that makes one.
        config: a `RunConfig`.
    """

    def __init__(
        self,
        periodicities: int | Sequence[int],
        input_window_size: int,
        output_window_size: int,
        model_dir: str | None = None,
        num_features: int = 1,
        extra_feature_columns: Iterable[Any] | None = None,
        num_timesteps: int = 10,
        loss: str = ARModel.NORMAL_LIKELIHOOD_LOSS,
        num_units: int = 128,
        optimizer: Any = "Adam",
        config: RunConfig | None = None,
    ) -> None:
        model = ARModel(
            periodicities=periodicities,
            input_window_size=input_window_size,
            output_window_size=output_window_size,
            num_features=num_features,
            exogenous_feature_columns=extra_feature_columns,
            num_time_buckets=num_timesteps,
            loss=loss,
            prediction_model_factory=functools.partial(LSTMPredictionModel, num_units=num_units),
        )
        super().__init__(
            model=model,
            state_manager=FilteringOnlyStateManager(),
            optimizer=get_optimizer_instance(optimizer, learning_rate=0.01),
            model_dir=model_dir,
            config=config,
            head_type=OneShotPredictionHead,
        )


class StateSpaceRegressor(TimeSeriesRegressor):
    """An estimator of a state space model; windows of training start where earlier ones had come to.

    Args:
        model: the model.
        state_manager: where states come from; a `ChainingStateManager` by default.
        optimizer, model_dir, config, head_type: see `TimeSeriesRegressor`.

    Raises:
        ValueError: for a model of another kind.
    """

    def __init__(
        self,
        model: StateSpaceModel,
        state_manager: PassthroughStateManager | None = None,
        optimizer: Any = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        head_type: Callable[..., Any] = TimeSeriesRegressionHead,
    ) -> None:
        if not isinstance(model, StateSpaceModel):
            raise ValueError(
                f"StateSpaceRegressor only supports state space models (children of StateSpaceModel): {model}."
            )
        super().__init__(
            model=model,
            state_manager=ChainingStateManager() if state_manager is None else state_manager,
            optimizer=optimizer,
            model_dir=model_dir,
            config=config,
            head_type=head_type,
        )


class StructuralEnsembleRegressor(StateSpaceRegressor):
    """An estimator of a structural model: a trend, periods, and a moving average.

    Args:
        periodicities: the lengths of periods, in units of times; one or several.
        num_features: how many numbers there are at a time.
        cycle_num_latent_values: how many values stand for a period.
        moving_average_order, autoregressive_order: of how many steps before the noise, and the values, count.
        exogenous_feature_columns: columns of `tf.feature_column` for features that are given.
        exogenous_update_condition: whether exogenous features change the state; of times and features.
        dtype: the type of numbers.
        anomaly_prior_probability: how probable observations out of the ordinary are; None for a model without such.
        optimizer, model_dir, config, head_type: see `TimeSeriesRegressor`.

    Example:
        >>> reader = tf.contrib.timeseries.NumpyReader({"times": np.arange(9), "values": np.arange(9.0)})
        >>> estimator = tf.contrib.timeseries.StructuralEnsembleRegressor(
        ...     periodicities=3, num_features=1, cycle_num_latent_values=3)
        >>> estimator.train(tf.contrib.timeseries.WholeDatasetInputFn(reader), steps=1)
    """

    def __init__(
        self,
        periodicities: float | Sequence[float],
        num_features: int,
        cycle_num_latent_values: int | Sequence[int] = 11,
        moving_average_order: int = 4,
        autoregressive_order: int = 0,
        exogenous_feature_columns: Iterable[Any] | None = None,
        exogenous_update_condition: Callable[..., Any] | None = None,
        dtype: DTypeLike = float64,
        anomaly_prior_probability: float | None = None,
        optimizer: Any = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
        head_type: Callable[..., Any] = TimeSeriesRegressionHead,
    ) -> None:
        detector = None
        if anomaly_prior_probability is not None:
            detector = StateInterpolatingAnomalyDetector(anomaly_prior_probability=anomaly_prior_probability)
        configuration = StateSpaceModelConfiguration(
            num_features=num_features,
            dtype=dtype,
            filtering_postprocessor=detector,
            exogenous_feature_columns=exogenous_feature_columns,
            exogenous_update_condition=exogenous_update_condition,
        )
        model = MultiResolutionStructuralEnsemble(
            cycle_num_latent_values=cycle_num_latent_values,
            moving_average_order=moving_average_order,
            autoregressive_order=autoregressive_order,
            periodicities=periodicities,
            configuration=configuration,
        )
        super().__init__(model=model, optimizer=optimizer, model_dir=model_dir, config=config, head_type=head_type)
