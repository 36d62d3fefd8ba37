"""What a run returns for a kernel's value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.operation import Tensor
from headrace.plan.values import to_numpy


def to_output(tensor: Tensor, shared: bool) -> Callable[[Any], Any]:
    """A function from a kernel's value to what `run` returns: a NumPy array, or a NumPy scalar for a scalar."""
    dtype = tensor.dtype.base_dtype
    kind = dtype.name
    if kind in ("resource", "variant"):
        return lambda value: value
    if kind == "string":

        def strings(value: Any) -> Any:
            array = np.asarray(value, dtype=object)
            return array[()] if array.ndim == 0 else (array.copy() if shared else array)

        return strings
    simple = dtype.torch is not None and np.dtype(dtype.as_numpy_dtype).kind in "fiub" and kind != "bfloat16"

    def numbers(value: Any) -> Any:
        if simple and value.device.type == "cpu":
            array = value.numpy()
        else:
            array = to_numpy(value, dtype)
        if not array.ndim:
            return array[()]
        return array.copy() if shared else array

    return numbers
