"""Minima and maxima that ignore NaN, as TensorFlow's kernels on the CPU do, where torch's give NaN.

Torch's functions run first. Only where their few results hold a NaN is the work done again, on numbers that lose to all
others in place of NaN, so that ordinary values cost no more than a look at the results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

_DOT = (torch.float32, torch.float64)
# Up to so many elements a look at what is searched costs less than picking out what was found.
_FEW = 16384


def may_hold_nan(node: Any, index: int = 0) -> bool:
    """Whether an input can hold NaN, on a device whose kernels pass over it."""
    return node.device.type == "cpu" and node.inputs[index].dtype.torch.is_floating_point


def _sum_of_squares(x: torch.Tensor) -> float | None:
    """The quickest pass over memory there is, of floats on the CPU; None for those that it does not take."""
    if x.dtype not in _DOT:
        return None
    if not x.dim():
        value = x.item()
        return value * value
    if not x.is_contiguous() and x.dim() == 4:
        x = x.permute(0, 2, 3, 1)
    if not x.is_contiguous():
        return None
    flat = x.view(-1)
    return torch.dot(flat, flat).item()


def has_nan(x: torch.Tensor) -> bool:
    """Whether there is a NaN in `x`, floats on the CPU."""
    total = _sum_of_squares(x)
    # Squares and their sum are NaN only where a number is.
    return bool(torch.isnan(x).any()) if total is None else total != total


def may_not_be_finite(x: torch.Tensor) -> bool:
    """Whether there is a NaN or an infinity in `x`, floats on the CPU, or numbers that are nearly as large."""
    total = _sum_of_squares(x)
    # The difference is 0 unless it is of an infinity or no number; somebody who exports the step knows nothing else of it.
    return not torch.isfinite(x).all() if total is None else total - total != 0


def without_nan(x: torch.Tensor, instead: float) -> torch.Tensor:
    """`x` with another number in place of NaN."""
    return x.masked_fill(torch.isnan(x), instead)


def extreme(function: Callable[..., Any], identity: float) -> Callable[..., Any]:
    """torch's `amax` or `amin`, passing over NaN; of one element only, that is the result.

    Args:
        function: called with x, or with x, axes and whether to keep them.
        identity: the infinity that every number beats, which is the result where all are NaN.
    """

    def reduce(x: torch.Tensor, *how: Any) -> torch.Tensor:
        result = function(x, *how)
        if has_nan(result) and result.numel() != x.numel():
            return function(without_nan(x, identity), *how)
        return result

    return reduce


def search(function: Callable[[Any, int], Any], identity: float) -> Callable[[Any, int], Any]:
    """torch's `argmax` or `argmin` along an axis, passing over NaN."""

    def find(x: torch.Tensor, axis: int) -> torch.Tensor:
        index = function(x, axis)
        found = x
        if x.numel() > _FEW:
            found = x.gather(axis, index.unsqueeze(axis)) if x.dim() > 1 else x[index]
        return function(without_nan(x, identity), axis) if has_nan(found) else index

    return find


def lowest_of(dtype: torch.dtype) -> float:
    """The lowest finite number, from which TensorFlow's maxima of windows begin."""
    return torch.finfo(dtype).min
