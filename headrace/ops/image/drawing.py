"""Boxes drawn on images: DrawBoundingBoxes, DrawBoundingBoxesV2."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims
from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, rank_is, shape_text

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView


# Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
_COLORS = [
    [1, 1, 0, 1],
    [0, 0, 1, 1],
    [1, 0, 0, 1],
    [0, 1, 0, 1],
    [0.5, 0, 0.5, 1],
    [0.5, 0.5, 0, 1],
    [0.5, 0, 0, 1],
    [0, 0, 0.5, 1],
    [0, 1, 1, 1],
    [1, 0, 1, 1],
]

_DEPTHS = "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"

draw_op = op("DrawBoundingBoxes", "images: T, boxes: float, *, T: {float, half} = float -> output: T")
draw_v2_op = op(
    "DrawBoundingBoxesV2", "images: T, boxes: float, colors: float, *, T: {float, half} = float -> output: T"
)


def _shape(op: OpView) -> list[Dims]:
    images: Any
    boxes: Any
    images, boxes = rank_is(op.inputs[0].dims, 4), rank_is(op.inputs[1].dims, 3)
    if boxes[2] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[2]}")
    if images[3] not in (None, 1, 3, 4):
        raise ValueError(_DEPTHS)
    return [op.inputs[0].dims]


def _kernel(node: NodeView) -> Callable[..., Any]:
    def draw(images: torch.Tensor, boxes: torch.Tensor, colors: torch.Tensor | None = None) -> torch.Tensor:
        if images.dim() != 4:
            raise invalid("The rank of the images should be 4")
        if boxes.dim() != 3 or boxes.shape[2] != 4:
            raise invalid(f"boxes must be [batch, num_bounding_boxes, 4]{shape_text(boxes.shape)}")
        if images.shape[0] != boxes.shape[0]:
            raise invalid("The batch sizes should be the same")
        out = images.clone()
        _, height, width, depth = images.shape
        table = torch.tensor(_COLORS) if colors is None or not colors.numel() else colors
        if depth not in (1, 3, 4):
            raise invalid(_DEPTHS)
        if table.dim() != 2:
            raise invalid(f"colors must be a 2-D matrix{shape_text(table.shape)}")
        if depth > table.shape[1]:
            raise invalid(f"images with {depth} channels need as many in colors, got {table.shape[1]}")
        # An image of one channel is drawn on in white.
        table = torch.ones_like(table) if depth == 1 else table
        table = table[:, :depth].to(out)
        edges = boxes.cpu().numpy() * np.array([height - 1, width - 1, height - 1, width - 1], np.float32)
        for image, lines in zip(out, edges):
            for number, box in enumerate(lines.astype(np.int64).tolist()):
                _frame(image, box, table[number % len(table)])
        return out

    return draw


def _frame(image: torch.Tensor, box: list[int], color: torch.Tensor) -> None:
    """Draws what of the box's edges lies within the image."""
    top, left, bottom, right = box
    height, width, _ = image.shape
    if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows, columns = slice(max(top, 0), min(bottom, height - 1) + 1), slice(max(left, 0), min(right, width - 1) + 1)
    for row in (top, bottom):
        if 0 <= row < height:
            image[row, columns] = color
    for column in (left, right):
        if 0 <= column < width:
            image[rows, column] = color


for _decl in (draw_op, draw_v2_op):
    _decl.shape(_shape)
    _decl.kernel(_kernel)
draw_op.not_differentiable()
draw_op.accepts([1, 5, 6, 3], np.array([[[0.1, 0.2, 0.8, 0.9]]], np.float32))
draw_v2_op.accepts([1, 5, 6, 3], np.array([[[0.1, 0.2, 0.8, 0.9]]], np.float32), np.array([[1, 0, 0]], np.float32))
