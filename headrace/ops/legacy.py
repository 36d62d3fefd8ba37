"""Op types of graphs before 1.0 that are today's under another name: the linear algebra and transforms of batches."""

from __future__ import annotations

import torch

from headrace.core.registry import OpDecl, find, op
from headrace.ops.math import diagonal, fft, linalg, linalg_spectral

assert diagonal
assert fft
assert linalg
assert linalg_spectral

_REALS = "{double, float}"
_ANY = "{double, float, complex64, complex128}"
_TODAY = {
    "BatchMatrixBandPart": ("MatrixBandPart", "input: T, num_lower: int64, num_upper: int64 -> band: T"),
    "BatchMatrixDiag": ("MatrixDiag", "diagonal: T -> output: T"),
    "BatchMatrixDiagPart": ("MatrixDiagPart", "input: T -> diagonal: T"),
    "BatchMatrixSetDiag": ("MatrixSetDiag", "input: T, diagonal: T -> output: T"),
    "BatchMatrixDeterminant": (
        "MatrixDeterminant", "input: T, *, T: {float, double, complex64, complex128} -> output: T",
    ),
    "BatchMatrixInverse": ("MatrixInverse", f"input: T, *, adjoint=False, T: {_REALS} -> output: T"),
    "BatchMatrixSolve": ("MatrixSolve", f"matrix: T, rhs: T, *, adjoint=False, T: {_REALS} -> output: T"),
    "BatchMatrixSolveLs": (
        "MatrixSolveLs", f"matrix: T, rhs: T, l2_regularizer: double, *, T: {_REALS}, fast=True -> output: T",
    ),
    "BatchMatrixTriangularSolve": (
        "MatrixTriangularSolve", f"matrix: T, rhs: T, *, lower=True, adjoint=False, T: {_REALS} -> output: T",
    ),
    "BatchCholesky": ("Cholesky", f"input: T, *, T: {_REALS} -> output: T"),
    "BatchCholeskyGrad": ("CholeskyGrad", "l: T, grad: T, *, T: {float, double} -> output: T"),
    "BatchSelfAdjointEigV2": ("SelfAdjointEigV2", f"input: T, *, compute_v=True, T: {_REALS} -> e: T, v: T"),
    "BatchSvd": ("Svd", f"input: T, *, compute_uv=True, full_matrices=False, T: {_ANY} -> s: T, u: T, v: T"),
    "BatchFFT": ("FFT", "input: complex64 -> output: complex64"),
    "BatchFFT2D": ("FFT2D", "input: complex64 -> output: complex64"),
    "BatchFFT3D": ("FFT3D", "input: complex64 -> output: complex64"),
    "BatchIFFT": ("IFFT", "input: complex64 -> output: complex64"),
    "BatchIFFT2D": ("IFFT2D", "input: complex64 -> output: complex64"),
    "BatchIFFT3D": ("IFFT3D", "input: complex64 -> output: complex64"),
}  # fmt: skip


def _as_today(op_type: str, today: str, signature: str) -> OpDecl:
    """Declares an op whose rules are those of another."""
    source = find(today)
    assert source is not None, today
    decl = op(op_type, signature)
    decl.shape_rule, decl.kernel_rule, decl.gradient_rule = source.shape_rule, source.kernel_rule, source.gradient_rule
    decl.host_inputs, decl.host_outputs = source.host_inputs, source.host_outputs
    decl.may_alias, decl.differentiable = source.may_alias, source.differentiable
    return decl


for _old, (_today, _signature) in _TODAY.items():
    _as_today(_old, _today, _signature)

_V2_TYPES = (
    ("SelfAdjointEig", f"input: T, *, T: {_REALS} -> output: T"),
    (
        "BatchSelfAdjointEig",
        f"input: T, *, T: {_REALS} -> output: T",
    ),
)


def _eigen_rows(x: torch.Tensor) -> torch.Tensor:
    """The eigenvalues in the first row, the eigenvectors in the columns below."""
    values, vectors = torch.linalg.eigh(x)
    return torch.cat([values[..., None, :], vectors], -2)


for _name, _text in _V2_TYPES:
    _decl = op(_name, _text)

    @_decl.shape
    def eigen_rows_shape(op):
        dims = op.inputs[0].dims
        if dims is None or len(dims) < 2:
            return [None]
        return [(*dims[:-2], None if dims[-2] is None else dims[-2] + 1, dims[-1])]

    @_decl.kernel
    def eigen_rows_kernel(node):
        return _eigen_rows
