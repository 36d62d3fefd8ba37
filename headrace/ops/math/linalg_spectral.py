"""Decompositions into several factors: eigenvalues, singular values, QR, LU."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims, merge_dims
from headrace.ops import composing
from headrace.ops.math.linalg import identity, matrix_dims, refuse_unknown

_TYPES = "{double, float, half, complex64, complex128}"


def _joined(batch: Dims, *inner: int | None) -> Dims:
    return None if batch is None else (*batch, *inner)


def _least(rows: int | None, columns: int | None) -> int | None:
    if rows == 0 or columns == 0:
        return 0
    return None if rows is None or columns is None else min(rows, columns)


def _in_float(node: Any, run: Any) -> Any:
    if node.inputs[0].dtype.name != "float16":
        return run
    return lambda x: tuple(part.half() for part in run(x.float()))


eigen_op = op("SelfAdjointEigV2", f"input: T, *, compute_v=True, T: {_TYPES} -> e: T, v: T")


@eigen_op.shape
def self_adjoint_eig_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")
    size = rows if rows is not None else columns
    return [_joined(batch, size), _joined(batch, size, size) if op.attrs["compute_v"] else (0,)]


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
            return torch.linalg.eigvalsh(x).to(x.dtype), x.new_zeros(0)

    return _in_float(node, eigen)


def _adjoint(matrix: Any) -> Any:
    with name_scope(None, "adjoint", [matrix]):
        return composing.matrix_transpose(matrix, conjugate=True)


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
        grad_a = raw.MatrixBandPart(grad_a + _adjoint(grad_a), -1, 0)
        half = 0.5 * raw.MatrixDiagPart(grad_a, name="diag_part")
        return [raw.MatrixSetDiag(grad_a, half, name="set_diag")]


def _unknown_unless(finite: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """`x` with what is not a number in all of a batch's elements but the `finite` ones."""
    if not x.numel():
        return x
    return torch.where(finite.reshape(finite.shape + (1,) * (x.dim() - finite.dim())), x, torch.nan)


svd_op = op("Svd", f"input: T, *, compute_uv=True, full_matrices=False, T: {_TYPES} -> s: T, u: T, v: T")


@svd_op.shape
def svd_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    short = _least(rows, columns)
    values = _joined(batch, short)
    if not op.attrs["compute_uv"]:
        return [values, (0,), (0,)]
    if op.attrs["full_matrices"]:
        return [values, _joined(batch, rows, rows), _joined(batch, columns, columns)]
    return [values, _joined(batch, rows, short), _joined(batch, columns, short)]


@svd_op.kernel
def svd_kernel(node):
    full = node.attrs["full_matrices"]
    if node.attrs["compute_uv"]:

        def svd(x):
            u, s, vh = torch.linalg.svd(x, full_matrices=full)
            return s.to(x.dtype), u, vh.mH
    else:

        def svd(x):
            return torch.linalg.svdvals(x).to(x.dtype), x.new_zeros(0), x.new_zeros(0)

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

    return _in_float(node, tolerant)


@svd_op.gradient
def svd_gradient(op, grad_s, grad_u, grad_v):
    """Townsend, "Differentiating the singular value decomposition" (2016); wide matrices, tall ones transposed."""
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
        inner = grad_s_matrix + matmul(f_u + _adjoint(f_u), s_matrix) + matmul(s_matrix, f_v + _adjoint(f_v))
        grad_a = matmul(u, matmul(inner, v1, adjoint_b=True))
        if m != n:
            turned = composing.matrix_transpose(grad_v1)
            along = matmul(turned, v1)
            rest = turned - matmul(along, v1, adjoint_b=True)
            if full:
                v2, grad_v2 = v[..., :, m:n], grad_v[..., :, m:n]
                rest -= matmul(matmul(v1, grad_v2, adjoint_a=True), v2, adjoint_b=True)
            grad_a = grad_a + matmul(matmul(u, s_inverse), rest)
        if tall:
            grad_a = composing.matrix_transpose(grad_a)
        grad_a.set_shape(_joined(batch, rows, columns))
        return [grad_a]


qr_op = op("Qr", f"input: T, *, full_matrices=False, T: {_TYPES} -> q: T, r: T")


@qr_op.shape
def qr_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    if op.attrs["full_matrices"]:
        return [_joined(batch, rows, rows), _joined(batch, rows, columns)]
    short = _least(rows, columns)
    return [_joined(batch, rows, short), _joined(batch, short, columns)]


@qr_op.kernel
def qr_kernel(node):
    mode = "complete" if node.attrs["full_matrices"] else "reduced"

    def qr(x):
        parts = tuple(torch.linalg.qr(x, mode=mode))
        finite = torch.isfinite(x).all(-1).all(-1)
        # torch passes over what is not a number.
        return parts if bool(finite.all()) else tuple(_unknown_unless(finite, part) for part in parts)

    return _in_float(node, qr)


@qr_op.gradient
def qr_gradient(op, grad_q, grad_r):
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
    skew_q = qdq - _adjoint(qdq)
    rdr = matmul(r, grad_r, adjoint_b=True)
    skew_r = rdr - _adjoint(rdr)
    lower = raw.MatrixBandPart(skew_q + skew_r, -1, 0)

    def over_r(x: Any) -> Any:
        """x times the inverse of the adjoint of r."""
        return _adjoint(raw.MatrixTriangularSolve(r, _adjoint(x), lower=False, adjoint=False))

    return [matmul(q, grad_r + over_r(lower)) + over_r(grad_q - matmul(q, qdq))]


lu_op = op("Lu", f"input: T, *, T: {_TYPES}, output_idx_type: index = int32 -> lu: T, p: output_idx_type")


@lu_op.shape
def lu_shape(op):
    batch, rows, columns = matrix_dims(op.inputs[0].dims)
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")
    size = rows if rows is not None else columns
    return [_joined(batch, size, size), _joined(batch, size)]


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
