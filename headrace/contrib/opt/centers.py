"""Optimizers of workers that train their own variables, and now and then exchange them with shared ones.

A custom getter makes each trainable variable three times: the worker's own, which is trained; the shared "center", a global
variable; and one beside the worker's own of which each algorithm keeps something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from headrace.core.collections import GraphKeys
from headrace.core.composite import IndexedSlices
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import (
    colocate_with,
    control_dependencies,
    device,
    get_collection_ref,
    name_scope,
)
from headrace.core.registry import raw
from headrace.ops.array.fill import fill, zeros_like
from headrace.ops.array.identity import identity
from headrace.ops.array.shape import reshape
from headrace.ops.flow.cond import cond
from headrace.ops.flow.grouping import group, no_op
from headrace.ops.math.add_n import add_n
from headrace.ops.math.cast import cast
from headrace.ops.math.division import floormod
from headrace.ops.nn.loss_functions import l2_loss
from headrace.ops.queues.accumulating import ConditionalAccumulator
from headrace.ops.queues.queues import FIFOQueue
from headrace.state.collecting import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    trainable_variables,
)
from headrace.state.initializers import zeros_initializer
from headrace.state.scoping import variable_creator_scope
from headrace.state.updates import assign, assign_add, assign_sub
from headrace.state.variable_scope import get_variable
from headrace.state.variables import Variable
from headrace.summary.functions import scalar
from headrace.train.optimizer import Optimizer
from headrace.train.saveables import op_list_to_dict
from headrace.train.saver import Saver
from headrace.train.session_run_hook import SessionRunHook
from headrace.train.steps import get_global_step

# Where the variables shared by all workers are, and those each has beside its own.
GLOBAL_VARIABLE_NAME = "global_center_variable"
LOCAL_VARIABLE_NAME = "local_center_variable"
GRAD_VARIABLE_NAME = "grad_variable"
GLOBAL_STEP = "global_step"


def _parts(variable: Any, partitioned: bool) -> list[Any]:
    return list(variable) if partitioned else [variable]


class _CenterGetter:
    """Makes the worker's variable, the center, and a third one, whose names begin with `beside`."""

    beside: str

    def __init__(self, worker_device: Any) -> None:
        self._worker_device = worker_device
        self._global_map: dict[Any, Any] = {}
        self._local_map: dict[Any, Any] = {}

    def _trained(self, getter: Callable[..., Any], name: str, *args: Any, **kwargs: Any) -> Any:
        local = [GraphKeys.LOCAL_VARIABLES]
        with device(self._worker_device):
            own = getter(name, *args, trainable=True, collections=local, **kwargs)
        if kwargs["reuse"] is True:
            return own
        shared = {"trainable": False, **kwargs}
        center = getter(f"{GLOBAL_VARIABLE_NAME}/{name}", *args, collections=[GraphKeys.GLOBAL_VARIABLES], **shared)
        with device(self._worker_device):
            third = getter(f"{self.beside}/{name}", *args, collections=local, **shared)
        partitioned = kwargs["partitioner"] is not None
        of_each = zip(*(_parts(variable, partitioned) for variable in (own, center, third)), strict=True)
        for one, its_center, its_third in of_each:
            self._global_map[one], self._local_map[one] = its_center, its_third
        return own


