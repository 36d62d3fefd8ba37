"""Tensors made longer at an end of one dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape, dimension_at_index
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.kernels import composing
from headrace.kernels.composing.shapes import rank_internal
from headrace.ops.array import pad as padding
from headrace.ops.array.where import one_hot, where_v2

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def pad(
    x: Tensor,
    axis: Any,
    front: bool = False,
    back: bool = False,
    value: TensorLike = 0,
    count: TensorLike = 1,
    name: str | None = None,
) -> Tensor:
    """`x` with `count` elements of `value` more along a dimension.

    Args:
        x: a tensor.
        axis: int32 scalar, the dimension; negative ones count from the last.
        front, back: at which ends.
        value: what is added, of the type of `x`.
        count: integer scalar.
        name: a name scope.

    Raises:
        ValueError: if it is at neither end. TypeError: if the count is no integer.
    """
    with name_scope(name, "pad", [x, value, count]):
        x = convert_to_tensor(x, name="x")
        value = convert_to_tensor(value, x.dtype, name="value")
        count = convert_to_tensor(count, name="count")
        if not count.dtype.is_integer:
            raise TypeError(f"`count.dtype` (`{count.dtype.name}`) must be `int`-like.")
        if not front and not back:
            raise ValueError("At least one of `front`, `back` must be `True`.")
        static = x.get_shape()
        rank: int | Tensor = static.ndims if static.ndims is not None else rank_internal(x, name="ndims")
        axis = convert_to_tensor(axis, name="axis")
        known = constant_value(axis)
        final = None
        if known is None:
            axis = where_v2(axis < 0, rank + axis, axis)
        else:
            axis = rank + known if known < 0 else known
            if known >= 0 or static.ndims is not None:
                more = constant_value(count)
                size = None if more is None else dimension_at_index(static, int(axis)) + int(more) * (front + back)
                final = static[: int(axis)].concatenate(TensorShape([size])).concatenate(static[int(axis) + 1 :])
        ends = composing.stack([axis if front else -1, axis if back else -1])
        paddings = one_hot(ends, depth=rank, axis=0, on_value=count, dtype="int32")
        result = padding.pad(x, paddings=paddings, constant_values=value)
        if final is not None:
            result.set_shape(final)
        return result
