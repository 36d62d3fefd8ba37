"""Functions of tensors applied to the values of ragged ones, which broadcast as tensors do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops import composing
from headrace.ops.flow.assertion import Assert
from headrace.ops.flow.checks import assert_equal
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.ragged.gathering import gather
from headrace.ops.ragged.segment_ids import numbers_up_to, row_splits_to_segment_ids
from headrace.ops.ragged.tensor import (
    RaggedTensor,
    assert_splits_match,
    convert_to_tensor_or_ragged_tensor,
    is_ragged,
    same_splits_type,
)


def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of the innermost values of ragged tensors, which all have the same rows.

    Args:
        op: the function, which returns a tensor of as many values.
        *args, **kwargs: its arguments; ragged tensors, in lists, tuples and dicts too, are replaced by their values.

    Returns:
        a `RaggedTensor` of the same rows; what `op` returns if no argument is ragged.

    Raises:
        ValueError: if the ragged tensors have different numbers of levels. InvalidArgumentError: when it is run and their
            rows differ.

    Example:
        >>> rows = tf.ragged.constant([[1, 2, 3], [], [4]])
        >>> tf.Session().run(tf.ragged.map_flat_values(tf.multiply, rows, 2)).to_list()
        [[2, 4, 6], [], [8]]
    """
    found: list[RaggedTensor] = []

    def flat(value: Any) -> Any:
        if is_ragged(value):
            value = convert_to_tensor_or_ragged_tensor(value)
            found.append(value)
            return value.flat_values
        if isinstance(value, (list, tuple)):
            return type(value)([flat(item) for item in value])
        if isinstance(value, dict):
            return {key: flat(item) for key, item in value.items()}
        return value

    inner_args, inner_kwargs = flat(args), flat(kwargs)
    if not found:
        return op(*args, **kwargs)
    same_splits_type(*found)
    with control_dependencies(assert_splits_match([rows.nested_row_splits for rows in found])):
        values = op(*inner_args, **inner_kwargs)
        return RaggedTensor.from_nested_row_splits(values, found[0].nested_row_splits, validate=False)


def unary(function: Callable[..., Any], x: Any, *args: Any, **kwargs: Any) -> Any:
    """`function(x, ...)` where x is ragged."""
    x = convert_to_tensor_or_ragged_tensor(x)
    return x.with_flat_values(function(x.flat_values, *args, **kwargs))


def unary_of_list(function: Callable[..., Any], values: Any, *args: Any, **kwargs: Any) -> Any:
    """`function([...], ...)` where some of the list are ragged, with the same rows."""
    return map_flat_values(lambda items: function(items, *args, **kwargs), list(values))


