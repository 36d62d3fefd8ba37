"""`tf.config`: the devices of this machine, and the options of sessions that are given no `ConfigProto`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.eager import executing_eagerly, own_task
from headrace.devices.process_settings import LogicalDevice, PhysicalDevice, VirtualDeviceConfiguration, settings

if TYPE_CHECKING:
    from headrace.sessions.cluster import ClusterSpec


__all__ = ["LogicalDevice", "PhysicalDevice", "VirtualDeviceConfiguration"]

_POLICIES = ("silent", "silent_for_int32", "warn", "explicit")


def _refuse_once_open(message: str) -> None:
    if settings.opened:
        raise RuntimeError(message)


def _require_known(device: Any) -> None:
    if device not in settings.devices():
        raise ValueError(f"Unrecognized device: {device!r}")


# ---- devices ----


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The CPU and the GPUs of this machine.

    Args:
        device_type: "CPU" or "GPU", or None for both.

    Returns:
        a list of `PhysicalDevice` with `name` and `device_type`.

    Example:
        >>> tf.config.experimental.list_physical_devices("CPU")
        [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return [device for device in settings.devices() if device_type in (None, device.device_type)]


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that sessions may use; which these are can no longer be changed afterwards.

    Args:
        device_type: "CPU" or "GPU", or None for both.

    Returns:
        a list of `LogicalDevice` with `name` and `device_type`.
    """
    settings.opened = True
    names: list[LogicalDevice] = []
    counts: dict[str, int] = {}
    for device in settings.visible:
        kind = device.device_type
        for _ in settings.virtual_devices.get(device, (None,)):
            index = counts[kind] = counts.get(kind, -1) + 1
            names.append(LogicalDevice(f"{own_task()}/device:{kind}:{index}", kind))
    return [device for device in names if device_type in (None, device.device_type)]


def experimental_list_devices() -> list[str]:
    """The names of the devices that sessions may use."""
    return [device.name for device in list_logical_devices()]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The physical devices that sessions may use.

    Args:
        device_type: "CPU" or "GPU", or None for both.
    """
    return [device for device in settings.visible if device_type in (None, device.device_type)]


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Says which physical devices sessions may use.

    Args:
        devices: a device of `list_physical_devices()`, or a list of them.
        device_type: the type of the devices; those of others stay as they are. None for all.

    Raises:
        ValueError: for a device there is not, or of another type.
        RuntimeError: once the logical devices have been listed, or something has run eagerly.
        NotImplementedError: for GPUs that are not the first ones, or without the CPU: name the GPUs to use in
            CUDA_VISIBLE_DEVICES.
    """
    given = list(devices) if isinstance(devices, list) else [devices]
    for device in given:
        _require_known(device)
        if device_type is not None and device.device_type != device_type:
            raise ValueError(f"Unrecognized device: {device!r}")
    others = [] if device_type is None else [d for d in settings.visible if d.device_type != device_type]
    visible = [*others, *given]
    if visible == settings.visible:
        return
    _refuse_once_open("Visible devices cannot be modified after being initialized")
    gpus = [device for device in visible if device.device_type == "GPU"]
    if len(gpus) == len(visible):
        raise NotImplementedError("set_visible_devices: the CPU is always used; leave it among the visible devices.")
    if gpus != list_physical_devices("GPU")[: len(gpus)]:
        raise NotImplementedError(
            "set_visible_devices: only the first GPUs can be chosen; set CUDA_VISIBLE_DEVICES for others."
        )
    settings.visible = visible


