"""Workers that step on their own and step the centers by the mean of their gradients.

Hermans, Spanakis and Möckel, "Accumulated Gradient Normalization", arXiv:1710.02368.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import control_dependencies
from headrace.functions.flow.cond import cond
from headrace.kernels.composing.filling import zeros_like
from headrace.ops.flow.grouping import group, no_op
from headrace.optimizers.centers import GRAD_VARIABLE_NAME, CenterGetter, InitialExchange, PeriodicOptimizer, count_up
from headrace.optimizers.optimizer import Optimizer
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.collecting import trainable_variables
from headrace.state.scoping import variable_creator_scope
from headrace.state.updates import assign, assign_add

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.variables import Variable


class AGNCustomGetter(CenterGetter):
    """The custom getter of `AGNOptimizer`: it makes the sums of gradients as well.

    Args:
        worker_device: where the worker's own variables are.
    """

    beside = GRAD_VARIABLE_NAME

    def __call__(
        self,
        getter: Callable[..., Any],
        name: str,
        trainable: bool,
        collections: CollectionNames | None,
        *args: Any,
        **kwargs: Any,
    ) -> Variable:
        if trainable:
            return self._trained(getter, name, *args, **kwargs)
        return getter(name, *args, trainable=trainable, collections=collections, **kwargs)


class AGNOptimizer(PeriodicOptimizer):
    """Workers step on their own, sum their gradients, and now and then step the centers by the mean of them.

    Args:
        optimizer: makes the steps of both.
        num_worker: the number of workers.
        custom_getter: the `AGNCustomGetter` that the variables were made with.
        communication_period: after how many steps the centers are stepped and taken over.
        use_locking: whether updates lock.
        name: the optimizer's name.

    Example:
        >>> getter = tf.contrib.opt.AGNCustomGetter("/job:worker/task:0")
        >>> with tf.variable_scope("", custom_getter=getter):
        ...     v = tf.get_variable("v", [3, 1])
        >>> opt = tf.contrib.opt.AGNOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, getter)
        >>> train_op = opt.minimize(tf.nn.l2_loss(tf.matmul(x, v)), var_list=[v])
    """

    def __init__(
        self,
        optimizer: Optimizer,
        num_worker: int,
        custom_getter: AGNCustomGetter,
        communication_period: int = 10,
        use_locking: bool = True,
        name: str = "AGNOptimizer",
    ) -> None:
        super().__init__(optimizer, use_locking, name)
        self._num_worker = num_worker
        self._period = communication_period
        self._global_map = custom_getter._global_map
        self._grad_map = custom_getter._local_map

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """The step of the worker and, when it is time, of the centers; `global_step` counts the latter."""
        pairs = list(grads_and_vars)
        given = [(grad, var) for grad, var in pairs if grad is not None]
        sums = [self._grad_map[var] for _, var in given]

        def made_local(next_creator: Callable[..., Any], collections: Any, **kwargs: Any) -> Variable:
            keys = [GraphKeys.LOCAL_VARIABLES] if not collections else list(collections)
            if GraphKeys.GLOBAL_VARIABLES in keys:
                keys.append(GraphKeys.LOCAL_VARIABLES)
                keys.remove(GraphKeys.GLOBAL_VARIABLES)
            return next_creator(collections=keys, **kwargs)

        with variable_creator_scope(made_local):
            updates = [self._opt.apply_gradients(pairs)]
        updates += [assign_add(total, grad) for total, (grad, _) in zip(sums, given, strict=True)]

        def exchanged() -> Operation:
            means = [assign(total, total / self._period) for total in sums]
            with control_dependencies(means):
                stepped = self._opt.apply_gradients(zip(sums, [self._global_map[var] for _, var in given], strict=True))
            with control_dependencies([stepped]):
                taken = count_up(global_step)
                taken += [assign(var, self._global_map[var].read_value()) for _, var in given]
                taken += [assign(total, zeros_like(total)) for total in sums]
                return group(*taken)

        with control_dependencies([self._count_step()]):
            due = self._is_due(self._period)
        with control_dependencies(updates):
            return cond(due, exchanged, no_op)

    def get_init_op(self, task_index: int) -> Operation:
        """The operation that gives the worker's variables the values of the centers, and clears the sums."""
        variables = trainable_variables()
        if not variables:
            raise ValueError(
                "The lists of local_variables, global_center_variables,grad_center_variables should not be empty"
            )
        taken = [assign(var, self._global_map[var]) for var in variables]
        return group(*taken, *[assign(total, zeros_like(total)) for total in (self._grad_map[v] for v in variables)])

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> SessionRunHook:
        """The hook that runs `get_init_op` when a session begins."""
        return InitialExchange(lambda: self.get_init_op(task_index), is_chief)
