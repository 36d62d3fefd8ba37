"""Kernels' values as NumPy arrays for Python code on the host, and such arrays as kernels' values."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch


def to_array(value: np.ndarray | torch.Tensor) -> np.ndarray:
    """A kernel's value as NumPy sees it, sharing its memory where that can be; bfloat16 as ml_dtypes' type."""
    if not isinstance(value, torch.Tensor):
        return boxed(value)
    try:
        return value.numpy()
    except (TypeError, RuntimeError):
        # It is elsewhere, of a type that NumPy has not, or to be conjugated yet.
        pass
    if value.device.type != "cpu":
        value = value.cpu()
    if value.dtype is torch.bfloat16:
        import ml_dtypes

        return value.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return value.resolve_conj().resolve_neg().numpy() if value.is_complex() else value.numpy()


def to_tensor(array: np.ndarray, device: torch.device | None = None) -> torch.Tensor:
    """An array of numbers as a tensor on `device`, the CPU by default, sharing its memory where that can be."""
    # The name of a NumPy type is made anew each time: asked for only where it may matter.
    if array.dtype.kind == "V" and array.dtype.name == "bfloat16":
        tensor = torch.from_numpy(np.asarray(array, order="C").view(np.int16)).view(torch.bfloat16)
    else:
        # ascontiguousarray would make a vector of a scalar.
        tensor = torch.from_numpy(array if array.flags.c_contiguous else np.ascontiguousarray(array))
    return tensor if device is None or device.type == "cpu" else tensor.to(device)


def boxed(value: object) -> np.ndarray:
    """An array of strings as it is; a single string, which NumPy's indexing unpacks, as a scalar array."""
    if isinstance(value, np.ndarray):
        return value
    array = np.empty((), object)
    array[()] = value
    return array


def taken(value: object) -> Any:
    """What indexing an array of objects gives: a single string as a scalar array, a single variant as it is."""
    return boxed(value) if isinstance(value, (bytes, str)) else value


def mapped(function: Any, *arrays: np.ndarray, dtype: Any = object) -> np.ndarray:
    """`function` of each element, for arrays of one shape."""
    out = np.empty(arrays[0].shape, dtype)
    flat = out.reshape(-1)
    for i, items in enumerate(zip(*[array.reshape(-1).tolist() for array in arrays], strict=True)):
        flat[i] = function(*items)
    return out
