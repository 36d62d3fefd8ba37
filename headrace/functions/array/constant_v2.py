"""`constant` as TensorFlow 2 has it, and as 1.15's own modules call it: values are spread or reshaped, never repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.eager import executing_eagerly
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
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
    if dims is not None and not executing_eagerly():
        have = np.shape(value)
        if math.prod(have) not in (1, math.prod(size or 0 for size in dims)):
            raise TypeError(f"Expected Tensor's shape: {dims}, got {have}.")
    return first.constant(value, dtype=dtype, shape=shape, name=name)
