"""The largest value of windows that slide over images and volumes, and the gradients."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made
from headrace.core.dims import merge_dims
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.array.arguments import view_dtype_of
from headrace.kernels.nn.max_pooling import as_pooled_type, indexed_by, largest_of, sent_back_by
from headrace.kernels.nn.pool_windows import Windows, pooled_dims, settings_of
from headrace.kernels.nn.windows import of_rank, pad_arguments, window_count
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView


_TYPES = "{half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8}"
_WINDOW = "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}"
_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
_WIDE_FORMAT = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
_VOLUME = (
    "ksize: list(int) >= 5, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"
)
_VOLUME_TYPES = "{half, bfloat16, float}"

max_pool_op = op("MaxPool", f"input: T, *, T: {_TYPES} = float, {_WINDOW}, {_WIDE_FORMAT} -> output: T")
max_pool_v2_op = op(
    "MaxPoolV2",
    f"input: T, ksize: int32, strides: int32, *, T: {_TYPES} = float, padding: {{'SAME', 'VALID'}}, "
    f"{_WIDE_FORMAT} -> output: T",
).on_host("ksize", "strides")
max_pool_grad_op = op(
    "MaxPoolGrad",
    f"orig_input: T, orig_output: T, grad: T, *, {_WINDOW}, {_FORMAT}, T: realnumeric = float -> output: T",
).never_fails()
max_pool_grad_v2_op = op(
    "MaxPoolGradV2",
    "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32, *, padding: {'SAME', 'VALID'}, "
    f"{_FORMAT}, T: realnumeric = float -> output: T",
).on_host("ksize", "strides")
max_pool_grad_grad_op = op(
    "MaxPoolGradGrad",
    f"orig_input: T, orig_output: T, grad: T, *, {_WINDOW}, {_FORMAT}, T: realnumeric -> output: T",
)
max_pool_grad_grad_v2_op = op(
    "MaxPoolGradGradV2",
    "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32, *, padding: {'SAME', 'VALID'}, "
    f"{_FORMAT}, T: realnumeric -> output: T",
).on_host("ksize", "strides")
max_pool_3d_op = op("MaxPool3D", f"input: T, *, {_VOLUME}, T: {_VOLUME_TYPES} -> output: T")
max_pool_3d_grad_op = op(
    "MaxPool3DGrad",
    f"orig_input: TInput, orig_output: TInput, grad: T, *, {_VOLUME}, T: {_VOLUME_TYPES} = float, "
    f"TInput: {_VOLUME_TYPES} = float -> output: T",
)
max_pool_3d_grad_grad_op = op(
    "MaxPool3DGradGrad", f"orig_input: T, orig_output: T, grad: T, *, {_VOLUME}, T: realnumeric -> output: T"
)
max_pool_argmax_op = op(
    "MaxPoolWithArgmax",
    f"input: T, *, {_WINDOW.replace(', padding', ', Targmax: index = int64, padding')}, include_batch_in_index=False, "
    "T: realnumeric -> output: T, argmax: Targmax",
)
max_pool_argmax_grad_op = op(
    "MaxPoolGradWithArgmax",
    f"input: T, grad: T, argmax: Targmax, *, {_WINDOW}, include_batch_in_index=False, Targmax: index, "
    "T: realnumeric -> output: T",
)
max_pool_argmax_grad_grad_op = op(
    "MaxPoolGradGradWithArgmax",
    f"input: T, grad: T, argmax: Targmax, *, {_WINDOW}, include_batch_in_index=False, Targmax: index, "
    "T: realnumeric -> output: T",
)
for _decl in (max_pool_op, max_pool_grad_op, max_pool_3d_op, max_pool_3d_grad_op):
    _decl.fresh()


# ---- static shapes ----


@max_pool_op.shape
def max_pool_shape(op):
    return [pooled_dims(op)]


@max_pool_3d_op.shape
def max_pool_3d_shape(op):
    return [pooled_dims(op, 5)]


@max_pool_argmax_op.shape
def max_pool_argmax_shape(op):
    return [pooled_dims(op)] * 2


@max_pool_v2_op.shape
@ranked(4, 1, 1)
def max_pool_v2_shape(op):
    dims = op.inputs[0].dims
    dims = None if dims is None else of_rank(dims, 4)
    ksize, strides = op.constant(1), op.constant(2)
    for place, given in ((1, ksize), (2, strides)):
        sizes = op.inputs[place].dims
        if sizes is not None and len(sizes) == 1 and sizes[0] not in (None, 4):
            raise ValueError(f"Dimension must be 4 but is {sizes[0]}")
        if given is not None and dims is not None and min(given) <= 0:
            raise ValueError(f"{'Stride' if place == 2 else 'Window'} must be > 0, but got {int(min(given))}")
    if ksize is None or strides is None or dims is None:
        return [None]
    return [
        tuple(
            window_count(size, int(window), int(stride), op.attrs["padding"])
            for size, window, stride in zip(dims, ksize, strides, strict=True)
        )
    ]


def _as_input(rank: int) -> Callable[..., Any]:
    return lambda op: [of_rank(op.inputs[0].dims, rank) if op.inputs[0].dims is not None else None]


for _decl in (max_pool_grad_op, max_pool_grad_v2_op):
    _decl.shape(_as_input(4))
max_pool_3d_grad_op.shape(_as_input(5))
max_pool_argmax_grad_op.shape(_as_input(4))


def _as_output(rank: int) -> Callable[..., Any]:
    def rule(op):
        return [merge_dims(pooled_dims(op, rank), op.inputs[1].dims)]

    return rule


max_pool_grad_grad_op.shape(_as_output(4))
max_pool_3d_grad_grad_op.shape(_as_output(5))


@max_pool_grad_grad_v2_op.shape
@ranked(4, None, None, 1, 1)
def max_pool_grad_grad_v2_shape(op):
    merge_dims(op.inputs[0].dims, op.inputs[2].dims)
    for sizes in op.inputs[3:]:
        merge_dims(sizes.dims, (4,))
    return [op.inputs[1].dims]


@max_pool_argmax_grad_grad_op.shape
def max_pool_argmax_grad_grad_shape(op):
    return [merge_dims(pooled_dims(op), op.inputs[2].dims)]


# ---- kernels ----


@max_pool_op.kernel
def max_pool_kernel(node):
    return largest_of(Windows(node, node.inputs[0].dims, 4))


@max_pool_3d_op.kernel
def max_pool_3d_kernel(node):
    return largest_of(Windows(node, node.inputs[0].dims, 5))


def _by_inputs(make: Callable[[Windows], Callable[..., Any]], first: int) -> Callable[..., Any]:
    """The kernel rule of a pool whose windows are inputs, from `first` on."""

    def rule(node):
        dims = node.inputs[0].dims
        ksize, strides = node.constant_dims(first), node.constant_dims(first + 1)
        if ksize is not None and strides is not None:
            fixed = make(Windows(node, dims, 4, ksize, strides))
            return lambda *values: fixed(*values[:first])

        def compute(*values):
            return make(Windows(node, dims, 4, *(v.tolist() for v in values[first:])))(*values[:first])

        return compute

    return rule


max_pool_v2_op.kernel(_by_inputs(largest_of, 1))


def _max_gradient(windows: Windows) -> Callable[..., Any]:
    indexed, sent_back, layout = indexed_by(windows), sent_back_by(windows), windows.layout

    def gradient_of(x, _, gradient):
        own = gradient.dtype
        x, gradient = layout.enter(as_pooled_type(x)), layout.enter(as_pooled_type(gradient))
        if x.dtype != gradient.dtype:
            gradient = gradient.to(x.dtype)
        return layout.leave(sent_back(x, indexed(x)[1], gradient)).to(own)

    return gradient_of


@max_pool_grad_op.kernel
def max_pool_grad_kernel(node):
    return _max_gradient(Windows(node, node.inputs[0].dims, 4))


@max_pool_3d_grad_op.kernel
def max_pool_3d_grad_kernel(node):
    """In volumes, unlike images, every element as large as the largest gets the gradient."""
    windows = Windows(node, node.inputs[0].dims, 5)
    layout = windows.layout

    def spread(x, largest, gradient):
        own = gradient.dtype
        x, largest, gradient = layout.enter(x), layout.enter(largest), layout.enter(gradient)
        paddings = windows.padding.paddings(x.shape[2:], windows.ksize)
        padded = torch.constant_pad_nd(x, pad_arguments(paddings), -torch.inf)
        result = torch.zeros_like(padded, dtype=own)
        steps = [range(size) for size in windows.ksize]
        for offsets in itertools.product(*steps):
            slices = [
                slice(offset, offset + (count - 1) * stride + 1, stride)
                for offset, count, stride in zip(offsets, gradient.shape[2:], windows.strides, strict=True)
            ]
            place = (slice(None), slice(None), *slices)
            result[place] += gradient.masked_fill(padded[place] != largest, 0)
        for axis, ((before, _), size) in enumerate(zip(paddings, x.shape[2:], strict=True), 2):
            result = result.narrow(axis, before, size)
        return layout.leave(result)

    return spread


max_pool_grad_v2_op.kernel(_by_inputs(_max_gradient, 3))


def _max_gradient_gradient(windows: Windows) -> Callable[..., Any]:
    """What of a tensor shaped as the input lies where the largest values were."""
    indexed, layout = indexed_by(windows), windows.layout

    def picked(x, _, gradient):
        x = layout.enter(as_pooled_type(x))
        _, indices = indexed(x)
        indices = windows.dropped(indices, windows.geometry(x.shape[2:])[2])
        flat = layout.enter(gradient).flatten(2).gather(2, indices.flatten(2))
        return layout.leave(flat.view(indices.shape))

    return picked


@max_pool_grad_grad_op.kernel
def max_pool_grad_grad_kernel(node):
    return _max_gradient_gradient(Windows(node, node.inputs[0].dims, 4))


@max_pool_3d_grad_grad_op.kernel
def max_pool_3d_grad_grad_kernel(node):
    return _max_gradient_gradient(Windows(node, node.inputs[0].dims, 5))


max_pool_grad_grad_v2_op.kernel(_by_inputs(_max_gradient_gradient, 3))


@max_pool_argmax_op.kernel
def max_pool_argmax_kernel(node):
    windows = Windows(node, node.inputs[0].dims, 4)
    indexed, layout = indexed_by(windows, own=True), windows.layout
    result, with_batch = node.outputs[1].dtype.torch, node.attrs["include_batch_in_index"]

    def pooled(x):
        own = x.dtype
        try:
            values, indices = indexed(layout.enter(as_pooled_type(x)))
        except RuntimeError:
            return windows.nothing(x), windows.nothing(x, result)
        x = layout.enter(as_pooled_type(x))
        drops = windows.geometry(x.shape[2:])[2]
        values, indices = windows.dropped(values, drops), windows.dropped(indices, drops)
        # torch counts within a channel, TensorFlow the elements of [height, width, channels].
        batch, channels, height, width = x.shape
        indices = layout.leave(indices) * channels + torch.arange(channels, device=x.device)
        if with_batch:
            starts = torch.arange(batch, device=x.device) * (height * width * channels)
            indices = indices + starts.view(-1, 1, 1, 1)
        return layout.leave(values).to(own), indices.to(result)

    return pooled


def _flat_places(node: NodeView) -> Callable[[Any, Any], Any]:
    with_batch = node.attrs["include_batch_in_index"]

    def places(x, argmax):
        found = argmax.to(torch.int64).reshape(x.shape[0], -1)
        if not with_batch:
            size = x.numel() // max(x.shape[0], 1)
            found = found + (torch.arange(x.shape[0], device=x.device) * size).unsqueeze(1)
        return found.reshape(-1)

    return places


@max_pool_argmax_grad_op.kernel
def max_pool_argmax_grad_kernel(node):
    places = _flat_places(node)

    def scattered(x, gradient, argmax):
        # Sums of unsigned numbers wrap as those of signed ones do.
        moved = gradient.reshape(-1).view(view_dtype_of(gradient.dtype))
        result = torch.zeros(x.numel(), dtype=moved.dtype, device=x.device)
        return result.index_add_(0, places(x, argmax), moved).view(gradient.dtype).view(x.shape)

    return scattered


@max_pool_argmax_grad_grad_op.kernel
def max_pool_argmax_grad_grad_kernel(node):
    places = _flat_places(node)
    return lambda x, gradient, argmax: gradient.reshape(-1)[places(x, argmax)].view(argmax.shape)


# ---- gradients ----


def _no_gradient_for(op: Operation) -> list[Any]:
    """Zeros for the two inputs that only say where the largest values are."""
    return [composing.zeros(composing.shape(tensor), tensor.dtype.base_dtype) for tensor in op.inputs[:2]]


@max_pool_op.gradient
def max_pool_gradient(op, grad):
    return [raw.MaxPoolGrad(op.inputs[0], op.outputs[0], grad, **settings_of(op))]


@max_pool_v2_op.gradient
def max_pool_v2_gradient(op, grad):
    x, ksize, strides = op.inputs
    return [raw.MaxPoolGradV2(x, op.outputs[0], grad, ksize, strides, **settings_of(op)), None, None]


@max_pool_argmax_op.gradient
def max_pool_argmax_gradient(op, grad, _):
    return [raw.MaxPoolGradWithArgmax(op.inputs[0], grad, op.outputs[1], **settings_of(op))]


@max_pool_grad_op.gradient
def max_pool_grad_gradient(op, grad):
    return [*_no_gradient_for(op), raw.MaxPoolGradGrad(op.inputs[0], op.inputs[1], grad, **settings_of(op))]


@max_pool_grad_v2_op.gradient
def max_pool_grad_v2_gradient(op, grad):
    x, output, _, ksize, strides = op.inputs
    second = raw.MaxPoolGradGradV2(x, output, grad, ksize, strides, **settings_of(op))
    return [*_no_gradient_for(op), second, None, None]


@max_pool_grad_grad_op.gradient
def max_pool_grad_grad_gradient(op, grad):
    return [*_no_gradient_for(op), raw.MaxPoolGrad(op.inputs[0], op.inputs[1], grad, **settings_of(op))]


@max_pool_3d_op.gradient
def max_pool_3d_gradient(op, grad):
    return [raw.MaxPool3DGrad(op.inputs[0], op.outputs[0], grad, **settings_of(op))]


@max_pool_3d_grad_op.gradient
def max_pool_3d_grad_gradient(op, grad):
    return [*_no_gradient_for(op), raw.MaxPool3DGradGrad(op.inputs[0], op.inputs[1], grad, **settings_of(op))]


@max_pool_3d_grad_grad_op.gradient
def max_pool_3d_grad_grad_gradient(op, grad):
    return [*_no_gradient_for(op), raw.MaxPool3DGrad(op.inputs[0], op.inputs[1], grad, **settings_of(op))]


_two = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
max_pool_op.accepts([2, 5, 6, 3], padding="SAME", **_two).accepts([2, 5, 6, 3], padding="VALID", **_two)
max_pool_op.accepts([1, 4, 5, 2], ksize=[1, 2, 3, 1], strides=[1, 1, 1, 1], padding="SAME")
_on_gpus = {"data_format": "NCHW", "differs": "1.15 has NCHW on GPUs only"}
max_pool_op.accepts([2, 3, 5, 6], ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="SAME", **_on_gpus)
_far = {"ksize": [1, 4, 4, 1], "strides": [1, 1, 1, 1]}
max_pool_op.rejects([2, 1, 6, 3], error=ValueError, match="Negative dimension", padding="VALID", **_far)
max_pool_op.rejects([2, 6, 3], error=ValueError, match="rank 4", padding="VALID", **_two)
max_pool_3d_op.accepts([1, 4, 5, 6, 2], ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="SAME")
max_pool_argmax_op.accepts([2, 3, 4, 2], padding="SAME", **_two)
max_pool_argmax_op.accepts([2, 3, 4, 2], padding="VALID", include_batch_in_index=True, **_two)

_sizes = np.array([1, 2, 2, 1], np.int32)
max_pool_v2_op.accepts([1, 3, 4, 2], _sizes, _sizes, padding="SAME").accepts(
    [1, 3, 4, 2], _sizes, _sizes, padding="VALID"
)
max_pool_v2_op.rejects([1, 3, 4, 2], _sizes[:3], _sizes, padding="SAME", error=ValueError)
_image = np.cos(np.arange(12, dtype=np.float32)).reshape(1, 3, 4, 1)
for _padding, _pooled in (("SAME", [1, 2, 2, 1]), ("VALID", [1, 1, 2, 1])):
    _largest = made("MaxPool", _image, padding=_padding, **_two)
    max_pool_grad_op.accepts(_image, _largest, _pooled, padding=_padding, **_two)
    max_pool_grad_v2_op.accepts(_image, _largest, _pooled, _sizes, _sizes, padding=_padding)
    max_pool_grad_grad_op.accepts(_image, _largest, [1, 3, 4, 1], padding=_padding, **_two)
    max_pool_grad_grad_v2_op.accepts(_image, _largest, [1, 3, 4, 1], _sizes, _sizes, padding=_padding)
max_pool_grad_op.rejects([3, 4, 1], [2, 2, 1], [2, 2, 1], padding="SAME", error=ValueError, **_two)

_cubes = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
_volume = np.cos(np.arange(16, dtype=np.float32)).reshape(1, 1, 2, 1, 2, 2, 2, 1)
_volumes = (_volume.reshape(1, 2, 2, 4, 1), _volume.max((2, 4, 6)))
max_pool_3d_grad_op.accepts(*_volumes, [1, 1, 1, 2, 1], **_cubes)
max_pool_3d_grad_grad_op.accepts(*_volumes, np.sin(np.arange(16, dtype=np.float32)).reshape(1, 2, 2, 4, 1), **_cubes)

_places = np.array([1, 2, 5, 10], np.int64).reshape(1, 2, 2, 1)
max_pool_argmax_grad_op.accepts([1, 3, 4, 1], [1, 2, 2, 1], _places, padding="SAME", **_two)
max_pool_argmax_grad_op.accepts([1, 3, 4, 1], [1, 2, 2, 1], _places, padding="SAME", T="uint16", **_two)
max_pool_argmax_grad_grad_op.accepts(
    *([1, 3, 4, 1], [1, 3, 4, 1], _places),
    padding="SAME",
    differs="1.15 has this on GPUs only",
    gives=lambda x, grad, places: grad.ravel()[places],
    **_two,
)
