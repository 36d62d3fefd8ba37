"""Adagrad."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import DType, int64
from headrace.core.registry import raw
from headrace.keras.backend_config import epsilon as default_epsilon
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.kernels.composing.filling import zeros
from headrace.state.initializers import Constant


class Adagrad(OptimizerV2):
    """Steps divided by the root of the sum of all squared gradients so far.

    Duchi, Hazan and Singer, "Adaptive subgradient methods", JMLR 12 (2011).

    Args:
        learning_rate: a number, a tensor, a function without arguments, or a learning rate schedule.
        initial_accumulator_value: where the sums start, at least 0.
        epsilon: added to the root; `tf.keras.backend.epsilon()` for None.
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`.

    Raises:
        ValueError: if `initial_accumulator_value` is negative.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float | None = 1e-7,
        name: str = "Adagrad",
        **kwargs: Any,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value must be non-negative: {initial_accumulator_value}")
        epsilon = default_epsilon() if epsilon is None else epsilon
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._initial_accumulator_value = initial_accumulator_value
        self.epsilon = epsilon

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            start = Constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype)
            self.add_slot(var, "accumulator", start)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[var_device, var_dtype]
        shared["epsilon"] = convert_to_tensor(self.epsilon, var_dtype)
        # TensorFlow makes these two, which nothing takes: seeds of what comes after them count on it.
        shared.update(neg_lr_t=raw.Neg(shared["lr_t"]), zero=zeros([], int64))

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables new values, in the order of `weights`; those of 1.x's `Adagrad` have no count of steps."""
        if len(self.weights) == len(weights) + 1:
            weights = [np.array(0), *weights]
        super().set_weights(weights)

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        accumulator = self.get_slot(var, "accumulator")
        return raw.ResourceApplyAdagradV2(
            var.handle,
            accumulator.handle,
            shared["lr_t"],
            shared["epsilon"],
            grad,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        accumulator = self.get_slot(var, "accumulator")
        return raw.ResourceSparseApplyAdagradV2(
            var.handle,
            accumulator.handle,
            shared["lr_t"],
            shared["epsilon"],
            grad,
            indices,
            use_locking=self._use_locking,
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "initial_accumulator_value": self._initial_accumulator_value,
            "epsilon": self.epsilon,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
        """The optimizer that `get_config` describes; it may leave out where the sums start."""
        if isinstance(config, dict):
            config.setdefault("initial_accumulator_value", 0.0)
        return super().from_config(config, custom_objects)
