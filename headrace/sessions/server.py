"""Servers: a task of a cluster in this process, for sessions of this process and of others."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from headrace.cluster.collectives import ClusterCollectives
from headrace.cluster.server import TaskServer
from headrace.cluster.settings import from_environment
from headrace.cluster.state import TaskState
from headrace.core import errors
from headrace.messages import protos
from headrace.runtime.shared_state import shared_states
from headrace.sessions.cluster import ClusterSpec


def _make_server_def(
    server_or_cluster_def: int | Mapping[str, Sequence[str]],
    job_name: str | None,
    task_index: int | None,
    protocol: str | None,
    config: protos.ConfigProto,
) -> Any:
    described = protos.ServerDef()
    if isinstance(server_or_cluster_def, protos.ServerDef):
        described.MergeFrom(server_or_cluster_def)
    else:
        try:
            cluster = ClusterSpec(server_or_cluster_def)
        except TypeError as error:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`. "
                f"{error}"
            ) from None
        if job_name is None and len(cluster.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        job_name = cluster.jobs[0] if job_name is None else job_name
        if task_index is None:
            if cluster.num_tasks(job_name) != 1:
                raise ValueError("Must specify an explicit `task_index`.")
            task_index = cluster.task_indices(job_name)[0]
        described.cluster.CopyFrom(cluster.as_cluster_def())
        described.protocol = "grpc"
    if job_name is not None:
        described.job_name = job_name
    if task_index is not None:
        described.task_index = task_index
    if protocol is not None:
        described.protocol = protocol
    if config is not None:
        described.default_session_config.MergeFrom(config)
    return described


def _device(job: str, task: int) -> str:
    """The beginning of the names of a task's devices."""
    return f"/job:{job}/replica:0/task:{task}"


# A server that has begun answers until the process ends, whether or not the program keeps it: often only its target is kept.
_answering: list[Server] = []


def _shut_down(target: str, state: TaskState, server: TaskServer) -> None:
    shared_states.remove(target, state)
    server.stop()


class Server:
    """A task of a cluster: its sessions share variables, queues and tables with those of the other tasks.

    It listens at the address that the cluster names for the task, and at no other. What it does for callers of other
    processes is limited by environment variables: docs/clusters.md.

    Args:
        server_or_cluster_def: a `ServerDef`, `ClusterDef` or `ClusterSpec`, or what makes one.
        job_name, task_index: which task of the cluster this is; not needed where there is one.
        protocol: "grpc", the only one there is.
        config: a `ConfigProto` for sessions that have none.
        start: whether to start at once.

    Raises:
        NotFoundError: for another protocol.
        UnknownError: if the address is taken or not this machine's.
        TypeError, ValueError: if the task is not described.

    Example:
        >>> server = tf.train.Server.create_local_server()
        >>> with tf.Session(server.target) as sess:
        ...     sess.run(tf.global_variables_initializer())
    """

    def __init__(
        self,
        server_or_cluster_def: int | Mapping[str, Sequence[str]],
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: protos.ConfigProto | None = None,
        start: bool = True,
    ) -> None:
        self._server_def = _make_server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        described = self._server_def
        if described.protocol != "grpc":
            raise errors.NotFoundError(
                None, None, f"No server factory registered for the given ServerDef: protocol {described.protocol!r}"
            )
        tasks = {(job.name, i): address for job in described.cluster.job for i, address in job.tasks.items()}
        task = (described.job_name, described.task_index)
        if all(job != task[0] for job, _ in tasks):
            raise errors.InternalError(None, None, f'Job "{task[0]}" was not defined in cluster')
        if task not in tasks:
            raise errors.InvalidArgumentError(None, None, f'Task {task[1]} was not defined in job "{task[0]}"')
        host, _, port = tasks[task].rpartition(":")
        if not port.isdigit():
            raise errors.InvalidArgumentError(None, None, f'Could not parse port for local server from "{tasks[task]}"')
        config = described.default_session_config if described.HasField("default_session_config") else None
        settings = from_environment()
        others = {_device(*each): address for each, address in sorted(tasks.items()) if each != task}
        self._state = TaskState(_device(*task), config, others, settings, tasks[task])
        self._server = TaskServer(self._state, settings)
        self._state.listens_at = f"{host}:{self._server.listen(host, int(port))}"
        self._target = f"grpc://{self._state.listens_at}"
        self._started = False
        shared_states.add(self._target, self._state)
        # When the process ends, connections end with it.
        weakref.finalize(self, _shut_down, self._target, self._state, self._server).atexit = False
        if start:
            self.start()

    def start(self) -> None:
        """Begins to answer. Calling it again does nothing."""
        if not self._started:
            self._started = True
            self._server.start(self._target)
            _answering.append(self)

    def join(self) -> None:
        """Waits until the server has shut down, which it never does: for the process to end."""
        self._server.wait()

    @property
    def server_def(self) -> Any:
        """The `ServerDef` of this server."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target for sessions."""
        return self._target

    @property
    def device(self) -> str:
        """The beginning of the names of its devices."""
        return self._state.device

    def collectives(self, leader: str = "") -> ClusterCollectives | None:
        """What brings its collectives together with those of other tasks; None where there are none.

        Args:
            leader: the task in whose store members find each other; the chief, or else the first, by default.
        """
        return self._state.collectives(leader)

    @staticmethod
    def create_local_server(config: protos.ConfigProto | None = None, start: bool = True) -> Server:
        """A server of a cluster with one task, of a job called "local".

        Args:
            config: a `ConfigProto` for sessions that have none.
            start: whether to start at once.
        """
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)
