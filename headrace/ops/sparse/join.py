"""Sparse tensors one after another: SparseConcat."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.shapes import merge_dim, merge_dims
from headrace.core.tensor_util import constant_value
from headrace.ops.array.common import invalid, rank_is
from headrace.ops.array.join import concat
from headrace.ops.composing import first_given
from headrace.ops.math.reduction import reduce_max
from headrace.ops.sparse.common import (
    check_parts,
    joined,
    pick,
    row_keys,
    sorting,
    sparse_input,
    vector,
    wholly_on_host,
)

sparse_concat_op = wholly_on_host(
    op(
        "SparseConcat",
        "indices: N * int64, values: N * T, shapes: N * int64, *, concat_dim: int, N: int >= 2 -> output_indices: int64, "
        "output_values: T, output_shape: int64",
    )
)
sparse_concat_op.not_differentiable()


@sparse_concat_op.shape
def sparse_concat_shape(op):
    count = op.attrs["N"]
    rows: int | None = 0
    columns, shape = None, None
    for i in range(count):
        indices, values, sizes = (op.inputs[i + k * count].dims for k in range(3))
        indices = rank_is(indices, 2)
        own = merge_dim(indices[0], rank_is(values, 1)[0])
        rows = None if rows is None or own is None else rows + own
        columns = merge_dim(columns, indices[1])
        shape = merge_dims(shape, rank_is(sizes, 1))
    return [(rows, columns), (rows,), shape]


def _joined_sizes(shapes: list[list[int]], axis: int) -> tuple[list[int], int]:
    """The sizes of the whole, and the axis counted from the front."""
    rank = len(shapes[0])
    for i, sizes in enumerate(shapes):
        if len(sizes) != rank:
            raise invalid(
                f"Ranks of all input tensors must match: expected {rank} but got {len(sizes)} at position {i}"
            )
    if not -rank <= axis < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")
    axis %= rank
    for i, sizes in enumerate(shapes):
        for j, (expected, got) in enumerate(zip(shapes[0], sizes)):
            if j != axis and expected != got:
                raise invalid(
                    f"Input shapes must match: expected {expected} for dimension {j} but got {got} at position {i}"
                )
    whole = list(shapes[0])
    whole[axis] = sum(sizes[axis] for sizes in shapes)
    return whole, axis


@sparse_concat_op.kernel
def sparse_concat_kernel(node):
    count, asked = node.attrs["N"], node.attrs["concat_dim"]

    def concatenated(*parts):
        groups = list(zip(parts[:count], parts[count : 2 * count], parts[2 * count :]))
        for group in groups:
            check_parts(*group)
        shapes = [shape.tolist() for _, _, shape in groups]
        sizes, axis = _joined_sizes(shapes, asked)
        moved, begin = [], 0
        for (rows, _, _), own in zip(groups, shapes):
            offset = [0] * len(sizes)
            offset[axis] = begin
            moved.append(rows + vector(offset))
            begin += own[axis]
        indices, values = joined(moved), joined([values for _, values, _ in groups])
        order = sorting(row_keys(indices)[0])
        if order is not None:
            indices, values = indices.index_select(0, order), pick(values, order)
        return indices, values, vector(sizes)

    return concatenated


_PAIR = ([np.array([[0, 1]])] * 2, [np.array([1.0])] * 2, [np.array([1, 2])] * 2)
sparse_concat_op.accepts(*_PAIR, concat_dim=1).rejects(*_PAIR, concat_dim=2, error=InvalidArgumentError)


def sparse_concat(
    axis: Any,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Sparse tensors one after another along an axis.

    Args:
        axis: the axis, an int; negative ones count from the end.
        sp_inputs: a list or tuple of SparseTensors of one type and rank.
        name: a name for the operation.
        expand_nonconcat_dim: whether the other axes may differ in size; each then has the greatest.
        concat_dim: the older name of `axis`.
        expand_nonconcat_dims: the newer name of `expand_nonconcat_dim`.

    Returns:
        a SparseTensor whose elements are in the usual order.

    Raises:
        TypeError: if `sp_inputs` is not a list of sparse tensors.
        InvalidArgumentError: when run, if the other axes differ in size and are not expanded.

    Example:
        >>> x = tf.SparseTensor([[0, 1]], [4.0], [1, 2])
        >>> tf.Session().run(tf.sparse.concat(0, [x, x])).indices
        array([[0, 1],
               [1, 1]])
    """
    if expand_nonconcat_dims is not None:
        expand_nonconcat_dim = expand_nonconcat_dims
    axis = first_given("axis", axis, "concat_dim", concat_dim)
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError("Inputs must be a list or tuple.")
    inputs = [sparse_input(item) for item in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [item.dense_shape for item in inputs]
    if expand_nonconcat_dim:
        shapes = _expanded(shapes, axis)
    indices, values, shape = raw.SparseConcat(
        [item.indices for item in inputs], [item.values for item in inputs], shapes, concat_dim=axis, name=name
    )
    known = [constant_value(item) for item in shapes]
    if all(item is not None for item in known):
        static = known[0].copy()
        static[axis] = sum(item[axis] for item in known)
        shape = convert_to_tensor(static)
    return SparseTensor(indices, values, shape)


def _expanded(shapes: list[Any], axis: int) -> list[Any]:
    """The shapes with the greatest size of each axis but `axis`."""
    greatest = reduce_max(concat([raw.Reshape(shape, [1, -1]) for shape in shapes], 0), 0)
    result = []
    for shape in shapes:
        own = shape[-1:] if axis == -1 else shape[axis : axis + 1]
        result.append(concat([greatest[:axis], own, [] if axis == -1 else greatest[axis + 1 :]], 0))
    return result
