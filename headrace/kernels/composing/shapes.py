"""Shapes as tensors, and other shapes for the same elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import is_sparse
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import element_count, is_fully_defined
from headrace.core.dtypes import as_dtype, int32, int64
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import DTypeLike, TensorLike


def shape(input: Any, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The shape of a tensor, as a vector of ints.

    A fully known static shape gives a constant.

    Args:
        input: a tensor or SparseTensor.
        name: a name for the operation.
        out_type: int32 or int64.

    Example:
        >>> tf.shape(tf.zeros([2, 3]))  # [2, 3]
    """
    return shape_internal(input, name, True, out_type)


def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: DTypeLike = int32) -> Tensor:
    """`shape`; without `optimize`, an operation even for a fully known static shape."""
    with name_scope(name, "Shape", [input]) as scope:
        if is_sparse(input):
            return raw.Cast(input.dense_shape, DstT=as_dtype(out_type))
        tensor = convert_to_tensor(input)
        if optimize and is_fully_defined(tensor.dims) and _may_be_constant(out_type):
            return convert_to_tensor(list(tensor.dims or ()), out_type, name=scope)
        return raw.Shape(input, out_type=out_type, name=scope)


def _may_be_constant(out_type: DTypeLike) -> bool:
    """Whether a size needs no operation: eagerly only those of types that the operations have."""
    return as_dtype(out_type) in (int32, int64) or not executing_eagerly()


def size(input: TensorLike | CompositeTensor, name: str | None = None, out_type: DTypeLike = int32) -> Tensor:
    """The number of elements of a tensor, as a scalar.

    Args:
        input: a tensor or SparseTensor.
        name: a name for the operation.
        out_type: int32 or int64.
    """
    return size_internal(input, name, True, out_type)


def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: DTypeLike = int32) -> Tensor:
    """`size`; without `optimize`, an operation even where the number is known."""
    with name_scope(name, "Size", [input]) as scope:
        if is_sparse(input):
            return raw.Prod(raw.Cast(input.dense_shape, DstT=as_dtype(out_type)), 0, name=scope)
        tensor = convert_to_tensor(input)
        if optimize:
            count = element_count(tensor.dims)
            if count is None and tensor.dims is not None and 0 in tensor.dims:
                count = 0
            if count is not None:
                return convert_to_tensor(count, out_type, name=scope)
        return raw.Size(input, out_type=out_type, name=scope)


def rank(input: TensorLike | SparseTensor | CompositeTensor | None, name: str | None = None) -> Tensor:
    """The number of axes of a tensor or SparseTensor, as an int32 scalar."""
    return rank_internal(input, name)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """`rank`; without `optimize`, an operation even where the rank is known."""
    with name_scope(name, "Rank", [input]) as scope:
        if is_sparse(input):
            return raw.Size(input.dense_shape, name=scope)
        tensor = convert_to_tensor(input)
        if optimize and tensor.dims is not None:
            return convert_to_tensor(len(tensor.dims), int32, name=scope)
        return raw.Rank(input, name=scope)


def expand_dims(input: Any, axis: TensorLike | None = None, name: str | None = None, dim: int | None = None) -> Tensor:
    """`input` with a new axis of size 1 at position `axis`.

    Args:
        input: a tensor of rank r.
        axis: a scalar in [-r - 1, r].
        name: a name for the operation.
        dim: an older name of `axis`.

    Raises:
        ValueError: if `axis` is missing or out of range.
    """
    axis = first_given("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return raw.ExpandDims(input, axis, name=name)


def squeeze(
    input: TensorLike | CompositeTensor,
    axis: Any = None,
    name: str | None = None,
    squeeze_dims: int | Sequence[int] | None = None,
) -> Tensor:
    """`input` without its axes of size 1, or without those listed.

    Args:
        input: a tensor.
        axis: an int or list of ints; all axes of size 1 by default.
        name: a name for the operation.
        squeeze_dims: an older name of `axis`.

    Raises:
        ValueError: if a listed axis is known to be of another size.
    """
    axis = first_given("axis", axis, "squeeze_dims", squeeze_dims)
    if np.isscalar(axis):
        axis = [axis]
    return raw.Squeeze(input, squeeze_dims=None if axis is None else list(axis), name=name)


def all_axes(value: Tensor) -> Tensor:
    """The numbers of all axes of `value`, as an int32 vector."""
    if value.dims is not None:
        return convert_to_tensor(np.arange(len(value.dims), dtype=np.int32))
    return raw.Range(0, rank(value), 1, name="range")
