"""`constant` as TensorFlow 2 has it, and as 1.15's own modules call it: values are spread or reshaped, never repeated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.eager import executing_eagerly
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.core.values import are_overlooked, require_shape
from headrace.ops.array import constant as first

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


def constant(
    value: Any, dtype: DTypeLike | None = None, shape: Sequence[int] | None = None, name: str | None = "Const"
) -> Tensor:
    """A tensor of a given value.

    Args:
        value: a number, string, list or array.
        dtype: its type, by default what the value suggests.
        shape: the shape; a single element fills it, any other number of elements must be that of the shape.
        name: a name for the operation.

    Raises:
        TypeError: if the value has neither one element nor as many as the shape.

    Example:
        >>> tf.compat.v2.constant([1, 2, 3, 4], shape=[2, 2])
    """
    dims = None if shape is None else as_dims(shape)
    if value is None or dims is None or executing_eagerly() or are_overlooked(value, tuple(size or 0 for size in dims)):
        return first.constant(value, dtype=dtype, shape=shape, name=name)
    require_shape(np.shape(value), dims, spread=True)
    # An array gives its type even where none of it has a place.
    given = np.reshape(value, -1)[:0] if 0 in dims else value
    return first.constant(given, dtype=dtype, shape=shape, name=name)
