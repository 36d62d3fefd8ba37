"""Workers that step on their own and now and then take over the average of their variables.

Su and Chen, "Experiments on Parallel Training of Deep Neural Network using Model Averaging", arXiv:1507.01239.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, device, name_scope
from headrace.functions.flow.cond import cond
from headrace.functions.queues.accumulating import ConditionalAccumulator
from headrace.functions.queues.queues import FIFOQueue
from headrace.ops.array.fill import fill
from headrace.ops.flow.grouping import group, no_op
from headrace.optimizers.centers import GLOBAL_VARIABLE_NAME, InitHook, PeriodicOptimizer, PlacingGetter
from headrace.optimizers.optimizer import Optimizer
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.collecting import trainable_variables
from headrace.state.updates import assign, assign_add
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


class ModelAverageCustomGetter(PlacingGetter):
    """The custom getter of `ModelAverageOptimizer`.

    Args:
        worker_device: where the worker's own variables are.
    """

    def __init__(self, worker_device: str) -> None:
        self._worker_device = worker_device
        self._local_2_global: dict[Any, Any] = {}

    def __call__(
        self,
        getter: Callable[..., Any],
        name: str,
        trainable: bool,
        collections: Sequence[str] | None,
        *args: Any,
        **kwargs: Any,
    ) -> Variable:
        if not trainable:
            return self._non_trainable(getter, name, trainable, collections, *args, **kwargs)
        with device(self._worker_device):
            own = getter(name, *args, trainable=True, collections=[GraphKeys.LOCAL_VARIABLES], **kwargs)
        self._local_2_global[own] = Variable(
            own.initialized_value(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            name=f"{GLOBAL_VARIABLE_NAME}/{name}",
        )
        return own


class ModelAverageOptimizer(PeriodicOptimizer):
    """Workers step on their own; now and then all take over the average of their variables.

    Args:
        opt: makes the worker's steps.
        num_worker: the number of workers.
        is_chief: whether this worker writes the averages.
        ma_custom_getter: the `ModelAverageCustomGetter` that the variables were made with.
        interval_steps: after how many steps averages are taken.
        use_locking: whether updates lock.
        name: the optimizer's name.
    """

    def __init__(
        self,
        opt: Optimizer,
        num_worker: int,
        is_chief: bool,
        ma_custom_getter: ModelAverageCustomGetter,
        interval_steps: int = 100,
        use_locking: bool = True,
        name: str = "ModelAverageOptimizer",
    ) -> None:
        self._num_worker = num_worker
        self._is_chief = is_chief
        self._local_2_global = ma_custom_getter._local_2_global
        self._interval_steps = interval_steps
        self._accumulator_list: list[tuple[ConditionalAccumulator, str]] = []
        self._chief_init_op: Operation | None = None
        super().__init__(opt, use_locking, name)

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Tensor, Variable]]:
        """The optimizer's own."""
        return self._opt.compute_gradients(*args, **kwargs)

    def _local_vars_update(self, var_list: Sequence[Any]) -> Operation:
        if not var_list:
            raise ValueError("The list of local_variables should not be empty")
        updates = []
        for var in var_list:
            with device(var.device):
                updates.append(assign(var, self._local_2_global[var].read_value()))
        return group(*updates)

    def apply_gradients(
        self, grads_and_vars: Iterable[Any], global_step: TensorLike | None = None, name: str | None = None
    ) -> Any:
        """The worker's step and, when it is time, the average.

        Raises:
            ValueError: without variables, without `global_step`, or for resource variables.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required")
        with control_dependencies([self._opt.apply_gradients(pairs)]):
            counted = self._count_step()
        own = [var for grad, var in pairs if grad is not None]
        with control_dependencies([counted]):
            update = cond(self._is_due(self._interval_steps), lambda: self._averaged(own, global_step), no_op)
        init_ops = []
        for accumulator, place in self._accumulator_list:
            with device(place):
                init_ops.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
        self._chief_init_op = group(*init_ops)
        return update

    def _averaged(self, own: list[Any], global_step: TensorLike) -> Operation:
        centers = [self._local_2_global[var] for var in own]
        with colocate_with(global_step):
            queue = FIFOQueue(-1, ["bool"], shapes=[[]], shared_name="sync_queue")
        given, means = [], []
        with name_scope(None, self._name + "/global"):
            for var, center in zip(own, centers, strict=True):
                with device(center.device):
                    if not var.dtype._is_ref_dtype:
                        raise ValueError("Unknown local variable type!")
                    accumulator = ConditionalAccumulator(
                        var.dtype, shape=var.get_shape(), shared_name=center.name + "/var_accum"
                    )
                    given.append(accumulator.apply_grad(var._ref(), local_step=global_step))
                    means.append(accumulator.take_grad(self._num_worker))
                self._accumulator_list.append((accumulator, center.device))
        with control_dependencies([self._written(given, centers, means, queue, global_step)]):
            return self._local_vars_update(own)

    def _written(
        self, given: list[Any], centers: list[Any], means: list[Any], queue: FIFOQueue, step: Any
    ) -> Operation:
        """The chief writes the averages and tells the others, who wait for that."""
        if not self._is_chief:
            with control_dependencies(given), device(step.device):
                return queue.dequeue()
        updates = []
        with control_dependencies(given):
            for center, mean in zip(centers, means, strict=True):
                with device(center.device):
                    updates.append(assign(center, mean))
            with device(step.device):
                updates.append(assign_add(step, 1))
        with control_dependencies(updates), device(step.device):
            return queue.enqueue_many(fill([self._num_worker - 1], convert_to_tensor(False)))

    def get_init_op(self) -> Operation:
        """The operation that gives the worker's variables the values of the shared ones."""
        return self._local_vars_update(trainable_variables())

    def make_session_run_hook(self) -> SessionRunHook:
        """The hook that makes what a session needs at its begin."""
        return _AverageHook(self)


class _AverageHook(InitHook):
    def __init__(self, optimizer: ModelAverageOptimizer) -> None:
        super().__init__(optimizer.get_init_op, optimizer._is_chief)
        self._ma_optimizer = optimizer

    def begin(self) -> None:
        super().begin()
        if self._is_chief:
            self._chief_init_op = self._ma_optimizer._chief_init_op
