"""Variants of Adam: lazy for sparse gradients, with Nesterov's momentum, and by the largest gradient.

Kingma and Ba, "Adam: a method for stochastic optimization", arXiv:1412.6980.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import colocate_with, control_dependencies, get_default_graph
from headrace.core.registry import raw
from headrace.ops.array.gather import gather
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.optimizers.adam import AdamOptimizer
from headrace.state.updates import assign, scatter_add, scatter_sub, scatter_update

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class LazyAdamOptimizer(AdamOptimizer):
    """Adam that leaves the moments of rows without a gradient as they are.

    Args:
        learning_rate, beta1, beta2, epsilon, use_locking, name: as those of `tf.train.AdamOptimizer`.

    Example:
        >>> train_op = tf.contrib.opt.LazyAdamOptimizer(1e-3).minimize(loss)
    """

    def _apply_sparse(self, grad: IndexedSlices, var: Any) -> Operation | Tensor:
        values = {name: cast(value, var.dtype.base_dtype) for name, value in self._values().items()}
        beta1, beta2 = values["beta1"], values["beta2"]
        rate = values["lr"] * raw.Sqrt(1 - values["beta2_power"]) / (1 - values["beta1_power"])
        indices, lock = grad.indices, self._use_locking
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        mean = beta1 * gather(m, indices) + (1 - beta1) * grad.values
        m_t = scatter_update(m, indices, mean, use_locking=lock)
        square = beta2 * gather(v, indices) + (1 - beta2) * raw.Square(grad.values)
        v_t = scatter_update(v, indices, square, use_locking=lock)
        m_rows, v_rows = gather(m_t, indices), gather(v_t, indices)
        root = raw.Sqrt(v_rows) + values["epsilon"]
        update = scatter_sub(var, indices, rate * m_rows / root, use_locking=lock)
        return group(update, m_t, v_t)

    def _resource_apply_sparse(self, grad: TensorLike, handle: Any, indices: TensorLike) -> Operation | None:
        values = {name: cast(value, handle.dtype.base_dtype) for name, value in self._values().items()}
        beta1, beta2 = values["beta1"], values["beta2"]
        rate = values["lr"] * raw.Sqrt(1 - values["beta2_power"]) / (1 - values["beta1_power"])
        m, v = self.get_slot(handle, "m"), self.get_slot(handle, "v")
        m_rows = beta1 * gather(m, indices) + (1 - beta1) * grad
        m_update = raw.ResourceScatterUpdate(m.handle, indices, m_rows)
        v_rows = beta2 * gather(v, indices) + (1 - beta2) * raw.Square(grad)
        v_update = raw.ResourceScatterUpdate(v.handle, indices, v_rows)
        step = rate * m_rows / (raw.Sqrt(v_rows) + values["epsilon"])
        return group(raw.ResourceScatterSub(handle.handle, indices, step), m_update, v_update)


class NadamOptimizer(AdamOptimizer):
    """Adam with Nesterov's momentum (Dozat, "Incorporating Nesterov momentum into Adam", ICLR workshop 2016).

    Args:
        learning_rate, beta1, beta2, epsilon, use_locking, name: as those of `tf.train.AdamOptimizer`.

    Example:
        >>> train_op = tf.contrib.opt.NadamOptimizer(1e-3).minimize(loss)
    """

    def _attrs(self) -> dict[str, Any]:
        return {"use_locking": self._use_locking, "use_nesterov": True}

    def _apply_sparse_shared(
        self, grad: Any, var: Any, indices: TensorLike, scatter_add: Callable[..., Any]
    ) -> Operation | None:
        values = {name: cast(value, var.dtype.base_dtype) for name, value in self._values().items()}
        beta1, beta2 = values["beta1"], values["beta2"]
        rate = values["lr"] * raw.Sqrt(1 - values["beta2_power"]) / (1 - values["beta1_power"])
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        scaled = grad * (1 - beta1)
        m_t = assign(m, m * beta1, use_locking=self._use_locking)
        with control_dependencies([m_t]):
            m_t = scatter_add(m, indices, scaled)
            ahead = scaled + beta1 * gather(m_t, indices)
        scaled = (grad * grad) * (1 - beta2)
        v_t = assign(v, v * beta2, use_locking=self._use_locking)
        with control_dependencies([v_t]):
            v_t = scatter_add(v, indices, scaled)
        root = raw.Sqrt(gather(v_t, indices))
        update = scatter_add(var, indices, -rate * ahead / (root + values["epsilon"]))
        return group(update, ahead, v_t)


class AdaMaxOptimizer(AdamOptimizer):
    """Adam by the largest gradient instead of the root mean square (arXiv:1412.6980, section 7.1).

    Args:
        learning_rate, beta1, beta2, epsilon, use_locking: as those of `tf.train.AdamOptimizer`.
        name: the name scope of the step, and the name of the slots.

    Example:
        >>> train_op = tf.contrib.opt.AdaMaxOptimizer(1e-3).minimize(loss)
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "AdaMax",
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _kind(self) -> str:
        return "AdaMax"

    def _values(self) -> dict[str, Any]:
        return {
            "beta1_power": self._get_beta_accumulators(),
            "lr": self._lr_t,
            "beta1": self._beta1_t,
            "beta2": self._beta2_t,
            "epsilon": self._epsilon_t,
        }

    def _get_beta_accumulators(self) -> Any:
        return self._get_non_slot_variable("beta1_power", graph=get_default_graph())

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda var: var.name)
        self._create_non_slot_variable(initial_value=self._beta1, name="beta1_power", colocate_with=first)
        for var in var_list:
            self._zeros_slot(var, "m", self._name)
            self._zeros_slot(var, "v", self._name)

    def _apply_rows(
        self, grad: TensorLike, var: Any, indices: TensorLike, add: Callable[..., Any], update: Callable[..., Any]
    ) -> Any:
        """The step of the rows `indices`; `add` and `update` change rows of a variable: (variable, indices, values)."""
        values = {name: cast(value, var.dtype.base_dtype) for name, value in self._values().items()}
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_rows = gather(m, indices) * values["beta1"] + grad * (1 - values["beta1"])
        with control_dependencies([m_rows]):
            m_t = update(m, indices, m_rows)
        v_rows = raw.Maximum(gather(v, indices) * values["beta2"], raw.Abs(grad))
        with control_dependencies([v_rows]):
            v_t = update(v, indices, v_rows)
        step = -values["lr"] / (1 - values["beta1_power"]) * (m_rows / (v_rows + values["epsilon"]))
        with control_dependencies([step]):
            added = add(var, indices, step)
        return group(added, m_t, v_t)

    def _apply_sparse(self, grad: IndexedSlices, var: TensorLike) -> Operation | Tensor:
        lock = self._use_locking
        return self._apply_rows(
            grad.values,
            var,
            grad.indices,
            lambda x, i, v: scatter_add(x, i, v, use_locking=lock),
            lambda x, i, v: scatter_update(x, i, v, use_locking=lock),
        )

    def _resource_scatter_update(self, slot: Any, indices: TensorLike, values: TensorLike) -> Any:
        with control_dependencies([raw.ResourceScatterUpdate(slot.handle, indices, values)]):
            return slot.value()

    def _resource_apply_sparse(self, grad: TensorLike, handle: TensorLike, indices: TensorLike) -> Any:
        return self._apply_rows(grad, handle, indices, self._resource_scatter_add, self._resource_scatter_update)

    def _finish(self, update_ops: Sequence[Any], name_scope: str) -> Operation | None:
        with control_dependencies(update_ops):
            power = self._get_beta_accumulators()
            with colocate_with(power):
                update = power.assign(power * self._beta1_t, use_locking=self._use_locking)
        return group(*update_ops, update, name=name_scope)
