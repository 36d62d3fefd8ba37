"""Parts of sparse tensors: SparseSlice with its gradient, SparseSplit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.core.errors import InternalError, InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels.array.arguments import invalid, numbers, rank_is, shape_text, view_dtype_of
from headrace.kernels.renamed_arguments import first_given
from headrace.kernels.sparse.indices import check_parts, count_of, pick, row_keys, sparse_input, vector, wholly_on_host

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


sparse_slice_op = wholly_on_host(
    op(
        "SparseSlice",
        "indices: int64, values: T, shape: int64, start: int64, size: int64 -> output_indices: int64, output_values: T, "
        "output_shape: int64",
    )
)


@sparse_slice_op.shape
def sparse_slice_shape(op):
    shape = op.inputs[2].dims
    return [(None, count_of(shape)), (None,), shape]


@sparse_slice_op.kernel
def sparse_slice_kernel(node):
    def slice_(indices, values, shape, start, size):
        check_parts(indices, values, shape)
        rank = shape.shape[0]
        for what, given in (("start", start), ("size", size)):
            if given.ndim != 1:
                raise invalid(f"Input {what} should be a vector but received shape {shape_text(given.shape)}")
            if given.shape[0] != rank:
                raise invalid(f"Expected {what} to be a vector of length {rank} but got length {given.shape[0]}")
        kept = ((indices >= start) & (indices < start + size)).all(1).nonzero()[:, 0]
        return (
            indices.index_select(0, kept) - start,
            pick(values, kept),
            torch.minimum(size, shape - start).clamp(min=0),
        )

    return slice_


@sparse_slice_op.gradient
def sparse_slice_gradient(op, _, grad, __):
    result = raw.SparseSliceGrad(grad, op.inputs[0], op.inputs[3], op.outputs[0])
    result.set_shape(op.inputs[1].dims)
    return [None, result, None, None, None]


sparse_slice_op.accepts(
    np.array([[0, 1], [2, 0]]), np.array([1.0, 2.0]), np.array([3, 2]), np.array([1, 0]), np.array([5, 2])
).rejects(
    np.array([[0, 1]]), np.array([1.0]), np.array([3, 2]), np.array([1]), np.array([5, 2]), error=InvalidArgumentError
)

sparse_slice_grad_op = op(
    "SparseSliceGrad",
    "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64, *, T: numeric -> val_grad: T",
)


@sparse_slice_grad_op.shape
def sparse_slice_grad_shape(op):
    return [(rank_is(op.inputs[1].dims, 2)[0],)]


@sparse_slice_grad_op.kernel
def sparse_slice_grad_kernel(node):
    def back(grad, indices, start, kept):
        if indices.ndim != 2 or kept.ndim != 2:
            odd = indices if indices.ndim != 2 else kept
            raise invalid(f"Input indices should be matrices but received shape {shape_text(odd.shape)}")
        if grad.shape != kept.shape[:1]:
            raise invalid(
                f"Expected as many gradients as rows of output_indices: {shape_text(grad.shape)}, {shape_text(kept.shape)}"
            )
        if indices.shape[1] != kept.shape[1] or tuple(start.shape) != (indices.shape[1],):
            raise invalid(
                "The input_indices, output_indices and input_start should have as many columns: "
                f"{indices.shape[1]}, {kept.shape[1]}, {shape_text(start.shape)}"
            )
        here, there = row_keys(indices - start, kept)
        # Slicing keeps the order, so the elements that were kept are the gradients' in turn.
        places = torch.isin(here, there).nonzero()[:, 0]
        if places.shape[0] != grad.shape[0]:
            raise InternalError(
                None,
                None,
                f"Elements of backprop_val_grad aren't all propagated. Num elements:{grad.shape[0]}, used: {places.shape[0]}",
            )
        view_dtype = view_dtype_of(grad.dtype)
        result = torch.zeros(indices.shape[0], dtype=view_dtype, device=grad.device)
        result[places] = grad.view(view_dtype)
        return result.view(grad.dtype)

    return back


sparse_slice_grad_op.accepts(np.array([1], np.uint16), np.array([[0, 1], [2, 0]]), np.array([1, 0]), np.array([[1, 0]]))
sparse_slice_grad_op.accepts(np.array([1.0]), np.array([[0, 1], [2, 0]]), np.array([1, 0]), np.array([[1, 0]]))

sparse_split_op = wholly_on_host(
    op(
        "SparseSplit",
        "split_dim: int64, indices: int64, values: T, shape: int64, *, num_split: int >= 1 -> output_indices: num_split * "
        "int64, output_values: num_split * T, output_shape: num_split * int64",
    )
)


@sparse_split_op.shape
def sparse_split_shape(op):
    count, shape = op.attrs["num_split"], op.inputs[3].dims
    return [(None, count_of(shape))] * count + [(None,)] * count + [shape] * count


@sparse_split_op.kernel
def sparse_split_kernel(node):
    parts = node.attrs["num_split"]

    def split(axis, indices, values, shape):
        check_parts(indices, values, shape)
        sizes = shape.tolist()
        at = numbers(axis)
        if len(at) != 1:
            raise invalid(f"axis should be a scalar: Input split_dim has shape {shape_text(axis.shape)}")
        if at[0] < 0:
            raise invalid(f"num_dim must be in the interval [0, {len(sizes)})")
        if at[0] >= len(sizes):
            raise invalid(f"Input split_dim should be between 0 and rank ({len(sizes)}), got {at[0]}")
        size = sizes[at[0]]
        if not 1 <= parts <= size:
            raise invalid(f"Input num_split should be between 1 and the splitting dimension size ({size}), got {parts}")
        # The first parts are one longer where the size does not divide.
        lengths = [size // parts + (i < size % parts) for i in range(parts)]
        begins = [sum(lengths[:i]) for i in range(parts)]
        along = indices[:, at[0]].contiguous()
        part_of = torch.searchsorted(vector(begins), along, right=True) - 1
        all_indices, all_values, all_shapes = [], [], []
        for i, (begin, length) in enumerate(zip(begins, lengths)):
            kept = (part_of == i).nonzero()[:, 0]
            rows = indices.index_select(0, kept)
            rows[:, at[0]] -= begin
            all_indices.append(rows)
            all_values.append(pick(values, kept))
            all_shapes.append(vector([*sizes[: at[0]], length, *sizes[at[0] + 1 :]]))
        return (*all_indices, *all_values, *all_shapes)

    return split


sparse_split_op.accepts(
    np.int64(0), np.array([[0, 1], [2, 0]]), np.array([1.0, 2.0]), np.array([3, 2]), num_split=2
).rejects(np.int64(3), np.array([[0, 1]]), np.array([1.0]), np.array([3, 2]), num_split=2, error=InvalidArgumentError)


def sparse_slice(sp_input: SparseTensor, start: TensorLike, size: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements within a box.

    Args:
        sp_input: a SparseTensor.
        start: int64 vector: where the box begins.
        size: int64 vector: its sizes; what reaches past the end is left off.
        name: a name for the operation.

    Returns:
        a SparseTensor of the shape of the box.

    Raises:
        TypeError: if `sp_input` is not sparse.
        InvalidArgumentError: when run, if `start` or `size` have another length than the rank.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [1, 2]], [4.0, 5.0], [2, 3])
        >>> tf.Session().run(tf.sparse.slice(x, [1, 1], [1, 2])).indices
        array([[0, 1]])
    """
    sp_input = sparse_input(sp_input)
    start, size = convert_to_tensor(start, int64), convert_to_tensor(size, int64)
    with name_scope(name, "SparseSlice", [sp_input]) as scope:
        parts = raw.SparseSlice(sp_input.indices, sp_input.values, sp_input.dense_shape, start, size, name=scope)
        return SparseTensor(*parts)


