"""The resolver of the environment variable TF_CONFIG."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.distribute.cluster_resolvers.base import ClusterResolver, format_master_url
from headrace.sessions.cluster import ClusterSpec

if TYPE_CHECKING:
    from headrace.messages import protos


def load_tf_config() -> dict[str, Any]:
    """What TF_CONFIG says, {} where it is not set."""
    found: dict[str, Any] = json.loads(os.environ.get("TF_CONFIG", "{}"))
    return found


class TFConfigClusterResolver(ClusterResolver):
    """The cluster that the environment variable TF_CONFIG describes, as it is set when this is asked.

    Args:
        task_type, task_id, rpc_layer, environment: what is to be taken instead of what TF_CONFIG says.

    Example:
        >>> import os
        >>> os.environ["TF_CONFIG"] = '{"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 1}}'
        >>> tf.distribute.cluster_resolver.TFConfigClusterResolver().master()
        'b:1'
        >>> del os.environ["TF_CONFIG"]
    """

    def __init__(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        rpc_layer: str | None = None,
        environment: str | None = None,
    ) -> None:
        self._task_type, self._task_id = task_type, task_id
        self._rpc_layer, self._environment = rpc_layer, environment

    @property
    def task_type(self) -> str | None:
        """The job of this process."""
        if self._task_type is not None:
            return str(self._task_type)
        task = load_tf_config().get("task", {})
        return str(task["type"]) if "type" in task else None

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        self._task_type = task_type

    @property
    def task_id(self) -> int | None:
        """The number of this process in its job."""
        if self._task_id is not None:
            return int(self._task_id)
        task = load_tf_config().get("task", {})
        return int(task["index"]) if "index" in task else None

    @task_id.setter
    def task_id(self, task_id: int) -> None:
        self._task_id = task_id

    @property
    def rpc_layer(self) -> str | None:
        """How tasks are reached."""
        if self._rpc_layer is not None:
            return self._rpc_layer
        found: str | None = load_tf_config().get("rpc_layer")
        return found

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: str) -> None:
        self._rpc_layer = rpc_layer

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
        """How many devices of each kind a task has, this process's own by default."""
        return super().num_accelerators(
            self.task_type if task_type is None else task_type,
            self.task_id if task_id is None else task_id,
            config_proto,
        )

    def cluster_spec(self) -> ClusterSpec:
        """The `ClusterSpec` of TF_CONFIG, an empty one where it has none."""
        return ClusterSpec(load_tf_config().get("cluster", {}))

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target for sessions: what TF_CONFIG calls `session_master`, else that of a task; "" where there is but one.

        Raises:
            ValueError: if the task is none of the cluster's.
        """
        stated = load_tf_config().get("session_master")
        if stated is not None:
            return str(stated)
        cluster = self.cluster_spec()
        if sum(cluster.num_tasks(job) for job in cluster.jobs) <= 1:
            return ""
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None:
            raise ValueError(
                f"No such task in cluster: {kind!r} {number!r}. TF_CONFIG names no task, nor does the caller."
            )
        address = cluster.task_address(kind, number)
        return format_master_url(address, rpc_layer or self.rpc_layer)
