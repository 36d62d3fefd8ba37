"""What may be done after each step of filtering: observations out of the ordinary."""

from __future__ import annotations

import abc
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.contrib.timeseries.covariances import cauchy_log_prob, entropy_matched_cauchy_scale
from headrace.core import nest
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.ops.math.unary import sigmoid

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


class FilteringStepPostprocessor(abc.ABC):
    """Changes state and outputs after each step of filtering."""

    @abc.abstractmethod
    def process_filtering_step(
        self,
        current_times: Tensor,
        current_values: Tensor,
        predicted_state: Any,
        filtered_state: Any,
        outputs: Mapping[str, Any],
    ) -> tuple[Any, dict[str, Any]]:
        """Another state and other outputs.

        Args:
            current_times: [batch].
            current_values: the observations, [batch, features].
            predicted_state, filtered_state: before and after the observations.
            outputs: "mean", "covariance", "log_likelihood", "loss".
        """

    @property
    @abc.abstractmethod
    def output_names(self) -> list[str]:
        """The names of the outputs it adds."""


def cauchy_alternative_to_gaussian(current_times: Tensor, current_values: Tensor, outputs: Mapping[str, Any]) -> Tensor:
    """The log-likelihood of observations under Cauchy distributions of the middle and the entropy predicted.

    Args:
        current_times: unused.
        current_values: [batch, features].
        outputs: "mean" and "covariance".

    Returns:
        [batch].
    """
    scale = entropy_matched_cauchy_scale(outputs["covariance"])
    return reduce_sum(cauchy_log_prob(loc=outputs["mean"], scale=scale, x=current_values), axis=-1)


def _interpolate_state_linear(first_state: Any, second_state: Any, first_responsibility: Tensor) -> Any:
    """States between two; parts that are integers are those of the first."""

    def between(first: Tensor, second: Tensor) -> Tensor:
        if not first.dtype.is_floating:
            return first
        sizes = concat([shape(first_responsibility), ones([(first.shape.ndims or 1) - 1], dtype="int32")], 0)
        share = reshape(first_responsibility, sizes)
        return share * first + (1.0 - share) * second

    return nest.map_structure(between, first_state, second_state)


class StateInterpolatingAnomalyDetector(FilteringStepPostprocessor):
    """Lets observations that are out of the ordinary change the state less.

    By Bayes' rule it finds how probable it is that an observation came from the model rather than from a wide
    distribution, and takes as much of the filtered state. The output "anomaly_score" is the logarithm of the odds that it
    did not come from the model.

    Args:
        anomaly_log_likelihood: of times, values and outputs; the log-likelihood of observations out of the ordinary.
        anomaly_prior_probability: how probable those are before they are seen.
        responsibility_scaling: a factor of the logarithm of the odds; large ones make either state be taken.
    """

    output_names: ClassVar[list[str]] = ["anomaly_score"]  # type: ignore[misc]  # the same for all

    def __init__(
        self,
        anomaly_log_likelihood: Callable[..., Any] = cauchy_alternative_to_gaussian,
        anomaly_prior_probability: float = 0.01,
        responsibility_scaling: float = 1.0,
    ) -> None:
        self._log_likelihood, self._scaling = anomaly_log_likelihood, responsibility_scaling
        self._prior = anomaly_prior_probability

    def process_filtering_step(
        self,
        current_times: Tensor,
        current_values: Tensor,
        predicted_state: Any,
        filtered_state: Any,
        outputs: Mapping[str, Any],
    ) -> tuple[Any, dict[str, Any]]:
        """See `FilteringStepPostprocessor`."""
        other = self._log_likelihood(current_times, current_values, outputs) + math.log(self._prior)
        own = outputs["log_likelihood"] + math.log(1.0 - self._prior)
        score = other - own
        responsibility = sigmoid(-self._scaling * score)
        state = _interpolate_state_linear(filtered_state, predicted_state, responsibility)
        loss = -(responsibility * own + (1.0 - responsibility) * other)
        return state, {**outputs, "loss": loss, "anomaly_score": score}
