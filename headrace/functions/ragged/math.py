"""Ranges by row, and rows and columns of ragged tensors reduced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import DType, as_dtype, float32, float64, int32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_equal
from headrace.functions.math import reduction, segments
from headrace.functions.ragged.segment_ids import lengths_to_splits, row_splits_to_segment_ids
from headrace.functions.ragged.splits import same_splits_type
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor, is_ragged, positive_axis
from headrace.kernels import composing, renamed_arguments

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


_RANGE_TYPES = (int32, int64, float32, float64)


def range(
    starts: Any,
    limits: int | Sequence[float] | None = None,
    deltas: float | Sequence[int] = 1,
    dtype: DType | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> RaggedTensor:
    """Rows of numbers from `starts[i]` up to `limits[i]` by `deltas[i]`.

    Args:
        starts: number scalar or vector; the limits, from 0 on, if no limits are given.
        limits: number scalar or vector.
        deltas: number scalar or vector, not 0.
        dtype: the type of the numbers; by default the widest of those given.
        name: a name for the operations.
        row_splits_dtype: int32 or int64.

    Raises:
        ValueError: if the vectors have different lengths. AssertionError: if they are of a type without ranges.

    Example:
        >>> tf.Session().run(tf.ragged.range([0, 5, 8], [3, 3, 12])).to_list()
        [[0, 1, 2], [], [8, 9, 10, 11]]
    """
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange", [starts, limits, deltas]) as scope:
        given = {"starts": starts, "limits": limits, "deltas": deltas}
        parts = [convert_to_tensor(value, dtype, name=kind) for kind, value in given.items()]
        if dtype is None:
            for kind, part in zip(given, parts, strict=True):
                if part.dtype not in _RANGE_TYPES:
                    raise AssertionError(
                        f"tf.ragged.range: {kind} are of type {part.dtype.name}; expected one of "
                        f"{', '.join(each.name for each in _RANGE_TYPES)}"
                    )
            widest = max((part.dtype for part in parts), key=_RANGE_TYPES.index)
            parts = [composing.cast(part, widest) for part in parts]
        splits, values = raw.RaggedRange(*parts, Tsplits=as_dtype(row_splits_dtype), name=scope)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


# ---- segments ----

Aggregate = Callable[[Any, Any, Any], Tensor]


def _segments(aggregate: Aggregate, data: Any, ids: Any, count: TensorLike) -> Any:
    """The aggregate of the rows of each segment, column by column."""
    if not (is_ragged(data) or is_ragged(ids)):
        return aggregate(data, ids, count)
    data = convert_to_tensor_or_ragged_tensor(data, name="data")
    ids = convert_to_tensor_or_ragged_tensor(ids, name="segment_ids")
    same_splits_type(data, ids)
    if ids.dtype not in (int32, int64):
        raise ValueError("segment_ids must have dtype int32 or int64.")
    if isinstance(ids, RaggedTensor):
        if not isinstance(data, RaggedTensor):
            raise ValueError(
                "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and data is not."
            )
        message = "segment_ids.shape must be a prefix of data.shape"
        with control_dependencies([assert_equal(ids.row_splits, data.row_splits, message=message)]):
            return _segments(aggregate, data.values, ids.values, count)
    lengths = data.row_splits[1:] - data.row_splits[:-1]
    longest = raw.Maximum(raw.UnsortedSegmentMax(lengths, ids, count), convert_to_tensor(0, lengths.dtype))
    splits = lengths_to_splits(longest)
    begins = composing.gather(splits, ids)
    one = convert_to_tensor(1, begins.dtype)
    places = raw.RaggedRange(begins, begins + lengths, one, Tsplits=splits.dtype)[1]
    return RaggedTensor.from_row_splits(_segments(aggregate, data.values, places, splits[-1]), splits, validate=False)


def _segment_function(what: str, aggregate: Aggregate) -> Callable[..., Any]:
    def segment(
        data: RaggedTensor, segment_ids: RaggedTensor | Sequence[int], num_segments: int, name: str | None = None
    ) -> Tensor | RaggedTensor:
        with name_scope(name, f"RaggedSegment{what}", [num_segments]):
            return _segments(aggregate, data, segment_ids, num_segments)

    segment.__doc__ = f"`tf.unsorted_segment_{what.lower()}` of ragged rows."
    return segment


segment_sum = _segment_function("Sum", segments.unsorted_segment_sum)
segment_prod = _segment_function("Prod", segments.unsorted_segment_prod)
segment_min = _segment_function("Min", segments.unsorted_segment_min)
segment_max = _segment_function("Max", segments.unsorted_segment_max)


def _ones(rows: Any) -> RaggedTensor:
    return rows.with_flat_values(composing.ones_like(rows.flat_values))


def _quotient(total: Any, count: Any) -> Any:
    return total.with_flat_values(total.flat_values / count.flat_values) if is_ragged(total) else total / count


def segment_mean(
    data: RaggedTensor, segment_ids: Sequence[int], num_segments: TensorLike, name: str | None = None
) -> Any:
    """`tf.unsorted_segment_mean` of ragged rows."""
    with name_scope(name, "RaggedSegmentMean", [num_segments]):
        data = convert_to_tensor_or_ragged_tensor(data)
        total = _segments(segments.unsorted_segment_sum, data, segment_ids, num_segments)
        return _quotient(total, _segments(segments.unsorted_segment_sum, _ones(data), segment_ids, num_segments))


def segment_sqrt_n(data: Tensor, segment_ids: Tensor, num_segments: TensorLike, name: str | None = None) -> Any:
    """`tf.unsorted_segment_sqrt_n` of ragged rows."""
    with name_scope(name, "RaggedSegmentSqrtN", [num_segments]):
        data = convert_to_tensor_or_ragged_tensor(data)
        total = _segments(segments.unsorted_segment_sum, data, segment_ids, num_segments)
        count = _segments(segments.unsorted_segment_sum, _ones(data), segment_ids, num_segments)
        root = count.with_flat_values(raw.Sqrt(count.flat_values)) if is_ragged(count) else raw.Sqrt(count)
        return _quotient(total, root)


# ---- reductions ----


def reduced(
    whole: Callable[..., Any],
    aggregate: Aggregate,
    rows: TensorLike | RaggedTensor,
    axis: int | Sequence[int] | None,
    name: str | None = None,
) -> Any:
    """`rows` reduced over `axis`.

    Args:
        whole: reduces a tensor, `whole(tensor, axis, name=...)`.
        aggregate: reduces the values of each segment, `aggregate(data, segment_ids, num_segments)`.
        rows: a tensor or ragged tensor.
        axis: an int, a list of them, or None for all.
        name: a name for the operations.
    """
    if isinstance(axis, Tensor):
        axis = constant_value(axis)
        if axis is None:
            raise ValueError("axis must be known at graph construction time.")
    if isinstance(axis, np.ndarray):
        axis = axis.tolist()
    if not isinstance(rows, RaggedTensor):
        return whole(rows, axis, name=name)
    if axis is None:
        return whole(rows.flat_values, None, name=name)
    with name_scope(name, "RaggedReduce"):
        return _reduced_over(whole, aggregate, rows, axis)


def _reduced_over(
    whole: Callable[..., Any], aggregate: Aggregate, rows: RaggedTensor, axis: Any
) -> Tensor | RaggedTensor:
    if isinstance(axis, (tuple, list)):
        if not axis:
            return rows
        if len(axis) > 1:
            # One at a time, the innermost first.
            axes = sorted(positive_axis(item, rows.shape.ndims) for item in axis)
            return reduced(whole, aggregate, reduced(whole, aggregate, rows, axes[-1]), axes[:-1])
        axis = axis[0]
    axis = positive_axis(axis, rows.shape.ndims)
    if axis > 1:
        return rows.with_values(reduced(whole, aggregate, rows.values, axis - 1))
    splits = rows.row_splits
    if axis == 1:
        count = composing.shape(splits)[0] - 1
        return _segments(aggregate, rows.values, row_splits_to_segment_ids(splits), count)
    lengths = splits[1:] - splits[:-1]
    longest = raw.Maximum(reduction.reduce_max(lengths), 0)
    return _segments(aggregate, rows.values, range(lengths).values, longest)


def _axis(
    axis: int | Sequence[int] | None, keepdims: bool | None, reduction_indices: Any, keep_dims: Any
) -> int | list[int] | None:
    if renamed_arguments.first_given("keepdims", keepdims, "keep_dims", keep_dims):
        raise ValueError("keepdims=True is not supported for RaggedTensors.")
    return renamed_arguments.first_given("axis", axis, "reduction_indices", reduction_indices)


def _reduction(what: str, whole: Callable[..., Any], aggregate: Aggregate) -> Callable[..., Any]:
    def reduce(
        input_tensor: RaggedTensor,
        axis: int | Sequence[int] | None = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: Any = None,
    ) -> Tensor | RaggedTensor:
        axis = _axis(axis, keepdims, reduction_indices, keep_dims)
        rows = convert_to_tensor_or_ragged_tensor(input_tensor)
        return reduced(whole, aggregate, rows, axis, name or f"RaggedReduce{what}")

    reduce.__doc__ = f"`tf.reduce_{what.lower()}` of a ragged tensor."
    return reduce


reduce_sum = _reduction("Sum", reduction.reduce_sum, segments.unsorted_segment_sum)
reduce_prod = _reduction("Prod", reduction.reduce_prod, segments.unsorted_segment_prod)
reduce_min = _reduction("Min", reduction.reduce_min, segments.unsorted_segment_min)
reduce_max = _reduction("Max", reduction.reduce_max, segments.unsorted_segment_max)


def reduce_mean(
    input_tensor: RaggedTensor,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Any:
    """`tf.reduce_mean` of a ragged tensor."""
    axis = _axis(axis, keepdims, reduction_indices, keep_dims)
    with name_scope(name, "RaggedReduceMean"):
        rows = convert_to_tensor_or_ragged_tensor(input_tensor)
        return _quotient(reduce_sum(rows, axis), reduce_sum(_ones(rows), axis))


def _on_ints(reduce: Callable[..., Any], rows: RaggedTensor, axis: Any) -> Tensor:
    result = reduce(rows.with_flat_values(composing.cast(rows.flat_values, int32)), axis)
    if is_ragged(result):
        return result.with_flat_values(composing.cast(result.flat_values, "bool"))
    return composing.cast(result, "bool")


def reduce_all(
    input_tensor: RaggedTensor,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """`tf.reduce_all` of a ragged tensor."""
    axis = _axis(axis, keepdims, reduction_indices, keep_dims)
    with name_scope(name, "RaggedReduceAll"):
        return _on_ints(reduce_prod, convert_to_tensor_or_ragged_tensor(input_tensor), axis)


def reduce_any(
    input_tensor: RaggedTensor,
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: Any = None,
) -> Tensor:
    """`tf.reduce_any` of a ragged tensor."""
    axis = _axis(axis, keepdims, reduction_indices, keep_dims)
    with name_scope(name, "RaggedReduceAny"):
        return _on_ints(reduce_sum, convert_to_tensor_or_ragged_tensor(input_tensor), axis)
