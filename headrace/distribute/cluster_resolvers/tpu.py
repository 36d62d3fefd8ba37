"""The resolver of TPUs, which there are none of here."""

from __future__ import annotations

from typing import Any, NoReturn

from headrace.distribute.cluster_resolvers.base import ClusterResolver
from headrace.sessions.cluster import ClusterSpec


class TPUClusterResolver(ClusterResolver):
    """Would find Google's TPUs: computations run on CPUs and GPUs here, so there is nothing to find.

    Args:
        tpu, zone, project, job_name, coordinator_name, coordinator_address, credentials, service, discovery_url: which
            TPUs, and how to ask for them.

    Raises:
        NotImplementedError: always.
    """

    def __init__(
        self,
        tpu: Any = None,
        zone: str | None = None,
        project: str | None = None,
        job_name: str = "worker",
        coordinator_name: str | None = None,
        coordinator_address: str | None = None,
        credentials: Any = "default",
        service: Any = None,
        discovery_url: str | None = None,
    ) -> None:
        told = (
            tpu,
            zone,
            project,
            job_name,
            coordinator_name,
            coordinator_address,
            credentials,
            service,
            discovery_url,
        )
        asked = ", ".join(repr(each) for each in told if each is not None)
        raise NotImplementedError(
            f"TPUClusterResolver({asked}): TPUs are not supported. Use tf.distribute.MirroredStrategy for the GPUs of a machine, "
            "tf.distribute.experimental.MultiWorkerMirroredStrategy for several machines, or "
            "tf.distribute.OneDeviceStrategy."
        )

    def master(self, task_type: str | None = None, task_id: int | None = None, rpc_layer: str | None = None) -> str:
        """There is none."""
        _refuse()

    def get_master(self) -> str:
        """There is none."""
        _refuse()

    def get_job_name(self) -> str:
        """There is none."""
        _refuse()

    def cluster_spec(self) -> ClusterSpec:
        """There is none."""
        _refuse()


def _refuse() -> NoReturn:
    raise NotImplementedError("TPUs are not supported.")
