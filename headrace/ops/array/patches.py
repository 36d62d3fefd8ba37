"""Sliding windows as vectors: ExtractImagePatches and ExtractVolumePatches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as functional

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.core.errors import OutOfRangeError, UnimplementedError
from headrace.core.registry import op, raw
from headrace.core.shape_errors import GraphShapeError
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, moving, rank_is
from headrace.kernels.composing.arithmetic import range as range_of
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.filling import ones
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.kernels.renamed_arguments import first_given as either

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


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
    if min(strides) <= 0:
        raise GraphShapeError(f"Stride must be > 0, but got {min(strides)}")
    return ksizes[1:-1], strides[1:-1], rates[1:-1]


def _placed(size: int, window: int, stride: int, rate: int, padding: str) -> tuple[int, int, int]:
    """How many windows fit along an axis, and the padding before and after it.

    Raises:
        ValueError: if the axis is shorter than the window by a stride or more.
    """
    extent = (window - 1) * rate + 1
    if padding == "VALID":
        # Rounded towards zero, so that an axis that is short by less than a stride gives nothing.
        count = int((size - extent + stride) / stride)
        if count < 0:
            raise ValueError(
                f"Computed output size would be negative: {count} [input_size: {size}, effective_filter_size: {extent}, "
                f"stride: {stride}]"
            )
        return count, 0, 0
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
    for what in ("ksizes", "strides", "rates"):
        values = node.attrs.get(what, [1])
        if values[0] != 1 or values[-1] != 1:
            raise UnimplementedError(
                None, None, f"Only support {what} across space: the first and last entries must be 1, got {values}"
            )
    for what in ("ksizes", "strides", "rates"):
        values = node.attrs.get(what, [1])
        if min(values) <= 0:
            raise OutOfRangeError(None, None, f"{what} is out of range: {values}")
    windows, strides, rates = _windows(node.attrs)
    padding, n = node.attrs["padding"], len(node.attrs["ksizes"]) - 2

    def extract(x):
        paddings, counts = [0, 0], []
        for size, k, s, r in reversed(list(zip(x.shape[1:-1], windows, strides, rates))):
            try:
                count, before, after = _placed(size, k, s, r, padding)
            except ValueError as error:
                raise invalid(str(error)) from None
            paddings += [before, after]
            counts.insert(0, count)
        x = functional.pad(x, paddings).contiguous() if any(paddings) else x.contiguous()
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


def _scatter_back(
    grad: Tensor, places: Tensor, sources: Tensor, count: Tensor, size: Tensor, dims: dict[str, Any]
) -> Tensor:
    """The gradient of windows: each element of it added to the place its value came from.

    Args:
        grad: the gradient of the patches.
        places: for every element of the windows over one image of one channel, 1 + its place, or 0 in the padding.
        sources: the same elements counted, in the shape of the windows.
        count: how many places there are, with the one for the padding.
        size: how many elements there are.
        dims: batch, channels, and the sizes of the input (`inside`), of the result (`outside`) and of the windows.
    """
    pairs = concat([expand_dims(places, axis=-1), expand_dims(sources, axis=-1)], axis=-1)
    shape_of_map = (count, size)
    whole = SparseTensor(raw.Reshape(pairs, (-1, 2)), ones([size], grad.dtype), shape_of_map)
    kept_shape = (count - 1, size)
    start, extent = convert_to_tensor((1, 0), int64), convert_to_tensor(kept_shape, int64)
    with name_scope(None, "SparseSlice", [whole.indices]) as scope:
        kept = raw.SparseSlice(whole.indices, whole.values, whole.dense_shape, start, extent, name=scope)
    batch, channels, windows = dims["batch"], dims["channels"], dims["windows"]
    axes = len(windows)
    patches = raw.Reshape(grad, (batch, *dims["outside"], *windows, channels))
    patches = transpose(patches, (*range(1, 2 * axes + 1), 0, 2 * axes + 1))
    flat = raw.Reshape(patches, (-1, batch * channels))
    with name_scope("SparseTensorDenseMatMul"):
        jacobian = raw.SparseTensorDenseMatMul(kept.output_indices, kept.output_values, kept.output_shape, flat)
    result = raw.Reshape(jacobian, (*dims["inside"], batch, channels))
    return transpose(result, (axes, *range(axes), axes + 1))


@extract_image_patches_op.gradient
def extract_image_patches_gradient(op, grad):
    attrs = op.attrs
    own = shape(op.inputs[0], out_type=int64)
    batch, rows, cols, channels = own[0], own[1], own[2], own[3]
    count = 1 + rows * cols
    index = raw.Reshape(range_of(1, count, dtype=int64), (1, rows, cols, 1))
    how = {name: attrs[name] for name in ("ksizes", "strides", "rates", "padding")}
    places = raw.ExtractImagePatches(index, **how)
    out = shape(op.outputs[0], out_type=int64)
    rows_out, cols_out = out[1], out[2]
    _, window_rows, window_cols, _ = attrs["ksizes"]
    size = rows_out * cols_out * window_rows * window_cols
    sources = raw.Reshape(range_of(size, dtype=int64), (1, rows_out, cols_out, window_rows * window_cols))
    dims = {"batch": batch, "channels": channels, "inside": (rows, cols), "outside": (rows_out, cols_out)}
    return [_scatter_back(grad, places, sources, count, size, {**dims, "windows": (window_rows, window_cols)})]


@extract_volume_patches_op.gradient
def extract_volume_patches_gradient(op, grad):
    attrs = op.attrs
    inside, outside = op.inputs[0].dims[1:-1], op.outputs[0].dims[1:-1]
    own = shape(op.inputs[0])
    batch, channels = own[0], own[4]
    count = 1 + math.prod(inside)
    index = raw.Reshape(range_of(1, count, dtype=int64), (1, *inside, 1))
    places = raw.ExtractVolumePatches(index, ksizes=attrs["ksizes"], strides=attrs["strides"], padding=attrs["padding"])
    windows = tuple(attrs["ksizes"][1:-1])
    size = math.prod(outside) * math.prod(windows)
    sources = raw.Reshape(range_of(size, dtype=int64), (1, *outside, math.prod(windows)))
    dims = {"batch": batch, "channels": channels, "inside": inside, "outside": outside, "windows": windows}
    return [_scatter_back(grad, places, sources, count, size, dims)]


def extract_image_patches(
    images: TensorLike,
    ksizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
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


def extract_patches(
    images: TensorLike,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> Tensor:
    """As `extract_image_patches`, every argument required."""
    return raw.ExtractImagePatches(images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name)


def extract_volume_patches(
    input: TensorLike, ksizes: Sequence[int], strides: Sequence[int], padding: str, name: str | None = None
) -> Tensor:
    """As `extract_image_patches`, over volumes of shape [batch, planes, rows, cols, depth]."""
    return raw.ExtractVolumePatches(input, ksizes=ksizes, strides=strides, padding=padding, name=name)


extract_image_patches_op.accepts(
    [1, 5, 5, 2], ksizes=[1, 3, 3, 1], strides=[1, 2, 2, 1], rates=[1, 1, 1, 1], padding="VALID"
)
_small_cubes = {"ksizes": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 2, 1]}
for _padding in ("VALID", "SAME"):
    extract_volume_patches_op.accepts([1, 2, 2, 4, 1], padding=_padding, **_small_cubes)
extract_volume_patches_op.rejects([2, 2, 4, 1], padding="SAME", error=ValueError, **_small_cubes)
