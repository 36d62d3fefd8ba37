"""The devices of this machine that strategies take where none are given."""

from __future__ import annotations

from headrace.config.settings import list_logical_devices
from headrace.devices.listing import is_gpu_available
from headrace.distribute import device_names


def all_local_devices(num_gpus: int | None = None) -> tuple[str, ...]:
    """The GPUs of this machine, or its CPU where there is none.

    Args:
        num_gpus: how many GPUs to take; all by default.
    """
    if num_gpus is None:
        num_gpus = len(list_logical_devices("GPU")) if is_gpu_available() else 0
    return device_names.local_devices_from_num_gpus(num_gpus)
