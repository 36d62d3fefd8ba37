"""Ragged tensors joined: one after another, or along a new dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_equal
from headrace.functions.ragged.gathering import gather
from headrace.functions.ragged.layout import expand_dims
from headrace.functions.ragged.segment_ids import lengths_to_splits, numbers_up_to
from headrace.functions.ragged.splits import assert_splits_match, same_splits_type
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor, is_ragged, positive_axis
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.dtypes import DType


def concat(values: Any, axis: int, name: str | None = None) -> Any:
    """`tf.concat` where some of `values` are ragged.

    Raises:
        ValueError: if there are none, their ranks differ, or there is no such axis.
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat"):
        return _joined(values, axis, False)


def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Tensors of one rank, ragged or not, along a new dimension.

    Args:
        values: a list of tensors and ragged tensors.
        axis: where the new dimension is.
        name: a name for the operations.

    Returns:
        a `RaggedTensor`.

    Raises:
        ValueError: if there are none, their ranks differ, or there is no such axis.

    Example:
        >>> rows = [tf.ragged.constant([[1, 2], [3]]), tf.ragged.constant([[4]])]
        >>> sess.run(tf.ragged.stack(rows)).to_list()
        [[[1, 2], [3]], [[4]]]
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    with name_scope(name, "RaggedConcat"):
        return _joined(values, axis, True)


def _joined(values: Sequence[Any], axis: int, stacked: bool) -> Tensor | RaggedTensor:
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    rows = [convert_to_tensor_or_ragged_tensor(value, name="rt_input") for value in values]
    splits_type, _ = same_splits_type(*rows)
    if len(rows) == 1:
        return expand_dims(rows[0], axis=axis) if stacked else rows[0]
    rank = rows[0].shape.ndims
    for item in rows[1:]:
        if rank is not None:
            item.shape.assert_has_rank(rank)
        else:
            rank = item.shape.ndims
    out_rank = rank if rank is None or not stacked else rank + 1
    axis = positive_axis(axis, out_rank)
    if not any(map(is_ragged, rows)) and rank is not None and axis in (rank - 1, (out_rank or 0) - 1):
        return composing.stack(rows, axis) if stacked and axis == 0 else _dense(rows, axis, stacked)
    if not any(map(is_ragged, rows)) and rank == 1:
        return _dense(rows, axis, stacked)
    levels = max(max((item.ragged_rank if is_ragged(item) else 0) for item in rows), 1)
    rows = [_with_levels(item, levels, splits_type) for item in rows]
    if axis == 0:
        return _concat_outer(rows, stacked)
    if axis == 1:
        return _interleave_rows(rows, stacked)
    with control_dependencies(assert_splits_match([[item.row_splits] for item in rows])):
        inner = _joined([item.values for item in rows], axis - 1, stacked)
        return RaggedTensor.from_row_splits(inner, rows[0].row_splits, validate=False)


def _dense(rows: Sequence[Any], axis: int, stacked: bool) -> Any:
    return composing.stack(list(rows), axis=axis) if stacked else composing.concat(rows, axis)


def _with_levels(rows: Any, levels: int, splits_type: DType) -> Any:
    if levels == 0:
        return rows
    if not isinstance(rows, RaggedTensor):
        rows = RaggedTensor.from_tensor(rows, row_splits_dtype=splits_type)
    if rows.ragged_rank < levels:
        rows = rows.with_values(_with_levels(rows.values, levels - 1, splits_type))
    return rows


def _concat_outer(rows: Sequence[RaggedTensor], stacked: bool) -> RaggedTensor:
    values = composing.concat([item.flat_values for item in rows], 0)
    nested = [item.nested_row_splits for item in rows]
    levels = [_concat_splits([splits[i] for splits in nested]) for i in range(len(nested[0]))]
    if stacked:
        levels.insert(0, lengths_to_splits(composing.stack([item.nrows() for item in rows])))
    made: RaggedTensor = RaggedTensor.from_nested_row_splits(values, levels, validate=False)
    return made


def _concat_splits(splits: Sequence[Tensor]) -> Tensor:
    row_splits, offset = [splits[0]], splits[0][-1]
    for rest in splits[1:]:
        row_splits.append(rest[1:] + offset)
        offset = offset + rest[-1]
    return composing.concat(row_splits, 0)


def _interleave_rows(rows: Sequence[RaggedTensor], stacked: bool) -> RaggedTensor:
    """The first row of each, then the second row of each, and so on."""
    count, parts = rows[0].nrows(), len(rows)
    checks = [assert_equal(r.nrows(), count, message="Input tensors have incompatible shapes.") for r in rows[1:]]
    with control_dependencies(checks):
        together = _concat_outer(rows, stacked=False)
        numbers = raw.Reshape(numbers_up_to(count * parts), [parts, -1])
        mixed = gather(together, raw.Reshape(composing.transpose(numbers, [1, 0]), [-1]))
        splits = numbers_up_to(count * parts + 1, parts) if stacked else mixed.row_splits[::parts]
        for item in rows:
            if item.row_splits.dims is not None:
                splits.set_shape(item.row_splits.dims)
        return RaggedTensor.from_row_splits(mixed if stacked else mixed.values, splits, validate=False)
