"""An optimizer that drops gradients computed too long ago."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.defaults import colocate_with, control_dependencies
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.arranging import identity
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.optimizers.optimizer import Optimizer
from headrace.state.global_step import get_global_step
from headrace.state.initializers import zeros_initializer
from headrace.state.variable_scope import get_variable
from headrace.summary.operations import scalar

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.state.variables import Variable


class DropStaleGradientOptimizer(Optimizer):
    """An optimizer that drops gradients which were computed too many steps ago.

    Args:
        opt: computes and applies gradients.
        staleness: how many steps ago at most.
        use_locking: whether updates lock.
        name: the optimizer's name.
    """

    def __init__(
        self, opt: Optimizer, staleness: int, use_locking: bool = False, name: str = "DropStaleGradient"
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._staleness = staleness

    def compute_gradients(
        self, loss: Callable[..., Any] | Tensor | Variable, *args: Any, **kwargs: Any
    ) -> list[tuple[Tensor, Variable]]:
        """The optimizer's own; the step at which they are computed is noted."""
        with colocate_with(loss):
            self._local_step = get_global_step() + 0
        with control_dependencies([self._local_step]):
            return self._opt.compute_gradients(identity(loss), *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The optimizer's own."""
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Iterable[Any], global_step: Any = None, name: str | None = None) -> Any:
        """Applies the gradients if they are fresh enough, else counts them as dropped.

        Args:
            grads_and_vars: what `compute_gradients` gave.
            global_step: the step counter.
            name: the name scope of the step.

        Returns:
            the operation; its value is how often gradients have been dropped so far.
        """
        pairs = list(grads_and_vars)
        with colocate_with(global_step):
            dropped = get_variable("stale_counter", [], initializer=zeros_initializer(), trainable=False)

        def accepted() -> Tensor:
            with control_dependencies([self._opt.apply_gradients(pairs, global_step=global_step, name=name)]):
                return identity(0.0)

        gradients = [grad.op if isinstance(grad, IndexedSlices) else grad for grad, _ in pairs if grad is not None]
        with control_dependencies(gradients), colocate_with(global_step):
            age = reshape(global_step - self._local_step, shape=())
        fresh = raw.LessEqual(age, self._staleness)
        update = dropped.assign_add(cond(fresh, accepted, lambda: identity(1.0)))
        scalar("Gradient staleness percentage", dropped / cast(global_step + 1, "float32"))
        return update
