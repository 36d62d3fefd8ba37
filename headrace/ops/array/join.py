"""Joining tensors: Concat along an axis they have, Pack along a new one, and Unpack, its inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import Dimension, Dims, merge_dims
from headrace.ops.array.common import (
    axis_in,
    boxed,
    constants,
    invalid,
    is_text,
    renamed,
    require_scalar,
    shape_text,
    stand_in_for,
)
from headrace.ops.array.identity import identity
from headrace.ops.array.shape import expand_dims, rank, shape, shape_n, squeeze
from headrace.ops.flow.frames import output_context


def _joined_dims(parts: list[Dims], axis: int | None) -> Dims:
    """The static shape of parts joined along `axis`, None where it is not known."""
    known = [dims for dims in parts if dims is not None]
    if not known:
        return None
    count = len(known[0])
    for dims in known:
        if len(dims) != count:
            raise ValueError(f"Shape must be rank {count} but is rank {len(dims)}")
    if axis is None:
        return (None,) * count
    if count == 0:
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    if not -count <= axis < count:
        raise ValueError(f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {count}")
    axis %= count
    total: int | None = 0
    rest: Dims = None
    for part in parts:
        if part is None:
            total = None
            continue
        size = part[axis]
        total = None if total is None or size is None else total + size
        others = (*part[:axis], *part[axis + 1 :])
        try:
            rest = merge_dims(rest, others)
        except ValueError:
            pairs = enumerate(zip(rest or (), others))
            at, (one, other) = next((i, (a, b)) for i, (a, b) in pairs if a != b and None not in (a, b))
            raise ValueError(
                f"Dimension {at} in both shapes must be equal, but are {one} and {other}. "
                f"Shapes are {shape_text(rest or ())} and {shape_text(others)}."
            ) from None
    assert rest is not None
    return (*rest[:axis], total, *rest[axis:])


def _cat(axis_index: int) -> Any:
    def rule(node):
        known = constants(node, axis_index)
        text = is_text(node.outputs[0])
        stand_in = None if text else stand_in_for(node.outputs[0].dtype.torch)
        moved = not text and stand_in is not node.outputs[0].dtype.torch
        dtype = node.outputs[0].dtype.torch

        def joined(parts, axis):
            shapes = [tuple(part.shape) for part in parts]
            if any(len(s) == 0 for s in shapes) or not -len(shapes[0]) <= axis < len(shapes[0]):
                raise invalid(
                    f"ConcatOp : Expected concatenating dimensions in the range [{-len(shapes[0])}, {len(shapes[0])}), "
                    f"but got {axis}"
                )
            try:
                if text:
                    return np.concatenate(parts, axis)
                if moved:
                    return torch.cat([part.view(stand_in) for part in parts], axis).view(dtype)
                return torch.cat(parts, axis)
            except (RuntimeError, ValueError):
                odd = next((s for s in shapes if len(s) != len(shapes[0])), shapes[-1])
                for s in shapes[1:]:
                    if len(s) == len(shapes[0]) and any(
                        a != b for i, (a, b) in enumerate(zip(s, shapes[0])) if i != axis % len(s)
                    ):
                        odd = s
                        break
                unlike = len(odd) != len(shapes[0])
                what = "Ranks of all input tensors" if unlike else "Dimensions of inputs"
                raise invalid(
                    f"ConcatOp : {what} should match: shape[0] = "
                    f"{shape_text(shapes[0])} vs. shape[{shapes.index(odd)}] = {shape_text(odd)}"
                ) from None

        if axis_index == 0:
            return lambda axis, *parts: joined(parts, int(axis))
        if known is None or text or moved or any(value.dims is None or not value.dims for value in node.inputs[:-1]):
            return lambda *values: joined(values[:-1], int(values[-1]))
        axis, cat = known[0], torch.cat
        if any(None in value.dims for value in node.inputs[:-1]):
            return lambda *values: joined(values[:-1], axis)
        if len(node.inputs) == 3:
            return lambda x, y, _: cat((x, y), axis)
        return lambda *values: cat(values[:-1], axis)

    return rule


concat_op = op("Concat", "concat_dim: int32, values: N * T, *, N: int >= 2 -> output: T").on_host("concat_dim")


@concat_op.shape
def concat_shape(op):
    axis = op.constant(0)
    require_scalar(op, 0)
    return [_joined_dims([t.dims for t in op.inputs[1:]], None if axis is None else int(axis))]


concat_op.kernel(_cat(0))

concat_v2_op = op("ConcatV2", "values: N * T, axis: Tidx, *, N: int >= 2, Tidx: index = int32 -> output: T")
concat_v2_op.on_host("axis")


@concat_v2_op.shape
def concat_v2_shape(op):
    axis = op.constant(len(op.inputs) - 1)
    require_scalar(op, len(op.inputs) - 1)
    return [_joined_dims([t.dims for t in op.inputs[:-1]], None if axis is None else int(axis))]


concat_v2_op.kernel(_cat(-1))


def _axis_here(axis: Tensor, grad: Any) -> Tensor:
    """The axis, made anew where it is a constant of another branch or loop than the gradient's."""
    value = grad if isinstance(grad, Tensor) else grad.values
    if axis._op.type == "Const" and output_context(axis.op) is not output_context(value.op):
        return convert_to_tensor(axis.op.attrs["value"])
    return axis


