"""Diagonals as TensorFlow 2 writes them: short ones may lie at the right or the left end of their row."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import find, op, raw
from headrace.core.shapes import is_fully_defined
from headrace.ops import composing
from headrace.ops.math.diagonal import _bounds, _longest

_ALIGNS = ("LEFT_LEFT", "LEFT_RIGHT", "RIGHT_LEFT", "RIGHT_RIGHT")


def _align_of(node: Any) -> str:
    align = node.attrs["align"]
    align = align.decode() if isinstance(align, bytes) else align
    if align not in _ALIGNS:
        raise InvalidArgumentError(None, None, f"align must be one of {', '.join(_ALIGNS)}, got {align!r}")
    return align


def _moved(diagonals: Any, lower: int, upper: int, rows: int, columns: int, align: str, back: bool = False) -> Any:
    """Diagonals that lie at the left as `align` has them, or `back`."""
    above, below = (part == "LEFT" for part in align.split("_"))
    if lower == upper or (above and below):
        return diagonals
    longest = _longest(rows, columns, lower, upper)
    parts = []
    for k in range(upper, lower - 1, -1):
        row = diagonals[..., upper - k, :]
        at_left = (k >= 0 and above) or (k <= 0 and below)
        gap = 0 if at_left else longest - min(rows + min(k, 0), columns - max(k, 0))
        parts.append(torch.roll(row, -gap if back else gap, -1) if gap else row)
    return torch.stack(parts, -2)


def _of_earlier(decl: Any, earlier: str) -> Any:
    found = find(earlier)
    assert found is not None
    assert found.kernel_rule is not None
    decl.shape_rule = found.shape_rule
    return found.kernel_rule


matrix_diag_v3_op = op(
    "MatrixDiagV3",
    "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T, *, align='RIGHT_LEFT' -> output: T",
).on_host("k", "num_rows", "num_cols", "padding_value")
matrix_diag_v3_op.accepts([3], 0, -1, -1, 0).accepts([2, 3], np.array([-1, 0]), -1, -1, 0)
_embedding = _of_earlier(matrix_diag_v3_op, "MatrixDiagV2")


@matrix_diag_v3_op.kernel
def matrix_diag_v3_kernel(node):
    align, embed = _align_of(node), _embedding(node)

    def run(diagonal, k, rows, columns, padding):
        lower, upper = _bounds(k)
        if lower != upper:
            # How long each diagonal is depends on the size of the matrix, which an empty one tells.
            sizes = embed(torch.zeros_like(diagonal), k, rows, columns, padding).shape[-2:]
            diagonal = _moved(diagonal, lower, upper, *sizes, align, back=True)
        return embed(diagonal, k, rows, columns, padding)

    return run


@matrix_diag_v3_op.gradient
def matrix_diag_v3_gradient(op, grad):
    part = raw.MatrixDiagPartV3(grad, op.inputs[1], 0, align=op.attrs["align"], name="diag_part")
    return [part, None, None, None, None]


matrix_diag_part_v3_op = (
    op("MatrixDiagPartV3", "input: T, k: int32, padding_value: T, *, align='RIGHT_LEFT' -> diagonal: T")
    .on_host("k", "padding_value")
    .aliases()
)
matrix_diag_part_v3_op.accepts([2, 3], 0, 0).accepts([2, 3, 3], np.array([-1, 1]), 7)
_taking = _of_earlier(matrix_diag_part_v3_op, "MatrixDiagPartV2")


@matrix_diag_part_v3_op.kernel
def matrix_diag_part_v3_kernel(node):
    align, part = _align_of(node), _taking(node)

    def run(x, k, padding):
        lower, upper = _bounds(k)
        return _moved(part(x, k, padding), lower, upper, *x.shape[-2:], align)

    return run


@matrix_diag_part_v3_op.gradient
def matrix_diag_part_v3_gradient(op, grad):
    dims, align = op.inputs[0].dims, op.attrs["align"]
    if dims is not None and is_fully_defined(dims[-2:]):
        return [raw.MatrixDiagV3(grad, op.inputs[1], *dims[-2:], 0, align=align, name="diag"), None, None]
    zeros = composing.zeros_like(op.inputs[0])
    return [raw.MatrixSetDiagV3(zeros, grad, op.inputs[1], align=align, name="set_diag"), None, None]


matrix_set_diag_v3_op = op(
    "MatrixSetDiagV3", "input: T, diagonal: T, k: int32, *, align='RIGHT_LEFT' -> output: T"
).on_host("k")
matrix_set_diag_v3_op.accepts([3, 4], [3], 0).accepts([2, 3, 4], [2, 2, 3], np.array([0, 1]))
_replacing = _of_earlier(matrix_set_diag_v3_op, "MatrixSetDiagV2")


@matrix_set_diag_v3_op.kernel
def matrix_set_diag_v3_kernel(node):
    align, replaced = _align_of(node), _replacing(node)

    def run(x, diagonal, k):
        lower, upper = _bounds(k)
        if lower != upper and diagonal.dim() == x.dim() and diagonal.shape[-2] == upper - lower + 1:
            longest = _longest(*x.shape[-2:], lower, upper)
            if diagonal.shape[-1] == longest:
                diagonal = _moved(diagonal, lower, upper, *x.shape[-2:], align, back=True)
        return replaced(x, diagonal, k)

    return run


@matrix_set_diag_v3_op.gradient
def matrix_set_diag_v3_gradient(op, grad):
    sizes: Any = op.inputs[1].dims
    if not is_fully_defined(sizes):
        sizes = composing.shape(op.inputs[1])
    zeros, align = composing.zeros(sizes, dtype=grad.dtype), op.attrs["align"]
    return [
        raw.MatrixSetDiagV3(grad, zeros, op.inputs[2], align=align, name="set_diag"),
        raw.MatrixDiagPartV3(grad, op.inputs[2], 0, align=align, name="diag_part"),
        None,
    ]
