"""Splitting tensors: Split and SplitV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.dims import unknown_dims
from headrace.core.registry import op, raw
from headrace.core.shapes import Dimension
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import axis_in, constants, invalid, is_text, numbers, require_scalar, shape_text
from headrace.kernels.composing.arranging import concat, is_axis
from headrace.kernels.native import integers, pieces
from headrace.kernels.renamed_arguments import renamed

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import NodeView, TensorLike


split_op = (
    op("Split", "split_dim: int32, value: T, *, num_split: int >= 1 -> output: num_split * T")
    .never_fails()
    .passes_text()
)
split_op.aliases().on_host("split_dim")


@split_op.equal_sizes
def split_sizes(node: NodeView, sizes: Any) -> None:
    axis, dims = node.constant(0), node.inputs[1].dims
    sizes.all_same(node.outputs)
    if axis is not None and dims:
        sizes.all_same([node.inputs[1], node.outputs[0]], int(axis) % len(dims))


@split_op.shape
def split_shape(op):
    dims, num, axis = op.inputs[1].dims, op.attrs["num_split"], op.constant(0)
    require_scalar(op, 0)
    if dims is None or axis is None:
        return [unknown_dims(None if dims is None else len(dims))] * num
    at = axis_in(int(axis), len(dims), "Dimension size, given by scalar input", "must be in")
    if dims[at] is None:
        return [dims] * num
    if dims[at] % num:
        raise ValueError(
            f"Dimension size must be evenly divisible by {num} but is {dims[at]}\n\tNumber of ways to split should "
            "evenly divide the split dimension"
        )
    return [(*dims[:at], dims[at] // num, *dims[at + 1 :])] * num


def _pieces(x: np.ndarray | torch.Tensor, sizes: list[int], axis: int) -> list[np.ndarray] | tuple[torch.Tensor, ...]:
    if isinstance(x, np.ndarray):
        return np.split(x, np.cumsum(sizes)[:-1], axis)
    return x.split(sizes, axis)


@split_op.kernel
def split_kernel(node):
    num, known, dims = node.attrs["num_split"], constants(node, 0), node.inputs[1].dims
    if known is not None and dims is not None and dims[known[0]] is not None and not is_text(node.inputs[1]):
        axis, size = known[0], dims[known[0]] // num
        if size:
            return lambda _, x: x.split(size, axis)

    def split(axis, x):
        axis = int(axis)
        if not -x.ndim <= axis < x.ndim:
            raise invalid(f"-input rank(-{x.ndim}) <= split_dim < input rank ({x.ndim}), but got {axis}")
        if x.shape[axis] % num:
            raise invalid(
                "Number of ways to split should evenly divide the split dimension, but got split_dim "
                f"{axis} (size = {x.shape[axis]}) and num_split {num}"
            )
        return _pieces(x, [x.shape[axis] // num] * num, axis)

    return split


@split_op.gradient
def split_gradient(op, *grads):
    return [None, concat(list(grads), op.inputs[0])]


split_op.accepts(np.array(0, np.int32), [4, 3], num_split=2).accepts(np.array(-1, np.int32), [4, 3], num_split=1)
split_op.rejects(np.array(0, np.int32), [4, 3], num_split=3, error=ValueError)

split_v_op = (
    op(
        "SplitV",
        "value: T, size_splits: Tlen, split_dim: int32, *, num_split: int >= 1, Tlen: index = int64 -> output: num_split * T",
    )
    .never_fails()
    .passes_text()
)
split_v_op.aliases().on_host("size_splits", "split_dim")


@split_v_op.shape
def split_v_shape(op):
    dims, num, sizes, axis = op.inputs[0].dims, op.attrs["num_split"], op.constant(1), op.constant(2)
    if dims is None or axis is None:
        return [unknown_dims(None if dims is None else len(dims))] * num
    at = axis_in(int(axis), len(dims), "Dimension size, given by scalar input", "must be in")
    if sizes is None:
        return [(*dims[:at], None, *dims[at + 1 :])] * num
    parts: list[Any] = [int(size) for size in sizes]
    if len(parts) != num:
        raise ValueError(f"Length of size_splits should be equal to num_outputs ({num}), got {len(parts)}")
    left = [i for i, size in enumerate(parts) if size == -1]
    if len(left) > 1:
        raise ValueError("size_splits can only have one -1")
    total = sum(size for size in parts if size != -1)
    if left:
        parts[left[0]] = None if dims[at] is None else dims[at] - total
    elif dims[at] is not None and total != dims[at]:
        raise ValueError(f"can't split axis of size {dims[at]} into pieces of size {shape_text(parts)}")
    if dims[at] is not None and any(size < 0 for size in parts):
        raise ValueError(f"can't split axis of size {dims[at]} into pieces of size {shape_text(sizes)}")
    return [(*dims[:at], size, *dims[at + 1 :]) for size in parts]


@split_v_op.kernel
def split_v_kernel(node):
    outputs = node.attrs["num_split"]

    def split(x, sizes, axis):
        axis, parts = int(axis), numbers(sizes)
        if len(parts) != outputs:
            raise invalid(
                "size of the split_tensor must be 1-D and have the same elements as outputs got "
                f"{sizes.ndim} -D and {len(parts)} elements"
            )
        if not -x.ndim <= axis < x.ndim:
            raise invalid(f"-input rank(-{x.ndim}) <= split_dim < input rank ({x.ndim}), but got {axis}")
        have = x.shape[axis]
        if parts.count(-1) > 1:
            raise invalid("There can only be one -1 in the input.")
        if parts.count(-1) == 1:
            parts[parts.index(-1)] = have - sum(parts) - 1
        if sum(parts) != have or any(size < 0 for size in parts):
            raise invalid(
                "Determined shape must either match input shape along split_dim exactly if fully specified, or be less "
                f"than the size of the input along split_dim if not fully specified.  Got: {sum(parts)}"
            )
        return _pieces(x, parts, axis)

    sizes, known, dims = constants(node, 1), constants(node, 2), node.inputs[0].dims
    if sizes is None or known is None or dims is None or dims[known[0]] is None or is_text(node.inputs[0]):
        return split
    axis = known[0]
    if -1 in sizes:
        sizes[sizes.index(-1)] = dims[axis] - sum(sizes) - 1
    return lambda x, *_: x.split(sizes, axis)


@split_v_op.gradient
def split_v_gradient(op, *grads):
    return [concat(list(grads), op.inputs[2]), None, None]


split_v_op.accepts([4, 3], np.array([1, 3], np.int32), np.array(0, np.int32), num_split=2)
split_v_op.accepts([4, 3], np.array([1, -1, 1], np.int32), np.array(-1, np.int32), num_split=3)
split_v_op.rejects([4, 3], np.array([1, 4], np.int32), np.array(0, np.int32), num_split=2, error=ValueError)


@renamed(split_dim="axis", num_split="num_or_size_splits")
def split(
    value: Any, num_or_size_splits: TensorLike, axis: int | TensorLike = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """A tensor split along an axis into equal parts, or into parts of given sizes.

    Before version 1.0 it was `split(split_dim, num_split, value)`; that order and those names are taken too.

    Args:
        value: a tensor.
        num_or_size_splits: how many parts, or an int vector of their sizes, of which one may be -1.
        axis: an int32 scalar.
        num: how many sizes there are, where that is not known.
        name: a name for the operation.

    Raises:
        ValueError: if the axis does not divide, or `num` cannot be inferred.

    Example:
        >>> tf.split(tf.zeros([5, 30]), [4, 15, 11], axis=1)[1].get_shape()
        TensorShape([Dimension(5), Dimension(15)])
    """
    if is_axis(value) and isinstance(num_or_size_splits, int) and not is_axis(axis):
        value, axis = axis, value
    sizes = convert_to_tensor(num_or_size_splits)
    if isinstance(num_or_size_splits, (int, Dimension)):
        return raw.Split(axis, value, num_split=num_or_size_splits, name=name)
    if sizes.dims == ():
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: "
            f"{num_or_size_splits}"
        )
    if num is None:
        num = sizes.dims[0] if sizes.dims else None
        if num is None:
            raise ValueError(f"Cannot infer num from shape {num_or_size_splits}")
    return raw.SplitV(value, sizes, axis, num_split=num, name=name)


# ---- native instructions


@split_op.native
def _split_native(node):
    axis, dims, count = integers(node, 0), node.inputs[1].dims, node.attrs["num_split"]
    if axis is None or not dims or not -len(dims) <= axis[0] < len(dims):
        return None
    at = axis[0] % len(dims)
    size = dims[at]
    return None if size is None or size % count else pieces(at, len(dims), [size // count] * count, 1)


@split_v_op.native
def _split_v_native(node):
    sizes, axis, dims = integers(node, 1), integers(node, 2), node.inputs[0].dims
    if sizes is None or axis is None or not dims or not -len(dims) <= axis[0] < len(dims):
        return None
    at = axis[0] % len(dims)
    if dims[at] is None or any(size < 0 for size in sizes) or sum(sizes) != dims[at]:
        return None
    return pieces(at, len(dims), sizes, 0)
