"""1.x's `list_ops`: functions over the TensorList ops, whose lists are values of the graph.

An element shape may be given as anything that describes a shape, partly unknown ones too; None is any shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int32, int64
from headrace.core.registry import raw
from headrace.core.shapes import as_dims
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, ShapeLike, TensorLike


def _element_shape(shape: ShapeLike | None) -> Any:
    """A shape as the ops take it: sizes with -1 for unknown ones, or -1 for any shape."""
    if isinstance(shape, Tensor):
        return shape
    if isinstance(shape, (list, tuple)) and any(isinstance(size, Tensor) for size in shape):
        return [-1 if size is None else size for size in shape]
    if isinstance(shape, (list, tuple)):
        shape = [None if type(size) is int and size == -1 else size for size in shape]
    elif type(shape) is int and shape == -1:
        shape = None
    dims = as_dims(shape)
    if dims is None:
        return -1
    return [-1 if size is None else size for size in dims] if dims else convert_to_tensor([], int32)


def empty_tensor_list(
    element_shape: ShapeLike,
    element_dtype: DTypeLike,
    max_num_elements: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A list without elements.

    Args:
        element_shape: the shape its elements have.
        element_dtype: their type.
        max_num_elements: how many it may come to hold; None for any number.
        name: a name for the operation.

    Returns:
        a variant scalar.

    Example:
        >>> items = empty_tensor_list([], tf.float32)
    """
    most = -1 if max_num_elements is None else max_num_elements
    return raw.EmptyTensorList(_element_shape(element_shape), most, element_dtype=element_dtype, name=name)


def tensor_list_reserve(
    element_shape: ShapeLike | None, num_elements: TensorLike, element_dtype: DTypeLike, name: str | None = None
) -> Tensor:
    """A list of `num_elements` elements that are still to be set."""
    return raw.TensorListReserve(_element_shape(element_shape), num_elements, element_dtype=element_dtype, name=name)


def tensor_list_from_tensor(tensor: TensorLike, element_shape: ShapeLike, name: str | None = None) -> Tensor:
    """The list of a tensor's slices along its first axis."""
    return raw.TensorListFromTensor(tensor, _element_shape(element_shape), name=name)


def tensor_list_get_item(
    input_handle: TensorLike,
    index: TensorLike,
    element_dtype: DTypeLike,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The element at an index."""
    shape = _element_shape(element_shape)
    return raw.TensorListGetItem(input_handle, index, shape, element_dtype=element_dtype, name=name)


def tensor_list_pop_back(input_handle: TensorLike, element_dtype: DTypeLike, name: str | None = None) -> Any:
    """The list without its last element, and that element."""
    return raw.TensorListPopBack(input_handle, _element_shape(None), element_dtype=element_dtype, name=name)


def tensor_list_gather(
    input_handle: TensorLike,
    indices: TensorLike,
    element_dtype: DTypeLike,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The elements at a vector of indices, stacked."""
    shape = _element_shape(element_shape)
    return raw.TensorListGather(input_handle, indices, shape, element_dtype=element_dtype, name=name)


def tensor_list_scatter(
    tensor: TensorLike,
    indices: TensorLike,
    element_shape: ShapeLike | None = None,
    input_handle: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A list that has the slices of `tensor` at `indices`: a new one, or that of `input_handle` with them set."""
    if input_handle is not None:
        return raw.TensorListScatterIntoExistingList(input_handle, tensor, indices, name=name)
    return raw.TensorListScatterV2(tensor, indices, _element_shape(element_shape), -1, name=name)


def tensor_list_stack(
    input_handle: TensorLike,
    element_dtype: DTypeLike,
    num_elements: int = -1,
    element_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """All elements as the slices of one tensor; their number is checked where it is given."""
    shape = _element_shape(element_shape)
    return raw.TensorListStack(input_handle, shape, element_dtype=element_dtype, num_elements=num_elements, name=name)


def tensor_list_concat(
    input_handle: TensorLike, element_dtype: DTypeLike, element_shape: Any = None, name: str | None = None
) -> Tensor:
    """All elements joined along their first axis."""
    shape, leading = _element_shape(element_shape), convert_to_tensor([], int64)
    return raw.TensorListConcatV2(input_handle, shape, leading, element_dtype=element_dtype, name=name)[0]


def tensor_list_split(
    tensor: TensorLike, element_shape: ShapeLike, lengths: TensorLike, name: str | None = None
) -> Tensor:
    """The list of a tensor's parts along its first axis, of the given lengths."""
    return raw.TensorListSplit(tensor, _element_shape(element_shape), lengths, name=name)


def tensor_list_set_item(
    input_handle: TensorLike,
    index: TensorLike,
    item: TensorLike,
    resize_if_index_out_of_bounds: bool = False,
    name: str | None = None,
) -> Tensor:
    """The list with `item` at an index; it grows to hold it if so asked."""
    if resize_if_index_out_of_bounds:
        place, source = convert_to_tensor(index, int32), input_handle
        inside = raw.Less(place, raw.TensorListLength(source))
        input_handle = cond(inside, lambda: source, lambda: raw.TensorListResize(source, raw.AddV2(place, 1)))
    return raw.TensorListSetItem(input_handle, index, item, name=name)
