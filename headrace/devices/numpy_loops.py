"""Kernels of many elements through NumPy, where torch takes them one by one on the CPU: bools and whole quotients.

Microseconds for 200,000 elements on one core of an AMD EPYC, torch and NumPy: greater of float32 86 and 21, equal 120 and
20, all of bools 118 and 1, argmax of rows of 1,000 177 and 17, nonzero 910 and 89, whole quotients 336 and 45.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


# From so many elements on the way to NumPy and back, about a microsecond, is worth it: greater of 1,024 float32 takes 1.4 with
# torch and 1.9 with NumPy, of 2,048 2.6 and 3.0, of 4,096 3.7 and 3.2; argmax 1.9 and 2.1, 4.3 and 3.5, 6.3 and 3.5.
_MIN_ELEMENTS = 2048
_SIMPLE = frozenset(
    {torch.float32, torch.float64, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool}
)

_from_numpy = torch.from_numpy


def is_simple(node: NodeView, index: int = 0) -> bool:
    """Whether NumPy holds the values of an input as torch does, and where torch keeps them."""
    return node.device.type == "cpu" and node.inputs[index].dtype.torch in _SIMPLE


def is_small(dims: Sequence[int | None] | None) -> bool:
    """Whether values of these dims are known to be too few."""
    if dims is None:
        return False
    size = 1
    for dim in dims:
        if dim is None:
            return False
        size *= dim
    return size < _MIN_ELEMENTS


def faster_of_two(node: NodeView, function: Callable[[Any, Any], Any], ufunc: np.ufunc) -> Callable[[Any, Any], Any]:
    """`function` of two tensors, or the same by `ufunc` where there are many elements.

    Args:
        node: the planned node.
        function: of torch tensors.
        ufunc: of NumPy arrays.
    """
    if not is_simple(node) or is_small(node.outputs[0].dims):
        return function

    def compare(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        if x.numel() < _MIN_ELEMENTS and y.numel() < _MIN_ELEMENTS:
            return function(x, y)
        return _from_numpy(ufunc(x.numpy(), y.numpy()))

    return compare


def faster_reduction(node: NodeView, reduce: Callable[..., Any], name: str) -> Callable[..., Any]:
    """`reduce(x, axes, keep)` of bools, or the same by NumPy's function `name` where there are many."""
    if not is_simple(node) or is_small(node.inputs[0].dims):
        return reduce
    by_numpy = getattr(np, name)

    def reduced(x: torch.Tensor, axes: tuple[int, ...], keep: bool) -> torch.Tensor:
        if x.numel() < _MIN_ELEMENTS:
            return reduce(x, axes, keep)
        return _from_numpy(np.asarray(by_numpy(x.numpy(), axis=axes, keepdims=keep)))

    return reduced


def faster_search(node: NodeView, function: Callable[[Any, int], Any], by_numpy: Any) -> Callable[[Any, int], Any]:
    """`function(x, axis)`, which finds an extreme along an axis, or the same by NumPy where there are many elements."""
    if not is_simple(node) or is_small(node.inputs[0].dims):
        return function

    def find(x: torch.Tensor, axis: int) -> torch.Tensor:
        if x.numel() < _MIN_ELEMENTS:
            return function(x, axis)
        return _from_numpy(np.asarray(by_numpy(x.numpy(), axis=axis)))

    return find


def all_finite(value: torch.Tensor) -> bool:
    """Whether a tensor of floats holds neither infinities nor NaNs."""
    if value.dtype in (torch.float32, torch.float64) and value.device.type == "cpu":
        return bool(np.isfinite(value.numpy()).all())
    return bool(torch.isfinite(value).all())


def places(value: torch.Tensor) -> torch.Tensor:
    """The index vectors of elements that are not zero, in order: int64 [how many, rank]."""
    if value.dtype not in _SIMPLE or value.device.type != "cpu" or value.numel() < _MIN_ELEMENTS:
        return value.nonzero()
    return _from_numpy(np.stack(np.nonzero(value.numpy()), axis=1)) if value.dim() else value.nonzero()
