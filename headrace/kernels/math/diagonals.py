"""The diagonals of matrices: which there are, how they are read and written, and the rules of ops about several of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims, compatible_dims, merge_dim, merge_dims
from headrace.kernels.array.arguments import invalid, rank_at_least, shape_text
from headrace.kernels.ranks import check_rank, ranked

if TYPE_CHECKING:
    from headrace.core.typing import OpView


def bounds_of(k: torch.Tensor) -> tuple[int, int]:
    """The lowest and highest diagonal that `k`, one number or two, names."""
    numbers = [int(v) for v in k.reshape(-1).tolist()]
    if len(numbers) not in (1, 2):
        raise invalid(f"diag_index must have only one or two elements, received {len(numbers)} elements.")
    if numbers[0] > numbers[-1]:
        raise invalid(f"lower_diag_index must not be larger than upper_diag_index: {numbers[0]} > {numbers[-1]}")
    return numbers[0], numbers[-1]


def longest(rows: int | None, columns: int | None, lower: int, upper: int) -> Any:
    """The length of the longest diagonal among `lower` .. `upper`."""
    if rows is None or columns is None:
        return None
    return min(rows + min(upper, 0), columns - max(lower, 0))


def _check_bounds(lower: int, upper: int, rows: int, columns: int) -> None:
    for which, k in (("lower", lower), ("upper", upper)):
        if k and not -rows < k < columns:
            raise invalid(f"{which}_diag_index is out of bound: {k} It must be between {-rows} and {columns}")


def _with_diagonals(matrix: torch.Tensor, diagonal: torch.Tensor, lower: int, upper: int) -> torch.Tensor:
    """`matrix`, which is nobody else's, with the diagonals `lower` .. `upper` replaced."""
    rows, columns = matrix.shape[-2:]
    for k in range(lower, upper + 1):
        length = min(rows + min(k, 0), columns - max(k, 0))
        source = diagonal if lower == upper else diagonal[..., upper - k, :]
        matrix.diagonal(k, -2, -1).copy_(source[..., :length])
    return matrix


def _static_bounds(k: np.ndarray) -> tuple[int, int]:
    numbers = [int(v) for v in k.ravel()]
    if len(numbers) not in (1, 2):
        raise ValueError(f"diag_index must be a vector with one or two elements. It has {len(numbers)} elements.")
    if numbers[0] > numbers[-1]:
        raise ValueError("lower_diag_index is greater than upper_diag_index")
    return numbers[0], numbers[-1]


def _diag_sizes(length: int, lower: int, upper: int, rows: int, columns: int) -> tuple[int, int]:
    least_rows, least_columns = length - min(upper, 0), length + max(lower, 0)
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


# ---- rules that the second and the third version of the ops share ----


@ranked((1, None), (0, 1), 0, 0, 0)
def matrices_shape(op):
    """The shape rule of matrices made of diagonals."""
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


def matrices_kernel(node):
    """The kernel rule of matrices made of diagonals."""

    def embed(diagonal, k, rows, columns, padding):
        lower, upper = bounds_of(k)
        try:
            rows, columns = _diag_sizes(diagonal.shape[-1], lower, upper, int(rows), int(columns))
        except ValueError as error:
            raise invalid(str(error)) from None
        batch = diagonal.shape[:-1] if lower == upper else diagonal.shape[:-2]
        matrix = torch.full((*batch, rows, columns), padding.item(), dtype=diagonal.dtype, device=diagonal.device)
        return _with_diagonals(matrix, diagonal, lower, upper)

    constants = [node.constant(i) for i in (1, 2, 3, 4)]
    if all(value is not None and value.size == 1 for value in constants):
        k, rows, columns, padding = (value.item() for value in constants)
        if k == 0 and rows == columns == -1 and padding == 0:
            return lambda diagonal, *_: torch.diag_embed(diagonal)
    return embed