def _concat_gradients(values: list[Any], axis: Tensor, grad: Any) -> list[Any]:
    if len(values) == 1:
        return [grad]
    if not isinstance(grad, Tensor):
        return _concat_slices_gradients(values, axis, grad)
    axis = _axis_here(axis, grad)
    at = raw.FloorMod(axis, rank(values[0]), name="mod")
    sizes: Any = []
    for value in values:
        size = shape(value)
        if size._op.type not in ("Const", "EagerTensor"):
            sizes = shape_n(values)
            break
        sizes.append(size)
    if len(sizes) > 16:
        lengths = squeeze(raw.Slice(stack(sizes, axis=1), [at, 0], [1, -1]))
        return raw.SplitV(grad, lengths, at, num_split=len(values), name="split")
    offsets = raw.ConcatOffset(at, sizes)
    return [raw.Slice(grad, begin, size) for begin, size in zip(offsets, sizes)]


def _concat_slices_gradients(values: list[Any], axis: Tensor, grad: Any) -> list[Any]:
    """The gradients where that of the joined value is an IndexedSlices."""
    from headrace.core.composite import IndexedSlices
    from headrace.core.constant_value import constant_value

    axis = _axis_here(axis, grad)
    at = raw.FloorMod(axis, rank(values[0]), name="mod")
    known = constant_value(axis)
    if known is None:
        raise ValueError("Can only compute IndexedSlices gradient with statically-known concat_dim")
    position = int(known)
    if position < 0:
        if values[0].dims is None:
            raise ValueError(
                "Can only compute IndexedSlices gradient with negative concat_dim when first value rank is "
                "statically-known."
            )
        position %= len(values[0].dims)
    sizes = [shape(value) for value in values]
    result = []
    if position > 0:
        axes = shape(sizes[0])
        mask = concat(
            [
                raw.Fill(expand_dims(at, 0), 0),
                [1],
                raw.Fill(raw.Sub(raw.Sub(axes, at, name="sub"), 1, name="sub"), 0),
            ],
            0,
        )
        begin = raw.Fill(axes, 0)
        for size in sizes:
            kept = raw.Slice(grad.values, begin, concat([[-1], raw.Slice(size, [1], [-1])], 0))
            result.append(IndexedSlices(kept, grad.indices, size))
            begin = raw.Add(begin, raw.Mul(size, mask, name="mul"))
        return result
    start: Any = convert_to_tensor(0, grad.indices.dtype)
    for size in sizes:
        length = raw.GatherV2(size, at, 0)
        if length.dtype != grad.indices.dtype:
            length = raw.Cast(length, DstT=grad.indices.dtype)
        end = raw.AddV2(start, length, name="add")
        inside = raw.LogicalAnd(raw.GreaterEqual(grad.indices, start), raw.Less(grad.indices, end))
        chosen = squeeze(raw.Where(inside), axis=[1])
        indices = raw.Sub(raw.GatherV2(grad.indices, chosen, 0), start, name="sub")
        result.append(IndexedSlices(raw.GatherV2(grad.values, chosen, 0), indices, size))
        start = end
    return result


@concat_op.gradient
def concat_gradient(op, grad):
    return [None, *_concat_gradients(list(op.inputs[1:]), op.inputs[0], grad)]


@concat_v2_op.gradient
def concat_v2_gradient(op, grad):
    return [*_concat_gradients(list(op.inputs[:-1]), op.inputs[-1], grad), None]


concat_v2_op.accepts([[2, 3], [1, 3]], np.array(0, np.int32)).accepts([[2, 3], [2, 0]], np.array(-1, np.int32))
concat_v2_op.rejects([[2, 3], [1, 4]], np.array(0, np.int32), error=ValueError)

