"""Sorting along an axis, by way of TopKV2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.shapes import rank, shape
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_DIRECTIONS = ("ASCENDING", "DESCENDING")


def sort(values: TensorLike, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """`values` sorted along an axis.

    Args:
        values: a tensor of numbers.
        axis: a constant int scalar; the last axis by default.
        direction: "ASCENDING" or "DESCENDING".
        name: a name for the operations.

    Raises:
        ValueError: for another direction, or if `axis` is not a constant scalar.

    Example:
        >>> tf.sort([3, 1, 2])  # [1, 2, 3]
    """
    with name_scope(name, "sort"):
        return _sorted(values, axis, direction, 0)


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The indices that sort `values` along an axis, as int32.

    Args:
        values: a tensor of numbers.
        axis: a constant int scalar; the last axis by default.
        direction: "ASCENDING" or "DESCENDING".
        stable: equal elements always keep their order, asked for or not.
        name: a name for the operations.

    Raises:
        ValueError: for another direction, or if `axis` is not a constant scalar.
    """
    with name_scope(name, "argsort"):
        return _sorted(values, axis, direction, 1)


def _sorted(values: TensorLike, axis: TensorLike, direction: str, which: int) -> Tensor:
    if direction not in _DIRECTIONS:
        raise ValueError(f"{direction} should be one of {', '.join(_DIRECTIONS)}")
    axis = convert_to_tensor(axis, name="axis")
    static = constant_value(axis)
    if axis.dims != () or static is None:
        raise ValueError("axis must be a constant scalar")
    values = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _largest_first(values, int(static), which)
    result = _largest_first(raw.Neg(values), int(static), which)
    return result if which else raw.Neg(result)


def _largest_first(values: Tensor, axis: int, which: int) -> Tensor:
    count = shape(values)[axis]
    total = rank(values)
    dims = values.dims
    if axis == -1 or (dims is not None and axis + 1 == len(dims)):
        return raw.TopKV2(values, count)[which]
    # TopKV2 works along the last axis: the wanted one changes places with it.
    if dims is not None:
        axis += len(dims) if axis < 0 else 0
        last = len(dims) - 1
        order: Tensor = constant(
            np.r_[np.arange(axis), [last], np.arange(axis + 1, last), [axis]], int32, name="transposition"
        )
    else:
        at: int = raw.AddV2(axis, total, name="add") if axis < 0 else axis
        before = range_of(at)
        last = raw.Sub(total, 1, name="sub")
        after = raw.AddV2(at, 1, name="add") if isinstance(at, Tensor) else at + 1
        order = concat([before, [last], range_of(after, raw.Sub(total, 1, name="sub")), [at]], axis=0)
    result = raw.TopKV2(transpose(values, order), count)[which]
    return transpose(result, order)