class _PlacingGetter:
    """What is not trained is made on the worker if it is local."""

    _worker_device: Any

    def _untrained(
        self, getter: Callable[..., Any], name: str, trainable: Any, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        kwargs.update(trainable=trainable, collections=collections)
        if GraphKeys.LOCAL_VARIABLES in collections:
            with device(self._worker_device):
                return getter(name, *args, **kwargs)
        return getter(name, *args, **kwargs)


class AGNCustomGetter(_CenterGetter):
    """The custom getter of `AGNOptimizer`: it makes the sums of gradients as well.

    Args:
        worker_device: where the worker's own variables are.
    """

    beside = GRAD_VARIABLE_NAME

    def __call__(
        self, getter: Callable[..., Any], name: str, trainable: Any, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        if trainable:
            return self._trained(getter, name, *args, **kwargs)
        return getter(name, *args, trainable=trainable, collections=collections, **kwargs)


class ElasticAverageCustomGetter(_PlacingGetter, _CenterGetter):
    """The custom getter of `ElasticAverageOptimizer`: it makes the worker's copies of the centers as well.

    Args:
        worker_device: where the worker's own variables are.
    """

    beside = LOCAL_VARIABLE_NAME

    def __call__(
        self, getter: Callable[..., Any], name: str, trainable: Any, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        if trainable:
            return self._trained(getter, name, *args, **kwargs)
        return self._untrained(getter, name, trainable, collections, *args, **kwargs)


class ModelAverageCustomGetter(_PlacingGetter):
    """The custom getter of `ModelAverageOptimizer`.

    Args:
        worker_device: where the worker's own variables are.
    """

    def __init__(self, worker_device: Any) -> None:
        self._worker_device = worker_device
        self._local_2_global: dict[Any, Any] = {}

    def __call__(
        self, getter: Callable[..., Any], name: str, trainable: Any, collections: Any, *args: Any, **kwargs: Any
    ) -> Any:
        if not trainable:
            return self._untrained(getter, name, trainable, collections, *args, **kwargs)
        with device(self._worker_device):
            own = getter(name, *args, trainable=True, collections=[GraphKeys.LOCAL_VARIABLES], **kwargs)
        self._local_2_global[own] = Variable(
            own.initialized_value(),
            trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES],
            name=f"{GLOBAL_VARIABLE_NAME}/{name}",
        )
        return own


class _InitHook(SessionRunHook):
    """Gives the worker's variables the values of the centers when a session begins."""

    def __init__(self, make_init_op: Callable[[], Any], is_chief: bool) -> None:
        self._make_init_op = make_init_op
        self._is_chief = is_chief

    def begin(self) -> None:
        self._local_init_op = local_variables_initializer()
        self._global_init_op = global_variables_initializer() if self._is_chief else None
        self._variable_init_op = self._make_init_op()


class _InitialExchange(_InitHook):
    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._variable_init_op)


class _PeriodicOptimizer(Optimizer):
    """An optimizer of the worker's variables that counts its steps, to exchange something after so many."""

    def __init__(self, opt: Optimizer, use_locking: bool, name: str) -> None:
        super().__init__(use_locking, name)
        self._opt = opt
        self._local_step = get_variable(
            initializer=0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], name="local_step"
        )
        opt._prepare()

    def _count_step(self) -> Any:
        return assign_add(self._local_step, 1, name="local_step_update").op

    def _is_due(self, period: int) -> Any:
        return raw.Equal(floormod(self._local_step, period), 0)


def _count_up(global_step: Any) -> list[Any]:
    if global_step is None:
        return []
    with colocate_with(global_step):
        return [assign_add(global_step, 1)]


class AGNOptimizer(_PeriodicOptimizer):
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
        ...     loss = model(images)
        >>> opt = tf.contrib.opt.AGNOptimizer(tf.train.GradientDescentOptimizer(0.1), 1, getter)
        >>> train_op = opt.minimize(loss)
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

    def apply_gradients(self, grads_and_vars: Iterable[Any], global_step: Any = None, name: str | None = None) -> Any:
        """The step of the worker and, when it is time, of the centers; `global_step` counts the latter."""
        pairs = list(grads_and_vars)
        given = [(grad, var) for grad, var in pairs if grad is not None]
        sums = [self._grad_map[var] for _, var in given]

        def made_local(next_creator: Callable[..., Any], collections: Any, **kwargs: Any) -> Any:
            keys = [GraphKeys.LOCAL_VARIABLES] if not collections else list(collections)
            if GraphKeys.GLOBAL_VARIABLES in keys:
                keys.append(GraphKeys.LOCAL_VARIABLES)
                keys.remove(GraphKeys.GLOBAL_VARIABLES)
            return next_creator(collections=keys, **kwargs)

        with variable_creator_scope(made_local):
            updates = [self._opt.apply_gradients(pairs)]
        updates += [assign_add(total, grad) for total, (grad, _) in zip(sums, given, strict=True)]

        def exchanged() -> Any:
            means = [assign(total, total / self._period) for total in sums]
            with control_dependencies(means):
                stepped = self._opt.apply_gradients(zip(sums, [self._global_map[var] for _, var in given], strict=True))
            with control_dependencies([stepped]):
                taken = _count_up(global_step)
                taken += [assign(var, self._global_map[var].read_value()) for _, var in given]
                taken += [assign(total, zeros_like(total)) for total in sums]
                return group(*taken)

        with control_dependencies([self._count_step()]):
            due = self._is_due(self._period)
        with control_dependencies(updates):
            return cond(due, exchanged, no_op)

    def get_init_op(self, task_index: int) -> Any:
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
        return _InitialExchange(lambda: self.get_init_op(task_index), is_chief)


