"""Masks: the elements one lets through, and those made of lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dims import element_count, merge_dims
from headrace.core.dtypes import as_dtype, int32
from headrace.core.dtypes import bool as bool_type
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims, rank, shape, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.gather import gather
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import where

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


def boolean_mask(
    tensor: TensorLike | np.ndarray, mask: TensorLike, name: str = "boolean_mask", axis: int | None = None
) -> Tensor:
    """The elements or slices of `tensor` where `mask` is true.

    Args:
        tensor: a tensor.
        mask: a bool tensor of known rank k >= 1 whose shape is that of k axes of `tensor`.
        name: a name for the operations.
        axis: the first of those axes; 0 by default.

    Raises:
        ValueError: if the mask is a scalar, of unknown rank, or of another shape.

    Example:
        >>> tf.boolean_mask([0, 1, 2, 3], [True, False, True, False])  # [0, 2]
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        if mask.dims is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is ok, "
                "but shape=None is not."
            )
        count = len(mask.dims)
        if count == 0:
            raise ValueError("mask cannot be scalar.")
        axis = 0 if axis is None else axis
        dims = tensor.dims
        if dims is not None:
            try:
                merge_dims(dims[axis : axis + count], mask.dims)
            except ValueError:
                raise ValueError(
                    f"Shapes {tensor.get_shape()[axis : axis + count]} and {mask.get_shape()} are incompatible"
                ) from None
        leading = raw.Prod(shape(tensor)[axis : axis + count], [0])
        tensor = reshape(tensor, concat([shape(tensor)[:axis], [leading], shape(tensor)[axis + count :]], 0))
        if dims is not None:
            tensor.set_shape((*dims[:axis], element_count(dims[axis : axis + count]), *dims[axis + count :]))
        mask = reshape(mask, [-1])
        indices = squeeze(where(mask), axis=[1])
        return gather(tensor, indices, axis=axis)


def sequence_mask(
    lengths: TensorLike, maxlen: Any = None, dtype: DTypeLike = bool_type, name: str | None = None
) -> Tensor:
    """Rows that are true in their first `lengths[i]` places.

    Args:
        lengths: int tensor of any shape.
        maxlen: int scalar, the length of the rows; the greatest of `lengths` by default.
        dtype: the element type.
        name: a name for the operations.

    Raises:
        ValueError: if `maxlen` is not a scalar.

    Example:
        >>> tf.sequence_mask([1, 3, 2], 4).get_shape()
        TensorShape([Dimension(3), Dimension(4)])
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            if lengths.dims is not None:
                axes: Tensor = constant(np.arange(len(lengths.dims)), int32)
            else:
                axes = raw.Range(0, rank(lengths), 1)
            maxlen = raw.Max(lengths, axes)
            maxlen = raw.Maximum(constant(0, maxlen.dtype), maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.dims:
            raise ValueError("maxlen must be scalar for sequence_mask")
        row = raw.Range(constant(0, maxlen.dtype), maxlen, constant(1, maxlen.dtype))
        column = raw.Cast(expand_dims(lengths, -1), DstT=maxlen.dtype)
        result = raw.Less(row, column)
        if dtype is None or as_dtype(dtype).base_dtype is bool_type:
            return result
        return raw.Cast(result, DstT=as_dtype(dtype))
