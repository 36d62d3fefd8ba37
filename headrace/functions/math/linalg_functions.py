"""The public functions of linear algebra: `tf.linalg` and its older spellings directly under `tf`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dims import element_count, is_fully_defined
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.kernels import composing
from headrace.ops.math.linalg import regularized_gramian_cholesky

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


# The size above which many small systems are faster solved one by one, in bytes.
_CACHE = 256000


def cholesky(
    input: TensorLike | np.ndarray | Sequence[Sequence[float | Sequence[float]]], name: str | None = None
) -> Tensor:
    """The lower triangular L with L L^H = A, for positive definite A.

    Args:
        input: floating or complex numbers of shape (..., n, n); only the lower triangles are read.
        name: a name for the operation.

    Raises:
        InvalidArgumentError: when run, if a matrix is not positive definite.

    Example:
        >>> tf.Session().run(tf.cholesky([[4.0, 0.0], [0.0, 9.0]]))
        array([[2., 0.],
               [0., 3.]], dtype=float32)
    """
    return raw.Cholesky(input, name=name)


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """The solution of A X = B, given the Cholesky factor of A.

    Args:
        chol: lower triangular, shape (..., n, n), as `cholesky` gives it.
        rhs: shape (..., n, k).
        name: a name scope.

    Returns:
        a tensor of the shape of `rhs`.
    """
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        half = raw.MatrixTriangularSolve(chol, rhs, adjoint=False, lower=True)
        return raw.MatrixTriangularSolve(chol, half, adjoint=True, lower=True)


def matrix_determinant(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinants of square matrices.

    Args:
        input: floating or complex numbers of shape (..., n, n).
        name: a name for the operation.

    Returns:
        a tensor of shape (...).
    """
    return raw.MatrixDeterminant(input, name=name)


def slogdet(input: TensorLike, name: str | None = None) -> Any:
    """The signs and the logarithms of the absolute values of determinants.

    Args:
        input: floating or complex numbers of shape (..., n, n).
        name: a name for the operation.

    Returns:
        a namedtuple of `sign` and `log_abs_determinant`, both of shape (...).
    """
    return raw.LogMatrixDeterminant(input, name=name)


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of positive definite matrices.

    Args:
        matrix: floating or complex numbers of shape (..., n, n).
        name: a name scope.

    Returns:
        a tensor of shape (...).

    Raises:
        InvalidArgumentError: when run, if a matrix is not positive definite.
    """
    with name_scope(name, "logdet", [matrix]):
        diagonal = raw.MatrixDiagPart(raw.Cholesky(matrix), name="diag_part")
        return 2.0 * raw.Sum(_log(_real(diagonal)), [-1])


def _log(x: Tensor) -> Tensor:
    return raw.Log(x)


def _real(x: Tensor) -> Tensor:
    with name_scope(None, "Real", [x]) as scope:
        return raw.Real(x, Tout=x.dtype.real_dtype, name=scope) if x.dtype.is_complex else x


def matrix_inverse(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of square matrices.

    Args:
        input: floating or complex numbers of shape (..., n, n).
        adjoint: of their conjugate transposes instead.
        name: a name for the operation.

    Raises:
        InvalidArgumentError: when run, if a matrix is singular.
    """
    return raw.MatrixInverse(input, adjoint=adjoint, name=name)


def matrix_solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The solutions X of A X = B.

    Args:
        matrix: floating or complex numbers of shape (..., n, n).
        rhs: the same type, shape (..., n, k).
        adjoint: solve with the conjugate transpose of `matrix` instead.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `rhs`.

    Raises:
        InvalidArgumentError: when run, if a matrix is singular.
    """
    return raw.MatrixSolve(matrix, rhs, adjoint=adjoint, name=name)


def matrix_triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solutions X of A X = B for triangular A.

    Args:
        matrix: floating or complex numbers of shape (..., n, n); the other triangles are not read.
        rhs: the same type, shape (..., n, k).
        lower: whether the matrices are lower or upper triangular.
        adjoint: solve with the conjugate transpose of `matrix` instead.
        name: a name for the operation.

    Returns:
        a tensor of the shape of `rhs`.

    Raises:
        InvalidArgumentError: when run, if there is a zero on a diagonal.
    """
    return raw.MatrixTriangularSolve(matrix, rhs, lower=lower, adjoint=adjoint, name=name)


