"""Turning around and shifting along axes: Reverse, ReverseSequence, Roll."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.dims import merge_dim, merge_dims
from headrace.core.native import applied
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import constants, invalid, is_text, moving, numbers, shape_text
from headrace.kernels.native import integers
from headrace.kernels.renamed_arguments import first_given as either
from headrace.kernels.renamed_arguments import renamed

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_PLAIN = "uint8, int8, uint16, int16, int32, int64, bool, half, float, double, complex64, complex128, string"
reverse_v1_op = op("Reverse", f"tensor: T, dims: bool, *, T: {{{_PLAIN}}} -> output: T").on_host("dims")


@reverse_v1_op.shape
def reverse_v1_shape(op):
    dims, flags = op.inputs[0].dims, op.inputs[1].dims
    if flags is not None and len(flags) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(flags)}")
    if dims is not None and flags is not None and flags[0] not in (None, len(dims)):
        raise ValueError(f"Shape must be rank {flags[0]} but is rank {len(dims)}")
    return [dims]


@reverse_v1_op.kernel
def reverse_v1_kernel(node):
    flip = np.flip if is_text(node.inputs[0]) else torch.flip

    def reverse(x, flags):
        return flip(x, tuple(axis for axis, reversed_ in enumerate(flags.tolist()) if reversed_))

    return moving(node, reverse)


@reverse_v1_op.gradient
def reverse_v1_gradient(op, grad):
    return [raw.Reverse(grad, op.inputs[1]), None]


_ALL = "uint8, int8, uint16, int16, int32, int64, bool, bfloat16, half, float, double, complex64, complex128, string"
reverse_op = (
    op("ReverseV2", f"tensor: T, axis: Tidx, *, Tidx: index = int32, T: {{{_ALL}}} -> output: T")
    .on_host("axis")
    .passes_text()
)


def _axes(listed: list[int], rank: int) -> tuple[int, ...]:
    for i, axis in enumerate(listed):
        if not -rank <= axis < rank:
            raise ValueError(f"'axis'[{i}] = {axis} is out of valid range [0, {rank - 1}")
    axes = [axis % rank for axis in listed]
    if len(set(axes)) != len(axes):
        raise ValueError(f"axis {next(a for a in axes if axes.count(a) > 1)} specified more than once.")
    return tuple(axes)


@reverse_op.shape
def reverse_shape(op):
    dims, axes = op.inputs[0].dims, op.constant(1)
    if op.inputs[1].dims is not None and len(op.inputs[1].dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(op.inputs[1].dims)}")
    if dims is not None and len(dims) > 8:
        raise ValueError("reverse does not work on tensors with more than 8 dimensions")
    if dims is not None and axes is not None:
        _axes([int(axis) for axis in axes], len(dims))
    return [dims]


@reverse_op.kernel
def reverse_kernel(node):
    known, flip = constants(node, 1), np.flip if is_text(node.inputs[0]) else torch.flip
    if known is not None and node.inputs[0].dims is not None:
        axes = _axes(known, len(node.inputs[0].dims))
        return moving(node, lambda x, _: flip(x, axes))

    def reverse(x, axis):
        try:
            return flip(x, _axes(numbers(axis), x.ndim))
        except ValueError as error:
            raise invalid(str(error)) from None

    return moving(node, reverse)


# NumPy's flip of an array of strings is a view.
reverse_op.aliases()
reverse_v1_op.aliases()


@reverse_op.gradient
def reverse_gradient(op, grad):
    return [raw.ReverseV2(grad, op.inputs[1]), None]


reverse_op.accepts([2, 3], np.array([0, -1], np.int32)).rejects([2], np.array([1], np.int32), error=ValueError)
reverse_v1_op.accepts([2, 3], np.array([True, False])).accepts([2, 2, 2], np.array([False, True, True]))
reverse_v1_op.rejects([2], np.array([True, False]), error=ValueError)

reverse_sequence_op = op(
    "ReverseSequence", "input: T, seq_lengths: Tlen, *, seq_dim: int, batch_dim=0, Tlen: index = int64 -> output: T"
)


@reverse_sequence_op.shape
def reverse_sequence_shape(op):
    dims, lengths = op.inputs[0].dims, op.inputs[1].dims
    if lengths is not None and len(lengths) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(lengths)}")
    if dims is None:
        return [None]
    batch, seq = op.attrs["batch_dim"], op.attrs["seq_dim"]
    for what, axis in (("batch_dim", batch), ("seq_dim", seq)):
        if axis >= len(dims):
            raise ValueError(f"{what} must be < input rank: {axis} vs. {len(dims)}")
    if lengths is not None:
        dims = (*dims[:batch], merge_dim(dims[batch], lengths[0]), *dims[batch + 1 :])
    return [dims]


@reverse_sequence_op.kernel
def reverse_sequence_kernel(node):
    batch, seq = node.attrs["batch_dim"], node.attrs["seq_dim"]
    if batch == seq:
        raise invalid(f"batch_dim == seq_dim == {seq}")

    def reverse(x, lengths):
        for what, axis in (("batch_dim", batch), ("seq_dim", seq)):
            if axis >= x.ndim:
                raise invalid(f"{what} must be < input.dims()( {axis} vs. {x.ndim})")
        size = x.shape[seq]
        if lengths.shape[0] != x.shape[batch]:
            raise invalid(f"Length of seq_lengths != input.dims({batch}), ({lengths.shape[0]} vs. {x.shape[batch]})")
        if lengths.numel() and lengths.device.type == "cpu":
            for i, length in enumerate(lengths.tolist()):
                if not 0 <= length <= size:
                    raise invalid(f"seq_lens({i}) {'< 0' if length < 0 else f'> input.dims({seq})'}")
        steps = torch.arange(size, device=lengths.device)
        ends = lengths.long()[:, None]
        sources = torch.where(steps < ends, ends - 1 - steps, steps)
        rows = torch.arange(x.shape[batch], device=lengths.device)[:, None]
        if isinstance(x, np.ndarray):
            moved = np.moveaxis(x, (batch, seq), (0, 1))
            return np.moveaxis(moved[rows.numpy(), sources.numpy()], (0, 1), (batch, seq))
        return x.movedim((batch, seq), (0, 1))[rows, sources].movedim((0, 1), (batch, seq))

    return moving(node, reverse)


@reverse_sequence_op.gradient
def reverse_sequence_gradient(op, grad):
    attrs = op.attrs
    return [raw.ReverseSequence(grad, op.inputs[1], seq_dim=attrs["seq_dim"], batch_dim=attrs["batch_dim"]), None]


reverse_sequence_op.accepts([2, 3], np.array([2, 3], np.int32), seq_dim=1)
reverse_sequence_op.rejects([2, 3], np.array([2], np.int32), seq_dim=1, error=ValueError)

roll_op = op("Roll", "input: T, shift: Tshift, axis: Taxis, *, Tshift: index, Taxis: index -> output: T")
roll_op.on_host("shift", "axis")


@roll_op.shape
def roll_shape(op):
    dims = op.inputs[0].dims
    if dims == ():
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    shift, axis = op.inputs[1].dims, op.inputs[2].dims
    for vector in (shift, axis):
        if vector is not None and len(vector) > 1:
            raise ValueError(f"Shape must be at most rank 1 but is rank {len(vector)}")
    merge_dims(shift, axis)
    return [dims]


@roll_op.kernel
def roll_kernel(node):
    roll = np.roll if is_text(node.inputs[0]) else torch.roll

    def rolled(x, shift, axis):
        if not x.ndim:
            raise invalid("input must be 1-D or higher")
        for what, given in (("shift", shift), ("axis", axis)):
            if given.ndim > 1:
                raise invalid(f"{what} must be a scalar or a 1-D vector. Found: {shape_text(given.shape)}")
        shifts, axes = tuple(numbers(shift)), tuple(numbers(axis))
        if len(shifts) != len(axes):
            raise invalid("shift and axis must have the same size")
        for at in axes:
            if not -x.ndim <= at < x.ndim:
                raise invalid(f"axis {at if at >= 0 else at + x.ndim} is out of range")
        return roll(x, shifts, axes)

    return moving(node, rolled)


@roll_op.gradient
def roll_gradient(op, grad):
    return [raw.Roll(grad, raw.Neg(op.inputs[1]), op.inputs[2]), None, None]


roll_op.accepts([5], np.array(2, np.int32), np.array(0, np.int32))


@renamed(dims="axis")
def reverse(tensor: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`tensor` with the order of elements turned around along the listed axes.

    Args:
        tensor: a tensor.
        axis: int32 or int64 vector; before version 1.0, a bool vector with one flag for each axis.
        name: a name for the operation.

    Example:
        >>> tf.reverse([[1, 2], [3, 4]], [0])  # [[3, 4], [1, 2]]
    """
    listed = axis if isinstance(axis, (list, tuple)) else []
    if listed and all(isinstance(item, (bool, np.bool_)) for item in listed):
        return raw.Reverse(tensor, axis, name=name)
    if getattr(getattr(axis, "dtype", None), "name", None) == "bool":
        return raw.Reverse(tensor, axis, name=name)
    return raw.ReverseV2(tensor, axis, name=name)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """`input` with the first `seq_lengths[i]` elements along `seq_axis` turned around in batch i.

    Args:
        input: a tensor.
        seq_lengths: int32 or int64 vector, one length for each batch.
        seq_axis: the axis along which sequences lie; `seq_dim` is its older name.
        batch_axis: the axis of batches, 0 by default; `batch_dim` is its older name.
        name: a name for the operation.
    """
    seq_axis = either("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = either("batch_axis", batch_axis, "batch_dim", batch_dim)
    return raw.ReverseSequence(input, seq_lengths, seq_dim=seq_axis, batch_dim=batch_axis, name=name)


def roll(input: TensorLike, shift: TensorLike, axis: TensorLike, name: str | None = None) -> Tensor:
    """`input` with elements shifted along axes, those pushed out coming in again at the other end.

    Args:
        input: a tensor of rank 1 or more.
        shift: an int, or a vector with one for each axis.
        axis: an int or int vector.
        name: a name for the operation.

    Example:
        >>> tf.roll([0, 1, 2, 3], 1, 0)  # [3, 0, 1, 2]
    """
    return raw.Roll(input, shift, axis, name=name)


# ---- native instructions


@reverse_op.native
def _reverse_native(node):
    axes, dims = integers(node, 1), node.inputs[0].dims
    if axes is None or dims is None or not all(-len(dims) <= axis < len(dims) for axis in axes):
        return None
    axes = [axis % len(dims) for axis in axes]
    return None if len(set(axes)) < len(axes) else applied("reverse", axes, take=[0])


@reverse_sequence_op.native
def _reverse_sequence_native(node):
    steps, batch = node.attrs["seq_dim"], node.attrs["batch_dim"]
    # What is refused is refused in the plain way.
    return applied("reverse_sequence", [steps, batch]) if node.inputs[0].dims and steps != batch else None
