"""Matrices of three diagonals: products and systems of linear equations.

Systems are solved by Gaussian elimination of one band, with partial pivoting or without (Golub and Van Loan, "Matrix
computations" (2013), section 4.3).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims, merge_dim, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, rank_at_least, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_TYPES = "T: {double, float, complex64, complex128}"

matmul_op = op("TridiagonalMatMul", f"superdiag: T, maindiag: T, subdiag: T, rhs: T, *, {_TYPES} -> output: T")
solve_op = op("TridiagonalSolve", f"diagonals: T, rhs: T, *, partial_pivoting=True, {_TYPES} -> output: T")


def _fitting(diagonals: Dims, count: int, rhs: Dims) -> Dims:
    """The shape of `rhs`, which must have a row for each column of `diagonals`, [..., count, columns], and its batches.

    Raises:
        ValueError: if they do not fit.
    """
    if diagonals is None or rhs is None:
        return rhs
    batch_shape = merge_dims(diagonals[:-2], rhs[:-2])
    if diagonals[-2] not in (None, count):
        raise ValueError(f"Dimension must be {count} but is {diagonals[-2]}")
    rows = merge_dim(diagonals[-1], rhs[-2])
    return (*(batch_shape or ()), rows, rhs[-1])


@matmul_op.shape
def matmul_shape(op):
    *diagonals, rhs = (rank_at_least(value.dims, 2) for value in op.inputs)
    return [_fitting(functools.reduce(merge_dims, diagonals), 1, rhs)]


@solve_op.shape
def solve_shape(op):
    diagonals, rhs = (rank_at_least(value.dims, 2) for value in op.inputs)
    return [_fitting(diagonals, 3, rhs)]


def _from_above(x: torch.Tensor) -> torch.Tensor:
    """Each row that of the next, zeros for the last."""
    return torch.cat([x[..., 1:, :], torch.zeros_like(x[..., :1, :])], -2)


def _from_below(x: torch.Tensor) -> torch.Tensor:
    """Each row that of the one before, zeros for the first."""
    return torch.cat([torch.zeros_like(x[..., :1, :]), x[..., :-1, :]], -2)


@matmul_op.kernel
def matmul_kernel(node):
    def multiply(above, main, below, rhs):
        if rhs.dim() < 2:
            raise invalid(f"rhs must be at least 2-dim, received shape: {shape_text(rhs.shape)}")
        for name, diagonal in (("superdiag", above), ("maindiag", main), ("subdiag", below)):
            if diagonal.dim() < 2 or diagonal.shape[-1] != rhs.shape[-2]:
                raise invalid(f"{name} must have the shape [..., 1, {rhs.shape[-2]}], got {list(diagonal.shape)}")
        above, main, below = (diagonal.transpose(-1, -2) for diagonal in (above, main, below))
        return above * _from_above(rhs) + main * rhs + below * _from_below(rhs)

    return multiply


@solve_op.kernel
def solve_kernel(node):
    pivoting = node.attrs["partial_pivoting"]

    def solve(diagonals, rhs):
        if rhs.dim() < 2:
            raise invalid(f"Expected rhs to have rank at least 2, got rank {rhs.dim()}")
        count = rhs.shape[-2]
        if diagonals.dim() < 2 or diagonals.shape[-2:] != (3, count):
            raise invalid(f"Expected diagonals of the shape [..., 3, {count}], got {list(diagonals.shape)}")
        if not count or not rhs.numel():
            return rhs.clone()
        above, main, below = (list(diagonals[..., i, :, None].unbind(-2)) for i in range(3))
        right = list(rhs.unbind(-2))
        above[-1] = torch.zeros_like(main[0])
        # Rows change places where the one below has the larger first element; a second diagonal above then fills.
        second = [torch.zeros_like(main[0])] * count
        for i in range(count - 1):
            row = (main[i], above[i], second[i], right[i])
            after = (below[i + 1], main[i + 1], above[i + 1], right[i + 1])
            if pivoting:
                swap = after[0].abs() > row[0].abs()
                if bool(swap.any()):
                    row, after = (
                        tuple(torch.where(swap, a, b) for a, b in zip(after, row, strict=True)),
                        tuple(torch.where(swap, a, b) for a, b in zip(row, after, strict=True)),
                    )
            if bool((row[0] == 0).any()):
                raise invalid("Input matrix is not invertible.")
            factor = after[0] / row[0]
            main[i], above[i], second[i], right[i] = row
            main[i + 1], above[i + 1], right[i + 1] = (b - factor * a for a, b in zip(row[1:], after[1:], strict=True))
        if bool((main[-1] == 0).any()):
            raise invalid("Input matrix is not invertible.")
        x = [right[0]] * count
        for i in range(count - 1, -1, -1):
            rest = right[i]
            if i + 1 < count:
                rest = rest - above[i] * x[i + 1]
            if i + 2 < count:
                rest = rest - second[i] * x[i + 2]
            x[i] = rest / main[i]
        return torch.stack(x, -2)

    return solve


def _ends(x: Tensor, last: bool, rows: bool) -> Tensor:
    """The paddings that put a zero at one end of the last axis of what has a rank of one less, or of the rows of `x`."""
    others = composing.zeros((composing.rank(x) - 2, 2), dtype="int32")
    end = [0, 1] if last else [1, 0]
    return composing.concat([others, convert_to_tensor([end, [0, 0]] if rows else [end], "int32")], 0)


def _shifted(x: Tensor, up: bool) -> Tensor:
    """Rows moved up or down, zeros at the end they leave."""
    ends = _ends(x, up, True)
    return raw.Pad(x[..., 1:, :] if up else x[..., :-1, :], ends)


@matmul_op.gradient
def matmul_gradient(op, grad):
    above, main, below = (composing.matrix_transpose(tensor, conjugate=True) for tensor in op.inputs[:3])
    rhs = composing.conj(op.inputs[3])
    sums = [
        raw.Sum(_shifted(rhs, True) * grad, -1),
        raw.Sum(rhs * grad, -1),
        raw.Sum(_shifted(rhs, False) * grad, -1),
    ]
    of_rhs = _shifted(above * grad, False) + main * grad + _shifted(below * grad, True)
    return [*(composing.expand_dims(part, -2) for part in sums), of_rhs]


@solve_op.gradient
def solve_gradient(op, grad):
    """As of any system A X = B: dX = A^-1 (dB - dA X), of which only three diagonals of A are asked for."""
    of_rhs = raw.TridiagonalSolve(
        _conjugate_transposed(op.inputs[0]), grad, partial_pivoting=op.attrs["partial_pivoting"]
    )
    x = composing.conj(op.outputs[0])
    middle = raw.Sum(of_rhs * x, -1)
    known = x.dims is not None and None not in x.dims
    gap = composing.zeros([*x.dims[:-2], 1, x.dims[-1]], dtype=x.dtype) if known else None

    def outer(up: bool) -> Tensor:
        if gap is None:
            return raw.Sum(of_rhs * _shifted(x, up), -1)
        moved = [x[..., 1:, :], gap] if up else [gap, x[..., :-1, :]]
        return raw.Sum(of_rhs * composing.concat(moved, -2), -1)

    above = outer(True)
    return [-composing.stack([above, middle, outer(False)], axis=-2), of_rhs]


def _conjugate_transposed(diagonals: Tensor) -> Tensor:
    """The diagonals of the conjugate transposed matrix."""
    diagonals = composing.conj(diagonals)
    main = diagonals[..., 1, :]
    if diagonals.dims is None or None in diagonals.dims:
        ends = _ends(diagonals, True, False)
        above = raw.Pad(diagonals[..., 2, 1:], ends)
        ends = _ends(diagonals, False, False)
        below = raw.Pad(diagonals[..., 0, :-1], ends)
    else:
        gap = composing.zeros([*diagonals.dims[:-2], 1], dtype=diagonals.dtype)
        above = composing.concat([diagonals[..., 2, 1:], gap], -1)
        below = composing.concat([gap, diagonals[..., 0, :-1]], -1)
    return composing.stack([above, main, below], axis=-2)


matmul_op.accepts([1, 4], [1, 4], [1, 4], [4, 2]).accepts([2, 1, 3], [2, 1, 3], [2, 1, 3], [2, 3, 2])
solve_op.accepts([3, 4], [4, 2]).accepts([2, 3, 3], [2, 3, 1], partial_pivoting=False)
solve_op.rejects([2, 4], [4, 2], error=ValueError)
solve_op.rejects(np.zeros([3, 2], np.float32), [2, 1], error=InvalidArgumentError)


def _shaped(value: TensorLike) -> Any:
    """`value`, a tensor unless it has a shape of its own; it is converted where it is used."""
    return value if hasattr(value, "shape") else convert_to_tensor(value)


def _side(matrix: Tensor) -> int:
    shape = TensorShape(matrix.shape)
    rows, columns = shape.as_list()[-2:] if shape.ndims else (None, None)
    if rows and columns and rows != columns:
        raise ValueError(f"Expected last two dimensions of diagonals to be same, got {columns} and {rows}")
    size = rows or columns
    if not size:
        raise ValueError('The size of the matrix needs to be known for diagonals_format="matrix"')
    return size


def _places(size: int) -> tuple[list[list[int]], list[list[int]], list[list[int]]]:
    """Where the diagonals of a transposed matrix are; the first element fills up the outer two."""
    first = [0, 0]
    above = [*([i + 1, i] for i in range(size - 1)), first]
    below = [first, *([i, i + 1] for i in range(size - 1))]
    return above, [[i, i] for i in range(size)], below


def _compact(matrix: Tensor) -> Tensor:
    """The three diagonals of matrices, [..., 3, m]."""
    places = [list(three) for three in zip(*_places(_side(matrix)), strict=True)]
    # GatherNd picks by the first axes.
    return composing.transpose(raw.GatherNd(composing.transpose(matrix), places))


def _diagonals_of(matrix: Tensor) -> list[Tensor]:
    above, _, below = _places(_side(matrix))
    main = raw.MatrixDiagPart(matrix, name="diag_part")
    transposed = composing.transpose(matrix)
    outer = [composing.transpose(raw.GatherNd(transposed, places)) for places in (above, below)]
    return [outer[0], main, outer[1]]


def tridiagonal_matmul(
    diagonals: Any, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """A matrix of three diagonals times a matrix.

    Args:
        diagonals: "compact": tensor of shape [..., 3, m], the diagonals above, on and below the middle, the last element of
            the first and the first of the last unused; "sequence": a list of the three, each [..., m]; "matrix": [..., m, m].
        rhs: tensor of shape [..., m, n].
        diagonals_format: which of these.
        name: a name for the operation.

    Returns:
        a tensor of shape [..., m, n].

    Raises:
        ValueError: for another format, or a matrix whose size is not known.
    """
    if diagonals_format == "compact":
        diagonals = _shaped(diagonals)
        parts = [diagonals[..., i, :] for i in range(3)]
    elif diagonals_format == "sequence":
        parts = list(diagonals)
    elif diagonals_format == "matrix":
        parts = _diagonals_of(_shaped(diagonals))
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    return raw.TridiagonalMatMul(*(composing.expand_dims(part, -2) for part in parts), rhs, name=name)


def tridiagonal_solve(
    diagonals: TensorLike,
    rhs: TensorLike,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
) -> Tensor:
    """Solves systems of equations whose matrix has three diagonals.

    Args:
        diagonals: as of `tridiagonal_matmul`; of a sequence the outer ones may be of m - 1 elements.
        rhs: tensor of shape [..., m] or [..., m, n].
        diagonals_format: "compact", "sequence" or "matrix".
        transpose_rhs, conjugate_rhs: whether to transpose (conjugate) `rhs` first, and the result after.
        name: a name for the operation.
        partial_pivoting: whether rows may change places, for precision.

    Returns:
        a tensor of the shape of `rhs`.

    Raises:
        ValueError: for another format, or shapes that do not fit.
        InvalidArgumentError: when run, if a matrix has no inverse.
    """
    if diagonals_format == "compact":
        compact = convert_to_tensor(diagonals)
    elif diagonals_format == "sequence":
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError("Expected diagonals to be a sequence of length 3.")
        above, main, below = (convert_to_tensor(part) for part in diagonals)
        size = main.dims[-1] if main.dims else None

        def whole(part: Tensor, what: str, last: bool) -> Tensor:
            own = part.dims[-1] if part.dims else None
            if not own or own == size:
                return part
            if size is None or own != size - 1:
                raise ValueError(f"Expected {what} to be have length {size} or {(size or 0) - 1}, got {own}.")
            gap = composing.zeros_like(part[..., :1])
            return composing.concat([part, gap] if last else [gap, part], -1)

        compact = composing.stack(
            [whole(above, "superdiagonal", True), main, whole(below, "subdiagonal", False)], axis=-2
        )
    elif diagonals_format == "matrix":
        compact = _compact(_shaped(diagonals))
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    rhs = convert_to_tensor(rhs)
    rank, right_rank = len(compact.dims or ()), len(rhs.dims or ())
    if rank < 2:
        raise ValueError(f"Expected diagonals to have rank at least 2, got {rank}")
    if right_rank not in (rank, rank - 1):
        raise ValueError(f"Expected the rank of rhs to be {rank - 1} or {rank}, got {right_rank}")
    if compact.dims and compact.dims[-2] not in (None, 3):
        raise ValueError(f"Expected 3 diagonals got {compact.dims[-2]}")
    if not compact.get_shape()[:-2].is_compatible_with(rhs.get_shape()[: rank - 2]):
        outer = compact.get_shape()[:-2], rhs.get_shape()[: rank - 2]
        raise ValueError(f"Batch shapes {outer[0]} and {outer[1]} are incompatible")
    vector = right_rank == rank - 1
    if vector:
        rhs = composing.expand_dims(composing.conj(rhs) if conjugate_rhs else rhs, -1)
    elif transpose_rhs:
        rhs = composing.matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = composing.conj(rhs)
    sizes = (compact.dims or (None,))[-1], (rhs.dims or (None, None))[-2]
    if sizes[0] and sizes[1] and sizes[0] != sizes[1]:
        raise ValueError(
            f"Expected number of left-hand sided and right-hand sides to be equal, got {sizes[0]} and {sizes[1]}"
        )
    result = raw.TridiagonalSolve(compact, rhs, partial_pivoting=partial_pivoting, name=name)
    if vector:
        return composing.squeeze(result, [-1])
    return composing.matrix_transpose(result) if transpose_rhs else result
