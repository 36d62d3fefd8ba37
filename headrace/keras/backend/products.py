"""Products of matrices and of batches of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.functions.math.reduction import reduce_sum
from headrace.keras.backend.arrays import int_shape, is_sparse, ndim
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape
from headrace.ops.sparse.matmul import sparse_tensor_dense_matmul

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def _sizes(x: Any) -> tuple[Any, ...]:
    """The size of each axis: a number where it is known, else a tensor."""
    return tuple(made if known is None else known for known, made in zip(int_shape(x) or (), unstack(shape(x))))


def dot(x: Any, y: Any) -> Tensor:
    """The product of two tensors over the last axis of `x` and the second last of `y`.

    Args:
        x: a tensor, or a sparse matrix.
        y: a tensor.

    Example:
        >>> tf.keras.backend.dot(tf.ones([2, 3]), tf.ones([5, 3, 4])).shape.as_list()
        [2, 5, 4]
    """
    if ndim(x) is not None and (len(x.shape) > 2 or len(y.shape) > 2):
        x_sizes, y_sizes = _sizes(x), _sizes(y)
        order = list(range(len(y_sizes)))
        order.insert(0, order.pop(-2))
        rows = reshape(x, [-1, x_sizes[-1]])
        columns = reshape(transpose(y, perm=order), [y_sizes[-2], -1])
        return reshape(matmul(rows, columns), [*x_sizes[:-1], *y_sizes[:-2], *y_sizes[-1:]])
    return sparse_tensor_dense_matmul(x, y) if is_sparse(x) else matmul(x, y)


def batch_dot(x: Any, y: Any, axes: int | Sequence[int] | None = None) -> Tensor:
    """The products of the samples of two batches.

    Args:
        x, y: tensors whose first axis is that of the batch.
        axes: the axes to sum over, one of `x` and one of `y`, or one number for both. By default the last of `x` and the
            second last of `y`.

    Returns:
        a tensor of at least two axes.

    Example:
        >>> tf.keras.backend.batch_dot(tf.ones([8, 20]), tf.ones([8, 30, 20]), axes=(1, 2)).shape.as_list()
        [8, 30]
    """
    if isinstance(axes, int):
        axes = (axes, axes)
    x_rank, y_rank = ndim(x), ndim(y)
    if x_rank is None or y_rank is None:
        raise TypeError(f"batch_dot: the ranks of both tensors must be known, got shapes {x.shape} and {y.shape}.")
    if axes is None:
        axes = (x_rank - 1, y_rank - 2)
    missing = abs(x_rank - y_rank)
    if x_rank > y_rank:
        y = reshape(y, concat([shape(y), [1] * missing], axis=0))
    elif y_rank > x_rank:
        x = reshape(x, concat([shape(x), [1] * missing], axis=0))
    if len(x.shape) == 2 and len(y.shape) == 2:
        if axes[0] == axes[1]:
            made = reduce_sum(raw.Mul(x, y), axes[0])
        else:
            made = reduce_sum(raw.Mul(transpose(x, [1, 0]), y), axes[1])
    else:
        last = len(x.shape) - 1
        # As in 1.15 these are conjugated.
        made = matmul(x, y, adjoint_a=axes[0] != last, adjoint_b=axes[1] == len(y.shape) - 1)
    if missing:
        first = x_rank + y_rank - 3 if x_rank > y_rank else x_rank - 1
        made = squeeze(made, list(range(first, first + missing)))
    return expand_dims(made, 1) if len(made.shape) == 1 else made
