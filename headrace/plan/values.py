"""Values at the edges: NumPy arrays of feeds, constants and fetches to and from what kernels take."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import torch

from headrace.core.constant_value import is_repeated
from headrace.core.dtypes import DType

# Kernels never write into their inputs, so a read-only array is as good as any. torch warns of the first one only, which
# is made here: a filter would not outlive the filters of a test run.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch.from_numpy(np.broadcast_to(np.zeros(1), (1,)))

_from_numpy = torch.from_numpy
# Whether all elements are one is asked of arrays of more: asking takes a microsecond on a core of an AMD EPYC, writing so many
# float32 out 90.
_LARGE = 1 << 20
# What torch and NumPy hold alike; a real tensor may still be one of which the signs are to be changed.
_SIMPLE = frozenset({"float32", "float64", "int32", "int64", "bool", "uint8"})


def to_torch(array: np.ndarray, dtype: DType) -> Any:
    """The kernels' value for `array`: a CPU tensor sharing its memory where the layout allows, or the array of bytes.

    Args:
        array: of the NumPy type of `dtype`.
        dtype: the element type of the tensor it stands for.
    """
    kind = array.dtype.kind
    if kind == "O":
        return array
    if array.size > _LARGE and is_repeated(array):
        # One element in the memory of one: none of the copies below may write it out.
        return to_torch(array[(slice(0, 1),) * array.ndim], dtype).expand(array.shape)
    if not array.flags.c_contiguous and any(s < 0 for s in array.strides):
        array = np.ascontiguousarray(array)
    if kind in "fiubc" and array.dtype.isnative:
        return _from_numpy(array)
    if not array.dtype.isnative:
        return _from_numpy(array.astype(array.dtype.newbyteorder("=")))
    if dtype.name == "bfloat16":
        return _from_numpy(np.asarray(array, order="C").view(np.int16)).view(torch.bfloat16)
    if dtype.torch is not None:
        # The quantized types: structured in NumPy, plain integers in the kernels.
        plain = array.view(array.dtype[0]) if array.dtype.fields else array
        return _from_numpy(np.asarray(plain, order="C")).to(dtype.torch)
    return array


def to_numpy(value: Any, dtype: DType) -> np.ndarray:
    """The NumPy array of a kernel's value, sharing memory where it can."""
    if isinstance(value, torch.Tensor):
        if dtype.name in _SIMPLE and value.is_cpu and not value.is_neg():
            return value.numpy()
        if value.device.type != "cpu":
            value = value.cpu()
        if value.dtype is torch.bfloat16:
            return value.contiguous().view(torch.int16).numpy().view(dtype.as_numpy_dtype)
        if value.is_conj() or value.is_neg():
            value = value.resolve_conj().resolve_neg()
        return value.numpy()
    return np.asarray(value)
