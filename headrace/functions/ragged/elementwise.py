"""Functions of tensors applied to the values of ragged ones, which broadcast as tensors do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import control_dependencies
from headrace.functions.ragged.dynamic_shape import RaggedTensorDynamicShape, broadcast_dynamic_shape, broadcast_to
from headrace.functions.ragged.splits import assert_splits_match, same_splits_type
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor, is_ragged

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


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


def unary(function: Callable[..., Any], x: RaggedTensor, *args: Any, **kwargs: Any) -> RaggedTensor:
    """`function(x, ...)` where x is ragged."""
    x = convert_to_tensor_or_ragged_tensor(x)
    return x.with_flat_values(function(x.flat_values, *args, **kwargs))


def unary_of_list(
    function: Callable[..., Any], values: Sequence[RaggedTensor], *args: Any, **kwargs: Any
) -> RaggedTensor:
    """`function([...], ...)` where some of the list are ragged, with the same rows."""
    return map_flat_values(lambda items: function(items, *args, **kwargs), list(values))


def binary(function: Callable[..., Any], x: Any, y: Any, *args: Any, **kwargs: Any) -> RaggedTensor:
    """`function(x, y, ...)` where x or y is ragged."""
    if is_ragged(x):
        x = convert_to_tensor_or_ragged_tensor(x, name="x")
        y = convert_to_tensor_or_ragged_tensor(y, preferred_dtype=x.dtype, name="y")
    else:
        y = convert_to_tensor_or_ragged_tensor(y, name="y")
        x = convert_to_tensor_or_ragged_tensor(x, preferred_dtype=y.dtype, name="x")
    same_splits_type(x, y)
    if not _only_inner(x, y) and not _only_inner(y, x):
        shapes = [RaggedTensorDynamicShape.from_tensor(item) for item in (x, y)]
        shape = broadcast_dynamic_shape(*shapes)
        x, y = (broadcast_to(item, shape, broadcast_inner_dimensions=False) for item in (x, y))
    x_values = x.flat_values if is_ragged(x) else x
    y_values = y.flat_values if is_ragged(y) else y
    values = function(x_values, y_values, *args, **kwargs)
    return (x if is_ragged(x) else y).with_flat_values(values)


def _only_inner(rows: TensorLike | RaggedTensor, other: Any) -> bool:
    """Whether `other` has only dimensions within the innermost values of `rows`."""
    if not isinstance(rows, RaggedTensor) or is_ragged(other) or other.dims is None:
        return False
    rank = rows.flat_values.shape.ndims
    return not other.dims or (rank is not None and rank > len(other.dims))
