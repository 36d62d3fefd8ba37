"""The settings of the process as 1.x's `context` has them: devices, threads and what graphs are optimized by."""

from __future__ import annotations

from headrace.config import optimizer_options, settings
from headrace.config.behavior import DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_SILENT, DEVICE_PLACEMENT_WARN

DEVICE_PLACEMENT_SILENT_FOR_INT32 = 3

POLICIES = {
    DEVICE_PLACEMENT_EXPLICIT: "explicit",
    DEVICE_PLACEMENT_WARN: "warn",
    DEVICE_PLACEMENT_SILENT: "silent",
    DEVICE_PLACEMENT_SILENT_FOR_INT32: "silent_for_int32",
}


class ContextSettings:
    """The part of a context that tells and changes the settings of the process."""

    list_physical_devices = staticmethod(settings.list_physical_devices)
    list_logical_devices = staticmethod(settings.list_logical_devices)
    get_visible_devices = staticmethod(settings.get_visible_devices)
    set_visible_devices = staticmethod(settings.set_visible_devices)
    get_memory_growth = staticmethod(settings.get_memory_growth)
    set_memory_growth = staticmethod(settings.set_memory_growth)
    get_virtual_device_configuration = staticmethod(settings.get_virtual_device_configuration)
    set_virtual_device_configuration = staticmethod(settings.set_virtual_device_configuration)
    get_optimizer_experimental_options = staticmethod(optimizer_options.get_experimental_options)
    set_optimizer_experimental_options = staticmethod(optimizer_options.set_experimental_options)

    @property
    def device_policy(self) -> int:
        """What is done with a tensor that lies on another device than its operation."""
        return next(number for number, name in POLICIES.items() if name == settings.get_device_policy())

    @property
    def soft_device_placement(self) -> bool:
        """Whether operations run elsewhere where a device cannot run them."""
        return settings.get_soft_device_placement()

    @soft_device_placement.setter
    def soft_device_placement(self, enabled: bool) -> None:
        settings.set_soft_device_placement(enabled)

    @property
    def log_device_placement(self) -> bool:
        """Whether it is logged where operations run."""
        return settings.get_log_device_placement()

    @log_device_placement.setter
    def log_device_placement(self, enabled: bool) -> None:
        settings.set_log_device_placement(enabled)

    @property
    def intra_op_parallelism_threads(self) -> int:
        """How many threads an operation may use, 0 for all."""
        return settings.get_intra_op_parallelism_threads()

    @intra_op_parallelism_threads.setter
    def intra_op_parallelism_threads(self, num_threads: int) -> None:
        settings.set_intra_op_parallelism_threads(num_threads)

    @property
    def inter_op_parallelism_threads(self) -> int:
        """How many operations may run at the same time, 0 for as many as there are cores."""
        return settings.get_inter_op_parallelism_threads()

    @inter_op_parallelism_threads.setter
    def inter_op_parallelism_threads(self, num_threads: int) -> None:
        settings.set_inter_op_parallelism_threads(num_threads)

    @property
    def optimizer_jit(self) -> bool:
        """Whether graphs are compiled."""
        return optimizer_options.get_jit()

    @optimizer_jit.setter
    def optimizer_jit(self, enabled: bool) -> None:
        optimizer_options.set_jit(enabled)
