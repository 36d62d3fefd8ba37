"""Shapes made of a batch size and the size of a state or output, and states of zeros."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.constant_value import constant_value
from headrace.core.dims import Dims
from headrace.core.dtypes import int32
from headrace.core.eager import executing_eagerly
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims
from headrace.ops.array.constant import constant

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def _part(value: TensorLike | Sequence[int | None]) -> tuple[Any, Dims]:
    """A size as an int32 vector, where there is one, and what is known of it."""
    if isinstance(value, Tensor):
        known = constant_value(value)
        dims: Dims = None if known is None else tuple(int(size) for size in known.reshape(-1))
        if value.dims == ():
            return expand_dims(value, 0), (None,) if dims is None else dims
        if value.dims is None or len(value.dims) != 1:
            raise ValueError(f"prefix tensor must be either a scalar or vector, but saw tensor: {value}")
        return value, dims
    dims = (value,) if isinstance(value, int) or value is None else as_dims(value)
    if dims is None or None in dims:
        return None, dims
    return constant(list(dims), dtype=int32), dims


def shape_with_batch(batch: Any, size: Any) -> Tensor:
    """The shape `[batch] + size` as a tensor; each is an int, a shape or an int32 tensor.

    Raises:
        ValueError: if a part is not known and no tensor either.
    """
    first, _ = _part(batch)
    second, _ = _part(size)
    if first is None or second is None:
        raise ValueError(f"Provided a prefix or suffix of None: {batch} and {size}")
    return concat((first, second), 0)


def static_shape_with_batch(batch: Any, size: Any) -> TensorShape:
    """What is known of the shape `[batch] + size`."""
    # 1.x makes the constants of the dynamic shape here too, and later operations are numbered after them.
    _, first = _part(batch)
    _, second = _part(size)
    return TensorShape(None if first is None or second is None else (*first, *second))


def zero_state_tensors(state_size: object, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
    """Zeros for a state of the given size, in its structure."""

    def of(size: int | Tensor | TensorShape) -> Tensor:
        shape = shape_with_batch(batch_size, size)
        if executing_eagerly():
            # A size that is none is refused as that of a shape.
            static_shape_with_batch(batch_size, size)
            return zeros(shape, dtype=dtype)
        state = zeros(shape, dtype=dtype)
        state.set_shape(static_shape_with_batch(batch_size, size))
        return state

    return nest.map_structure(of, state_size)
