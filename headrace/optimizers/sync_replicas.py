"""Training in step: the gradients of several workers, threads of one process here, make one update."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.composite import IndexedSlices
from headrace.core.defaults import control_dependencies, device, name_scope
from headrace.core.dtypes import int32
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.functions.queues.accumulating import ConditionalAccumulator, SparseConditionalAccumulator
from headrace.functions.queues.queues import FIFOQueue
from headrace.ops.array.fill import fill
from headrace.ops.flow.grouping import group, no_op
from headrace.optimizers.optimizer import Optimizer
from headrace.sessions.queue_runner import QueueRunner
from headrace.sessions.session_run_hook import SessionRunHook
from headrace.state.collecting import global_variables, report_uninitialized_variables
from headrace.state.updates import assign
from headrace.state.variables import Variable
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.functions.queues.accumulating import ConditionalAccumulatorBase
    from headrace.sessions.coordinator import Coordinator


class SyncReplicasOptimizer(Optimizer):
    """Wraps an optimizer so that it takes the mean of several gradients for each step and drops those that are late.

    Chen et al., "Revisiting distributed synchronous SGD", arXiv:1604.00981, with backup workers.

    Each worker runs the operation that `apply_gradients` returns: its gradients join those of the others, and it waits
    for a token that says the update is done. The chief's queue runner takes the means, applies them and hands out the
    tokens.

    Args:
        opt: the optimizer.
        replicas_to_aggregate: how many gradients make a step.
        total_num_replicas: how many workers there are; as many by default.
        variable_averages: an `ExponentialMovingAverage` to update in each step.
        variables_to_average: its variables.
        use_locking: as for other optimizers.
        name: a name for the operations.

    Example:
        >>> opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2)
        >>> train_op = opt.minimize(loss, global_step=global_step)
        >>> hook = opt.make_session_run_hook(is_chief=True)
    """

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        super().__init__(use_locking, name)
        logging.info("SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s", replicas_to_aggregate, total)
        self._opt = opt
        self._replicas_to_aggregate = replicas_to_aggregate
        self._total_num_replicas = total
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._variable_averages = variable_averages
        self._variables_to_average = variables_to_average
        self._gradients_applied = False
        self._accumulator_list: list[tuple[ConditionalAccumulatorBase, str]] = []
        self._global_step: Any = None
        self._sync_token_queue: Any = None
        self._chief_queue_runner: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[IndexedSlices | Tensor, Variable]]:
        """As the wrapped optimizer's."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        """What a worker runs in each step.

        Args:
            grads_and_vars: as `compute_gradients` returns them.
            global_step: the variable that counts the steps; it tells late gradients from others.
            name: not used, as in TensorFlow: operations are named after the optimizer.

        Raises:
            ValueError: if there are no gradients or no global step.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        # Where operations go that are no variables, which is the worker: each worker has a step of its own.
        here = no_op()
        with device(here.device):
            self._local_step = Variable(
                initial_value=0,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                dtype=global_step.dtype.base_dtype,
                name="sync_rep_local_step",
            )
        self.local_step_init_op = assign(self._local_step, global_step)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        with name_scope(None, self._name):
            added, means = self._accumulated(pairs)
            where = global_step.device
            with device(where), name_scope(""):
                update = self._opt.apply_gradients(means, global_step)
            with device(where), name_scope(""):
                tokens = FIFOQueue(
                    -1, global_step.dtype.base_dtype, shapes=(), name="sync_token_q", shared_name="sync_token_q"
                )
                self._sync_token_queue = tokens
                dummy = FIFOQueue(1, int32, shapes=(), name="dummy_queue", shared_name="dummy_queue")
            with device(where), name_scope(""):
                with control_dependencies(added):
                    token = tokens.dequeue()
                train_op = assign(self._local_step, token)
                with control_dependencies([update]):
                    sync: Operation = tokens.enqueue_many((fill([self._tokens_per_step], global_step),))
                if self._variable_averages is not None:
                    with control_dependencies([sync]), name_scope(""):
                        sync = self._variable_averages.apply(self._variables_to_average)
                self._chief_queue_runner = QueueRunner(dummy, [sync])
            first: list[Any] = [self.local_step_init_op]
            for accumulator, place in self._accumulator_list:
                with device(place):
                    first.append(accumulator.set_global_step(global_step, name="SetGlobalStep"))
            self.chief_init_op = group(*first)
            self._gradients_applied = True
            return train_op

    def _accumulated(self, pairs: Sequence[tuple[Any, Any]]) -> tuple[list[Any], list[Any]]:
        """Operations that add each gradient to an accumulator, and the means with their variables."""
        added: list[Any] = []
        means: list[Any] = []
        count = self._replicas_to_aggregate
        for gradient, variable in pairs:
            with device(variable.device):
                accumulator: ConditionalAccumulatorBase
                shared = variable.name + "/grad_accum"
                if gradient is None:
                    means.append((None, variable))
                    continue
                if isinstance(gradient, Tensor):
                    accumulator = ConditionalAccumulator(gradient.dtype, shape=variable.shape, shared_name=shared)
                    added.append(accumulator.apply_grad(gradient, local_step=self._local_step))
                    means.append((accumulator.take_grad(count), variable))
                elif isinstance(gradient, IndexedSlices):
                    accumulator = SparseConditionalAccumulator(gradient.dtype, shape=(), shared_name=shared)
                    added.append(accumulator.apply_indexed_slices_grad(gradient, local_step=self._local_step))
                    means.append((accumulator.take_indexed_slices_grad(count), variable))
                else:
                    raise ValueError("Unknown grad type!")
                self._accumulator_list.append((accumulator, variable.device))
        return added, means

    def get_chief_queue_runner(self) -> QueueRunner:
        """The runner that applies updates; its threads run in one process only.

        Raises:
            ValueError: before `apply_gradients`.
        """
        if not self._gradients_applied:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """As the wrapped optimizer's."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> list[str]:
        """As the wrapped optimizer's."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> Any:
        """As the wrapped optimizer's."""
        return self._opt.variables()

    def get_init_tokens_op(self, num_tokens: int = -1) -> Operation:
        """Puts in the tokens for the first steps, so that workers may begin before the first update.

        Args:
            num_tokens: how many; as many as gradients make a step by default.

        Raises:
            ValueError: before `apply_gradients`, or if the first step would wait for ever.
        """
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device), name_scope(""):
            return self._sync_token_queue.enqueue_many((fill([num_tokens], self._global_step),))

    def make_session_run_hook(self, is_chief: bool, num_tokens: int = -1) -> Any:
        """A hook for `MonitoredSession` that does what is needed before the first step.

        Args:
            is_chief: whether this session applies the updates.
            num_tokens: as for `get_init_tokens_op`.
        """
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(SessionRunHook):
    """Sets the local step, and for the chief begins the updates."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer = optimizer
        self._is_chief = is_chief
        self._num_tokens = num_tokens
        self._tokens: Any = None
        self._runner: QueueRunner | None = None

    def begin(self) -> None:
        """Makes the operations."""
        optimizer = self._optimizer
        if not optimizer._gradients_applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._init: Any = optimizer.local_step_init_op
        if self._is_chief:
            self._init = optimizer.chief_init_op
            self._runner = optimizer.get_chief_queue_runner()
            self._tokens = optimizer.get_init_tokens_op(self._num_tokens)

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Runs them.

        Raises:
            RuntimeError: if variables are not initialized.
        """
        missing = session.run(self._optimizer.ready_for_local_init_op)
        if len(missing):
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: "
                f"{self._init.name}, error: Variables not initialized: {', '.join(name.decode() for name in missing)}"
            )
        session.run(self._init)
        if self._tokens is not None:
            session.run(self._tokens)
        if self._runner is not None:
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
