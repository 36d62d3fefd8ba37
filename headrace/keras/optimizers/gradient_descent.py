"""Gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.dtypes import DType
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2


class SGD(OptimizerV2):
    """w -= learning_rate * g; with momentum v = momentum * v - learning_rate * g and w += v.

    Polyak, "Some methods of speeding up the convergence of iteration methods" (1964); Nesterov's form: Sutskever et al., "On
    the importance of initialization and momentum in deep learning", ICML 2013.

    Args:
        learning_rate: a number, a tensor, a function without arguments, or a learning rate schedule.
        momentum: what of a step is kept in the next, at least 0 and at most 1.
        nesterov: whether the step goes on by the momentum that it just got.
        name: the name scope of its steps and variables.
        **kwargs: `clipnorm`, `clipvalue`, `decay` and `lr`.

    Raises:
        ValueError: for a momentum out of bounds.

    Example:
        >>> model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "mse")
    """

    def __init__(
        self, learning_rate: Any = 0.01, momentum: Any = 0.0, nesterov: bool = False, name: str = "SGD", **kwargs: Any
    ) -> None:
        super().__init__(name, **kwargs)
        self._set_hyper("learning_rate", kwargs.get("lr", learning_rate))
        self._set_hyper("decay", self._initial_decay)
        self._momentum = isinstance(momentum, Tensor) or callable(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise ValueError("`momentum` must be between [0, 1].")
        self._set_hyper("momentum", momentum)
        self.nesterov = nesterov

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        if self._momentum:
            for var in var_list:
                self.add_slot(var, "momentum")

    def _prepare_local(self, var_device: str, var_dtype: DType, apply_state: Any) -> None:
        super()._prepare_local(var_device, var_dtype, apply_state)
        apply_state[var_device, var_dtype]["momentum"] = raw.Identity(self._get_hyper("momentum", var_dtype))

    def _resource_apply_dense(self, grad: Any, var: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        if not self._momentum:
            return raw.ResourceApplyGradientDescent(var.handle, shared["lr_t"], grad, use_locking=self._use_locking)
        return raw.ResourceApplyKerasMomentum(
            var.handle,
            self.get_slot(var, "momentum").handle,
            shared["lr_t"],
            grad,
            shared["momentum"],
            use_locking=self._use_locking,
            use_nesterov=self.nesterov,
        )

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, var: Any, indices: Any, **kwargs: Any) -> Any:
        if self._momentum:
            return super()._resource_apply_sparse_duplicate_indices(grad, var, indices, **kwargs)
        shared = self._shared(var, kwargs.get("apply_state"))
        return raw.ResourceScatterAdd(var.handle, indices, raw.Neg(grad) * shared["lr_t"])

    def _resource_apply_sparse(self, grad: Any, var: Any, indices: Any, apply_state: Any = None) -> Any:
        shared = self._shared(var, apply_state)
        return raw.ResourceSparseApplyKerasMomentum(
            var.handle,
            self.get_slot(var, "momentum").handle,
            shared["lr_t"],
            grad,
            indices,
            shared["momentum"],
            use_locking=self._use_locking,
            use_nesterov=self.nesterov,
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such optimizer with."""
        return {
            **super().get_config(),
            "learning_rate": self._serialize_hyperparameter("learning_rate"),
            "decay": self._serialize_hyperparameter("decay"),
            "momentum": self._serialize_hyperparameter("momentum"),
            "nesterov": self.nesterov,
        }
