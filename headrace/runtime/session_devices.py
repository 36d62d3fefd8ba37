"""The devices that a session can use, as `list_devices` tells of them."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch

from headrace.core.device import DeviceSpec


@dataclass(frozen=True, repr=False)
class SessionDevice:
    """A device that a session can use.

    Attributes:
        name: its full name, such as "/job:localhost/replica:0/task:0/device:CPU:0".
    """

    name: str

    @property
    def incarnation(self) -> int:
        """A number that another process with a device of this name would not give it."""
        return hash((self.name, os.getpid())) & (2**63 - 1)

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, {self.incarnation})"

    @property
    def device_type(self) -> str:
        """The kind of device: "CPU" or "GPU"."""
        return DeviceSpec.from_string(self.name).device_type or ""

    @property
    def memory_limit_bytes(self) -> int:
        """The bytes of memory its operations may take: all it has."""
        if self.device_type == "GPU":
            index = DeviceSpec.from_string(self.name).device_index or 0
            return torch.cuda.get_device_properties(index).total_memory
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
