"""Factorizations, inverses, determinants and solutions of linear systems, over batches of matrices.

Gradients: M. Giles, "An extended collection of matrix derivative results for forward and reverse mode automatic
differentiation" (2008), where no other source is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import Dims, merge_dim, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.matrices import adjoint, identity
from headrace.kernels.legacy_op_types import with_rules_of
from headrace.kernels.math import matrix_functions
from headrace.kernels.math.matrices import in_float, matrix_dims, refuse_unknown, with_batch
from headrace.kernels.math.native_matrices import on_squares, solution_rule
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import OpView, TensorLike


_TYPES = "{double, float, half, complex64, complex128}"
_REAL_FIRST = "{half, float, double, complex64, complex128}"


def _invalid(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


def _square(dims: Dims) -> tuple[Dims, int | None]:
    batch, rows, columns = matrix_dims(dims)
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")
    return batch, rows if rows is not None else columns


def square_shape(op: OpView) -> list[Dims]:
    batch, size = _square(op.inputs[0].dims)
    return [with_batch(batch, size, size)]


def check_square(x: torch.Tensor) -> None:
    """Raises InvalidArgumentError unless the last two dimensions are there and equal."""
    if x.dim() < 2:
        raise _invalid(f"Input tensor 0 must have rank >= 2, got {x.dim()}")
    if x.shape[-1] != x.shape[-2]:
        raise _invalid("Input matrix must be square.")


def _check_system(a: torch.Tensor, b: torch.Tensor) -> None:
    """Raises InvalidArgumentError unless `a` is square matrices and `b` right-hand sides for them."""
    if a.dim() != b.dim():
        raise _invalid(f"All input tensors must have the same rank: {list(a.shape)} and {list(b.shape)}")
    if a.dim() >= 2 and a.shape[-1] != a.shape[-2]:
        raise _invalid(f"First input (lhs) must be a square matrix: {list(a.shape)}")
    check_square(a)
    if a.shape[-1] != b.shape[-2]:
        raise _invalid(f"Input matrix and rhs are incompatible: {list(a.shape)} and {list(b.shape)}")


def _refusing(run: Callable[..., Any], text: str) -> Callable[..., Any]:
    """`run`, whose numerical failures are said in TensorFlow's words."""

    def checked(*values: Any) -> torch.Tensor:
        try:
            return run(*values)
        except torch.linalg.LinAlgError:
            raise _invalid(text) from None

    return checked


cholesky_op = op("Cholesky", f"input: T, *, T: {_TYPES} -> output: T")
cholesky_op.shape(square_shape)
cholesky_op.native(on_squares("cholesky"))


@cholesky_op.kernel
def cholesky_kernel(node):
    def cholesky(x):
        check_square(x)
        factor, failed_at = torch.linalg.cholesky_ex(x)
        failed = failed_at != 0
        if not bool(failed.any()):
            return factor
        # A matrix with an element that is not a number has a factor of such, no error.
        unknown = torch.isnan(x).any(-1).any(-1)
        if bool((failed & ~unknown).any()):
            raise _invalid("Cholesky decomposition was not successful. The input might not be valid.")
        return torch.where(failed[..., None, None], torch.full_like(x, torch.nan).tril(), factor)

    return in_float(node, cholesky)


@cholesky_op.gradient
def cholesky_gradient(op, grad):
    """As in section 3.2 of Murray, "Differentiation of the Cholesky decomposition", arXiv:1602.07527."""
    lower = op.outputs[0]
    rows = composing.shape(lower)[-1]
    batch = composing.shape(lower)[:-2]
    inverse = raw.MatrixTriangularSolve(lower, identity(rows, batch, lower.dtype))
    middle = composing.matmul(lower, grad, adjoint_a=True)
    half = 0.5 * raw.MatrixDiagPart(middle, name="diag_part")
    middle = raw.MatrixSetDiag(middle, half, name="set_diag")
    middle = raw.MatrixBandPart(middle, -1, 0)
    grad_a = composing.matmul(composing.matmul(inverse, middle, adjoint_a=True), inverse)
    grad_a += adjoint(grad_a)
    return [grad_a * 0.5]


cholesky_grad_op = op("CholeskyGrad", "l: T, grad: T, *, T: {half, float, double} -> output: T")
cholesky_grad_op.shape(square_shape)