class ElasticAverageOptimizer(_PeriodicOptimizer):
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
        self._rho: Any = rate / opt._learning_rate if rho is None else rho  # type: ignore[attr-defined]
        super().__init__(opt, use_locking, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = Optimizer.GATE_OP,
        aggregation_method: int | None = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Any]]:
        """The gradients of the loss and of the distance from the worker's copies of the centers."""
        var_list = var_list or trainable_variables()
        copies = [self._local_map[var] for var in var_list]
        away = [raw.Sub(var, copy) for var, copy in zip(trainable_variables(), copies, strict=False)]
        total = loss + self._rho * add_n([l2_loss(distance) for distance in away])
        return self._opt.compute_gradients(
            total, var_list, gate_gradients, aggregation_method, colocate_gradients_with_ops, grad_loss
        )

    def apply_gradients(self, grads_and_vars: Iterable[Any], global_step: Any = None, name: str | None = None) -> Any:
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

        def exchanged() -> Any:
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
                updates += _count_up(global_step)
            return group(*updates)

        with control_dependencies([counted]):
            return cond(self._is_due(self._period), exchanged, no_op)

    def get_init_op(self, task_index: int) -> Any:
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

    def _after_all_workers(self, init_op: Any, task_index: int) -> Any:
        count = self._num_worker
        queues = [
            FIFOQueue(count, ["bool"], shapes=[[]], shared_name=f"variable_init_sync_queue{worker}")
            for worker in range(count)
        ]
        token = convert_to_tensor(False)
        with control_dependencies([init_op]):
            told = [no_op() if i == task_index else queue.enqueue(token) for i, queue in enumerate(queues)]
        return group(*told, queues[task_index].dequeue_many(count - 1))

    def make_session_run_hook(self, is_chief: bool, task_index: int) -> SessionRunHook:
        """The hook that runs `get_init_op` when a session begins."""
        return _InitialExchange(lambda: self.get_init_op(task_index), is_chief)

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

        def center(var: Any) -> Any:
            return self._global_map.get(trained.get(var.op.name, var), var)

        swapped = {
            key: [center(part) for part in var] if isinstance(var, list) else center(var)
            for key, var in var_list.items()
        }
        return Saver(swapped, name=name, **kwargs)


class ModelAverageOptimizer(_PeriodicOptimizer):
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
        self._chief_init_op: Any = None
        super().__init__(opt, use_locking, name)

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._opt.compute_gradients(*args, **kwargs)

    def _local_vars_update(self, var_list: Sequence[Any]) -> Any:
        if not var_list:
            raise ValueError("The list of local_variables should not be empty")
        updates = []
        for var in var_list:
            with device(var.device):
                updates.append(assign(var, self._local_2_global[var].read_value()))
        return group(*updates)

    def apply_gradients(self, grads_and_vars: Iterable[Any], global_step: Any = None, name: str | None = None) -> Any:
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

    def _averaged(self, own: list[Any], global_step: Any) -> Any:
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

    def _written(self, given: list[Any], centers: list[Any], means: list[Any], queue: FIFOQueue, step: Any) -> Any:
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

    def get_init_op(self) -> Any:
        """The operation that gives the worker's variables the values of the shared ones."""
        return self._local_vars_update(trainable_variables())

    def make_session_run_hook(self) -> SessionRunHook:
        """The hook that makes what a session needs at its begin."""
        return _AverageHook(self)


class _AverageHook(_InitHook):
    def __init__(self, optimizer: ModelAverageOptimizer) -> None:
        super().__init__(optimizer.get_init_op, optimizer._is_chief)
        self._ma_optimizer = optimizer

    def begin(self) -> None:
        super().begin()
        if self._is_chief:
            self._chief_init_op = self._ma_optimizer._chief_init_op


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

    def compute_gradients(self, loss: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own; the step at which they are computed is noted."""
        with colocate_with(loss):
            self._local_step = get_global_step() + 0
        with control_dependencies([self._local_step]):
            return self._opt.compute_gradients(identity(loss), *args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's own."""
        return self._opt.get_slot_names(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Iterable[Any], global_step: Any = None, name: str | None = None) -> Any:
        """The step or nothing; gives the number of gradients dropped so far."""
        pairs = list(grads_and_vars)
        with colocate_with(global_step):
            dropped = get_variable("stale_counter", [], initializer=zeros_initializer(), trainable=False)

        def accepted() -> Any:
            with control_dependencies([self._opt.apply_gradients(pairs, global_step=global_step, name=name)]):
                return identity(0.0)

        gradients = [grad.op if isinstance(grad, IndexedSlices) else grad for grad, _ in pairs if grad is not None]
        with control_dependencies(gradients), colocate_with(global_step):
            age = reshape(global_step - self._local_step, shape=())
        fresh = raw.LessEqual(age, self._staleness)
        update = dropped.assign_add(cond(fresh, accepted, lambda: identity(1.0)))
        scalar("Gradient staleness percentage", dropped / cast(global_step + 1, "float32"))
        return update
