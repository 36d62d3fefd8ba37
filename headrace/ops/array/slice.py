"""Slices of tensors: Slice, StridedSlice, and what `tensor[...]` means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import merge_dims
from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.core.registry import op, raw
from headrace.core.size_elements import Element, KnownElements
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import (
    constants,
    filled_text,
    invalid,
    is_text,
    moving,
    numbers,
    rank_is,
    shape_text,
    view_dtype_of,
)
from headrace.kernels.array.native_layouts import slice_rule, strided_slice_grad_rule, strided_slice_rule
from headrace.kernels.array.strides import (
    MASKS,
    forward_view,
    index_tuple,
    out_of_bounds,
    sliced,
    sliced_dims,
    window_of,
)
from headrace.kernels.composing.arranging import concat, stack
from headrace.kernels.composing.filling import ones_like
from headrace.kernels.composing.shapes import rank, shape
from headrace.kernels.host_values import taken
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import NodeView, TensorLike, VariableLike


_builtin_slice = slice


slice_op = (
    op("Slice", "input: T, begin: Index, size: Index, *, Index: index -> output: T")
    .aliases()
    .never_fails()
    .passes_text()
)
slice_op.on_host("begin", "size")


@slice_op.size_elements
def slice_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    begin, size = node.constant(1), node.constant(2)
    elements = known.vector(node.inputs[0])
    if begin is None or size is None or elements is None or begin.size != 1:
        return None
    first, count = int(begin[0]), int(size[0])
    count = len(elements) - first if count == -1 else count
    return elements[first : first + count] if first >= 0 and 0 <= count <= len(elements) - first else None


@slice_op.shape
def slice_shape(op):
    dims = op.inputs[0].dims
    vectors = merge_dims(rank_is(op.inputs[1].dims, 1), rank_is(op.inputs[2].dims, 1))
    if dims is not None and vectors is not None and vectors[0] not in (None, len(dims)):
        raise ValueError(f"Shape must be rank {vectors[0]} but is rank {len(dims)}")
    # A beginning may be known in part: that of the rows is computed, that of the columns is 0.
    starts = op.constant_dims(1)
    size, partial = op.constant(2), op.constant_dims(2)
    for vector in (op.constant(1), size):
        if vector is not None and (vector < -1).any():
            raise ValueError(f"Invalid value in tensor used for shape: {int(vector[vector < -1][0])}")
    if dims is None:
        return [partial]
    result: list[int | None] = []
    for i, have in enumerate(dims):
        start = None if starts is None else starts[i]
        # An unknown element of a partly known vector may be the -1 that takes the rest.
        want = int(size[i]) if size is not None else partial[i] if partial is not None else None
        if want != -1:
            result.append(want)
        elif have is None or start is None:
            result.append(None)
        elif start > have:
            raise ValueError(f"Negative dimension size caused by subtracting {start} from {have}")
        else:
            result.append(have - start)
    return [tuple(result)]


@slice_op.kernel
def slice_kernel(node):
    begin, size, dims = constants(node, 1), constants(node, 2), node.inputs[0].dims
    window = None
    if begin is not None and size is not None and dims is not None and None not in dims and not is_text(node.inputs[0]):
        try:
            window = window_of(dims, begin, size)
        except InvalidArgumentError:
            # Said when it runs, as the graph may never ask for it.
            window = None
    if window is not None:
        cut = [i for i, part in enumerate(window) if part != _builtin_slice(0, dims[i])]
        if not cut:
            return lambda x, *_: x
        if len(cut) == 1:
            axis, start, count = cut[0], window[cut[0]].start, window[cut[0]].stop - window[cut[0]].start
            return lambda x, *_: x.narrow(axis, start, count)
        return lambda x, *_: x[window]

    def take(x, start, count):
        return x[window_of(x.shape, numbers(start), numbers(count))]

    return lambda x, start, count: taken(take(x, start, count)) if isinstance(x, np.ndarray) else take(x, start, count)


@slice_op.gradient
def slice_gradient(op, grad):
    x, begin = op.inputs[0], op.inputs[1]
    input_rank = rank(x)
    size = shape(op.outputs[0])
    column = stack([input_rank, 1])
    before = raw.Reshape(begin, column)
    after = raw.Reshape(raw.Sub(raw.Sub(shape(x), size, name="sub"), begin, name="sub"), column)
    return [raw.Pad(grad, concat([before, after], 1)), None, None]


slice_op.accepts([4, 5], np.array([1, 2], np.int32), np.array([2, -1], np.int32))
slice_op.rejects([4, 5], np.array([3, 2], np.int32), np.array([2, -1], np.int32), error=InvalidArgumentError)

_MASK_ATTRS = "Index: index, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0"

strided_slice_op = (
    op("StridedSlice", f"input: T, begin: Index, end: Index, strides: Index, *, {_MASK_ATTRS} -> output: T")
    .gives_no_more()
    .passes_text()
)
strided_slice_op.aliases().on_host("begin", "end", "strides")


def _static_slice(op: Any, dims: Any, first: int) -> tuple[int | None, ...] | None:
    """The static shape of a strided slice whose begin, end and strides are the inputs from `first` on."""
    length: Any = None
    for tensor in op.inputs[first : first + 3]:
        length = merge_dims(length, rank_is(tensor.dims, 1))
    strides = op.constant(first + 2)
    if strides is None or dims is None:
        return None
    begin, end = op.constant(first), op.constant(first + 1)
    known = begin is not None and end is not None
    blank = [0] * strides.size
    index = index_tuple(begin if known else blank, end if known else blank, strides.tolist(), op.attrs)
    return sliced_dims(dims, index, known)


@strided_slice_op.size_elements
def strided_slice_elements(node: NodeView, known: KnownElements) -> list[Element] | None:
    begin, end, strides = (node.constant(i) for i in (1, 2, 3))
    if begin is None or end is None or strides is None or begin.size != 1:
        return None
    attrs, dims = node.attrs, node.inputs[0].dims
    if attrs["ellipsis_mask"] or attrs["new_axis_mask"]:
        return None
    elements = known.vector(node.inputs[0]) if dims is not None and dims != () else None
    if elements is None:
        return None
    if attrs["shrink_axis_mask"]:
        at = int(begin[0])
        return [elements[at]] if -len(elements) <= at < len(elements) else None
    first = None if attrs["begin_mask"] else int(begin[0])
    last = None if attrs["end_mask"] else int(end[0])
    return elements[first : last : int(strides[0])] if strides[0] else None


@strided_slice_op.shape
def strided_slice_shape(op):
    return [_static_slice(op, op.inputs[0].dims, 1)]


@strided_slice_op.same_as
def strided_slice_same(node):
    index = _bounds(node, 1)
    if index is None or node.inputs[0].dtype._is_ref_dtype:
        return None
    whole = all(item is Ellipsis or item == _builtin_slice(None, None, 1) for item in index)
    dims = node.inputs[0].dims
    return node.inputs[0] if whole and dims is not None and len(index) <= len(dims) else None


def _bounds(node: NodeView, first: int) -> Any:
    """The index tuple if it is known while planning, else None."""
    begin, end, strides = (constants(node, i) for i in range(first, first + 3))
    if begin is None or end is None or strides is None:
        return None
    return index_tuple(begin, end, strides, node.attrs)


def _index_at_run(
    attrs: dict[str, Any], begin: torch.Tensor, end: torch.Tensor, strides: torch.Tensor
) -> tuple[Any, ...]:
    first, last, steps = numbers(begin), numbers(end), numbers(strides)
    if not len(first) == len(last) == len(steps):
        raise invalid(
            "Expected begin, end, and strides to be 1D equal size tensors, but got lengths "
            f"{[len(first), len(last), len(steps)]} instead."
        )
    try:
        return index_tuple(first, last, steps, attrs)
    except ValueError as error:
        raise invalid(str(error)) from None


@strided_slice_op.kernel
def strided_slice_kernel(node):
    index, attrs = _bounds(node, 1), dict(node.attrs)
    if index is None:
        return moving(node, lambda x, begin, end, strides: sliced(x, _index_at_run(attrs, begin, end, strides)))
    dims = node.inputs[0].dims
    plain = not is_text(node.inputs[0]) and all(not isinstance(i, _builtin_slice) or i.step > 0 for i in index)
    if not plain or dims is None:
        return moving(node, lambda x, *_: sliced(x, index))
    sliced_dims(dims, index, True)
    if None not in dims and Ellipsis not in index and None not in index:
        cut = [i for i, item in enumerate(index) if item != _builtin_slice(None, None, 1)]
        if len(cut) == 1:
            axis, item = cut[0], index[cut[0]]
            if isinstance(item, int):
                return lambda x, *_: x.select(axis, item)
            if item.step == 1:
                start, stop, _ = item.indices(dims[axis])
                count = max(stop - start, 0)
                return lambda x, *_: x.narrow(axis, start, count)

    def plainly(x, *_):
        try:
            return x[index]
        except IndexError:
            raise out_of_bounds(x, index) from None

    return plainly


def _masks(op: Operation) -> dict[str, int]:
    return {mask: op.attrs[mask] for mask in MASKS}


@strided_slice_op.gradient
def strided_slice_gradient(op, grad):
    x, begin, end, strides = op.inputs
    dims = shape(x, out_type=begin.dtype.base_dtype)
    return [raw.StridedSliceGrad(dims, begin, end, strides, grad, **_masks(op)), None, None, None]


_I = np.int32
strided_slice_op.accepts([4, 5], np.array([1, 0], _I), np.array([3, 5], _I), np.array([1, 2], _I))
strided_slice_op.accepts([4, 5], np.array([3], _I), np.array([0], _I), np.array([-2], _I), end_mask=1)
strided_slice_op.accepts([4, 5], np.array([-1], _I), np.array([0], _I), np.array([1], _I), shrink_axis_mask=1)
strided_slice_op.rejects(
    [4, 5], np.array([4], _I), np.array([5], _I), np.array([1], _I), shrink_axis_mask=1, error=ValueError
)

strided_slice_grad_op = op(
    "StridedSliceGrad",
    f"shape: Index, begin: Index, end: Index, strides: Index, dy: T, *, {_MASK_ATTRS} -> output: T",
).never_fails()
strided_slice_grad_op.on_host("shape", "begin", "end", "strides")


@strided_slice_grad_op.shape
@ranked(1)
def strided_slice_grad_shape(op):
    return [op.constant_dims(0)]


@strided_slice_grad_op.kernel
def strided_slice_grad_kernel(node):
    dims, index, attrs, device = constants(node, 0), _bounds(node, 1), dict(node.attrs), node.device
    dtype = node.outputs[0].dtype.torch
    view_dtype = view_dtype_of(dtype)

    def spread(dims, index, dy):
        if isinstance(dy, np.ndarray):
            text = filled_text(dims)
            text[index] = dy
            return text
        out = torch.zeros(dims, dtype=view_dtype, device=device)
        view, flips = forward_view(out, index)
        if view.shape != dy.shape:
            raise invalid(f"shape of dy was {list(dy.shape)} instead of {list(view.shape)}")
        dy = dy.view(view_dtype)
        view.copy_(dy.flip(flips) if flips else dy)
        return out.view(dtype)

    if dims is not None and index is not None:
        return lambda shape, begin, end, strides, dy: spread(dims, index, dy)
    return lambda shape, begin, end, strides, dy: spread(
        numbers(shape), index if index is not None else _index_at_run(attrs, begin, end, strides), dy
    )


@strided_slice_grad_op.gradient
def strided_slice_grad_gradient(op, grad):
    _, begin, end, strides, _ = op.inputs
    return [None, None, None, None, raw.StridedSlice(grad, begin, end, strides, **_masks(op))]


strided_slice_assign_op = op(
    "StridedSliceAssign",
    f"ref: ref T, begin: Index, end: Index, strides: Index, value: T, *, {_MASK_ATTRS} -> output_ref: ref T",
)
strided_slice_assign_op.aliases().writes("ref").on_host("begin", "end", "strides")


@strided_slice_assign_op.shape
def strided_slice_assign_shape(op):
    _static_slice(op, op.inputs[0].dims, 1)
    return [op.inputs[0].dims]


def _put(x: np.ndarray | torch.Tensor, index: tuple[Any, ...], value: np.ndarray | torch.Tensor) -> None:
    """Writes into the memory of a variable."""
    try:
        view, flips = (x[index], []) if isinstance(x, np.ndarray) else forward_view(x, index)
    except IndexError:
        raise out_of_bounds(x, index) from None
    if 0 in np.shape(view):
        return
    if np.shape(value) != np.shape(view):
        raise UnimplementedError(
            None,
            None,
            f"sliced l-value shape {shape_text(np.shape(view))} does not match r-value shape {shape_text(np.shape(value))}. "
            "Automatic broadcasting not yet implemented.",
        )
    if isinstance(x, np.ndarray):
        x[index] = value
        return
    view_dtype = view_dtype_of(x.dtype)
    value = value.view(view_dtype)
    view.view(view_dtype).copy_(value.flip(flips) if flips else value)


@strided_slice_assign_op.kernel
def strided_slice_assign_kernel(node):
    index, attrs = _bounds(node, 1), dict(node.attrs)

    def assign(buffer, begin, end, strides, value):
        _put(buffer.read(), index if index is not None else _index_at_run(attrs, begin, end, strides), value)
        return buffer

    return assign


resource_strided_slice_assign_op = op(
    "ResourceStridedSliceAssign",
    f"ref: resource, begin: Index, end: Index, strides: Index, value: T, *, {_MASK_ATTRS} ->",
    stateful=True,
)
resource_strided_slice_assign_op.writes("ref").on_host("begin", "end", "strides")


@resource_strided_slice_assign_op.kernel
def resource_strided_slice_assign_kernel(node):
    index, attrs = _bounds(node, 1), dict(node.attrs)

    def assign(buffer, begin, end, strides, value):
        _put(buffer.read(), index if index is not None else _index_at_run(attrs, begin, end, strides), value)

    return assign


tensor_strided_slice_update_op = op(
    "TensorStridedSliceUpdate",
    f"input: T, begin: Index, end: Index, strides: Index, value: T, *, {_MASK_ATTRS} -> output: T",
)
tensor_strided_slice_update_op.on_host("begin", "end", "strides")
tensor_strided_slice_update_op.shape(strided_slice_assign_shape)


@tensor_strided_slice_update_op.kernel
def tensor_strided_slice_update_kernel(node):
    index, attrs = _bounds(node, 1), dict(node.attrs)

    def update(x, begin, end, strides, value):
        out = x.copy() if isinstance(x, np.ndarray) else x.clone()
        _put(out, index if index is not None else _index_at_run(attrs, begin, end, strides), value)
        return out

    return update


_begin, _end, _strides = np.array([1, 3], _I), np.array([3, 0], _I), np.array([1, -2], _I)
strided_slice_grad_op.accepts(np.array([4, 5], _I), _begin, _end, _strides, [2, 2])
strided_slice_grad_op.accepts(np.array([4, 5], _I), _begin, _end, _strides, [2, 2], T="uint16")
strided_slice_grad_op.accepts(
    np.array([3, 2], _I), np.array([1], _I), np.array([2], _I), np.array([1], _I), [2], shrink_axis_mask=1
)
strided_slice_grad_op.rejects(np.array([4, 5], _I), _begin, _end, _strides, [2, 3], error=InvalidArgumentError)
for _decl in (strided_slice_assign_op, resource_strided_slice_assign_op, tensor_strided_slice_update_op):
    _decl.accepts([4, 5], _begin, _end, _strides, [2, 2]).accepts(
        [4], np.array([1], _I), np.array([0], _I), np.array([1], _I), [3], end_mask=1
    )
    _decl.rejects([4, 5], _begin, _end, _strides, [2, 3], error=UnimplementedError)


def slice(input_: Any, begin: TensorLike, size: TensorLike, name: str | None = None) -> Tensor:
    """The block of `input_` of shape `size` that starts at `begin`.

    Args:
        input_: a tensor.
        begin: int32 or int64 vector, one index an axis.
        size: int32 or int64 vector; -1 takes all that is left of an axis.
        name: a name for the operation.

    Example:
        >>> tf.slice([[1, 2, 3], [4, 5, 6]], [1, 0], [1, -1])  # [[4, 5, 6]]
    """
    return raw.Slice(input_, begin, size, name=name)


def strided_slice(
    input_: TensorLike,
    begin: TensorLike,
    end: TensorLike,
    strides: TensorLike | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Every `strides`-th element of `input_` from `begin` up to `end`, with masks that say what `[...]` can.

    Args:
        input_: a tensor.
        begin, end, strides: int32 or int64 vectors of one length; strides of 1 by default.
        begin_mask, end_mask: bit i ignores `begin[i]` or `end[i]`.
        ellipsis_mask: bit i stands for as many whole axes as are left.
        new_axis_mask: bit i adds an axis of size 1.
        shrink_axis_mask: bit i takes the one element at `begin[i]` and drops the axis.
        var: the variable that `input_` is the value of; the result's `assign` then writes to its slice.
        name: a name for the operation.

    Raises:
        ValueError: for indices known to be out of bounds.
    """
    if strides is None:
        strides = ones_like(begin)
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    result = raw.StridedSlice(input_, begin, end, strides, name=name, **masks)

    def assign(val: TensorLike, name: str | None = None) -> Tensor | VariableLike:
        if var is None:
            raise ValueError("Sliced assignment is only supported for variables")
        return var._strided_slice_assign(
            begin=begin,
            end=end,
            strides=strides,
            value=val,
            name=f"{scope}_assign" if name is None else name,
            **masks,
        )

    scope = name
    result.assign = assign
    return result


# ---- native instructions

slice_op.native(slice_rule)
strided_slice_op.native(strided_slice_rule)
strided_slice_grad_op.native(strided_slice_grad_rule)
