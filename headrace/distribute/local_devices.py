"""The devices of this machine, and of the workers of a cluster, that strategies take where none are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.config.settings import list_logical_devices
from headrace.core.device import DeviceSpec
from headrace.devices.listing import is_gpu_available
from headrace.distribute import device_names
from headrace.distribute.cluster_resolvers.tf_config import TFConfigClusterResolver
from headrace.distribute.multi_worker_util import normalize_cluster_spec


def _number_of_gpus() -> int:
    return len(list_logical_devices("GPU")) if is_gpu_available() else 0


def all_local_devices(num_gpus: int | None = None) -> tuple[str, ...]:
    """The GPUs of this machine, or its CPU where there is none.

    Args:
        num_gpus: how many GPUs to take; all by default.
    """
    return device_names.local_devices_from_num_gpus(_number_of_gpus() if num_gpus is None else num_gpus)


def all_devices() -> tuple[str, ...]:
    """The devices of the workers that TF_CONFIG names; those of this machine where it names none."""
    cluster = TFConfigClusterResolver().cluster_spec()
    found = devices_of_cluster(cluster, _number_of_gpus()) if cluster.as_dict() else []
    return tuple(found) or all_local_devices()


def devices_of_cluster(cluster_spec: Any, num_gpus_per_worker: int) -> list[str]:
    """The devices of the chief and the workers of a cluster, each with so many GPUs, or its CPU where these are 0."""
    tasks = normalize_cluster_spec(cluster_spec).as_dict()
    workers = [f"/job:{job}/task:{task}" for job in ("chief", "worker") for task in range(len(tasks.get(job, ())))]
    if num_gpus_per_worker == 0:
        return workers
    return [f"{worker}/device:GPU:{gpu}" for worker in workers for gpu in range(num_gpus_per_worker)]


def are_local(devices: Sequence[str]) -> bool:
    """Whether devices are this process's own; else they are those of tasks.

    Raises:
        ValueError: if some are and some are not, or one of a task does not say of which.
    """
    specs = [DeviceSpec.from_string(name) for name in devices]
    local = [spec.job in (None, "localhost") for spec in specs]
    if local and local[0]:
        if not all(local):
            raise ValueError(f"Local device string cannot have job specified other than 'localhost': {devices}")
        return True
    if any(local):
        raise ValueError(f"Remote device string must have job specified: {devices}")
    if any(spec.task is None for spec in specs):
        raise ValueError(f"Remote device string must have task specified: {devices}")
    return False


def gpus_per_worker(devices: Sequence[str]) -> int:
    """How many GPUs each worker has.

    Raises:
        ValueError: if they are not as many for all workers.
    """
    gpus: dict[str, int] = {}
    for name in devices:
        host = device_names.get_host_for_device(name)
        gpus[host] = gpus.get(host, 0) + is_gpu(name)
    if len(set(gpus.values())) > 1:
        raise ValueError(f"All workers should have the same number of GPUs, got {devices}.")
    return next(iter(gpus.values()))


def is_gpu(device: str) -> bool:
    """Whether a device's name is that of a GPU."""
    return DeviceSpec.from_string(device).device_type == "GPU"


def grouped(devices: Sequence[str]) -> dict[str, list[list[str]]]:
    """The devices of a cluster by job and task.

    Args:
        devices: of tasks, not of this process.

    Example:
        >>> grouped(["/job:worker/task:0/device:GPU:0", "/job:worker/task:1/device:GPU:0"])
        {'worker': [['/job:worker/task:0/device:GPU:0'], ['/job:worker/task:1/device:GPU:0']]}
    """
    by_job: dict[str, list[list[str]]] = {}
    for name in devices:
        spec = DeviceSpec.from_string(name)
        tasks = by_job.setdefault(spec.job or "", [])
        tasks.extend([] for _ in range(len(tasks), (spec.task or 0) + 1))
        tasks[spec.task or 0].append(name)
    return by_job
