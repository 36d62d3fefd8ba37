"""Momentum scaled for each layer, and Adagrad that can leave its accumulators alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.functions.math.norms import norm
from headrace.kernels import composing
from headrace.optimizers.adagrad import AdagradOptimizer
from headrace.optimizers.descent import MomentumOptimizer

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class LARSOptimizer(MomentumOptimizer):
    """Momentum with a learning rate for each variable by the norms of it and its gradient (arXiv:1708.03888).

    Args:
        learning_rate, momentum: numbers or tensors.
        weight_decay: a number >= 0.
        eeta: how large steps are relative to variables.
        epsilon: what keeps the ratio finite.
        name: the name scope of the step, and the name of the slots.
        skip_list: parts of names of variables that are stepped by the plain learning rate, without decay.
        use_nesterov: whether to look ahead.

    Raises:
        ValueError: for negative momentum or decay.
    """

    def __init__(
        self,
        learning_rate: float,
        momentum: float = 0.9,
        weight_decay: float = 0.0001,
        eeta: float = 0.001,
        epsilon: float = 0.0,
        name: str = "LARSOptimizer",
        skip_list: Sequence[str] | None = None,
        use_nesterov: bool = False,
    ) -> None:
        if momentum < 0.0:
            raise ValueError(f"momentum should be positive: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"weight_decay should be positive: {weight_decay}")
        super().__init__(learning_rate, momentum, False, name, use_nesterov)
        self._weight_decay = weight_decay
        self._eeta = eeta
        self._epsilon = epsilon
        self._skip_list = skip_list

    def compute_lr(self, grad: Any, var: Any) -> tuple[Any, Any]:
        """The learning rate of a variable, and its gradient with the decay."""
        if self._skip_list is not None and any(part in var.name for part in self._skip_list):
            return self._learning_rate, grad
        size, slope = norm(var, ord=2), norm(grad, ord=2)
        some, moves = raw.Greater(size, 0), raw.Greater(slope, 0)
        trust = self._eeta * size / (slope + self._weight_decay * size + self._epsilon)
        trust = raw.Select(some, raw.Select(moves, trust, 1.0), 1.0)
        return self._learning_rate * trust, grad + self._weight_decay * var

    def _apply_dense(self, grad: TensorLike, var: Any) -> Tensor:
        rate, grad = self.compute_lr(grad, var)
        one = composing.cast(1.0, var.dtype)
        return raw.ApplyMomentum(
            var, self.get_slot(var, "momentum"), one, grad * rate, self._momentum, use_nesterov=self._use_nesterov
        )

    def _resource_apply_dense(self, grad: TensorLike, handle: Any) -> Operation:
        rate, grad = self.compute_lr(grad, handle)
        slot = self.get_slot(handle, "momentum").handle
        one = composing.cast(1.0, handle.dtype)
        return raw.ResourceApplyMomentum(
            handle.handle, slot, one, grad * rate, self._momentum, use_nesterov=self._use_nesterov
        )


class RegAdagradOptimizer(AdagradOptimizer):
    """Adagrad, steps of which may leave the accumulators as they are, as those of a regularizer should.

    Args:
        learning_rate, initial_accumulator_value, use_locking, name: as those of `tf.train.AdagradOptimizer`.

    Example:
        >>> optimizer = tf.contrib.opt.RegAdagradOptimizer(0.1)
        >>> train_op = optimizer.minimize(loss)
        >>> with optimizer.avoid_updating_slots():
        ...     decay_op = optimizer.minimize(1e-4 * tf.nn.l2_loss(w))
    """

    def __init__(
        self,
        learning_rate: float,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "RegAdagrad",
    ) -> None:
        super().__init__(
            learning_rate,
            initial_accumulator_value=initial_accumulator_value,
            use_locking=use_locking,
            name=name,
        )
        self._should_update_slots = True

    @contextlib.contextmanager
    def avoid_updating_slots(self) -> Iterator[None]:
        """A context manager in which steps are made that leave the accumulators."""
        before, self._should_update_slots = self._should_update_slots, False
        try:
            yield
        finally:
            self._should_update_slots = before

    def _attrs(self) -> dict[str, Any]:
        return {**super()._attrs(), "update_slots": self._should_update_slots}
