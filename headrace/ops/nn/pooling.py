"""The largest value of windows that slide over images and volumes, and the gradients."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.core.registry import op, raw
from headrace.core.shapes import merge_dims
from headrace.ops import composing
from headrace.ops.math.passing_over import concerns, has_nan, lowest_of, without_nan
from headrace.ops.nn.pool_windows import Windows, pooled_dims, settings_of
from headrace.ops.nn.windows import of_rank, pad_arguments, window_count
from headrace.ops.ranks import ranked

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
)
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
# A pool and its gradient, sharing what the pool found out; only the planner makes them.
max_pool_indices_op = op(
    "_MaxPoolWithIndices", f"input: T, *, T: {_TYPES}, {_WINDOW}, {_WIDE_FORMAT} -> output: T, indices: int64"
)
max_pool_indices_grad_op = op(
    "_MaxPoolGradWithIndices",
    f"orig_input: T, indices: int64, grad: T, *, {_WINDOW}, {_FORMAT}, T: realnumeric -> output: T",
)

for _decl in (max_pool_op, max_pool_grad_op, max_pool_3d_op, max_pool_3d_grad_op, max_pool_indices_grad_op):
    _decl.fresh()
max_pool_indices_op.fresh()


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


def _as_input(rank: int) -> Any:
    return lambda op: [of_rank(op.inputs[0].dims, rank) if op.inputs[0].dims is not None else None]


for _decl in (max_pool_grad_op, max_pool_grad_v2_op):
    _decl.shape(_as_input(4))
max_pool_3d_grad_op.shape(_as_input(5))
max_pool_argmax_grad_op.shape(_as_input(4))


def _as_output(rank: int) -> Any:
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

# torch has no pools of these.
_WIDER = {torch.uint16: torch.int32}
# torch's pools, by the rank of the tensors. Those with indices say where in each channel the largest value was, the
# first if there are several: to that one TensorFlow gives the gradient too.
_WITH_INDICES = {4: torch._C._nn.max_pool2d_with_indices, 5: torch._C._nn.max_pool3d_with_indices}
_BACKWARD = {
    4: torch.ops.aten.max_pool2d_with_indices_backward.default,
    5: torch.ops.aten.max_pool3d_with_indices_backward.default,
}
_MAX = {4: torch.max_pool2d, 5: torch.max_pool3d}


def _largest(windows: Windows) -> Callable[[Any], Any]:
    """The pool itself, on a tensor in the op's layout. It passes over NaN, and gives the lowest number for nothing else."""
    plainly = _largest_plainly(windows)
    if not concerns(windows.node):
        return plainly
    lowest = lowest_of(windows.node.inputs[0].dtype.torch)

    def largest(x):
        result = plainly(x)
        return plainly(without_nan(x, lowest)) if has_nan(result) else result

    return largest


def _largest_plainly(windows: Windows) -> Callable[[Any], Any]:
    layout, rank = windows.layout, windows.rank
    if windows.depth != 1:
        return _largest_over_depth(windows)
    pool, ksize, strides, ones = _MAX[rank], windows.ksize, windows.strides, windows.ones
    wide = _WIDER.get(windows.node.inputs[0].dtype.torch)
    if windows.known is not None and windows.known[2] is None and layout.to_torch is not None and wide is None:
        pads, ceil, _ = windows.known
        to, back = layout.to_torch, layout.from_torch

        def largest_of_known(x):
            return pool(x.permute(to), ksize, strides, pads, ones, ceil).permute(back)

        return _largest_of_four(largest_of_known) if _is_by_fours(windows) else largest_of_known

    def largest(x):
        own = x.dtype
        x = layout.enter(x if wide is None else x.to(wide))
        pads, ceil, drops = windows.geometry(x.shape[2:])
        result = layout.leave(windows.dropped(pool(x, ksize, strides, pads, ones, ceil), drops))
        return result if wide is None else result.to(own)

    return largest


# From so many elements on, two calls that only compare are quicker than torch's pool, which always finds the places too.
_FOURS_FROM = 30_000


def _is_by_fours(windows: Windows) -> bool:
    """Whether windows of 2x2 tile channels-last images on the CPU without a remainder."""
    node, two = windows.node, (2, 2)
    dims = node.inputs[0].dims
    return (
        windows.rank == 4
        and windows.ksize == two
        and windows.strides == two
        and all(size is not None and size % 2 == 0 for size in windows.layout.sizes(dims or (None,) * 4))
        and node.inputs[0].dtype.torch in (torch.float32, torch.float64)
        and node.device.type == "cpu"
    )


