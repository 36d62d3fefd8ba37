# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor
from headrace.core.typing import TensorLike
__all__ = ['reduce_slice_max', 'reduce_slice_min', 'reduce_slice_prod', 'reduce_slice_sum']
def reduce_slice_max(data: TensorLike, indices, axis, name: str | None = ...) -> Tensor:
    """The greatest elements of slices along an axis.

    Slices may overlap. An end beyond the data is the end of the data. There is no gradient, as there was none in 1.x.

    Args:
        data: a tensor of numbers, of rank 1 at least.
        indices: int32 or int64: [n, 2] of begins and ends (exclusive), or [n + 1], where each element ends a slice and
            begins the next.
        axis: a scalar, not negative.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `data` but for `axis`, which has the number of slices. A slice of nothing gives the least number of the type.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> tf.contrib.reduce_slice_ops.reduce_slice_max([1.0, 2.0, 4.0], [[0, 2], [1, 3]], 0)  # [2.0, 4.0]
    """
def reduce_slice_min(data: TensorLike, indices, axis, name: str | None = ...) -> Tensor:
    """The least elements of slices along an axis.

    Slices may overlap. An end beyond the data is the end of the data. There is no gradient, as there was none in 1.x.

    Args:
        data: a tensor of numbers, of rank 1 at least.
        indices: int32 or int64: [n, 2] of begins and ends (exclusive), or [n + 1], where each element ends a slice and
            begins the next.
        axis: a scalar, not negative.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `data` but for `axis`, which has the number of slices. A slice of nothing gives the greatest number of the type.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> tf.contrib.reduce_slice_ops.reduce_slice_min([1.0, 2.0, 4.0], [[0, 2], [1, 3]], 0)  # [1.0, 2.0]
    """
def reduce_slice_prod(data: TensorLike, indices, axis, name: str | None = ...) -> Tensor:
    """Products of slices along an axis.

    Slices may overlap. An end beyond the data is the end of the data. There is no gradient, as there was none in 1.x.

    Args:
        data: a tensor of numbers, of rank 1 at least.
        indices: int32 or int64: [n, 2] of begins and ends (exclusive), or [n + 1], where each element ends a slice and
            begins the next.
        axis: a scalar, not negative.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `data` but for `axis`, which has the number of slices. A slice of nothing gives 1.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> tf.contrib.reduce_slice_ops.reduce_slice_prod([1.0, 2.0, 4.0], [[0, 2], [1, 3]], 0)  # [2.0, 8.0]
    """
def reduce_slice_sum(data: TensorLike, indices, axis, name: str | None = ...) -> Tensor:
    """Sums of slices along an axis.

    Slices may overlap. An end beyond the data is the end of the data. There is no gradient, as there was none in 1.x.

    Args:
        data: a tensor of numbers, of rank 1 at least.
        indices: int32 or int64: [n, 2] of begins and ends (exclusive), or [n + 1], where each element ends a slice and
            begins the next.
        axis: a scalar, not negative.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `data` but for `axis`, which has the number of slices. A slice of nothing gives 0.

    Raises:
        ValueError: if shapes do not fit.

    Example:
        >>> tf.contrib.reduce_slice_ops.reduce_slice_sum([1.0, 2.0, 4.0], [[0, 2], [1, 3]], 0)  # [3.0, 6.0]
    """
