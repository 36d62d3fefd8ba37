"""Joining tensors: Concat along an axis they have, Pack along a new one, and Unpack, its inverse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import IndexedSlices
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.dims import Dims, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.size_elements import MAX_ELEMENTS, Element, KnownElements
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import (
    axis_in,
    boxed,
    constants,
    invalid,
    is_text,
    require_scalar,
    shape_text,
    view_dtype_of,
)
from headrace.kernels.array.native_layouts import joined_rule, pack_rule, unpack_rule
from headrace.kernels.array.offsets import offsets_of
from headrace.kernels.composing.arranging import concat, stack
from headrace.kernels.composing.shapes import expand_dims, rank, shape, squeeze
from headrace.kernels.flow.contexts import output_context
from headrace.kernels.host_values import taken

if TYPE_CHECKING:
    from headrace.core.building_facts import PythonValues
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, TensorLike


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


def _cat(axis_index: int) -> Callable[..., Any]:
    def rule(node):
        known = constants(node, axis_index)
        text = is_text(node.outputs[0])
        view_dtype = None if text else view_dtype_of(node.outputs[0].dtype.torch)
        moved = not text and view_dtype is not node.outputs[0].dtype.torch
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
                    return torch.cat([part.view(view_dtype) for part in parts], axis).view(dtype)
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


concat_op = (
    op("Concat", "concat_dim: int32, values: N * T, *, N: int >= 2 -> output: T").on_host("concat_dim").passes_text()
)


@concat_op.shape
def concat_shape(op):
    axis = op.constant(0)
    require_scalar(op, 0)
    return [_joined_dims([t.dims for t in op.inputs[1:]], None if axis is None else int(axis))]


@concat_op.python_value
def concat_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    values = known.all(op.inputs)
    return None if values is None else np.concatenate(values[1:], axis=int(values[0]))


concat_op.kernel(_cat(0))
concat_op.accepts(np.int32(0), [[2, 3], [1, 3]]).accepts(np.int32(-1), [[2, 1], [2, 0]], T="int64")
concat_op.rejects(np.int32(0), [[2, 3], [1, 4]], error=ValueError)

concat_v2_op = (
    op("ConcatV2", "values: N * T, axis: Tidx, *, N: int >= 2, Tidx: index = int32 -> output: T")
    .never_fails()
    .gives_no_more()
    .passes_text()
)
concat_v2_op.on_host("axis")


@concat_v2_op.size_elements
def concat_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    *values, axis = node.inputs
    if axis.constant is None or int(axis.constant) not in (0, -1):
        return None
    found: list[Element] = []
    for value in values:
        part = known.vector(value)
        if part is None or value.dims == ():
            return None
        found += part
    return found if len(found) <= MAX_ELEMENTS else None


@concat_v2_op.equal_sizes
def concat_sizes(node: NodeView, sizes: Any) -> None:
    axis, dims = node.constant(len(node.inputs) - 1), node.outputs[0].dims
    # Along the only axis there is nothing to compare.
    if axis is not None and dims is not None and len(dims) > 1:
        sizes.all_same([*node.inputs[:-1], node.outputs[0]], int(axis) % len(dims))


@concat_v2_op.python_value
def concat_v2_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    values = known.all(op.inputs)
    return None if values is None else np.concatenate(values[:-1], axis=int(values[-1]))


@concat_v2_op.shape
def concat_v2_shape(op):
    axis = op.constant(len(op.inputs) - 1)
    require_scalar(op, len(op.inputs) - 1)
    return [_joined_dims([t.dims for t in op.inputs[:-1]], None if axis is None else int(axis))]


concat_v2_op.kernel(_cat(-1))


def _axis_here(axis: Tensor, grad: IndexedSlices | Tensor) -> Tensor:
    """The axis, made anew where it is a constant of another branch or loop than the gradient's."""
    value = grad if isinstance(grad, Tensor) else grad.values
    if axis._op.type == "Const" and output_context(axis.op) is not output_context(value.op):
        return convert_to_tensor(axis.op.attrs["value"])
    return axis


