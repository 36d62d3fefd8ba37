"""Convolutions that resize and pad their images first: what TensorFlow's tools for inference make of three ops."""

from __future__ import annotations

from typing import Any

import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op
from headrace.core.shapes import merge_dims
from headrace.ops.array.pad import mirrored_sources
from headrace.ops.image import taps
from headrace.ops.image.resize import checked_size
from headrace.ops.ranks import ranked

_HOW = "mode: {'REFLECT', 'SYMMETRIC'}, strides: list(int), padding: {'SAME', 'VALID'} -> output: T"
fused_pad_op = op(
    "FusedPadConv2D", f"input: T, paddings: int32, filter: T, *, T: {{half, float, double}}, {_HOW}"
).on_host("paddings")
fused_resize_op = op(
    "FusedResizeAndPadConv2D",
    "input: T, size: int32, paddings: int32, filter: T, *, T: {half, float, double}, resize_align_corners=False, "
    f"{_HOW}",
).on_host("size", "paddings")


def _padded(images: Any, paddings: Any, edge: int) -> Any:
    pairs = paddings.tolist()
    if len(pairs) != 4 or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise InvalidArgumentError(
            None, None, f"paddings must be 4 pairs of numbers that are not negative, got {pairs}"
        )
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            sources = mirrored_sources(images.shape[axis], before, after, edge)
            images = images.index_select(axis, torch.tensor(sources, device=images.device))
    return images


def _convolved(images: Any, weights: Any, strides: tuple[int, int], same: bool) -> Any:
    if images.dim() != 4 or weights.dim() != 4 or images.shape[3] != weights.shape[2]:
        raise InvalidArgumentError(
            None, None, f"input and filter must have the same depth: {list(images.shape)} vs {list(weights.shape)}"
        )
    x = images.permute(0, 3, 1, 2)
    if same:
        around: list[int] = []
        for size, window, stride in zip(x.shape[2:], weights.shape[:2], strides, strict=True):
            total = max(0, (-(-size // stride) - 1) * stride + window - size)
            around = [total // 2, total - total // 2, *around]
        x = torch.nn.functional.pad(x, around)
    made = torch.nn.functional.conv2d(x, weights.permute(3, 2, 0, 1), stride=strides)
    return made.permute(0, 2, 3, 1).contiguous()


def _rules(decl: OpDecl, resizes: bool) -> None:
    @decl.shape
    @ranked(4, *([1] if resizes else []), 2, 4)
    def padded_convolution_shape(op):
        if resizes:
            merge_dims(op.inputs[1].dims, (2,))
        paddings, weights = op.inputs[-2:]
        merge_dims(paddings.dims, (4, 2))
        return [(None, None, None, weights.dims[3] if weights.dims else None)]

    @decl.kernel
    def padded_convolution_kernel(node):
        attrs = node.attrs
        steps = attrs["strides"]
        if len(steps) != 4 or steps[0] != 1 or steps[3] != 1:
            raise InvalidArgumentError(None, None, f"strides must be [1, rows, columns, 1], got {steps}")
        strides, same, edge = (steps[1], steps[2]), attrs["padding"] == "SAME", int(attrs["mode"] == "REFLECT")
        if not resizes:
            return lambda images, paddings, weights: _convolved(_padded(images, paddings, edge), weights, strides, same)
        align = attrs["resize_align_corners"]

        def run(images, size, paddings, weights):
            height, width = checked_size(images, size)
            rows = taps.linear(images.shape[1], height, align, False)
            columns = taps.linear(images.shape[2], width, align, False)
            resized = taps.resample(images.to(torch.float32), rows, columns).to(images.dtype)
            return _convolved(_padded(resized, paddings, edge), weights, strides, same)

        return run


_rules(fused_pad_op, False)
_rules(fused_resize_op, True)
