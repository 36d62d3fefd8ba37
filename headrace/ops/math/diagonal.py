"""Matrices and their diagonals: making, reading and replacing them, and what lies in a band around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims, compatible_dims, is_fully_defined, merge_dim, merge_dims
from headrace.ops import composing
from headrace.ops.array.common import moving, rank_at_least, shape_text
from headrace.ops.ranks import check_rank, ranked

_DIAG_TYPES = "{bfloat16, half, float, double, int32, int64, complex64, complex128}"


def _invalid(text: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, text)


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
            raise _invalid(f"Invalid shape {list(x.shape)}: dimensions 0 and {half} do not match.")
        count = int(np.prod(sizes))
        return x.reshape(count, count).diagonal().reshape(sizes)

    return part


@diag_part_op.gradient
def diag_part_gradient(op, grad):
    return [raw.Diag(grad)]


def _bounds(k: Any) -> tuple[int, int]:
    """The lowest and highest diagonal that `k`, one number or two, names."""
    numbers = [int(v) for v in k.reshape(-1).tolist()]
    if len(numbers) not in (1, 2):
        raise _invalid(f"diag_index must have only one or two elements, received {len(numbers)} elements.")
    if numbers[0] > numbers[-1]:
        raise _invalid(f"lower_diag_index must not be larger than upper_diag_index: {numbers[0]} > {numbers[-1]}")
    return numbers[0], numbers[-1]


def _longest(rows: Any, columns: Any, lower: int, upper: int) -> Any:
    """The length of the longest diagonal among `lower` .. `upper`."""
    if rows is None or columns is None:
        return None
    return min(rows + min(upper, 0), columns - max(lower, 0))


def _check_bounds(lower: int, upper: int, rows: int, columns: int) -> None:
    for which, k in (("lower", lower), ("upper", upper)):
        if k and not -rows < k < columns:
            raise _invalid(f"{which}_diag_index is out of bound: {k} It must be between {-rows} and {columns}")


def _with_diagonals(matrix: Any, diagonal: Any, lower: int, upper: int) -> Any:
    """`matrix`, which is nobody else's, with the diagonals `lower` .. `upper` replaced."""
    rows, columns = matrix.shape[-2:]
    for k in range(lower, upper + 1):
        length = min(rows + min(k, 0), columns - max(k, 0))
        source = diagonal if lower == upper else diagonal[..., upper - k, :]
        matrix.diagonal(k, -2, -1).copy_(source[..., :length])
    return matrix


matrix_diag_op = op("MatrixDiag", "diagonal: T -> output: T").accepts([3]).accepts([2, 3])


@matrix_diag_op.shape
def matrix_diag_shape(op):
    dims = rank_at_least(op.inputs[0].dims, 1)
    return [None if dims is None else (*dims, dims[-1])]


@matrix_diag_op.kernel
def matrix_diag_kernel(node):
    return torch.diag_embed


@matrix_diag_op.gradient
def matrix_diag_gradient(op, grad):
    return [raw.MatrixDiagPart(grad, name="diag_part")]


matrix_diag_v2_op = op(
    "MatrixDiagV2", "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T"
).on_host("k", "num_rows", "num_cols", "padding_value")
matrix_diag_v2_op.accepts([3], 0, -1, -1, 0).accepts([2, 3], 1, -1, -1, 5).accepts([2, 3], np.array([-1, 0]), -1, -1, 0)


