"""FTRL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.dtypes import DType
from headrace.core.registry import raw
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.kernels.composing import cast
from headrace.state.initializers import Constant


class Ftrl(OptimizerV2):
    """Follow the regularized leader, which keeps many weights at 0.

    McMahan et al., "Ad click prediction: a view from the trenches", KDD 2013.

    Args:
        learning_rate: a number, a tensor, a function without arguments, or a learning rate schedule.
        learning_rate_power: the power of the sums of squared gradients by which the rate falls, at most 0.
        initial_accumulator_value: where these sums start, at least 0.
        l1_regularization_strength, l2_regularization_strength: at least 0.
        name: the name scope of its steps and variables.
        l2_shrinkage_regularization_strength: a penalty of the size, rather than a stabilization, at least 0.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`.

    Raises:
        ValueError: if one of them is out of bounds.
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        for argument, value in (
            ("initial_accumulator_value", initial_accumulator_value),
            ("l1_regularization_strength", l1_regularization_strength),
            ("l2_regularization_strength", l2_regularization_strength),
            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength),
        ):
            if value < 0.0:
                raise ValueError(f"{argument} {value:f} needs to be positive or zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power:f} needs to be negative or zero")
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("learning_rate_power", learning_rate_power)
        self._set_hyper("l1_regularization_strength", l1_regularization_strength)
        self._set_hyper("l2_regularization_strength", l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            start = Constant(self._initial_accumulator_value, dtype=var.dtype.base_dtype)
            self.add_slot(var, "accumulator", start)
            self.add_slot(var, "linear")

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[var_device, var_dtype].update(
            learning_rate_power=raw.Identity(self._get_hyper("learning_rate_power", var_dtype)),
            l1_regularization_strength=raw.Identity(self._get_hyper("l1_regularization_strength", var_dtype)),
            l2_regularization_strength=raw.Identity(self._get_hyper("l2_regularization_strength", var_dtype)),
            l2_shrinkage_regularization_strength=cast(self._l2_shrinkage_regularization_strength, var_dtype),
        )

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        return self._step("Resource", var, self._shared(var, apply_state), grad)

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any, apply_state: Any = None) -> Any:
        return self._step("ResourceSparse", var, self._shared(var, apply_state), grad, indices)

    def _step(self, form: str, var: Any, shared: dict[str, Any], *gradient: Any) -> Any:
        shrinks = self._l2_shrinkage_regularization_strength > 0.0
        shrinkage = [shared["l2_shrinkage_regularization_strength"]] if shrinks else []
        return getattr(raw, f"{form}ApplyFtrl{'V2' if shrinks else ''}")(
            var.handle,
            self.get_slot(var, "accumulator").handle,
            self.get_slot(var, "linear").handle,
            *gradient,
            shared["lr_t"],
            shared["l1_regularization_strength"],
            shared["l2_regularization_strength"],
            *shrinkage,
            shared["learning_rate_power"],
            use_locking=self._use_locking,
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "initial_accumulator_value": self._initial_accumulator_value,
            "learning_rate_power": self._serialize_hyperparameter("learning_rate_power"),
            "l1_regularization_strength": self._serialize_hyperparameter("l1_regularization_strength"),
            "l2_regularization_strength": self._serialize_hyperparameter("l2_regularization_strength"),
            "l2_shrinkage_regularization_strength": self._l2_shrinkage_regularization_strength,
        }
