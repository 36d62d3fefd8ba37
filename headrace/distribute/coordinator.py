"""The distribute coordinator: one function, run for each worker of a cluster by the process that it belongs to."""

from __future__ import annotations

import contextlib
import copy
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from headrace.distribute.cluster_resolvers.tf_config import load_tf_config
from headrace.distribute.coordinator_worker import Barrier, CoordinatedWorker, TaskType, _num_workers
from headrace.distribute.multi_worker_util import normalize_cluster_spec
from headrace.messages import protos
from headrace.sessions.cluster import ClusterSpec
from headrace.sessions.coordinator import Coordinator
from headrace.sessions.server import Server
from headrace.util import tf_logging as logging

if TYPE_CHECKING:
    from headrace.distribute.strategy import Strategy

# Takes the strategy of the worker; what it returns is what running it returns.
WorkerFunction: TypeAlias = "Callable[[Any], Any]"


class CoordinatorMode:
    """Who runs the functions of workers.

    Attributes:
        STANDALONE_CLIENT: one process of its own, for all of them; tasks only listen.
        INDEPENDENT_WORKER: each task for itself.
    """

    STANDALONE_CLIENT = "standalone_client"
    INDEPENDENT_WORKER = "independent_worker"


# How many seconds each wait is of those that have no end.
_WHILE = 5

_thread_local = threading.local()


class _ElsewhereServer:
    """The server of a task that another process has started."""

    def start(self) -> None:
        """It has been started."""

    def join(self) -> None:
        """Waits for ever, as for any server."""
        while True:
            time.sleep(_WHILE)


def _run_std_server(
    cluster_spec: ClusterSpec | None = None,
    task_type: str | None = None,
    task_id: int | None = None,
    session_config: protos.ConfigProto | None = None,
    rpc_layer: str | None = None,
    environment: str | None = None,
) -> Server | _ElsewhereServer:
    """Starts the server of a task, or gives the one that this thread has started.

    Args:
        cluster_spec, task_type, task_id: the task.
        session_config: settings for sessions without any of their own.
        rpc_layer: the protocol, "grpc" by default.
        environment: where the cluster runs; "google" for machines where something else starts the servers.

    Raises:
        ValueError: if the thread has started the server of another task.
    """
    task = (cluster_spec.as_dict() if cluster_spec else None, task_type, task_id, rpc_layer)
    started: tuple[tuple[Any, ...], Server] | None = getattr(_thread_local, "server", None)
    if started is not None:
        before, server = started
        if before != task:
            raise ValueError(
                f"This thread has started the server of {before[1:3]} already, and is asked for {task[1:3]}."
            )
        return server
    if environment == "google":
        return _ElsewhereServer()
    if not cluster_spec:
        raise ValueError("A server needs a cluster_spec.")
    target = cluster_spec.task_address(task_type or "", task_id or 0)
    logging.info(
        "Starting standard TensorFlow server, target = %r, session_config= %s",
        f"{rpc_layer}://{target}" if rpc_layer else target,
        session_config,
    )
    server = Server(
        cluster_spec.as_cluster_def(),
        job_name=task_type,
        task_index=task_id,
        config=session_config,
        protocol=rpc_layer,
    )
    _thread_local.server = (task, server)
    return server


def _run_single_worker(
    worker_fn: WorkerFunction,
    strategy: Strategy | None,
    cluster_spec: ClusterSpec | None,
    task_type: str | None,
    task_id: int | None,
    session_config: protos.ConfigProto | None,
    rpc_layer: str | None = "",
    worker_barrier: Barrier | None = None,
    coord: Coordinator | None = None,
) -> Any:
    """Runs the function of one worker in this thread."""
    session_config, strategy = copy.deepcopy(session_config), copy.deepcopy(strategy)
    if task_type == TaskType.EVALUATOR:
        # It evaluates on its own, and may do without a strategy.
        if strategy is not None:
            strategy.configure(session_config)
    elif strategy is None:
        raise ValueError("A strategy is needed to run a worker's function.")
    else:
        strategy.configure(session_config, cluster_spec, task_type, task_id)
    context = CoordinatedWorker(
        strategy,
        cluster_spec,
        task_type,
        task_id,
        session_config=session_config,
        rpc_layer=rpc_layer,
        worker_barrier=worker_barrier,
    )
    with context, coord.stop_on_exception() if coord is not None else contextlib.nullcontext():
        return worker_fn(strategy)


def _split_cluster_for_evaluator(cluster_spec: Any, task_type: str | None) -> ClusterSpec:
    """The part of a cluster that a task has to do with: evaluators do not train, and the others know nothing of them."""
    cluster = dict(normalize_cluster_spec(cluster_spec).as_dict())
    if task_type == TaskType.EVALUATOR:
        cluster = {TaskType.EVALUATOR: cluster[TaskType.EVALUATOR]}
    else:
        cluster.pop(TaskType.EVALUATOR, None)
    return ClusterSpec(cluster)


