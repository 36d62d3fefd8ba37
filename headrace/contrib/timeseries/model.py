"""What models of time series have in common."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.timeseries.feature_keys import TrainEvalFeatures
from headrace.contrib.timeseries.input_statistics import InputStatistics
from headrace.contrib.timeseries.matrices import replicate_state
from headrace.core.composite import convert_to_tensor_or_sparse_tensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.dtypes import DType, as_dtype, float32
from headrace.core.graph import Graph
from headrace.feature_column.input_layer import input_layer
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.constant import constant
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sqrt

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike

_NOT_INITIALIZED = (
    "TimeSeriesModels require initialize_graph() to be called before use. This defines variables and ops in the "
    "default graph, and allows Tensor-valued input statistics to be specified."
)


class ModelOutputs(NamedTuple):
    """What a model makes of observations.

    Fields: the loss, a scalar; the state after the observations; predictions by name, and the times they are for.
    """

    loss: Any
    end_state: Any
    predictions: Any
    prediction_times: Any


class TimeSeriesModel(abc.ABC):
    """A model of series of numbers.

    Args:
        num_features: how many numbers there are at a time.
        exogenous_feature_columns: columns of `tf.feature_column` for features that are given, not predicted.
        dtype: the type of numbers.
    """

    def __init__(
        self,
        num_features: int,
        exogenous_feature_columns: Iterable[Any] | None = None,
        dtype: DTypeLike = float32,
    ) -> None:
        self._exogenous_columns = tuple(exogenous_feature_columns or ())
        self.num_features = num_features
        self.dtype: DType = as_dtype(dtype)
        self._input_statistics: InputStatistics | None = None
        self._initialized_in: Graph | None = None
        self._means: Any = None
        self._stds: Any = None

    @property
    def exogenous_feature_columns(self) -> tuple[Any, ...]:
        """The columns of features that are given."""
        return self._exogenous_columns

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Mapping[Any, Any] | None = None,
        seed: int | None = None,
    ) -> Any:
        """Draws series from the model; not all models do.

        Args:
            number_of_series, series_length: how many, and how long.
            model_parameters: arrays to take in the place of parameters.
            seed: where the random numbers start.

        Raises:
            NotImplementedError: where the model does not say how.
        """
        raise NotImplementedError(f"{type(self).__name__} does not generate series.")

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Makes what the model needs in the default graph; called once for each graph.

        Args:
            input_statistics: of the series, by which its values are normalized.
        """
        self._input_statistics = input_statistics
        self._initialized_in = get_default_graph()
        if input_statistics is not None:
            moments = input_statistics.overall_feature_moments
            self._means, self._stds = moments.mean, sqrt(moments.variance)

    def _check_graph_initialized(self) -> None:
        if self._initialized_in is not get_default_graph():
            raise ValueError(_NOT_INITIALIZED)

    # ---- normalizing ----

    def _scale_data(self, data: Tensor) -> Tensor:
        """Values as multiples of standard deviations from the mean."""
        return data if self._input_statistics is None else (data - self._means) / self._stds

    def _scale_variance(self, variance: Tensor) -> Tensor:
        return variance if self._input_statistics is None else variance / self._variances()

    def _scale_back_data(self, data: Tensor) -> Tensor:
        return data if self._input_statistics is None else data * self._stds + self._means

    def _scale_back_variance(self, variance: Tensor) -> Tensor:
        return variance if self._input_statistics is None else variance * self._variances()

    def _variances(self) -> Any:
        assert self._input_statistics is not None, "there are no statistics"
        return self._input_statistics.overall_feature_moments.variance

    # ---- what is asked of a model ----

    def define_loss(self, features: Mapping[str, TensorLike], mode: str) -> ModelOutputs:
        """The loss of windows of series, each from the state at the start.

        Args:
            features: "times", "values" and exogenous features.
            mode: a `tf.estimator.ModeKeys`.

        Raises:
            ValueError: if the graph was not initialized.
        """
        self._check_graph_initialized()
        start_state = self.get_start_state()
        batch = shape(convert_to_tensor(features[TrainEvalFeatures.TIMES]))[0]
        start_state = replicate_state(start_state, batch)
        return self.get_batch_loss(features=features, mode=mode, state=start_state)

    @abc.abstractmethod
    def get_start_state(self) -> Any:
        """The state before a series, a nested structure of tensors without a dimension for the batch."""

    @abc.abstractmethod
    def get_batch_loss(self, features: Mapping[str, TensorLike], mode: str, state: Any) -> ModelOutputs:
        """The loss of windows, each from a state of its own.

        Args:
            features: "times", "values" and exogenous features.
            mode: a `tf.estimator.ModeKeys`.
            state: a structure as `get_start_state` returns, of tensors [batch, ...].
        """

    @abc.abstractmethod
    def predict(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """Predictions by name.

        Args:
            features: "times", "start_tuple" (the state to start from) and exogenous features.
        """

    # ---- exogenous features ----

    def _get_exogenous_embedding_shape(self) -> list[int]:
        """[how many numbers exogenous features are for the model]."""
        return [sum(column.variable_shape.num_elements() for column in self._exogenous_columns)]

    def _process_exogenous_features(self, times: Tensor, features: Mapping[str, TensorLike]) -> Tensor:
        """Exogenous features as numbers, [batch, window, size]."""
        if not self._exogenous_columns:
            return zeros(concat([shape(times), constant([0])], 0), dtype=self.dtype)

        def flat(feature: TensorLike) -> Any:
            tensor = convert_to_tensor_or_sparse_tensor(feature)
            if not hasattr(tensor, "dense_shape") and tensor.shape.ndims == 2:
                tensor = expand_dims(tensor, -1)
            # Times of all series one after the other.
            sizes = shape(tensor)
            return reshape(tensor, concat([[sizes[0] * sizes[1]], sizes[2:]], 0))

        given = {key: flat(feature) for key, feature in features.items()}
        for key, feature in features.items():
            known = convert_to_tensor_or_sparse_tensor(feature).shape
            if known.ndims is not None and known.ndims > 2:
                given[key].set_shape([None, *known.as_list()[2:]])
        embedded = input_layer(given, self._exogenous_columns)
        return cast(reshape(embedded, concat([shape(times), shape(embedded)[1:]], 0)), self.dtype)
