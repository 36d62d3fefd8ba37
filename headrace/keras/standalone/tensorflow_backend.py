"""`keras.backend.tensorflow_backend`: what programs took from it besides the functions of `keras.backend`."""

from __future__ import annotations

from headrace.devices.listing import list_local_devices


def _get_available_gpus() -> list[str]:
    """The names of the devices that are GPUs."""
    return [str(device.name) for device in list_local_devices() if device.device_type == "GPU"]