def _diag_sizes(longest: int, lower: int, upper: int, rows: int, columns: int) -> tuple[int, int]:
    least_rows, least_columns = longest - min(upper, 0), longest + max(lower, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    elif rows == -1:
        rows = least_rows
    elif columns == -1:
        columns = least_columns
    if rows < least_rows:
        raise ValueError("The number of rows is too small.")
    if columns < least_columns:
        raise ValueError("The number of columns is too small.")
    if rows != least_rows and columns != least_columns:
        raise ValueError(
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
        )
    return rows, columns


@matrix_diag_v2_op.shape
@ranked((1, None), (0, 1), 0, 0, 0)
def matrix_diag_v2_shape(op):
    dims = rank_at_least(op.inputs[0].dims, 1)
    k, rows, columns = (op.constant(i) for i in (1, 2, 3))
    if dims is None:
        return [None]
    if k is None:
        return [None]
    lower, upper = _static_bounds(k)
    batch = dims[:-1]
    if lower != upper:
        if len(dims) < 2:
            raise ValueError(f"Shape must be at least rank 2 but is rank {len(dims)}")
        if dims[-2] is not None and dims[-2] != upper - lower + 1:
            raise ValueError(
                f"The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
                f"`d_upper`.\nnum_diags = {upper - lower + 1}, d_lower = {lower}, d_upper = {upper}"
            )
        batch = dims[:-2]
    if rows is None or columns is None or dims[-1] is None:
        return [(*batch, None, None)]
    return [(*batch, *_diag_sizes(dims[-1], lower, upper, int(rows), int(columns)))]


def _static_bounds(k: np.ndarray) -> tuple[int, int]:
    numbers = [int(v) for v in k.ravel()]
    if len(numbers) not in (1, 2):
        raise ValueError(f"diag_index must be a vector with one or two elements. It has {len(numbers)} elements.")
    if numbers[0] > numbers[-1]:
        raise ValueError("lower_diag_index is greater than upper_diag_index")
    return numbers[0], numbers[-1]


@matrix_diag_v2_op.kernel
def matrix_diag_v2_kernel(node):
    def embed(diagonal, k, rows, columns, padding):
        lower, upper = _bounds(k)
        try:
            rows, columns = _diag_sizes(diagonal.shape[-1], lower, upper, int(rows), int(columns))
        except ValueError as error:
            raise _invalid(str(error)) from None
        batch = diagonal.shape[:-1] if lower == upper else diagonal.shape[:-2]
        matrix = torch.full((*batch, rows, columns), padding.item(), dtype=diagonal.dtype, device=diagonal.device)
        return _with_diagonals(matrix, diagonal, lower, upper)

    constants = [node.constant(i) for i in (1, 2, 3, 4)]
    if all(value is not None and value.size == 1 for value in constants):
        k, rows, columns, padding = (value.item() for value in constants)
        if k == 0 and rows == columns == -1 and padding == 0:
            return lambda diagonal, *_: torch.diag_embed(diagonal)
    return embed


@matrix_diag_v2_op.gradient
def matrix_diag_v2_gradient(op, grad):
    return [raw.MatrixDiagPartV2(grad, op.inputs[1], 0, name="diag_part"), None, None, None, None]


matrix_diag_part_op = op("MatrixDiagPart", "input: T -> diagonal: T").aliases().accepts([2, 3]).accepts([2, 3, 3])


@matrix_diag_part_op.shape
def matrix_diag_part_shape(op):
    dims = rank_at_least(op.inputs[0].dims, 2)
    return [None if dims is None else (*dims[:-2], _longest(dims[-2], dims[-1], 0, 0))]


@matrix_diag_part_op.kernel
def matrix_diag_part_kernel(node):
    def diagonal(x):
        _check_matrices(x)
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


@matrix_diag_part_v2_op.shape
@ranked((2, None), (0, 1), 0)
def matrix_diag_part_v2_shape(op):
    dims, k = rank_at_least(op.inputs[0].dims, 2), op.constant(1)
    if dims is None or k is None:
        return [None]
    lower, upper = _static_bounds(k)
    if None not in dims[-2:]:
        for which, bound in (("lower", lower), ("upper", upper)):
            if bound and not -dims[-2] < bound < dims[-1]:
                raise ValueError(f"{which}_diag_index is out of bound.")
    between = () if lower == upper else (upper - lower + 1,)
    return [(*dims[:-2], *between, _longest(dims[-2], dims[-1], lower, upper))]


@matrix_diag_part_v2_op.kernel
def matrix_diag_part_v2_kernel(node):
    def part(x, k, padding):
        lower, upper = _bounds(k)
        rows, columns = x.shape[-2:]
        _check_bounds(lower, upper, rows, columns)
        if lower == upper:
            return x.diagonal(lower, -2, -1)
        longest = _longest(rows, columns, lower, upper)
        sizes = (*x.shape[:-2], upper - lower + 1, longest)
        result = torch.full(sizes, padding.item(), dtype=x.dtype, device=x.device)
        for k in range(lower, upper + 1):
            diagonal = x.diagonal(k, -2, -1)
            result[..., upper - k, : diagonal.shape[-1]] = diagonal
        return result

    k = node.constant(1)
    if k is not None and not k.any():
        return lambda x, *_: x.diagonal(0, -2, -1)
    return part


@matrix_diag_part_v2_op.gradient
def matrix_diag_part_v2_gradient(op, grad):
    dims = op.inputs[0].dims
    if dims is not None and is_fully_defined(dims[-2:]):
        return [raw.MatrixDiagV2(grad, op.inputs[1], *dims[-2:], 0, name="diag"), None, None]
    zeros = composing.zeros_like(op.inputs[0])
    return [raw.MatrixSetDiagV2(zeros, grad, op.inputs[1], name="set_diag"), None, None]


def _set_diag_shape(op: Any, lower: int | None, upper: int | None) -> list[Dims]:
    dims, diagonal = rank_at_least(op.inputs[0].dims, 2), op.inputs[1].dims
    if dims is None or diagonal is None:
        return [dims]
    if lower is None or upper is None:
        # One diagonal or several: it has as many dimensions as the matrices, or one less.
        check_rank(diagonal, (len(dims) - 1, len(dims)))
        merge_dims(dims[:-2], diagonal[: len(dims) - 2])
        return [dims]
    between = () if lower == upper else (upper - lower + 1,)
    wanted: Dims = (*dims[:-2], *between, _longest(dims[-2], dims[-1], lower, upper))
    if wanted is not None and not compatible_dims(wanted, diagonal):
        if len(wanted) != len(diagonal):
            raise ValueError(f"Shape must be rank {len(wanted)} but is rank {len(diagonal)}")
        for sizes in zip(wanted, diagonal):
            merge_dim(*sizes)
    return [dims]


matrix_set_diag_op = op("MatrixSetDiag", "input: T, diagonal: T -> output: T").accepts([3, 4], [3])
matrix_set_diag_op.shape(lambda op: _set_diag_shape(op, 0, 0))


@matrix_set_diag_op.kernel
def matrix_set_diag_kernel(node):
    return lambda x, diagonal: _replaced(x, diagonal, 0, 0)


def _check_matrices(x: Any) -> None:
    if x.dim() < 2:
        raise _invalid(f"input must be at least 2-dim, received shape: {shape_text(x.shape)}")


def _replaced(x: Any, diagonal: Any, lower: int, upper: int) -> Any:
    _check_matrices(x)
    rows, columns = x.shape[-2:]
    _check_bounds(lower, upper, rows, columns)
    between = () if lower == upper else (upper - lower + 1,)
    wanted = (*x.shape[:-2], *between, _longest(rows, columns, lower, upper))
    if tuple(diagonal.shape) != wanted:
        raise _invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to "
            "the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: "
            f"{shape_text(x.shape)}\nDiagonal shape: {shape_text(diagonal.shape)}, expected {shape_text(wanted)}"
        )
    return _with_diagonals(x.clone(), diagonal, lower, upper)


