"""tf.contrib.mixed_precision: losses scaled for gradients of small types, before `tf.train.experimental`.

Micikevicius et al., "Mixed precision training", arXiv:1710.03740.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.optimizers.optimizer import Optimizer
from headrace.state.updates import assign, assign_add
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.optimizers.descent import MomentumOptimizer


class LossScaleManager(abc.ABC):
    """What a loss is multiplied with, and how that changes."""

    @abc.abstractmethod
    def get_loss_scale(self) -> Any:
        """The factor, a float32 scalar."""

    @abc.abstractmethod
    def update_loss_scale(self, finite_grads: TensorLike) -> Any:
        """An operation that changes the factor after a step.

        Args:
            finite_grads: bool scalar, whether all gradients of the step were finite.
        """


class FixedLossScaleManager(LossScaleManager):
    """A factor that stays as it is.

    Args:
        loss_scale: the factor, at least 1.

    Raises:
        ValueError: if it is less.
    """

    def __init__(self, loss_scale: float) -> None:
        if loss_scale < 1:
            raise ValueError("loss scale must be at least 1.")
        self._loss_scale = convert_to_tensor(loss_scale, dtype="float32")

    def get_loss_scale(self) -> Tensor:
        """The factor."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: TensorLike) -> Operation:
        """Nothing changes."""
        return raw.NoOp()


class ExponentialUpdateLossScaleManager(LossScaleManager):
    """A factor that grows after some good steps in a row and shrinks, to no less than 1, after some bad ones.

    Args:
        init_loss_scale: the factor at the beginning.
        incr_every_n_steps: after how many good steps it grows.
        decr_every_n_nan_or_inf: after how many bad steps it shrinks.
        incr_ratio, decr_ratio: what it is multiplied with then.
    """

    def __init__(
        self,
        init_loss_scale: float,
        incr_every_n_steps: int,
        decr_every_n_nan_or_inf: int = 2,
        incr_ratio: float = 2,
        decr_ratio: float = 0.8,
    ) -> None:
        self._incr_every_n_steps, self._decr_every_n_nan_or_inf = incr_every_n_steps, decr_every_n_nan_or_inf
        self._incr_ratio, self._decr_ratio = incr_ratio, decr_ratio
        first = convert_to_tensor(init_loss_scale, "float32")
        self._loss_scale = Variable(first, name="loss_scale", dtype="float32", trainable=False)
        self._num_good_steps = Variable(0, name="good_steps", dtype="int32", trainable=False)
        self._num_bad_steps = Variable(0, name="bad_steps", dtype="int32", trainable=False)

    def get_loss_scale(self) -> Variable:
        """The factor, a variable."""
        return self._loss_scale

    def update_loss_scale(self, finite_grads: Any) -> Tensor:
        """Counts the step and changes the factor where it is time to."""
        scale: Variable = self._loss_scale
        good: Variable = self._num_good_steps
        bad: Variable = self._num_bad_steps

        def become(value: Tensor) -> Operation:
            return group(assign(scale, value), group(assign(good, 0), assign(bad, 0)))

        def grow() -> Operation:
            larger = cond(raw.IsFinite(scale * self._incr_ratio), lambda: scale * self._incr_ratio, lambda: scale)
            return become(larger)

        def shrink() -> Operation:
            return become(raw.Maximum(1.0, scale * self._decr_ratio))

        def after_good() -> Tensor:
            return cond(good + 1 >= self._incr_every_n_steps, grow, lambda: assign_add(good, 1).op)

        def after_bad() -> Tensor:
            return cond(
                bad + 1 >= self._decr_every_n_nan_or_inf,
                shrink,
                lambda: group(assign_add(bad, 1), assign(good, 0)),
            )

        return cond(finite_grads, after_good, after_bad)


class LossScaleOptimizer(Optimizer):
    """Takes the gradients of a multiple of the loss, divides them again, and leaves out steps where they overflow.

    Args:
        opt: the optimizer that applies the gradients.
        loss_scale_manager: gives the factor.
    """

    def __init__(self, opt: MomentumOptimizer, loss_scale_manager: LossScaleManager) -> None:
        # Everything is the other optimizer's; this one has no name or slots.
        self._opt = opt
        self._loss_scale_manager = loss_scale_manager

    def compute_gradients(
        self,
        loss: Callable[..., Any] | Tensor | Variable,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Tensor | None = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of the loss itself; the arguments are those of `Optimizer.compute_gradients`."""
        scale = self._loss_scale_manager.get_loss_scale()
        value = loss() if callable(loss) else loss
        scaled = value * cast(scale, value.dtype.base_dtype)
        pairs = self._opt.compute_gradients(
            scaled, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        inverse = raw.Reciprocal(scale)
        return [(g if g is None else g * cast(inverse, g.dtype.base_dtype), v) for g, v in pairs]

    def apply_gradients(
        self, grads_and_vars: Any, global_step: TensorLike | None = None, name: str | None = None
    ) -> Operation:
        """Applies the gradients where all are finite, and updates the factor; as `Optimizer.apply_gradients`."""
        finite = reduce_all([reduce_all(raw.IsFinite(g)) for g, _ in grads_and_vars])
        applied = cond(finite, lambda: self._opt.apply_gradients(grads_and_vars, global_step, name), raw.NoOp)
        return group(applied, self._loss_scale_manager.update_loss_scale(finite))
