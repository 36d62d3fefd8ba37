"""What repeats after a period."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from headrace.contrib.timeseries.matrices import batch_times_matrix, power_sums_tensor
from headrace.contrib.timeseries.state_space.configuration import StateSpaceModelConfiguration
from headrace.contrib.timeseries.state_space.state_space_model import StateSpaceModel
from headrace.core.convert import convert_to_tensor
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.constant import constant
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where_v2
from headrace.ops.math.cast import cast
from headrace.ops.math.trigonometric import sin
from headrace.ops.math.unary import abs as abs_
from headrace.ops.math.unary import round as round_

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

# The largest number of periods that are tried for a whole number of steps.
_MOST_PERIODS = 1000


class CycleStateSpaceModel(StateSpaceModel):
    """A value for each step of a period, which sum up to zero but for noise: seasonal dummies.

    The state holds the newest values of all steps but one.

    Args:
        periodicity: how many steps a period has.
        configuration: the settings, for one feature.
    """

    def __init__(
        self,
        periodicity: int,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008  # a tuple
    ) -> None:
        self._periodicity = periodicity
        super().__init__(configuration=configuration)

    def _latent_values(self) -> int:
        return int(self._periodicity)

    def _shift(self) -> np.ndarray:
        """The transition by one step of the period."""
        size = self._latent_values() - 1
        matrix = np.eye(size, k=-1)
        matrix[0] = -1.0
        return matrix

    def get_state_transition(self) -> TensorLike:
        """The next value makes up for the others; those move on."""
        return constant(self._shift(), dtype=self.dtype)

    def get_noise_transform(self) -> TensorLike:
        """Noise of the newest value."""
        return constant(np.eye(self._latent_values() - 1, 1), dtype=self.dtype)

    def get_observation_model(self, times: Tensor) -> TensorLike:
        """The newest value."""
        return constant(np.eye(1, self._latent_values() - 1)[0], dtype=self.dtype)

    def transition_to_powers(self, powers: TensorLike) -> Tensor:
        """Powers repeat with the period.

        Args:
            powers: [count].
        """
        shift = self._shift()
        table = np.stack([np.linalg.matrix_power(shift, i) for i in range(self._latent_values())])
        places = convert_to_tensor(powers) % self._latent_values()
        return gather(constant(table, dtype=self.dtype), places, axis=0)

    def transition_power_noise_accumulator(
        self, num_steps: TensorLike, noise_addition_coefficient: int | float = 1
    ) -> Tensor:
        """See `StateSpaceModel.transition_power_noise_accumulator`.

        Noise of a step of the period goes the way of that value: the columns A^i e, which repeat with the period. How
        often each step was seen is counted.

        Args:
            num_steps: [count].
            noise_addition_coefficient: a factor of the noise.
        """
        period = self._latent_values()
        shift = self._shift()
        columns = np.stack([np.linalg.matrix_power(shift, i)[:, 0] for i in range(period)])
        given = convert_to_tensor(num_steps)
        steps = reshape(given, [-1, 1])
        later = np.arange(period - 1, -1, -1)
        seen = cast((steps + constant(later, dtype=steps.dtype)) // period, self.dtype)
        ways = constant(columns, dtype=self.dtype)
        variance = self.state_transition_noise_covariance[0, 0] * noise_addition_coefficient
        weighted = expand_dims(seen, 2) * ways
        # Sums over the steps of the period of count * column * column'.
        sums = variance * batch_times_matrix(weighted, ways, adj_x=True)
        return reshape(sums, concat([shape(given), [period - 1, period - 1]], 0))


class ResolutionCycleModel(CycleStateSpaceModel):
    """A period of any length, by a smaller odd number of values: between them it is a sum of sines.

    Args:
        num_latent_values: how many values stand for the period.
        periodicity: its length, which need not be whole.
        near_integer_threshold: how near to a whole number is taken to be one.
        configuration: the settings, for one feature.

    Raises:
        ValueError: for an even number of values.
    """

    def __init__(
        self,
        num_latent_values: int,
        periodicity: float,
        near_integer_threshold: float = 1e-8,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008  # a tuple
    ) -> None:
        if num_latent_values % 2 != 1:
            raise ValueError("Only odd numbers of latent values are supported.")
        self._num_latent_values = num_latent_values
        self._true_periodicity = periodicity
        self._near_integer_threshold = near_integer_threshold
        super().__init__(periodicity=num_latent_values, configuration=configuration)

    def _close_to_integer(self, value: TensorLike) -> Tensor:
        value = convert_to_tensor(value)
        return abs_(value - round_(value)) < self._near_integer_threshold

    def get_state_transition(self) -> TensorLike:
        """The transition by one unit of time."""
        return self.transition_to_powers(constant([1]))[0]

    def transition_to_powers(self, powers: TensorLike) -> Tensor:
        """Powers by whole and fractional steps of the period.

        A value between those of the steps is their trigonometric interpolation, in which each has the weight
        sin(pi d) / (n sin(pi d / n)) at the distance d (Dirichlet's kernel).

        Args:
            powers: [count].
        """
        count = self._num_latent_values
        steps = cast(powers, self.dtype) * (float(count) / float(self._true_periodicity))
        places = cast(range_(count), self.dtype)
        own = reshape(places[:-1], [1, -1, 1])
        distances = reshape(steps, [-1, 1, 1]) - own + reshape(places, [1, 1, -1])
        divisor = float(count) * sin(distances * (math.pi / count))
        whole = self._close_to_integer(distances / float(count))
        # At the value itself the weight is 1.
        safe = where_v2(whole, divisor * 0.0 + 1.0, divisor)
        weights = where_v2(whole, divisor * 0.0 + 1.0, sin(distances * math.pi) / safe)
        # The last value is what makes the sum zero.
        return weights[:, :, :-1] - weights[:, :, -1:]

    def _whole_period_folding(self) -> int | None:
        """How many units of time a whole number of periods has; None if there is no such number."""
        for periods in range(1, _MOST_PERIODS):
            length = periods * self._true_periodicity
            if abs(length - round(length)) < self._near_integer_threshold:
                return round(length)
        return None

    def _power_sum_array(self, max_remaining_steps: int | Tensor) -> Tensor:
        """Sums of noise over 0, 1, ... steps."""
        return power_sums_tensor(
            max_remaining_steps, self.transition_to_powers(constant([1]))[0], self._noise_of_step()
        )

    def transition_power_noise_accumulator(
        self, num_steps: TensorLike, noise_addition_coefficient: int | float = 1
    ) -> Tensor:
        """See `CycleStateSpaceModel.transition_power_noise_accumulator`."""
        steps = convert_to_tensor(num_steps)
        folding = self._whole_period_folding()
        if folding is None:
            sums = gather(self._power_sum_array(reduce_max(steps)), steps, axis=0)
        else:
            # After whole periods noise adds up as from the start.
            array = self._power_sum_array(folding)
            whole = expand_dims(expand_dims(cast(steps // folding, self.dtype), -1), -1)
            sums = whole * array[folding] + gather(array, steps % folding, axis=0)
        return sums * float(noise_addition_coefficient)
