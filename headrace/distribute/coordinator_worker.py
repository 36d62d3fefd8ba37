"""One worker of a distribute coordinator: what the function it runs may ask of it."""

from __future__ import annotations

import contextlib
import copy
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from headrace.distribute.strategy import Strategy
from headrace.messages import protos
from headrace.sessions.session_creators import ChiefSessionCreator, SessionCreator, WorkerSessionCreator
from headrace.sessions.worker_context import as_worker, get_current_worker_context

if TYPE_CHECKING:
    from headrace.sessions.cluster import ClusterSpec
    from headrace.sessions.scaffold import Scaffold


class TaskType:
    """The names of jobs."""

    PS = "ps"
    WORKER = "worker"
    CHIEF = "chief"
    EVALUATOR = "evaluator"
    CLIENT = "client"


class Barrier:
    """Where a number of threads wait for each other, as often as they come.

    Args:
        num_participants: how many.
    """

    def __init__(self, num_participants: int) -> None:
        self._barrier = threading.Barrier(num_participants)

    def wait(self) -> None:
        """Waits until all have come."""
        self._barrier.wait()


class CoordinatedWorker:
    """A worker of a coordinator. As a context manager it is the one that `get_current_worker_context` gives.

    Args:
        strategy: the worker's strategy; an evaluator may have none.
        cluster_spec: the cluster, None for training on this machine alone.
        task_type, task_id: the task; none where one process trains for all.
        session_config: the settings of its sessions.
        rpc_layer: how servers are reached.
        worker_barrier: where the workers of this process wait for each other.
    """

    def __init__(
        self,
        strategy: Strategy | None,
        cluster_spec: ClusterSpec | None,
        task_type: str | None,
        task_id: int | None,
        session_config: protos.ConfigProto | None = None,
        rpc_layer: str | None = "grpc",
        worker_barrier: Barrier | None = None,
    ) -> None:
        self._strategy, self._cluster_spec = strategy, cluster_spec
        self._task_type, self._task_id = task_type, task_id
        self._session_config, self._rpc_layer = session_config, rpc_layer
        self._worker_barrier = worker_barrier
        self._scope = contextlib.ExitStack()
        self._master_target = self._get_master_target()
        self._num_workers = _num_workers(cluster_spec)
        self._is_chief = self._get_is_chief()

    def _message(self) -> str:
        cluster = self._cluster_spec.as_dict() if self._cluster_spec else None
        return f"[cluster_spec: {cluster!r}, task_type: {self._task_type!r}, task_id: {self._task_id!r}]"

    def __enter__(self) -> None:
        if get_current_worker_context() is not None:
            raise ValueError(f"You cannot run distribute coordinator in a `worker_fn`.\t{self._message()}")
        self._scope.enter_context(as_worker(self))

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scope.close()

    def _get_master_target(self) -> str:
        if not self._cluster_spec:
            return ""
        job, index = self._task_type, self._task_id
        if not job:
            # One process trains for all: its sessions are those of the first that computes.
            job, index = (TaskType.CHIEF if TaskType.CHIEF in self._cluster_spec.jobs else TaskType.WORKER), 0
        address = self._cluster_spec.task_address(job, index or 0)
        return f"{self._rpc_layer}://{address}" if self._rpc_layer else address

    def _get_is_chief(self) -> bool:
        if not self._cluster_spec or self._task_type in (TaskType.CHIEF, TaskType.EVALUATOR, None):
            return True
        first = self._task_type == TaskType.WORKER and self._task_id == 0
        return first and TaskType.CHIEF not in self._cluster_spec.jobs

    def wait_for_other_workers(self) -> None:
        """Waits for the other workers of this process, where they are there."""
        if self._worker_barrier is not None:
            self._worker_barrier.wait()

    def session_creator(
        self,
        scaffold: Scaffold | None = None,
        config: protos.ConfigProto | None = None,
        checkpoint_dir: str | None = None,
        checkpoint_filename_with_path: str | None = None,
        max_wait_secs: float = 7200,
    ) -> SessionCreator:
        """What makes the worker's sessions: it initializes where the strategy says so, and waits for the chief elsewhere.

        Args:
            scaffold: what initializes.
            config: settings, over which those of the worker go.
            checkpoint_dir, checkpoint_filename_with_path: what is restored.
            max_wait_secs: how long to wait.
        """
        settings = self._session_config
        if config is not None:
            settings = copy.deepcopy(config)
            if self._session_config is not None:
                settings.MergeFrom(self._session_config)
        if self._strategy is None or self.experimental_should_init:
            return ChiefSessionCreator(
                scaffold,
                master=self._master_target,
                config=settings,
                checkpoint_dir=checkpoint_dir,
                checkpoint_filename_with_path=checkpoint_filename_with_path,
            )
        return WorkerSessionCreator(
            scaffold, master=self._master_target, config=settings, max_wait_secs=int(max_wait_secs)
        )

    @property
    def session_config(self) -> protos.ConfigProto | None:
        """A copy of the settings of its sessions."""
        return copy.deepcopy(self._session_config)

    @property
    def has_barrier(self) -> bool:
        """Whether other workers of this process can be waited for."""
        return self._worker_barrier is not None

    @property
    def distributed_mode(self) -> bool:
        """Whether it trains with others."""
        return bool(self._cluster_spec) and self._task_type != TaskType.EVALUATOR

    @property
    def cluster_spec(self) -> ClusterSpec | None:
        """The cluster."""
        return copy.deepcopy(self._cluster_spec)

    @property
    def task_type(self) -> str | None:
        """The job."""
        return self._task_type

    @property
    def task_id(self) -> int | None:
        """The number in the job."""
        return self._task_id

    @property
    def master_target(self) -> str:
        """The target of its sessions."""
        return self._master_target

    @property
    def is_chief(self) -> bool:
        """Whether it is the chief."""
        return self._is_chief

    @property
    def num_workers(self) -> int:
        """How many workers there are, the chief among them."""
        return self._num_workers

    @property
    def experimental_should_init(self) -> bool:
        """Whether it initializes variables."""
        return self._strategy is None or bool(self._strategy.extended.experimental_should_init)

    @property
    def scratch_folder(self) -> str | None:
        """What those files are kept in that it writes only because all workers must run what writes them; None without such."""
        if not getattr(getattr(self._strategy, "extended", None), "_has_collectives", False):
            return None
        return f"tmp_{self._task_type}_{self._task_id}" if self._task_type else "tmp"

    @property
    def should_checkpoint(self) -> bool:
        """Whether it writes checkpoints."""
        return self._strategy is None or bool(self._strategy.extended.should_checkpoint)

    @property
    def should_save_summary(self) -> bool:
        """Whether it writes summaries."""
        return self._strategy is None or bool(self._strategy.extended.should_save_summary)


def _num_workers(cluster_spec: ClusterSpec | None) -> int:
    """The number of workers, the chief among them."""
    if not cluster_spec:
        return 0
    cluster = cluster_spec.as_dict()
    return len(cluster.get(TaskType.WORKER, ())) + len(cluster.get(TaskType.CHIEF, ()))
