"""Workers that step on their own, pulled towards the centers and pulling those.

Zhang, Choromanska and LeCun, "Deep learning with Elastic Averaging SGD", arXiv:1412.6651.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.checkpoints.saveables import op_list_to_dict
from headrace.checkpoints.saver import Saver
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, device, get_collection_ref
from headrace.core.registry import raw
from headrace.functions.flow.cond import cond
from headrace.functions.queues.queues import FIFOQueue
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.add_n import add_n
from headrace.ops.nn.l2_loss import l2_loss
from headrace.optimizers.centers import (
    LOCAL_VARIABLE_NAME,
    CenterGetter,
    InitialExchange,
    PeriodicOptimizer,
    PlacingGetter,
    count_up,
)
from headrace.optimizers.optimizer import Optimizer
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.collecting import global_variables, trainable_variables
from headrace.state.updates import assign, assign_add, assign_sub

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


class ElasticAverageCustomGetter(PlacingGetter, CenterGetter):
    """The custom getter of `ElasticAverageOptimizer`: it makes the worker's copies of the centers as well.

    Args:
        worker_device: where the worker's own variables are.
    """

    beside = LOCAL_VARIABLE_NAME

    def __call__(
        self,
        getter: Callable[..., Any],
        name: str,
        trainable: bool,
        collections: Sequence[str] | None,
        *args: Any,
        **kwargs: Any,
    ) -> Variable:
        if trainable:
            return self._trained(getter, name, *args, **kwargs)
        return self._non_trainable(getter, name, trainable, collections, *args, **kwargs)


class ElasticAverageOptimizer(PeriodicOptimizer):
    """Workers step on their own; what they step away from the centers pulls both towards each other, now and then.

    Args:
        opt: makes the worker's steps.
        num_worker: the number of workers.
        ea_custom_getter: the `ElasticAverageCustomGetter` that the variables were made with.
        communication_period: after how many steps worker and centers are pulled.
        moving_rate: how far; 0.9 / period / workers by default.
        rho: the weight of the distance from the centers in the loss; by default the rate divided by that of `opt`.
        use_locking: whether updates lock.
        synchronous: whether all workers wait for one another before they begin.
        name: the optimizer's name.
    """

    BETA = 0.9

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        ea_custom_getter: ElasticAverageCustomGetter,
        communication_period: int = 10,
        moving_rate: float | None = None,
        rho: float | None = None,
        use_locking: bool = True,
        synchronous: bool = False,
        name: str = "ElasticAverageOptimizer",
    ) -> None:
        self._num_worker = num_worker
        self._period = communication_period
        self._local_map = ea_custom_getter._local_map
        self._global_map = ea_custom_getter._global_map
        self._synchronous = synchronous
        rate = self.BETA / communication_period / num_worker if moving_rate is None else moving_rate
        self._moving_rate = rate
        self._rho: float = rate / opt._learning_rate if rho is None else rho  # type: ignore[attr-defined]  # not of every optimizer
        super().__init__(opt, use_locking, name)

    def compute_gradients(
        self,
        loss: Callable[..., Any] | Tensor | Variable,
        var_list: Sequence[Variable] | None = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Tensor | None = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of the loss and of the distance from the worker's copies of the centers."""
        var_list = var_list or trainable_variables()
        copies = [self._local_map[var] for var in var_list]
        away = [raw.Sub(var, copy) for var, copy in zip(trainable_variables(), copies, strict=False)]
        total = loss + self._rho * add_n([l2_loss(distance) for distance in away])
        return self._opt.compute_gradients(
            total, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """The worker's step and, when it is time, the exchange; `global_step` counts the latter."""
        pairs = list(grads_and_vars)
        before = {var.op.name for var in global_variables()}
        stepped = self._opt.apply_gradients(pairs)
        made = {var.op.name for var in global_variables()} - before
        with control_dependencies([stepped]):
            counted = self._count_step()
        # What the optimizer has made for itself is the worker's own.
        shared = get_collection_ref(GraphKeys.GLOBAL_VARIABLES)
        get_collection_ref(GraphKeys.LOCAL_VARIABLES).extend(var for var in shared if var.op.name in made)
        shared[:] = [var for var in shared if var.op.name not in made]

        def exchanged() -> Operation:
            own = [var for grad, var in pairs if grad is not None]
            centers = [self._global_map[var] for var in own]
            copies = [self._local_map[var] for var in own]
            away, updates = [], []
            with control_dependencies([copy.assign(center) for copy, center in zip(copies, centers, strict=True)]):
                for var, copy in zip(own, copies, strict=True):
                    with device(var.device):
                        away.append(raw.Sub(var, copy))
                for change, variables in ((assign_sub, own), (assign_add, centers)):
                    for var, distance in zip(variables, away, strict=True):
                        with device(var.device):
                            updates.append(change(var, raw.Mul(self._moving_rate, distance)))
                updates += count_up(global_step)
            return group(*updates)

        with control_dependencies([counted]):
            return cond(self._is_due(self._period), exchanged, no_op)

    def get_init_op(self, task_index: int) -> Operation:
        """The operation that gives the worker's variables and copies the values of the centers."""
        variables = trainable_variables()
        if not variables:
            raise ValueError(
                "The lists of local_variables, global_center_variables, local_center_variables should not be empty  "
            )
        taken = []
        for var in variables:
            center = self._global_map[var]
            taken += [assign(var, center), assign(self._local_map[var], center)]
        init_op = group(*taken)
        return self._after_all_workers(init_op, task_index) if self._synchronous else init_op

    def _after_all_workers(self, init_op: Operation, task_index: int) -> Operation:
        count = self._num_worker
        queues = [
            FIFOQueue(count, ["bool"], shapes=[[]], shared_name=f"variable_init_sync_queue{worker}")
            for worker in range(count)
        ]
        token = convert_to_tensor(False)
        with control_dependencies([init_op]):
            signals = [no_op() if i == task_index else queue.enqueue(token) for i, queue in enumerate(queues)]
        return group(*signals, queues[task_index].dequeue_many(count - 1))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> SessionRunHook:
        """The hook that runs `get_init_op` when a session begins."""
        return InitialExchange(lambda: self.get_init_op(task_index), is_chief)

    def swapping_saver(self, var_list: Any = None, name: str = "swapping_saver", **kwargs: Any) -> Saver:
        """A saver that writes the centers under the names of the worker's variables.

        Args:
            var_list: what to save, all trainable variables by default.
            name: the saver's name scope.
            **kwargs: other arguments of `tf.train.Saver`.

        Raises:
            RuntimeError: if the custom getter has made no variables.
        """
        if not self._global_map:
            raise RuntimeError(
                "global_center_variable is empty, please make sure this is called after model created and "
                "ElasticAverageCustomGetter is used when declaring you model"
            )
        if var_list is None:
            var_list = trainable_variables()
        if not isinstance(var_list, dict):
            var_list = op_list_to_dict(var_list)
        trained = {var.op.name: var for var in trainable_variables()}

        def center(var: Tensor) -> Any:
            return self._global_map.get(trained.get(var.op.name, var), var)

        swapped = {
            key: [center(part) for part in var] if isinstance(var, list) else center(var)
            for key, var in var_list.items()
        }
        return Saver(swapped, name=name, **kwargs)
