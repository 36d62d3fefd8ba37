"""The resolver of instance groups on Google's machines."""

from __future__ import annotations

from typing import Any, TypeAlias

from headrace.distribute.cluster_resolvers.base import ClusterResolver, format_master_url
from headrace.sessions.cluster import ClusterSpec

# What asks the Compute Engine: of a library that is not always there and is not typed.
Service: TypeAlias = Any


class GCEClusterResolver(ClusterResolver):
    """The running instances of an instance group, by their addresses in the network.

    Args:
        project, zone, instance_group: which group.
        port: the port at which the tasks listen.
        task_type: the job of all of them.
        task_id: the number of this process.
        rpc_layer: how tasks are reached.
        credentials: those of the account, "default" for what the machine has.
        service: what asks the Compute Engine; by default the library `googleapiclient`.

    Raises:
        ImportError: if a library is needed and not installed.
    """

    task_id: int | None = None
    rpc_layer: str | None = None

    def __init__(
        self,
        project: str,
        zone: str,
        instance_group: str,
        port: int,
        task_type: str | None = "worker",
        task_id: int | None = 0,
        rpc_layer: str | None = "grpc",
        credentials: Any = "default",
        service: Service | None = None,
    ) -> None:
        self._place = {"project": project, "zone": zone}
        self._group, self._port = instance_group, port
        self._task_type, self.task_id, self.rpc_layer = task_type, task_id, rpc_layer
        self._service = _made_service(credentials) if service is None else service

    @property
    def task_type(self) -> str | None:
        """The job of all instances, which stays what it was made with.

        Raises:
            RuntimeError: when it is set.
        """
        return self._task_type

    @task_type.setter
    def task_type(self, task_type: str) -> None:
        raise RuntimeError(
            "You cannot reset the task_type of the GCEClusterResolver after it has been created: all instances are of "
            f"the job {self._task_type!r}, got {task_type!r}."
        )

    def cluster_spec(self) -> ClusterSpec:
        """The `ClusterSpec` of the instances that run now."""
        groups, instances = self._service.instanceGroups(), self._service.instances()
        request = groups.listInstances(
            instanceGroup=self._group, body={"instanceState": "RUNNING"}, orderBy="name", **self._place
        )
        addresses = []
        while request is not None:
            answer = request.execute()
            for item in answer["items"]:
                name = item["instance"].rpartition("/")[2]
                found = instances.get(instance=name, **self._place).execute()
                addresses.append(f"{found['networkInterfaces'][0]['networkIP']}:{self._port}")
            request = groups.listInstances_next(previous_request=request, previous_response=answer)
        return ClusterSpec({self.task_type: sorted(addresses)})

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target for sessions on a task, this process's own by default; "" if there is none."""
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None:
            return ""
        return format_master_url(self.cluster_spec().task_address(kind, number), rpc_layer or self.rpc_layer)


def _made_service(credentials: Any) -> Service:
    try:
        from googleapiclient import discovery
    except ImportError:
        raise ImportError(
            "googleapiclient must be installed before using the GCE cluster resolver: "
            "`pip install google-api-python-client oauth2client`."
        ) from None
    if credentials == "default":
        from oauth2client.client import GoogleCredentials

        credentials = GoogleCredentials.get_application_default()
    return discovery.build("compute", "v1", credentials=credentials)
