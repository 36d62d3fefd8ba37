"""Sparse tensors one after another: SparseConcat."""

from __future__ import annotations

import numpy as np

from headrace.core.dims import merge_dim, merge_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op
from headrace.kernels.array.arguments import invalid, rank_is
from headrace.kernels.sparse.indices import check_parts, joined, pick, row_keys, sorting, vector, wholly_on_host

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
    dense_shape = list(shapes[0])
    dense_shape[axis] = sum(sizes[axis] for sizes in shapes)
    return dense_shape, axis


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
