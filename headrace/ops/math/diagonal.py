"""Matrices and their diagonals: making, reading and replacing them, and what lies in a band around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import is_fully_defined, merge_dim, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, moving, rank_at_least, shape_text
from headrace.kernels.legacy_op_types import with_rules_of
from headrace.kernels.math import diagonals
from headrace.kernels.math.diagonals import check_diagonal, check_matrices, longest, replaced, set_diag_shape
from headrace.kernels.math.native_matrices import (
    band_part_rule,
    diagonal_part_rule,
    diagonal_rule,
    set_diagonal_rule,
)

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


_DIAG_TYPES = "{bfloat16, half, float, double, int32, int64, complex64, complex128}"


diag_op = op("Diag", f"diagonal: T, *, T: {_DIAG_TYPES} -> output: T")
diag_op.accepts([3]).accepts([2, 2])


@diag_op.shape
def diag_shape(op):
    dims = rank_at_least(op.inputs[0].dims, 1)
    return [None if dims is None else dims * 2]


@diag_op.kernel
def diag_kernel(node):
    return lambda x: torch.diag(x.reshape(-1)).reshape(*x.shape, *x.shape)


@diag_op.gradient
def diag_gradient(op, grad):
    return [raw.DiagPart(grad)]


diag_part_op = op("DiagPart", f"input: T, *, T: {_DIAG_TYPES} -> diagonal: T").aliases()
diag_part_op.accepts([3, 3]).accepts([2, 4, 2, 4]).rejects([3], error=ValueError).rejects([2, 3], error=ValueError)


@diag_part_op.shape
def diag_part_shape(op):
    dims = op.inputs[0].dims
    if dims is None:
        return [None]
    if len(dims) % 2 or not dims:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {len(dims)}")
    half = len(dims) // 2
    return [tuple(merge_dim(one, other) for one, other in zip(dims[:half], dims[half:]))]


@diag_part_op.kernel
def diag_part_kernel(node):
    def part(x):
        half = x.dim() // 2
        sizes = x.shape[:half]
        if x.shape[half:] != sizes:
            raise invalid(f"Invalid shape {list(x.shape)}: dimensions 0 and {half} do not match.")
        count = int(np.prod(sizes))
        return x.reshape(count, count).diagonal().reshape(sizes)

    return part


@diag_part_op.gradient
def diag_part_gradient(op, grad):
    return [raw.Diag(grad)]


matrix_diag_op = op("MatrixDiag", "diagonal: T -> output: T").accepts([3]).accepts([2, 3])


@matrix_diag_op.shape
def matrix_diag_shape(op):
    dims = rank_at_least(op.inputs[0].dims, 1)
    return [None if dims is None else (*dims, dims[-1])]


@matrix_diag_op.kernel
def matrix_diag_kernel(node):
    def matrices(diagonal):
        check_diagonal(diagonal)
        return torch.diag_embed(diagonal)

    return matrices


@matrix_diag_op.gradient
def matrix_diag_gradient(op, grad):
    return [raw.MatrixDiagPart(grad, name="diag_part")]


matrix_diag_v2_op = op(
    "MatrixDiagV2", "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T"
)
matrix_diag_v2_op.on_host("k", "num_rows", "num_cols", "padding_value")
matrix_diag_v2_op.accepts([3], 0, -1, -1, 0).accepts([2, 3], 1, -1, -1, 5).accepts([2, 3], np.array([-1, 0]), -1, -1, 0)


matrix_diag_v2_op.shape(diagonals.matrices_shape)
matrix_diag_v2_op.kernel(diagonals.matrices_kernel)


@matrix_diag_v2_op.gradient
def matrix_diag_v2_gradient(op, grad):
    return [raw.MatrixDiagPartV2(grad, op.inputs[1], 0, name="diag_part"), None, None, None, None]


matrix_diag_part_op = op("MatrixDiagPart", "input: T -> diagonal: T").aliases().accepts([2, 3]).accepts([2, 3, 3])


@matrix_diag_part_op.shape
def matrix_diag_part_shape(op):
    dims = rank_at_least(op.inputs[0].dims, 2)
    return [None if dims is None else (*dims[:-2], longest(dims[-2], dims[-1], 0, 0))]


@matrix_diag_part_op.kernel
def matrix_diag_part_kernel(node):
    def diagonal(x):
        check_matrices(x)
        return x.diagonal(0, -2, -1)

    return diagonal


@matrix_diag_part_op.gradient
def matrix_diag_part_gradient(op, grad):
    dims = op.inputs[0].dims
    if dims is not None and dims[-1] is not None and dims[-2] == dims[-1]:
        return [raw.MatrixDiag(grad, name="diag")]
    return [raw.MatrixSetDiag(composing.zeros_like(op.inputs[0]), grad, name="set_diag")]


matrix_diag_part_v2_op = (
    op("MatrixDiagPartV2", "input: T, k: int32, padding_value: T -> diagonal: T")
    .on_host("k", "padding_value")
    .aliases()
)
matrix_diag_part_v2_op.accepts([2, 3], 0, 0).accepts([2, 3, 3], np.array([-1, 1]), 7).accepts([3, 4], 2, 0)


matrix_diag_part_v2_op.shape(diagonals.diagonals_shape)
matrix_diag_part_v2_op.kernel(diagonals.diagonals_kernel)


@matrix_diag_part_v2_op.gradient
def matrix_diag_part_v2_gradient(op, grad):
    dims = op.inputs[0].dims
    if dims is not None and is_fully_defined(dims[-2:]):
        return [raw.MatrixDiagV2(grad, op.inputs[1], *dims[-2:], 0, name="diag"), None, None]
    zeros = composing.zeros_like(op.inputs[0])
    return [raw.MatrixSetDiagV2(zeros, grad, op.inputs[1], name="set_diag"), None, None]


matrix_set_diag_op = op("MatrixSetDiag", "input: T, diagonal: T -> output: T").accepts([3, 4], [3])
matrix_set_diag_op.shape(lambda op: set_diag_shape(op, 0, 0))


@matrix_set_diag_op.kernel
def matrix_set_diag_kernel(node):
    return lambda x, diagonal: replaced(x, diagonal, 0, 0)


@matrix_set_diag_op.gradient
def matrix_set_diag_gradient(op, grad):
    dims = merge_dims(op.inputs[0].dims, grad.dims)
    diagonal = op.inputs[1].dims
    if dims is not None and diagonal is not None:
        dims = (*(merge_dims(dims[:-2], diagonal[:-1]) or ()), *dims[-2:])
    sizes: Tensor | list[int]
    if is_fully_defined(dims):
        sizes = [*dims[:-2], min(dims[-2:])]
    else:
        grad_shape, rank = composing.shape(grad), composing.rank(grad)
        batch = raw.Slice(grad_shape, [0], [rank - 2])
        matrix = raw.Slice(grad_shape, [rank - 2], [2])
        shortest = raw.Min(matrix, convert_to_tensor([0], "int32"))
        sizes = composing.concat([batch, [shortest]], 0)
    zeros = composing.zeros(sizes, dtype=grad.dtype)
    return [
        raw.MatrixSetDiag(grad, zeros, name="set_diag"),
        raw.MatrixDiagPart(grad, name="diag_part"),
    ]


matrix_set_diag_v2_op = op("MatrixSetDiagV2", "input: T, diagonal: T, k: int32 -> output: T").on_host("k")
matrix_set_diag_v2_op.accepts([3, 4], [3], 0).accepts([2, 3, 4], [2, 2, 3], np.array([0, 1]))


matrix_set_diag_v2_op.shape(diagonals.replaced_shape)
matrix_set_diag_v2_op.kernel(diagonals.replaced_kernel)


@matrix_set_diag_v2_op.gradient
def matrix_set_diag_v2_gradient(op, grad):
    sizes: tuple[int, ...] = op.inputs[1].dims
    if not is_fully_defined(sizes):
        k = op.inputs[2]
        if k.dims is None or k.dims not in ((), (1,)):
            raise NotImplementedError(
                "MatrixSetDiagV2: the gradient for several diagonals of unknown size; give the diagonal a static shape."
            )
        grad_shape = composing.shape(grad)
        number = raw.Reshape(k, [-1])[0]
        rows = grad_shape[-2] + raw.Minimum(number, 0)
        columns = grad_shape[-1] - raw.Maximum(number, 0)
        sizes = composing.concat([grad_shape[:-2], [raw.Minimum(rows, columns)]], 0)
    zeros = composing.zeros(sizes, dtype=grad.dtype)
    return [
        raw.MatrixSetDiagV2(grad, zeros, op.inputs[2], name="set_diag"),
        raw.MatrixDiagPartV2(grad, op.inputs[2], 0, name="diag_part"),
        None,
    ]


matrix_band_part_op = op(
    "MatrixBandPart", "input: T, num_lower: Tindex, num_upper: Tindex, *, Tindex: index = int64 -> band: T"
)
matrix_band_part_op.on_host("num_lower", "num_upper")
matrix_band_part_op.accepts([3, 4], 1, 0).accepts([2, 3, 3], -1, 0).rejects([3, 3], 4, 0, error=InvalidArgumentError)
matrix_band_part_op.shape(lambda op: [op.inputs[0].dims])


@matrix_band_part_op.kernel
def matrix_band_part_kernel(node):
    def band(x, lower, upper):
        if x.dim() < 2 or lower.dim() or upper.dim():
            _refuse_band(x, lower, upper)
        lower, upper = int(lower), int(upper)
        if lower > x.shape[-2]:
            raise invalid(f"num_lower must be negative or less or equal to number of rows ({x.shape[-2]}) got: {lower}")
        if upper > x.shape[-1]:
            raise invalid(
                f"num_upper must be negative or less or equal to number of columns ({x.shape[-1]}) got: {upper}"
            )
        result = x
        if lower >= 0:
            result = torch.triu(result, -lower)
        if upper >= 0:
            result = torch.tril(result, upper)
        return result.clone() if result is x else result

    return moving(node, band)


def _refuse_band(x, lower, upper):
    check_matrices(x)
    which, bound = ("num_lower", lower) if lower.dim() else ("num_upper", upper)
    raise invalid(f"{which} must be scalar, got shape {shape_text(bound.shape)}")


@matrix_band_part_op.gradient
def matrix_band_part_gradient(op, grad):
    return [raw.MatrixBandPart(grad, op.inputs[1], op.inputs[2]), None, None]


# ---- native instructions

matrix_band_part_op.native(band_part_rule)
matrix_diag_op.native(diagonal_rule)
matrix_diag_part_op.native(diagonal_part_rule)
matrix_set_diag_op.native(set_diagonal_rule)

# ---- their names before 1.0 ----

with_rules_of(op("BatchMatrixBandPart", "input: T, num_lower: int64, num_upper: int64 -> band: T"), matrix_band_part_op)
with_rules_of(op("BatchMatrixDiag", "diagonal: T -> output: T"), matrix_diag_op)
with_rules_of(op("BatchMatrixDiagPart", "input: T -> diagonal: T"), matrix_diag_part_op)
with_rules_of(op("BatchMatrixSetDiag", "input: T, diagonal: T -> output: T"), matrix_set_diag_op)
