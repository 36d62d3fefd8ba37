"""RMSprop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import DType
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.keras.backend_config import epsilon as default_epsilon
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.kernels.composing.arranging import gather
from headrace.ops.flow.grouping import group


class RMSprop(OptimizerV2):
    """Steps divided by the root of a moving average of squared gradients.

    Tieleman and Hinton, "Lecture 6.5: RMSProp", Coursera (2012); centered: Graves, "Generating sequences with recurrent
    neural networks", arXiv:1308.0850.

    Epsilon is added after the root, and under it where there is a momentum, as in TensorFlow.

    Args:
        learning_rate: a number, a tensor, a function without arguments, or a learning rate schedule.
        rho: how much of the average stays in each step.
        momentum: what of a step is kept in the next, at least 0 and at most 1.
        epsilon: keeps from dividing by 0; `tf.keras.backend.epsilon()` for None.
        centered: whether the square of the average gradient is subtracted from the average square.
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`.

    Raises:
        ValueError: for a momentum out of bounds.

    Example:
        >>> model.compile(tf.keras.optimizers.RMSprop(1e-3), "mse")
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.9,
        momentum: Any = 0.0,
        epsilon: float | None = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        **kwargs: Any,
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._set_hyper("rho", rho)
        self._momentum = isinstance(momentum, Tensor) or callable(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")
        self._set_hyper("momentum", momentum)
        self.epsilon = epsilon or default_epsilon()
        self.centered = centered

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        kinds = ["rms", *(["momentum"] if self._momentum else []), *(["mg"] if self.centered else [])]
        for name in kinds:
            for var in var_list:
                self.add_slot(var, name)

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        shared = apply_state[var_device, var_dtype]
        rho = raw.Identity(self._get_hyper("rho", var_dtype))
        shared.update(
            neg_lr_t=raw.Neg(shared["lr_t"]),
            epsilon=convert_to_tensor(self.epsilon, var_dtype),
            rho=rho,
            momentum=raw.Identity(self._get_hyper("momentum", var_dtype)),
            one_minus_rho=1 - rho,
        )

    def set_weights(self, weights: Sequence[Any]) -> None:
        """Gives its variables new values, in the order of `weights`; those of 1.x's `RMSprop` have no count of steps."""
        if len(self.weights) == len(weights) + 1:
            weights = [np.array(0), *weights]
        super().set_weights(weights)

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        if self._momentum:
            return self._with_momentum("", var, shared, grad)
        rms = self.get_slot(var, "rms")
        average = shared["rho"] * rms + shared["one_minus_rho"] * raw.Square(grad)
        average = self._assigned(rms, average)
        if self.centered:
            mean = self.get_slot(var, "mg")
            average_gradient = self._assigned(mean, shared["rho"] * mean + shared["one_minus_rho"] * grad)
            average = average - raw.Square(average_gradient)
        step = shared["lr_t"] * grad / (raw.Sqrt(average) + shared["epsilon"])
        return var.assign(var - step, use_locking=self._use_locking)

    def _assigned(self, slot: Any, value: Any) -> Any:
        """The value of a slot after it was set."""
        with control_dependencies([slot.assign(value, use_locking=self._use_locking)]):
            return raw.Identity(value)

    def _with_momentum(self, form: str, var: Any, shared: dict[str, Any], *rest: Any) -> Any:
        """The one operation that does a step with momentum; `form` is what is before Apply in its type."""
        kind, slots = (
            ("CenteredRMSProp", ("mg", "rms", "momentum")) if self.centered else ("RMSProp", ("rms", "momentum"))
        )
        return getattr(raw, f"Resource{form}Apply{kind}")(
            var.handle,
            *(self.get_slot(var, name).handle for name in slots),
            shared["lr_t"],
            shared["rho"],
            shared["momentum"],
            shared["epsilon"],
            *rest,
            use_locking=self._use_locking,
        )

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        if self._momentum:
            return self._with_momentum("Sparse", var, shared, grad, indices)
        rms = self.get_slot(var, "rms")
        average = self._rows(rms, grad * grad, indices, shared)
        updates = [average]
        root_of = gather(average, indices)
        if self.centered:
            mean = self._rows(self.get_slot(var, "mg"), grad, indices, shared)
            updates.append(mean)
            root_of = root_of - raw.Square(gather(mean, indices))
        step = shared["neg_lr_t"] * grad / (raw.Sqrt(root_of) + shared["epsilon"])
        return group(self._resource_scatter_add(var, indices, step), *updates)

    def _rows(self, slot: Any, value: Any, indices: Any, shared: dict[str, Any]) -> Any:
        """A moving average after values of some rows have come in, the others being 0."""
        scaled = value * shared["one_minus_rho"]
        with control_dependencies([slot.assign(slot * shared["rho"], use_locking=self._use_locking)]):
            return self._resource_scatter_add(slot, indices, scaled)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "rho": self._serialize_hyperparameter("rho"),
            "momentum": self._serialize_hyperparameter("momentum"),
            "epsilon": self.epsilon,
            "centered": self.centered,
        }
