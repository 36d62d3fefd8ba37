"""What a run returns for a kernel's value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core import slots
from headrace.core.errors import InternalError, OpError, ResourceExhaustedError
from headrace.core.tensor import Tensor
from headrace.plan.values import to_numpy

_tensor_type = torch.Tensor


def to_output(tensor: Tensor, shared: bool, may_be_array: bool = False, fed: bool = False) -> Callable[[Any], Any]:
    """A function from a kernel's value to what `run` returns: a NumPy array, or a NumPy scalar for a scalar.

    Of a tensor that is fed it is always an array, as what is fed is one.

    A native region gives arrays and NumPy scalars of their own, which are handed on.

    Where no array can be made of the value the function raises an error that names the operation:
    ResourceExhaustedError for lack of memory, InternalError for more dimensions than NumPy has.
    """
    if fed:
        return _as_arrays(to_output(tensor, shared, may_be_array))
    dtype = tensor.dtype.base_dtype
    kind = dtype.name
    if kind == "resource":
        handle = _handle_array(tensor)
        return lambda value: handle.copy()
    if kind == "variant":
        return lambda value: value
    if kind == "string":

        def strings(value: bytes | np.ndarray) -> bytes | np.ndarray:
            array = np.asarray(value, dtype=object)
            return array[()] if array.ndim == 0 else (_copied(array, tensor) if shared else array)

        return strings
    simple = dtype.torch is not None and np.dtype(dtype.as_numpy_dtype).kind in "fiub" and kind != "bfloat16"

    def numbers(value: Any) -> Any:
        if may_be_array and value.__class__ is not _tensor_type:
            return value
        try:
            if simple and value.device.type == "cpu":
                array = value.numpy()
            else:
                array = to_numpy(value, dtype)
        except (MemoryError, ValueError) as error:
            raise _not_fetched(error, tuple(value.shape), tensor) from None
        if not array.ndim:
            return array[()]
        return _copied(array, tensor) if shared else array

    return numbers


def _as_arrays(output: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def array(value: Any) -> Any:
        given = output(value)
        return np.asarray(given, dtype=object) if isinstance(given, bytes) else np.asarray(given)

    return array


def _handle_array(tensor: Tensor) -> np.ndarray:
    """What is fetched of a handle: the bytes of a `ResourceHandleProto` that names the resource."""
    op = tensor.op
    while op.decl.handle_of == "first":
        op = op.inputs[0].op
    proto = slots.resource_handle_message(
        device=tensor.device or "/job:localhost/replica:0/task:0/device:CPU:0",
        container=_text(op.attrs.get("container")) or "localhost",
        name=_text(op.attrs.get("shared_name")) or op.name,
    )
    return np.asarray(bytearray(proto.SerializeToString()), dtype=np.dtype([("resource", np.ubyte)]))


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value or ""


def _copied(array: np.ndarray, tensor: Tensor) -> np.ndarray:
    try:
        return array.copy()
    except MemoryError as error:
        raise _not_fetched(error, array.shape, tensor) from None


def _not_fetched(error: Exception, dims: tuple[int, ...], tensor: Tensor) -> OpError:
    made: OpError
    if isinstance(error, MemoryError):
        shape = ",".join(map(str, dims))
        text = f"OOM when returning tensor '{tensor.name}' with shape[{shape}] and type {tensor.dtype.base_dtype.name}"
        made = ResourceExhaustedError(None, None, text)
    else:
        made = InternalError(None, None, f"Could not allocate ndarray of {len(dims)} dimensions for '{tensor.name}'")
    return made.attach(tensor.op)
