"""Resizing: ResizeBilinear, ResizeBicubic, ResizeNearestNeighbor, ResizeArea, ScaleAndTranslate and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import is_fully_defined
from headrace.core.registry import OpDecl, op, raw
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid
from headrace.kernels.image import taps
from headrace.kernels.image.sizes import checked_size, resized_shape

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView


_ANY = "{int8, uint8, int16, uint16, int32, int64, half, float, double}"
_WITH_BFLOAT = "{int8, uint8, int16, uint16, int32, int64, bfloat16, half, float, double}"
_HOW = "align_corners=False, half_pixel_centers=False"


def _how(node: NodeView) -> tuple[bool, ...]:
    attrs = node.attrs
    how = (bool(attrs["align_corners"]), bool(attrs.get("half_pixel_centers", False)))
    if all(how):
        raise invalid("If half_pixel_centers is True, align_corners must be False.")
    return how if "half_pixel_centers" in attrs else how[:1]


def _declare(op_type: str, types: str, how: str, make: Callable[..., taps.Taps]) -> OpDecl:
    decl = op(op_type, f"images: T, size: int32, *, T: {types}, {how} -> resized_images: float").on_host("size")
    decl.shape(resized_shape)

    @decl.kernel
    def kernel(node: NodeView) -> Callable[..., Any]:
        how = _how(node)

        def resize(images: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
            height, width = checked_size(images, size)
            rows, columns = make(images.shape[1], height, *how), make(images.shape[2], width, *how)
            return taps.resample(images.to(torch.float32), rows, columns)

        return resize

    return decl


resize_bilinear_op = _declare("ResizeBilinear", _WITH_BFLOAT, _HOW, taps.linear)
resize_bicubic_op = _declare("ResizeBicubic", _ANY, _HOW, taps.cubic)
resize_area_op = _declare("ResizeArea", _ANY, "align_corners=False", taps.area)


def _declare_gradient(op_type: str, types: str, make: Callable[..., taps.Taps]) -> OpDecl:
    decl = op(op_type, f"grads: float, original_image: T, *, T: {types}, {_HOW} -> output: T")
    decl.shape(lambda op: [op.inputs[1].dims])

    @decl.kernel
    def kernel(node: NodeView) -> Callable[..., Any]:
        how = _how(node)

        def gradient(grads: torch.Tensor, image: torch.Tensor) -> torch.Tensor:
            sizes = zip(image.shape[1:3], grads.shape[1:3])
            rows, columns = (_transposed(make(inputs, outputs, *how)) for inputs, outputs in sizes)
            return taps.resample(grads, rows, columns).to(image.dtype)

        return gradient

    return decl


def _transposed(forward: taps.Taps) -> taps.Taps:
    """The transposed matrix, kept beside the one it is of."""
    back = forward.__dict__.get("back")
    if back is None:
        back = forward.__dict__["back"] = forward.transposed()
    return back


resize_bilinear_grad_op = _declare_gradient("ResizeBilinearGrad", "floating", taps.linear)
resize_bicubic_grad_op = _declare_gradient("ResizeBicubicGrad", "{float, double}", taps.cubic)


@resize_bilinear_op.gradient
def resize_bilinear_gradient(op, grad):
    return [raw.ResizeBilinearGrad(grad, op.inputs[0], **_same_way(op)), None]


@resize_bicubic_op.gradient
def resize_bicubic_gradient(op, grad):
    if op.inputs[0].dtype.name not in ("float32", "float64"):
        return [None, None]
    return [raw.ResizeBicubicGrad(grad, op.inputs[0], **_same_way(op)), None]


def _same_way(op: Operation) -> dict[str, Any]:
    return {key: op.get_attr(key) for key in ("align_corners", "half_pixel_centers")}


resize_nearest_op = op(
    "ResizeNearestNeighbor", f"images: T, size: int32, *, T: {_ANY}, {_HOW} -> resized_images: T"
).on_host("size")
resize_nearest_op.shape(resized_shape)


@resize_nearest_op.kernel
def resize_nearest_kernel(node):
    how = _how(node)

    def resize(images, size):
        height, width = checked_size(images, size)
        rows, columns = (
            torch.from_numpy(taps.nearest(images.shape[axis], length, *how)).to(images.device)
            for axis, length in ((1, height), (2, width))
        )
        return images.index_select(1, rows).index_select(2, columns)

    return resize


@resize_nearest_op.gradient
def resize_nearest_gradient(op, grad):
    image = op.inputs[0]
    dims = None if image.dims is None else image.dims[1:3]
    size = list(dims) if dims is not None and is_fully_defined(dims) else composing.shape(image)[1:3]
    return [raw.ResizeNearestNeighborGrad(grad, size, **_same_way(op)), None]


resize_nearest_grad_op = op(
    "ResizeNearestNeighborGrad",
    f"grads: T, size: int32, *, T: {{uint8, int8, int32, half, float, double}}, {_HOW} -> output: T",
).on_host("size")
resize_nearest_grad_op.shape(resized_shape)


@resize_nearest_grad_op.kernel
def resize_nearest_grad_kernel(node):
    how = _how(node)

    def gradient(grads, size):
        height, width = checked_size(grads, size)
        batch, _, _, channels = grads.shape
        rows, columns = (
            torch.from_numpy(taps.nearest(length, grads.shape[axis], *how)).to(grads.device)
            for axis, length in ((1, height), (2, width))
        )
        by_row = grads.new_zeros((batch, height, grads.shape[2], channels)).index_add_(1, rows, grads)
        return grads.new_zeros((batch, height, width, channels)).index_add_(2, columns, by_row)

    return gradient


scale_and_translate_op = op(
    "ScaleAndTranslate",
    f"images: T, size: int32, scale: float, translation: float, *, T: {_WITH_BFLOAT}, "
    "kernel_type='lanczos3', antialias=True -> resized_images: float",
).on_host("size", "scale", "translation")
scale_and_translate_op.shape(resized_shape)


def _kernel_of(node: NodeView) -> tuple[str, bool]:
    kernel = node.attrs["kernel_type"]
    kernel = kernel.decode() if isinstance(kernel, bytes) else kernel
    if kernel not in taps.KERNELS:
        raise invalid(f"Unrecognized kernel type: {kernel}")
    return kernel, bool(node.attrs["antialias"])


def _scaled(sizes: Any, scale: torch.Tensor, translation: torch.Tensor, how: tuple[str, bool]) -> list[taps.Taps]:
    if any(tuple(value.shape) != (2,) for value in (scale, translation)):
        raise invalid("scale and translation must have two elements")
    if (scale <= 0).any():
        raise invalid("Scale must be greater than zero.")
    pairs = zip(sizes, scale.tolist(), translation.tolist())
    return [taps.scaled(inputs, outputs, by, shift, *how) for (inputs, outputs), by, shift in pairs]


@scale_and_translate_op.kernel
def scale_and_translate_kernel(node):
    how = _kernel_of(node)

    def resize(images, size, scale, translation):
        new = checked_size(images, size)
        return taps.resample(images.to(torch.float32), *_scaled(zip(images.shape[1:3], new), scale, translation, how))

    return resize


@scale_and_translate_op.gradient
def scale_and_translate_gradient(op, grad):
    how = {key: op.get_attr(key) for key in ("kernel_type", "antialias")}
    back = raw.ScaleAndTranslateGrad(grad, op.inputs[0], op.inputs[2], op.inputs[3], **how)
    return [back, None, None, None]


scale_and_translate_grad_op = op(
    "ScaleAndTranslateGrad",
    "grads: T, original_image: T, scale: float, translation: float, *, T: {float}, "
    "kernel_type='lanczos3', antialias=True -> output: T",
).on_host("scale", "translation")
scale_and_translate_grad_op.shape(lambda op: [op.inputs[1].dims])


@scale_and_translate_grad_op.kernel
def scale_and_translate_grad_kernel(node):
    how = _kernel_of(node)

    def gradient(grads, image, scale, translation):
        forward = _scaled(zip(image.shape[1:3], grads.shape[1:3]), scale, translation, how)
        return taps.resample(grads, *(part.transposed() for part in forward))

    return gradient


_SIZE = np.array([5, 2], np.int32)
for _decl in (resize_bilinear_op, resize_bicubic_op, resize_area_op, resize_nearest_op):
    _decl.accepts([2, 3, 4, 3], _SIZE)
    _decl.accepts([2, 3, 4, 3], _SIZE, align_corners=True)
    _decl.rejects([3, 4, 3], _SIZE, error=ValueError)
    _decl.rejects([2, 3, 4, 3], np.array([5], np.int32), error=ValueError)
scale_and_translate_op.accepts([1, 3, 4, 2], _SIZE, np.array([1.5, 0.5], np.float32), np.array([0.0, 1.0], np.float32))
resize_nearest_grad_op.accepts([2, 5, 2, 3], np.array([3, 4], np.int32))
resize_bilinear_grad_op.accepts([1, 5, 2, 2], [1, 3, 4, 2]).accepts([1, 5, 2, 2], [1, 3, 4, 2], align_corners=True)
resize_bicubic_grad_op.accepts([1, 5, 2, 2], [1, 3, 4, 2]).accepts([1, 5, 2, 2], [1, 3, 4, 2], half_pixel_centers=True)
scale_and_translate_grad_op.accepts(
    [1, 5, 2, 2], [1, 3, 4, 2], np.array([1.5, 0.5], np.float32), np.array([0.0, 1.0], np.float32)
)
