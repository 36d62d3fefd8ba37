"""Reductions of sparse tensors: SparseReduceSum and SparseReduceMax, with dense and with sparse results."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, numbers, shape_text
from headrace.kernels.renamed_arguments import first_given
from headrace.kernels.sparse.indices import (
    COMPUTED_AS,
    check_parts,
    check_within,
    flattened,
    row_keys,
    vector,
    wholly_on_host,
)

_INPUTS = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32, *, keep_dims=False, "
_PARTS = (np.array([[0, 1], [0, 0]]), np.array([1.0, 2.0]), np.array([2, 3]))


def _kept(rank: int, axes: Sequence[int]) -> list[int]:
    """The axes that are not reduced."""
    for axis in axes:
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
    reduced = {axis % rank for axis in axes}
    return [axis for axis in range(rank) if axis not in reduced]


def _reduced_sizes(sizes: Sequence[int], kept: Sequence[int], keep_dims: bool) -> list[int]:
    if keep_dims:
        return [size if axis in kept else 1 for axis, size in enumerate(sizes)]
    return [sizes[axis] for axis in kept]


def _checked_axes(axes: torch.Tensor) -> list[int]:
    if axes.ndim > 1:
        raise invalid(f"Expected reduction_axes to be a scalar or a vector; got shape: {shape_text(axes.shape)}")
    return numbers(axes)


def _collected(kind: str, values: torch.Tensor, group: torch.Tensor, count: int) -> torch.Tensor:
    """The sums or maxima of `count` groups; 0 for one that has no elements."""
    dtype = values.dtype
    wider = COMPUTED_AS.get(dtype, dtype)
    out = torch.zeros(count, dtype=wider, device=values.device)
    if kind == "Sum":
        return out.index_add_(0, group, values.to(wider)).to(dtype)
    return out.scatter_reduce_(0, group, values.to(wider), "amax", include_self=False).to(dtype)


def _declare_dense(op_type: str, kind: str, types: str) -> OpDecl:
    decl = op(op_type, f"{_INPUTS}T: {types} -> output: T").on_host("input_shape", "reduction_axes")

    @decl.shape
    def shape(op):
        sizes, axes = op.constant(2), op.constant(3)
        if sizes is None or axes is None or sizes.ndim != 1:
            return [None]
        rank = len(sizes)
        reduced = {(int(axis) + rank) % rank for axis in np.ravel(axes)} if rank else set()
        kept = [axis for axis in range(rank) if axis not in reduced]
        return [tuple(_reduced_sizes([int(size) for size in sizes], kept, op.attrs["keep_dims"]))]

    @decl.kernel
    def kernel(node):
        keep_dims = node.attrs["keep_dims"]

        def reduce(indices, values, shape, axes):
            check_parts(indices, values, shape)
            sizes = shape.tolist()
            kept = _kept(len(sizes), _checked_axes(axes))
            check_within(indices, sizes)
            left = [sizes[axis] for axis in kept]
            if left:
                group = flattened(indices if len(kept) == len(sizes) else indices[:, kept], left)
            else:
                group = indices.new_zeros(indices.shape[0])
            total = _collected(kind, values, group, math.prod(left))
            return total.reshape(_reduced_sizes(sizes, kept, keep_dims))

        return reduce

    return decl.accepts(*_PARTS, np.array([1], np.int32)).rejects(
        *_PARTS, np.array([2], np.int32), error=InvalidArgumentError
    )


def _declare_sparse(op_type: str, kind: str, types: str) -> OpDecl:
    decl = wholly_on_host(
        op(op_type, f"{_INPUTS}T: {types} -> output_indices: int64, output_values: T, output_shape: int64")
    )

    @decl.shape
    def shape(op):
        return [None, None, None]

    @decl.kernel
    def kernel(node):
        keep_dims = node.attrs["keep_dims"]

        def reduce(indices, values, shape, axes):
            check_parts(indices, values, shape)
            sizes = shape.tolist()
            kept = _kept(len(sizes), _checked_axes(axes))
            rows = indices[:, kept]
            keys, group = torch.unique(row_keys(rows)[0], return_inverse=True)
            places = rows.new_zeros((keys.shape[0], len(sizes) if keep_dims else len(kept)))
            if kept:
                # Rows of one group are equal where they are written.
                places[group[:, None], vector(kept if keep_dims else range(len(kept)))] = rows
            total = _collected(kind, values, group, keys.shape[0])
            return places, total, vector(_reduced_sizes(sizes, kept, keep_dims))

        return reduce

    return decl.accepts(*_PARTS, np.array([1], np.int32)).rejects(
        *_PARTS, np.array([2], np.int32), error=InvalidArgumentError
    )


sparse_reduce_sum_op = _declare_dense("SparseReduceSum", "Sum", "numeric")
sparse_reduce_max_op = _declare_dense("SparseReduceMax", "Max", "realnumeric")
sparse_reduce_sum_sparse_op = _declare_sparse("SparseReduceSumSparse", "Sum", "numeric")
sparse_reduce_max_sparse_op = _declare_sparse("SparseReduceMaxSparse", "Max", "realnumeric")


@sparse_reduce_sum_op.gradient
def sparse_reduce_sum_gradient(op, grad):
    indices, _, shape, axes = op.inputs
    kept = _kept_shape(shape, axes)
    grad = raw.Reshape(grad, kept)
    scale = shape // composing.cast(kept, int64)
    return [None, raw.GatherNd(grad, indices // scale), None, None]


def _kept_shape(shape: Tensor, axes: Tensor) -> Tensor:
    """The shape with size 1 for the reduced axes."""
    sizes, axes = composing.cast(shape, "int32"), composing.cast(axes, "int32")
    rank = composing.size(sizes)
    axes = (axes + rank) % rank
    axes_shape = composing.shape(axes)
    return raw.DynamicStitch([composing.range_(rank), axes], [sizes, raw.Fill(axes_shape, 1)])


def _axes(sp_input: SparseTensor, axis: int | Sequence[int] | None, reduction_axes: Any) -> Any:
    """The axes that are asked for, or all."""
    if reduction_axes is not None:
        if axis is not None:
            raise ValueError("Can't specify both axis' and 'reduction_indices'.")
        axis = reduction_axes
    if axis is not None:
        return axis
    static, count = sp_input.shape.as_dims, sp_input.dense_shape.dims
    rank = len(static) if static is not None else count[0] if count is not None else None
    if rank is not None:
        return convert_to_tensor(np.arange(rank), "int32", name="Const")
    with_rank = raw.Size(sp_input.dense_shape, name="Rank")
    return composing.range_(0, with_rank)


_DOCUMENTATION = """The {word} of the stored elements over axes, as a {kind} tensor.

    Args:
        sp_input: a SparseTensor of numbers.
        axis: an int, a list of ints or an int32 tensor; None for all axes. Negative ones count from the end.
        keepdims: keep the reduced axes with size 1.
        reduction_axes, keep_dims: the older names of `axis` and `keepdims`.

    Returns:
        {returns}

    Raises:
        ValueError: if an argument is given under both names.
        InvalidArgumentError: when run, if an axis is out of range.

    Example:
        >>> x = tf.SparseTensor([[0, 0], [0, 2]], [1.0, 4.0], [2, 3])
        >>> tf.Session().run(tf.sparse.{name}(x, 1)){example}
    """


def _reduction(apply: OpDecl, name: str, word: str, example: str) -> Callable[..., Tensor]:
    def reduce(
        sp_input: SparseTensor,
        axis: int | Sequence[int] | None = None,
        keepdims: int | str | Sequence[Any] | None = None,
        reduction_axes: Any = None,
        keep_dims: Any = None,
    ) -> Tensor:
        keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims)
        axes = _axes(sp_input, axis, reduction_axes)
        return apply(
            sp_input.indices,
            sp_input.values,
            sp_input.dense_shape,
            axes,
            keep_dims=False if keepdims is None else keepdims,
        )

    reduce.__name__ = reduce.__qualname__ = f"sparse_{name}"
    reduce.__doc__ = _DOCUMENTATION.format(
        word=word,
        kind="dense",
        returns="a dense tensor; 0 where no elements are stored.",
        name=name,
        example=f"\n        array([{example}, 0.], dtype=float32)",
    )
    return reduce


def _sparse_reduction(apply: OpDecl, name: str, word: str, example: str) -> Callable[..., SparseTensor]:
    def reduce(
        sp_input: SparseTensor,
        axis: int | None = None,
        keepdims: bool | None = None,
        reduction_axes: Any = None,
        keep_dims: Any = None,
    ) -> SparseTensor:
        keepdims = first_given("keepdims", keepdims, "keep_dims", keep_dims)
        axes = _axes(sp_input, axis, reduction_axes)
        return SparseTensor(
            *apply(
                sp_input.indices,
                sp_input.values,
                sp_input.dense_shape,
                axes,
                keep_dims=False if keepdims is None else keepdims,
            )
        )

    reduce.__name__ = reduce.__qualname__ = f"sparse_{name}"
    reduce.__doc__ = _DOCUMENTATION.format(
        word=word,
        kind="sparse",
        returns="a SparseTensor, of the places for which elements are stored.",
        name=name,
        example=f".values\n        array([{example}], dtype=float32)",
    )
    return reduce


sparse_reduce_sum = _reduction(sparse_reduce_sum_op, "reduce_sum", "sum", "5.")
sparse_reduce_max = _reduction(sparse_reduce_max_op, "reduce_max", "greatest", "4.")
sparse_reduce_sum_sparse = _sparse_reduction(sparse_reduce_sum_sparse_op, "reduce_sum_sparse", "sum", "5.")
sparse_reduce_max_sparse = _sparse_reduction(sparse_reduce_max_sparse_op, "reduce_max_sparse", "greatest", "4.")


def _either(dense: Callable[..., Tensor], sparse: Callable[..., SparseTensor]) -> Callable[..., Tensor | SparseTensor]:
    def reduce(
        sp_input: SparseTensor,
        axis: int | None = None,
        keepdims: bool | None = None,
        output_is_sparse: bool = False,
        name: str | None = None,
    ) -> Tensor | SparseTensor:
        with name_scope(name) if name else contextlib.nullcontext():
            return (sparse if output_is_sparse else dense)(sp_input, axis, keepdims)

    reduce.__name__ = reduce.__qualname__ = f"{dense.__name__}_v2"
    reduce.__doc__ = f"""As `{dense.__name__}`, or, if `output_is_sparse`, as `{sparse.__name__}`."""
    return reduce


sparse_reduce_sum_v2 = _either(sparse_reduce_sum, sparse_reduce_sum_sparse)
sparse_reduce_max_v2 = _either(sparse_reduce_max, sparse_reduce_max_sparse)
