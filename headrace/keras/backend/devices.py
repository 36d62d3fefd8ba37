"""What the device in force can compute with."""

from __future__ import annotations

from headrace.core.defaults import get_default_graph
from headrace.devices.listing import is_gpu_available


def has_nchw_support() -> bool:
    """Whether images whose channels come first are computed as they are: on a GPU, unless the CPU is asked for."""
    return is_gpu_available() and not _on_cpu()


def is_tpu_strategy(strategy: object) -> bool:
    """Whether a distribution strategy is one for TPUs."""
    return strategy is not None and type(strategy).__name__.startswith("TPUStrategy")


def _on_cpu() -> bool:
    """Whether the innermost device scope that names a kind of device names the CPU."""
    for scope in get_default_graph()._snapshot_device_function_stack_metadata():
        asked = str(scope.obj).upper()
        if "CPU" in asked or "GPU" in asked:
            return "CPU" in asked
    return False