def matrix_solve_ls(
    matrix: Any, rhs: TensorLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The least squares solutions of A X = B.

    Args:
        matrix: floating or complex numbers of shape (..., m, n).
        rhs: the same type, shape (..., m, k).
        l2_regularizer: the weight of the squared norm of the solution.
        fast: through the normal equations; else by an orthogonal decomposition, for any rank.
        name: a name for the operation.

    Returns:
        a tensor of shape (..., n, k).

    Raises:
        NotImplementedError: for a weight with complex128.
    """
    matrix = convert_to_tensor(matrix, name="matrix")
    weighted = isinstance(l2_regularizer, Tensor) or l2_regularizer != 0
    if matrix.dtype.name == "complex128" and weighted:
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to poor accuracy."
        )
    dims = matrix.dims
    if not fast or (is_fully_defined(dims) and _many_small(dims, matrix.dtype.size)):
        return raw.MatrixSolveLs(matrix, rhs, l2_regularizer, fast=fast, name=name)
    with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):

        def tall() -> Tensor:
            factor = regularized_gramian_cholesky(matrix, l2_regularizer, True)
            return cholesky_solve(factor, composing.matmul(matrix, rhs, adjoint_a=True))

        def wide() -> Tensor:
            factor = regularized_gramian_cholesky(matrix, l2_regularizer, False)
            return composing.matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)

        if dims is not None and None not in dims[-2:]:
            return tall() if dims[-2] >= dims[-1] else wide()
        sides = composing.shape(matrix)[-2:]
        return cond(sides[-2] >= sides[-1], tall, wide)


def _many_small(dims: Any, item: int) -> bool:
    return (element_count(dims) or 0) * item > _CACHE and (element_count(dims[:-2]) or 0) > min(dims[-2:])


def self_adjoint_eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues, in rising order, and eigenvectors of self-adjoint matrices.

    Args:
        tensor: floating or complex numbers of shape (..., n, n); only the lower triangles are read.
        name: a name for the operation.

    Returns:
        (e, v): shapes (..., n) and (..., n, n), a vector a column.
    """
    e, v = raw.SelfAdjointEigV2(tensor, compute_v=True, name=name)
    return e, v


def self_adjoint_eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """The eigenvalues of self-adjoint matrices, in rising order.

    Args:
        tensor: floating or complex numbers of shape (..., n, n); only the lower triangles are read.
        name: a name for the operation.

    Returns:
        a tensor of shape (..., n).
    """
    return raw.SelfAdjointEigV2(tensor, compute_v=False, name=name).e


def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular value decompositions A = U diag(s) V^H.

    Args:
        tensor: floating or complex numbers of shape (..., m, n).
        full_matrices: U and V square.
        compute_uv: compute U and V too.
        name: a name for the operation.

    Returns:
        (s, u, v), or s alone: s of shape (..., min(m, n)) in falling order.
    """
    s, u, v = raw.Svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    return (_real(s), u, v) if compute_uv else _real(s)


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Any:
    """QR decompositions: unitary Q, upper triangular R.

    Args:
        input: floating or complex numbers of shape (..., m, n).
        full_matrices: Q square.
        name: a name for the operation.

    Returns:
        a namedtuple of `q` and `r`.
    """
    return raw.Qr(input, full_matrices=full_matrices, name=name)


def lu(input: TensorLike, output_idx_type: str = "int32", name: str | None = None) -> Any:
    """LU decompositions with row exchanges.

    Args:
        input: floating or complex numbers of shape (..., n, n).
        output_idx_type: the type of `p`.
        name: a name for the operation.

    Returns:
        a namedtuple of `lu`, both triangles in one matrix without the unit diagonal of L, and `p`, of shape (..., n):
        which row of the input is each row of L U.

    Raises:
        InvalidArgumentError: when run, if a matrix is singular.
    """
    return raw.Lu(input, output_idx_type=output_idx_type, name=name)


def matrix_logarithm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithms of square matrices.

    Args:
        input: complex numbers of shape (..., n, n); the matrices must be diagonalizable and invertible.
        name: a name for the operation.
    """
    return raw.MatrixLogarithm(input, name=name)


def matrix_square_root(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal square roots X with X X = A.

    Args:
        input: floating or complex numbers of shape (..., n, n); the matrices must be diagonalizable.
        name: a name for the operation.
    """
    return raw.MatrixSquareRoot(input, name=name)


def _checked(a: Tensor, validate: bool) -> Tensor:
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.dims is not None:
        if len(a.dims) < 2:
            raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {len(a.dims)}).")
        return a
    if not validate:
        return a
    enough = raw.GreaterEqual(composing.rank(a), 2)
    with control_dependencies([raw.Assert(enough, ["Input `a` must have at least 2 dimensions."])]):
        return raw.Identity(a)


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """How many singular values of each matrix are greater than a tolerance.

    Golub and Van Loan, "Matrix computations" (2013), section 5.4.

    Args:
        a: floating numbers of shape (..., m, n).
        tol: the tolerance; by default eps * max(m, n) * the greatest singular value.
        validate_args: check the rank of `a` when run, where it is not known before.
        name: a name scope.

    Returns:
        an int32 tensor of shape (...).

    Raises:
        TypeError: if `a` is not floating; ValueError: if it has less than two dimensions.
    """
    with name_scope(name or "matrix_rank"):
        a = _checked(convert_to_tensor(a, dtype_hint="float32", name="a"), validate_args)
        s = svd(a, compute_uv=False)
        if tol is None:
            sides = a.dims[-2:] if a.dims is not None else (None,)
            if None not in sides:
                side: Any = max(sides)
            else:
                side = raw.Max(composing.shape(a)[-2:], convert_to_tensor([0], "int32"))
            eps = np.finfo(a.dtype.as_numpy_dtype).eps
            tol = eps * composing.cast(side, a.dtype) * raw.Max(s, -1, keep_dims=True)
        return raw.Sum(composing.cast(s > tol, "int32"), -1)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose pseudo-inverses of matrices: V diag(1 / s) U^H.

    Golub and Van Loan, "Matrix computations" (2013), section 5.5.

    Args:
        a: floating numbers of shape (..., m, n).
        rcond: singular values at most this times the greatest count as 0; by default 10 * max(m, n) * eps.
        validate_args: check the rank of `a` when run, where it is not known before.
        name: a name scope.

    Returns:
        a tensor of shape (..., n, m).

    Raises:
        TypeError: if `a` is not floating; ValueError: if it has less than two dimensions.
    """
    with name_scope(name or "pinv"):
        a = _checked(convert_to_tensor(a, name="a"), validate_args)
        kind = a.dtype.as_numpy_dtype
        if rcond is None:
            sides = a.dims[-2:] if a.dims is not None else (None,)
            if None not in sides:
                side: Any = float(max(sides))
            else:
                shape = composing.shape(a)
                side = composing.cast(raw.Maximum(shape[-2], shape[-1]), kind)
            rcond = 10.0 * side * np.finfo(kind).eps
        rcond = convert_to_tensor(rcond, a.dtype, name="rcond")
        s, u, v = svd(a, full_matrices=False, compute_uv=True)
        cutoff = rcond * raw.Max(s, -1)
        # Division by infinity leaves the small ones out.
        kept = raw.SelectV2(s > composing.expand_dims(cutoff, -1), s, np.array(np.inf, kind))
        result = composing.matmul(v / composing.expand_dims(kept, -2), u, adjoint_b=True)
        if a.dims is not None:
            result.set_shape((*a.dims[:-2], a.dims[-1], a.dims[-2]))
        return result