@cholesky_grad_op.kernel
def cholesky_grad_kernel(node):
    def gradient(lower, grad):
        middle = (lower.mT @ grad.tril()).tril()
        middle.diagonal(0, -2, -1).mul_(0.5)
        solved = torch.linalg.solve_triangular(lower.mT, middle, upper=True)
        grad_a = torch.linalg.solve_triangular(lower.mT, solved.mT, upper=True)
        return 0.5 * (grad_a + grad_a.mT)

    return in_float(node, gradient)


inverse_op = op("MatrixInverse", f"input: T, *, adjoint=False, T: {_TYPES} -> output: T")
inverse_op.shape(square_shape)
inverse_op.native(on_squares("matrix_inverse"))


@inverse_op.kernel
def matrix_inverse_kernel(node):
    is_adjoint = node.attrs["adjoint"]

    def inverse(x):
        check_square(x)
        return refuse_unknown(torch.linalg.inv(x.mH if is_adjoint else x), x, failed)

    failed = "Input is not invertible."
    return _refusing(in_float(node, inverse), failed)


@inverse_op.gradient
def matrix_inverse_gradient(op, grad):
    """d(A^-1) = -A^-1 dA A^-1 (Giles 2008)."""
    inverse = op.outputs[0]
    inner = composing.matmul(grad, inverse, adjoint_b=True)
    return [-composing.matmul(inverse, inner, adjoint_a=True)]


determinant_op = op("MatrixDeterminant", f"input: T, *, T: {_REAL_FIRST} -> output: T")


@determinant_op.shape
def matrix_determinant_shape(op):
    return [_square(op.inputs[0].dims)[0]]


@determinant_op.kernel
def matrix_determinant_kernel(node):
    def determinant(x):
        check_square(x)
        return torch.linalg.det(x)

    return in_float(node, determinant)


def _times_inverse(a: Tensor, factor: Tensor, like: Tensor) -> Tensor:
    inverse = raw.MatrixInverse(a, adjoint=True)
    sizes = composing.concat([composing.shape(like), [1, 1]], 0)
    return raw.Reshape(factor, sizes) * inverse


@determinant_op.gradient
def matrix_determinant_gradient(op, grad):
    """d det A = det A tr(A^-1 dA): Jacobi's formula (Giles 2008)."""
    a, determinant = op.inputs[0], op.outputs[0]
    inverse = raw.MatrixInverse(a, adjoint=True)
    factor = grad * determinant
    sizes = composing.concat([composing.shape(determinant), [1, 1]], 0)
    return [raw.Reshape(factor, sizes) * inverse]


log_determinant_op = op("LogMatrixDeterminant", f"input: T, *, T: {_REAL_FIRST} -> sign: T, log_abs_determinant: T")


@log_determinant_op.shape
def log_matrix_determinant_shape(op):
    batch, _ = _square(op.inputs[0].dims)
    return [batch, batch]


@log_determinant_op.kernel
def log_matrix_determinant_kernel(node):
    def log_determinant(x):
        check_square(x)
        sign, log = torch.linalg.slogdet(x)
        return sign, log.to(x.dtype)

    return in_float(node, log_determinant)


@log_determinant_op.gradient
def log_matrix_determinant_gradient(op, _, grad):
    """d log |det A| = tr(A^-1 dA) (Giles 2008)."""
    return [_times_inverse(op.inputs[0], grad, op.outputs[1])]


def _solve_shape(square: bool) -> Callable[[Any], list[Dims]]:
    @ranked(None, None, 0)
    def rule(op: OpView) -> list[Dims]:
        if square:
            batch, rows = _square(op.inputs[0].dims)
            columns = rows
        else:
            batch, rows, columns = matrix_dims(op.inputs[0].dims)
        rhs_batch, rhs_rows, rhs_columns = matrix_dims(op.inputs[1].dims)
        if op.inputs[1].dims is not None and op.inputs[0].dims is not None:
            merge_dim(rows, rhs_rows)
        batch = merge_dims(batch, rhs_batch)
        if square and columns is None:
            columns = rhs_rows
        return [with_batch(batch, columns, rhs_columns)]

    return rule


solve_op = op("MatrixSolve", f"matrix: T, rhs: T, *, adjoint=False, T: {_TYPES} -> output: T")
solve_op.shape(_solve_shape(True))
solve_op.native(solution_rule("matrix_solve"))


