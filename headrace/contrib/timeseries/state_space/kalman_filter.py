"""The Kalman filter: beliefs about the hidden state of a linear model, normal distributions.

R. E. Kalman, "A new approach to linear filtering and prediction problems", 1960.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.contrib.timeseries.covariances import mvn_tril_log_prob
from headrace.contrib.timeseries.matrices import batch_times_matrix
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import as_dtype, float32
from headrace.functions.flow.assertion import Assert
from headrace.functions.math.linalg_functions import cholesky, matrix_solve
from headrace.functions.math.matrices import eye, matrix_diag_part
from headrace.functions.math.reduction import reduce_min
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import identity, matrix_transpose, transpose
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.math.comparison import greater_equal

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike

_UNSTABLE = (
    "The predicted observation covariance has a negative diagonal entry: filtering is not stable where variances differ "
    "much, or nearly nothing is left to chance. The settings 'filtering_maximum_posterior_variance_ratio' and "
    "'filtering_minimum_posterior_variance' of StateSpaceModelConfiguration may help."
)


class KalmanFilter:
    """Filters batches of observations.

    Args:
        dtype: the type of numbers.
        simplified_posterior_covariance_computation: whether the covariance after an observation is (I - K H) P; else it
            is computed in Joseph's form, which stays symmetric and positive.
    """

    def __init__(self, dtype: DTypeLike = float32, simplified_posterior_covariance_computation: bool = False) -> None:
        self._dtype = as_dtype(dtype)
        self._simplified = simplified_posterior_covariance_computation

    def do_filter(
        self,
        estimated_state: Tensor,
        estimated_state_covariance: Tensor,
        predicted_observation: Tensor,
        predicted_observation_covariance: Tensor,
        observation: Tensor,
        observation_model: Tensor,
        observation_noise: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The belief after an observation.

        Args:
            estimated_state, estimated_state_covariance: the belief before, [batch, state] and [batch, state, state].
            predicted_observation, predicted_observation_covariance: what it predicts.
            observation: [batch, features].
            observation_model: from state to observation, [batch, features, state].
            observation_noise: a covariance, [features, features].

        Returns:
            mean, covariance, and the logarithm of the likelihood [batch].
        """
        symmetric = 0.5 * (predicted_observation_covariance + matrix_transpose(predicted_observation_covariance))
        least = reduce_min(matrix_diag_part(symmetric))
        with control_dependencies([Assert(greater_equal(least, 0.0), [_UNSTABLE, least])]):
            factor = cholesky(identity(symmetric))
        log_likelihood = mvn_tril_log_prob(predicted_observation, factor, observation)
        mean, covariance = self.posterior_from_prior_state(
            prior_state=estimated_state,
            prior_state_var=estimated_state_covariance,
            observation=observation,
            observation_model=observation_model,
            predicted_observations=(predicted_observation, predicted_observation_covariance),
            observation_noise=observation_noise,
        )
        return mean, covariance, log_likelihood

    def predict_state_mean(self, prior_state: Tensor, transition_matrices: Tensor) -> Tensor:
        """The mean after a transition.

        Args:
            prior_state: [batch, state].
            transition_matrices: [batch, state, state].
        """
        return squeeze(matmul(transition_matrices, expand_dims(prior_state, -1)), axis=[-1])

    def predict_state_var(
        self, prior_state_var: Tensor, transition_matrices: Tensor, transition_noise_sums: Tensor
    ) -> Tensor:
        """The covariance after a transition, A P A' + Q.

        Args:
            prior_state_var, transition_matrices, transition_noise_sums: [batch, state, state].
        """
        moved = matmul(matmul(transition_matrices, prior_state_var), transition_matrices, adjoint_b=True)
        return moved + transition_noise_sums

    def posterior_from_prior_state(
        self,
        prior_state: Tensor,
        prior_state_var: Tensor,
        observation: Tensor,
        observation_model: Tensor,
        predicted_observations: tuple[Tensor, Tensor],
        observation_noise: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Mean and covariance after an observation; arguments as of `do_filter`."""
        predicted, predicted_covariance = predicted_observations
        # K' = S^-1 H P.
        gain_transposed = matrix_solve(predicted_covariance, matmul(observation_model, prior_state_var))
        surprise = expand_dims(observation - predicted, -1)
        mean = prior_state + squeeze(matmul(gain_transposed, surprise, adjoint_a=True), axis=[-1])
        seen = matmul(gain_transposed, observation_model, adjoint_a=True)
        rest = expand_dims(eye(shape(seen)[1], dtype=self._dtype), 0) - seen
        if self._simplified:
            return mean, matmul(rest, prior_state_var)
        gain = transpose(gain_transposed, [0, 2, 1])
        # The noise may be that of all series, or of each.
        times_noise = batch_times_matrix if observation_noise.shape.ndims == 2 else matmul
        of_noise = matmul(times_noise(gain, observation_noise), gain_transposed)
        return mean, matmul(rest, matmul(prior_state_var, rest, adjoint_b=True)) + of_noise

    def observed_from_state(
        self, state_mean: Tensor, state_var: Tensor, observation_model: Tensor, observation_noise: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Mean and covariance of an observation.

        Args:
            state_mean, state_var: the belief.
            observation_model: [batch, features, state].
            observation_noise: [features, features].
        """
        mean = squeeze(matmul(expand_dims(state_mean, 1), observation_model, adjoint_b=True), axis=[1])
        covariance = matmul(matmul(observation_model, state_var), observation_model, adjoint_b=True)
        return mean, covariance + observation_noise