def _concat_gradients(values: list[Any], axis: Tensor, grad: IndexedSlices | Tensor) -> list[Any]:
    if len(values) == 1:
        return [grad]
    if not isinstance(grad, Tensor):
        return _concat_slices_gradients(values, axis, grad)
    axis = _axis_here(axis, grad)
    at = raw.FloorMod(axis, rank(values[0]), name="mod")
    sizes: list[Tensor] = []
    for value in values:
        size = shape(value)
        if size._op.type not in ("Const", "EagerTensor"):
            sizes = raw.ShapeN(values)
            break
        sizes.append(size)
    if len(sizes) > 16:
        lengths = squeeze(raw.Slice(stack(sizes, axis=1), [at, 0], [1, -1]))
        return raw.SplitV(grad, lengths, at, num_split=len(values), name="split")
    offsets = raw.ConcatOffset(at, sizes)
    return [raw.Slice(grad, begin, size) for begin, size in zip(offsets, sizes)]


def _concat_slices_gradients(values: list[Any], axis: Tensor, grad: IndexedSlices) -> list[Any]:
    """The gradients where that of the joined value is an IndexedSlices."""
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
    start: Tensor = convert_to_tensor(0, grad.indices.dtype)
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

concat_offset_op = op(
    "ConcatOffset", "concat_dim: int32, shape: N * int32, *, N: int >= 2 -> offset: N * int32"
).counts_by_shapes()
concat_offset_op.on_host("concat_dim", "shape", outputs=True).not_differentiable()


@concat_offset_op.shape
def concat_offset_shape(op):
    return [t.dims for t in op.inputs[1:]]


@concat_offset_op.kernel
def concat_offset_kernel(node):
    return offsets_of


concat_offset_op.accepts(
    np.int32(1), [np.array([2, 2, 7], np.int32), np.array([2, 3, 7], np.int32), np.array([2, 5, 7], np.int32)]
)
concat_offset_op.rejects(
    np.int32(1), [np.array([2, 2, 7], np.int32), np.array([2, 3, 5], np.int32)], error=InvalidArgumentError
)


pack_op = op("Pack", "values: N * T, *, axis=0 -> output: T").never_fails().passes_text()


@pack_op.size_elements
def pack_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    parts = [known.elements(value) if value.dims == () else None for value in node.inputs]
    return None if None in parts or len(parts) > MAX_ELEMENTS else [part[0] for part in parts if part is not None]


@pack_op.python_value
def pack_in_python(op: Operation, known: PythonValues) -> np.ndarray | None:
    if not op.inputs or op.attrs["axis"] != 0:
        return None
    values = [known.of(source) for source in op.inputs]
    if all(value is not None for value in values):
        return np.array(values)
    if not known.partial:
        return None
    some = np.empty(len(values), object)
    some[:] = values
    return some


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
        return lambda *values: np.stack([boxed(value) for value in values], axis)
    if node.outputs[0].dtype.name == "resource":
        return lambda *handles: np.array(handles, object)
    view_dtype, stacked = view_dtype_of(dtype), torch.stack
    if view_dtype is not dtype:
        return lambda *values: stacked([value.view(view_dtype) for value in values], axis).view(dtype)

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


parallel_concat_op.accepts([np.array([[1, 2]], np.float32), np.array([[3, 4]], np.float32)], shape=[2, 2])
parallel_concat_op.rejects([[1, 2], [1, 3]], shape=[2, 2], error=ValueError)


unpack_op = op("Unpack", "value: T, *, num: int >= 0, axis=0 -> output: num * T").aliases().passes_text()


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
        return lambda x: [taken(x.take(i, axis)) for i in range(num)]
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


def pack(values: Sequence[TensorLike], axis: int = 0, name: str = "pack") -> Tensor:
    """The name of `stack` before version 1.0."""
    return stack(values, axis, name)


def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
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


def unpack(value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unpack") -> list[Tensor]:
    """The name of `unstack` before version 1.0."""
    return unstack(value, num, axis, name)


# ---- native instructions

concat_op.native(joined_rule(0))
concat_v2_op.native(joined_rule(-1))
pack_op.native(pack_rule)
unpack_op.native(unpack_rule)
