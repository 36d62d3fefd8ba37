"""Gradient descent that makes up for the age of gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.kernels.composing.arranging import identity
from headrace.ops.flow.grouping import group
from headrace.ops.math.cast import cast
from headrace.optimizers.optimizer import Optimizer
from headrace.state.updates import assign, assign_sub

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class DelayCompensatedGradientDescentOptimizer(Optimizer):
    """Steps by gradients that were computed some steps ago as if they were new (Zheng et al., arXiv:1609.08326).

    The gradient at the variable of now is estimated from that of then: g + variance * g² * (now - then). What a worker
    last saw of a variable is kept in its slot "shadow_<worker>".

    Args:
        learning_rate: a number or tensor.
        variance_parameter: the weight of the estimate.
        num_workers: how many workers have slots.
        use_locking: whether updates lock.
        name: the name scope of the step, and the name of the slots.

    Raises:
        ValueError: if there are no workers.

    Example:
        >>> opt = tf.contrib.opt.DelayCompensatedGradientDescentOptimizer(0.1, 2.0, num_workers=2)
        >>> train_op = opt.minimize(loss, worker_index=1)
    """

    def __init__(
        self,
        learning_rate: TensorLike,
        variance_parameter: TensorLike,
        num_workers: int = 1,
        use_locking: bool = False,
        name: str = "DelayCompensatedGradientDescent",
    ) -> None:
        if num_workers <= 0:
            raise ValueError(f"num_workers must be positive: {num_workers}")
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._lambda = variance_parameter
        self._num_workers = num_workers
        self._worker = 0

    def minimize(
        self,
        loss: Callable[..., Any] | Tensor | Variable,
        global_step: Variable | None = None,
        *args: Any,
        worker_index: int | None = None,
        **kwargs: Any,
    ) -> Any:
        """As that of `tf.train.Optimizer`, for the worker `worker_index`, the first by default."""
        self._select(worker_index)
        return super().minimize(loss, global_step, *args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Any],
        global_step: TensorLike | None = None,
        name: str | None = None,
        worker_index: int | None = None,
    ) -> Any:
        """As that of `tf.train.Optimizer`, for the worker `worker_index`, that of `minimize` by default."""
        if worker_index is not None:
            self._select(worker_index)
        return super().apply_gradients(grads_and_vars, global_step, name)

    def _select(self, worker_index: int | None) -> None:
        if worker_index is not None and not 0 <= worker_index < self._num_workers:
            raise ValueError(f"worker index must be in the range [0, num_workers): {worker_index}")
        self._worker = worker_index or 0

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for index in range(self._num_workers):
            for var in var_list:
                self._get_or_make_slot(var, identity(var.initialized_value()), f"shadow_{index}", self._name)

    def _prepare(self) -> None:
        self._learning_rate_tensor = convert_to_tensor(self._learning_rate, name="learning_rate")
        self._lambda_tensor = convert_to_tensor(self._lambda, name="lambda")

    def _apply_dense(self, grad: Any, var: Any) -> Operation:
        shadow = self.get_slot(var, f"shadow_{self._worker}")
        rate = cast(self._learning_rate_tensor, grad.dtype.base_dtype)
        variance = cast(self._lambda_tensor, grad.dtype.base_dtype)
        step = rate * (grad + variance * grad * grad * (var - shadow))
        updated = assign_sub(var, step, use_locking=self._use_locking)
        with control_dependencies([updated]):
            return group(assign(shadow, var.read_value(), use_locking=self._use_locking))

    def _resource_apply_dense(self, grad: TensorLike, handle: TensorLike) -> Operation:
        return self._apply_dense(grad, handle)
