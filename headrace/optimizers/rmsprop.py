"""The optimizers that divide by a moving root mean square of the gradients: RMSProp and Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.kernels.composing.filling import ones_like
from headrace.optimizers.applying import OpUpdates
from headrace.optimizers.optimizer import Optimizer
from headrace.state.initializers import ones_initializer

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class RMSPropOptimizer(OpUpdates, Optimizer):
    """RMSProp (Tieleman and Hinton, "Lecture 6.5: RMSProp", COURSERA 2012), with momentum.

    Args:
        learning_rate, decay, momentum, epsilon: numbers, tensors, or functions without arguments that return one.
        use_locking: whether updates lock the variables.
        centered: whether to divide by the root of the variance instead of the second moment (Graves,
            arXiv:1308.0850).
        name: the name scope of the step, and the name of the slots.

    Example:
        >>> train_op = tf.train.RMSPropOptimizer(0.001, momentum=0.9).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._learning_rate_tensor: Tensor | None = None
        self._decay_tensor: Tensor | None = None
        self._momentum_tensor: Tensor | None = None
        self._epsilon_tensor: Tensor | None = None

    def _kind(self) -> str:
        return "CenteredRMSProp" if self._centered else "RMSProp"

    def _slot_order(self) -> tuple[str, ...]:
        return ("mg", "rms", "momentum") if self._centered else ("rms", "momentum")

    def _values(self) -> dict[str, Any]:
        return {
            "lr": self._learning_rate_tensor,
            "rho": self._decay_tensor,
            "momentum": self._momentum_tensor,
            "epsilon": self._epsilon_tensor,
        }

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            dtype = var.dtype.base_dtype
            initial = ones_initializer(dtype=dtype) if var.get_shape().is_fully_defined() else ones_like(var)
            self._get_or_make_slot_with_initializer(var, initial, var.get_shape(), dtype, "rms", self._name)
            if self._centered:
                self._zeros_slot(var, "mg", self._name)
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._as_tensor(self._learning_rate, "learning_rate")
        self._decay_tensor = self._as_tensor(self._decay, "decay")
        self._momentum_tensor = self._as_tensor(self._momentum, "momentum")
        self._epsilon_tensor = self._as_tensor(self._epsilon, "epsilon")


class AdadeltaOptimizer(OpUpdates, Optimizer):
    """Adadelta (Zeiler, arXiv:1212.5701), with a learning rate.

    Args:
        learning_rate, rho, epsilon: numbers, tensors, or functions without arguments that return one.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.

    Example:
        >>> train_op = tf.train.AdadeltaOptimizer(1.0).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._lr_t: Tensor | None = None
        self._rho_t: Tensor | None = None
        self._epsilon_t: Tensor | None = None

    def _kind(self) -> str:
        return "Adadelta"

    def _slot_order(self) -> tuple[str, ...]:
        return ("accum", "accum_update")

    def _values(self) -> dict[str, Any]:
        return {"lr": self._lr_t, "rho": self._rho_t, "epsilon": self._epsilon_t}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "accum", self._name)
            self._zeros_slot(var, "accum_update", self._name)

    def _prepare(self) -> None:
        self._lr_t = self._as_tensor(self._lr, "lr")
        self._rho_t = self._as_tensor(self._rho, "rho")
        self._epsilon_t = self._as_tensor(self._epsilon, "epsilon")
