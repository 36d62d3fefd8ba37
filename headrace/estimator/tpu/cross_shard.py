"""`CrossShardOptimizer` where there is one copy of the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headrace.losses.weighting import Reduction
from headrace.optimizers.optimizer import Optimizer

if TYPE_CHECKING:
    from headrace.core.composite import IndexedSlices
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class CrossShardOptimizer(Optimizer):
    """An optimizer that sums gradients over the cores of a TPU; over the one copy that there is here, they are the sum.

    Args:
        opt: the optimizer.
        reduction: `Reduction.MEAN` or `Reduction.SUM`, which are the same over one copy.
        name: its name.
        group_assignment: which copies are summed together; None or [[0]].

    Raises:
        ValueError: for another reduction, or groups of other copies.

    Example:
        >>> optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.AdamOptimizer())
        >>> train_op = optimizer.minimize(loss, tf.train.get_global_step())
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: str = Reduction.MEAN,
        name: str = "CrossShardOptimizer",
        group_assignment: list[list[int]] | None = None,
    ) -> None:
        if reduction not in (Reduction.SUM, Reduction.MEAN):
            raise ValueError(f"Unsupported reduction: {reduction}.")
        if group_assignment and not (isinstance(group_assignment, list) and isinstance(group_assignment[0], list)):
            raise ValueError(f"group_assignment must be a list of list. Got {group_assignment}")
        if group_assignment and group_assignment != [[0]]:
            raise ValueError(
                f"group_assignment must be a permutation of range(1). Got group_assignment={group_assignment}"
            )
        super().__init__(False, name)
        self._opt = opt

    def compute_gradients(  # type: ignore[override]  # 1.15 takes the others by name
        self, loss: Any, var_list: Any = None, **kwargs: Any
    ) -> list[tuple[IndexedSlices | Tensor, Variable]]:
        """The optimizer's own.

        Args:
            loss: what is to become less.
            var_list: the variables, all that are trained if None.
            **kwargs: further arguments of the optimizer.
        """
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Operation | Tensor:
        """The optimizer's own.

        Args:
            grads_and_vars: what `compute_gradients` returned.
            global_step: a variable that counts the steps.
            name: of the operation.
        """
        return self._opt.apply_gradients(grads_and_vars, global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The optimizer's own."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list[Any]:
        """The optimizer's own."""
        return self._opt.variables()
