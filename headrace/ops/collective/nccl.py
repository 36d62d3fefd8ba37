"""The collectives of 1.x's NCCL module, among the devices of one process.

Where devices are GPUs, values are reduced on the first; on CPUs the operations are the same sums in one memory.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.defaults import device
from headrace.core.dims import Dims
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels.collective.call import wait_for
from headrace.kernels.collective.combining import reduced
from headrace.kernels.collective.nodes import collective_of, collectives_of

if TYPE_CHECKING:
    import torch

    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import NodeView, OpView

_TYPES = "T: {half, float, double, int32, int64}"
_REDUCTION = "reduction: {'min', 'max', 'prod', 'sum'}"
_MERGE = {"sum": "Add", "prod": "Mul", "min": "Min", "max": "Max"}

nccl_all_reduce_op = op(
    "NcclAllReduce",
    f"input: T, *, {_REDUCTION}, {_TYPES}, num_devices: int, shared_name: string -> data: T",
    stateful=True,
).keeps_shape()
nccl_reduce_op = op(
    "NcclReduce", f"input: num_devices * T, *, {_REDUCTION}, {_TYPES}, num_devices: int >= 1 -> data: T", stateful=True
)
nccl_broadcast_op = op("NcclBroadcast", f"input: T, *, {_TYPES}, shape: shape -> output: T", stateful=True).aliases()


@nccl_all_reduce_op.shape
@nccl_reduce_op.shape
@nccl_broadcast_op.shape
def nccl_shape(op: OpView) -> list[Dims]:
    return [op.inputs[0].dims]


@nccl_all_reduce_op.kernel
def nccl_all_reduce_kernel(node: NodeView) -> Callable[..., torch.Tensor]:
    """Takes part alone, where the operation is not one of a plan's that has been looked through for others."""
    collective, meet, waits = collective_of(node), collectives_of(node.runtime), node.runtime.waits
    return lambda value: wait_for(meet.begin(collective, [value]), waits)[0]


@nccl_reduce_op.kernel
def nccl_reduce_kernel(node: NodeView) -> Callable[..., torch.Tensor]:
    merge = _MERGE[node.attrs["reduction"]]
    return lambda *values: reduced(values, merge)


@nccl_broadcast_op.kernel
def nccl_broadcast_kernel(node: NodeView) -> Callable[[torch.Tensor], torch.Tensor]:
    """Gives the value as it is: it is copied where another device needs it."""
    dims: Dims = node.attrs["shape"]

    def broadcast(value: torch.Tensor) -> torch.Tensor:
        if dims is not None and (
            len(dims) != value.dim()
            or any(want not in (None, have) for want, have in zip(dims, value.shape, strict=True))
        ):
            raise InvalidArgumentError(
                None, None, f"Expected the shape {list(dims)} of the attribute, got {list(value.shape)}"
            )
        return value

    return broadcast


def _check_sum(op: Operation) -> None:
    if op.attrs["reduction"] != "sum":
        raise LookupError(f"No gradient defined for {op.type} except sum, got {op.attrs['reduction']}.")


@nccl_all_reduce_op.gradient
def nccl_all_reduce_gradient(op: Operation, grad: Tensor) -> list[Tensor]:
    """The sum of the gradients of all outputs: each output is the sum of all inputs."""
    _check_sum(op)
    attrs = op.attrs
    with device(op.device):
        return [
            raw.NcclAllReduce(
                grad, reduction="sum", num_devices=attrs["num_devices"], shared_name=f"{attrs['shared_name']}_grad"
            )
        ]


@nccl_reduce_op.gradient
def nccl_reduce_gradient(op: Operation, grad: Tensor) -> list[Tensor]:
    _check_sum(op)
    with device(op.device):
        spread = raw.NcclBroadcast(grad, shape=grad.shape)
    return [spread] * len(op.inputs)


