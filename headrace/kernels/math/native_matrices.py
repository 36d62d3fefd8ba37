"""How ops on matrices in the last two axes become native instructions, where the matrices are known to be small."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.native import Lowering, NativeBuilder, applied
from headrace.kernels.native import Rule, integers

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

# Those beyond are LAPACK's.
_LARGEST = 32
# Masks of more elements are not kept with a plan.
_LARGEST_MASK = 1 << 14


def _sizes(node: NodeView, index: int = 0) -> tuple[int, int] | None:
    """The sizes of an input's matrices, if they are known."""
    dims = node.inputs[index].dims
    if dims is None or len(dims) < 2 or dims[-1] is None or dims[-2] is None:
        return None
    return dims[-2], dims[-1]


def _are_small_squares(node: NodeView) -> bool:
    sizes = _sizes(node)
    is_real = node.inputs[0].dtype.base_dtype.name in ("float32", "float64")
    return is_real and sizes is not None and sizes[0] == sizes[1] <= _LARGEST


def on_squares(name: str) -> Rule:
    """The rule of an op of one instruction on square matrices, which is told whether they are turned."""

    def rule(node: NodeView) -> Lowering | None:
        told = [int(node.attrs["adjoint"])] if "adjoint" in node.attrs else []
        return applied(name, told) if _are_small_squares(node) else None

    return rule


def solution_rule(name: str) -> Rule:
    """The rule of an op that solves systems: told whether matrices are turned, and which triangle of them counts."""

    def rule(node: NodeView) -> Lowering | None:
        a, b = node.inputs[0].dims, node.inputs[1].dims
        if not _are_small_squares(node) or a is None or b is None or b[-1] is None or b[-1] > _LARGEST:
            return None
        # Others are refused, or batches that are not told.
        if len(a) != len(b) or a[:-1] != b[:-1] or None in a:
            return None
        told = [int(node.attrs["adjoint"])]
        return applied(name, told + ([int(node.attrs["lower"])] if "lower" in node.attrs else []))

    return rule


def _can_be_masked(sizes: tuple[int, int]) -> bool:
    return sizes[0] * sizes[1] <= _LARGEST_MASK


def _masked(b: NativeBuilder, mask: np.ndarray, inside: int, outside: int) -> Sequence[int]:
    return b.apply("select", [b.constant(mask), inside, outside])


def _zero(b: NativeBuilder, node: NodeView) -> int:
    return b.constant(np.zeros((), node.inputs[0].dtype.base_dtype.as_numpy_dtype))


def band_part_rule(node: NodeView) -> Lowering | None:
    """MatrixBandPart with a constant band."""
    sizes, lower, upper = _sizes(node), integers(node, 1), integers(node, 2)
    if sizes is None or lower is None or upper is None or len(lower) != 1 or len(upper) != 1:
        return None
    if not _can_be_masked(sizes):
        return None
    rows, columns = sizes
    if lower[0] > rows or upper[0] > columns or node.inputs[1].dims != () or node.inputs[2].dims != ():
        return None
    below = np.arange(rows)[:, None] - np.arange(columns)
    mask = np.ones(sizes, np.bool_)
    if lower[0] >= 0:
        mask &= below <= lower[0]
    if upper[0] >= 0:
        mask &= -below <= upper[0]
    return lambda b, inputs: _masked(b, mask, inputs[0], _zero(b, node))


def diagonal_rule(node: NodeView) -> Lowering | None:
    """MatrixDiag: the vector stands in each row, of which one element counts."""
    dims = node.inputs[0].dims
    if not dims or dims[-1] is None or not _can_be_masked((dims[-1], dims[-1])):
        return None
    mask = np.eye(dims[-1], dtype=np.bool_)
    return lambda b, inputs: _masked(b, mask, b.apply("expand_dims", inputs, [-1])[0], _zero(b, node))


def set_diagonal_rule(node: NodeView) -> Lowering | None:
    """MatrixSetDiag: the diagonal stands in each row or column, whichever are fewer, of which one element counts."""
    sizes, dims, diagonal = _sizes(node), node.inputs[0].dims, node.inputs[1].dims
    if sizes is None or dims is None or None in dims or diagonal != (*dims[:-2], min(sizes)):
        return None
    if not _can_be_masked(sizes):
        return None
    axis = -1 if sizes[0] <= sizes[1] else -2
    mask = np.eye(*sizes, dtype=np.bool_)
    return lambda b, inputs: _masked(b, mask, b.apply("expand_dims", [inputs[1]], [axis])[0], inputs[0])


def diagonal_part_rule(node: NodeView) -> Lowering | None:
    """MatrixDiagPart: of the elements in a row, every one that lies on the diagonal."""
    sizes, dims = _sizes(node), node.inputs[0].dims
    if sizes is None or dims is None or 0 in sizes:
        return None
    rows, columns = sizes
    rank = len(dims) - 1

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        batch = [b.dim(inputs[0], axis) for axis in range(rank - 1)]
        flat = b.apply("reshape", inputs, [*batch, rows * columns])
        sizes = [-1] * (rank - 1) + [min(rows, columns)]
        return b.apply("slice", flat, [0] * rank + sizes + [1] * (rank - 1) + [columns + 1])

    return lower
