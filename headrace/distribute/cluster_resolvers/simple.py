"""Resolvers of clusters that are known: one, and several as one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.distribute.cluster_resolvers.base import ClusterResolver, format_master_url
from headrace.sessions.cluster import ClusterSpec

if TYPE_CHECKING:
    from headrace.messages import protos

_OPTIONS = ("task_type", "task_id", "rpc_layer")


class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program states itself.

    Args:
        cluster_spec: the `ClusterSpec`.
        master: the address for sessions that name no task.
        task_type, task_id: which task this process is.
        environment: where the cluster runs.
        num_accelerators: how many devices of each kind each task has.
        rpc_layer: how tasks are reached, such as "grpc".

    Raises:
        TypeError: if `cluster_spec` is none.

    Example:
        >>> cluster = tf.train.ClusterSpec({"worker": ["a:2222", "b:2222"]})
        >>> resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
        >>> resolver.master("worker", 1)
        'grpc://b:2222'
    """

    task_type: str | None = None
    task_id: int | None = None
    rpc_layer: str | None = None

    def __init__(
        self,
        cluster_spec: ClusterSpec,
        master: str = "",
        task_type: str | None = None,
        task_id: int | None = None,
        environment: str | None = "",
        num_accelerators: Mapping[str, int] | None = None,
        rpc_layer: str | None = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError(f"cluster_spec must be a ClusterSpec, got {cluster_spec!r}.")
        if not isinstance(master, str):
            raise TypeError(f"master must be a string, got {master!r}.")
        self.task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._environment, self._num_accelerators = environment, num_accelerators
        self._cluster_spec, self._master = cluster_spec, master

    def cluster_spec(self) -> ClusterSpec:
        """The `ClusterSpec` that was given."""
        return self._cluster_spec

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target for sessions: of a task if one is named, else the one that was given."""
        master = self._master
        if task_type is not None and task_id is not None:
            master = self._cluster_spec.task_address(task_type, task_id)
        return format_master_url(master or "", rpc_layer or self.rpc_layer)

    @property
    def environment(self) -> str | None:
        """The argument."""
        return self._environment

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: protos.ConfigProto | None = None,
    ) -> Mapping[str, int]:
        """The numbers that were given, of any task; none otherwise."""
        return self._num_accelerators or {}


class UnionClusterResolver(ClusterResolver):
    """The tasks of several resolvers as one cluster.

    Args:
        *args: the resolvers. All but the tasks is taken from the first.
        **kwargs: `task_type`, `task_id` and `rpc_layer`, where those of the first are not to be taken.

    Raises:
        ValueError: if there is none, or for another keyword.
        TypeError: for what is no resolver.
    """

    def __init__(self, *args: ClusterResolver, **kwargs: Any) -> None:
        self._rpc_layer: str | None = kwargs.pop("rpc_layer", None)
        self._task_type: str | None = kwargs.pop("task_type", None)
        self._task_id: int | None = kwargs.pop("task_id", None)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs}, expected some of {', '.join(_OPTIONS)}")
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        for resolver in args:
            if not isinstance(resolver, ClusterResolver):
                raise TypeError(f"All arguments must be a sub-class of `ClusterResolver`, got {resolver!r}.")
        self._resolvers = args

    def cluster_spec(self) -> ClusterSpec:
        """The tasks of all resolvers: those of one job one after the other, unless a resolver numbers them itself.

        Raises:
            KeyError: if two resolvers have tasks of one number where one of them numbers them.
        """
        merged: dict[str, Any] = {}
        parts = [resolver.cluster_spec() for resolver in self._resolvers]
        for job in dict.fromkeys(job for part in parts for job in part.jobs):
            of_job = [part.as_dict()[job] for part in parts if job in part.jobs]
            numbered = any(not isinstance(tasks, list) for tasks in of_job)
            merged[job] = _by_number(of_job) if numbered else [address for tasks in of_job for address in tasks]
        return ClusterSpec(merged)

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target for sessions: of a task if one is named, else that of the first resolver."""
        if task_type is not None and task_id is not None:
            return format_master_url(self.cluster_spec().task_address(task_type, task_id), rpc_layer or self._rpc_layer)
        return self._resolvers[0].master(rpc_layer=rpc_layer)

    @property
    def environment(self) -> str | None:
        """That of the first resolver."""
        return self._resolvers[0].environment

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: protos.ConfigProto | None = None,
    ) -> Mapping[str, int]:
        """The numbers of the first resolver."""
        return self._resolvers[0].num_accelerators(task_type, task_id, config_proto)

    def _of_first(self, name: str) -> Any:
        own = getattr(self, f"_{name}")
        return getattr(self._resolvers[0], name, None) if own is None else own

    @property
    def task_type(self) -> str | None:
        """The job of this process."""
        kind: str | None = self._of_first("task_type")
        return kind

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        """The number of this process in its job."""
        number: int | None = self._of_first("task_id")
        return number

    @task_id.setter
    def task_id(self, task_id: int) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        """How tasks are reached."""
        layer: str | None = self._of_first("rpc_layer")
        return layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str) -> None:
        self._rpc_layer = rpc_layer


def _by_number(parts: list[Any]) -> dict[int, str]:
    tasks: dict[int, str] = {}
    for part in parts:
        numbered = dict(enumerate(part)) if isinstance(part, list) else part
        twice = set(tasks) & set(numbered)
        if twice:
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice}")
        tasks.update(numbered)
    return tasks
