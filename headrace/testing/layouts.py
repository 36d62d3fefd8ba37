"""Layouts of images in tests: tensors and shapes with the channels elsewhere."""

from __future__ import annotations

from typing import Any

from headrace.core.registry import raw
from headrace.core.tensor import Tensor


def _permuted(value: Tensor, orders: dict[int, list[int]]) -> Any:
    """A tensor, or the list of a shape, with its dimensions in another order."""
    rank = value.shape.ndims if isinstance(value, Tensor) else len(value)
    if rank is None or rank not in orders:
        raise ValueError(f"Expected {' or '.join(str(r) for r in orders)} dimensions, got {rank}.")
    if isinstance(value, Tensor):
        return raw.Transpose(value, orders[rank], name="transpose")
    return [value[i] for i in orders[rank]]


def NHWCToNCHW(input_tensor: Tensor) -> Any:
    """A tensor or shape with the channels moved from last to second.

    Example:
        >>> NHWCToNCHW([1, 8, 9, 3])
        [1, 3, 8, 9]
    """
    return _permuted(input_tensor, {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]})


def NCHWToNHWC(input_tensor: Tensor) -> Any:
    """A tensor or shape with the channels moved from second to last."""
    return _permuted(input_tensor, {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]})


def NHWCToNCHW_VECT_C(input_shape_or_tensor: Any) -> Any:
    """A tensor, or the list of its sizes, moved from NHWC to NCHW_VECT_C, which holds channels by fours.

    Raises:
        ValueError: if the number of channels is no multiple of four.
    """
    sizes, given = _sizes(input_shape_or_tensor)
    if sizes[-1] % 4:
        raise ValueError("Last dimension of input must be evenly divisible by 4 to convert to NCHW_VECT_C.")
    sizes = [*sizes[:-1], sizes[-1] // 4, 4]
    order = [0, len(sizes) - 2, *range(1, len(sizes) - 2), len(sizes) - 1]
    if given is None:
        return [sizes[axis] for axis in order]
    return raw.Transpose(raw.Reshape(given, sizes), order)


def NCHW_VECT_CToNHWC(input_shape_or_tensor: Any) -> Any:
    """A tensor, or the list of its sizes, moved from NCHW_VECT_C to NHWC.

    Raises:
        ValueError: if the last size is not four.
    """
    sizes, given = _sizes(input_shape_or_tensor)
    if sizes[-1] != 4:
        raise ValueError("Last dimension of NCHW_VECT_C must be 4.")
    order = [0, *range(2, len(sizes) - 1), 1, len(sizes) - 1]
    result = [sizes[axis] for axis in order[:-1]]
    result[-1] *= 4
    return result if given is None else raw.Reshape(raw.Transpose(given, order), result)


def _sizes(value: Any) -> tuple[list[Any], Tensor | None]:
    return (value.shape.as_list(), value) if isinstance(value, Tensor) else (list(value), None)
