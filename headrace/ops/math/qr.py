"""The QR decomposition."""

from __future__ import annotations

import torch

from headrace.core.registry import op

qr_op = op("Qr", "input: T, *, full_matrices=False, T: {double, float, complex64, complex128} -> q: T, r: T")


@qr_op.shape
def qr_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [None, None]
    if len(dims) < 2:
        raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    *batch, rows, columns = dims
    if op.attrs["full_matrices"]:
        return [(*batch, rows, rows), (*batch, rows, columns)]
    inner = None if rows is None or columns is None else min(rows, columns)
    return [(*batch, rows, inner), (*batch, inner, columns)]


@qr_op.kernel
def qr_kernel(node):
    mode = "complete" if node.attrs["full_matrices"] else "reduced"

    def decompose(matrix):
        return tuple(torch.linalg.qr(matrix, mode=mode))

    return decompose


qr_op.accepts([4, 3]).accepts([2, 3, 5]).accepts([3, 4], full_matrices=True).rejects([3], error=ValueError)
