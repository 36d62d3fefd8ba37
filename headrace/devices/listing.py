"""What hardware there is, under 1.x's names."""

from __future__ import annotations

import random
from typing import Any

import torch

from headrace.messages import protos


def is_built_with_cuda() -> bool:
    """Whether the kernels can use CUDA."""
    return torch.version.cuda is not None


def is_built_with_rocm() -> bool:
    """Whether the kernels can use ROCm."""
    return getattr(torch.version, "hip", None) is not None


def is_built_with_gpu_support() -> bool:
    """Whether the kernels can use a GPU."""
    return is_built_with_cuda() or is_built_with_rocm()


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None) -> bool:
    """Whether there is a GPU to use.

    Args:
        cuda_only: whether only CUDA devices count.
        min_cuda_compute_capability: the least (major, minor) capability that counts.
    """
    if not torch.cuda.is_available() or (cuda_only and is_built_with_rocm()):
        return False
    least = min_cuda_compute_capability or (0, 0)
    return any(torch.cuda.get_device_capability(i) >= least for i in range(torch.cuda.device_count()))


def gpu_device_name() -> str:
    """The name of the first GPU, or an empty string where there is none."""
    return "/device:GPU:0" if torch.cuda.is_available() else ""


def list_local_devices(session_config: Any = None) -> list[Any]:
    """The devices of this machine, the CPU and the GPUs, as `DeviceAttributes` messages.

    Args:
        session_config: a `ConfigProto` whose `device_count` may leave some out.
    """
    devices = [_attributes("CPU", 0, 268435456)]
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if session_config is not None:
        count = min(count, session_config.device_count.get("GPU", count))
    for i in range(count):
        found = torch.cuda.get_device_properties(i)
        described = f"device: {i}, name: {found.name}, compute capability: {found.major}.{found.minor}"
        devices.append(_attributes("GPU", i, found.total_memory, described))
    return devices


def _attributes(kind: str, index: int, memory: int, described: str = "") -> Any:
    made = protos.DeviceAttributes(name=f"/device:{kind}:{index}", device_type=kind, memory_limit=memory)
    made.locality.SetInParent()
    made.incarnation = _incarnations.setdefault(made.name, random.getrandbits(64))
    made.physical_device_desc = described
    return made


# Numbers that tell the devices of this process from those of others.
_incarnations: dict[str, int] = {}
