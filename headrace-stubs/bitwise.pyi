# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor
from headrace.core.typing import TensorLike
__all__ = ['bitwise_and', 'bitwise_or', 'bitwise_xor', 'invert', 'left_shift', 'right_shift']
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """The bits set in both x and y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of int8, int16, int32, int64, uint8, uint16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """The bits set in x or y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of int8, int16, int32, int64, uint8, uint16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """The bits set in exactly one of x and y.

    Args:
        x, y: tensors of one type, of shapes that broadcast of int8, int16, int32, int64, uint8, uint16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def invert(x: TensorLike, name: str | None = ...) -> Tensor:
    """All bits flipped.

    Args:
        x: a tensor of int8, int16, int32, int64, uint8, uint16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
    """
def left_shift(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x shifted left by y bits; y is brought into [0, bits - 1] first.

    Args:
        x, y: tensors of one type, of shapes that broadcast of int8, int16, int32, int64, uint8, uint16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
def right_shift(x: TensorLike, y: TensorLike, name: str | None = ...) -> Tensor:
    """x shifted right by y bits, signed types arithmetically; y as for `left_shift`.

    Args:
        x, y: tensors of one type, of shapes that broadcast of int8, int16, int32, int64, uint8, uint16, uint32, uint64.
        name: a name for the operation.

    Raises:
        TypeError: for other element types.
        ValueError: if the shapes do not broadcast.
    """