class _Client:
    """A process that runs the functions of all workers, in a thread each.

    Args:
        worker_fn, strategy, eval_fn, eval_strategy: what runs.
        cluster_spec: the cluster.
        session_config, rpc_layer: as of a worker.
    """

    def __init__(
        self,
        worker_fn: WorkerFunction,
        strategy: Strategy,
        eval_fn: WorkerFunction | None,
        eval_strategy: Strategy | None,
        cluster_spec: ClusterSpec,
        session_config: protos.ConfigProto,
        rpc_layer: str | None,
    ) -> None:
        self._worker_fn, self._strategy = worker_fn, strategy
        self._eval_fn, self._eval_strategy = eval_fn, eval_strategy
        self._cluster = cluster_spec
        self._session_config, self._rpc_layer = session_config, rpc_layer
        self._coordinator = Coordinator(clean_stop_exception_types=[])

    def _thread(self, function: WorkerFunction, strategy: Strategy | None, job: str, index: int, barrier: Any) -> Any:
        thread = threading.Thread(
            target=_run_single_worker,
            args=(function, strategy, self._cluster, job, index, self._session_config, self._rpc_layer),
            kwargs={"worker_barrier": barrier, "coord": self._coordinator},
        )
        thread.start()
        return thread

    def _evaluators(self) -> list[threading.Thread]:
        if self._eval_fn is None:
            return []
        count = len(self._cluster.as_dict().get(TaskType.EVALUATOR, ()))
        return [self._thread(self._eval_fn, self._eval_strategy, TaskType.EVALUATOR, i, None) for i in range(count)]

    def run_each(self) -> None:
        """Runs the function of each worker, and waits for all."""
        cluster = self._cluster.as_dict()
        barrier = Barrier(_num_workers(self._cluster))
        threads = self._evaluators()
        for job in (TaskType.CHIEF, TaskType.WORKER):
            for index in range(len(cluster.get(job, ()))):
                threads.append(self._thread(self._worker_fn, self._strategy, job, index, barrier))
        self._coordinator.join(threads)

    def run_once(self) -> Any:
        """Runs the function once, for all workers."""
        threads = self._evaluators()
        result = _run_single_worker(
            self._worker_fn,
            self._strategy,
            self._cluster,
            None,
            None,
            self._session_config,
            self._rpc_layer,
            coord=self._coordinator,
        )
        self._coordinator.join(threads)
        return result


def run_distribute_coordinator(
    worker_fn: WorkerFunction,
    strategy: Strategy,
    eval_fn: WorkerFunction | None = None,
    eval_strategy: Strategy | None = None,
    mode: str = CoordinatorMode.STANDALONE_CLIENT,
    cluster_spec: Any = None,
    task_type: str | None = None,
    task_id: int | None = None,
    session_config: protos.ConfigProto | None = None,
    rpc_layer: str | None = "grpc",
) -> Any:
    """Runs a function for each worker, with servers where tasks need them.

    Args:
        worker_fn: called with a worker's strategy; it asks `get_current_worker_context` for more.
        strategy: the strategy; each worker gets a copy, which knows its task.
        eval_fn: what an evaluator runs.
        eval_strategy: its strategy.
        mode: a `CoordinatorMode`; without a cluster there is one worker, here.
        cluster_spec: the cluster; that of TF_CONFIG by default.
        task_type, task_id: the task of this process; that of TF_CONFIG, if it has one.
        session_config: settings for the sessions of workers.
        rpc_layer: how servers are reached.

    Returns:
        what `worker_fn` returned, where it ran once in this process.

    Raises:
        ValueError: for another mode or job.

    Example:
        >>> from headrace.distribute.coordinator import run_distribute_coordinator
        >>> run_distribute_coordinator(lambda strategy: strategy.num_replicas_in_sync, tf.distribute.MirroredStrategy())
        1
    """
    told = load_tf_config()
    if not cluster_spec:
        cluster_spec = told.get("cluster", {})
        task = told.get("task", {})
        if task:
            task_type, task_id = str(task.get("type", task_type)), int(task.get("index", task_id))
    session_config = session_config or protos.ConfigProto(allow_soft_placement=True)
    if not cluster_spec:
        result = _run_single_worker(worker_fn, strategy, None, None, None, session_config, rpc_layer)
        if eval_fn is not None:
            _run_single_worker(eval_fn, eval_strategy, None, None, None, session_config, rpc_layer)
        else:
            logging.warning("Skipped evaluation since `eval_fn` is not passed in.")
        return result
    cluster = normalize_cluster_spec(cluster_spec)
    rpc_layer, environment = told.get("rpc_layer", rpc_layer), told.get("environment")
    settings = (mode, cluster.as_dict(), task_type, task_id, environment, rpc_layer)
    logging.info(
        "Running Distribute Coordinator with mode = %r, cluster_spec = %r, task_type = %r, task_id = %r, environment = %r, "
        "rpc_layer = %r",
        *settings,
    )
    if eval_fn is None:
        logging.warning(
            '`eval_fn` is not passed in. The `worker_fn` will be used if an "evaluator" task exists in the cluster.'
        )
    eval_fn = eval_fn or worker_fn
    if eval_strategy is None:
        logging.warning("`eval_strategy` is not passed in. No distribution strategy will be used for evaluation.")
    if mode == CoordinatorMode.STANDALONE_CLIENT:
        if task_type not in (TaskType.CLIENT, None):
            server = _run_std_server(
                cluster_spec=cluster, task_type=task_type, task_id=task_id, rpc_layer=rpc_layer, environment=environment
            )
            server.join()
            return None
        client = _Client(worker_fn, strategy, eval_fn, eval_strategy, cluster, session_config, rpc_layer)
        return client.run_each() if strategy.extended.experimental_between_graph else client.run_once()
    if mode != CoordinatorMode.INDEPENDENT_WORKER:
        raise ValueError(f"Unexpected coordinator mode: {mode!r}")
    return _run_independently(
        worker_fn, strategy, eval_fn, eval_strategy, cluster, task_type, task_id, session_config, rpc_layer
    )


