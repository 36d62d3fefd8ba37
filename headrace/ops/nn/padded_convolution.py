"""Convolutions that resize and pad their images first: what TensorFlow's tools for inference make of three ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import Dims, merge_dim, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.multiply_adds import convolution
from headrace.core.registry import OpDecl, op
from headrace.kernels.array.mirror_padding import mirrored_sources
from headrace.kernels.image import taps
from headrace.kernels.image.sizes import checked_size
from headrace.kernels.nn.windows import window_count
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import OpView


_HOW = "mode: {'REFLECT', 'SYMMETRIC'}, strides: list(int), padding: {'SAME', 'VALID'} -> output: T"
fused_pad_op = op(
    "FusedPadConv2D", f"input: T, paddings: int32, filter: T, *, T: {{half, float, double}}, {_HOW}"
).on_host("paddings")
fused_pad_op.work(convolution(filters=lambda node: node.inputs[2]))
fused_resize_op = op(
    "FusedResizeAndPadConv2D",
    "input: T, size: int32, paddings: int32, filter: T, *, T: {half, float, double}, resize_align_corners=False, "
    f"{_HOW}",
).on_host("size", "paddings")
fused_resize_op.work(convolution(filters=lambda node: node.inputs[3]))


def _padded(images: torch.Tensor, paddings: torch.Tensor, edge: int) -> torch.Tensor:
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


def _convolved(images: torch.Tensor, weights: torch.Tensor, strides: tuple[int, int], same: bool) -> torch.Tensor:
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


def _convolved_dims(op: OpView, dims: Any, paddings: Any, weights: Any) -> Dims:
    padded: list[int | None] = [None] * 4
    if paddings is not None:
        padded = [None if size is None else size + int(sum(pair)) for size, pair in zip(dims, paddings, strict=True)]
    merge_dim(padded[3], weights[2])
    strides, padding = op.attrs["strides"], op.attrs["padding"]
    if len(strides) != 4:
        raise ValueError(f"{op.type} needs 4 strides, got {len(strides)}")
    rows, columns = (window_count(padded[axis], weights[axis - 1], strides[axis], padding) for axis in (1, 2))
    return padded[0], rows, columns, weights[3]


def _rules(decl: OpDecl, resizes: bool) -> None:
    @decl.shape
    @ranked(4, *([1] if resizes else []), 2, 4)
    def padded_convolution_shape(op):
        paddings, weights = op.inputs[-2:]
        merge_dims(paddings.dims, (4, 2))
        dims = op.inputs[0].dims or (None,) * 4
        if resizes:
            merge_dims(op.inputs[1].dims, (2,))
            dims = (dims[0], *(op.constant_dims(1) or (None, None)), dims[3])
        return [_convolved_dims(op, dims, op.constant(len(op.inputs) - 2), weights.dims or (None,) * 4)]

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

_around = np.array([[0, 0], [1, 0], [1, 1], [0, 0]], np.int32)
for _mode in ("REFLECT", "SYMMETRIC"):
    _settings: dict[str, Any] = {"mode": _mode, "strides": [1, 1, 1, 1], "padding": "VALID"}
    fused_pad_op.accepts([1, 3, 3, 2], _around, [2, 2, 2, 1], **_settings)
    fused_resize_op.accepts([1, 2, 2, 2], np.array([3, 4], np.int32), _around, [2, 2, 2, 1], **_settings)
    fused_pad_op.rejects([1, 3, 3, 2], _around[:3], [2, 2, 2, 1], error=ValueError, **_settings)
fused_resize_op.accepts(
    *([1, 2, 2, 1], np.array([3, 3], np.int32), _around, [2, 2, 1, 1]),
    mode="REFLECT",
    strides=[1, 2, 2, 1],
    padding="SAME",
    resize_align_corners=True,
)