@solve_op.kernel
def matrix_solve_kernel(node):
    is_adjoint = node.attrs["adjoint"]

    def solve(a, b):
        if a.shape[:-2] != b.shape[:-2]:
            raise _invalid("All input tensors must have the same outer dimensions.")
        _check_system(a, b)
        return refuse_unknown(torch.linalg.solve(a.mH if is_adjoint else a, b), a, failed)

    failed = "Input matrix is not invertible."
    return _refusing(in_float(node, solve), failed)


def _solution_gradient(solution: Tensor, grad_b: Tensor, is_adjoint: bool) -> Tensor:
    """With A X = B: dX = A^-1 (dB - dA X) (Giles 2008)."""
    if is_adjoint:
        return -composing.matmul(solution, grad_b, adjoint_b=True)
    return -composing.matmul(grad_b, solution, adjoint_b=True)


@solve_op.gradient
def matrix_solve_gradient(op, grad):
    is_adjoint = op.attrs["adjoint"]
    grad_b = raw.MatrixSolve(op.inputs[0], grad, adjoint=not is_adjoint)
    return [_solution_gradient(op.outputs[0], grad_b, is_adjoint), grad_b]


triangular_solve_op = op(
    "MatrixTriangularSolve", f"matrix: T, rhs: T, *, lower=True, adjoint=False, T: {_TYPES} -> output: T"
)
triangular_solve_op.shape(_solve_shape(True))
triangular_solve_op.native(solution_rule("triangular_solve"))


@triangular_solve_op.kernel
def matrix_triangular_solve_kernel(node):
    lower, is_adjoint = node.attrs["lower"], node.attrs["adjoint"]

    def solve(a, b):
        _check_system(a, b)
        if bool((a.diagonal(0, -2, -1) == 0).any()):
            raise _invalid("Input matrix is not invertible.")
        return torch.linalg.solve_triangular(a.mH if is_adjoint else a, b, upper=lower == is_adjoint)

    return in_float(node, solve)


@triangular_solve_op.gradient
def matrix_triangular_solve_gradient(op, grad):
    is_adjoint, lower = op.attrs["adjoint"], op.attrs["lower"]
    grad_b = raw.MatrixTriangularSolve(op.inputs[0], grad, lower=lower, adjoint=not is_adjoint)
    grad_a = _solution_gradient(op.outputs[0], grad_b, is_adjoint)
    band = (-1, 0) if lower else (0, -1)
    return [raw.MatrixBandPart(grad_a, *band), grad_b]


least_squares_op = op(
    "MatrixSolveLs",
    f"matrix: T, rhs: T, l2_regularizer: double, *, T: {_TYPES}, fast=True -> output: T",
)
least_squares_op.shape(_solve_shape(False))


@least_squares_op.kernel
def matrix_solve_ls_kernel(node):
    fast = node.attrs["fast"]

    def solve(a, b, regularizer):
        rows, columns = a.shape[-2:]
        if not fast:
            # The solution of least norm, whatever the rank; it takes no regularizer.
            return torch.linalg.pinv(a) @ b
        weight = abs(float(regularizer))
        eye = weight * torch.eye(min(rows, columns), dtype=a.dtype, device=a.device)
        if rows >= columns:
            return torch.linalg.solve(a.mH @ a + eye, a.mH @ b)
        return a.mH @ torch.linalg.solve(a @ a.mH + eye, b)

    return _refusing(in_float(node, solve), "Input matrix was rank deficient or ill-conditioned.")


def regularized_gramian_cholesky(matrix: Tensor, weight: float, first_kind: bool) -> Tensor:
    """The Cholesky factor of A^H A (or A A^H) plus the weight times the identity."""
    gramian = composing.matmul(matrix, matrix, adjoint_a=first_kind, adjoint_b=not first_kind)
    if isinstance(weight, Tensor) or weight != 0:
        shape = composing.shape(matrix)
        batch = shape[:-2]
        small = shape[-1] if first_kind else shape[-2]
        eye = identity(small, batch, matrix.dtype)
        if matrix.dims is not None:
            side = matrix.dims[-1 if first_kind else -2]
            eye.set_shape((*matrix.dims[:-2], side, side))
        gramian += weight * eye
    return raw.Cholesky(gramian)


def cholesky_solution(factor: TensorLike, rhs: TensorLike) -> Any:
    """The solution of a system whose matrix has the given Cholesky factor."""
    with name_scope(None, "cholesky_solve", [factor, rhs]):
        half = raw.MatrixTriangularSolve(factor, rhs, adjoint=False, lower=True)
        return raw.MatrixTriangularSolve(factor, half, adjoint=True, lower=True)


@least_squares_op.gradient
def matrix_solve_ls_gradient(op, grad):
    """Through the normal equations, of the first kind for tall matrices, of the second for wide ones."""
    if not op.attrs["fast"]:
        raise ValueError("Gradient not defined for fast=False")
    a, b, weight = op.inputs
    rows, columns = a.dims[-2:] if a.dims is not None else (None, None)
    if rows is None or columns is None:
        raise NotImplementedError("MatrixSolveLs: the gradient for matrices of unknown size; give them a static shape.")
    weight = composing.cast(weight, a.dtype.base_dtype)
    matmul = composing.matmul
    if rows >= columns:
        x = op.outputs[0]
        factor = regularized_gramian_cholesky(a, weight, True)
        z = cholesky_solution(factor, grad)
        xzt = matmul(x, z, adjoint_b=True)
        both = xzt + composing.matrix_transpose(xzt)
        return [-matmul(a, both) + matmul(b, z, adjoint_b=True), matmul(a, z), None]
    factor = regularized_gramian_cholesky(a, weight, False)
    grad_b = cholesky_solution(factor, matmul(a, grad))
    solved = cholesky_solution(factor, b)
    first = -matmul(grad_b, matmul(solved, a, adjoint_a=True))
    rest = grad - matmul(a, grad_b, adjoint_a=True)
    return [first + matmul(solved, rest, adjoint_b=True), grad_b, None]


def _declare_simple(op_type: str, types: str, function: Callable[[Any], Any]) -> OpDecl:
    """An op from square matrices to square matrices of the same size."""
    decl = op(op_type, f"input: T, *, T: {types} -> output: T")
    decl.shape(square_shape)

    @decl.kernel
    def kernel(node):
        def run(x):
            check_square(x)
            return function(x)

        return in_float(node, run)

    return decl


exponential_op = _declare_simple("MatrixExponential", _TYPES, torch.linalg.matrix_exp)
logarithm_op = _declare_simple("MatrixLogarithm", "{complex64, complex128}", matrix_functions.logarithm)
square_root_op = _declare_simple("MatrixSquareRoot", _TYPES, matrix_functions.square_root)


@exponential_op.gradient
def matrix_exponential_gradient(op, grad):
    """The upper right block of exp([[A^H, G], [0, A^H]]).

    R. Mathias, "A chain rule for matrix functions and applications", SIAM Journal on Matrix Analysis and Applications
    17 (1996).
    """
    a = op.inputs[0]
    adjoint_a = adjoint(a)
    blocks = composing.concat(
        [
            composing.concat([adjoint_a, grad], -1),
            composing.concat([composing.zeros_like(adjoint_a), adjoint_a], -1),
        ],
        -2,
    )
    size = composing.shape(a)[-1]
    return [raw.MatrixExponential(blocks)[..., :size, size:]]


@square_root_op.gradient
def matrix_square_root_gradient(op, grad):
    """The Sylvester equation that the product rule gives for X X = A, solved as one linear system."""
    root = op.outputs[0]
    shape = composing.shape(root)
    order = shape[-1]
    batch = shape[0:-2]
    count = raw.Prod(batch, convert_to_tensor([0], "int32"))
    eye = raw.Reshape(identity(order, None, root.dtype), [-1])
    eye = raw.Reshape(raw.Tile(eye, composing.stack([count], name="Tile/multiples")), shape)
    root_transposed = composing.matrix_transpose(root)
    system = raw.Add(_kronecker(eye, root_transposed), _kronecker(root, eye))
    flat = composing.concat([raw.Slice(shape, [0], [raw.Sub(composing.size(shape), 2)]), [order * order], [1]], 0)
    vector = raw.Reshape(composing.matrix_transpose(grad), flat)
    solved = raw.MatrixSolve(system, vector)
    return [composing.matrix_transpose(raw.Reshape(solved, shape))]


def _kronecker(a: Tensor, b: Tensor) -> Tensor:
    shapes = composing.shape(a), composing.shape(b)
    orders = shapes[0][-1], shapes[1][-1]
    batch = raw.Slice(shapes[0], [0], [raw.Sub(composing.size(shapes[0]), 2)])
    reshaped = (
        composing.concat([batch, [orders[0]], [1], [orders[0]], [1]], 0),
        composing.concat([batch, [1], [orders[1]], [1], [orders[1]]], 0),
    )
    a, b = raw.Reshape(a, reshaped[0]), raw.Reshape(b, reshaped[1])
    square = orders[0] * orders[1]
    full_shape = composing.concat([batch, [square], [square]], 0)
    return raw.Reshape(a * b, full_shape)


for _decl in (cholesky_op, cholesky_grad_op, inverse_op, determinant_op, log_determinant_op, solve_op):
    _decl.rejects(*[[2, 3]] * len(_decl.signature.inputs), error=ValueError)

# Positive definite, so that all of them are defined; and a triangle of theirs.
_MATRIX = np.array([[4, 1, 2], [1, 3, 0.5], [2, 0.5, 5]], np.float32)
_TRIANGLES = np.array([[[2, 0], [0.5, 1]], [[1, 0], [3, 0.5]]], np.float32)
_SINGULAR = np.array([[1, 2], [2, 4]], np.float32)
_COMPLEX = np.array([[2, 1j], [0.5, 1 - 1j]], np.complex64)

cholesky_op.accepts(_MATRIX).accepts(_TRIANGLES @ _TRIANGLES.transpose(0, 2, 1)).rejects(
    _SINGULAR, error=InvalidArgumentError
)
cholesky_grad_op.accepts(_TRIANGLES, [2, 2, 2])
inverse_op.accepts([2, 3, 3]).accepts(_MATRIX, adjoint=True).accepts(_COMPLEX, adjoint=True)
inverse_op.rejects(_SINGULAR, error=InvalidArgumentError)
determinant_op.accepts([3, 3]).accepts([2, 2, 2]).accepts(_COMPLEX)
log_determinant_op.accepts([2, 2, 2]).accepts(-_MATRIX)
solve_op.accepts([2, 3, 3], [2, 3, 1]).accepts([2, 2], [2, 2], adjoint=True).accepts(_COMPLEX, _COMPLEX, adjoint=True)
solve_op.rejects(_SINGULAR, [2, 1], error=InvalidArgumentError)
triangular_solve_op.accepts([3, 3], [3, 2]).accepts([2, 3, 3], [2, 3, 1], lower=False, adjoint=True)
triangular_solve_op.rejects([3, 3], [2, 2], error=ValueError)
least_squares_op.accepts([4, 2], [4, 2], np.float64(0.1)).accepts([2, 2, 3], [2, 2, 1], np.float64(0.5))
least_squares_op.accepts(_MATRIX[:, :2], _MATRIX, np.float64(0), fast=False)
least_squares_op.rejects([4, 2], [3, 2], np.float64(0), error=ValueError)
exponential_op.accepts([2, 2, 2]).rejects([2, 3], error=ValueError)
logarithm_op.accepts(_COMPLEX).accepts(_MATRIX.astype(np.complex128)).rejects([2, 3], error=ValueError)
square_root_op.accepts(_MATRIX).accepts(_COMPLEX).rejects([2, 3], error=ValueError)


# ---- their names before 1.0 ----

_REALS = "{double, float}"
with_rules_of(
    op("BatchMatrixDeterminant", "input: T, *, T: {float, double, complex64, complex128} -> output: T"), determinant_op
)
with_rules_of(op("BatchMatrixInverse", f"input: T, *, adjoint=False, T: {_REALS} -> output: T"), inverse_op)
with_rules_of(op("BatchMatrixSolve", f"matrix: T, rhs: T, *, adjoint=False, T: {_REALS} -> output: T"), solve_op)
with_rules_of(
    op("BatchMatrixSolveLs", f"matrix: T, rhs: T, l2_regularizer: double, *, T: {_REALS}, fast=True -> output: T"),
    least_squares_op,
)
with_rules_of(
    op("BatchMatrixTriangularSolve", f"matrix: T, rhs: T, *, lower=True, adjoint=False, T: {_REALS} -> output: T"),
    triangular_solve_op,
)
with_rules_of(op("BatchCholesky", f"input: T, *, T: {_REALS} -> output: T"), cholesky_op)
with_rules_of(op("BatchCholeskyGrad", "l: T, grad: T, *, T: {float, double} -> output: T"), cholesky_grad_op)
