"""A level that drifts with a slope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.timeseries.state_space.configuration import StateSpaceModelConfiguration
from headrace.contrib.timeseries.state_space.state_space_model import StateSpaceModel
from headrace.core.convert import convert_to_tensor
from headrace.functions.math.reduction import reduce_mean
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones_like, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.array.join import stack
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.state.initializers import Zeros
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class AdderStateSpaceModel(StateSpaceModel):
    """A local linear trend: a level, and a slope that is added to it in each unit of time.

    Args:
        use_level_noise: whether the level has noise besides that of the slope.
        configuration: the settings, for one feature.
    """

    def __init__(
        self,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008  # a tuple
    ) -> None:
        self._use_level_noise = use_level_noise
        super().__init__(configuration=configuration)

    def get_prior_mean(self) -> Any:
        """The level that the series starts at, without a slope."""
        statistics = self._input_statistics
        if statistics is None:
            return super().get_prior_mean()
        trainable = self._configuration.trainable_start_state
        found = get_variable("prior_state_mean", [2], self.dtype, Zeros(), trainable=trainable)
        level = reduce_mean(self._scale_data(convert_to_tensor(statistics.series_start_moments.mean)))
        return stack([level, zeros_like(level)]) + found

    def transition_to_powers(self, powers: TensorLike) -> Tensor:
        """[[1, n], [0, 1]] for each n.

        Args:
            powers: [count].
        """
        steps = cast(powers, self.dtype)
        one, zero = ones_like(steps), zeros_like(steps)
        return reshape(stack([one, steps, zero, one], axis=-1), [-1, 2, 2])

    def transition_power_noise_accumulator(self, num_steps: TensorLike) -> Tensor:
        """See `StateSpaceModel.transition_power_noise_accumulator`.

        With Q = [[a, b], [c, d]], A^i Q A'^i is [[a + i (b + c) + i^2 d, b + i d], [c + i d, d]].
        """
        count = cast(num_steps, self.dtype)
        noise = self._noise_of_step()
        first = count * (count - 1.0) / 2.0
        squares = first * (2.0 * count - 1.0) / 3.0
        crossed = noise[0, 1] + noise[1, 0]
        top = [count * noise[0, 0] + first * crossed + squares * noise[1, 1], count * noise[0, 1] + first * noise[1, 1]]
        bottom = [count * noise[1, 0] + first * noise[1, 1], count * noise[1, 1]]
        return reshape(stack([*top, *bottom], axis=-1), concat([shape(count), [2, 2]], 0))

    def get_state_transition(self) -> TensorLike:
        """[[1, 1], [0, 1]]."""
        return constant([[1.0, 1.0], [0.0, 1.0]], dtype=self.dtype)

    def get_noise_transform(self) -> TensorLike:
        """Noise of both, or of the slope alone."""
        chosen = [[1.0, 0.0], [0.0, 1.0]] if self._use_level_noise else [[0.0], [1.0]]
        return constant(chosen, dtype=self.dtype)

    def get_observation_model(self, times: Tensor) -> TensorLike:
        """The level."""
        return constant([1.0, 0.0], dtype=self.dtype)
