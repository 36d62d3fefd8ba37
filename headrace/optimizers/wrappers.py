"""Optimizers around optimizers: moving averages of the variables, several tasks, norms of the variables."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import op_list_to_dict
from headrace.checkpoints.saver import Saver
from headrace.core.composite import IndexedSlices
from headrace.core.defaults import colocate_with, control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import count_nonzero
from headrace.kernels import composing
from headrace.ops.array.gather import gather
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.clip import clip_by_global_norm, clip_by_norm, global_norm
from headrace.optimizers.moving_averages import ExponentialMovingAverage
from headrace.optimizers.optimizer import Optimizer
from headrace.state.collecting import global_variables
from headrace.util import tf_logging

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike
    from headrace.optimizers.descent import MomentumOptimizer
    from headrace.state.variables import Variable


class MovingAverageOptimizer(Optimizer):
    """An optimizer that keeps moving averages of the variables, and a saver that saves those in their place.

    Args:
        opt: the optimizer.
        average_decay: how much of the average stays.
        num_updates: the number of updates so far, which makes the decay less at first.
        sequential_update: whether averages are taken after the step.

    Example:
        >>> optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.AdamOptimizer(), 0.999)
        >>> train_op = optimizer.minimize(loss)
        >>> saver = optimizer.swapping_saver()
    """

    def __init__(
        self, opt: Optimizer, average_decay: float = 0.9999, num_updates: Any = None, sequential_update: bool = True
    ) -> None:
        self._optimizer = opt
        self._ema = ExponentialMovingAverage(average_decay, num_updates=num_updates)
        self._swapped_variable_name_map: dict[str, str] | None = None
        self._sequential_update = sequential_update

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[IndexedSlices | Tensor, Variable]]:
        """The optimizer's own."""
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """The step, and the averages."""
        pairs = list(grads_and_vars)
        train_op = self._optimizer.apply_gradients(pairs, global_step=global_step, name=name)
        variables = [var for grad, var in pairs if grad is not None]
        with control_dependencies([train_op]) if self._sequential_update else contextlib.nullcontext():
            averaged = self._ema.apply(variables)
        names: dict[str, str] = {}
        for var in variables:
            average = self._ema.average(var)
            names[var.op.name], names[average.op.name] = average.op.name, var.op.name
        self._swapped_variable_name_map = names
        return group(train_op, averaged, name="train_with_avg")

    def _swapped(self, by_name: Mapping[str, Any], name: str, value: Tensor) -> Tensor:
        other = (self._swapped_variable_name_map or {}).get(name)
        if other is None:
            return value
        if other not in by_name:
            raise ValueError(
                f"Variable to swap {other} is not part of variables to save. This breaks MovingAverageOptimizer."
            )
        return by_name[other]

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Saver:
        """A saver that writes averages under the names of the variables, and the other way round.

        Args:
            var_list: what to save, all global variables by default; averages must be among them.
            name: the saver's name scope.
            **kwargs: other arguments of `tf.train.Saver`.

        Raises:
            RuntimeError: before `minimize`; ValueError: if an average is missing.
        """
        if self._swapped_variable_name_map is None:
            raise RuntimeError("Must call apply_gradients or minimize before creating the swapping_saver")
        if var_list is None:
            var_list = global_variables()
        if not isinstance(var_list, dict):
            var_list = op_list_to_dict(var_list)
        by_name: dict[str, Any] = {}
        for key, value in var_list.items():
            if isinstance(value, list):
                by_name.update({part.op.name: part for part in value})
            else:
                by_name[key] = value
        swapped: dict[str, Any] = {}
        for key, value in var_list.items():
            if isinstance(value, list):
                swapped[key] = [self._swapped(by_name, part.op.name, part) for part in value]
            else:
                swapped[key] = self._swapped(by_name, key, value)
        return Saver(swapped, name=name, **kwargs)


def _is_all_zeros(grad: Tensor) -> Tensor:
    return raw.Equal(count_nonzero(grad), 0)


