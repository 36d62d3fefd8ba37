"""Names of devices in full, so that two ways of writing one device are equal."""

from __future__ import annotations

from typing import Any

from headrace.core.defaults import get_default_graph
from headrace.core.device import DeviceSpec
from headrace.core.eager import executing_eagerly


def canonicalize(d: str | None, default: str | None = None) -> str:
    """The full name of a device.

    Args:
        d: a name, of which parts may be missing.
        default: a full name, whose parts stand where `d` has none.

    Example:
        >>> from headrace.distribute import device_names
        >>> device_names.canonicalize("/cpu:1")
        '/replica:0/task:0/device:CPU:1'
    """
    given = DeviceSpec.from_string(d or "")
    if given.device_type is not None and given.device_type.lower() != given.device_type.upper():
        given = given.replace(device_type=given.device_type.upper())
    result = DeviceSpec(replica=0, task=0, device_type="CPU", device_index=0)
    if executing_eagerly():
        result = result.replace(job="localhost")
    if default:
        result = result.make_merged_spec(DeviceSpec.from_string(default))
    return result.make_merged_spec(given).to_string()


def resolve(d: str | None) -> str:
    """The full name of a device, with what the device in force says where `d` says nothing."""
    return canonicalize(d, default=current())


class _Asked:
    """What device scopes are given, to learn what they say: an operation that is not there."""

    type = name = ""

    def __init__(self) -> None:
        self.device = ""


def current() -> str:
    """The device that operations made here are asked to be on; "" if no one asked."""
    asked = _Asked()
    for scope in reversed(get_default_graph()._device_functions_outer_to_inner):
        if scope is None:
            break
        found = scope(asked)
        asked.device = found if isinstance(found, str) else (found.to_string() if found is not None else "")
    return canonicalize(asked.device) if asked.device and executing_eagerly() else asked.device


def get_host_for_device(device: str) -> str:
    """The CPU of the task of a device."""
    spec = DeviceSpec.from_string(device)
    return DeviceSpec(job=spec.job, replica=spec.replica, task=spec.task, device_type="CPU", device_index=0).to_string()


def local_devices_from_num_gpus(num_gpus: int) -> tuple[str, ...]:
    """The first GPUs, or the CPU where their number is 0."""
    return tuple(f"/device:GPU:{i}" for i in range(num_gpus)) or ("/device:CPU:0",)


def devices_match(left: Any, right: Any) -> bool:
    """Whether two names are of one device."""
    return left == right or canonicalize(left) == canonicalize(right)