concat_offset_op = op("ConcatOffset", "concat_dim: int32, shape: N * int32, *, N: int >= 2 -> offset: N * int32")
concat_offset_op.on_host("concat_dim", "shape", outputs=True).not_differentiable()


@concat_offset_op.shape
def concat_offset_shape(op):
    return [t.dims for t in op.inputs[1:]]


def offsets_of(axis: Any, *shapes: Any) -> list[Any]:
    """Where each of tensors of those shapes begins when they are joined: int32 vectors.

    Raises:
        InvalidArgumentError: if they do not fit.
    """
    first = shapes[0].tolist()
    axis = int(axis)
    if not -len(first) <= axis < len(first):
        raise invalid(f"Concat dim is out of range: {axis} vs. {len(first)}")
    axis %= len(first)
    begin = 0
    result: list[Any] = []
    for i, given in enumerate(shapes):
        if given.ndim != 1:
            raise invalid(f"input {i} should be a vector, but got shape {shape_text(given.shape)}")
        sizes = given.tolist()
        if len(sizes) != len(first):
            raise invalid(f"input {i} should contain {len(first)} elements, but got {len(sizes)}")
        if any(a != b for k, (a, b) in enumerate(zip(sizes, first)) if k != axis):
            raise invalid(
                f"All dimensions except {axis} must match. Input {i} has shape [{' '.join(map(str, sizes))}] and "
                f"doesn't match input 0 with shape [{' '.join(map(str, first))}]."
            )
        offset = [0] * len(first)
        offset[axis] = begin
        begin += sizes[axis]
        result.append(torch.tensor(offset, dtype=torch.int32))
    return result


@concat_offset_op.kernel
def concat_offset_kernel(node):
    return offsets_of


pack_op = op("Pack", "values: N * T, *, axis=0 -> output: T")


@pack_op.shape
def pack_shape(op):
    dims: Dims = None
    for i, tensor in enumerate(op.inputs):
        try:
            dims = merge_dims(dims, tensor.dims)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {i - 1} with other shapes.") from None
    if dims is None:
        return [None]
    axis = axis_in(op.attrs["axis"], len(dims) + 1)
    return [(*dims[:axis], len(op.inputs), *dims[axis:])]


@pack_op.kernel
def pack_kernel(node):
    axis, dtype = node.attrs["axis"], node.outputs[0].dtype.torch
    if is_text(node.outputs[0]):
        return lambda *values: np.stack(values, axis)
    if node.outputs[0].dtype.name == "resource":
        return lambda *handles: np.array(handles, object)
    stand_in, stacked = stand_in_for(dtype), torch.stack
    if stand_in is not dtype:
        return lambda *values: stacked([value.view(stand_in) for value in values], axis).view(dtype)

    def pack(*values):
        try:
            return stacked(values, axis)
        except IndexError:
            count = values[0].ndim + 1
            raise invalid(f"axis = {axis} not in [{-count}, {count})") from None
        except RuntimeError:
            first = values[0].shape
            i, odd = next((i, v.shape) for i, v in enumerate(values) if v.shape != first)
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {shape_text(first)} != values[{i}].shape = "
                f"{shape_text(odd)}"
            ) from None

    return pack


@pack_op.gradient
def pack_gradient(op, grad):
    return unstack(grad, num=op.attrs["N"], axis=op.attrs["axis"])


pack_op.accepts([[2, 3], [2, 3]]).accepts([[2], [2], [2]], axis=-1).accepts([[], []])
pack_op.rejects([[2, 3], [2, 4]], error=ValueError)

parallel_concat_op = op("ParallelConcat", "values: N * T, *, shape: shape -> output: T")


@parallel_concat_op.shape
def parallel_concat_shape(op):
    dims = op.attrs["shape"]
    if dims is None or None in dims:
        raise ValueError("shape attr must be fully defined.")
    if any(tensor.dims is None or None in tensor.dims for tensor in op.inputs):
        raise ValueError("All input shapes must be fully defined.")
    for i, tensor in enumerate(op.inputs):
        try:
            merge_dims(tensor.dims, (1, *dims[1:]))
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    return [dims]


@parallel_concat_op.kernel
def parallel_concat_kernel(node):
    if is_text(node.outputs[0]):
        return lambda *values: np.concatenate(values, 0)
    return lambda *values: torch.cat(values, 0)


