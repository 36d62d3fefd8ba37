"""Adam.

Kingma and Ba, "Adam: a method for stochastic optimization", arXiv:1412.6980.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.optimizers.applying import OpUpdates
from headrace.optimizers.optimizer import Optimizer
from headrace.state.scoping import init_scope
from headrace.state.updates import assign, assign_sub, scatter_add

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class AdamOptimizer(OpUpdates, Optimizer):
    """Adam, in the form before section 2.1 of its paper.

    m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g²;
    w -= learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon).

    Sparse gradients decay m and v everywhere, as dense ones do.

    Args:
        learning_rate, beta1, beta2: numbers, tensors, or functions without arguments that return one.
        epsilon: the paper's "epsilon hat", added to the root as it is kept.
        use_locking: whether updates lock the variables.
        name: the name scope of the step, and the name of the slots.

    Example:
        >>> train_op = tf.train.AdamOptimizer(1e-4).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: TensorLike = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t: Tensor | None = None
        self._beta1_t: Tensor | None = None
        self._beta2_t: Tensor | None = None
        self._epsilon_t: Tensor | None = None
        self._values_now: dict[str, Any] | None = None

    def _kind(self) -> str:
        return "Adam"

    def _slot_order(self) -> tuple[str, ...]:
        return ("m", "v")

    def _values(self) -> dict[str, Any]:
        if not executing_eagerly():
            return self._values_with(*self._get_beta_accumulators())
        # The powers are read once for all variables of a step; a graph reads them where it uses them.
        if self._values_now is None:
            self._values_now = self._values_with(*(power.value() for power in self._get_beta_accumulators()))
        return self._values_now

    def _values_with(self, beta1_power: Any, beta2_power: Any) -> dict[str, Any]:
        return {
            "beta1_power": beta1_power,
            "beta2_power": beta2_power,
            "lr": self._lr_t,
            "beta1": self._beta1_t,
            "beta2": self._beta2_t,
            "epsilon": self._epsilon_t,
        }

    def _get_beta_accumulators(self) -> tuple[Any, Any]:
        with init_scope():
            graph = get_default_graph()
            return (
                self._get_non_slot_variable("beta1_power", graph=graph),
                self._get_non_slot_variable("beta2_power", graph=graph),
            )

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        # Beside the first by name, so that it is the same one in every process.
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(initial_value=self._beta1, name="beta1_power", colocate_with=first)
        self._create_non_slot_variable(initial_value=self._beta2, name="beta2_power", colocate_with=first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _prepare(self) -> None:
        self._lr_t = self._as_tensor(self._lr, "learning_rate")
        self._beta1_t = self._as_tensor(self._beta1, "beta1")
        self._beta2_t = self._as_tensor(self._beta2, "beta2")
        self._epsilon_t = self._as_tensor(self._epsilon, "epsilon")
        self._values_now = None

    def _apply_sparse_shared(
        self, grad: Any, var: Any, indices: TensorLike, scatter_add: Callable[..., Any]
    ) -> Operation | None:
        dtype = var.dtype.base_dtype
        values = {name: cast(value, dtype) for name, value in self._values().items()}
        beta1, beta2 = values["beta1"], values["beta2"]
        rate = values["lr"] * raw.Sqrt(1 - values["beta2_power"]) / (1 - values["beta1_power"])
        m = self.get_slot(var, "m")
        scaled = grad * (1 - beta1)
        m_t = assign(m, m * beta1, use_locking=self._use_locking)
        with control_dependencies([m_t]):
            m_t = scatter_add(m, indices, scaled)
        v = self.get_slot(var, "v")
        scaled = (grad * grad) * (1 - beta2)
        v_t = assign(v, v * beta2, use_locking=self._use_locking)
        with control_dependencies([v_t]):
            v_t = scatter_add(v, indices, scaled)
        root = raw.Sqrt(v_t)
        update = assign_sub(var, rate * m_t / (root + values["epsilon"]), use_locking=self._use_locking)
        return group(update, m_t, v_t)

    def _apply_sparse(self, grad: IndexedSlices, var: TensorLike) -> Any:
        def add(slot: Variable, indices: Tensor, values: Tensor) -> Any:
            return scatter_add(slot, indices, values, use_locking=self._use_locking)

        return self._apply_sparse_shared(grad.values, var, grad.indices, add)

    def _resource_scatter_add(self, slot: Any, indices: Tensor, values: Tensor) -> Tensor:
        with control_dependencies([raw.ResourceScatterAdd(slot.handle, indices, values)]):
            return slot.value()

    def _resource_apply_sparse(self, grad: TensorLike, handle: TensorLike, indices: TensorLike) -> Operation | None:
        return self._apply_sparse_shared(grad, handle, indices, self._resource_scatter_add)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation | None:
        with control_dependencies(update_ops):
            beta1_power, beta2_power = self._get_beta_accumulators()
            with colocate_with(beta1_power):
                first = beta1_power.assign(beta1_power * self._beta1_t, use_locking=self._use_locking)
                second = beta2_power.assign(beta2_power * self._beta2_t, use_locking=self._use_locking)
        return group(*update_ops, first, second, name=name_scope)
