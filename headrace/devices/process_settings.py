"""What a program sets for the whole process: the options of sessions made without a `ConfigProto`, and the devices."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import torch

PhysicalDevice = namedtuple("PhysicalDevice", ["name", "device_type"])
LogicalDevice = namedtuple("LogicalDevice", ["name", "device_type"])


class VirtualDeviceConfiguration(namedtuple("VirtualDeviceConfiguration", ["memory_limit"])):
    """One of the logical devices that a physical device is.

    Args:
        memory_limit: how many MB of memory it may use; None, for a CPU, for no limit.
    """

    __slots__ = ()

    def __new__(cls, memory_limit: int | None = None) -> VirtualDeviceConfiguration:
        return super().__new__(cls, memory_limit)


class ProcessSettings:
    """The settings, of which None is what nobody has set.

    Attributes:
        intra_op_threads, inter_op_threads, soft_placement, log_placement: as in a `ConfigProto`.
        jit: whether compilation was asked for.
        optimizer_options: what was said about the passes over graphs, by name.
        full_precision_sessions: whether a session was made whose graph is not to be rewritten in half precision.
        device_policy, synchronous: how operations outside graphs would run.
        opened: whether the logical devices have been asked for, or something ran eagerly, after which the devices stay as
            they are.
    """

    def __init__(self) -> None:
        self.intra_op_threads: int | None = None
        self.inter_op_threads: int | None = None
        self.soft_placement: bool | None = None
        self.log_placement: bool | None = None
        self.jit = False
        self.optimizer_options: dict[str, Any] = {}
        self.full_precision_sessions = False
        self.device_policy = "silent"
        self.synchronous = True
        self.opened = False
        self.memory_growth: dict[PhysicalDevice, Any] = {}
        self.virtual_devices: dict[PhysicalDevice, list[VirtualDeviceConfiguration]] = {}
        self._visible: list[PhysicalDevice] | None = None

    def devices(self) -> list[PhysicalDevice]:
        """The CPU and the GPUs of this machine."""
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        gpus = [PhysicalDevice(f"/physical_device:GPU:{i}", "GPU") for i in range(count)]
        return [PhysicalDevice("/physical_device:CPU:0", "CPU"), *gpus]

    @property
    def visible(self) -> list[PhysicalDevice]:
        """Those that sessions may use."""
        return self.devices() if self._visible is None else self._visible

    @visible.setter
    def visible(self, devices: list[PhysicalDevice]) -> None:
        self._visible = devices

    def cpu_count(self) -> int:
        """How many logical devices the CPU is."""
        return sum(len(virtual) for device, virtual in self.virtual_devices.items() if device.device_type == "CPU") or 1

    def gpu_count(self, available: int) -> int:
        """How many of the `available` GPUs sessions may use."""
        if self._visible is None:
            return available
        return min(available, sum(device.device_type == "GPU" for device in self._visible))


settings = ProcessSettings()
