"""Images moved, turned and bent: ImageProjectiveTransform in two versions, Resampler."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.errors import UnimplementedError
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, rank_is, shape_text
from headrace.kernels.image.sizes import size_of
from headrace.kernels.image.transform_matrices import flat_transforms_to_matrices, matrices_to_flat_transforms

_TRANSFORM = "*, dtype: {uint8, int32, int64, half, float, double}, interpolation: string -> transformed_images: dtype"
transform_op = op(
    "ImageProjectiveTransformV2", f"images: dtype, transforms: float, output_shape: int32, {_TRANSFORM}"
).on_host("output_shape")
# The first version: what comes out is as large as what went in.
same_size_op = op("ImageProjectiveTransform", f"images: dtype, transforms: float, {_TRANSFORM}")


@transform_op.shape
def transform_shape(op):
    batch, _, _, channels = rank_is(op.inputs[0].dims, 4)
    return [(batch, *size_of(op, 2), channels)]


@same_size_op.shape
def same_size_shape(op):
    return [op.inputs[0].dims]


def _sources(transforms: torch.Tensor, height: int, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Where in the input each output pixel comes from: x and y, shape (transforms, height, width).

    With (u, v, w) the 3 x 3 matrix times (x, y, 1) it is (u / w, v / w): Hartley and Zisserman, "Multiple view geometry
    in computer vision" (2004), chapter 2.
    """
    x = torch.arange(width, dtype=torch.float32, device=transforms.device)[None, None, :]
    y = torch.arange(height, dtype=torch.float32, device=transforms.device)[None, :, None]
    a = transforms[:, :, None, None].unbind(1)
    depth = a[6] * x + a[7] * y + 1
    return (a[0] * x + a[1] * y + a[2]) / depth, (a[3] * x + a[4] * y + a[5]) / depth


