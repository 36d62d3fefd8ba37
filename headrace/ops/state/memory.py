"""How much memory a device has and uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.state.handles import invalid

if TYPE_CHECKING:
    from headrace.core.typing import Kernel, NodeView


def _on_gpu(kind: str, read: Callable[[torch.device], int]) -> Callable[[NodeView], Kernel]:
    """The kernel rule of an op that asks torch about the memory of a GPU, and refuses other devices."""

    def rule(node: NodeView) -> Kernel:
        device = node.device
        if device.type != "cuda":
            raise invalid(
                f"No OpKernel was registered to support Op '{kind}' on {device.type.upper()}: memory is counted on GPUs "
                "only; on a CPU read resource.getrusage in tf.py_func"
            )
        return lambda: torch.tensor(read(device))

    return rule


def _declare(kind: str) -> OpDecl:
    decl = op(kind, "-> out: int64", stateful=True)
    decl.shape(lambda op: [()])
    return decl


bytes_in_use_op = _declare("BytesInUse")
max_bytes_in_use_op = _declare("MaxBytesInUse")
bytes_limit_op = _declare("BytesLimit")

for _op in (bytes_in_use_op, max_bytes_in_use_op):
    _op.rejects(error=InvalidArgumentError).no_case("Memory is counted on GPUs only.")
bytes_limit_op.accepts()

bytes_in_use_op.kernel(_on_gpu("BytesInUse", lambda device: torch.cuda.memory_allocated(device)))
max_bytes_in_use_op.kernel(_on_gpu("MaxBytesInUse", lambda device: torch.cuda.max_memory_allocated(device)))


@bytes_limit_op.kernel
def bytes_limit_kernel(node: NodeView) -> Kernel:
    device = node.device
    if device.type != "cuda":
        # The allocator of the CPU has no limit, which 1.x reported in this way.
        return lambda: torch.tensor(-1)
    return lambda: torch.tensor(torch.cuda.get_device_properties(device).total_memory)


def BytesInUse() -> Tensor:
    """How many bytes tensors take on the GPU that the operation is placed on.

    Returns:
        a scalar int64.

    Raises:
        InvalidArgumentError: when run on a CPU, as in 1.x.

    Example:
        >>> with tf.device("/gpu:0"):
        ...     used = tf.contrib.memory_stats.BytesInUse()
    """
    return raw.BytesInUse()


def MaxBytesInUse() -> Tensor:
    """How many bytes tensors took at most on the GPU that the operation is placed on.

    Returns:
        a scalar int64.

    Raises:
        InvalidArgumentError: when run on a CPU, as in 1.x.

    Example:
        >>> with tf.device("/gpu:0"):
        ...     most = tf.contrib.memory_stats.MaxBytesInUse()
    """
    return raw.MaxBytesInUse()


def BytesLimit() -> Tensor:
    """How many bytes there are on the device that the operation is placed on; -1 on a CPU, as in 1.x.

    Returns:
        a scalar int64.

    Example:
        >>> limit = tf.contrib.memory_stats.BytesLimit()
    """
    return raw.BytesLimit()