def _largest_of_four(otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    maximum = torch.maximum

    def largest(x):
        if x.numel() < _FOURS_FROM:
            return otherwise(x)
        rows = x.unflatten(1, (-1, 2))
        columns = maximum(rows[:, :, 0], rows[:, :, 1]).unflatten(2, (-1, 2))
        return maximum(columns[:, :, :, 0], columns[:, :, :, 1])

    return largest


def _largest_over_depth(windows: Windows) -> Callable[[Any], Any]:
    """The largest over windows of channels, at each place."""
    count, axis = windows.depth, windows.layout.channel
    if any(size != 1 for size in windows.ksize):
        raise UnimplementedError(
            None, None, "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
        )
    if windows.depth_stride != count:
        raise UnimplementedError(
            None, None, "Depthwise max pooling requires the depth window to equal the depth stride."
        )

    def largest(x):
        if x.shape[axis] % count:
            raise UnimplementedError(
                None, None, "Depthwise max pooling requires the depth window to evenly divide the input depth."
            )
        return x.unflatten(axis, (-1, count)).amax(axis + 1)

    return largest


@max_pool_op.kernel
def max_pool_kernel(node):
    return _largest(Windows(node, node.inputs[0].dims, 4))


@max_pool_3d_op.kernel
def max_pool_3d_kernel(node):
    return _largest(Windows(node, node.inputs[0].dims, 5))


def _by_inputs(make: Callable[[Windows], Callable[..., Any]], first: int) -> Any:
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


max_pool_v2_op.kernel(_by_inputs(_largest, 1))


def _indexed(windows: Windows, own: bool = False) -> Callable[[Any], tuple[Any, Any]]:
    """The largest values and their places, both in torch's layout and with the windows too many.

    Args:
        windows: of the pool.
        own: whether each value is to be what lies at its place, even a NaN.
    """
    if windows.depth != 1:
        raise UnimplementedError(
            None, None, "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
        )
    pool, ksize, strides, ones = _WITH_INDICES[windows.rank], windows.ksize, windows.strides, windows.ones
    careful = windows.rank == 4 and concerns(windows.node)

    def indexed(x):
        pads, ceil, _ = windows.geometry(x.shape[2:])
        values, indices = pool(x, ksize, strides, pads, ones, ceil)
        if careful and has_nan(values):
            values, indices = pool(without_nan(x, -torch.inf), ksize, strides, pads, ones, ceil)
            indices = _or_first(x, indices, strides, pads)
            if own:
                values = x.flatten(2).gather(2, indices.flatten(2)).view(indices.shape)
            else:
                values = values.clamp(min=lowest_of(x.dtype))
        return values, indices

    return indexed


def _or_first(x: Any, indices: Any, strides: Any, pads: Any) -> Any:
    """The places, but the first of each window that begins with NaN: nothing that follows is found larger than it."""
    rows, columns = (
        (torch.arange(count, device=x.device) * stride - pad).clamp(min=0)
        for count, stride, pad in zip(indices.shape[2:], strides, pads, strict=True)
    )
    first = rows[:, None] * x.shape[3] + columns
    begins_with_nan = torch.isnan(x.flatten(2)[:, :, first.flatten()]).view(indices.shape)
    return torch.where(begins_with_nan, first, indices)


def _sent_back(windows: Windows) -> Callable[[Any, Any, Any], Any]:
    """The gradient with respect to the input: of the input, the places and the gradient, in torch's layout."""
    backward, ksize, strides, ones = _BACKWARD[windows.rank], windows.ksize, windows.strides, windows.ones

    def sent_back(x, indices, gradient):
        pads, ceil, drops = windows.geometry(x.shape[2:])
        gradient = windows.restored(gradient, drops)
        if gradient.shape != indices.shape:
            raise InvalidArgumentError(
                None,
                None,
                f"Expected grad shape to be {list(indices.shape)}, but got {list(gradient.shape)}",
            )
        return backward(gradient, x, ksize, strides, pads, ones, ceil, indices)

    return sent_back


def _unlike_any_type(x: Any) -> Any:
    """A tensor of a type that torch's pools take."""
    wide = _WIDER.get(x.dtype)
    return x if wide is None else x.to(wide)


def _max_gradient(windows: Windows) -> Callable[..., Any]:
    indexed, sent_back, layout = _indexed(windows), _sent_back(windows), windows.layout

    def gradient_of(x, _, gradient):
        own = gradient.dtype
        x, gradient = layout.enter(_unlike_any_type(x)), layout.enter(_unlike_any_type(gradient))
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
        amounts = windows.padding.amounts(x.shape[2:], windows.ksize)
        padded = torch.constant_pad_nd(x, pad_arguments(amounts), -torch.inf)
        result = torch.zeros_like(padded, dtype=own)
        steps = [range(size) for size in windows.ksize]
        for offsets in itertools.product(*steps):
            slices = [
                slice(offset, offset + (count - 1) * stride + 1, stride)
                for offset, count, stride in zip(offsets, gradient.shape[2:], windows.strides, strict=True)
            ]
            place = (slice(None), slice(None), *slices)
            result[place] += gradient.masked_fill(padded[place] != largest, 0)
        for axis, ((before, _), size) in enumerate(zip(amounts, x.shape[2:], strict=True), 2):
            result = result.narrow(axis, before, size)
        return layout.leave(result)

    return spread


max_pool_grad_v2_op.kernel(_by_inputs(_max_gradient, 3))


def _max_gradient_gradient(windows: Windows) -> Callable[..., Any]:
    """What of a tensor shaped as the input lies where the largest values were."""
    indexed, layout = _indexed(windows), windows.layout

    def picked(x, _, gradient):
        x = layout.enter(_unlike_any_type(x))
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


@max_pool_indices_op.kernel
def max_pool_indices_kernel(node):
    windows = Windows(node, node.inputs[0].dims, 4)
    indexed, layout = _indexed(windows), windows.layout

    def pooled(x):
        x = layout.enter(x)
        values, indices = indexed(x)
        return layout.leave(windows.dropped(values, windows.geometry(x.shape[2:])[2])), indices

    return pooled


@max_pool_indices_grad_op.kernel
def max_pool_indices_grad_kernel(node):
    windows = Windows(node, node.inputs[0].dims, 4)
    sent_back, layout = _sent_back(windows), windows.layout
    to, back = layout.to_torch, layout.from_torch
    if to is not None and windows.known is not None and windows.known[2] is None:
        backward, ksize, strides, ones = _BACKWARD[4], windows.ksize, windows.strides, windows.ones
        pads, ceil, _ = windows.known

        def sent_back_plainly(x, indices, gradient):
            gradient = gradient.permute(to)
            return backward(gradient, x.permute(to), ksize, strides, pads, ones, ceil, indices).permute(back)

        return sent_back_plainly
    return lambda x, indices, gradient: layout.leave(sent_back(layout.enter(x), indices, layout.enter(gradient)))


@max_pool_argmax_op.kernel
def max_pool_argmax_kernel(node):
    windows = Windows(node, node.inputs[0].dims, 4)
    indexed, layout = _indexed(windows, own=True), windows.layout
    result, with_batch = node.outputs[1].dtype.torch, node.attrs["include_batch_in_index"]

    def pooled(x):
        own = x.dtype
        x = layout.enter(_unlike_any_type(x))
        values, indices = indexed(x)
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


def _flat_places(node: Any) -> Callable[[Any, Any], Any]:
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
        result = torch.zeros(x.numel(), dtype=gradient.dtype, device=x.device)
        return result.index_add_(0, places(x, argmax), gradient.reshape(-1)).view(x.shape)

    return scattered


@max_pool_argmax_grad_grad_op.kernel
def max_pool_argmax_grad_grad_kernel(node):
    places = _flat_places(node)
    return lambda x, gradient, argmax: gradient.reshape(-1)[places(x, argmax)].view(argmax.shape)


# ---- gradients ----


def _no_gradient_for(op: Any) -> list[Any]:
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
max_pool_op.accepts([2, 3, 5, 6], ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="SAME", data_format="NCHW")
max_pool_op.rejects([2, 1, 6, 3], error=ValueError, match="Negative dimension", padding="VALID", **_two)
max_pool_op.rejects([2, 6, 3], error=ValueError, match="rank 4", padding="VALID", **_two)
max_pool_3d_op.accepts([1, 4, 5, 6, 2], ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="SAME")
