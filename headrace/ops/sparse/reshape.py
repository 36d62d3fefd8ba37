"""Sparse tensors under another shape or in another order: SparseReshape, SparseReorder."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int64
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor_util import constant_value, constant_value_as_shape
from headrace.kernels import composing
from headrace.kernels.array.arguments import invalid, numbers, rank_is, shape_text
from headrace.kernels.sparse.indices import (
    check_parts,
    flattened,
    pick,
    row_keys,
    sorting,
    sparse_input,
    steps_of,
    vector,
    wholly_on_host,
)
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


sparse_reshape_op = (
    wholly_on_host(
        op(
            "SparseReshape",
            "input_indices: int64, input_shape: int64, new_shape: int64 -> output_indices: int64, output_shape: int64",
        )
    )
    .aliases()
    .gives_no_more()
    .passes_text()
)


@sparse_reshape_op.shape
def sparse_reshape_shape(op):
    indices, old, new = (t.dims for t in op.inputs)
    rank_is(old, 1)
    rows, new = rank_is(indices, 2)[0], rank_is(new, 1)
    return [(rows, new[0]), new]


def _new_sizes(old: list[int], asked: list[int]) -> list[int]:
    """The sizes asked for, the one that is -1 computed."""
    unknown = [i for i, size in enumerate(asked) if size == -1]
    if len(unknown) > 1:
        raise invalid(f"only one output dimension may be -1, not both {unknown[0]} and {unknown[1]}")
    for i, size in enumerate(asked):
        if size < -1:
            raise invalid(f"size {i} must be non-negative, not {size}")
    total = math.prod(old)
    known = math.prod(size for size in asked if size != -1)
    if not unknown:
        if known != total:
            raise invalid(
                f"Input to reshape is a tensor with {total} dense values, but the requested shape has {known}. input_shape="
                f"{shape_text(old)} output_shape={shape_text(asked)}"
            )
        return asked
    if known == 0:
        raise invalid(
            "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are non-zero"
        )
    if total % known:
        raise invalid(
            f"Input to reshape is a SparseTensor with {total} dense values, but the requested shape requires a multiple of "
            f"{known}. input_shape={shape_text(old)} output_shape={shape_text([abs(size) for size in asked])}"
        )
    return [total // known if size == -1 else size for size in asked]


@sparse_reshape_op.kernel
def sparse_reshape_kernel(node):
    def reshape(indices, shape, new_shape):
        if indices.ndim != 2:
            raise invalid(f"Input indices should be a matrix but received shape {shape_text(indices.shape)}")
        old, asked = shape.tolist(), numbers(new_shape)
        if indices.shape[1] != len(old):
            raise invalid(f"Input shape has {len(old)} sizes, but index vectors have {indices.shape[1]}.")
        new = _new_sizes(old, asked)
        if new == old:
            return indices, shape
        if not new or not indices.shape[0]:
            return indices.new_zeros((indices.shape[0], len(new))), vector(new)
        flat = flattened(indices, old) if old else indices.new_zeros(indices.shape[0])
        steps, sizes = vector(steps_of(new)), vector(new)
        places = flat[:, None] // steps
        # The first axis needs no remainder, and an index that was out of bounds shows there.
        places[:, 1:] %= sizes[1:]
        return places, sizes

    return directly("sparse_reshape", reshape)


sparse_reshape_op.accepts(np.array([[0, 1], [2, 3]]), np.array([3, 4]), np.array([2, -1]))
sparse_reshape_op.rejects(np.array([[0, 1]]), np.array([3, 4]), np.array([5, -1]), error=InvalidArgumentError)

sparse_reorder_op = (
    wholly_on_host(
        op(
            "SparseReorder",
            "input_indices: int64, input_values: T, input_shape: int64 -> output_indices: int64, output_values: T",
        )
    )
    .aliases()
    .passes_text()
)


@sparse_reorder_op.shape
def sparse_reorder_shape(op):
    rank_is(op.inputs[2].dims, 1)
    return [rank_is(op.inputs[0].dims, 2), rank_is(op.inputs[1].dims, 1)]


@sparse_reorder_op.kernel
def sparse_reorder_kernel(node):
    def reorder(indices, values, shape):
        check_parts(indices, values, shape)
        order = sorting(row_keys(indices)[0])
        return (indices, values) if order is None else (indices.index_select(0, order), pick(values, order))

    return reorder


@sparse_reorder_op.gradient
def sparse_reorder_gradient(op, _, grad):
    """The places of the elements are sorted along with them, which tells where each gradient belongs."""
    indices, _, shape = op.inputs
    places = composing.range_(composing.shape(indices)[0])
    ordered = sparse_reorder(SparseTensor(indices, places, shape))
    back = raw.InvertPermutation(ordered.values)
    return [None, composing.gather(grad, back), None]


sparse_reorder_op.accepts(np.array([[1, 0], [0, 1]]), np.array([1.0, 2.0]), np.array([2, 2]))


def sparse_reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The elements in the usual order, that of increasing row-major position.

    Args:
        sp_input: a SparseTensor.
        name: a name for the operation.

    Returns:
        a SparseTensor of the same shape.

    Raises:
        TypeError: if `sp_input` is not sparse.

    Example:
        >>> x = tf.SparseTensor([[1, 0], [0, 2]], [4.0, 5.0], [2, 3])
        >>> tf.Session().run(tf.sparse.reorder(x)).values
        array([5., 4.], dtype=float32)
    """
    sp_input = sparse_input(sp_input)
    indices, values = raw.SparseReorder(sp_input.indices, sp_input.values, sp_input.dense_shape, name=name)
    static = sp_input.shape
    shape: Any = static.as_list() if static.is_fully_defined() else raw.Identity(sp_input.dense_shape)
    return SparseTensor(indices, values, shape)