def _pixels(images: torch.Tensor, y: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The pixels at integer places, 0 outside; y and x of shape (images, height, width)."""
    _, height, width, _ = images.shape
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    rows, columns = torch.where(inside, y, 0).long(), torch.where(inside, x, 0).long()
    index = torch.arange(images.shape[0], device=images.device)[:, None, None]
    return images[index, rows, columns] * inside[..., None].to(images.dtype)


def _transform(node):
    """The function of images, transforms and the height and width of what comes out."""
    kind = node.attrs["interpolation"]
    kind = kind.decode() if isinstance(kind, bytes) else kind
    if kind not in ("NEAREST", "BILINEAR"):
        raise invalid(f"Invalid interpolation {kind}. Supported types: NEAREST, BILINEAR")

    def transform(images, transforms, size):
        if images.dim() != 4:
            raise invalid("Input images must have rank 4")
        if transforms.dim() != 2 or transforms.shape[0] not in (1, images.shape[0]) or transforms.shape[1] != 8:
            raise invalid("Input transform should be num_images x 8 or 1 x 8")
        height, width = size
        if height <= 0 or width <= 0:
            raise invalid("output image dimensions must be positive")
        x, y = _sources(transforms, height, width)
        x, y = (part.expand(images.shape[0], -1, -1) for part in (x, y))
        # A pixel that comes from infinity is empty.
        known = torch.isfinite(x) & torch.isfinite(y)
        x, y = torch.where(known, x, -2.0), torch.where(known, y, -2.0)
        if kind == "NEAREST":
            return _pixels(images, _rounded(y), _rounded(x))
        left, top = x.floor(), y.floor()
        across, down = (x - left)[..., None], (y - top)[..., None]
        wide = images.to(torch.float64 if images.dtype is torch.float64 else torch.float32)
        above = _pixels(wide, top, left) * (1 - across) + _pixels(wide, top, left + 1) * across
        below = _pixels(wide, top + 1, left) * (1 - across) + _pixels(wide, top + 1, left + 1) * across
        return (above * (1 - down) + below * down).to(images.dtype)

    return transform


@transform_op.kernel
def transform_kernel(node):
    transform = _transform(node)

    def run(images, transforms, size):
        if tuple(size.shape) != (2,):
            raise invalid(f"output shape must be 1-dimensional{shape_text(size.shape)}")
        return transform(images, transforms, size.tolist())

    return run


@same_size_op.kernel
def same_size_kernel(node):
    transform = _transform(node)
    return lambda images, transforms: transform(images, transforms, images.shape[1:3])


def _rounded(x: torch.Tensor) -> torch.Tensor:
    """Halves away from zero."""
    return torch.sign(x) * torch.floor(x.abs() + 0.5)


@transform_op.gradient
def transform_gradient(op, grad):
    """The gradient, turned back."""
    inverse = matrices_to_flat_transforms(raw.MatrixInverse(flat_transforms_to_matrices(op.inputs[1])))
    size = composing.shape(op.inputs[0])[1:3]
    kind = op.get_attr("interpolation")
    return [raw.ImageProjectiveTransformV2(grad, inverse, size, interpolation=kind), None, None]


resampler_op = op("Resampler", "data: T, warp: T, *, T: {half, bfloat16, float, double} -> output: T")
resampler_grad_op = op(
    "ResamplerGrad",
    "data: T, warp: T, grad_output: T, *, T: {half, bfloat16, float, double} -> grad_data: T, grad_warp: T",
)
resampler_grad_op.not_differentiable()


@resampler_op.shape
def resampler_shape(op):
    data, warp = op.inputs[0].dims, op.inputs[1].dims
    # What does not fit is found when the step runs, as TensorFlow finds it.
    if warp is None or data is None or not warp:
        return [None]
    return [(*warp[:-1], data[-1] if data else None)]


def _neighbours(data: torch.Tensor, warp: torch.Tensor) -> tuple[Any, ...]:
    if data.dim() != 4:
        raise UnimplementedError(
            None,
            None,
            "Only bilinear interpolation is currently supported. The input data shape must be "
            f"[batch_size, data_height, data_width, data_channels], but is: {shape_text(data.shape)}",
        )
    if warp.dim() < 2:
        raise invalid(f"warp should be at least a matrix, got shape {shape_text(warp.shape)}")
    if warp.shape[-1] != 2:
        raise UnimplementedError(
            None,
            None,
            "Only bilinear interpolation is supported, warping coordinates must be 2D; warp shape last entry should be "
            f"2, but shape vector is: {shape_text(warp.shape)}",
        )
    if warp.shape[0] != data.shape[0]:
        raise invalid(
            "Batch size of data and warp tensor must be the same, but input shapes are: "
            f"{shape_text(data.shape)}, {shape_text(warp.shape)}"
        )
    x, y = (part.reshape(data.shape[0], -1, 1) for part in warp.unbind(-1))
    # Only within one pixel of the image is there something to mix.
    near = (x > -1) & (y > -1) & (x < data.shape[2]) & (y < data.shape[1])
    x, y = torch.where(near, x, -2.0), torch.where(near, y, -2.0)
    left, top = x.floor(), y.floor()
    return left, top, (x - left)[..., None], (y - top)[..., None]


@resampler_op.kernel
def resampler_kernel(node):
    def resample(data, warp):
        left, top, across, down = _neighbours(data, warp)
        above = _pixels(data, top, left) * (1 - across) + _pixels(data, top, left + 1) * across
        below = _pixels(data, top + 1, left) * (1 - across) + _pixels(data, top + 1, left + 1) * across
        return (above * (1 - down) + below * down).reshape(*warp.shape[:-1], data.shape[3])

    return resample


@resampler_op.gradient
def resampler_gradient(op, grad):
    return list(raw.ResamplerGrad(op.inputs[0], op.inputs[1], grad))


@resampler_grad_op.shape
def resampler_grad_shape(op):
    return [op.inputs[0].dims, op.inputs[1].dims]


@resampler_grad_op.kernel
def resampler_grad_kernel(node):
    def gradient(data, warp, grad):
        left, top, across, down = _neighbours(data, warp)
        batch, height, width, channels = data.shape
        grad = grad.reshape(batch, -1, 1, channels)
        corners = [_pixels(data, top + j, left + i) for j in (0, 1) for i in (0, 1)]
        to_x = (1 - down) * (corners[1] - corners[0]) + down * (corners[3] - corners[2])
        to_y = (1 - across) * (corners[2] - corners[0]) + across * (corners[3] - corners[1])
        to_warp = torch.stack([(grad * to_x).sum((2, 3)), (grad * to_y).sum((2, 3))], -1).reshape(warp.shape)
        to_data = torch.zeros((batch * height * width, channels), dtype=data.dtype, device=data.device)
        base = torch.arange(batch, device=data.device)[:, None, None] * (height * width)
        for j in (0, 1):
            for i in (0, 1):
                y, x = top + j, left + i
                inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
                places = base + torch.where(inside, y * width + x, 0).long()
                weight = (across if i else 1 - across) * (down if j else 1 - down) * inside[..., None]
                to_data.index_add_(0, places.reshape(-1), (grad * weight).reshape(-1, channels))
        return to_data.view(data.shape), to_warp

    return gradient


transform_op.accepts(
    [2, 4, 5, 3], np.array([[1, 0, 1, 0, 1, 0, 0, 0]], np.float32), np.array([4, 5], np.int32), interpolation="BILINEAR"
)
same_size_op.accepts([2, 4, 5, 3], np.array([[1, 0.2, 1, 0, 1, 0.5, 0, 0]], np.float32), interpolation="NEAREST")
resampler_op.accepts([2, 4, 5, 3], np.array([[[1.5, 0.5]], [[0.2, 2.1]]], np.float32))
resampler_grad_op.accepts([2, 4, 5, 1], np.array([[[1.5, 0.5]], [[0.2, 2.1]]], np.float32), [2, 1, 1])
