"""The devices that a session can use, as `list_devices` tells of them."""

from __future__ import annotations

import os

import torch

from headrace.core.device import DeviceSpec, canonical_name


class SessionDevice:
    """A device that a session can use.

    Args:
        name: its name, such as "/job:localhost/replica:0/task:0/device:CPU:0".
        device_type: the kind of device, "CPU" or "GPU"; told by its name by default.
        memory_limit_bytes: the bytes of memory its operations may take; all it has by default.
        incarnation: a number that another process with a device of this name would not give it; made up by default.
    """

    def __init__(
        self,
        name: str,
        device_type: str | None = None,
        memory_limit_bytes: int | None = None,
        incarnation: int | None = None,
    ) -> None:
        self._name = canonical_name(name)
        self._device_type = device_type
        self._memory_limit_bytes = memory_limit_bytes
        self._incarnation = incarnation

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SessionDevice) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[object, ...]:
        return self._name, self._device_type, self._memory_limit_bytes, self._incarnation

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"

    @property
    def name(self) -> str:
        """Its full name."""
        return self._name

    @property
    def incarnation(self) -> int:
        """A number that another process with a device of this name would not give it."""
        return hash((self.name, os.getpid())) & (2**63 - 1) if self._incarnation is None else self._incarnation

    @property
    def device_type(self) -> str:
        """The kind of device: "CPU" or "GPU"."""
        return DeviceSpec.from_string(self.name).device_type or "" if self._device_type is None else self._device_type

    @property
    def memory_limit_bytes(self) -> int:
        """The bytes of memory its operations may take: all it has."""
        if self._memory_limit_bytes is not None:
            return self._memory_limit_bytes
        if self.device_type == "GPU":
            index = DeviceSpec.from_string(self.name).device_index or 0
            return torch.cuda.get_device_properties(index).total_memory
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
