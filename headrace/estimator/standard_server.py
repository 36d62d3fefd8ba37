"""The server of the task that a process is, as TF_CONFIG says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.messages import protos
from headrace.sessions.server import Server
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig

# A task has one server, whoever asks for it: its address is taken once.
_servers: dict[tuple[str, str, int], Server] = {}


def start_standard_server(config: RunConfig) -> Server:
    """Starts the server of a task, or gives the one that runs.

    Args:
        config: what says which task of which cluster this is.

    Raises:
        RuntimeError: if it does not.
        UnknownError: if the task's address is taken.
    """
    if not config.cluster_spec or not config.task_type or not config.master or config.task_id is None:
        raise RuntimeError(
            "Could not start server; be sure to specify cluster_spec, task_type, master, and task in RunConfig or set "
            "the TF_CONFIG environment variable."
        )
    key = (str(config.cluster_spec), config.task_type, config.task_id)
    server = _servers.get(key)
    if server is None:
        tf_logging.info("Start Tensorflow server.")
        server = _servers[key] = Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=config.session_config or protos.ConfigProto(log_device_placement=False),
            start=False,
        )
        server.start()
    return server