def _unless_zero(fn: Callable[..., Any], optimizer: Optimizer) -> Callable[..., Any]:
    """The method `fn` that does nothing for a gradient of zeros."""

    def wrapper(self: MomentumOptimizer, grad: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        def applied() -> Operation:
            with control_dependencies([fn(grad, *args, **kwargs)]):
                return no_op()

        return cond(_is_all_zeros(grad), no_op, applied)

    return types.MethodType(wrapper, optimizer)


class MultitaskOptimizerWrapper:
    """Makes an optimizer leave alone, slots included, what a task has no gradient for: gradients that are all zeros.

    Args:
        opt: the optimizer, whose methods are replaced.

    Raises:
        TypeError: if it is no optimizer.
    """

    def __init__(self, opt: Optimizer) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError("Supplied optimizer must be an instance of tf.train.Optimizer")
        self._opt = opt
        for name in ("_apply_dense", "_resource_apply_dense", "_apply_sparse", "_resource_apply_sparse"):
            setattr(opt, name, _unless_zero(getattr(opt, name), opt))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return getattr(self._opt, name)


def clip_gradients_by_global_norm(
    gradients_variables: Iterable[tuple[Any, Any]], clip_norm: float = 20.0
) -> tuple[list[tuple[Any, Any]], Tensor]:
    """Clips gradients of several tasks by their global norm; those that are all zeros cost nothing.

    Args:
        gradients_variables: pairs of a gradient (or None) and a variable.
        clip_norm: the greatest norm.

    Returns:
        (pairs, the norm).
    """
    gradients, variables = zip(*gradients_variables, strict=True)

    def without_zeros(grad: Tensor) -> Tensor:
        if grad is None:
            return None
        return cond(_is_all_zeros(grad), lambda: composing.zeros([], dtype=grad.dtype), lambda: grad)

    norm = global_norm([without_zeros(grad) for grad in gradients])
    clipped, _ = clip_by_global_norm(gradients, clip_norm, use_norm=norm)
    return list(zip(clipped, variables, strict=True)), norm


class VariableClippingOptimizer(Optimizer):
    """An optimizer after whose steps variables are clipped by norm.

    Args:
        opt: the optimizer.
        vars_to_clip_dims: of each variable to clip the dimensions whose norm is taken.
        max_norm: the greatest norm.
        use_locking: whether the clipping locks the variables.
        colocate_clip_ops_with_vars: whether it is computed on the variables' devices.
        name: the name scope of the step.
    """

    def __init__(
        self,
        opt: Optimizer,
        vars_to_clip_dims: Mapping[Any, list[int]],
        max_norm: TensorLike,
        use_locking: bool = False,
        colocate_clip_ops_with_vars: bool = False,
        name: str = "VariableClipping",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._vars_to_clip_dims = {var: dims[:] for var, dims in vars_to_clip_dims.items()}
        self._max_norm = max_norm
        self._colocate_clip_ops_with_vars = colocate_clip_ops_with_vars

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[IndexedSlices | Tensor, Variable]]:
        """The optimizer's own."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """The optimizer's own."""
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """The step, and the clipping."""
        pairs = list(grads_and_vars)
        with name_scope(name, self._name) as scope:
            update = self._opt.apply_gradients(pairs, global_step=global_step)
            clipped = []
            with control_dependencies([update]):
                for grad, var in pairs:
                    if grad is None or var not in self._vars_to_clip_dims:
                        continue
                    with name_scope(f"clip_{var.op.name}"):
                        dense = isinstance(grad, Tensor)
                        clipped.append(self._clip_dense(var) if dense else self._clip_sparse(grad, var))
            return group(update, *clipped, name=scope)

    def _colocated(self, var: Variable) -> AbstractContextManager[Any]:
        return colocate_with(var) if self._colocate_clip_ops_with_vars else contextlib.nullcontext()

    def _clip_dense(self, var: Variable) -> Tensor | Variable:
        with self._colocated(var):
            value = var.read_value()
            excess = value - clip_by_norm(value, self._max_norm, self._vars_to_clip_dims[var])
        with colocate_with(var):
            return var.assign_sub(excess, use_locking=self._use_locking)

    def _clip_sparse(self, grad: IndexedSlices, var: Variable) -> Tensor | Variable:
        dims = self._vars_to_clip_dims[var]
        if 0 in dims:
            tf_logging.warning(
                "Clipping norm across dims %s for %s is inefficient when including sparse dimension 0.",
                dims,
                var.op.name,
            )
            return self._clip_dense(var)
        with colocate_with(var):
            rows = gather(var, grad.indices)
        with self._colocated(var):
            excess = rows - clip_by_norm(rows, self._max_norm, dims)
            slices = IndexedSlices(excess, grad.indices, grad.dense_shape)
        with colocate_with(var):
            return var.scatter_sub(slices, use_locking=self._use_locking)
