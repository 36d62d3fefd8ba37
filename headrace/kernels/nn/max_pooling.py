"""The largest value of windows that slide over images and volumes: kernels of ops and of fused ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.kernels.math.nan_ignoring import has_nan, lowest_of, may_hold_nan, may_not_be_finite, without_nan
from headrace.kernels.nn.pool_windows import Windows
from headrace.native.direct import direct_call

# torch has no pools of these.
_WIDER = {torch.uint16: torch.int32}
# torch's pools, by the rank of the tensors. Those with indices say where in each channel the largest value was, the
# first if there are several: to that one TensorFlow gives the gradient too.
_WITH_INDICES = {4: torch._C._nn.max_pool2d_with_indices, 5: torch._C._nn.max_pool3d_with_indices}
BACKWARD = {
    4: torch.ops.aten.max_pool2d_with_indices_backward.default,
    5: torch.ops.aten.max_pool3d_with_indices_backward.default,
}
_MAX = {4: torch.max_pool2d, 5: torch.max_pool3d}


def largest_of(windows: Windows) -> Callable[[Any], Any]:
    """The pool itself, on a tensor in the op's layout. It passes over NaN, and gives the lowest number for nothing else."""
    plainly = _largest_plainly(windows)
    if not may_hold_nan(windows.node):
        return plainly
    lowest = lowest_of(windows.node.inputs[0].dtype.torch)

    if windows.rank != 4:

        def largest_of_volumes(x):
            result = plainly(x)
            return plainly(without_nan(x, lowest)) if has_nan(result) else result

        return largest_of_volumes

    def largest(x):
        result = plainly(x)
        # Of images the largest begins with the lowest number, which is greater than -inf.
        return plainly(without_nan(x, lowest)).clamp_min(lowest) if may_not_be_finite(result) else result

    return _largest_natively(windows, largest)


# From so many comparisons on threads share them.
_FOR_THREADS = 1_000_000


def _largest_natively(windows: Windows, otherwise: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The pool by the native runner, which passes over NaN itself, of images whose channels lie together.

    28x28 images of 256 channels take it 0.06 ms for windows of 3x3 on a core, and torch, which finds the places too, 0.29.
    """
    asked = direct_call("largest_of_windows")
    layout = windows.layout
    if (
        asked is None
        or windows.rank != 4
        or windows.depth != 1
        or windows.padding.kind == "EXPLICIT"
        or layout.channel != 3
        or windows.node.device.type != "cpu"
        or windows.node.inputs[0].dtype.torch not in (torch.float32, torch.float64)
    ):
        return otherwise
    call, ksize, strides = asked, windows.ksize, windows.strides

    def largest(x):
        # Somebody who exports the step, or differentiates it, wants to see torch's operations.
        if x.dim() != 4 or x.requires_grad or not x.is_contiguous():
            return otherwise(x)
        batch, *sizes, channels = x.shape
        if batch.__class__ is not int:
            return otherwise(x)
        (above, _), (before, _) = windows.padding.paddings(sizes, ksize)
        height, width = windows.sizes_after(sizes)
        if height < 1 or width < 1:
            return otherwise(x)
        result = x.new_empty((batch, height, width, channels))
        threads = torch.get_num_threads() if result.numel() * ksize[0] * ksize[1] >= _FOR_THREADS else 1
        done = call(x, result, *ksize, *strides, above, before, threads)
        return otherwise(x) if done is None else result

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
            try:
                return pool(x.permute(to), ksize, strides, pads, ones, ceil).permute(back)
            except RuntimeError:
                return windows.nothing(x)

        return _largest_of_four(largest_of_known) if _is_by_fours(windows) else largest_of_known

    def largest(x):
        image = layout.enter(x if wide is None else x.to(wide))
        pads, ceil, drops = windows.geometry(image.shape[2:])
        try:
            result = layout.leave(windows.dropped(pool(image, ksize, strides, pads, ones, ceil), drops))
        except RuntimeError:
            return windows.nothing(x)
        return result if wide is None else result.to(x.dtype)

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


def indexed_by(windows: Windows, own: bool = False) -> Callable[[Any], tuple[Any, Any]]:
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
    careful = windows.rank == 4 and may_hold_nan(windows.node)

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


def _or_first(x: torch.Tensor, indices: torch.Tensor, strides: Sequence[int], pads: Sequence[int]) -> torch.Tensor:
    """The places, but the first of each window that begins with NaN: nothing that follows is found larger than it."""
    rows, columns = (
        (torch.arange(count, device=x.device) * stride - pad).clamp(min=0)
        for count, stride, pad in zip(indices.shape[2:], strides, pads, strict=True)
    )
    first = rows[:, None] * x.shape[3] + columns
    begins_with_nan = torch.isnan(x.flatten(2)[:, :, first.flatten()]).view(indices.shape)
    return torch.where(begins_with_nan, first, indices)


def sent_back_by(windows: Windows) -> Callable[[Any, Any, Any], Any]:
    """The gradient with respect to the input: of the input, the places and the gradient, in torch's layout."""
    backward, ksize, strides, ones = BACKWARD[windows.rank], windows.ksize, windows.strides, windows.ones

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


def as_pooled_type(x: Any) -> Any:
    """A tensor of a type that torch's pools take."""
    wide = _WIDER.get(x.dtype)
    return x if wide is None else x.to(wide)
