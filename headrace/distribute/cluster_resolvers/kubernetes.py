"""The resolver of pods on Kubernetes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from headrace.distribute.cluster_resolvers.base import ClusterResolver, format_master_url
from headrace.sessions.cluster import ClusterSpec

if TYPE_CHECKING:
    from headrace.messages import protos

# `kubernetes.client.CoreV1Api`, of a library that is not always there and is not typed.
Client: TypeAlias = Any


class KubernetesClusterResolver(ClusterResolver):
    """The pods that labels select, by the addresses of their nodes.

    Args:
        job_to_label_mapping: of each job the labels of its pods; by default the job "worker" has those of
            "job-name=tensorflow".
        tf_server_port: the port at which the tasks listen.
        rpc_layer: how tasks are reached.
        override_client: what asks Kubernetes; by default the library `kubernetes` with the user's settings.

    Raises:
        ImportError: if that library is needed and not installed.
    """

    def __init__(
        self,
        job_to_label_mapping: Mapping[str, Sequence[str]] | None = None,
        tf_server_port: int = 8470,
        rpc_layer: str | None = "grpc",
        override_client: Client | None = None,
    ) -> None:
        if override_client is None:
            try:
                from kubernetes import client, config
            except ImportError:
                raise ImportError(
                    "The Kubernetes Python client must be installed before using the Kubernetes Cluster Resolver: "
                    "`pip install kubernetes`."
                ) from None
            config.load_kube_config()
            override_client = client.CoreV1Api()
        self._client = override_client
        self._labels = job_to_label_mapping or {"worker": ["job-name=tensorflow"]}
        self._port = tf_server_port
        self.task_type: str | None = None
        self.task_id: int | None = None
        self.rpc_layer = rpc_layer

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """The target for sessions on a task; "" if none is named, here or by the attributes."""
        kind = self.task_type if task_type is None else task_type
        number = self.task_id if task_id is None else task_id
        if kind is None or number is None:
            return ""
        return format_master_url(self.cluster_spec().task_address(kind, number), rpc_layer or self.rpc_layer)

    def cluster_spec(self) -> ClusterSpec:
        """The `ClusterSpec` of the pods as they are now.

        Raises:
            RuntimeError: if a pod is not running.
        """
        cluster = {}
        for job, labels in self._labels.items():
            pods = [
                pod for label in labels for pod in self._client.list_pod_for_all_namespaces(label_selector=label).items
            ]
            for pod in pods:
                if pod.status.phase != "Running":
                    raise RuntimeError(f'Pod "{pod.metadata.name}" is not running; phase: "{pod.status.phase}"')
            cluster[job] = [f"{pod.status.host_ip}:{self._port}" for pod in pods]
        return ClusterSpec(cluster)

    def num_accelerators(
        self,
        task_type: str | None = None,
        task_id: int | None = None,
        config_proto: protos.ConfigProto | None = None,
    ) -> Mapping[str, int]:
        """How many devices of each kind a task has: asks its server."""
        return super().num_accelerators(task_type, task_id, config_proto)
