"""The server of this process's task, for programs whose operations run as they are made."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from headrace.core.eager import eager_graph
from headrace.core.errors import FailedPreconditionError
from headrace.sessions.server import Server

if TYPE_CHECKING:
    from headrace.messages import protos


class _Joined:
    """The cluster that this process has joined."""

    def __init__(self) -> None:
        self._server: Server | None = None
        self._task = b""
        self._lock = threading.Lock()

    def join(self, server_def: protos.ServerDef, leader: str) -> None:
        task = server_def.SerializeToString(deterministic=True)
        with self._lock:
            if self._server is None:
                self._server, self._task = Server(server_def), task
            elif self._task != task:
                described = self._server.server_def
                raise FailedPreconditionError(
                    None,
                    None,
                    f"This process is {described.job_name} {described.task_index} of a cluster already; it cannot be "
                    f"{server_def.job_name} {server_def.task_index} of another one.",
                )
            eager_graph().join(self._server.device, self._server.collectives(leader))


_joined = _Joined()


def join_cluster(server_def: protos.ServerDef, leader: str = "") -> None:
    """Starts the server of a task in this process, and lets eager operations meet those of the other tasks.

    Args:
        server_def: the cluster and the task that this process is.
        leader: the task in whose store members of collectives find each other; the chief or the first by default.

    Raises:
        FailedPreconditionError: if this process is another task already.
        UnknownError: if the task's address is taken.
    """
    _joined.join(server_def, leader)