@matrix_set_diag_op.gradient
def matrix_set_diag_gradient(op, grad):
    dims = merge_dims(op.inputs[0].dims, grad.dims)
    diagonal = op.inputs[1].dims
    if dims is not None and diagonal is not None:
        dims = (*(merge_dims(dims[:-2], diagonal[:-1]) or ()), *dims[-2:])
    sizes: Any
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


@matrix_set_diag_v2_op.shape
@ranked((2, None), (1, None), (0, 1))
def matrix_set_diag_v2_shape(op):
    k = op.constant(2)
    return _set_diag_shape(op, *((None, None) if k is None else _static_bounds(k)))


@matrix_set_diag_v2_op.kernel
def matrix_set_diag_v2_kernel(node):
    return lambda x, diagonal, k: _replaced(x, diagonal, *_bounds(k))


@matrix_set_diag_v2_op.gradient
def matrix_set_diag_v2_gradient(op, grad):
    sizes: Any = op.inputs[1].dims
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
).on_host("num_lower", "num_upper")
matrix_band_part_op.accepts([3, 4], 1, 0).accepts([2, 3, 3], -1, 0).rejects([3, 3], 4, 0, error=InvalidArgumentError)
matrix_band_part_op.shape(lambda op: [op.inputs[0].dims])


@matrix_band_part_op.kernel
def matrix_band_part_kernel(node):
    def band(x, lower, upper):
        if x.dim() < 2 or lower.dim() or upper.dim():
            _refuse_band(x, lower, upper)
        lower, upper = int(lower), int(upper)
        if lower > x.shape[-2]:
            raise _invalid(
                f"num_lower must be negative or less or equal to number of rows ({x.shape[-2]}) got: {lower}"
            )
        if upper > x.shape[-1]:
            raise _invalid(
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
    _check_matrices(x)
    which, bound = ("num_lower", lower) if lower.dim() else ("num_upper", upper)
    raise _invalid(f"{which} must be scalar, got shape {shape_text(bound.shape)}")


@matrix_band_part_op.gradient
def matrix_band_part_gradient(op, grad):
    return [raw.MatrixBandPart(grad, op.inputs[1], op.inputs[2]), None, None]
