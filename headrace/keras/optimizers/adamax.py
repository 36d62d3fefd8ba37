"""AdaMax."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType, int64
from headrace.core.registry import raw
from headrace.keras.backend_config import epsilon as default_epsilon
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.kernels.composing.arranging import gather
from headrace.kernels.composing.filling import zeros
from headrace.ops.flow.grouping import group
from headrace.ops.math.binary import pow
from headrace.ops.math.cast import cast


class Adamax(OptimizerV2):
    """Adam with the largest gradient so far, decaying, instead of the root of the second moment.

    Kingma and Ba, "Adam: a method for stochastic optimization", arXiv:1412.6980, section 7.1.

    Sparse gradients change the rows they are for, and leave the moments of the others.

    Args:
        learning_rate: a number, a tensor, a function without arguments, or a learning rate schedule.
        beta_1, beta_2: how much of the moment and of the largest gradient stays in each step.
        epsilon: added to the largest gradient; `tf.keras.backend.epsilon()` for None.
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: Any = 0.9,
        beta_2: Any = 0.999,
        epsilon: float | None = 1e-7,
        name: str = "Adamax",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("beta_1", beta_1)
        self._set_hyper("beta_2", beta_2)
        self.epsilon = epsilon or default_epsilon()

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for name in ("m", "v"):
            for var in var_list:
                self.add_slot(var, name)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[var_device, var_dtype]
        step = cast(self.iterations + 1, var_dtype)
        beta_1 = raw.Identity(self._get_hyper("beta_1", var_dtype))
        beta_2 = raw.Identity(self._get_hyper("beta_2", var_dtype))
        beta_1_power = pow(beta_1, step)
        shared.update(
            neg_scaled_lr=raw.Neg(shared["lr_t"]) / (1 - beta_1_power),
            epsilon=convert_to_tensor(self.epsilon, var_dtype),
            beta_1_t=beta_1,
            beta_1_power=beta_1_power,
            one_minus_beta_1_t=1 - beta_1,
            beta_2_t=beta_2,
            # TensorFlow makes it, and nothing takes it: seeds of what comes after it count on it.
            zero=zeros([], int64),
        )

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        return raw.ResourceApplyAdaMax(
            var.handle,
            self.get_slot(var, "m").handle,
            self.get_slot(var, "v").handle,
            shared["beta_1_power"],
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
        moment = gather(m, indices) * shared["beta_1_t"] + grad * shared["one_minus_beta_1_t"]
        m_t = self._resource_scatter_update(m, indices, moment)
        largest = raw.Maximum(gather(v, indices) * shared["beta_2_t"], raw.Abs(grad))
        v_t = self._resource_scatter_update(v, indices, largest)
        step = shared["neg_scaled_lr"] * (moment / (largest + shared["epsilon"]))
        return group(self._resource_scatter_add(var, indices, step), m_t, v_t)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "beta_1": self._serialize_hyperparameter("beta_1"),
            "beta_2": self._serialize_hyperparameter("beta_2"),
            "epsilon": self.epsilon,
        }
