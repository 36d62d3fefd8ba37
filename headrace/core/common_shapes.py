"""What 1.x's `tensorflow.python.framework.common_shapes` asked of static shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import broadcast_dims
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def has_fully_defined_shape(tensor: Tensor) -> bool:
    """Whether every size of a tensor's static shape is known."""
    return tensor.shape.is_fully_defined()


def rank(tensor: TensorLike) -> int | None:
    """How many dimensions a tensor has; None where that is not known."""
    dims = convert_to_tensor(tensor).dims
    return None if dims is None else len(dims)


def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The static shape that element-wise ops on operands of two static shapes give.

    Raises:
        ValueError: if they do not broadcast.

    Example:
        >>> broadcast_shape(tf.TensorShape([None, 1]), tf.TensorShape([4]))
        TensorShape([Dimension(None), Dimension(4)])
    """
    return TensorShape.from_dims(broadcast_dims(as_dims(shape_x), as_dims(shape_y)))


def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Whether operands of two static shapes may broadcast; not if either has an unknown rank."""
    if shape_x.ndims is None or shape_y.ndims is None:
        return False
    try:
        broadcast_shape(shape_x, shape_y)
    except ValueError:
        return False
    return True
