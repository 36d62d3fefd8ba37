"""Tensors of zeros and ones: constants where they are small and known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import is_fully_defined
from headrace.core.dtypes import as_dtype, float32, int32, string, variant
from headrace.core.dtypes import bool as bool_type
from headrace.core.registry import raw
from headrace.core.shapes import Dimension, TensorShape
from headrace.core.tensor import Tensor
from headrace.core.values import to_array
from headrace.kernels.composing.shapes import shape_internal

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, TensorLike


# Larger values are made when the graph runs, so that the graph stays small.
_SMALL = 1000


def zeros(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of zeros; False for bool, empty strings for string.

    Args:
        shape: ints, a TensorShape, or an int32 or int64 tensor.
        dtype: the element type.
        name: a name for the operation.

    Example:
        >>> tf.zeros([3, 4], tf.int32)
        <tf.Tensor 'zeros:0' shape=(3, 4) dtype=int32>
    """
    dtype = as_dtype(dtype).base_dtype
    zero: int | str = False if dtype is bool_type else "" if dtype is string else 0
    return _repeated(shape, zero, dtype, name, "zeros")


def ones(shape: Any, dtype: Any = float32, name: str | None = None) -> Tensor:
    """A tensor of ones; True for bool.

    Args:
        shape: ints, a TensorShape, or an int32 or int64 tensor.
        dtype: the element type.
        name: a name for the operation.
    """
    dtype = as_dtype(dtype).base_dtype
    return _repeated(shape, True if dtype is bool_type else 1, dtype, name, "ones")


def _repeated(shape: TensorLike, value: int | str, dtype: DType, name: str | None, default_name: str) -> Tensor:
    with name_scope(name, default_name, [shape]) as scope:
        if not isinstance(shape, Tensor):
            sizes = _static_sizes(shape)
            if sizes is not None:
                if (
                    not np.isscalar(shape)
                    and not isinstance(shape, Dimension)
                    and np.prod(sizes, dtype=object) < _SMALL
                ):
                    return convert_to_tensor(to_array(value, dtype, sizes), dtype, name=scope)
                shape = convert_to_tensor(TensorShape(sizes))
            else:
                _note_product(shape)
                shape = convert_to_tensor(shape, int32)
        if not shape.dims:
            shape = raw.Reshape(shape, [-1])
        return raw.Fill(shape, convert_to_tensor(value, dtype), name=scope)


def _static_sizes(shape: TensorLike) -> list[int] | None:
    """The sizes as ints; None if some are tensors or unknown."""
    try:
        dims = TensorShape(shape)
    except (TypeError, ValueError):
        return None
    return [int(size) for size in dims] if is_fully_defined(dims._dims) else None


def _note_product(shape: TensorLike) -> None:
    # TensorFlow multiplies the sizes to see whether the result is small. Where some are tensors that adds operations
    # whose names later operations of the scope, and the seeds that count operations, rest on.
    items = list(shape) if isinstance(shape, (list, tuple)) else []
    if not any(isinstance(item, Tensor) for item in items):
        return
    product = items[0]
    for item in items[1:]:
        if not isinstance(product, Tensor) and not isinstance(item, Tensor):
            product = product * item
        else:
            product = raw.Mul(*_like_tensor(product, item), name="mul")
    raw.Less(product, _SMALL, name="Less")


def _like_tensor(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
    return (x.value if isinstance(x, Dimension) else x, y.value if isinstance(y, Dimension) else y)


def zeros_like(tensor: Any, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Zeros in the shape of `tensor`.

    Args:
        tensor: a tensor.
        dtype: the element type; that of `tensor` by default.
        name: a name for the operation.
        optimize: whether a fully known static shape may give a constant.
    """
    with name_scope(name, "zeros_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        own = tensor.dtype.base_dtype
        new_dtype = own if dtype is None else as_dtype(dtype).base_dtype
        if optimize and is_fully_defined(tensor.dims) and own is not variant:
            return zeros(tensor.shape, new_dtype, name=scope)
        if new_dtype is not own and new_dtype is not variant:
            return zeros(shape_internal(tensor, optimize=optimize), new_dtype, name=scope)
        return raw.ZerosLike(tensor, name=scope)


def ones_like(
    tensor: TensorLike | CompositeTensor, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True
) -> Tensor:
    """Ones in the shape of `tensor`.

    Args:
        tensor: a tensor.
        dtype: the element type; that of `tensor` by default.
        name: a name for the operation.
        optimize: whether a fully known static shape may give a constant.
    """
    with name_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dims = shape_internal(tensor, optimize=optimize)
        result = ones(dims, tensor.dtype.base_dtype if dtype is None else dtype, name=scope)
        result.set_shape(tensor.shape)
        return result
