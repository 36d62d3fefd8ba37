"""Kernels of pairs of points: what random features approximate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.shapes import expand_dims
from headrace.ops.math.unary import abs as absolute
from headrace.ops.math.unary import exp, square

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def _to_matrix(u: TensorLike) -> Tensor:
    """Points as the rows of a matrix; a vector is one point."""
    points = convert_to_tensor(u)
    rank = points.shape.rank
    if rank not in (1, 2):
        raise ValueError(f"The input tensor should have rank 1 or 2. Given rank: {rank}")
    return expand_dims(points, 0) if rank == 1 else points


def _align_matrices(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """The points of `x` and `y` so that each of the one meets each of the other."""
    rows, columns = _to_matrix(x), _to_matrix(y)
    if columns.shape[1] != rows.shape[1]:
        raise ValueError(
            f"The outermost dimensions of the input tensors should match. Given: {columns.shape[1]} vs {rows.shape[1]}."
        )
    return expand_dims(rows, 1), expand_dims(columns, 0)


def inner_product(u: TensorLike, v: TensorLike) -> Tensor:
    """The products of the rows of two matrices, each with each."""
    return matmul(_to_matrix(u), _to_matrix(v), transpose_b=True)


def exact_gaussian_kernel(x: TensorLike, y: TensorLike, stddev: Any) -> Tensor:
    """`exp(-|x - y|^2 / (2 stddev^2))` of the rows of two matrices, each with each."""
    rows, columns = _align_matrices(x, y)
    return exp(-reduce_sum(square(rows - columns), 2) / (2 * stddev * stddev))


def exact_laplacian_kernel(x: TensorLike, y: TensorLike, stddev: Any) -> Tensor:
    """`exp(-|x - y| / stddev)`, by the sum of absolute differences, of the rows of two matrices, each with each."""
    rows, columns = _align_matrices(x, y)
    return exp(-reduce_sum(absolute(rows - columns), 2) / stddev)
