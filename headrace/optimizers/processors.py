"""How optimizers take gradients for a variable and update it, by the kind of variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.state.replication import in_cross_replica_context
from headrace.state.resource_variable_class import is_resource_variable
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.optimizers.optimizer import Optimizer


class TensorProcessor:
    """What gradients are taken for, though it cannot be updated: a tensor."""

    def __init__(self, var: Any) -> None:
        self._var = var

    def target(self) -> Any:
        """What gradients are taken with respect to."""
        return self._var

    def update_op(self, optimizer: Optimizer, grad: TensorLike) -> Operation | Tensor | Variable | None:
        """The operation that updates the variable by `grad`."""
        raise NotImplementedError("Trying to update a Tensor ", self._var)

    def _projected(self, update: Operation | Tensor | Variable | None) -> Operation | Tensor | Variable | None:
        constraint = self._var.constraint
        if constraint is None:
            return update
        with control_dependencies([update]):
            return self._var.assign(constraint(self._var))

    def _refuse_constraint(self) -> None:
        if self._var.constraint is not None:
            raise RuntimeError("Cannot use a constraint function on a sparse variable.")


class _RefVariableProcessor(TensorProcessor):
    def target(self) -> Tensor:
        return self._var._ref()

    def update_op(self, optimizer: Optimizer, grad: Any) -> Any:
        if isinstance(grad, Tensor):
            return self._projected(optimizer._apply_dense(grad, self._var))
        self._refuse_constraint()
        return optimizer._apply_sparse_duplicate_indices(grad, self._var)


class _ResourceVariableProcessor(TensorProcessor):
    def update_op(self, optimizer: Optimizer, grad: TensorLike) -> Operation | Tensor | Variable | None:
        if isinstance(grad, IndexedSlices):
            self._refuse_constraint()
            return optimizer._resource_apply_sparse_duplicate_indices(grad.values, self._var, grad.indices)
        return self._projected(optimizer._resource_apply_dense(grad, self._var))


def processor_of(var: Any) -> TensorProcessor:
    """What updates a variable, by its kind.

    Raises:
        NotImplementedError: for what is no variable.
    """
    if isinstance(var, Tensor) and executing_eagerly():
        return TensorProcessor(var)
    if is_resource_variable(var) or var.op.type == "VarHandleOp":
        return _ResourceVariableProcessor(var)
    if isinstance(var, Variable):
        return _RefVariableProcessor(var)
    if isinstance(var, Tensor):
        return TensorProcessor(var)
    raise NotImplementedError("Trying to optimize unsupported type ", var)


def part_beside(var: Any, whole: Any) -> Any:
    """Of a variable of several replicas the part that belongs to a part of another such variable; else the variable.

    Outside of the scope of its strategy, a variable of several replicas stands for its first part.
    """
    container = getattr(var, "_distributed_container", None)
    if whole is None or container is None or (container() is var and in_cross_replica_context()):
        return whole
    # What was made outside of the scope has no parts.
    return whole.get(var.device)


def place_of_step(global_step: Any) -> Any:
    """What the count of steps is colocated with.

    Raises:
        TypeError: for a list of variables, as those that `minimize` takes as its third argument.
    """
    if isinstance(global_step, Operation) or hasattr(global_step, "dtype"):
        return global_step
    if isinstance(global_step, (list, tuple)) and any(isinstance(item, Variable) for item in global_step):
        raise TypeError(
            f"`global_step` is one variable, got {global_step!r}; the variables to train are the argument `var_list`."
        )
    return convert_to_tensor(global_step)


def get_filtered_grad_fn(grad_fn: Callable[..., Any]) -> Callable[..., list[tuple[Any, Any]]]:
    """A function of gradients that leaves out what has none, so that all replicas bring the same variables together.

    Args:
        grad_fn: it gives pairs of gradient and variable, as `tfe.implicit_gradients` makes it.

    Example:
        >>> fn = get_filtered_grad_fn(lambda: [(None, "a"), (1.0, "b")])
        >>> fn()
        [(1.0, 'b')]
    """

    def filtered(*args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        return [(gradient, variable) for gradient, variable in grad_fn(*args, **kwargs) if gradient is not None]

    return filtered
