"""What a run returns for a kernel's value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core.errors import InternalError, OpError, ResourceExhaustedError
from headrace.core.tensor import Tensor
from headrace.plan.values import to_numpy

_tensor_type = torch.Tensor


def to_output(tensor: Tensor, shared: bool, may_be_array: bool = False) -> Callable[[Any], Any]:
    """A function from a kernel's value to what `run` returns: a NumPy array, or a NumPy scalar for a scalar.

    A native region gives arrays and NumPy scalars of their own, which are handed on.

    Where no array can be made of the value the function raises an error that names the operation:
    ResourceExhaustedError for lack of memory, InternalError for more dimensions than NumPy has.
    """
    dtype = tensor.dtype.base_dtype
    kind = dtype.name
    if kind in ("resource", "variant"):
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
