"""Servers that sessions of this process share their state through; clusters of several tasks are not served."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from headrace.messages import protos
from headrace.runtime.shared_state import SharedState, shared_states
from headrace.sessions.cluster import ClusterSpec

_ports = itertools.count(1)


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


class Server:
    """A server of a cluster that has one task: its sessions share variables, queues and tables, and leave them to it.

    Args:
        server_or_cluster_def: a `ServerDef`, `ClusterDef` or `ClusterSpec`, or what makes one.
        job_name, task_index: which task of the cluster this is; not needed where there is one.
        protocol: "grpc" by default. Nothing goes over a network here.
        config: a `ConfigProto` for sessions that have none.
        start: whether to start at once.

    Raises:
        NotImplementedError: if the cluster has several tasks.
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
        tasks = {(job.name, i): address for job in described.cluster.job for i, address in job.tasks.items()}
        if len(tasks) > 1:
            raise NotImplementedError(
                f"tf.train.Server: Headrace runs graphs in one process and serves no cluster of {len(tasks)} tasks. Run "
                "the program as its only worker: without a server and a target, on tf.train.MonitoredTrainingSession() "
                "or a tf.Session(). Device scopes of tf.train.replica_device_setter may stay."
            )
        task = (described.job_name, described.task_index)
        if task not in tasks:
            raise ValueError(f'Task {task[1]} was not defined in job "{task[0]}"')
        host, _, port = tasks[task].rpartition(":")
        if not port.isdigit():
            raise ValueError(f'Could not parse port for local server from "{tasks[task]}"')
        name = f"{host}:{port}" if int(port) else f"{host}:local{next(_ports)}"
        self._target = f"{described.protocol or 'grpc'}://{name}"
        device = f"/job:{task[0]}/replica:0/task:{task[1]}"
        config = described.default_session_config if described.HasField("default_session_config") else None
        self._state = SharedState(device, config)
        self._stopped = threading.Event()
        if start:
            self.start()

    def start(self) -> None:
        """Makes the server's target known to sessions.

        Raises:
            UnknownError: if another server has it.
        """
        shared_states.add(self._target, self._state)

    def join(self) -> None:
        """Waits until the server has shut down, which it never does: for the process to end."""
        self._stopped.wait()

    def __del__(self) -> None:
        if hasattr(self, "_state"):
            shared_states.remove(self._target, self._state)

    @property
    def server_def(self) -> Any:
        """The `ServerDef` of this server."""
        return self._server_def

    @property
    def target(self) -> str:
        """The target for sessions."""
        return self._target

    @staticmethod
    def create_local_server(config: protos.ConfigProto | None = None, start: bool = True) -> Server:
        """A server of a cluster with one task, of a job called "local".

        Args:
            config: a `ConfigProto` for sessions that have none.
            start: whether to start at once.
        """
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)
