"""Gradient descent: plain, with momentum, and with proximal penalties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.registry import raw
from headrace.ops.math.cast import cast
from headrace.optimizers.applying import OpUpdates
from headrace.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class GradientDescentOptimizer(OpUpdates, Optimizer):
    """w -= learning_rate * gradient.

    Args:
        learning_rate: a number, tensor, or function without arguments that returns one.
        use_locking: whether updates lock the variables.
        name: the name scope of the step.

    Example:
        >>> train_op = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    """

    def __init__(
        self, learning_rate: TensorLike | Callable[..., Any], use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor: Any = None  # a tensor, while gradients are applied

    def _kind(self) -> str:
        return "GradientDescent"

    def _values(self) -> dict[str, Any]:
        return {"alpha": self._learning_rate_tensor}

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._as_tensor(self._learning_rate, "learning_rate")

    # A sum of steps is a step by the sum: indices that come again need no care.

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Any) -> Tensor:
        step = grad.values * cast(self._learning_rate_tensor, var.dtype.base_dtype)
        return var.scatter_sub(IndexedSlices(step, grad.indices, grad.dense_shape), use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad: Tensor, handle: Any, indices: Tensor) -> Operation | None:
        return raw.ResourceScatterAdd(handle.handle, indices, -grad * self._call_if_callable(self._learning_rate))


class MomentumOptimizer(OpUpdates, Optimizer):
    """accumulator = momentum * accumulator + gradient; w -= learning_rate * accumulator.

    B. Polyak, "Some methods of speeding up the convergence of iteration methods", 1964.

    Sparse gradients decay only the rows they have.

    Args:
        learning_rate, momentum: numbers, tensors, or functions without arguments that return one.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.
        use_nesterov: whether to look ahead (Sutskever et al., ICML 2013).

    Example:
        >>> train_op = tf.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        momentum: float,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov
        self._learning_rate_tensor: Tensor | None = None
        self._momentum_tensor: Tensor | None = None

    def _kind(self) -> str:
        return "Momentum"

    def _slot_order(self) -> tuple[str, ...]:
        return ("momentum",)

    def _values(self) -> dict[str, Any]:
        return {"lr": self._learning_rate_tensor, "momentum": self._momentum_tensor}

    def _attrs(self) -> dict[str, Any]:
        return {"use_locking": self._use_locking, "use_nesterov": self._use_nesterov}

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            self._zeros_slot(var, "momentum", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._as_tensor(self._learning_rate, "learning_rate")
        self._momentum_tensor = self._as_tensor(self._momentum, "momentum")


class ProximalGradientDescentOptimizer(OpUpdates, Optimizer):
    """Gradient descent with l1 and l2 penalties by proximal steps (Duchi and Singer, JMLR 10, 2009).

    Args:
        learning_rate: a number or tensor.
        l1_regularization_strength, l2_regularization_strength: numbers >= 0.
        use_locking: whether updates lock the variables.
        name: the name scope of the step.

    Example:
        >>> tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.01).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: float,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._learning_rate_tensor: Tensor | None = None
        self._l1_regularization_strength_tensor: Tensor | None = None
        self._l2_regularization_strength_tensor: Tensor | None = None

    def _kind(self) -> str:
        return "ProximalGradientDescent"

    def _values(self) -> dict[str, Any]:
        return {
            "alpha": self._learning_rate_tensor,
            "l1": self._l1_regularization_strength_tensor,
            "l2": self._l2_regularization_strength_tensor,
        }

    def _prepare(self) -> None:
        self._learning_rate_tensor = self._as_tensor(self._learning_rate, "learning_rate")
        self._l1_regularization_strength_tensor = self._as_tensor(
            self._l1_regularization_strength, "l1_regularization_strength"
        )
        self._l2_regularization_strength_tensor = self._as_tensor(
            self._l2_regularization_strength, "l2_regularization_strength"
        )