def binary(function: Callable[..., Any], x: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
    """`function(x, y, ...)` where x or y is ragged."""
    if is_ragged(x):
        x = convert_to_tensor_or_ragged_tensor(x, name="x")
        y = convert_to_tensor_or_ragged_tensor(y, preferred_dtype=x.dtype, name="y")
    else:
        y = convert_to_tensor_or_ragged_tensor(y, name="y")
        x = convert_to_tensor_or_ragged_tensor(x, preferred_dtype=y.dtype, name="x")
    same_splits_type(x, y)
    if not _only_inner(x, y) and not _only_inner(y, x):
        x, y = broadcast(x, y)
    ragged = x if is_ragged(x) else y
    x_values = x.flat_values if is_ragged(x) else x
    y_values = y.flat_values if is_ragged(y) else y
    return ragged.with_flat_values(function(x_values, y_values, *args, **kwargs))


def _only_inner(rows: Any, other: Any) -> bool:
    """Whether `other` has only dimensions within the innermost values of `rows`."""
    if not isinstance(rows, RaggedTensor) or is_ragged(other) or other.dims is None:
        return False
    rank = rows.flat_values.shape.ndims
    return not other.dims or (rank is not None and rank > len(other.dims))


def broadcast(x: Any, y: Any) -> tuple[Any, Any]:
    """x and y, one of them ragged, with the same rows: dimensions of size 1 become as long as the other's.

    Raises:
        ValueError: if a rank is not known. InvalidArgumentError: when they are run and do not fit.
    """
    ranks = x.shape.ndims, y.shape.ndims
    if None in ranks:
        raise ValueError("Unable to broadcast: unknown rank")
    rank = max(ranks)
    x, y = _of_rank(x, rank), _of_rank(y, rank)
    x, y = _same_rows(x, y)
    return _same_lengths(x, y)


def _of_rank(value: Any, rank: int) -> Any:
    """`value` with dimensions of size 1 before its own, so that there are `rank`."""
    missing = rank - value.shape.ndims
    if not missing:
        return value
    if isinstance(value, RaggedTensor):
        raise NotImplementedError(
            "Broadcasting a RaggedTensor of fewer dimensions than the other value: give both the same number with "
            "tf.expand_dims."
        )
    ones = convert_to_tensor([1] * missing, "int32")
    dims = value.dims
    result = raw.Reshape(value, composing.concat([ones, composing.shape(value)], 0))
    if dims is not None:
        result.set_shape([1] * missing + list(dims))
    return result


def _count(value: Any, dtype: Any) -> Tensor:
    return value.nrows(dtype) if isinstance(value, RaggedTensor) else raw.Shape(value, out_type=dtype)[0]


def _known_count(value: Any) -> int | None:
    dims = value.shape.as_list() if value.shape.ndims is not None else [None]
    return dims[0]


def _same_rows(x: Any, y: Any) -> tuple[Any, Any]:
    """x and y with the same number of rows."""
    known = _known_count(x), _known_count(y)
    if None not in known and known[0] == known[1]:
        return x, y
    dtype = (x if is_ragged(x) else y).row_splits.dtype
    counts = _count(x, dtype), _count(y, dtype)
    one = convert_to_tensor(1, dtype)
    fit = raw.LogicalOr(raw.Equal(*counts), raw.LogicalOr(raw.Equal(counts[0], one), raw.Equal(counts[1], one)))
    message = ["Unable to broadcast: dimension size mismatch in dimension", 0, "lengths=", counts[0], counts[1]]
    total = with_dependencies([Assert(fit, message)], raw.Select(raw.Equal(counts[0], one), counts[1], counts[0]))

    def repeated(value: Any, size: int | None, count: Tensor) -> Any:
        if size is not None and size != 1:
            return value
        numbers = numbers_up_to(total)
        alone = raw.Fill(composing.shape(numbers), raw.Equal(count, one))
        return gather(value, raw.Select(alone, raw.ZerosLike(numbers), numbers))

    return repeated(x, known[0], counts[0]), repeated(y, known[1], counts[1])


def _same_lengths(x: Any, y: Any) -> tuple[Any, Any]:
    """x and y of as many rows each, with rows of the same lengths on all levels on which one of them is ragged."""
    if is_ragged(x) and is_ragged(y):
        checks = [] if x.row_splits is y.row_splits else [_same_splits(x.row_splits, y.row_splits)]
        with control_dependencies(checks):
            inner_x, inner_y = _same_lengths(x.values, y.values)
        return x.with_values(inner_x), y.with_values(inner_y)
    if not is_ragged(x) and not is_ragged(y):
        # An operation of its own waits for the checks of the rows.
        return raw.Identity(x), y
    if is_ragged(y):
        y, x = _same_lengths(y, x)
        return x, y
    # The rows of y have one length, which must be 1.
    size = raw.Shape(y, out_type=x.row_splits.dtype)[1]
    if constant_value(size) != 1:
        message = ["Unable to broadcast: dimension size mismatch in dimension", 1, "lengths=", size]
        y = with_dependencies([Assert(raw.Equal(size, convert_to_tensor(1, size.dtype)), message)], y)
    spread = composing.gather(y[:, 0], row_splits_to_segment_ids(x.row_splits))
    inner_x, inner_y = _same_lengths(x.values, spread)
    return x.with_values(inner_x), RaggedTensor.from_row_splits(inner_y, x.row_splits, validate=False)


def _same_splits(x: Tensor, y: Tensor) -> Any:
    message = "Unable to broadcast: dimension size mismatch"
    if x.shape.is_compatible_with(y.shape):
        return assert_equal(x, y, message=message)
    return Assert(False, [message, x, y])
