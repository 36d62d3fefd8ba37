"""Cutting pieces out of tensors: Slice, StridedSlice, and what `tensor[...]` means."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch

from headrace.core.defaults import name_scope
from headrace.core.dtypes import as_dtype, int32, int64
from headrace.core.dtypes import bool as bool_type
from headrace.core.eager import executing_eagerly
from headrace.core.errors import InvalidArgumentError, UnimplementedError
from headrace.core.operation import Tensor
from headrace.core.registry import op, raw
from headrace.core.shapes import Dimension, merge_dims
from headrace.ops.array.common import (
    boxed,
    constants,
    filled_text,
    invalid,
    is_text,
    moving,
    numbers,
    rank_is,
    shape_text,
    stand_in_for,
)
from headrace.ops.array.constant import constant
from headrace.ops.array.fill import ones_like
from headrace.ops.array.join import concat, stack
from headrace.ops.array.shape import rank, reshape, shape
from headrace.ops.array.strides import MASKS, forward_view, index_tuple, out_of_bounds, sliced, sliced_dims
from headrace.ops.ranks import ranked

_builtin_slice = slice

# What `tensor[..., tf.newaxis]` is written with.
newaxis = None

slice_op = op("Slice", "input: T, begin: Index, size: Index, *, Index: index -> output: T").aliases()
slice_op.on_host("begin", "size")


@slice_op.shape
def slice_shape(op):
    dims = op.inputs[0].dims
    vectors = merge_dims(rank_is(op.inputs[1].dims, 1), rank_is(op.inputs[2].dims, 1))
    if dims is not None and vectors is not None and vectors[0] not in (None, len(dims)):
        raise ValueError(f"Shape must be rank {vectors[0]} but is rank {len(dims)}")
    begin, size = op.constant(1), op.constant(2)
    partial = op.constant_dims(2)
    if size is not None and (size < -1).any():
        raise ValueError(f"Invalid value in tensor used for shape: {int(size[size < -1][0])}")
    if dims is None:
        return [partial]
    result: list[int | None] = []
    for i, have in enumerate(dims):
        start = None if begin is None else int(begin[i])
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


def window_of(shape: Any, begin: list[int], size: list[int]) -> tuple[Any, ...]:
    """The index of what Slice takes of a tensor of that shape.

    Raises:
        InvalidArgumentError: if it does not lie in the tensor.
    """
    if len(begin) != len(shape) or len(size) != len(shape):
        raise invalid(
            "Expected begin and size arguments to be 1-D tensors of size "
            f"{len(shape)}, but got shapes [{len(begin)}] and [{len(size)}] instead."
        )
    window = []
    for i, (have, start, count) in enumerate(zip(shape, begin, size)):
        if not 0 <= start <= have:
            raise invalid(f"Expected begin[{i}] in [0, {have}], but got {start}")
        if count == -1:
            count = have - start
        if not 0 <= count <= have - start:
            raise invalid(f"Expected size[{i}] in [0, {have - start}], but got {count}")
        window.append(_builtin_slice(start, start + count))
    return tuple(window)


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

    return lambda x, start, count: boxed(take(x, start, count)) if isinstance(x, np.ndarray) else take(x, start, count)


@slice_op.gradient
def slice_gradient(op, grad):
    x, begin = op.inputs[0], op.inputs[1]
    input_rank = rank(x)
    size = shape(op.outputs[0])
    column = stack([input_rank, 1])
    before = reshape(begin, column)
    after = reshape(raw.Sub(raw.Sub(shape(x), size, name="sub"), begin, name="sub"), column)
    return [raw.Pad(grad, concat([before, after], 1)), None, None]


slice_op.accepts([4, 5], np.array([1, 2], np.int32), np.array([2, -1], np.int32))
slice_op.rejects([4, 5], np.array([3, 2], np.int32), np.array([2, -1], np.int32), error=InvalidArgumentError)

_MASK_ATTRS = "Index: index, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0"

strided_slice_op = op(
    "StridedSlice", f"input: T, begin: Index, end: Index, strides: Index, *, {_MASK_ATTRS} -> output: T"
)
strided_slice_op.aliases().on_host("begin", "end", "strides")


def _static_slice(op: Any, dims: Any, first: int) -> Any:
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


def _bounds(node: Any, first: int) -> Any:
    """The index tuple if it is known while planning, else None."""
    begin, end, strides = (constants(node, i) for i in range(first, first + 3))
    if begin is None or end is None or strides is None:
        return None
    return index_tuple(begin, end, strides, node.attrs)


def _index_at_run(attrs: dict[str, Any], begin: Any, end: Any, strides: Any) -> tuple[Any, ...]:
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


def _masks(op: Any) -> dict[str, int]:
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
)
strided_slice_grad_op.on_host("shape", "begin", "end", "strides")


@strided_slice_grad_op.shape
@ranked(1)
def strided_slice_grad_shape(op):
    return [op.constant_dims(0)]


@strided_slice_grad_op.kernel
def strided_slice_grad_kernel(node):
    dims, index, attrs, device = constants(node, 0), _bounds(node, 1), dict(node.attrs), node.device
    dtype = node.outputs[0].dtype.torch

    def spread(dims, index, dy):
        if isinstance(dy, np.ndarray):
            text = filled_text(dims)
            text[index] = dy
            return text
        out = torch.zeros(dims, dtype=dtype, device=device)
        view, flips = forward_view(out, index)
        if view.shape != dy.shape:
            raise invalid(f"shape of dy was {list(dy.shape)} instead of {list(view.shape)}")
        view.copy_(dy.flip(flips) if flips else dy)
        return out

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


def _put(x: Any, index: tuple[Any, ...], value: Any) -> None:
    """Writes into the memory of a variable."""
    if isinstance(x, np.ndarray):
        x[index] = value
        return
    try:
        view, flips = forward_view(x, index)
    except IndexError:
        raise out_of_bounds(x, index) from None
    stand_in = stand_in_for(x.dtype)
    value = value.view(stand_in)
    if value.shape != view.shape and value.ndim:
        raise UnimplementedError(
            None,
            None,
            f"sliced l-value shape {shape_text(view.shape)} does not match r-value shape {shape_text(value.shape)}. "
            "Automatic broadcasting not yet implemented.",
        )
    view.view(stand_in).copy_(value.flip(flips) if flips else value)


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


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
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
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
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

    def assign(val: Any, name: str | None = None) -> Any:
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


_SLICE_TYPE_ERROR = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid "
    "indices"
)


def _check_index(index: Any) -> None:
    if isinstance(index, (int, Dimension)):
        return
    dtype = getattr(index, "dtype", None)
    if dtype is None or as_dtype(dtype).base_dtype not in (int32, int64) or (index.shape and len(index.shape) == 1):
        raise TypeError(f"{_SLICE_TYPE_ERROR}, got {index!r}")


def slice_helper(tensor: Any, slice_spec: Any, var: Any = None) -> Tensor:
    """What `tensor[slice_spec]` makes.

    Args:
        tensor: a tensor.
        slice_spec: ints, slices, ellipsis, None, scalar int tensors, or a tuple of them; or a boolean mask.
        var: the variable that `tensor` is the value of, to be assigned to.

    Raises:
        TypeError: for an index of another kind.
        ValueError: for an index known to be out of bounds.

    Example:
        >>> tf.zeros([4, 5, 6])[0, ..., ::-2].get_shape()
        TensorShape([Dimension(5), Dimension(3)])
    """
    is_mask = isinstance(slice_spec, (Tensor, np.ndarray)) and as_dtype(slice_spec.dtype).base_dtype is bool_type
    if isinstance(slice_spec, bool) or is_mask:
        from headrace.ops.array.where import boolean_mask

        return boolean_mask(tensor, slice_spec)
    items = slice_spec if isinstance(slice_spec, (list, tuple)) else [slice_spec]
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = dict.fromkeys(MASKS, 0)
    for i, item in enumerate(items):
        bit = 1 << i
        if isinstance(item, _builtin_slice):
            for bound, bounds, mask in ((item.start, begin, "begin_mask"), (item.stop, end, "end_mask")):
                # Python 2 passed the largest int for a bound that was left out.
                if bound is None or (not isinstance(bound, Tensor) and bound == sys.maxsize):
                    bounds.append(0)
                    masks[mask] |= bit
                else:
                    _check_index(bound)
                    bounds.append(bound)
            if item.step is not None:
                _check_index(item.step)
            strides.append(1 if item.step is None else item.step)
        elif item is Ellipsis or item is None:
            begin.append(0)
            end.append(0)
            strides.append(1)
            masks["ellipsis_mask" if item is Ellipsis else "new_axis_mask"] |= bit
        else:
            _check_index(item)
            begin.append(item)
            end.append(raw.AddV2(item, 1, name="add") if isinstance(item, Tensor) else item + 1)
            strides.append(1)
            masks["shrink_axis_mask"] |= bit

    if begin and executing_eagerly() and all(type(bound) is int for bound in (*begin, *end, *strides)):
        # Numbers stay numbers: no tensors need be packed of them.
        return strided_slice(tensor, begin, end, strides, var=var, **masks)  # type: ignore[arg-type]
    with name_scope(None, "strided_slice", [tensor, *begin, *end, *strides]) as scope:
        if begin:
            bounds = [stack(begin), stack(end), stack(strides)]
            if any(part.dtype.base_dtype is int64 for part in bounds):
                bounds = [part if part.dtype.base_dtype is int64 else raw.Cast(part, DstT=int64) for part in bounds]
        else:
            bounds = [constant([], int32)] * 3
        packed_begin, packed_end, packed_strides = bounds
        return strided_slice(tensor, packed_begin, packed_end, packed_strides, var=var, name=scope, **masks)


def slice_helper_var(var: Any, slice_spec: Any) -> Tensor:
    """What `variable[slice_spec]` makes: a slice of its value whose `assign` writes to the variable."""
    return slice_helper(var.value(), slice_spec, var)


Tensor._override_operator("__getitem__", slice_helper)
