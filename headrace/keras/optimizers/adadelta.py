"""Adadelta."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType
from headrace.core.registry import raw
from headrace.keras.backend_config import epsilon as default_epsilon
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2


class Adadelta(OptimizerV2):
    """Steps as large, by moving averages of squares, as the steps before them.

    Zeiler, "ADADELTA: an adaptive learning rate method", arXiv:1212.5701.

    Args:
        learning_rate: a number, a tensor, a function without arguments, or a learning rate schedule; 1 in the paper.
        rho: how much of the averages stays in each step.
        epsilon: added to the averages; `tf.keras.backend.epsilon()` for None.
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: float | None = 1e-7,
        name: str = "Adadelta",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("rho", rho)
        self.epsilon = epsilon or default_epsilon()

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for name in ("accum_grad", "accum_var"):
            for var in var_list:
                self.add_slot(var, name)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[var_device, var_dtype].update(
            epsilon=convert_to_tensor(self.epsilon, var_dtype), rho=raw.Identity(self._get_hyper("rho", var_dtype))
        )

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables new values, in the order of `weights`; those of 1.x's `Adadelta` have no count of steps."""
        if len(self.weights) == len(weights) + 1:
            weights = [np.array(0), *weights]
        super().set_weights(weights)

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        return self._step("Resource", var, self._shared(var, apply_state), grad)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any, apply_state: Any = None) -> Any:
        return self._step("ResourceSparse", var, self._shared(var, apply_state), grad, indices)

    def _step(self, form: str, var: Any, shared: dict[str, Any], *rest: Any) -> Any:
        return getattr(raw, f"{form}ApplyAdadelta")(
            var.handle,
            self.get_slot(var, "accum_grad").handle,
            self.get_slot(var, "accum_var").handle,
            shared["lr_t"],
            shared["rho"],
            shared["epsilon"],
            *rest,
            use_locking=self._use_locking,
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "rho": self._serialize_hyperparameter("rho"),
            "epsilon": self.epsilon,
        }
