"""What all cluster resolvers have in common."""

from __future__ import annotations

import abc
import re
from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

from headrace.runtime.session import Session

if TYPE_CHECKING:
    from headrace.messages import protos
    from headrace.sessions.cluster import ClusterSpec

_DEVICE_KIND = re.compile(r".*device:([^:]+).*")


def format_master_url(master: str, rpc_layer: str | None = None) -> str:
    """The target of a session on a task.

    Args:
        master: the task's address.
        rpc_layer: "grpc", or none.

    Example:
        >>> from headrace.distribute.cluster_resolvers.base import format_master_url
        >>> format_master_url("host:2222", "grpc")
        'grpc://host:2222'
    """
    return f"{rpc_layer}://{master}" if rpc_layer else master


class ClusterResolver(abc.ABC):
    """Finds out which tasks a cluster has. Programs derive their own from it."""

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The `ClusterSpec` of the cluster as it is now."""

    @abc.abstractmethod
    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target for sessions.

        Args:
            task_type, task_id: of which task; that of this process by default.
            rpc_layer: how it is reached, such as "grpc".
        """

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: protos.ConfigProto | None = None,
    ) -> Mapping[str, int]:
        """How many devices of each kind there are.

        Args:
            task_type, task_id: of which task; of all that the session sees by default.
            config_proto: the `ConfigProto` of the session that asks.

        Returns:
            a mapping of kind to number, such as {"CPU": 1}.
        """
        counts: dict[str, int] = defaultdict(int)
        with Session(self.master(task_type, task_id), config=config_proto) as session:
            names = [device.name for device in session.list_devices()]
        of_task = task_type is not None and task_id is not None
        for name in names:
            if of_task and (f"/job:{task_type}/" not in name or f"/task:{task_id}/" not in name):
                continue
            found = _DEVICE_KIND.match(name)
            if found is not None:
                counts[found.group(1)] += 1
        return counts

    @property
    def environment(self) -> str | None:
        """Where the cluster runs: "google" on machines of that company, "" elsewhere."""
        return ""
