"""Tensors of several devices as vectors, and vectors in pieces: what all-reduce is put together from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from headrace.core.defaults import colocate_with
from headrace.core.device import DeviceSpec
from headrace.core.shapes import TensorShape
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import slice as slice_of
from headrace.ops.array.split import split

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

Value = TypeVar("Value")
Binary: TypeAlias = "Callable[[Tensor, Tensor], Tensor]"
Nary: TypeAlias = "Callable[[list[Tensor]], Tensor]"
Unary: TypeAlias = "Callable[[Tensor], Tensor]"


def flatten_tensors(tensors: Sequence[Tensor]) -> tuple[list[Tensor], TensorShape]:
    """Tensors of one shape as vectors, and that shape.

    Raises:
        ValueError: if there are none, or their shape is not known or not one.
    """
    if not tensors:
        raise ValueError("tensors cannot be empty")
    shape = tensors[0].shape
    for tensor in tensors:
        shape = shape.merge_with(tensor.shape)
    if not shape.is_fully_defined():
        raise ValueError(f"Tensors must have statically known shape, got {shape}.")
    if shape.ndims == 1:
        return list(tensors), shape
    flat = []
    for tensor in tensors:
        with colocate_with(tensor):
            flat.append(reshape(tensor, [-1]))
    return flat, shape


def reshape_tensors(tensors: Sequence[Tensor], shape: TensorShape) -> list[Tensor]:
    """Tensors in another shape, where they are."""
    reshaped = []
    for tensor in tensors:
        with colocate_with(tensor):
            reshaped.append(reshape(tensor, shape))
    return reshaped


def _size(tensor: Tensor) -> int:
    dims = tensor.shape.as_list()
    if len(dims) != 1:
        raise ValueError(f"input tensor must be 1D, got the shape {tensor.shape}")
    size = dims[0]
    if size is None:
        raise ValueError(f"input tensor must have a known size, got the shape {tensor.shape}")
    return size


def padded_split(tensor: Tensor, pieces: int) -> tuple[list[Tensor], int]:
    """A vector in pieces of one size, the last ones filled up with zeros, and how many zeros there are.

    Args:
        tensor: the vector.
        pieces: how many.

    Raises:
        ValueError: if it is no vector.
    """
    size = _size(tensor)
    length = -(-size // pieces)
    padding = length * pieces - size
    with colocate_with(tensor):
        if not padding:
            return list(split(tensor, pieces)), 0
        whole = concat([tensor, zeros([padding], dtype=tensor.dtype)], 0)
        return list(split(whole, pieces)), padding


def strip_padding(tensors: Sequence[Tensor], pad_len: int) -> list[Tensor]:
    """Vectors without the zeros at their ends.

    Raises:
        ValueError: if there are none, or one is no vector.
    """
    if not tensors:
        raise ValueError("tensors cannot be empty")
    stripped = []
    for tensor in tensors:
        if tensor.shape.ndims != 1:
            raise ValueError(f"tensors must be 1D, got the shape {tensor.shape}")
        with colocate_with(tensor):
            stripped.append(slice_of(tensor, [0], [_size(tensor) - pad_len]))
    return stripped


def ragged_split(tensor: Tensor, pieces: int) -> list[Tensor]:
    """A vector in pieces of one size, but for the last, which has the rest.

    Raises:
        ValueError: if it is no vector.
    """
    size = _size(tensor)
    length = size // pieces
    with colocate_with(tensor):
        if length * pieces == size:
            return list(split(tensor, pieces))
        return list(split(tensor, [length] * (pieces - 1) + [size - length * (pieces - 1)]))


def apply_unary_to_chunks(f: Unary, chunks_by_dev: Sequence[Sequence[Tensor]]) -> list[list[Tensor]]:
    """What a function makes of the pieces of each device, where they are."""
    made = []
    for chunks in chunks_by_dev:
        with colocate_with(chunks[0]):
            made.append([f(chunk) for chunk in chunks])
    return made


def split_by_task(devices: Sequence[str], values: Sequence[Value]) -> tuple[list[list[str]], list[list[Value]]]:
    """Devices and what lies on them, by their tasks.

    Raises:
        ValueError: if there are more or fewer devices than values, or a device names no task.
    """
    if len(devices) != len(values):
        raise ValueError(f"len(devices) must equal len(values), got {len(devices)} and {len(values)}")
    by_task: dict[str, tuple[list[str], list[Value]]] = {}
    for where, value in zip(devices, values, strict=True):
        spec = DeviceSpec.from_string(where)
        if spec.job is None or spec.task is None:
            raise ValueError(f"failed to parse device {where!r}: it names no job with a task")
        listed = by_task.setdefault(f"{spec.job}/{spec.replica or 0}/{spec.task}", ([], []))
        listed[0].append(where)
        listed[1].append(value)
    return [of_task for of_task, _ in by_task.values()], [of_task for _, of_task in by_task.values()]
