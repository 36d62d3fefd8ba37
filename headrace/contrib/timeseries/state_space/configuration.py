"""The settings of state space models."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from headrace.contrib.timeseries.covariances import log_noninformative_covariance_prior
from headrace.core.dtypes import float32
from headrace.core.typing import DTypeLike


class _Fields(NamedTuple):
    num_features: int
    use_observation_noise: bool
    dtype: DTypeLike
    covariance_prior_fn: Callable[..., Any]
    bayesian_prior_weighting: bool
    filtering_postprocessor: Any
    trainable_start_state: bool
    exogenous_noise_increases: bool
    exogenous_noise_decreases: bool
    exogenous_feature_columns: Iterable[Any]
    exogenous_update_condition: Callable[..., Any] | None
    filtering_maximum_posterior_variance_ratio: float
    filtering_minimum_posterior_variance: float
    transition_covariance_initial_log_scale_bias: float
    static_unrolling_window_size_threshold: int | None


class StateSpaceModelConfiguration(_Fields):
    """Settings that state space models share.

    Args:
        num_features: how many numbers there are at a time.
        use_observation_noise: whether observations have noise of their own.
        dtype: the type of numbers.
        covariance_prior_fn: from covariance to the logarithm of its prior density.
        bayesian_prior_weighting: whether the prior counts as much as one series; else as much as one observation.
        filtering_postprocessor: a `FilteringStepPostprocessor`, or None.
        trainable_start_state: whether the mean of the state at the start is learned.
        exogenous_noise_increases: whether exogenous features add noise to the state.
        exogenous_noise_decreases: whether they tell something about it.
        exogenous_feature_columns: columns of `tf.feature_column`.
        exogenous_update_condition: whether exogenous features change the state; of times and features.
        filtering_maximum_posterior_variance_ratio: how much larger one variance may be than another.
        filtering_minimum_posterior_variance: what no variance is below.
        transition_covariance_initial_log_scale_bias: how much smaller transition noise is at first than observation noise.
        static_unrolling_window_size_threshold: windows of a known size below this need no loop.
    """

    __slots__ = ()

    def __new__(
        cls,
        num_features: int = 1,
        use_observation_noise: bool = True,
        dtype: DTypeLike = float32,
        covariance_prior_fn: Callable[..., Any] = log_noninformative_covariance_prior,
        bayesian_prior_weighting: bool = True,
        filtering_postprocessor: Any = None,
        trainable_start_state: bool = False,
        exogenous_noise_increases: bool = True,
        exogenous_noise_decreases: bool = False,
        exogenous_feature_columns: Iterable[Any] | None = None,
        exogenous_update_condition: Callable[..., Any] | None = None,
        filtering_maximum_posterior_variance_ratio: float = 1e6,
        filtering_minimum_posterior_variance: float = 0.0,
        transition_covariance_initial_log_scale_bias: float = -5.0,
        static_unrolling_window_size_threshold: int | None = None,
    ) -> StateSpaceModelConfiguration:
        """See the class."""
        return super().__new__(
            cls,
            num_features,
            use_observation_noise,
            dtype,
            covariance_prior_fn,
            bayesian_prior_weighting,
            filtering_postprocessor,
            trainable_start_state,
            exogenous_noise_increases,
            exogenous_noise_decreases,
            [] if exogenous_feature_columns is None else exogenous_feature_columns,
            exogenous_update_condition,
            filtering_maximum_posterior_variance_ratio,
            filtering_minimum_posterior_variance,
            transition_covariance_initial_log_scale_bias,
            static_unrolling_window_size_threshold,
        )
