"""Vector autoregressive moving averages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.timeseries.covariances import variable_covariance_matrix
from headrace.contrib.timeseries.state_space.configuration import StateSpaceModelConfiguration
from headrace.contrib.timeseries.state_space.state_space_model import StateSpaceModel
from headrace.functions.math.matrices import eye
from headrace.functions.math.reduction import reduce_mean
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.constant import constant
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape
from headrace.ops.math.binary import maximum
from headrace.ops.math.unary import log
from headrace.state.initializers import Constant, Zeros
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class VARMA(StateSpaceModel):
    """Values that depend linearly on those before, and on the noise before.

    The state is blocks of one value a feature each: as many as the autoregressive order, and at least one more than the
    moving average's.

    Args:
        autoregressive_order: how many values before count.
        moving_average_order: the noise of how many steps before counts.
        configuration: the settings.
    """

    def __init__(
        self,
        autoregressive_order: int,
        moving_average_order: int,
        configuration: StateSpaceModelConfiguration = StateSpaceModelConfiguration(),  # noqa: B008  # a tuple
    ) -> None:
        self.ar_order, self.ma_order = autoregressive_order, moving_average_order
        self._blocks = max(autoregressive_order, moving_average_order + 1)
        super().__init__(configuration=configuration)
        self.state_dimension = self._blocks * self.num_features

    def _state_dimension(self) -> int:
        return self.state_dimension

    def _noise_dimension(self) -> int:
        return self.num_features

    def _define_parameters(self, observation_transition_tradeoff_log: Any = None) -> None:
        count = self.num_features
        with variable_scope(self._scope):
            self.ar_coefs = get_variable("ar_coefs", [count, count, self.ar_order], self.dtype, Zeros())
            same = np.tile(np.eye(count)[None], [self.ma_order, 1, 1])
            self.ma_coefs = get_variable("ma_coefs", [self.ma_order, count, count], self.dtype, Constant(same))
        super()._define_parameters(observation_transition_tradeoff_log=observation_transition_tradeoff_log)

    def get_state_transition(self) -> TensorLike:
        """The coefficients of the values before; the blocks move on."""
        count, size = self.num_features, self.state_dimension
        first = reshape(pad(self.ar_coefs, [[0, 0], [0, 0], [0, self._blocks - self.ar_order]]), [count, size])
        others = constant(np.eye(size - count, size), dtype=self.dtype)
        return concat([first, others], 0)

    def get_noise_transform(self) -> TensorLike:
        """The coefficients of the noise before, then the noise itself, at the end of the state."""
        count = self.num_features
        before = self.state_dimension - count * (self.ma_order + 1)
        coefficients = reshape(self.ma_coefs, [count * self.ma_order, count])
        return concat([zeros([before, count], dtype=self.dtype), coefficients, eye(count, dtype=self.dtype)], 0)

    def get_observation_model(self, times: Tensor) -> TensorLike:
        """The first block; and the last, where the moving average is longer than the autoregression."""
        count, size = self.num_features, self.state_dimension
        model = np.eye(count, size)
        if self.ma_order + 1 > self.ar_order and self._blocks > 1:
            model += np.eye(count, size, k=size - count)
        return constant(model, dtype=self.dtype)

    def get_state_transition_noise_covariance(self, minimum_initial_variance: float = 1e-5) -> Any:
        """The covariance of the noise; at first what the series varies by at its start.

        Args:
            minimum_initial_variance: what it is not below at first.
        """
        ratio = self._start_variance_ratio(minimum_initial_variance)
        initial: TensorLike = 0.0
        if ratio is not None:
            initial = log(maximum(reduce_mean(ratio), minimum_initial_variance))
        return variable_covariance_matrix(
            self.num_features, "state_transition_noise", self.dtype, initial_overall_scale_log=initial
        )
