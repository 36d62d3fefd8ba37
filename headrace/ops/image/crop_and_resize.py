"""Boxes cut out of images and brought to one size: CropAndResize and its gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import is_fully_defined, merge_dim
from headrace.core.errors import OutOfRangeError
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, rank_is, shape_text
from headrace.kernels.image.sizes import size_of
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import NodeView


_ANY = "{uint8, uint16, int8, int16, int32, int64, half, float, double}"
_METHOD = "method: {'bilinear', 'nearest'} = 'bilinear'"

crop_and_resize_op = op(
    "CropAndResize",
    f"image: T, boxes: float, box_ind: int32, crop_size: int32, *, T: {_ANY}, {_METHOD}, "
    "extrapolation_value=0.0 -> crops: float",
).on_host("crop_size")


def _check_boxes(given: Tensor, of_each: Tensor) -> None:
    boxes: Any = rank_is(given.dims, 2)
    indices: Any = rank_is(of_each.dims, 1)
    merge_dim(boxes[0], indices[0])
    if boxes[1] not in (None, 4):
        raise ValueError(f"Dimension must be 4 but is {boxes[1]}")


@crop_and_resize_op.shape
def crop_and_resize_shape(op):
    image = rank_is(op.inputs[0].dims, 4)
    _check_boxes(op.inputs[1], op.inputs[2])
    count = merge_dim(rank_is(op.inputs[1].dims, 2)[0], rank_is(op.inputs[2].dims, 1)[0])
    return [(count, *size_of(op, 3), image[3])]


def _method(node: NodeView) -> str:
    method = node.attrs["method"]
    return method.decode() if isinstance(method, bytes) else method


def _check(image_dims: Any, boxes: torch.Tensor, indices: torch.Tensor) -> None:
    if len(image_dims) != 4:
        raise invalid(f"input image must be 4-D{shape_text(image_dims)}")
    if boxes.dim() != 2 or boxes.shape[1] != 4:
        raise invalid(f"boxes must be 2-D{shape_text(boxes.shape)}")
    if indices.dim() != 1 or indices.shape[0] != boxes.shape[0]:
        raise invalid(f"box_index has incompatible shape {shape_text(indices.shape)}")
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= image_dims[0]):
        raise OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")


def _steps(low: torch.Tensor, high: torch.Tensor, length: int, count: int) -> torch.Tensor:
    """Where the samples of each box lie along an axis of `length`, shape (boxes, count)."""
    if count == 1:
        return (0.5 * (low + high) * (length - 1))[:, None]
    steps = torch.arange(count, dtype=torch.float32, device=low.device)
    return (low * (length - 1))[:, None] + steps * ((high - low) * (length - 1) / (count - 1))[:, None]


def _places(boxes: torch.Tensor, dims: Any, size: Any) -> tuple[Any, Any, Any]:
    """Sample rows and columns of each box, and which samples lie within the image."""
    y1, x1, y2, x2 = boxes.unbind(1)
    rows, columns = _steps(y1, y2, dims[1], size[0]), _steps(x1, x2, dims[2], size[1])
    inside_rows = (rows >= 0) & (rows <= dims[1] - 1)
    inside_columns = (columns >= 0) & (columns <= dims[2] - 1)
    inside = inside_rows[:, :, None] & inside_columns[:, None, :]
    # What lies outside is looked up somewhere inside and overwritten.
    return torch.where(inside_rows, rows, 0), torch.where(inside_columns, columns, 0), inside


def _rounded(places: torch.Tensor) -> torch.Tensor:
    return torch.floor(places + 0.5).long()


def _corners(rows: torch.Tensor, columns: torch.Tensor) -> tuple[Any, ...]:
    top, left = rows.floor(), columns.floor()
    bottom, right = rows.ceil().long(), columns.ceil().long()
    return top.long(), bottom, (rows - top)[:, :, None, None], left.long(), right, (columns - left)[:, None, :, None]


def _at(image: torch.Tensor, indices: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    return image[indices[:, None, None], rows[:, :, None], columns[:, None, :]].float()


@crop_and_resize_op.kernel
def crop_and_resize_kernel(node):
    method, outside = _method(node), float(node.attrs["extrapolation_value"])

    def crop(image, boxes, indices, size):
        _check(image.shape, boxes, indices)
        height, width = size.tolist()
        if height <= 0 or width <= 0:
            raise invalid("crop dimensions must be positive")
        if image.shape[1] <= 0 or image.shape[2] <= 0:
            raise invalid("image dimensions must be positive")
        indices = indices.long()
        rows, columns, inside = _places(boxes, image.shape, (height, width))
        if method == "nearest":
            crops = _at(image, indices, _rounded(rows), _rounded(columns))
        else:
            top, bottom, down, left, right, across = _corners(rows, columns)
            above = torch.lerp(_at(image, indices, top, left), _at(image, indices, top, right), across)
            below = torch.lerp(_at(image, indices, bottom, left), _at(image, indices, bottom, right), across)
            crops = torch.lerp(above, below, down)
        return torch.where(inside[..., None], crops, outside)

    return crop


@crop_and_resize_op.gradient
def crop_and_resize_gradient(op, grad):
    image, boxes, indices, _ = op.inputs
    size = list(image.dims) if is_fully_defined(image.dims) else composing.shape(image)
    to_image = None
    if image.dtype.name in ("float16", "float32", "float64"):
        method = op.get_attr("method")
        to_image = raw.CropAndResizeGradImage(grad, boxes, indices, size, T=image.dtype, method=method)
    return [to_image, raw.CropAndResizeGradBoxes(grad, image, boxes, indices), None, None]


grad_image_op = op(
    "CropAndResizeGradImage",
    f"grads: float, boxes: float, box_ind: int32, image_size: int32, *, T: {{float, half, double}}, {_METHOD} "
    "-> output: T",
).on_host("image_size")


@grad_image_op.shape
@ranked(None, None, None, 1)
def grad_image_shape(op):
    # The other inputs are looked at when it runs, as in 1.15.
    return [rank_is(op.constant_dims(3), 4)]


@grad_image_op.kernel
def grad_image_kernel(node):
    method, dtype = _method(node), node.outputs[0].dtype.torch

    def gradient(grads, boxes, indices, size):
        dims = size.tolist()
        if len(dims) != 4:
            raise invalid(f"image_size must be 1-D with 4 elements{shape_text(size.shape)}")
        _check(dims, boxes, indices)
        rows, columns, inside = _places(boxes, dims, grads.shape[1:3])
        grads = torch.where(inside[..., None], grads, 0.0)
        out = torch.zeros((dims[0] * dims[1] * dims[2], dims[3]), dtype=torch.float32, device=grads.device)
        first = (indices.long() * dims[1] * dims[2])[:, None, None]

        def add(ys: torch.Tensor, xs: torch.Tensor, values: torch.Tensor) -> None:
            flat = first + ys[:, :, None] * dims[2] + xs[:, None, :]
            out.index_add_(0, flat.reshape(-1), values.reshape(-1, dims[3]))

        if method == "nearest":
            add(_rounded(rows), _rounded(columns), grads)
        else:
            top, bottom, down, left, right, across = _corners(rows, columns)
            for ys, weight in ((top, 1 - down), (bottom, down)):
                add(ys, left, grads * weight * (1 - across))
                add(ys, right, grads * weight * across)
        return out.view(dims).to(dtype)

    return gradient


grad_boxes_op = op(
    "CropAndResizeGradBoxes",
    f"grads: float, image: T, boxes: float, box_ind: int32, *, T: {_ANY}, method: {{'bilinear'}} = 'bilinear' "
    "-> output: float",
)
grad_boxes_op.shape(lambda op: [op.inputs[2].dims])


@grad_boxes_op.kernel
def grad_boxes_kernel(node):
    def gradient(grads, image, boxes, indices):
        _check(image.shape, boxes, indices)
        indices = indices.long()
        _, height, width, _ = grads.shape
        rows, columns, inside = _places(boxes, image.shape, (height, width))
        top, bottom, down, left, right, across = _corners(rows, columns)
        top_left, top_right = _at(image, indices, top, left), _at(image, indices, top, right)
        bottom_left, bottom_right = _at(image, indices, bottom, left), _at(image, indices, bottom, right)
        along_y = torch.lerp(bottom_left - top_left, bottom_right - top_right, across)
        along_x = torch.lerp(top_right - top_left, bottom_right - bottom_left, down)
        grads = torch.where(inside[..., None], grads, 0.0)
        parts = []
        for slope, length, samples, axis in (
            (along_y, image.shape[1], height, (0, 1)),
            (along_x, image.shape[2], width, (0, 2)),
        ):
            # How much of each sample's place comes from the box's far side.
            far = torch.arange(samples, dtype=torch.float32, device=grads.device) / max(samples - 1, 1)
            far = far if samples > 1 else torch.full_like(far, 0.5)
            flow = (grads * slope).sum(3).sum(2 if axis == (0, 1) else 1) * (length - 1)
            parts.append(((flow * (1 - far)).sum(1), (flow * far).sum(1)))
        (y1, y2), (x1, x2) = parts
        return torch.stack([y1, x1, y2, x2], 1)

    return gradient


_BOXES, _INDICES = np.array([[0.1, 0.2, 0.9, 0.8], [0.5, 0.5, 1.2, 1.1]], np.float32), np.array([0, 1], np.int32)
crop_and_resize_op.accepts([2, 5, 4, 3], _BOXES, _INDICES, np.array([3, 2], np.int32))
crop_and_resize_op.rejects([5, 4, 3], _BOXES, _INDICES, np.array([3, 2], np.int32), error=ValueError)
grad_image_op.accepts([2, 3, 2, 3], _BOXES, _INDICES, np.array([2, 5, 4, 3], np.int32), T="float32")
grad_boxes_op.accepts([2, 3, 2, 3], [2, 5, 4, 3], _BOXES, _INDICES)
