"""Autoregressive models: a window of a series is predicted from the one before, by a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.covariances import normal_log_prob
from headrace.contrib.timeseries.feature_keys import PredictionFeatures, TrainEvalFeatures
from headrace.contrib.timeseries.model import ModelOutputs, TimeSeriesModel
from headrace.contrib.timeseries.prediction_networks import FlatPredictionModel
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph
from headrace.core.dtypes import int64
from headrace.core.graph import Graph
from headrace.core.shapes import TensorShape
from headrace.functions.flow.checks import assert_equal, assert_greater_equal
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_mean, reduce_prod, reduce_sum
from headrace.kernels.composing.arithmetic import range
from headrace.kernels.composing.arranging import concat, identity, stack, transpose
from headrace.kernels.composing.filling import ones_like, zeros, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import slice as slice_of
from headrace.ops.array.split import split
from headrace.ops.array.where import where_v2
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import sqrt, square
from headrace.ops.nn.activations import relu
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

_TRAIN = "train"
_SMALLEST_VARIANCE = 1e-5


class ARModel(TimeSeriesModel):
    """Predicts windows of a series from the windows before, by a network.

    The network sees the values of the window before, the place of each time in its periods, and exogenous features.

    Args:
        periodicities: the lengths of periods, in units of times; one or several.
        input_window_size: how many times predictions are made from; 0 for a model of the times alone.
        output_window_size: how many times are predicted at once.
        num_features: how many numbers there are at a time.
        prediction_model_factory: makes the network of (num_features, input_window_size, output_window_size).
        num_time_buckets: how finely the place in a period is seen.
        loss: `NORMAL_LIKELIHOOD_LOSS` or `SQUARED_LOSS`.
        exogenous_feature_columns: columns of `tf.feature_column` for features that are given.

    Example:
        >>> model = tf.contrib.timeseries.ARModel(
        ...     periodicities=7, input_window_size=4, output_window_size=2, num_features=1)
        >>> estimator = tf.contrib.timeseries.TimeSeriesRegressor(model)
    """

    SQUARED_LOSS = "squared_loss"
    NORMAL_LIKELIHOOD_LOSS = "normal_likelihood_loss"

    def __init__(
        self,
        periodicities: int | Sequence[int],
        input_window_size: int,
        output_window_size: int,
        num_features: int,
        prediction_model_factory: Callable[..., Any] = FlatPredictionModel,
        num_time_buckets: int = 10,
        loss: str = NORMAL_LIKELIHOOD_LOSS,
        exogenous_feature_columns: Iterable[Any] | None = None,
    ) -> None:
        super().__init__(num_features, exogenous_feature_columns)
        self._factory = prediction_model_factory
        self._network: Any = None
        self._network_graph: Graph | None = None
        assert num_time_buckets > 0, f"num_time_buckets must be positive, got {num_time_buckets}"
        assert output_window_size > 0, f"output_window_size must be positive, got {output_window_size}"
        self._buckets, self.loss = num_time_buckets, loss
        self.input_window_size, self.output_window_size = input_window_size, output_window_size
        self.window_size = input_window_size + output_window_size
        if periodicities is None or (isinstance(periodicities, Sequence) and not periodicities):
            periods: list[int] = []
        else:
            periods = list(periodicities) if isinstance(periodicities, Sequence) else [periodicities]
        assert all(period > 0 for period in periods), f"periodicities must be positive, got {periodicities}"
        self._periods = periods

    def get_start_state(self) -> tuple[Any, ...]:
        """Times, normalized values and exogenous features of the window before a series: zeros."""
        width = self._get_exogenous_embedding_shape()
        return (
            zeros([self.input_window_size], dtype=int64),
            zeros([self.input_window_size, self.num_features], dtype=self.dtype),
            zeros([self.input_window_size, *width], dtype=self.dtype),
        )

    def random_model_parameters(self, seed: int | None = None) -> None:
        """Nothing: this model does not generate series.

        Args:
            seed: unused.
        """

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Mapping[Any, Any] | None = None,
        seed: int | None = None,
    ) -> Any:
        """Nothing: this model does not generate series; arguments as of `TimeSeriesModel.generate`."""

    # ---- the network ----

    def _network_here(self) -> Any:
        """The network of the default graph: layers own variables, which belong to one graph."""
        graph = get_default_graph()
        if self._network_graph is not graph:
            self._network = self._factory(
                num_features=self.num_features,
                input_window_size=self.input_window_size,
                output_window_size=self.output_window_size,
            )
            self._network_graph = graph
        return self._network

    def _time_features(self, times: Tensor) -> Tensor:
        """The place of each time in its periods, [batch, window, periods * buckets].

        A period is cut into buckets; in that of the time is how far it has gone in it, in the others is zero.
        """
        batch = shape(times)[0]
        periods = constant(self._periods, shape=[1, 1, len(self._periods), 1], dtype=times.dtype)
        phases = reshape(times, [batch, -1, 1, 1])
        # As in 1.15 there is the width of a bucket, too: seeds of what comes later count the operations before.
        periods / self._buckets  # type: ignore[operator]  # of a tensor and a number
        phases = phases % periods
        places = cast(phases, self.dtype) * float(self._buckets) / cast(periods, self.dtype)
        edges = reshape(range(0.0, float(self._buckets), dtype=self.dtype), [1, 1, 1, self._buckets])
        beyond = relu(places - edges)
        return where_v2(beyond < 1.0, beyond, zeros_like(beyond))

    def prediction_ops(self, times: TensorLike, values: TensorLike, exogenous_regressors: TensorLike) -> dict[str, Any]:
        """The network's predictions of the end of a window, for normalized values.

        Args:
            times: [batch, window_size].
            values: [batch, input_window_size or more, num_features].
            exogenous_regressors: [batch, window_size, size].

        Returns:
            "mean" and "covariance", [batch, output_window_size, num_features].
        """
        times, values = convert_to_tensor(times), convert_to_tensor(values)
        exogenous_regressors = convert_to_tensor(exogenous_regressors)
        times.shape.assert_is_compatible_with([None, self.window_size])
        batch = shape(times)[0]
        of_input, of_output = [], []
        if self._periods:
            width = self._buckets * len(self._periods)
            features = reshape(self._time_features(times), [batch, self.window_size, width])
            before, after = split(features, [self.input_window_size, self.output_window_size], axis=1)
            of_input.append(before)
            of_output.append(after)
        if self.input_window_size > 0:
            window = slice_of(values, [0, 0, 0], [-1, self.input_window_size, -1])
            of_input.append(reshape(window, [batch, self.input_window_size, self.num_features]))
        if self._exogenous_columns:
            before, after = split(exogenous_regressors, [self.input_window_size, self.output_window_size], axis=1)
            of_input.append(before)
            of_output.append(after)
        assert of_input or of_output, "there is nothing to predict from: give periodicities, a window or features"
        inputs = concat(of_input, 2)
        # Without features of the window to predict there are none of it, of no size.
        outputs = concat(of_output, 2) if of_output else zeros([batch, self.output_window_size, 0], dtype=self.dtype)
        with variable_scope("model/", use_resource=True):
            return self._network_here()(inputs, outputs)

    # ---- losses ----

    def loss_op(self, targets: TensorLike, prediction_ops: Mapping[str, Any]) -> Tensor:
        """The loss of predictions.

        Args:
            targets: what came, [batch, output_window_size, num_features].
            prediction_ops: what was predicted.

        Returns:
            a scalar.
        """
        mean = prediction_ops["mean"]
        if self.loss == self.NORMAL_LIKELIHOOD_LOSS:
            deviation = sqrt(maximum(prediction_ops["covariance"], _SMALLEST_VARIANCE))
            summed = -reduce_sum(self._log_likelihood(targets, mean, deviation, prediction_ops))
        else:
            assert self.loss == self.SQUARED_LOSS, f"unknown loss {self.loss!r}"
            summed = reduce_sum(square(mean - targets))
        return summed / cast(reduce_prod(shape(targets)), summed.dtype)

    def _log_likelihood(
        self, targets: TensorLike, mean: Tensor, deviation: Tensor, prediction_ops: Mapping[str, Any]
    ) -> Tensor:
        """The logarithm of the likelihood of each number."""
        return normal_log_prob(mean, deviation, targets)

    def _process_window(self, features: Mapping[str, Any], mode: str, exogenous: Tensor) -> ModelOutputs:
        """The loss of windows of the model's size."""
        times = cast(features[TrainEvalFeatures.TIMES], int64)
        given: Any = cast(features[TrainEvalFeatures.VALUES], self.dtype)
        # What is not known of the shape is checked here.
        times.shape.assert_is_compatible_with([None, None])
        if times.shape.ndims == 2 and times.shape[1].value not in (None, self.window_size):
            raise ValueError(
                f"ARModel with input_window_size={self.input_window_size} and "
                f"output_window_size={self.output_window_size} expects feature '{TrainEvalFeatures.TIMES}' to have shape "
                f"(batch_size, {self.window_size}) (for any batch_size), but got shape {times.shape}. If you are using "
                f"RandomWindowInputFn, set window_size={self.window_size} or adjust the input_window_size and "
                "output_window_size arguments to ARModel."
            )
        given.shape.assert_is_compatible_with([None, None, self.num_features])
        scaled = self._scale_data(given)
        before = scaled[:, : self.input_window_size, :] if self.input_window_size > 0 else scaled
        predictions = self.prediction_ops(times, before, exogenous)
        targets = slice_of(scaled, [0, self.input_window_size, 0], [-1, -1, -1])
        loss = self.loss_op(targets, predictions)
        if mode != _TRAIN and self.loss == self.SQUARED_LOSS and self._input_statistics is not None:
            # Reported in the units of the series.
            errors = square((predictions["mean"] - targets) * self._stds)
            loss = reduce_sum(errors) / cast(reduce_prod(shape(errors)), errors.dtype)
        scaled_back = self._scaled_back(predictions)
        observed = given[:, self.input_window_size :, :]
        return ModelOutputs(
            loss=loss,
            end_state=self._end_state(times, scaled, exogenous),
            predictions={**scaled_back, "observed": observed},
            prediction_times=times[:, -self.output_window_size :],
        )

    def _end_state(self, times: Tensor, values: Tensor, exogenous: Tensor) -> tuple[Tensor, ...]:
        size = self.input_window_size
        if size == 0:
            return times[:, :0], values[:, :0, :], exogenous[:, :0, :]
        parts = times[:, -size:], values[:, -size:, :], exogenous[:, -size:, :]
        for part in parts:
            part.set_shape([None, size, *part.shape.as_list()[2:]])
        return parts

    def _scaled_back(self, predictions: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {
            "mean": self._scale_back_data(predictions["mean"]),
            "covariance": self._scale_back_variance(predictions["covariance"]),
        }

    def get_batch_loss(self, features: Mapping[str, TensorLike], mode: str, state: Any) -> ModelOutputs:
        """The loss of windows.

        For training a window has the model's size. For evaluation it may be longer: it is cut into windows that follow
        one another, and what is left over at the start is not looked at.

        Args:
            features: "times" [batch, window], "values" and exogenous features.
            mode: a `tf.estimator.ModeKeys`.
            state: times, normalized values and exogenous features before the windows.

        Raises:
            ValueError: for windows of the wrong size.
        """
        tensors = {key: convert_to_tensor(value) for key, value in features.items() if key in (
            TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES)}  # fmt: skip
        times = tensors[TrainEvalFeatures.TIMES]
        others = {key: value for key, value in features.items() if key not in tensors}
        exogenous = self._process_exogenous_features(times, others)
        if mode == _TRAIN:
            return self._process_window(tensors, mode, exogenous)
        values: Tensor = cast(tensors[TrainEvalFeatures.VALUES], self.dtype)
        if mode == "infer":
            # Observations may be fewer than a window: those before them are the state.
            merged = self._after(state, times, self._scale_data(values), exogenous)
            return ModelOutputs(None, self._end_state(*merged), {}, times)
        known = times.shape[1].value if times.shape.ndims == 2 else None
        if known is not None and known < self.window_size:
            raise ValueError(
                "ARModel requires a window of at least input_window_size + output_window_size to evaluate on "
                f"(input_window_size={self.input_window_size}, output_window_size={self.output_window_size}, and got "
                f"shape {times.shape} for feature '{TrainEvalFeatures.TIMES}' (batch size, window size))."
            )
        return self._evaluate_chunks(times, values, exogenous, mode, state)

    @staticmethod
    def _after(state: Any, times: Tensor, values: Tensor, exogenous: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Windows with the state before them."""
        old_times, old_values, old_exogenous = (convert_to_tensor(part) for part in state)
        return (
            concat([cast(old_times, times.dtype), times], 1),
            concat([cast(old_values, values.dtype), values], 1),
            concat([cast(old_exogenous, exogenous.dtype), exogenous], 1),
        )

    def _evaluate_chunks(self, times: Tensor, values: Tensor, exogenous: Tensor, mode: str, state: Any) -> ModelOutputs:
        step = self.output_window_size
        count = (shape(times)[1] - self.input_window_size) // step
        used = count * step
        kept = used + self.input_window_size
        # As in 1.15, exogenous features are those from the start on, though times and values are those up to the end.
        some_times, some_values, some_exogenous = times[:, -kept:], values[:, -kept:], exogenous

        def body(i: Tensor, losses: TensorArray, means: TensorArray, variances: TensorArray) -> tuple[Any, ...]:
            start, end = i * step, i * step + self.window_size
            chunk = {
                TrainEvalFeatures.TIMES: some_times[:, start:end],
                TrainEvalFeatures.VALUES: some_values[:, start:end],
            }
            for value in chunk.values():
                value.set_shape([None, self.window_size, *value.shape.as_list()[2:]])
            part = self._process_window(chunk, mode, some_exogenous[:, start:end])
            return (
                i + 1,
                losses.write(i, part.loss),
                means.write(i, part.predictions["mean"]),
                variances.write(i, part.predictions["covariance"]),
            )

        arrays = [TensorArray(self.dtype, count) for _ in "lmv"]
        _, losses, means, variances = while_loop(lambda i, *_: i < count, body, [constant(0), *arrays])

        batch = shape(times)[0]

        def joined(array: TensorArray) -> Tensor:
            # [chunk, batch, window, features] -> [batch, time, features]
            parts = transpose(array.stack(), [1, 0, 2, 3])
            return reshape(parts, stack([batch, used, self.num_features]))

        # As in 1.15, the state's values are those that were cut into windows, though its times are all: fewer values than
        # a window takes leave those of the state before.
        new = cast(times, int64), self._scale_data(some_values), exogenous
        return ModelOutputs(
            loss=reduce_mean(losses.stack(), axis=0),
            end_state=self._end_state(*self._after(state, *new)),
            predictions={
                "mean": joined(means),
                "covariance": joined(variances),
                "observed": some_values[:, -used:],
            },
            prediction_times=cast(times[:, -used:], int64),
        )

    # ---- predictions ----

    def predict(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """Predictions window after window, each from the means predicted before.

        Args:
            features: "times" [batch, count], "start_tuple" (the window before) and exogenous features.

        Returns:
            "mean" and "covariance", [batch, count, num_features].
        """
        times = cast(features[PredictionFeatures.TIMES], int64)
        others = {
            key: value
            for key, value in features.items()
            if key not in (TrainEvalFeatures.TIMES, TrainEvalFeatures.VALUES, PredictionFeatures.STATE_TUPLE)
        }
        exogenous = self._process_exogenous_features(times, others)
        with control_dependencies([assert_equal(shape(times)[1], shape(exogenous)[1])]):
            exogenous = identity(exogenous)
        step, before = self.output_window_size, self.input_window_size
        wanted = shape(times)[1]
        count = (wanted + step - 1) // step
        missing = count * step - wanted
        # The last window is filled up; what is predicted there is cut off again.
        times = pad(times, stack([[0, 0], stack([0, missing])]))
        exogenous = pad(exogenous, stack([[0, 0], stack([0, missing]), [0, 0]]))
        old_times, old_values, old_exogenous = (
            convert_to_tensor(part) for part in features[PredictionFeatures.STATE_TUPLE]
        )
        checks = [
            assert_greater_equal(shape(old_values)[1], before),
            assert_equal(shape(old_values)[1], shape(old_times)[1]),
        ]
        with control_dependencies(checks):
            old_values = identity(cast(old_values, self.dtype))
        window: Any = old_values
        start = shape(window)[1] - before
        all_times = concat([cast(old_times, int64)[:, start:], times], 1)
        all_exogenous = concat([cast(old_exogenous, self.dtype)[:, start:], exogenous], 1)
        window = window[:, start:]
        window.set_shape([None, before, self.num_features])

        def body(i: Tensor, values: Tensor, means: TensorArray, variances: TensorArray) -> tuple[Any, ...]:
            here = all_times[:, i * step : i * step + self.window_size]
            here.set_shape([None, self.window_size])
            given = all_exogenous[:, i * step : i * step + self.window_size]
            given.set_shape([None, self.window_size, *all_exogenous.shape.as_list()[2:]])
            found = self.prediction_ops(here, values, given)
            following = concat([values, found["mean"]], 1)
            following = following[:, shape(following)[1] - before :]
            following.set_shape([None, before, self.num_features])
            return i + 1, following, means.write(i, found["mean"]), variances.write(i, found["covariance"])

        arrays = [TensorArray(self.dtype, count) for _ in "mv"]
        _, _, means, variances = while_loop(
            lambda i, *_: i < count,
            body,
            [constant(0), window, *arrays],
            shape_invariants=[
                TensorShape([]),
                TensorShape([None, before, self.num_features]),
                *(TensorShape(None) for _ in arrays),
            ],
        )

        def joined(array: TensorArray) -> Tensor:
            parts = transpose(array.stack(), [1, 0, 2, 3])
            return reshape(parts, stack([shape(times)[0], -1, self.num_features]))[:, :wanted]

        mean = joined(means)
        # Squared errors say nothing of variances: those of the whole series are taken.
        covariance = ones_like(mean) if self.loss == self.SQUARED_LOSS else joined(variances)
        return self._scaled_back({"mean": mean, "covariance": covariance})
