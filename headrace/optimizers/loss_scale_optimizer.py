"""An optimizer around another one that scales the loss.

Micikevicius et al., "Mixed precision training", arXiv:1710.03740.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.tracking import Trackable
from headrace.core.composite import IndexedSlices
from headrace.functions.flow.case import smart_cond
from headrace.ops.flow.grouping import group, no_op
from headrace.optimizers import loss_scale as loss_scales
from headrace.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class MixedPrecisionLossScaleOptimizer(Optimizer, Trackable):
    """Takes the gradients of a multiple of the loss, divides them again, and leaves out steps where they overflow.

    Args:
        opt: the optimizer that applies the gradients.
        loss_scale: a `LossScale`, a number for a fixed one, or "dynamic".

    Raises:
        ValueError: if `opt` is no optimizer, or the loss scale is unknown.

    Example:
        >>> opt = tf.train.MomentumOptimizer(0.1, 0.9)
        >>> opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, "dynamic")
        >>> train_op = opt.minimize(loss)
    """

    def __init__(self, opt: Any, loss_scale: float | str) -> None:
        if not isinstance(opt, Optimizer):
            raise ValueError(f'"opt" must be an instance of Optimizer, but got: {type(opt)}')
        self._optimizer = opt
        super().__init__(opt._use_locking, opt.get_name())
        scale = loss_scales.get(loss_scale)
        if scale is None:
            raise ValueError(f"Could not interpret loss scale identifier: {loss_scale}")
        self._loss_scale = scale
        self._track_trackable(opt, "base_optimizer")
        self._track_trackable(scale, "loss_scale")

    def compute_gradients(
        self,
        loss: TensorLike | Callable[..., Any],
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Tensor | None = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of the loss itself; the arguments are those of `Optimizer.compute_gradients`."""
        scale = self._loss_scale()
        scaled = (lambda: loss() * scale) if callable(loss) else loss * scale
        pairs = self._optimizer.compute_gradients(
            scaled, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )
        inverse = 1 / self._loss_scale()
        return [(_times(gradient, inverse), variable) for gradient, variable in pairs]

    def apply_gradients(
        self, grads_and_vars: Any, global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """Applies the gradients, where all are finite if the loss scale is a dynamic one.

        Args:
            grads_and_vars: what `compute_gradients` returned.
            global_step: counted one further where they are applied.
            name: the name of the operation.
        """
        if not isinstance(self._loss_scale, loss_scales.DynamicLossScale):
            return self._optimizer.apply_gradients(grads_and_vars, global_step, name)
        name = self.get_name() if name is None else name
        pairs = tuple(grads_and_vars)
        update, good = self._loss_scale.update([gradient for gradient, _ in pairs])

        def apply() -> Operation:
            return group(self._optimizer.apply_gradients(pairs, global_step, f"{name}-wrapped"))

        return group(smart_cond(good, apply, no_op), update, name=name)


def _times(gradient: Tensor, factor: Tensor) -> Tensor:
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
    return gradient * factor
