"""Diagonals as TensorFlow 2 writes them: short ones may lie at the right or the left end of their row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import is_fully_defined
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.math.diagonals import (
    bounds_of,
    diagonals_kernel,
    diagonals_shape,
    longest,
    matrices_kernel,
    matrices_shape,
    replaced_kernel,
    replaced_shape,
)

if TYPE_CHECKING:
    from headrace.core.typing import NodeView


_ALIGN = "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"


def _align_of(node: NodeView) -> str:
    align = node.attrs["align"]
    return align.decode() if isinstance(align, bytes) else align


def _moved(
    diagonals: torch.Tensor, lower: int, upper: int, rows: int, columns: int, align: str, back: bool = False
) -> Any:
    """Diagonals that lie at the left as `align` has them, or `back`."""
    above, below = (part == "LEFT" for part in align.split("_"))
    if lower == upper or (above and below):
        return diagonals
    length = longest(rows, columns, lower, upper)
    parts = []
    for k in range(upper, lower - 1, -1):
        row = diagonals[..., upper - k, :]
        at_left = (k >= 0 and above) or (k <= 0 and below)
        gap = 0 if at_left else length - min(rows + min(k, 0), columns - max(k, 0))
        parts.append(torch.roll(row, -gap if back else gap, -1) if gap else row)
    return torch.stack(parts, -2)


matrix_diag_v3_op = op(
    "MatrixDiagV3",
    f"diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T, *, {_ALIGN} -> output: T",
).on_host("k", "num_rows", "num_cols", "padding_value")
matrix_diag_v3_op.accepts([3], 0, -1, -1, 0).accepts([2, 3], np.array([-1, 0]), -1, -1, 0)
matrix_diag_v3_op.shape(matrices_shape)


@matrix_diag_v3_op.kernel
def matrix_diag_v3_kernel(node):
    align, embed = _align_of(node), matrices_kernel(node)

    def run(diagonal, k, rows, columns, padding):
        lower, upper = bounds_of(k)
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
    op("MatrixDiagPartV3", f"input: T, k: int32, padding_value: T, *, {_ALIGN} -> diagonal: T")
    .on_host("k", "padding_value")
    .aliases()
)
matrix_diag_part_v3_op.accepts([2, 3], 0, 0).accepts([2, 3, 3], np.array([-1, 1]), 7)
matrix_diag_part_v3_op.shape(diagonals_shape)


@matrix_diag_part_v3_op.kernel
def matrix_diag_part_v3_kernel(node):
    align, part = _align_of(node), diagonals_kernel(node)

    def run(x, k, padding):
        lower, upper = bounds_of(k)
        return _moved(part(x, k, padding), lower, upper, *x.shape[-2:], align)

    return run


@matrix_diag_part_v3_op.gradient
def matrix_diag_part_v3_gradient(op, grad):
    dims, align = op.inputs[0].dims, op.attrs["align"]
    if dims is not None and is_fully_defined(dims[-2:]):
        return [raw.MatrixDiagV3(grad, op.inputs[1], *dims[-2:], 0, align=align, name="diag"), None, None]
    zeros = composing.zeros_like(op.inputs[0])
    return [raw.MatrixSetDiagV3(zeros, grad, op.inputs[1], align=align, name="set_diag"), None, None]


matrix_set_diag_v3_op = op("MatrixSetDiagV3", f"input: T, diagonal: T, k: int32, *, {_ALIGN} -> output: T").on_host("k")
matrix_set_diag_v3_op.accepts([3, 4], [3], 0).accepts([2, 3, 4], [2, 2, 3], np.array([0, 1]))
matrix_set_diag_v3_op.shape(replaced_shape)


@matrix_set_diag_v3_op.kernel
def matrix_set_diag_v3_kernel(node):
    align, replaced = _align_of(node), replaced_kernel(node)

    def run(x, diagonal, k):
        lower, upper = bounds_of(k)
        if lower != upper and diagonal.dim() == x.dim() and diagonal.shape[-2] == upper - lower + 1:
            length = longest(*x.shape[-2:], lower, upper)
            if diagonal.shape[-1] == length:
                diagonal = _moved(diagonal, lower, upper, *x.shape[-2:], align, back=True)
        return replaced(x, diagonal, k)

    return run


@matrix_set_diag_v3_op.gradient
def matrix_set_diag_v3_gradient(op, grad):
    sizes: tuple[int, ...] = op.inputs[1].dims
    if not is_fully_defined(sizes):
        sizes = composing.shape(op.inputs[1])
    zeros, align = composing.zeros(sizes, dtype=grad.dtype), op.attrs["align"]
    return [
        raw.MatrixSetDiagV3(grad, zeros, op.inputs[2], align=align, name="set_diag"),
        raw.MatrixDiagPartV3(grad, op.inputs[2], 0, align=align, name="diag_part"),
        None,
    ]
