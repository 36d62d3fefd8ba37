"""Rows given by where they begin, and by which row each value is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.tile import repeat
from headrace.functions.math.counting import bincount
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.shapes import shape_internal

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def row_splits_to_segment_ids(splits: TensorLike, name: str | None = None, out_type: Any = None) -> Tensor:
    """For each value the number of its row.

    Args:
        splits: int32 or int64 vector: where rows begin, and the number of values.
        name: a name for the operations.
        out_type: the type of the result; by default that of `splits`.

    Returns:
        an int vector as long as there are values.

    Raises:
        ValueError: if `splits` is empty or no int vector.

    Example:
        >>> tf.Session().run(tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]))
        array([0, 0, 0, 2, 2])
    """
    with name_scope(name, "RaggedSplitsToSegmentIds", [splits]):
        splits = convert_to_tensor(splits, name="splits", preferred_dtype=int64)
        if splits.dtype not in (int32, int64):
            raise ValueError("splits must have dtype int32 or int64")
        splits.shape.assert_has_rank(1)
        if splits.dims is not None and splits.dims[0] == 0:
            raise ValueError("Invalid row_splits: []")
        out_type = splits.dtype if out_type is None else as_dtype(out_type)
        lengths = splits[1:] - splits[:-1]
        rows = shape_internal(splits, out_type=out_type)[-1] - 1
        return repeat(numbers_up_to(rows), lengths, axis=0)


def segment_ids_to_row_splits(
    segment_ids: TensorLike, num_segments: TensorLike | None = None, out_type: Any = None, name: str | None = None
) -> Tensor:
    """Where rows begin, of the number of each value's row.

    Args:
        segment_ids: sorted int vector.
        num_segments: int scalar: the number of rows; by default one more than the last id.
        out_type: the type of the result; by default that of a given tensor, or int64.
        name: a name for the operations.

    Returns:
        an int vector [num_segments + 1].

    Raises:
        ValueError: if `segment_ids` is no vector or `num_segments` no scalar. TypeError: if they are no integers.

    Example:
        >>> tf.Session().run(tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]))
        array([0, 3, 3, 5])
    """
    if out_type is None:
        given = next((item for item in (segment_ids, num_segments) if isinstance(item, Tensor)), None)
        out_type = int64 if given is None else given.dtype
    out_type = as_dtype(out_type)
    with name_scope(name, "SegmentIdsToRaggedSplits", [segment_ids]):
        ids = int_tensor(segment_ids, "segment_ids", int32)
        ids.shape.assert_has_rank(1)
        count = known = None
        if num_segments is not None:
            count = int_tensor(num_segments, "num_segments", int32)
            count.shape.assert_has_rank(0)
            known = constant_value(count)
        lengths = bincount(ids, minlength=count, maxlength=count, dtype=out_type)
        splits = lengths_to_splits(lengths, 0)
        if known is not None:
            splits.set_shape([int(known) + 1])
        return splits


def numbers_up_to(limit: Tensor, step: TensorLike = 1) -> Tensor:
    """The numbers from 0 up to the scalar `limit`, in its type."""
    return range_of(0, limit, step)


def lengths_to_splits(lengths: Tensor, axis: int = -1) -> Tensor:
    """Where rows of these lengths begin and end; `axis` is how the only axis is counted."""
    return composing.concat([[0], raw.Cumsum(lengths, 0)], axis)


def int_tensor(value: TensorLike, name: str, dtype: DTypeLike) -> Tensor:
    """`value` as a tensor of the integer type `dtype`.

    Raises:
        TypeError: if its elements are no integers.
    """
    tensor = convert_to_tensor(value, name=name, preferred_dtype=dtype)
    if not tensor.dtype.is_integer:
        raise TypeError(f"{name} must be an integer; dtype={tensor.dtype}")
    return raw.Cast(tensor, DstT=dtype)


def repeat_ranges(params: Tensor, splits: Tensor, repeats: Tensor) -> Tensor:
    """Each range `params[splits[i]:splits[i + 1]]`, `repeats` (a scalar, or a number for each range) times."""
    if repeats.dims == ():
        # All ranges as often: their bounds are repeated together.
        bounds = repeat(splits, repeats, axis=0)
        count = shape_internal(bounds, out_type=repeats.dtype)[0]
        begins, ends = bounds[: count - repeats], bounds[repeats:]
    else:
        begins, ends = repeat(splits[:-1], repeats, axis=0), repeat(splits[1:], repeats, axis=0)
    places = raw.RaggedRange(begins, ends, composing.ones([], begins.dtype), Tsplits=splits.dtype)[1]
    return composing.gather(params, places)
