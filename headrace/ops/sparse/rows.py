"""An element for every row: SparseFillEmptyRows and its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import boxed, filled_text, invalid, rank_is, shape_text, view_dtype_of
from headrace.kernels.sparse.indices import COMPUTED_AS, count_of, matrix_columns, sorting, sparse_input, wholly_on_host
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.typing import OpView, TensorLike


sparse_fill_empty_rows_op = (
    wholly_on_host(
        op(
            "SparseFillEmptyRows",
            "indices: int64, values: T, dense_shape: int64, default_value: T -> output_indices: int64, output_values: T, "
            "empty_row_indicator: bool, reverse_index_map: int64",
        )
    )
    .aliases()
    .passes_text()
)


@sparse_fill_empty_rows_op.most_elements
def sparse_fill_empty_rows_most(op: OpView, values: Sequence[np.ndarray]) -> int:
    """All there is, and one for each row."""
    return int(values[0].size + values[2].reshape(-1)[:1].sum())


@sparse_fill_empty_rows_op.shape
def sparse_fill_empty_rows_shape(op):
    indices, values, shape, default = (t.dims for t in op.inputs)
    rank_is(default, 0)
    count = merge_dim(rank_is(indices, 2)[0], rank_is(values, 1)[0])
    matrix_columns(indices, shape)
    sizes = op.constant_dims(2)
    return [(None, count_of(shape)), (None,), (sizes[0] if sizes else None,), (count,)]


def _check(
    indices: torch.Tensor, values: np.ndarray | torch.Tensor, shape: torch.Tensor, default: np.ndarray | torch.Tensor
) -> None:
    for what, value, rank, kind in (
        ("dense_shape", shape, 1, "vector"),
        ("indices", indices, 2, "matrix"),
        ("values", values, 1, "vector"),
        ("default_value", default, 0, "scalar"),
    ):
        if value.ndim != rank:
            raise invalid(f"{what} must be a {kind}, saw: {shape_text(value.shape)}")


def _filled(
    values: np.ndarray | torch.Tensor, default: np.ndarray | torch.Tensor, count: int, places: torch.Tensor
) -> np.ndarray | torch.Tensor:
    """`count` elements, `values` at `places` and `default` elsewhere."""
    if isinstance(values, np.ndarray):
        text = filled_text((count,), boxed(default)[()])
        text[places.numpy()] = values
        return text
    view_dtype = view_dtype_of(values.dtype)
    out = torch.empty(count, dtype=view_dtype).copy_(default.view(view_dtype))
    out[places] = values.view(view_dtype)
    return out.view(values.dtype)


@sparse_fill_empty_rows_op.kernel
def sparse_fill_empty_rows_kernel(node):
    def fill(indices, values, shape, default):
        if not isinstance(values, torch.Tensor):
            default = boxed(default)
        _check(indices, values, shape, default)
        rows, count = int(shape[0]), indices.shape[0]
        if rows == 0:
            if count:
                raise invalid(f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {count}")
            return indices, values, torch.zeros(0, dtype=torch.bool), torch.zeros(0, dtype=torch.int64)
        row_of = indices[:, 0].contiguous()
        if count == rows and torch.equal(row_of, torch.arange(rows)):
            # One element for every row, as of most features of a batch.
            return indices, values, torch.zeros(rows, dtype=torch.bool), row_of
        bad = (row_of < 0) | (row_of >= rows)
        if bool(bad.any()):
            first = int(bad.nonzero()[0, 0])
            raise invalid(f"indices({first}, 0) is invalid: {int(row_of[first])} >= {rows}")
        empty = torch.bincount(row_of, minlength=rows) == 0
        order = sorting(row_of)
        if order is None and not bool(empty.any()):
            return indices, values, empty, torch.arange(count)
        # An element moves down by one for each empty row above it.
        above = empty.cumsum(0)
        if order is None:
            places = torch.arange(count) + above[row_of]
        else:
            places = torch.empty_like(order)
            places[order] = torch.arange(count) + above[row_of[order]]
        total = count + int(above[-1])
        full = indices.new_zeros((total, indices.shape[1]))
        full[places] = indices
        free = torch.ones(total, dtype=torch.bool)
        free[places] = False
        full[free, 0] = empty.nonzero()[:, 0]
        return full, _filled(values, default, total, places), empty, places

    return fill if node.inputs[1].dtype.torch is None else directly("fill_empty_rows", fill)


@sparse_fill_empty_rows_op.gradient
def sparse_fill_empty_rows_gradient(op, _, grad, *__):
    of_values, of_default = raw.SparseFillEmptyRowsGrad(op.outputs[3], grad)
    return [None, of_values, None, of_default]


sparse_fill_empty_rows_op.accepts(
    np.array([[0, 1], [2, 0]]), np.array([1.0, 2.0]), np.array([3, 2]), np.float64(0)
).rejects(np.array([[5, 1]]), np.array([1.0]), np.array([3, 2]), np.float64(0), error=InvalidArgumentError)

sparse_fill_empty_rows_grad_op = op(
    "SparseFillEmptyRowsGrad", "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T"
)


@sparse_fill_empty_rows_grad_op.shape
def sparse_fill_empty_rows_grad_shape(op):
    rank_is(op.inputs[1].dims, 1)
    return [rank_is(op.inputs[0].dims, 1), ()]


@sparse_fill_empty_rows_grad_op.kernel
def sparse_fill_empty_rows_grad_kernel(node):
    def back(places, grad):
        for name, value in (("reverse_index_map", places), ("grad_values", grad)):
            if value.ndim != 1:
                raise invalid(f"{name} must be a vector, saw: {shape_text(value.shape)}")
        count = grad.shape[0]
        bad = (places < 0) | (places >= count)
        if bool(bad.any()):
            raise invalid(f"Elements in reverse index must be in [0, {count}) but got {int(places[bad][0])}")
        wider = COMPUTED_AS.get(grad.dtype, grad.dtype)
        computed = grad.to(wider)
        rest = computed.clone().index_fill_(0, places, 0)
        return computed.index_select(0, places).to(grad.dtype), rest.sum(dtype=wider).to(grad.dtype)

    return back


sparse_fill_empty_rows_grad_op.accepts(np.array([0, 2]), np.array([1.0, 2.0, 3.0]))


def sparse_fill_empty_rows(
    sp_input: SparseTensor, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """The elements with `default_value` in the first column of every row that has none.

    Args:
        sp_input: a SparseTensor of shape [n, ...].
        default_value: a scalar of its type.
        name: a name scope.

    Returns:
        the SparseTensor, in row-major order of its rows, and a bool vector [n] that tells which rows were empty.

    Raises:
        TypeError: if `sp_input` is not sparse.

    Example:
        >>> x = tf.SparseTensor([[1, 2]], [5.0], [2, 3])
        >>> tf.Session().run(tf.sparse.fill_empty_rows(x, 0.0)[0]).indices
        array([[0, 0],
               [1, 2]])
    """
    sp_input = sparse_input(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sp_input]):
        default_value = convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        filled = raw.SparseFillEmptyRows(sp_input.indices, sp_input.values, sp_input.dense_shape, default_value)
        indices, values, was_empty, _ = filled
        return SparseTensor(indices, values, sp_input.dense_shape), was_empty
