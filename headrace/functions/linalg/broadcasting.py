"""Linear algebra of batches of matrices that broadcast against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_proper_iterable
from headrace.functions.linalg.arguments import assert_is_batch_matrix
from headrace.functions.math.linalg_functions import cholesky_solve, matrix_solve, matrix_triangular_solve
from headrace.kernels import composing
from headrace.kernels.composing.matrices import adjoint as adjoint_of
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.shape import broadcast_dynamic_shape, broadcast_static_shape, broadcast_to, reshape

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def broadcast_matrix_batch_dims(batch_matrices: Iterable[Any], name: str | None = None) -> list[Tensor]:
    """Matrices with one batch shape.

    Args:
        batch_matrices: tensors of two or more dimensions.
        name: a name for the operations.

    Returns:
        the tensors; those that had another batch shape are repeated along it.

    Raises:
        ValueError: if one has fewer dimensions, or the batch shapes do not broadcast.
    """
    with name_scope(name or "broadcast_matrix_batch_dims", values=batch_matrices):
        assert_proper_iterable(batch_matrices)
        matrices = []
        for matrix in batch_matrices:
            matrices.append(convert_to_tensor(matrix))
            assert_is_batch_matrix(matrices[-1])
        if len(matrices) < 2:
            return matrices
        static = matrices[0].get_shape()[:-2]
        for matrix in matrices[1:]:
            static = broadcast_static_shape(static, matrix.get_shape()[:-2])
        if static.is_fully_defined():
            return [
                matrix
                if matrix.get_shape()[:-2] == static
                else broadcast_to(matrix, composing.concat([static.as_list(), shape_internal(matrix)[-2:]], 0))
                for matrix in matrices
            ]
        batch = shape_internal(matrices[0])[:-2]
        for matrix in matrices[1:]:
            batch = broadcast_dynamic_shape(batch, shape_internal(matrix)[:-2])
        return [broadcast_to(m, composing.concat([batch, shape_internal(m)[-2:]], 0)) for m in matrices]


def cholesky_solve_with_broadcast(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """`tf.cholesky_solve` of batches that broadcast against each other."""
    with name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
        factor, rhs = broadcast_matrix_batch_dims([chol, rhs])
        return cholesky_solve(factor, rhs)


def matrix_solve_with_broadcast(
    matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """`tf.matrix_solve` of batches that broadcast against each other."""
    with name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
        matrix = convert_to_tensor(matrix, name="matrix")
        rhs = convert_to_tensor(rhs, matrix.dtype, name="rhs")
        matrix, rhs, undo, transposed = _folded(matrix, rhs, adjoint)
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return undo(matrix_solve(matrix, rhs, adjoint=adjoint and not transposed))


def matrix_triangular_solve_with_broadcast(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """`tf.matrix_triangular_solve` of batches that broadcast against each other.

    Args:
        matrix: tensor of shape [..., m, m].
        rhs: tensor of shape [..., m, k].
        lower: whether the lower triangle is looked at, not the upper one.
        adjoint: whether to solve for the adjoint of the matrix.
        name: a name for the operations.
    """
    with name_scope(name, "MatrixTriangularSolve", [matrix, rhs]):
        matrix = convert_to_tensor(matrix, name="matrix")
        rhs = convert_to_tensor(rhs, matrix.dtype, name="rhs")
        matrix, rhs, undo, transposed = _folded(matrix, rhs, adjoint)
        if transposed and adjoint:
            # The adjoint has been taken.
            lower, adjoint = not lower, False
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return undo(matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint))


def _folded(matrix: Tensor, rhs: Tensor, adjoint: bool) -> tuple[Tensor, Tensor, Callable[[Tensor], Tensor], bool]:
    """Batch dimensions that only the right side has, made part of its columns where that saves copies of the matrix.

    Returns:
        the matrix, adjoint if it was to be and the right side was changed; the right side; what gives a solution
        its dimensions back; whether the right side was changed.
    """
    unchanged = matrix, rhs, lambda y: y, False
    rank, wide = matrix.get_shape().ndims, rhs.get_shape().ndims
    if rank is None or wide is None or rank >= wide:
        return unchanged
    extra = wide - rank
    # Made before it is known whether they are needed, and again where the matrix changes, as programs that count on
    # the seeds of the ops after them expect.
    _ends(rhs, extra)
    rows = matrix.get_shape()[-2 if adjoint else -1].value
    columns, outer = rhs.get_shape()[-1].value, rhs.get_shape()[:extra]
    known = rows is not None and columns is not None and outer.is_fully_defined()
    if known and (outer.num_elements() < 2 or rows <= columns):
        return unchanged
    if adjoint:
        matrix = adjoint_of(matrix)
    extra_shape, main_shape = _ends(rhs, extra)
    order = np.concatenate([np.arange(extra, wide), np.arange(extra)])
    last = composing.transpose(rhs, order)
    flat = reshape(last, composing.concat([main_shape[:-1], [-1]], 0))

    def undo(y: Tensor) -> Tensor:
        shape = composing.concat([shape_internal(y)[:-1], [main_shape[-1]], extra_shape], 0)
        return composing.transpose(reshape(y, shape), np.argsort(order))

    return matrix, flat, undo, True


def _ends(rhs: Tensor, extra: int) -> tuple[Tensor, Tensor]:
    first = shape_internal(rhs)[:extra]
    return first, shape_internal(rhs)[extra:]
