"""Sparse tensors one after another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.tensor_util import constant_value
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing.arranging import concat
from headrace.kernels.renamed_arguments import first_given
from headrace.kernels.sparse.indices import sparse_input


def sparse_concat(
    axis: int,
    sp_inputs: Sequence[SparseTensor],
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