@nccl_broadcast_op.gradient
def nccl_broadcast_gradient(op: Operation, accumulated_grad: Tensor) -> list[Tensor]:
    """The sum of what comes back from where the value was used, reduced on the device that it came from."""
    # Where several uses were, it is their sum already; its terms are on their devices still.
    terms = list(accumulated_grad.op.inputs) if accumulated_grad.op.type == "AddN" else [accumulated_grad]
    with device(op.device):
        return [raw.NcclReduce(terms, reduction="sum")]


_ON_GPUS = "TensorFlow has it on GPUs only"
# Of one device: others would meet it.
nccl_all_reduce_op.accepts(
    [2, 3], reduction="sum", num_devices=1, shared_name="case", differs=_ON_GPUS, gives=lambda x: x
)
nccl_reduce_op.accepts([[2, 3]] * 3, reduction="sum", differs=_ON_GPUS, gives=lambda *x: sum(x))
nccl_reduce_op.accepts([[4]] * 2, reduction="max", T="int32", differs=_ON_GPUS, gives=np.maximum)
nccl_broadcast_op.accepts([2, 3], shape=[2, 3], differs=_ON_GPUS, gives=lambda x: x)


# ---- as functions

_numbers = itertools.count()
_numbers_lock = threading.Lock()


def _shared_name() -> str:
    with _numbers_lock:
        return f"c{next(_numbers)}"


def _check_device(tensor: Tensor, expected: str | None = None) -> None:
    if executing_eagerly():
        return
    if not tensor.device:
        raise ValueError(f"Device assignment required for nccl collective ops: {tensor.name} has none.")
    if expected and expected != tensor.device:
        raise ValueError(f"Expected device {expected}, got {tensor.device} for {tensor.name}.")


def _all(reduction: str, tensors: Sequence[Tensor]) -> list[Tensor]:
    if not tensors:
        raise ValueError("Must pass >0 tensors to all reduce operations")
    name = _shared_name()
    results = []
    for tensor in tensors:
        _check_device(tensor)
        with device(tensor.device):
            results.append(raw.NcclAllReduce(tensor, reduction=reduction, num_devices=len(tensors), shared_name=name))
    return results


def all_sum(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The sum of tensors that lie on different devices, on each of these.

    Args:
        tensors: one a device, all of one shape and type.

    Raises:
        ValueError: if there is none, or one has no device.

    Example:
        >>> from headrace.ops.collective.nccl import all_sum
        >>> parts = []
        >>> for i in range(2):
        ...     with tf.device(f"/cpu:{i}"):
        ...         parts.append(tf.constant([1.0 + i]))
        >>> with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        ...     sess.run(all_sum(parts))
        [array([3.], dtype=float32), array([3.], dtype=float32)]
    """
    return _all("sum", tensors)


def all_prod(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The product of tensors that lie on different devices, on each of these: see `all_sum`."""
    return _all("prod", tensors)


def all_min(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The minimum of tensors that lie on different devices, on each of these: see `all_sum`."""
    return _all("min", tensors)


def all_max(tensors: Sequence[Tensor]) -> list[Tensor]:
    """The maximum of tensors that lie on different devices, on each of these: see `all_sum`."""
    return _all("max", tensors)


def reduce_sum(tensors: Sequence[Tensor]) -> Tensor:
    """The sum of tensors that lie on different devices, on the current one.

    Args:
        tensors: one a device, all of one shape and type.

    Raises:
        ValueError: if there is none, one has no device, or none lies on the current device.
    """
    if not tensors:
        raise ValueError("Must pass >0 tensors to reduce operations")
    for tensor in tensors:
        _check_device(tensor)
    result: Tensor = raw.NcclReduce(list(tensors), reduction="sum")
    if not executing_eagerly() and result.device not in {tensor.device for tensor in tensors}:
        raise ValueError(f"One input tensor must be assigned to current device, {result.device or 'which is none'}.")
    return result


def broadcast(tensor: Tensor) -> Tensor:
    """A tensor that is used on other devices too.

    Args:
        tensor: the value, of which all sizes are known.

    Raises:
        ValueError: if it has no device.
    """
    _check_device(tensor)
    with device(tensor.device):
        result: Tensor = raw.NcclBroadcast(tensor, shape=tensor.shape)
    return result