def sparse_reshape(sp_input: SparseTensor, shape: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements under another shape, in the same row-major positions.

    Args:
        sp_input: a SparseTensor.
        shape: an int vector; one size may be -1, which is then computed.
        name: a name for the operation.

    Returns:
        a SparseTensor of the new shape.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if both shapes are known and differ in the number of elements.
        InvalidArgumentError: if they turn out to differ when run.

    Example:
        >>> x = tf.SparseTensor([[1, 2]], [5.0], [2, 3])
        >>> tf.Session().run(tf.sparse.reshape(x, [3, -1])).indices
        array([[2, 1]])
    """
    sp_input = sparse_input(sp_input)
    shape = composing.cast(shape, int64)
    with name_scope(name, "SparseReshape", [sp_input]) as scope:
        indices, reshaped = raw.SparseReshape(sp_input.indices, sp_input.dense_shape, shape, name=scope)
        sizes = constant_value_as_shape(shape).as_dims
        static = sp_input.shape
        if sizes is not None and static.is_fully_defined():
            known = _static_sizes([int(size) for size in static], sizes, constant_value(shape))
            if known is not None:
                reshaped = convert_to_tensor(np.array(known, np.int64), name="Const")
        return SparseTensor(indices, raw.Identity(sp_input.values), reshaped)


def _static_sizes(old: list[int], sizes: tuple[int | None, ...], given: np.ndarray | None) -> list[int] | None:
    """The new sizes where at most one is left to be computed, else None."""
    if given is not None and int((given == -1).sum()) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {given}")
    if sizes.count(None) > 1:
        return None
    total = math.prod(old)
    rest = math.prod(size for size in sizes if size is not None)
    known = [(total // rest if rest else 0) if size is None else size for size in sizes]
    if math.prod(known) != total:
        raise ValueError(
            f"Cannot reshape a tensor with {total} elements to shape {list(sizes)} ({math.prod(known)} elements)."
        )
    return known
