"""Surrounding tensors with more elements: Pad, PadV2, MirrorPad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
import torch.nn.functional as functional

from headrace.core.constant_value import constant_dims
from headrace.core.dims import Dims, unknown_dims
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import constants, filled_text, invalid, is_text, moving, numbers, shape_text
from headrace.kernels.array.mirror_padding import mirrored_sources
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.shapes import rank, shape
from headrace.kernels.native import integers
from headrace.kernels.renamed_arguments import renamed

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


pad_op = (
    op("Pad", "input: T, paddings: Tpaddings, *, Tpaddings: index = int32 -> output: T")
    .on_host("paddings")
    .never_fails()
)
pad_v2_op = op("PadV2", "input: T, paddings: Tpaddings, constant_values: T, *, Tpaddings: index = int32 -> output: T")
pad_v2_op.on_host("paddings")


def _rows(tensor: Tensor) -> list[tuple[int | None, int | None]] | None:
    """What is known of paddings before the graph runs, as far as single numbers."""
    if tensor._op.type == "Pack" and tensor._op.attrs["axis"] == 0:
        rows = [constant_dims(row) for row in tensor.op.inputs]
        return [(None, None) if row is None else (row[0], row[1]) for row in rows]
    return None


def _padded_dims(op: Operation, sign: int = 1) -> Dims:
    dims, paddings = op.inputs[0].dims, op.inputs[1].dims
    if paddings is not None:
        if len(paddings) != 2:
            raise ValueError(f"Shape must be rank 2 but is rank {len(paddings)}")
        if paddings[1] not in (None, 2):
            raise ValueError(f"Dimension must be 2 but is {paddings[1]}")
        if dims is not None and paddings[0] not in (None, len(dims)):
            raise ValueError(f"Shape must be rank {paddings[0]} but is rank {len(dims)}")
    value = op.constant(1)
    rows = _rows(op.inputs[1]) if value is None else [(int(a), int(b)) for a, b in value]
    if rows is None:
        return unknown_dims(len(dims) if dims is not None else None if paddings is None else paddings[0])
    if value is not None and (value < 0).any():
        raise ValueError("Paddings must be non-negative")
    if dims is None:
        return unknown_dims(len(rows))
    result: list[int | None] = []
    for size, (before, after) in zip(dims, rows):
        if size is None or before is None or after is None:
            result.append(None)
        else:
            result.append(size + sign * _both(size, before, after, op.inputs[1]))
    return tuple(result)


def _both(size: int, before: int, after: int, paddings: Tensor) -> int:
    """What an axis of `size` gets on both sides.

    Raises:
        ValueError: if the type of the paddings does not hold so much.
    """
    bits = 8 * paddings.dtype.base_dtype.size
    if before + after >= 2 ** (bits - 1):
        raise ValueError(f"Dimension size overflow from adding {size} and {before + after - 2**bits}")
    return before + after


@pad_op.shape
def pad_shape(op):
    return [_padded_dims(op)]


pad_v2_op.shape(pad_shape)


def _pairs_of(paddings: torch.Tensor, x: torch.Tensor, mirrored: bool = False) -> list[tuple[int, int]]:
    """The paddings of a step, each of an axis of `x`."""
    if paddings.dim() != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {shape_text(paddings.shape)}")
    return _pairs(numbers(paddings), x.ndim, x.shape, mirrored)


def _pairs(flat: list[int], rank: int, shape: Any = None, mirrored: bool = False) -> list[tuple[int, int]]:
    if len(flat) != 2 * rank:
        of = rank if shape is None else shape_text(shape)
        between = f"[{len(flat) // 2},2]{',' if mirrored else ''}"
        raise invalid(f"The first dimension of paddings must be the rank of inputs{between} {of}")
    pairs = list(zip(flat[::2], flat[1::2]))
    for before, after in pairs:
        if before < 0 or after < 0:
            raise invalid(f"{'paddings' if mirrored else 'Paddings'} must be non-negative: {before} {after}")
    return pairs


def _padded_text(x: torch.Tensor, pairs: list[tuple[int, int]], value: float) -> torch.Tensor:
    if isinstance(x, np.ndarray):
        shape = [size + before + after for size, (before, after) in zip(x.shape, pairs)]
        out = filled_text(shape, value)
        out[tuple(slice(before, before + size) for size, (before, _) in zip(x.shape, pairs))] = x
        return out
    if not pairs:
        return x.clone()
    # torch lists the last axis first.
    return functional.pad(x, [n for pair in reversed(pairs) for n in pair], value=value)


@pad_op.kernel
def pad_kernel(node):
    known, dims, text = constants(node, 1), node.inputs[0].dims, is_text(node.inputs[0])
    fill = b"" if text else 0
    if known is None or dims is None or text or not dims:
        return moving(node, lambda x, paddings: _padded_text(x, _pairs_of(paddings, x), fill))
    pad_sizes = [n for pair in reversed(_pairs(known, len(dims))) for n in pair]
    pad = torch.constant_pad_nd
    return moving(node, lambda x, _: pad(x, pad_sizes))


@pad_v2_op.kernel
def pad_v2_kernel(node):
    if is_text(node.inputs[0]):
        return lambda x, paddings, value: _padded_text(x, _pairs_of(paddings, x), value[()])
    known = node.constant(2)

    def pad(x, paddings, value):
        pairs = _pairs_of(paddings, x)
        if value.dim():
            raise invalid(f"constant_values must be a scalar. Found: {shape_text(value.shape)}")
        if known is not None and not x.is_complex() and x.dtype not in (torch.uint16, torch.uint32, torch.uint64):
            return _padded_text(x, pairs, value.item())
        shape = [size + before + after for size, (before, after) in zip(x.shape, pairs)]
        out = value.expand(shape).clone()
        out[tuple(slice(before, before + size) for size, (before, _) in zip(x.shape, pairs))] = x
        return out

    return pad


def _pad_gradient(op: Operation, grad: Tensor) -> Tensor:
    x, paddings = op.inputs[0], op.inputs[1]
    before = raw.Slice(paddings, [0, 0], stack([rank(x), 1]))
    begin = raw.Reshape(before, [-1])
    return raw.Slice(grad, begin, shape(x))


@pad_op.gradient
def pad_gradient(op, grad):
    return [_pad_gradient(op, grad), None]


@pad_v2_op.gradient
def pad_v2_gradient(op, grad):
    return [_pad_gradient(op, grad), None, None]


_P = np.array([[1, 0], [2, 1]], np.int32)
pad_op.accepts([2, 3], _P).rejects([2], _P, error=ValueError)
pad_v2_op.accepts([2, 3], _P, np.float32(7))
pad_op.rejects([2], np.array([[2**30, 2**31 - 1]], np.int32), error=ValueError, match="overflow from adding")

_MIRROR = "input: T, paddings: Tpaddings, *, Tpaddings: index = int32, mode: {'REFLECT', 'SYMMETRIC'} -> output: T"
mirror_pad_op = op("MirrorPad", _MIRROR).on_host("paddings")
mirror_pad_grad_op = op("MirrorPadGrad", _MIRROR).on_host("paddings")


@mirror_pad_op.shape
def mirror_pad_shape(op):
    return [_padded_dims(op)]


@mirror_pad_grad_op.shape
def mirror_pad_grad_shape(op):
    return [_padded_dims(op, -1)]


@mirror_pad_op.kernel
def mirror_pad_kernel(node):
    edge = 1 if node.attrs["mode"] == "REFLECT" else 0
    device = node.device

    def pad(x, paddings):
        for axis, (before, after) in enumerate(_pairs_of(paddings, x, mirrored=True)):
            if before or after:
                sources = mirrored_sources(x.shape[axis], before, after, edge)
                if isinstance(x, np.ndarray):
                    x = x.take(sources, axis)
                else:
                    x = x.index_select(axis, torch.tensor(sources, device=device))
        return x

    # With nothing to pad the input itself is what comes out.
    return moving(node, pad)


mirror_pad_op.aliases()


@mirror_pad_grad_op.kernel
def mirror_pad_grad_kernel(node):
    edge = 1 if node.attrs["mode"] == "REFLECT" else 0
    device = node.device

    def fold(grad, paddings):
        for axis, (before, after) in enumerate(_pairs(numbers(paddings), grad.ndim, mirrored=True)):
            if before or after:
                size = grad.shape[axis] - before - after
                if size < 0:
                    raise invalid(f"paddings {before}, {after} exceed a gradient of shape {shape_text(grad.shape)}")
                sources = torch.tensor(mirrored_sources(size, before, after, edge), device=device)
                whole = list(grad.shape)
                whole[axis] = size
                grad = torch.zeros(whole, dtype=grad.dtype, device=device).index_add_(axis, sources, grad)
        return grad

    # Sums of unsigned numbers wrap as those of signed ones do.
    return moving(node, fold)


mirror_pad_grad_op.aliases()


@mirror_pad_op.gradient
def mirror_pad_gradient(op, grad):
    return [raw.MirrorPadGrad(grad, op.inputs[1], mode=op.attrs["mode"]), None]


@mirror_pad_grad_op.gradient
def mirror_pad_grad_gradient(op, grad):
    return [raw.MirrorPad(grad, op.inputs[1], mode=op.attrs["mode"]), None]


mirror_pad_op.accepts([3, 4], _P, mode="REFLECT").accepts([3, 4], _P, mode="SYMMETRIC")
mirror_pad_grad_op.accepts([4, 7], _P, mode="REFLECT").accepts([4, 7], _P, mode="SYMMETRIC")
mirror_pad_grad_op.accepts([4, 7], _P, mode="REFLECT", T="uint16")
mirror_pad_grad_op.rejects([4], _P, mode="REFLECT", error=ValueError)


@renamed(input="tensor")
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> Tensor:
    """`tensor` with more elements before and after those it has along each axis.

    Args:
        tensor: a tensor of rank r.
        paddings: int32 or int64 matrix of shape [r, 2]: how many before and after.
        mode: "CONSTANT", "REFLECT" (mirrored, the border not repeated) or "SYMMETRIC" (mirrored with the border).
        name: a name for the operation.
        constant_values: the scalar to pad with in mode "CONSTANT".

    Raises:
        ValueError: for another mode.

    Example:
        >>> tf.pad([[1, 2]], [[0, 0], [1, 2]])  # [[0, 1, 2, 0, 0]]
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        is_tensor = isinstance(constant_values, Tensor) or hasattr(constant_values, "_as_graph_element")
        if not is_tensor and constant_values == 0:
            return raw.Pad(tensor, paddings, name=name)
        return raw.PadV2(tensor, paddings, constant_values, name=name)
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(f"Unknown padding mode: {mode}")
    return raw.MirrorPad(tensor, paddings, mode=mode, name=name)


# ---- native instructions


@pad_op.native
def _pad_native(node):
    paddings, zero = integers(node, 1), np.zeros((), node.outputs[0].dtype.as_numpy_dtype)
    if paddings is None or any(count < 0 for count in paddings):
        return None
    return lambda b, inputs: b.apply("pad", [inputs[0], b.constant(zero)], paddings)


@pad_v2_op.native
def _pad_v2_native(node):
    paddings = integers(node, 1)
    if paddings is None or any(count < 0 for count in paddings) or node.inputs[2].dims != ():
        return None
    return applied("pad", paddings, take=[0, 2])
