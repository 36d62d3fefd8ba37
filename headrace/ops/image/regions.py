"""Pairs of rows and columns that are close to each other, and connected regions of images."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, rank_is

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


bipartite_match_op = op(
    "BipartiteMatch",
    "distance_mat: float, num_valid_rows: float, *, top_k=-1 "
    "-> row_to_col_match_indices: int32, col_to_row_match_indices: int32",
    stateful=True,
)
components_op = op(
    "ImageConnectedComponents",
    "image: dtype, *, dtype: {int64, int32, uint16, int16, uint8, int8, half, float, double, bool, string} "
    "-> components: int64",
)
for _decl in (bipartite_match_op, components_op):
    _decl.not_differentiable().on_host(*(arg.name for arg in _decl.signature.inputs), outputs=True)


@bipartite_match_op.shape
def bipartite_match_shape(op: OpView) -> list[Any]:
    rows, columns = rank_is(op.inputs[0].dims, 2) or (None, None)
    return [(rows,), (columns,)]


@bipartite_match_op.kernel
def bipartite_match_kernel(node: NodeView) -> Callable[..., Any]:
    top_k = node.attrs["top_k"]

    def match(distances: torch.Tensor, valid: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        rows, columns = distances.shape
        valid = np.asarray(valid).reshape(-1)
        if valid.size != 1:
            raise invalid("num_valid_rows argument should be a scalar or a tensor with one element.")
        count = rows if valid[0] < 0 else min(int(valid[0]), rows)
        most = columns if top_k <= 0 else top_k
        of_row, of_column = np.full(rows, -1, np.int32), np.full(columns, -1, np.int32)
        found = 0
        considered = np.asarray(distances)[:count]
        for place in np.argsort(considered, axis=None, kind="stable"):
            row, column = divmod(int(place), columns)
            if of_row[row] < 0 and of_column[column] < 0:
                of_row[row], of_column[column] = column, row
                found += 1
                if found >= min(most, count, columns):
                    break
        return torch.from_numpy(of_row), torch.from_numpy(of_column)

    return match


@components_op.shape
def components_shape(op: OpView) -> list[Any]:
    return [rank_is(op.inputs[0].dims, 3)]


def _joined(image: np.ndarray) -> np.ndarray:
    """For each pixel the first place, in reading order, of the pixels of its value that it is connected to."""
    first = np.arange(image.size).reshape(image.shape)
    pairs = []
    for axis in (1, 2):
        size = image.shape[axis]
        before, after = (np.take(first, range(at, size - 1 + at), axis) for at in (0, 1))
        equal = image.reshape(-1)[before] == image.reshape(-1)[after]
        pairs.append(np.stack([before[equal], after[equal]]))
    low, high = np.concatenate(pairs, 1)
    root = first.reshape(-1)
    while True:
        least = np.minimum(root[low], root[high])
        lowered = root.copy()
        np.minimum.at(lowered, root[low], least)
        np.minimum.at(lowered, root[high], least)
        lowered = lowered[lowered]
        if np.array_equal(lowered, root):
            return root.reshape(image.shape)
        root = lowered


@components_op.kernel
def components_kernel(node: NodeView) -> Callable[..., Any]:
    background: bytes | int = b"" if node.inputs[0].dtype.name == "string" else 0

    def label(image: np.ndarray | torch.Tensor) -> torch.Tensor:
        image = np.asarray(image)
        return torch.from_numpy(np.where(image == background, 0, _joined(image) + 1).astype(np.int64))

    return label


bipartite_match_op.accepts(np.array([[0.5, 0.1], [0.3, 0.2], [0.4, 0.9]], np.float32), np.float32(-1))
components_op.accepts(np.array([[[True, False], [True, True]]]))
