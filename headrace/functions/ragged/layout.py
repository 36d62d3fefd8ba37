"""The dimensions of ragged tensors: added, removed, counted, repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import plain_constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.ragged.segment_ids import int_tensor, lengths_to_splits, numbers_up_to, repeat_ranges
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor, positive_axis
from headrace.kernels import composing, renamed_arguments
from headrace.ops.array.where import one_hot as dense_one_hot
from headrace.ops.flow.grouping import with_dependencies

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import DTypeLike, TensorLike


def expand_dims(input: Tensor | RaggedTensor, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """`tf.expand_dims` of a ragged tensor.

    Raises:
        ValueError: if there is no such axis.
    """
    axis = axis if dim is None else dim
    with name_scope(name, "RaggedExpandDims"):
        rows = convert_to_tensor_or_ragged_tensor(input, name="input")
        if not isinstance(rows, RaggedTensor):
            return composing.expand_dims(rows, axis)
        rank = rows.shape.ndims
        axis = positive_axis(axis, None if rank is None else rank + 1)
        if axis == 0:
            return RaggedTensor.from_row_splits(rows, composing.stack([0, rows.nrows()]), validate=False)
        if axis == 1:
            splits = numbers_up_to(rows.nrows() + 1)
            known = rows.row_splits.dims
            if known is not None:
                splits.set_shape(known)
            return RaggedTensor.from_row_splits(rows, splits, validate=False)
        return RaggedTensor.from_row_splits(expand_dims(rows.values, axis - 1), rows.row_splits, validate=False)


def squeeze(
    input: RaggedTensor, axis: int | Sequence[int] | None = None, name: str | None = None, squeeze_dims: Any = None
) -> Any:
    """`tf.squeeze` of a ragged tensor: without the dimensions of `axis`, which all have size 1.

    Raises:
        ValueError: if there is no such axis, or no axis is given. TypeError: if they are no ints.
    """
    axis = renamed_arguments.first_given("axis", axis, "squeeze_dims", squeeze_dims)
    with name_scope(name, "RaggedSqueeze"):
        rows = convert_to_tensor_or_ragged_tensor(input)
        if axis is None:
            raise ValueError("Ragged.squeeze must have an axis argument.")
        axes = [axis] if isinstance(axis, int) else axis
        if not isinstance(axes, (list, tuple)) or not all(isinstance(item, int) for item in axes):
            raise TypeError("Axis must be a list or tuple of integers.")
        axes = [positive_axis(item, rows.shape.ndims) for item in axes]
        inner = [item - rows.ragged_rank for item in axes if item > rows.ragged_rank]
        ragged = {item for item in axes if item <= rows.ragged_rank}
        checks = [
            Assert(
                raw.All(raw.Equal(lengths, convert_to_tensor(1, lengths.dtype)), 0),
                [f"the given axis (axis = {level + 1}) is not squeezable!"],
            )
            for level, lengths in enumerate(rows.nested_row_lengths())
            if level + 1 in ragged
        ]
        if 0 in ragged:
            alone = raw.Equal(composing.size(rows.row_splits), 2)
            checks.append(Assert(alone, ["the given axis (axis = 0) is not squeezable!"]))
        values = with_dependencies(checks, rows.flat_values)
        if inner:
            values = composing.squeeze(values, inner)
        splits = [level for i, level in enumerate(rows.nested_row_splits) if i + 1 not in ragged]
        if splits and 0 in ragged:
            splits.pop(0)
        if not splits and len(ragged) > rows.ragged_rank:
            return composing.squeeze(values, [0])
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def size(input: RaggedTensor, name: str | None = None, out_type: DTypeLike = "int32") -> Tensor:
    """`tf.size` of a ragged tensor: the number of its innermost values."""
    rows = convert_to_tensor_or_ragged_tensor(input)
    values = rows.flat_values if isinstance(rows, RaggedTensor) else rows
    return composing.size(values, out_type=out_type, name=name)


def rank(input: RaggedTensor, name: str | None = None) -> Tensor:
    """`tf.rank` of a ragged tensor."""
    with name_scope(name, "RaggedRank"):
        rows = convert_to_tensor_or_ragged_tensor(input)
        if not isinstance(rows, RaggedTensor):
            return composing.rank(rows)
        return rows.ragged_rank + composing.rank(rows.flat_values)


def one_hot(
    indices: RaggedTensor,
    depth: int,
    on_value: Any = None,
    off_value: Any = None,
    axis: Any = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> RaggedTensor:
    """`tf.one_hot` of ragged indices.

    Raises:
        ValueError: for an axis outside the innermost values.
    """
    with name_scope(name, "RaggedOneHot"):
        rows = convert_to_tensor_or_ragged_tensor(indices, name="indices")
        if axis is not None:
            axis = positive_axis(axis, rows.shape.ndims)
            if axis < rows.ragged_rank:
                raise ValueError("axis may not be less than indices.ragged_rank.")
        return rows.with_flat_values(dense_one_hot(rows.flat_values, depth, on_value, off_value, axis, dtype, name))


def tile(input: RaggedTensor, multiples: TensorLike, name: str | None = None) -> Any:
    """`tf.tile` of a ragged tensor.

    Raises:
        ValueError: if `multiples` is no vector.
    """
    with name_scope(name, "RaggedTile", [multiples]):
        rows = convert_to_tensor_or_ragged_tensor(input, name="input")
        multiples = int_tensor(multiples, "multiples", rows.row_splits.dtype)
        multiples.shape.assert_has_rank(1)
        known = plain_constant_value(multiples)
        values = _tiled_values(rows, multiples, known)
        levels = _tiled_splits(rows.nested_row_splits, multiples, known)
        return RaggedTensor.from_nested_row_splits(values, levels, validate=False)


def _tiled_values(rows: RaggedTensor, multiples: Tensor, known: np.ndarray | None) -> Tensor:
    """The innermost values as often as they are in the tiled tensor."""
    levels = rows.nested_row_splits
    places = numbers_up_to(levels[-1][-1])
    # From the innermost level outwards; `bounds` are of the level's rows among the places repeated so far.
    bounds = None
    for axis in range(len(levels), 0, -1):
        splits = levels[axis - 1]
        bounds = splits if bounds is None else composing.gather(bounds * multiples[axis + 1], splits)
        if known is None or known[axis] != 1:
            places = repeat_ranges(places, bounds, multiples[axis])
    values = composing.gather(rows.flat_values, places)
    return raw.Tile(values, composing.concat([multiples[:1], multiples[len(levels) + 1 :]], 0))


def _tiled_splits(levels: Sequence[Tensor], multiples: Tensor, known: np.ndarray | None) -> list[Tensor]:
    """The splits of all levels of the tiled tensor."""
    # below[i][j]: where the rows of level i begin among those of level j.
    below = [{i: level} for i, level in enumerate(levels)]
    for i, reached in enumerate(below):
        for j in range(i + 1, len(levels) - 1):
            reached[j] = composing.gather(levels[j], reached[j - 1])
    made = []
    for axis, splits in enumerate(levels):
        lengths = (splits[1:] - splits[:-1]) * multiples[axis + 1]
        repeats: int | Tensor = 1
        for outer in range(axis - 1, -1, -1):
            if known is None or known[outer + 1] != 1:
                lengths = repeat_ranges(lengths, below[outer][axis - 1] * repeats, multiples[outer + 1])
            repeats = repeats * multiples[outer + 1]
        made.append(lengths_to_splits(raw.Tile(lengths, multiples[:1])))
    return made
