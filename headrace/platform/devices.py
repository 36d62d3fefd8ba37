"""What hardware there is, under 1.x's names."""

from __future__ import annotations

from typing import Any

import torch


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


class DeviceAttributes:
    """A device: `name`, `device_type`, `memory_limit` in bytes."""

    def __init__(self, name: str, device_type: str, memory_limit: int) -> None:
        self.name, self.device_type, self.memory_limit = name, device_type, memory_limit
        self.incarnation = 0
        self.physical_device_desc = ""

    def __repr__(self) -> str:
        return f'name: "{self.name}"\ndevice_type: "{self.device_type}"\nmemory_limit: {self.memory_limit}\n'


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices of this machine: the CPU and the GPUs."""
    devices = [DeviceAttributes("/device:CPU:0", "CPU", 268435456)]
    if torch.cuda.is_available():
        for i in range(torch.cuda.device_count()):
            memory = torch.cuda.get_device_properties(i).total_memory
            devices.append(DeviceAttributes(f"/device:GPU:{i}", "GPU", memory))
    return devices