class KeywordRequired:
    """The default of an argument that stands where only keywords are taken."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


def sparse_split(
    keyword_required: KeywordRequired = KeywordRequired(),  # noqa: B008  (it has no state)
    sp_input: SparseTensor | None = None,
    num_split: int | None = None,
    axis: int | None = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """A sparse tensor cut along an axis into parts of about equal length.

    Args:
        keyword_required: nothing; all arguments are given by keyword.
        sp_input: a SparseTensor.
        num_split: how many parts; the first ones are longer by one where the size does not divide.
        axis: the axis, an int or int64 scalar, not negative.
        name: a name for the operation.
        split_dim: the older name of `axis`.

    Returns:
        a list of `num_split` SparseTensors.

    Raises:
        ValueError: if an argument is missing or given by position.
        TypeError: if `sp_input` is not sparse.
        InvalidArgumentError: when run, if there are more parts than the axis is long.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [1, 2]], [4.0, 5.0], [2, 3])
        >>> tf.Session().run(tf.sparse.split(sp_input=x, num_split=2, axis=0))[1].indices
        array([[0, 2]])
    """
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    for what, value in (
        ("sp_input", sp_input),
        ("num_split", num_split),
        ("axis", axis if axis is not None else split_dim),
    ):
        if value is None:
            raise ValueError(f"{what} is required")
    axis = first_given("axis", axis, "split_dim", split_dim)
    sp_input = sparse_input(sp_input)
    parts = raw.SparseSplit(
        axis, sp_input.indices, sp_input.values, sp_input.dense_shape, num_split=num_split, name=name
    )
    return [SparseTensor(*each) for each in zip(*parts, strict=True)]
