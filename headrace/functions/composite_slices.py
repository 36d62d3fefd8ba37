"""Dense tensors seen as `IndexedSlices`, so that a list of gradients is of one kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.composite import IndexedSlices
from headrace.core.tensor import Tensor
from headrace.kernels import composing
from headrace.kernels.composing.shapes import shape_internal


def _as_indexed_slices(x: Tensor, optimize: bool = True) -> IndexedSlices:
    """All rows of `x` as slices; slices stay as they are.

    Args:
        x: a `Tensor` or `IndexedSlices`.
        optimize: whether a static shape becomes a constant.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(x, IndexedSlices):
        return x
    if not isinstance(x, Tensor):
        raise TypeError(f"Not a Tensor or IndexedSlices: {type(x)}")
    shape = shape_internal(x, optimize=optimize)
    return IndexedSlices(x, composing.range_(0, shape[0]), shape)


def _as_indexed_slices_list(inputs: Sequence[Any], optimize: bool = True) -> list[IndexedSlices]:
    """Each of `inputs` as slices, with int64 indices all of them if only some are int32.

    Raises:
        TypeError: if it is no list, or an item is neither a `Tensor` nor `IndexedSlices`.
    """
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(f"Expected a list or tuple, not a {type(inputs)}")
    slices = [_as_indexed_slices(item, optimize) for item in inputs]
    narrow = [item.indices.dtype.name == "int32" for item in slices]
    if all(narrow) or not any(narrow):
        return slices
    return [
        IndexedSlices(item.values, composing.cast(item.indices, "int64"), item.dense_shape) if is_narrow else item
        for item, is_narrow in zip(slices, narrow, strict=True)
    ]