def get_memory_growth(device: PhysicalDevice) -> Any:
    """What was set with `set_memory_growth`; None where nothing was.

    Raises:
        ValueError: for a device there is not. KeyError: for the CPU.
    """
    _require_known(device)
    if device.device_type != "GPU":
        raise KeyError(device)
    return settings.memory_growth.get(device)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Says whether memory of a GPU is taken as it is needed; it always is here.

    Args:
        device: a GPU of `list_physical_devices()`.
        enable: whether it is.

    Raises:
        ValueError: for a device there is not, one that is no GPU, or one with virtual devices.
        RuntimeError: once the logical devices have been listed, or something has run eagerly.
    """
    _require_known(device)
    if device in settings.virtual_devices:
        raise ValueError("Cannot set memory growth on device when virtual devices configured")
    if device.device_type != "GPU":
        raise ValueError("Cannot set memory growth on non-GPU devices")
    if settings.memory_growth.get(device) == enable:
        return
    _refuse_once_open("Physical devices cannot be modified after being initialized")
    settings.memory_growth[device] = enable


def get_virtual_device_configuration(device: PhysicalDevice) -> list[VirtualDeviceConfiguration] | None:
    """What was set with `set_virtual_device_configuration`; None where nothing was.

    Raises:
        ValueError: for a device there is not.
    """
    _require_known(device)
    return settings.virtual_devices.get(device)


def set_virtual_device_configuration(
    device: PhysicalDevice, virtual_devices: Sequence[VirtualDeviceConfiguration]
) -> None:
    """Limits the memory of a GPU, or makes several logical devices of the CPU.

    Args:
        device: a device of `list_physical_devices()`.
        virtual_devices: a `VirtualDeviceConfiguration` for each logical device; one for a GPU.

    Raises:
        ValueError: for a device there is not, a limit for the CPU, or none for a GPU.
        RuntimeError: once the logical devices have been listed, or something has run eagerly.
        NotImplementedError: for several virtual devices of a GPU.
    """
    _require_known(device)
    limits = [virtual.memory_limit for virtual in virtual_devices]
    if device.device_type == "CPU" and any(limit is not None for limit in limits):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported")
    if device.device_type == "GPU" and None in limits:
        raise ValueError("Setting memory limit is required for GPU virtual devices")
    if settings.virtual_devices.get(device) == list(virtual_devices):
        return
    _refuse_once_open("Virtual devices cannot be modified after being initialized")
    if device.device_type == "GPU" and len(limits) != 1:
        raise NotImplementedError(
            "set_virtual_device_configuration: a GPU is one logical device; give one configuration."
        )
    settings.virtual_devices[device] = list(virtual_devices)
    if device.device_type == "GPU":
        index = int(device.name.rpartition(":")[2])
        total = torch.cuda.get_device_properties(index).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, limits[0] * 2**20 / total), index)


# ---- how sessions run that are given no ConfigProto ----


def get_intra_op_parallelism_threads() -> int:
    """How many threads one operation may use; 0 leaves it to the machine."""
    return settings.intra_op_threads or 0


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Says how many threads one operation may use.

    Args:
        num_threads: the number; 0 leaves it to the machine.

    Raises:
        RuntimeError: once the logical devices have been listed, or something has run eagerly.
    """
    if settings.intra_op_threads != num_threads:
        _refuse_once_open("Intra op parallelism cannot be modified after initialization.")
        settings.intra_op_threads = num_threads


def get_inter_op_parallelism_threads() -> int:
    """How many operations may run at a time; 0 leaves it to the machine."""
    return settings.inter_op_threads or 0


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Says how many operations may run at a time; steps run as planned whatever it is.

    Args:
        num_threads: the number; 0 leaves it to the machine.

    Raises:
        RuntimeError: once the logical devices have been listed, or something has run eagerly.
    """
    if settings.inter_op_threads != num_threads:
        _refuse_once_open("Inter op parallelism cannot be modified after initialization.")
        settings.inter_op_threads = num_threads


def get_soft_device_placement() -> bool:
    """Whether operations placed on a device there is not run on another; in eager execution they do by default."""
    return executing_eagerly() if settings.soft_placement is None else settings.soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Says whether operations placed on a device there is not run on another.

    Args:
        enabled: whether they do.
    """
    settings.soft_placement = enabled


def get_log_device_placement() -> bool:
    """Whether sessions log where operations are placed."""
    return bool(settings.log_placement)


def set_log_device_placement(enabled: bool) -> None:
    """Says whether sessions log where operations are placed.

    Args:
        enabled: whether they do.

    Raises:
        RuntimeError: once the logical devices have been listed, or something has run eagerly.
    """
    if settings.log_placement != enabled:
        _refuse_once_open("Device placement logging must be set at program startup")
        settings.log_placement = enabled


# ---- how operations outside graphs would run ----


def get_device_policy() -> str:
    """What was set with `set_device_policy`; "silent" by default."""
    return settings.device_policy


def set_device_policy(device_policy: str | None) -> None:
    """Says what happens where an operation outside graphs needs a value of another device; there are none here.

    Args:
        device_policy: "silent", "silent_for_int32", "warn" or "explicit"; None for the default.

    Raises:
        ValueError: for anything else.
    """
    if device_policy is not None and device_policy not in _POLICIES:
        raise ValueError(f"Not a valid device policy: {device_policy!r}")
    settings.device_policy = device_policy or "silent"


def get_synchronous_execution() -> bool:
    """What was set with `set_synchronous_execution`; True by default."""
    return settings.synchronous


def set_synchronous_execution(enable: bool) -> None:
    """Says whether operations outside graphs run before the call returns; there are none here.

    Args:
        enable: whether they do.
    """
    settings.synchronous = bool(enable)


_ONE_PROCESS = "operations run in this process only: run the program on the machine that has the devices."


def experimental_connect_to_host(remote_host: str | None = None, job_name: str = "worker") -> None:
    """Would make the devices of another machine available; there is no such connection here.

    Raises:
        ValueError: if no host is named; NotImplementedError: else.
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    raise NotImplementedError(
        f"experimental_connect_to_host cannot connect to remote_host {remote_host!r} as job {job_name!r}; {_ONE_PROCESS}"
    )


def experimental_connect_to_cluster(
    cluster_spec_or_resolver: ClusterSpec, job_name: str = "localhost", task_index: int = 0, protocol: str | None = None
) -> None:
    """Would make the devices of a cluster available; there is no such connection here.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"experimental_connect_to_cluster cannot connect to cluster_spec_or_resolver {cluster_spec_or_resolver!r} as task "
        f"{task_index} of job {job_name!r} by protocol {protocol!r}; {_ONE_PROCESS}"
    )
