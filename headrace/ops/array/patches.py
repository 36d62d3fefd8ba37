"""Sliding windows as vectors: ExtractImagePatches and ExtractVolumePatches."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as functional

from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.ops.array.common import either, moving, rank_is

extract_image_patches_op = op(
    "ExtractImagePatches",
    "images: T, *, ksizes: list(int) >= 4, strides: list(int) >= 4, rates: list(int) >= 4, T: realnumeric, "
    "padding: {'SAME', 'VALID'} -> patches: T",
)
extract_volume_patches_op = op(
    "ExtractVolumePatches",
    "input: T, *, ksizes: list(int) >= 5, strides: list(int) >= 5, T: realnumeric, padding: {'SAME', 'VALID'} "
    "-> patches: T",
)


def _windows(attrs: dict[str, Any]) -> tuple[list[int], list[int], list[int]]:
    """The sizes, strides and rates over the axes of space."""
    ksizes, strides = attrs["ksizes"], attrs["strides"]
    rates = attrs.get("rates", [1] * len(ksizes))
    for what, values in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        if len(values) != len(ksizes):
            raise ValueError(f"{what} must have {len(ksizes)} entries, got {len(values)}")
        if values[0] != 1 or values[-1] != 1:
            raise ValueError(f"Only support {what} across space: the first and last entries must be 1, got {values}")
    return ksizes[1:-1], strides[1:-1], rates[1:-1]


def _placed(size: int, window: int, stride: int, rate: int, padding: str) -> tuple[int, int, int]:
    """How many windows fit along an axis, and the padding before and after it."""
    extent = (window - 1) * rate + 1
    if padding == "VALID":
        return max(-(-(size - extent + 1) // stride), 0), 0, 0
    count = -(-size // stride)
    total = max((count - 1) * stride + extent - size, 0)
    return count, total // 2, total - total // 2


def _patches_dims(op):
    windows, strides, rates = _windows(op.attrs)
    dims = rank_is(op.inputs[0].dims, len(windows) + 2)
    space = [
        None if size is None else _placed(size, k, s, r, op.attrs["padding"])[0]
        for size, k, s, r in zip(dims[1:-1], windows, strides, rates)
    ]
    if None in space:
        space = [None] * len(space)
    depth = dims[-1]
    for k in windows:
        depth = None if depth is None else depth * k
    return [(dims[0], *space, depth)]


extract_image_patches_op.shape(_patches_dims)
extract_volume_patches_op.shape(_patches_dims)


def _patches_kernel(node):
    windows, strides, rates = _windows(node.attrs)
    padding, n = node.attrs["padding"], len(node.attrs["ksizes"]) - 2

    def extract(x):
        amounts, counts = [0, 0], []
        for size, k, s, r in reversed(list(zip(x.shape[1:-1], windows, strides, rates))):
            count, before, after = _placed(size, k, s, r, padding)
            amounts += [before, after]
            counts.insert(0, count)
        x = functional.pad(x, amounts).contiguous() if any(amounts) else x.contiguous()
        step = x.stride()
        view = x.as_strided(
            [x.shape[0], *counts, *windows, x.shape[-1]],
            [
                step[0],
                *(step[1 + i] * strides[i] for i in range(n)),
                *(step[1 + i] * rates[i] for i in range(n)),
                step[-1],
            ],
        )
        return view.reshape([x.shape[0], *counts, -1 if view.numel() else torch.Size(view.shape[1 + n :]).numel()])

    return moving(node, extract)


extract_image_patches_op.kernel(_patches_kernel)
extract_volume_patches_op.kernel(_patches_kernel)
extract_image_patches_op.aliases()
extract_volume_patches_op.aliases()


def extract_image_patches(
    images: Any,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """The windows of images, each flattened into the depth of the result.

    Args:
        images: tensor of shape [batch, rows, cols, depth].
        ksizes: [1, window rows, window cols, 1]; `sizes` is its newer name.
        strides: [1, row step, col step, 1] between windows.
        rates: [1, row step, col step, 1] within a window.
        padding: "VALID" or "SAME".
        name: a name for the operation.

    Returns:
        tensor of shape [batch, rows out, cols out, window rows * window cols * depth].
    """
    ksizes = either("sizes", sizes, "ksizes", ksizes)
    return raw.ExtractImagePatches(images, ksizes=ksizes, strides=strides, rates=rates, padding=padding, name=name)


def extract_volume_patches(input: Any, ksizes: Any, strides: Any, padding: str, name: str | None = None) -> Tensor:
    """As `extract_image_patches`, over volumes of shape [batch, planes, rows, cols, depth]."""
    return raw.ExtractVolumePatches(input, ksizes=ksizes, strides=strides, padding=padding, name=name)


extract_image_patches_op.accepts(
    [1, 5, 5, 2], ksizes=[1, 3, 3, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="VALID"
)
