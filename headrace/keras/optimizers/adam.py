"""Adam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import DType
from headrace.core.registry import raw
from headrace.keras.backend_config import epsilon as default_epsilon
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.ops.flow.grouping import group
from headrace.ops.math.binary import pow
from headrace.ops.math.cast import cast


class Adam(OptimizerV2):
    """Adam, in the form before section 2.1 of its paper: the root is that of the second moment, before epsilon is added.

    Kingma and Ba, "Adam: a method for stochastic optimization", arXiv:1412.6980; with the largest second moment so far:
    Reddi et al., "On the convergence of Adam and beyond", ICLR 2018.

    Sparse gradients decay the moments of all rows, as dense ones do.

    Args:
        learning_rate: a number, a tensor, a function without arguments, or a learning rate schedule.
        beta_1, beta_2: how much of the moments stays in each step.
        epsilon: added to the root; `tf.keras.backend.epsilon()` for None.
        amsgrad: whether steps are divided by the root of the largest second moment so far.
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`.

    Example:
        >>> model.compile(tf.keras.optimizers.Adam(1e-4), "mse")
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self.epsilon = epsilon or default_epsilon()
        self.amsgrad = amsgrad

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        # One kind after the other, which is the order of `weights`.
        for name in ("m", "v", "vhat") if self.amsgrad else ("m", "v"):
            for var in var_list:
                self.add_slot(var, name)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[var_device, var_dtype]
        step = cast(self.iterations + 1, var_dtype)
        beta_1 = raw.Identity(self._get_hyper("beta_1", var_dtype))
        beta_2 = raw.Identity(self._get_hyper("beta_2", var_dtype))
        beta_1_power, beta_2_power = pow(beta_1, step), pow(beta_2, step)
        shared.update(
            beta_1_t=beta_1,
            beta_2_t=beta_2,
            beta_1_power=beta_1_power,
            beta_2_power=beta_2_power,
            lr=shared["lr_t"] * (raw.Sqrt(1 - beta_2_power) / (1 - beta_1_power)),
            epsilon=convert_to_tensor(self.epsilon, var_dtype),
            one_minus_beta_1_t=1 - beta_1,
            one_minus_beta_2_t=1 - beta_2,
        )

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables new values, in the order of `weights`; those of 1.x's `Adam` with two moments fit too."""
        count = max(len(self.weights) - 1, 0) // 2
        # The optimizer of `keras.optimizers` always had a third list.
        if len(weights) == 3 * count + 1:
            weights = weights[: len(self.weights)]
        super().set_weights(weights)

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        slots = [self.get_slot(var, name).handle for name in (("m", "v", "vhat") if self.amsgrad else ("m", "v"))]
        apply = raw.ResourceApplyAdamWithAmsgrad if self.amsgrad else raw.ResourceApplyAdam
        return apply(
            var.handle,
            *slots,
            shared["beta_1_power"],
            shared["beta_2_power"],
            shared["lr_t"],
            shared["beta_1_t"],
            shared["beta_2_t"],
            shared["epsilon"],
            grad,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        m_t = m.assign(m * shared["beta_1_t"], use_locking=self._use_locking)
        with control_dependencies([m_t]):
            m_t = self._resource_scatter_add(m, indices, grad * shared["one_minus_beta_1_t"])
        v_t = v.assign(v * shared["beta_2_t"], use_locking=self._use_locking)
        with control_dependencies([v_t]):
            v_t = self._resource_scatter_add(v, indices, (grad * grad) * shared["one_minus_beta_2_t"])
        divisor, updates = v_t, [m_t, v_t]
        if self.amsgrad:
            largest = self.get_slot(var, "vhat")
            divisor = raw.Maximum(largest, v_t)
            with control_dependencies([divisor]):
                updates.append(largest.assign(divisor, use_locking=self._use_locking))
        step = shared["lr"] * m_t / (raw.Sqrt(divisor) + shared["epsilon"])
        return group(var.assign_sub(step, use_locking=self._use_locking), *updates)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "beta_1": self._serialize_hyperparameter("beta_1"),
            "beta_2": self._serialize_hyperparameter("beta_2"),
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }
