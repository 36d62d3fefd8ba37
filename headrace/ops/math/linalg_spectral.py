"""Decompositions into several factors: eigenvalues, singular values, QR, LU."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.argument_errors import no_kernel
from headrace.core.defaults import control_dependencies
from headrace.core.dims import merge_dim, merge_dims
from headrace.core.dtypes import float16
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.composing.matrices import adjoint, identity
from headrace.kernels.legacy_op_types import with_rules_of
from headrace.kernels.math.matrices import in_float, matrix_dims, refuse_unknown, with_batch

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


_TYPES = "{double, float, half, complex64, complex128}"


def _least(rows: int | None, columns: int | None) -> int | None:
    if rows == 0 or columns == 0:
        return 0
    return None if rows is None or columns is None else min(rows, columns)


eigen_op = op("SelfAdjointEigV2", f"input: T, *, compute_v=True, T: {_TYPES} -> e: T, v: T")


@eigen_op.shape
def self_adjoint_eig_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")
    size = rows if rows is not None else columns
    return [with_batch(batch, size), with_batch(batch, size, size) if op.attrs["compute_v"] else ()]


def _refuse_unknown(x: torch.Tensor) -> None:
    """Raises InvalidArgumentError for elements that are not finite, of which torch makes eigenvalues all the same."""
    if not bool(torch.isfinite(x).all()):
        text = "Self-adjoint eigen decomposition was not successful. The input might not be valid."
        raise InvalidArgumentError(None, None, text)


@eigen_op.kernel
def self_adjoint_eig_kernel(node):
    if node.attrs["compute_v"]:

        def eigen(x):
            _refuse_unknown(x)
            values, vectors = torch.linalg.eigh(x)
            return values.to(x.dtype), vectors
    else:

        def eigen(x):
            _refuse_unknown(x)
            return torch.linalg.eigvalsh(x).to(x.dtype), x.new_zeros(())

    return in_float(node, eigen)


@eigen_op.gradient
def self_adjoint_eig_gradient(op, grad_e, grad_v):
    """Section 3.1 of Giles, "An extended collection of matrix derivative results" (2008), lower triangle only."""
    matmul = composing.matmul
    values = op.outputs[0]
    with control_dependencies([grad_e, grad_v]):
        if op.attrs["compute_v"]:
            v = op.outputs[1]
            gaps = composing.expand_dims(values, -2) - composing.expand_dims(values, -1)
            f = raw.MatrixSetDiag(raw.Reciprocal(gaps), composing.zeros_like(values), name="set_diag")
            inner = raw.MatrixDiag(grad_e, name="diag") + f * matmul(v, grad_v, adjoint_a=True)
        else:
            _, v = raw.SelfAdjointEigV2(op.inputs[0], compute_v=True)
            inner = raw.MatrixDiag(grad_e, name="diag")
        grad_a = matmul(v, matmul(inner, v, adjoint_b=True))
        # The kernel reads the lower triangle, so that gets what the upper one would.
        grad_a = raw.MatrixBandPart(grad_a + adjoint(grad_a), -1, 0)
        half = 0.5 * raw.MatrixDiagPart(grad_a, name="diag_part")
        return [raw.MatrixSetDiag(grad_a, half, name="set_diag")]


def _unknown_unless(finite: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """`x` with what is not a number in all of a batch's elements but the `finite` ones."""
    if not x.dim() or not x.numel():
        return x
    return torch.where(finite.reshape(finite.shape + (1,) * (x.dim() - finite.dim())), x, torch.nan)


svd_op = op("Svd", f"input: T, *, compute_uv=True, full_matrices=False, T: {_TYPES} -> s: T, u: T, v: T")


@svd_op.shape
def svd_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    short = _least(rows, columns)
    values = with_batch(batch, short)
    if not op.attrs["compute_uv"]:
        return [values, (), ()]
    if op.attrs["full_matrices"]:
        return [values, with_batch(batch, rows, rows), with_batch(batch, columns, columns)]
    return [values, with_batch(batch, rows, short), with_batch(batch, columns, short)]


@svd_op.kernel
def svd_kernel(node):
    full = node.attrs["full_matrices"]
    if node.attrs["compute_uv"]:

        def svd(x):
            u, s, vh = torch.linalg.svd(x, full_matrices=full)
            return s.to(x.dtype), u, vh.mH
    else:

        def svd(x):
            return torch.linalg.svdvals(x).to(x.dtype), x.new_zeros(()), x.new_zeros(())

    def tolerant(x):
        try:
            return svd(x)
        except torch.linalg.LinAlgError:
            # TensorFlow has what is not a number for a matrix that holds such.
            finite = torch.isfinite(x).all(-1).all(-1)
            if bool(finite.all()):
                raise
            parts = svd(torch.where(finite[..., None, None], x, torch.zeros_like(x)))
            return tuple(_unknown_unless(finite, part) for part in parts)

    return in_float(node, tolerant)


@svd_op.gradient
def svd_gradient(op, grad_s, grad_u, grad_v):
    """J. Townsend, "Differentiating the singular value decomposition" (2016); wide matrices, tall ones transposed."""
    matmul = composing.matmul
    a = op.inputs[0]
    dims = a.dims
    grad_s_matrix = raw.MatrixDiag(grad_s, name="diag")
    if not op.attrs["compute_uv"]:
        _, u, v = raw.Svd(a, compute_uv=True)
        grad_a = matmul(u, matmul(grad_s_matrix, v, adjoint_b=True))
        grad_a.set_shape(dims)
        return [grad_a]
    if a.dtype.is_complex:
        raise NotImplementedError("SVD gradient is not implemented for complex types and compute_uv=True.")
    batch, rows, columns = matrix_dims(dims)
    batch = merge_dims(merge_dims(batch, matrix_dims(grad_u.dims)[0]), matrix_dims(grad_v.dims)[0])
    if rows is None or columns is None:
        raise NotImplementedError("SVD gradient has not been implemented for input with unknown inner matrix shape.")
    s, u, v = op.outputs
    tall = rows > columns
    m, n = min(rows, columns), max(rows, columns)
    if tall:
        u, v, grad_u, grad_v = v, u, grad_v, grad_u
    full = op.attrs["full_matrices"]
    with control_dependencies([grad_s, grad_u, grad_v]):
        if full and n - m > 1:
            raise NotImplementedError("svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True")
        s_matrix = raw.MatrixDiag(s, name="diag")
        s2 = raw.Square(s)
        # The diagonal is replaced below; the identity keeps it from dividing by zero before.
        sizes = composing.shape(s)
        eye = identity(sizes[-1], sizes[:-1], s.dtype)
        gaps = composing.expand_dims(s2, -2) - composing.expand_dims(s2, -1)
        f = raw.MatrixSetDiag(raw.Reciprocal(gaps + eye), composing.zeros_like(s), name="set_diag")
        s_inverse = raw.MatrixDiag(raw.Reciprocal(s), name="diag")
        v1, grad_v1 = v[..., :, :m], grad_v[..., :, :m]
        turn_u = matmul(u, grad_u, adjoint_a=True)
        turn_v = matmul(v1, grad_v1, adjoint_a=True)
        f_u, f_v = f * turn_u, f * turn_v
        inner = grad_s_matrix + matmul(f_u + adjoint(f_u), s_matrix) + matmul(s_matrix, f_v + adjoint(f_v))
        grad_a = matmul(u, matmul(inner, v1, adjoint_b=True))
        if m != n:
            grad_v1_transposed = composing.matrix_transpose(grad_v1)
            along = matmul(grad_v1_transposed, v1)
            rest = grad_v1_transposed - matmul(along, v1, adjoint_b=True)
            if full:
                v2, grad_v2 = v[..., :, m:n], grad_v[..., :, m:n]
                rest -= matmul(matmul(v1, grad_v2, adjoint_a=True), v2, adjoint_b=True)
            grad_a = grad_a + matmul(matmul(u, s_inverse), rest)
        if tall:
            grad_a = composing.matrix_transpose(grad_a)
        grad_a.set_shape(with_batch(batch, rows, columns))
        return [grad_a]


qr_op = op("Qr", f"input: T, *, full_matrices=False, T: {_TYPES} -> q: T, r: T")


@qr_op.shape
def qr_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    if op.attrs["full_matrices"]:
        return [with_batch(batch, rows, rows), with_batch(batch, rows, columns)]
    short = _least(rows, columns)
    return [with_batch(batch, rows, short), with_batch(batch, short, columns)]


@qr_op.kernel
def qr_kernel(node):
    mode = "complete" if node.attrs["full_matrices"] else "reduced"

    def qr(x):
        parts = tuple(torch.linalg.qr(x, mode=mode))
        finite = torch.isfinite(x).all(-1).all(-1)
        # torch passes over what is not a number.
        return parts if bool(finite.all()) else tuple(_unknown_unless(finite, part) for part in parts)

    return in_float(node, qr)


@qr_op.gradient
def qr_gradient(op, grad_q, grad_r):
    """Walter and Lehmann, "Algorithmic differentiation of linear algebra functions", arXiv:1001.1654."""
    matmul = composing.matmul
    q, r = op.outputs
    if q.dtype.is_complex:
        raise NotImplementedError(f"QrGrad not implemented for dtype: {q.dtype}")
    _, rows, columns = matrix_dims(r.dims)
    if rows is None or columns is None:
        raise NotImplementedError("QrGrad not implemented with dynamic shapes.")
    if rows != columns:
        raise NotImplementedError(
            "QrGrad not implemented when ncols > nrows or full_matrices is true and ncols != nrows."
        )
    qdq = matmul(q, grad_q, adjoint_a=True)
    skew_q = qdq - adjoint(qdq)
    rdr = matmul(r, grad_r, adjoint_b=True)
    skew_r = rdr - adjoint(rdr)
    lower = raw.MatrixBandPart(skew_q + skew_r, -1, 0)

    def over_r(x: Tensor) -> Tensor:
        """x times the inverse of the adjoint of r."""
        return adjoint(raw.MatrixTriangularSolve(r, adjoint(x), lower=False, adjoint=False))

    return [matmul(q, grad_r + over_r(lower)) + over_r(grad_q - matmul(q, qdq))]


lu_op = op("Lu", f"input: T, *, T: {_TYPES}, output_idx_type: index = int32 -> lu: T, p: output_idx_type")


@lu_op.shape
def lu_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")
    size = rows if rows is not None else columns
    return [with_batch(batch, size, size), with_batch(batch, size)]


@lu_op.kernel
def lu_kernel(node):
    index = node.outputs[1].dtype.torch
    narrow = node.inputs[0].dtype.name == "float16"

    def lu(x):
        if x.dim() < 2:
            raise InvalidArgumentError(None, None, f"Input tensor must have rank >= 2, got {x.dim()}")
        if x.shape[-1] != x.shape[-2]:
            raise InvalidArgumentError(None, None, "Input matrix must be square.")
        try:
            factors, pivots = torch.linalg.lu_factor(x.float() if narrow else x)
        except RuntimeError as error:
            if "is zero" not in str(error):
                raise
            raise InvalidArgumentError(None, None, "Input is not invertible.") from None
        refuse_unknown(factors, x, "Input is not invertible.")
        permutation, _, _ = torch.lu_unpack(factors, pivots, unpack_data=False)
        # Column j of the permutation says which row of the input is row j of the product.
        order = permutation.abs().argmax(-2).to(index)
        return (factors.half() if narrow else factors), order

    return lu


_SIGNS = "a vector may as well be its opposite"
_UNSET = "1.15 leaves the vectors unset"
# Of these the vectors are the axes, whoever computes them.
_DIAGONAL = np.array([[2, 0, 0], [0, 0.5, 0], [0, 0, 1]], np.float32)

eigen_op.accepts(_DIAGONAL).accepts([2, 3, 3], varies=_SIGNS).accepts([3, 3], compute_v=False, varies=_UNSET)
eigen_op.rejects([2, 3], error=ValueError)
svd_op.accepts(_DIAGONAL).accepts([2, 3, 2], varies=_SIGNS).accepts([3, 2], full_matrices=True, varies=_SIGNS)
svd_op.accepts([2, 3], compute_uv=False, varies=_UNSET).rejects([3], error=ValueError)
qr_op.accepts(_DIAGONAL).accepts([3, 3], varies=_SIGNS).accepts(_DIAGONAL[:, :2], full_matrices=True)
qr_op.rejects([3], error=ValueError)
lu_op.accepts([2, 3, 3]).accepts([2, 2], output_idx_type="int64")
lu_op.rejects(np.array([[1, 2], [2, 4]], np.float32), error=InvalidArgumentError)

# ---- their names and forms before 1.0 ----

_REALS = "{double, float}"
with_rules_of(op("BatchSelfAdjointEigV2", f"input: T, *, compute_v=True, T: {_REALS} -> e: T, v: T"), eigen_op)
with_rules_of(
    op(
        "BatchSvd",
        "input: T, *, compute_uv=True, full_matrices=False, T: {double, float, complex64, complex128} -> s: T, u: T, v: T",
    ),
    svd_op,
)
eigen_rows_op = op("SelfAdjointEig", "input: T, *, T: {double, float, half} -> output: T")
batch_eigen_rows_op = op("BatchSelfAdjointEig", f"input: T, *, T: {_REALS} -> output: T")
for _decl in (eigen_rows_op, batch_eigen_rows_op):
    _decl.accepts(_DIAGONAL).accepts([2, 2], varies=_SIGNS)
eigen_rows_op.rejects([3], error=ValueError)


@eigen_rows_op.shape
@batch_eigen_rows_op.shape
def eigen_rows_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    size = merge_dim(rows, columns)
    return [with_batch(batch, None if size is None else size + 1, size)]


def _eigen_rows(x: torch.Tensor) -> torch.Tensor:
    """The eigenvalues in the first row, the eigenvectors in the columns below."""
    values, vectors = torch.linalg.eigh(x)
    return torch.cat([values[..., None, :], vectors], -2)


@eigen_rows_op.kernel
@batch_eigen_rows_op.kernel
def eigen_rows_kernel(node):
    if node.inputs[0].dtype is float16:
        raise no_kernel(node)
    return _eigen_rows