unpack_op = op("Unpack", "value: T, *, num: int >= 0, axis=0 -> output: num * T").aliases()


@unpack_op.shape
def unpack_shape(op):
    dims, num = op.inputs[0].dims, op.attrs["num"]
    if dims is None:
        return [None] * num
    axis = axis_in(op.attrs["axis"], len(dims))
    if dims[axis] not in (None, num):
        raise ValueError(f"Dimension must be {num} but is {dims[axis]}")
    return [(*dims[:axis], *dims[axis + 1 :])] * num


@unpack_op.kernel
def unpack_kernel(node):
    axis, num = node.attrs["axis"], node.attrs["num"]
    dims = node.inputs[0].dims
    if is_text(node.inputs[0]):
        return lambda x: [boxed(x.take(i, axis)) for i in range(num)]
    if dims is not None and dims[axis] == num:
        return lambda x: x.unbind(axis)

    def unpack(x):
        if x.shape[axis] != num:
            raise invalid(f"Input shape axis {axis} must equal {num}, got shape {shape_text(x.shape)}")
        return x.unbind(axis)

    return unpack


@unpack_op.gradient
def unpack_gradient(op, *grads):
    return [stack(list(grads), axis=op.attrs["axis"])]


unpack_op.accepts([2, 3], num=2).accepts([2, 3], num=3, axis=-1).rejects([2, 3], num=3, error=ValueError)


def is_axis(value: Any) -> bool:
    """Whether an argument can only be an axis: an int, a size, or an int scalar."""
    if isinstance(value, (int, Dimension, np.integer)) and not isinstance(value, bool):
        return True
    if isinstance(value, Tensor):
        return value.dims == () and value.dtype.base_dtype.is_integer
    return False


@renamed(concat_dim="axis")
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors joined along one of their axes.

    Before version 1.0 the order was `concat(concat_dim, values)`; it is taken too.

    Args:
        values: a list of tensors of one type, alike in shape but for `axis`.
        axis: an int32 scalar.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes are known not to fit.

    Example:
        >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], 0)  # [[1, 2], [3, 4], [5, 6]]
    """
    if is_axis(values) and not is_axis(axis):
        values, axis = axis, values
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            convert_to_tensor(axis, int32, "concat_dim").get_shape().assert_has_rank(0)
            return identity(values[0], name=name)
    return raw.ConcatV2(list(values), axis, name=name)


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape as the slices of a tensor with one more axis.

    Args:
        values: a list of tensors.
        axis: where the new axis is put, in [-r - 1, r] for values of rank r.
        name: a name for the operation.

    Raises:
        ValueError: if the shapes differ or `axis` is out of range.

    Example:
        >>> tf.stack([[1, 4], [2, 5], [3, 6]], axis=1)  # [[1, 2, 3], [4, 5, 6]]
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            # Values of several types or nested unevenly: the op says what is wrong, or converts them one by one.
            pass
    dims = convert_to_tensor(values[0], name=name).dims
    if dims is not None:
        count = len(dims) + 1
        if not -count <= axis < count:
            raise ValueError(f"axis = {axis} not in [{-count}, {count})")
    return raw.Pack(list(values), axis=axis, name=name)


def pack(values: Any, axis: int = 0, name: str = "pack") -> Tensor:
    """The name of `stack` before version 1.0."""
    return stack(values, axis, name)


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Tensors of one fully known shape as the slices of a tensor with one more axis in front."""
    with name_scope(name):
        first = convert_to_tensor(values[0])
        dims = None if first.dims is None else (len(values), *first.dims)
        return raw.ParallelConcat([expand_dims(value, 0) for value in values], shape=dims)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of a tensor along an axis, without that axis.

    Args:
        value: a tensor.
        num: the size of the axis; needed where it is not known.
        axis: an int in [-r, r).
        name: a name for the operation.

    Raises:
        ValueError: if `num` is neither given nor known, or `axis` is out of range.
    """
    if num is None:
        value = convert_to_tensor(value)
        dims = value.dims
        if dims is not None:
            if not -len(dims) <= axis < len(dims):
                raise ValueError(f"axis = {axis} not in [{-len(dims)}, {len(dims)})")
            num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer num from shape {value.get_shape()}")
    return raw.Unpack(value, num=num, axis=axis, name=name)


def unpack(value: Any, num: int | None = None, axis: int = 0, name: str = "unpack") -> list[Tensor]:
    """The name of `unstack` before version 1.0."""
    return unstack(value, num, axis, name)