def _run_independently(
    worker_fn: WorkerFunction,
    strategy: Strategy,
    eval_fn: WorkerFunction,
    eval_strategy: Strategy | None,
    cluster: ClusterSpec,
    task_type: str | None,
    task_id: int | None,
    session_config: protos.ConfigProto,
    rpc_layer: str | None,
) -> Any:
    """Runs what the task of this process runs; arguments as of `run_distribute_coordinator`."""
    if task_type == TaskType.EVALUATOR:
        if eval_strategy is not None:
            eval_strategy.configure(session_config)
    else:
        # Each worker's own copy is told of the cluster later.
        copy.deepcopy(strategy).configure(session_config, cluster, task_type, task_id)
    # Sessions of other strategies may use the server too.
    del session_config.device_filters[:]
    server: Server | _ElsewhereServer = _ElsewhereServer()
    if not getattr(strategy.extended, "_std_server_started", False):
        server = _run_std_server(
            cluster_spec=_split_cluster_for_evaluator(cluster, task_type),
            task_type=task_type,
            task_id=task_id,
            session_config=session_config,
            rpc_layer=rpc_layer,
            environment=load_tf_config().get("environment"),
        )
    if task_type in (TaskType.CHIEF, TaskType.WORKER):
        between_graph = strategy.extended.experimental_between_graph
        if between_graph:
            return _run_single_worker(worker_fn, strategy, cluster, task_type, task_id, session_config, rpc_layer)
        if CoordinatedWorker(strategy, cluster, task_type, task_id).is_chief:
            return _run_single_worker(worker_fn, strategy, cluster, None, None, session_config, rpc_layer)
        server.join()
        return None
    if task_type == TaskType.EVALUATOR:
        return _run_single_worker(eval_fn, eval_strategy, cluster, task_type, task_id, session_config, rpc_layer)
    if task_type != TaskType.PS:
        raise ValueError(f"Unexpected task_type: {task_type!r}")
    server.join()
    return None


def run_standard_tensorflow_server(
    session_config: protos.ConfigProto | None = None,
) -> Server | _ElsewhereServer:
    """Starts the server of the task that TF_CONFIG says this process is.

    Args:
        session_config: settings for sessions without any of their own.

    Returns:
        the server; `join` waits for it.

    Raises:
        ValueError: if TF_CONFIG names no cluster or no task.
    """
    told = load_tf_config()
    if "cluster" not in told:
        raise ValueError('"cluster" is not found in TF_CONFIG.')
    cluster = normalize_cluster_spec(told["cluster"])
    if "task" not in told or "type" not in told["task"]:
        raise ValueError('"task" is not found in TF_CONFIG.')
    task = told["task"]
    task_type, task_id = str(task["type"]), int(task.get("index", 0))
    cluster = _split_cluster_for_evaluator(cluster, task_type)
    settings = protos.ConfigProto()
    if session_config is not None:
        settings.CopyFrom(session_config)
    # Sessions of the client that go by these settings meet the other workers there.
    first = TaskType.CHIEF if TaskType.CHIEF in cluster.jobs else TaskType.WORKER
    settings.experimental.collective_group_leader = f"/job:{first}/replica:0/task:0"
    server = _run_std_server(
        cluster_spec=cluster,
        task_type=task_type,
        task_id=task_id,
        session_config=settings,
        rpc_layer=told.get("rpc_layer", "grpc"),
    )
    server.start()
    return server