@ranked((2, None), (0, 1), 0)
def diagonals_shape(op):
    """The shape rule of the diagonals of matrices."""
    dims, k = rank_at_least(op.inputs[0].dims, 2), op.constant(1)
    if dims is None or k is None:
        return [None]
    lower, upper = _static_bounds(k)
    if None not in dims[-2:]:
        for which, bound in (("lower", lower), ("upper", upper)):
            if bound and not -dims[-2] < bound < dims[-1]:
                raise ValueError(f"{which}_diag_index is out of bound.")
    between = () if lower == upper else (upper - lower + 1,)
    return [(*dims[:-2], *between, longest(dims[-2], dims[-1], lower, upper))]


def diagonals_kernel(node):
    """The kernel rule of the diagonals of matrices."""

    def part(x, k, padding):
        lower, upper = bounds_of(k)
        rows, columns = x.shape[-2:]
        _check_bounds(lower, upper, rows, columns)
        if lower == upper:
            return x.diagonal(lower, -2, -1)
        length = longest(rows, columns, lower, upper)
        sizes = (*x.shape[:-2], upper - lower + 1, length)
        result = torch.full(sizes, padding.item(), dtype=x.dtype, device=x.device)
        for k in range(lower, upper + 1):
            diagonal = x.diagonal(k, -2, -1)
            result[..., upper - k, : diagonal.shape[-1]] = diagonal
        return result

    k = node.constant(1)
    if k is not None and not k.any():
        return lambda x, *_: x.diagonal(0, -2, -1)
    return part


def set_diag_shape(op: OpView, lower: int | None, upper: int | None) -> list[Dims]:
    dims, diagonal = rank_at_least(op.inputs[0].dims, 2), op.inputs[1].dims
    if dims is None or diagonal is None:
        return [dims]
    if lower is None or upper is None:
        # One diagonal or several: it has as many dimensions as the matrices, or one less.
        check_rank(diagonal, (len(dims) - 1, len(dims)))
        merge_dims(dims[:-2], diagonal[: len(dims) - 2])
        return [dims]
    between = () if lower == upper else (upper - lower + 1,)
    rank_at_least(diagonal, 1)
    expected: Dims = (*dims[:-2], *between, longest(dims[-2], dims[-1], lower, upper))
    if expected is not None and not compatible_dims(expected, diagonal):
        if len(expected) != len(diagonal):
            raise ValueError(f"Shape must be rank {len(expected)} but is rank {len(diagonal)}")
        for sizes in zip(expected, diagonal):
            merge_dim(*sizes)
    return [dims]


@ranked((2, None), (1, None), (0, 1))
def replaced_shape(op):
    """The shape rule of matrices with other diagonals."""
    k = op.constant(2)
    return set_diag_shape(op, *((None, None) if k is None else _static_bounds(k)))


def check_matrices(x: torch.Tensor) -> None:
    if x.dim() < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shape_text(x.shape)}")


def check_diagonal(diagonal: torch.Tensor) -> None:
    if not diagonal.dim():
        raise invalid("diagonal must be at least 1-dim, received shape: []")


def replaced(x: torch.Tensor, diagonal: torch.Tensor, lower: int, upper: int) -> torch.Tensor:
    check_matrices(x)
    check_diagonal(diagonal)
    rows, columns = x.shape[-2:]
    _check_bounds(lower, upper, rows, columns)
    between = () if lower == upper else (upper - lower + 1,)
    expected = (*x.shape[:-2], *between, longest(rows, columns, lower, upper))
    if tuple(diagonal.shape) != expected:
        raise invalid(
            "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to "
            "the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: "
            f"{shape_text(x.shape)}\nDiagonal shape: {shape_text(diagonal.shape)}, expected {shape_text(expected)}"
        )
    return _with_diagonals(x.clone(), diagonal, lower, upper)


def replaced_kernel(node):
    """The kernel rule of matrices with other diagonals."""
    return lambda x, diagonal, k: replaced(x, diagonal, *bounds_of(k))
