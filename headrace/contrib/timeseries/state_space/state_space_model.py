"""Linear models with a hidden state, normal noise and a Kalman filter.

A. C. Harvey, "Forecasting, structural time series models and the Kalman filter", 1989.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.timeseries.covariances import (
    clip_covariance,
    transform_to_covariance_matrices,
    variable_covariance_matrix,
)
from headrace.contrib.timeseries.input_statistics import InputStatistics
from headrace.contrib.timeseries.matrices import matrix_to_powers, power_sums_tensor
from headrace.contrib.timeseries.sequential_model import SequentialTimeSeriesModel
from headrace.contrib.timeseries.state_space.configuration import StateSpaceModelConfiguration
from headrace.contrib.timeseries.state_space.kalman_filter import KalmanFilter
from headrace.contrib.timeseries.state_space.sampling import draw_parameters, draw_series
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import int64
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.matrices import diag, eye
from headrace.functions.math.reduction import reduce_all, reduce_max, reduce_mean
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat, identity
from headrace.kernels.composing.filling import ones, zeros
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.gather import gather
from headrace.ops.array.join import stack
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.unique import unique
from headrace.ops.math.argmax import argmax
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, less_equal
from headrace.ops.math.unary import log
from headrace.state.current_scope import get_variable_scope
from headrace.state.initializers import Constant
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

_TRAIN = "train"


class StateSpaceModel(SequentialTimeSeriesModel):
    """A hidden state that moves linearly, with noise, and is observed linearly, with noise.

    x(t + 1) = A x(t) + N u(t), and y(t) = H x(t) + v(t), where u and v are normal. A subclass says what A ("state
    transition"), N ("noise transform") and H ("observation model") are. The loss is the negative log-likelihood.

    Args:
        configuration: the settings.
    """

    def __init__(self, configuration: StateSpaceModelConfiguration) -> None:
        self._configuration = configuration
        names = ["mean", "covariance", "log_likelihood"]
        self._filtering_postprocessor = configuration.filtering_postprocessor
        if self._filtering_postprocessor is not None:
            names += self._filtering_postprocessor.output_names
        super().__init__(
            train_output_names=names,
            predict_output_names=["mean", "covariance"],
            num_features=configuration.num_features,
            normalize_features=True,
            dtype=configuration.dtype,
            exogenous_feature_columns=configuration.exogenous_feature_columns,
            exogenous_update_condition=configuration.exogenous_update_condition,
            static_unrolling_window_size_threshold=configuration.static_unrolling_window_size_threshold,
        )
        self._kalman_filter = KalmanFilter(dtype=self.dtype)
        self._scope = get_variable_scope()
        self._caches: tuple[Any, Any, Any] | None = None

    # ---- what a model says ----

    @abc.abstractmethod
    def get_state_transition(self) -> TensorLike:
        """A, [state, state]."""

    @abc.abstractmethod
    def get_noise_transform(self) -> TensorLike:
        """N, [state, noise]."""

    @abc.abstractmethod
    def get_observation_model(self, times: Tensor) -> TensorLike:
        """H, [features, state], or [state] where there is one feature; or with a first dimension for the batch.

        Args:
            times: [batch].
        """

    def get_broadcasted_observation_model(self, times: Tensor) -> Tensor:
        """H of each series, [batch, features, state].

        Args:
            times: [batch].
        """
        unbroadcasted = convert_to_tensor(self.get_observation_model(times), dtype=self.dtype)
        if unbroadcasted.shape.ndims == 1:
            unbroadcasted = reshape(unbroadcasted, [1, 1, -1])
        elif unbroadcasted.shape.ndims == 2:
            unbroadcasted = expand_dims(unbroadcasted, 0)
        else:
            return unbroadcasted
        return tile(unbroadcasted, stack([shape(times)[0], 1, 1]))

    # ---- parameters ----

    def initialize_graph(self, input_statistics: InputStatistics | None = None) -> None:
        """Makes the variables in the default graph.

        Args:
            input_statistics: of the series.
        """
        self._set_input_statistics(input_statistics)
        self._define_parameters()
        with variable_scope(self._scope):
            self._make_priors()

    def _set_input_statistics(self, input_statistics: InputStatistics | None = None) -> None:
        super().initialize_graph(input_statistics)

    def _variable_observation_transition_tradeoff_log(self) -> Any:
        """How much larger observation noise is than transition noise, a logarithm."""
        initial = -self._configuration.transition_covariance_initial_log_scale_bias
        return get_variable("observation_transition_tradeoff_log_scale", [], self.dtype, Constant(initial))

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        with variable_scope(self._scope):
            if observation_transition_tradeoff_log is None:
                observation_transition_tradeoff_log = self._variable_observation_transition_tradeoff_log()
            self._tradeoff_log = observation_transition_tradeoff_log
            self.state_transition_noise_covariance = self.get_state_transition_noise_covariance()
            self.state_transition: Tensor = convert_to_tensor(self.get_state_transition(), dtype=self.dtype)
            self.noise_transform: Tensor = convert_to_tensor(self.get_noise_transform(), dtype=self.dtype)
            self.observation_covariance = self.get_observation_noise_covariance()

    def _start_variance_ratio(self, minimum_initial_variance: float) -> Tensor | None:
        """The variances at the start of the series, as shares of those of the whole."""
        statistics = self._input_statistics
        if statistics is None:
            return None
        return statistics.series_start_moments.variance / statistics.overall_feature_moments.variance

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """The covariance of u, [noise, noise].

        Args:
            minimum_initial_variance: what it is not below at first.
        """
        ratio = self._start_variance_ratio(minimum_initial_variance)
        initial = -self._tradeoff_log
        if ratio is not None:
            assert self._input_statistics is not None, "there are no statistics"
            # Over the whole series the state is to move as far as it varies at the start.
            count = cast(self._input_statistics.total_observation_count, self.dtype)
            initial = log(maximum(reduce_mean(ratio) / count, minimum_initial_variance)) - self._tradeoff_log
        return variable_covariance_matrix(
            self._noise_dimension(), "state_transition_noise", self.dtype, initial_overall_scale_log=initial
        )

    def _noise_dimension(self) -> int:
        return int(convert_to_tensor(self.get_noise_transform(), dtype=self.dtype).shape[1].value)

    def _state_dimension(self) -> int:
        return int(convert_to_tensor(self.get_state_transition(), dtype=self.dtype).shape[0].value)

    def get_observation_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """The covariance of v, [features, features].

        Args:
            minimum_initial_variance: what variances are not below at first.
        """
        if not self._configuration.use_observation_noise:
            return zeros([self.num_features, self.num_features], dtype=self.dtype, name="observation_noise_covariance")
        ratio = self._start_variance_ratio(minimum_initial_variance)
        return variable_covariance_matrix(
            self.num_features,
            "observation_noise_covariance",
            self.dtype,
            initial_diagonal_values=None if ratio is None else maximum(ratio, minimum_initial_variance),
            initial_overall_scale_log=self._tradeoff_log,
        )

    def _make_priors(self) -> None:
        self.prior_state_covariance = self.get_prior_covariance()
        self.prior_state_mean = self.get_prior_mean()

    def get_prior_covariance(self) -> Tensor:
        """The covariance of the state at the start, [state, state]."""
        return eye(self._state_dimension(), dtype=self.dtype)

    def get_prior_mean(self) -> Any:
        """The mean of the state at the start, [state]."""
        trainable = self._configuration.trainable_start_state
        return get_variable("prior_state_mean", [self._state_dimension()], self.dtype, trainable=trainable)

    def get_start_state(self) -> tuple[Any, Any, Any]:
        """Mean, covariance and time of the state at the start."""
        statistics = self._input_statistics
        first = convert_to_tensor(0, dtype=int64) if statistics is None else statistics.start_time
        return self.prior_state_mean, self.prior_state_covariance, first - 1

    def get_features_for_timesteps(self, timesteps: Any) -> dict[str, Any]:
        """Exogenous features at times, for series that are drawn; none by default.

        Args:
            timesteps: [series, window].
        """
        return {}

    # ---- steps ----

    def transition_to_powers(self, powers: TensorLike) -> Tensor:
        """A to powers.

        Args:
            powers: integers [count].

        Returns:
            [count, state, state].
        """
        return matrix_to_powers(self.state_transition, powers)

    def transition_power_noise_accumulator(self, num_steps: TensorLike) -> Tensor:
        """How noise adds up over steps: the sum of A^i N Q N' A'^i over i below the number of steps.

        Args:
            num_steps: integers [count].

        Returns:
            [count, state, state].
        """
        steps = convert_to_tensor(num_steps)
        transition = convert_to_tensor(self.get_state_transition(), dtype=self.dtype)
        sums = power_sums_tensor(reduce_max(steps), transition, self._noise_of_step())
        return gather(sums, steps, axis=0)

    def _noise_of_step(self) -> Tensor:
        """N Q N'."""
        transform = convert_to_tensor(self.get_noise_transform(), dtype=self.dtype)
        return matmul(matmul(transform, self.state_transition_noise_covariance), transform, adjoint_b=True)

    def _window_initializer(self, times: Tensor, state: Any) -> None:
        """Computes the powers and sums of all steps of the window at once; most steps are equally long."""
        between = reshape(times[:, 1:] - times[:, :-1], [-1])
        first = maximum(times[:, 0] - state[-1], 0)
        steps, _ = unique(concat([between, first], 0))
        self._caches = (steps, *self._cached_transition_powers_and_sums(steps))

    def _cached_transition_powers_and_sums(self, num_steps: Tensor) -> tuple[Tensor, Tensor]:
        sums = self.transition_power_noise_accumulator(num_steps)
        return self.transition_to_powers(num_steps), sums

    def _imputation_step(self, current_times: Tensor, state: Any) -> tuple[Tensor, Tensor, Tensor]:
        mean, variance, previous_times = state
        elapsed = maximum(current_times - previous_times, 0)
        assert self._caches is not None, "there was no window"
        steps, all_powers, all_sums = self._caches
        places = argmax(cast(equal(expand_dims(elapsed, 1), expand_dims(steps, 0)), "int32"), 1)
        powers, sums = gather(all_powers, places, axis=0), gather(all_sums, places, axis=0)
        return (
            self._kalman_filter.predict_state_mean(mean, powers),
            self._kalman_filter.predict_state_var(variance, powers, sums),
            previous_times + elapsed,
        )

    def _prediction_step(self, current_times: Tensor, state: Any) -> tuple[Any, dict[str, Any]]:
        mean, variance, previous_times = state
        there = reduce_all(less_equal(current_times, previous_times))
        with control_dependencies([Assert(there, ["Attempted to predict without imputation"])]):
            model = self.get_broadcasted_observation_model(current_times)
        observed, covariance = self._kalman_filter.observed_from_state(
            mean, variance, model, self.observation_covariance
        )
        following = (mean, variance, current_times)
        return following, {"mean": observed, "covariance": covariance}

    def _filtering_step(
        self, current_times: Tensor, current_values: Tensor, state: Any, predictions: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        mean, variance, previous_times = state
        model = self.get_broadcasted_observation_model(current_times)
        there = reduce_all(equal(current_times, previous_times))
        message = "Attempted to perform filtering without imputation/prediction"
        with control_dependencies([Assert(there, [message])]):
            variance = clip_covariance(
                identity(variance),
                self._configuration.filtering_maximum_posterior_variance_ratio,
                self._configuration.filtering_minimum_posterior_variance,
            )
        filtered_mean, filtered_variance, log_likelihood = self._kalman_filter.do_filter(
            estimated_state=mean,
            estimated_state_covariance=variance,
            predicted_observation=predictions["mean"],
            predicted_observation_covariance=predictions["covariance"],
            observation=current_values,
            observation_model=model,
            observation_noise=self.observation_covariance,
        )
        filtered = (filtered_mean, filtered_variance, current_times)
        outputs = {**predictions, "log_likelihood": log_likelihood, "loss": -log_likelihood}
        if self._filtering_postprocessor is None:
            return filtered, outputs
        return self._filtering_postprocessor.process_filtering_step(
            current_times, current_values, (mean, variance, previous_times), filtered, outputs
        )

    def _scale_back_predictions(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return {
            **predictions,
            "mean": self._scale_back_data(predictions["mean"]),
            # As in 1.15, by the variance of the second feature of each pair.
            "covariance": self._scale_back_variance(predictions["covariance"]),
        }

    # ---- exogenous features ----

    def _exogenous_input_step(self, current_times: Tensor, current_exogenous_regressors: Tensor, state: Any) -> Any:
        if self._configuration.exogenous_noise_decreases:
            state = self._exogenous_noise_decreasing(current_times, current_exogenous_regressors, state)
        if self._configuration.exogenous_noise_increases:
            state = self._exogenous_noise_increasing(current_times, current_exogenous_regressors, state)
        return state

    def _exogenous_noise_increasing(self, current_times: Tensor, exogenous_values: Tensor, state: Any) -> Any:
        """Exogenous features move the state, and make it less certain."""
        mean, variance, previous_times = state
        size = self._state_dimension()
        with variable_scope("exogenous_noise_increasing_mean"):
            moved = mean + fully_connected(exogenous_values, size, activation_fn=None)
        with variable_scope("exogenous_noise_increasing_covariance"):
            spread = variance + transform_to_covariance_matrices(exogenous_values, size)
        return moved, spread, previous_times

    def _exogenous_noise_decreasing(self, current_times: Tensor, exogenous_values: Tensor, state: Any) -> Any:
        """Exogenous features are noisy observations of the state, by which it is filtered."""
        mean, variance, previous_times = state
        size = self._state_dimension()
        with variable_scope("exogenous_noise_decreasing_covariance"):
            noise = transform_to_covariance_matrices(exogenous_values, size)
        with variable_scope("exogenous_noise_decreasing_observation"):
            observation = fully_connected(exogenous_values, size, activation_fn=None)
        # The state itself is observed.
        model = eye(size, batch_shape=[shape(exogenous_values)[0]], dtype=self.dtype)
        mean, variance = self._kalman_filter.posterior_from_prior_state(
            mean, variance, observation, model, (mean, variance + noise), noise
        )
        return mean, variance, previous_times

    # ---- losses ----

    def _loss_additions(self, times: Tensor, values: Tensor, mode: str) -> Any:
        """The negative logarithm of the prior of covariances, in training."""
        if mode != _TRAIN:
            return 0.0
        if self._configuration.bayesian_prior_weighting and self._input_statistics is not None:
            # The whole series counts as much as the prior.
            weight = 1.0 / cast(self._input_statistics.total_observation_count, self.dtype)
        else:
            weight = convert_to_tensor(1.0, dtype=self.dtype)
        priors = [self._log_prior(self.state_transition_noise_covariance)]
        if self._configuration.use_observation_noise:
            priors.append(self._log_prior(self.observation_covariance))
        return -weight * sum(priors[1:], priors[0])

    def _log_prior(self, covariance: Tensor) -> Tensor:
        # A little noise keeps determinants from zero.
        jitter = diag(1e-8 * ones(stack([shape(covariance)[0]]), dtype=self.dtype))
        return self._configuration.covariance_prior_fn(covariance + jitter)

    # ---- drawing ----

    def random_model_parameters(self, seed: int | None = None) -> dict[Any, Any]:
        """Arrays for the parameters of `generate`, at random.

        Args:
            seed: where the random numbers start.

        Returns:
            from tensor to array.
        """
        return draw_parameters(self, seed)

    def generate(
        self,
        number_of_series: int,
        series_length: int,
        model_parameters: Mapping[Any, Any] | None = None,
        seed: int | None = None,
        add_observation_noise: bool | None = None,
    ) -> dict[str, Any]:
        """Draws series from the model, in the default session.

        Args:
            number_of_series, series_length: how many, and how long.
            model_parameters: arrays to take in the place of parameters, from tensor to array.
            seed: where the random numbers start.
            add_observation_noise: whether observations have noise; that of the configuration by default.

        Returns:
            "times" and "values".
        """
        self._check_graph_initialized()
        noisy = self._configuration.use_observation_noise if add_observation_noise is None else add_observation_noise
        with name_scope("generate"):
            return draw_series(self, number_of_series, series_length, model_parameters or {}, seed, noisy)
