"""Ragged tensors of nested Python lists, and placeholders of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import name_scope
from headrace.core.dtypes import DType, as_dtype
from headrace.core.shapes import TensorShape
from headrace.functions.array.constant_v2 import constant as constant_v2
from headrace.functions.ragged.tensor import RaggedTensor, is_ragged
from headrace.functions.ragged.value import RaggedTensorValue
from headrace.ops.array.constant import constant as dense_constant
from headrace.ops.array.constant import placeholder as dense_placeholder

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


def constant(
    pylist: int | Sequence[Sequence[int | str | Sequence[float]]],
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Sequence[int] | None = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """A ragged tensor of nested lists.

    Args:
        pylist: nested lists or tuples; the innermost items are all equally deep.
        dtype: the type of the values; by default that which they have.
        ragged_rank: how many levels of rows there are; by default one less than levels of lists.
        inner_shape: the shape of the innermost values, whose lists do not count as levels.
        name: a name for the operations.
        row_splits_dtype: int32 or int64.

    Returns:
        a `RaggedTensor`; a tensor if there are no levels of rows.

    Raises:
        ValueError: if items are not equally deep, or the lists do not fit the rank or shape.
        TypeError: if `pylist` is ragged already.

    Example:
        >>> tf.ragged.constant([[1, 2], [3], [4, 5, 6]])
    """

    def rows(values: Tensor | RaggedTensor, splits: list[int]) -> RaggedTensor:
        return RaggedTensor.from_row_splits(values, dense_constant(splits, dtype=row_splits_dtype), validate=False)

    with name_scope(name, "RaggedConstant"):
        return _build(rows, constant_v2, pylist, dtype, ragged_rank, inner_shape)


def constant_value(
    pylist: Sequence[Sequence[Sequence[int]]],
    dtype: DTypeLike | None = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: DTypeLike = "int64",
) -> Any:
    """A `RaggedTensorValue` of nested lists.

    Args:
        pylist, ragged_rank, inner_shape: as for `tf.ragged.constant`.
        dtype: the NumPy type of the values; by default that which they have.
        row_splits_dtype: int32 or int64.

    Raises:
        ValueError, TypeError: as for `tf.ragged.constant`.

    Example:
        >>> tf.ragged.constant_value([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
    """
    if isinstance(dtype, DType):
        dtype = dtype.as_numpy_dtype
    splits_type = as_dtype(row_splits_dtype).as_numpy_dtype

    def rows(values: RaggedTensorValue | np.ndarray, splits: list[int]) -> RaggedTensorValue:
        return RaggedTensorValue(values, np.array(splits, dtype=splits_type))

    def dense(
        values: Any, dtype: Any = None, shape: Sequence[int] | None = None, name: str | None = None
    ) -> np.ndarray:
        array = np.array(values, dtype=dtype)
        return array if shape is None else array.reshape(shape)

    return _build(rows, dense, pylist, dtype, ragged_rank, inner_shape)


def _is_list(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or np.ndim(item) != 0


def _build(
    rows: Callable[[Any, list[int]], Any],
    dense: Callable[..., Any],
    pylist: Any,
    dtype: Any,
    ragged_rank: int | None,
    inner_shape: Any,
) -> Any:
    if is_ragged(pylist):
        raise TypeError("pylist may not be a RaggedTensor or RaggedTensorValue.")
    inner_rank = None if inner_shape is None else len(inner_shape)
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        if inner_shape:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={inner_rank}")
        return dense(pylist, dtype, ())
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank!r}: must be nonnegative")
    item_depth, depth = depths_of(pylist)
    if item_depth is not None and depth > item_depth:
        raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
    if inner_rank is not None and ragged_rank is not None:
        expected = ragged_rank + inner_rank + 1
        if (item_depth is not None and expected != item_depth) or (item_depth is None and expected < depth):
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={inner_rank}"
            )
    if ragged_rank == 0 or (ragged_rank is None and depth - (inner_rank or 0) < 2):
        return dense(pylist, dtype, inner_shape)
    if inner_shape is None:
        inner_shape = () if ragged_rank is None else default_inner_shape(pylist, ragged_rank)
    if ragged_rank is None:
        ragged_rank = max(1, depth - 1 if item_depth is None else item_depth - 1 - len(inner_shape))
    levels: list[list[int]] = []
    values = list(pylist)
    for _ in range(ragged_rank):
        splits, joined = [0], []
        for row in values:
            joined.extend(row)
            splits.append(len(joined))
        levels.append(splits)
        values = joined
    made = dense(values, dtype=dtype, shape=(len(values), *inner_shape), name="values")
    for splits in reversed(levels):
        made = rows(made, splits)
    return made


def depths_of(item: Any) -> tuple[int | None, int]:
    """How deep the items that are no lists lie (None where there are none), and the deepest lists."""
    if not _is_list(item):
        return 0, 0
    item_depth, depth = None, 1
    for child in item:
        child_items, child_depth = depths_of(child)
        if child_items is not None:
            if item_depth not in (None, child_items + 1):
                raise ValueError("all scalar values must have the same nesting depth")
            item_depth = child_items + 1
        depth = max(depth, child_depth + 1)
    return item_depth, depth


def default_inner_shape(pylist: Any, ragged_rank: int) -> tuple[int, ...]:
    """The shape that all values below `ragged_rank` levels of rows have."""
    values = list(pylist)
    for depth in range(ragged_rank):
        if not all(map(_is_list, values)):
            raise ValueError(
                f"pylist has scalar values depth {depth + 1}, but ragged_rank={ragged_rank} requires scalar value depth "
                f"greater than {ragged_rank}"
            )
        values = [item for row in values for item in row]
    shape: list[int] = []
    item: Any = values
    while _is_list(item):
        shape.append(len(item))
        if not len(item):
            break
        item = item[0]

    def check(item: Any, rest: list[int]) -> None:
        if _is_list(item) != bool(rest) or (rest and len(item) != rest[0]):
            raise ValueError("inner values have inconsistent shape")
        for child in item if rest else ():
            check(child, rest[1:])

    check(values, shape)
    return tuple(shape[1:])


def placeholder(
    dtype: DTypeLike, ragged_rank: int, value_shape: Sequence[Any] | None = None, name: str | None = None
) -> Any:
    """A ragged tensor to feed, with splits of type int64.

    Args:
        dtype: the type of the values.
        ragged_rank: how many levels of rows there are.
        value_shape: the static shape of one of the innermost values.
        name: a name for the operations.

    Returns:
        a `RaggedTensor`; a placeholder if there are no levels of rows.

    Example:
        >>> words = tf.ragged.placeholder(tf.string, 1)
        >>> sess.run(tf.strings.length(words.values), {words: tf.ragged.constant_value([["a"], ["bc", "d"]])})
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder"):
        flat = TensorShape([None]).concatenate(value_shape)
        made: Tensor | RaggedTensor = dense_placeholder(dtype, flat, "flat_values")
        for level in reversed(range(ragged_rank)):
            splits = dense_placeholder("int64", [None], f"row_splits_{level}")
            made = RaggedTensor(made, splits, internal=True)
        return made
