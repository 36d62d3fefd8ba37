"""Clusters: which jobs there are, and where their tasks listen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.device import DeviceSpec
from headrace.messages import protos
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.operation import Operation


# What lies on parameter servers: variables, tables, models of trees.
STANDARD_PS_OPS = (
    "Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2",
    "MutableHashTableOfTensors", "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2",
    "VarHandleOp", "BoostedTreesEnsembleResourceHandleOp", "BoostedTreesQuantileStreamResourceHandleOp",
    "ResourceConditionalAccumulator",
)  # fmt: skip


class ClusterSpec:
    """The tasks of a cluster, by job.

    Args:
        cluster: a dictionary of job name to the addresses of its tasks, as a list or as a dictionary by task number; a
            `ClusterDef`, or another `ClusterSpec`.

    Raises:
        TypeError: if it is none of these, or a name or address is not a string.

    Example:
        >>> tf.train.ClusterSpec({"ps": ["ps0:2222"], "worker": ["w0:2222", "w1:2222"]}).num_tasks("worker")
        2
    """

    def __init__(
        self, cluster: int | protos.ClusterDef | Mapping[str, int | Sequence[str] | Mapping[int, str]]
    ) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        self._jobs: dict[str, dict[int, str]] = {}
        if isinstance(cluster, protos.ClusterDef):
            self._jobs = {job.name: dict(job.tasks) for job in cluster.job}
        elif isinstance(cluster, Mapping):
            for job, tasks in cluster.items():
                self._jobs[_text(job, "Job name")] = _tasks(job, tasks)
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                f"`ClusterDef` protocol buffer, got {type(cluster).__name__}"
            )
        self._cluster_def = protos.ClusterDef()
        for name, addresses in sorted(self._jobs.items()):
            described = self._cluster_def.job.add(name=name)
            for index, address in sorted(addresses.items()):
                described.tasks[index] = address

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    __hash__ = None  # type: ignore[assignment]  # equal to dictionaries, which have none

    def __str__(self) -> str:
        return "ClusterSpec({" + ", ".join(f"{k!r}: {v!r}" for k, v in sorted(self.as_dict().items())) + "})"

    def as_dict(self) -> dict[str, Any]:
        """Job name to addresses: a list where the tasks are numbered without gaps, else a dictionary by number."""
        found: dict[str, Any] = {}
        for job, tasks in self._jobs.items():
            dense = tasks and max(tasks) + 1 == len(tasks)
            found[job] = [tasks[i] for i in sorted(tasks)] if dense else {i: tasks[i] for i in sorted(tasks)}
        return found

    def as_cluster_def(self) -> protos.ClusterDef:
        """The cluster as a `ClusterDef`."""
        return self._cluster_def

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def _job(self, job_name: str) -> dict[int, str]:
        if job_name not in self._jobs:
            raise ValueError(f"No such job in cluster: {job_name!r}")
        return self._jobs[job_name]

    def num_tasks(self, job_name: str) -> int:
        """How many tasks a job has."""
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's tasks."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Raises:
            ValueError: if there is no such job or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by number, None for numbers without one."""
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks) + 1)]


def _text(value: str, what: str) -> str:
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"{what} {value!r} must be bytes or unicode")
    return value


def _tasks(job: str, tasks: int | Sequence[str] | Mapping[int, str]) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    elif not isinstance(tasks, Mapping):
        raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
    return {index: _text(address, "Task address") for index, address in tasks.items()}


def replica_device_setter(
    ps_tasks: int = 0,
    ps_device: str = "/job:ps",
    worker_device: str = "/job:worker",
    merge_devices: bool = True,
    cluster: int | ClusterSpec | Mapping[str, Sequence[str]] | None = None,
    ps_ops: Sequence[str] | None = None,
    ps_strategy: Callable[[Any], int] | None = None,
) -> Callable[[Any], str] | None:
    """A function for `tf.device` that puts variables on parameter servers and all else on a worker.

    Args:
        ps_tasks: how many parameter servers there are; those of `cluster` where that is given.
        ps_device: the device of parameter servers, or an empty string.
        worker_device: the device of everything else.
        merge_devices: whether operations that have a device get the parts it leaves open.
        cluster: a `ClusterSpec`, or what makes one.
        ps_ops: the op types that go to parameter servers; variables and tables by default.
        ps_strategy: from an operation to the number of its parameter server; in turns by default.

    Returns:
        the function; None without parameter servers.

    Raises:
        TypeError: if `cluster` makes no `ClusterSpec` or `ps_strategy` is not callable.

    Example:
        >>> with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
        ...     v = tf.Variable(1.0)
        >>> v.device
        '/job:ps/task:0'
    """
    if cluster is not None:
        jobs = (cluster if isinstance(cluster, ClusterSpec) else ClusterSpec(cluster)).as_dict()
        ps_job = DeviceSpec.from_string(ps_device).job
        if ps_job not in jobs:
            return None
        ps_tasks = len(jobs[ps_job])
    if ps_tasks == 0:
        return None
    if not merge_devices:
        tf_logging.warning("replica_device_setter(merge_devices=False): merge_devices=True is recommended.")
    if ps_strategy is not None and not callable(ps_strategy):
        raise TypeError("ps_strategy must be callable")
    on_ps = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)
    strategy = ps_strategy or RoundRobinStrategy(ps_tasks)

    def choose(op: Operation) -> str:
        if not merge_devices and op.device:
            return str(op.device)
        given = DeviceSpec.from_string(op.device or "")
        node = op if isinstance(op, protos.NodeDef) else op.node_def
        if ps_device and node.op in on_ps:
            server = DeviceSpec.from_string(ps_device)
            if server.job and given.job in (None, "", server.job):
                server.task = strategy(op)
            return _merged(server, given)
        return _merged(DeviceSpec.from_string(worker_device or ""), given)

    return choose


class RoundRobinStrategy:
    """The numbers of tasks in turn.

    Args:
        num_tasks: how many there are.
    """

    def __init__(self, num_tasks: int) -> None:
        self._num_tasks, self._next = num_tasks, 0

    def __call__(self, op: Any) -> int:
        task, self._next = self._next, (self._next + 1) % self._num_tasks
        return task


def _merged(spec: DeviceSpec, inner: DeviceSpec) -> str:
    spec.merge_from(inner)
    return spec.to_string()
