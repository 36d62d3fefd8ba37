"""The mean of windows that slide over images and volumes, and the gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.core.registry import op, raw
from headrace.kernels import composing
from headrace.kernels.nn.pool_windows import Windows, pooled_dims, settings_of
from headrace.kernels.nn.windows import of_rank
from headrace.kernels.ranks import ranked

_IMAGE = (
    "ksize: list(int) >= 4, strides: list(int) >= 4, padding: {'SAME', 'VALID'}, data_format: {'NHWC', 'NCHW'} = 'NHWC'"
)
_VOLUME = (
    "ksize: list(int) >= 5, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'"
)

avg_pool_op = op("AvgPool", f"value: T, *, {_IMAGE}, T: floating -> output: T")
avg_pool_grad_op = (
    op("AvgPoolGrad", f"orig_input_shape: int32, grad: T, *, {_IMAGE}, T: floating -> output: T")
    .on_host("orig_input_shape")
    .never_fails()
)
avg_pool_3d_op = op("AvgPool3D", f"input: T, *, {_VOLUME}, T: floating -> output: T")
avg_pool_3d_grad_op = op(
    "AvgPool3DGrad", f"orig_input_shape: int32, grad: T, *, {_VOLUME}, T: floating -> output: T"
).on_host("orig_input_shape")

_AVERAGE = {4: torch._C._nn.avg_pool2d, 5: torch._C._nn.avg_pool3d}
_BACKWARD = {4: torch.ops.aten.avg_pool2d_backward.default, 5: torch.ops.aten.avg_pool3d_backward.default}


@avg_pool_op.shape
def avg_pool_shape(op):
    return [pooled_dims(op)]


@avg_pool_3d_op.shape
def avg_pool_3d_shape(op):
    return [pooled_dims(op, 5)]


def _given_sizes(rank: int) -> Callable[..., Any]:
    @ranked(1)
    def rule(op):
        sizes = op.constant_dims(0)
        return [(None,) * rank if sizes is None else of_rank(sizes, rank)]

    return rule


avg_pool_grad_op.shape(_given_sizes(4))
avg_pool_3d_grad_op.shape(_given_sizes(5))


def _is_less(windows: Windows, sizes: Sequence[int]) -> bool:
    """Whether windows are larger than a volume of these sizes."""
    same = windows.padding.kind == "SAME"
    return same and any(size < window for size, window in zip(sizes, windows.ksize, strict=True))


def _edges(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """Paddings as torch takes them, those of the last axis first."""
    return [size for pair in reversed(pairs) for size in pair]


def _part_inside(
    average: Callable[..., Any], windows: Windows, like: torch.Tensor, edges: Sequence[int]
) -> torch.Tensor:
    """Of each window, the part that lies in the volume."""
    ones = torch.nn.functional.pad(like.new_ones((1, 1, *like.shape[2:])), edges)
    return average(ones, windows.ksize, windows.strides, 0)


def _averages_of_less(average: Callable[..., Any], windows: Windows, x: torch.Tensor) -> torch.Tensor:
    """The means where windows are larger than the volume, which torch refuses: of zeros around it, without these."""
    edges = _edges(windows.padding.paddings(x.shape[2:], windows.ksize))
    means = average(torch.nn.functional.pad(x, edges), windows.ksize, windows.strides, 0)
    return means / _part_inside(average, windows, x, edges)


def _spread_over_less(rank: int, windows: Windows, x: torch.Tensor, gradient: torch.Tensor) -> torch.Tensor:
    """The gradient of `_averages_of_less`."""
    pairs = windows.padding.paddings(x.shape[2:], windows.ksize)
    edges = _edges(pairs)
    around = torch.nn.functional.pad(x, edges)
    gradient = gradient / _part_inside(_AVERAGE[rank], windows, x, edges)
    zero = [0] * (rank - 2)
    whole = _BACKWARD[rank](gradient, around, windows.ksize, windows.strides, zero, False, False, None)
    inner = [slice(before, before + size) for (before, _), size in zip(pairs, x.shape[2:], strict=True)]
    everything = [slice(None)] * 2
    cut: torch.Tensor = whole[tuple(everything + inner)]
    return cut


def _averaging(rank: int) -> Callable[..., Any]:
    average = _AVERAGE[rank]

    def rule(node):
        windows = Windows(node, node.inputs[0].dims, rank)
        layout, ksize, strides = windows.layout, windows.ksize, windows.strides
        if windows.depth != 1:
            raise UnimplementedError(None, None, "Non-spatial pooling is not yet supported.")
        # torch has no means of volumes in these.
        wide = rank == 5 and node.inputs[0].dtype.torch in (torch.float16, torch.bfloat16)

        def averaged(x):
            own = x.dtype
            x = layout.enter(x.float() if wide else x)
            if rank == 5 and _is_less(windows, x.shape[2:]):
                result = layout.leave(_averages_of_less(average, windows, x))
                return result.to(own) if wide else result
            pads, ceil, drops = windows.geometry(x.shape[2:])
            try:
                # What is padded does not count.
                result = layout.leave(windows.dropped(average(x, ksize, strides, pads, ceil, False), drops))
            except RuntimeError:
                return windows.nothing(layout.leave(x), own)
            return result.to(own) if wide else result

        return averaged

    return rule


def _averaging_gradient(rank: int) -> Callable[..., Any]:
    backward = _BACKWARD[rank]

    def rule(node):
        windows = Windows(node, node.outputs[0].dims, rank)
        layout, ksize, strides = windows.layout, windows.ksize, windows.strides
        if windows.depth != 1:
            raise UnimplementedError(None, None, "Non-spatial pooling is not yet supported.")
        wide = rank == 5 and node.inputs[1].dtype.torch in (torch.float16, torch.bfloat16)
        fixed = node.outputs[0].dims
        if fixed is not None and None in fixed:
            fixed = None

        def spread(shape, gradient):
            own = gradient.dtype
            # Of the input torch looks at shape and layout only.
            x = layout.enter(gradient.new_empty(fixed or shape.tolist(), dtype=torch.float32 if wide else own))
            gradient = layout.enter(gradient.float() if wide else gradient)
            if gradient.shape[2:] != windows.sizes_after(x.shape[2:]):
                raise InvalidArgumentError(
                    None,
                    None,
                    f"out_backprop must have the spatial shape {list(windows.sizes_after(x.shape[2:]))}, "
                    f"got {list(gradient.shape[2:])}",
                )
            if rank == 5 and _is_less(windows, x.shape[2:]):
                result = layout.leave(_spread_over_less(rank, windows, x, gradient))
                return result.to(own) if wide else result
            pads, ceil, drops = windows.geometry(x.shape[2:])
            gradient = windows.restored(gradient, drops)
            result = layout.leave(backward(gradient, x, ksize, strides, pads, ceil, False, None))
            return result.to(own) if wide else result

        return spread

    return rule


avg_pool_op.kernel(_averaging(4))
avg_pool_3d_op.kernel(_averaging(5))
avg_pool_grad_op.kernel(_averaging_gradient(4))
avg_pool_3d_grad_op.kernel(_averaging_gradient(5))


@avg_pool_op.gradient
def avg_pool_gradient(op, grad):
    return [raw.AvgPoolGrad(composing.shape(op.inputs[0]), grad, **settings_of(op))]


@avg_pool_grad_op.gradient
def avg_pool_grad_gradient(op, grad):
    return [raw.StopGradient(op.inputs[0]), raw.AvgPool(grad, **settings_of(op))]


@avg_pool_3d_op.gradient
def avg_pool_3d_gradient(op, grad):
    return [raw.AvgPool3DGrad(composing.shape(op.inputs[0]), grad, **settings_of(op))]


@avg_pool_3d_grad_op.gradient
def avg_pool_3d_grad_gradient(op, grad):
    return [raw.StopGradient(op.inputs[0]), raw.AvgPool3D(grad, **settings_of(op))]


_two = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1]}
avg_pool_op.fresh().accepts([2, 5, 6, 3], padding="SAME", **_two).accepts([2, 5, 6, 3], padding="VALID", **_two)
avg_pool_op.accepts([1, 4, 5, 2], ksize=[1, 2, 3, 1], strides=[1, 1, 1, 1], padding="SAME")
_on_gpus = {"data_format": "NCHW", "differs": "1.15 has NCHW on GPUs only"}
avg_pool_op.accepts([2, 3, 5, 6], ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="SAME", **_on_gpus)
avg_pool_3d_op.accepts([1, 4, 5, 6, 2], ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="SAME")
avg_pool_3d_op.accepts([2, 3, 7, 1, 2], ksize=[1, 1, 2, 3, 1], strides=[1, 2, 3, 1, 1], padding="SAME")

for _padding, _rows in (("SAME", 2), ("VALID", 1)):
    avg_pool_grad_op.accepts(np.array([1, 3, 4, 2], np.int32), [1, _rows, 2, 2], padding=_padding, **_two)
    avg_pool_3d_grad_op.accepts(
        np.array([1, 2, 3, 4, 1], np.int32),
        [1, 1, _rows, 2, 1],
        ksize=[1, 2, 2, 2, 1],
        strides=[1, 2, 2, 2, 1],
        padding=_padding,
    )
avg_pool_grad_op.rejects(np.array([[1, 3, 4, 2]], np.int32), [1, 2, 2, 2], padding="SAME", error=ValueError, **_two)
avg_pool_3d_grad_op.accepts(
    np.array([1, 3, 6, 2, 1], np.int32), [1, 3, 6, 2, 1], ksize=[1, 3, 3, 3, 1], strides=[1] * 5, padding="SAME"
)
