"""Rearranging sparse tensors by other ops: keeping some elements, transposing, adding axes, changing the shape."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import int32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.tensor_util import constant_value
from headrace.functions.flow.checks import assert_equal, assert_less_equal
from headrace.functions.math.reduction import reduce_max
from headrace.kernels import composing
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import rank as rank_of
from headrace.kernels.sparse.indices import sparse_input
from headrace.ops.array.where import where, where_v2
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.sparse.reshape import sparse_reorder

if TYPE_CHECKING:
    from headrace.core.typing import AxisLike, TensorLike


def sparse_retain(sp_input: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """Some of the elements.

    Args:
        sp_input: a SparseTensor with n elements.
        to_retain: a bool vector [n].

    Returns:
        a SparseTensor of the same shape with the elements for which `to_retain` is true.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if `to_retain` is no vector of that length.

    Example:
        >>> x = tf.SparseTensor([[0], [2]], [4.0, 5.0], [3])
        >>> tf.Session().run(tf.sparse.retain(x, [False, True])).values
        array([5.], dtype=float32)
    """
    sp_input = sparse_input(sp_input)
    to_retain = convert_to_tensor(to_retain)
    to_retain.shape.assert_has_rank(1)
    if sp_input.values.dims is not None and to_retain.dims is not None:
        sp_input.values.shape[0].merge_with(to_retain.shape[0])
    kept = raw.Reshape(where(to_retain), [-1])
    indices, values = composing.gather(sp_input.indices, kept), composing.gather(sp_input.values, kept)
    return SparseTensor(indices, values, raw.Identity(sp_input.dense_shape))


def sparse_reset_shape(sp_input: SparseTensor, new_shape: TensorLike | None = None) -> SparseTensor:
    """The same elements under a larger shape, or the smallest that holds them.

    Args:
        sp_input: a SparseTensor.
        new_shape: an int vector, no size less than before; None for the smallest box around the elements.

    Raises:
        TypeError: if `sp_input` is not sparse.
        ValueError: if `new_shape` is known to be smaller or of another rank.
        InvalidArgumentError: if that turns out when run.

    Example:
        >>> x = tf.SparseTensor([[0, 1]], [4.0], [3, 3])
        >>> tf.Session().run(tf.sparse.reset_shape(x)).dense_shape
        array([1, 2])
    """
    sp_input = sparse_input(sp_input)
    indices, values = raw.Identity(sp_input.indices), raw.Identity(sp_input.values)
    old = raw.Identity(sp_input.dense_shape)
    if new_shape is None:
        highest = reduce_max(indices, axis=0)
        # Without elements the greatest index is the least number there is.
        zero = convert_to_tensor(0, int64, name="Const")
        return SparseTensor(indices, values, raw.Maximum(zero, raw.Add(highest, composing.ones_like(old))))
    new: Tensor = convert_to_tensor(new_shape)
    new.shape.assert_has_rank(1)
    new = composing.cast(new, int64)
    if new.dims is not None and old.dims is not None:
        new.shape[0].merge_with(old.shape[0])
    known, static = constant_value(new), sp_input.shape
    if known is not None and static.is_fully_defined():
        before = np.array(static.as_list())
        if not np.all(before <= known):
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
                f"({known}), sp_input.shape ({before})."
            )
        return SparseTensor(indices, values, known)
    new = with_dependencies([assert_equal(composing.shape(old), composing.shape(new))], new)
    new = with_dependencies([assert_less_equal(old, new)], new)
    return SparseTensor(indices, values, new)


def sparse_transpose(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with its axes permuted, its elements in the usual order again.

    Args:
        sp_input: a SparseTensor.
        perm: the old axis of each new one; reversed by default.
        name: a name scope.

    Example:
        >>> x = tf.SparseTensor([[0, 1], [0, 2]], [4.0, 5.0], [2, 3])
        >>> tf.Session().run(tf.sparse.transpose(x)).indices
        array([[1, 0],
               [2, 0]])
    """
    with name_scope(name, "SparseTranspose", [sp_input]):
        if perm is None:
            rank = rank_of(sp_input)
            perm = (rank - 1) - composing.range_(0, rank, 1)
        columns = composing.gather(composing.transpose(sp_input.indices), perm)
        indices = composing.transpose(columns)
        known = constant_value(convert_to_tensor(perm))
        static = sp_input.shape
        shape: Tensor | list[int]
        if known is not None and static.ndims is not None and len(known) != static.ndims:
            raise ValueError(f"Dimensions {len(known)} and {static.ndims} are not compatible")
        if known is not None and static.is_fully_defined():
            sizes = static.as_list()
            shape = [sizes[axis] for axis in known]
        else:
            shape = composing.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, shape))


def sparse_expand_dims(sp_input: SparseTensor, axis: AxisLike | None = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with one more axis of size 1.

    Args:
        sp_input: a SparseTensor of known rank.
        axis: where the new axis goes, an int or int32 tensor; last by default. Negative ones count from the end.
        name: a name scope.

    Raises:
        TypeError: if `axis` is neither an int nor a tensor.

    Example:
        >>> x = tf.SparseTensor([[2]], [4.0], [3])
        >>> tf.Session().run(tf.sparse.expand_dims(x, 0)).indices
        array([[0, 2]])
    """
    rank = sp_input.dense_shape.shape[0]
    axis = -1 if axis is None else axis
    with name_scope(name, "expand_dims", [sp_input]):
        if isinstance(axis, numbers.Integral):
            axis = convert_to_tensor(int(axis), int32, name="axis")
        elif not isinstance(axis, Tensor):
            raise TypeError("axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]")
        axis = where_v2(axis >= 0, axis, axis + rank + 1)
        count = composing.shape(sp_input.indices)[0]
        column = zeros([count, 1], dtype=int64)
        before = raw.Slice(sp_input.indices, [0, 0], [-1, axis])
        after = raw.Slice(sp_input.indices, [0, axis], [-1, -1])
        indices = composing.concat([before, column, after], 1)
        sizes_before = raw.Slice(sp_input.dense_shape, [0], [axis])
        sizes_after = raw.Slice(sp_input.dense_shape, [axis], [-1])
        size = convert_to_tensor([1], int64, name="new_shape")
        shape = composing.concat([sizes_before, size, sizes_after], 0)
        return SparseTensor(indices, sp_input.values, shape)
