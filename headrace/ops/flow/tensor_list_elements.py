"""TensorList ops on single elements and on the length; `tensor_list_conversion` has those on whole lists, `tensor_list_arrays`
those on arrays of lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from headrace.core import errors
from headrace.core.cases import made, result
from headrace.core.dims import merge_dims
from headrace.core.dtypes import DType, dtype_text
from headrace.core.registry import op, raw
from headrace.kernels.flow.persistent_list import PersistentList
from headrace.kernels.flow.tensor_list import GAP, TensorList, dims_of, refusal
from headrace.kernels.flow.tensor_list_shapes import check_list, element_dims, handle_again, handle_of, list_dims

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


# ---- making ----

empty_op = op(
    "EmptyTensorList",
    "element_shape: shape_type, max_num_elements: int32, *, element_dtype: type, shape_type: index -> handle: variant",
).on_host("element_shape", "max_num_elements")
reserve_op = op(
    "TensorListReserve",
    "element_shape: shape_type, num_elements: int32, *, element_dtype: type, shape_type: index -> handle: variant",
).on_host("element_shape", "num_elements")
empty_op.shape(handle_of(0))
reserve_op.shape(handle_of(0))


@empty_op.kernel
def empty_kernel(node):
    dtype = node.attrs["element_dtype"]

    def make(shape, limit):
        return TensorList(dtype, dims_of(shape), PersistentList([]), int(limit))

    return make


@reserve_op.kernel
def reserve_kernel(node):
    dtype = node.attrs["element_dtype"]

    def make(shape, count):
        if int(count) < 0:
            raise refusal(f"The num_elements to reserve must be a non negative number, but got {int(count)}")
        return TensorList(dtype, dims_of(shape), PersistentList([None] * int(count)))

    return make


# ---- the end of the list ----

push_op = op("TensorListPushBack", "input_handle: variant, tensor: element_dtype -> output_handle: variant")
push_op.keeps("tensor").aliases()
pop_op = op(
    "TensorListPopBack",
    "input_handle: variant, element_shape: int32, *, element_dtype: type -> output_handle: variant, tensor: element_dtype",
)
pop_op.on_host("element_shape").aliases()


@push_op.shape
def push_shape(op):
    check_list(op, op.inputs[1].dtype.base_dtype)
    return [()]


@push_op.kernel
def push_kernel(node):
    dtype = node.inputs[1].dtype.base_dtype

    def push(source, tensor):
        tensor = source.of(dtype).checked(tensor, True)
        if source.limit >= 0 and len(source) >= source.limit:
            raise refusal(
                f"Tried to push item into a full list list size: {len(source)} max_num_elements: {source.limit}"
            )
        return source.with_values(source.values.pushed(tensor))

    return push


@pop_op.shape
def pop_shape(op):
    return [(), element_dims(op, 1)]


@pop_op.kernel
def pop_kernel(node):
    dtype = node.attrs["element_dtype"]

    def pop(source, shape):
        if not len(source.of(dtype)):
            raise refusal("Trying to pop from an empty list.")
        values, value = source.values.popped()
        if value is None:
            value = source.zeros(dims_of(shape))
        return source.with_values(values), value

    return pop


@push_op.gradient
def push_gradient(op, grad):
    tensor = op.inputs[1]
    return list(raw.TensorListPopBack(grad, raw.Shape(tensor), element_dtype=tensor.dtype.base_dtype))


@pop_op.gradient
def pop_gradient(op, grad_list, grad_element):
    dtype = op.attrs["element_dtype"]
    if grad_list is None:
        # Zeros: a list of as many elements.
        grad_list = _reserved_like(op.outputs[0], dtype)
    if grad_element is None:
        grad_element = raw.ZerosLike(op.outputs[1])
    return [raw.TensorListPushBack(grad_list, grad_element), None]


# ---- elements by place ----

get_op = op(
    "TensorListGetItem",
    "input_handle: variant, index: int32, element_shape: int32, *, element_dtype: type -> item: element_dtype",
)
get_op.on_host("index", "element_shape").aliases()
set_op = op("TensorListSetItem", "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant")
set_op.on_host("index").keeps("item").aliases()


@get_op.shape
def get_shape(op):
    return [element_dims(op, 2)]


@get_op.kernel
def get_kernel(node):
    dtype = node.attrs["element_dtype"]

    def get(source, index, shape):
        items = source.of(dtype).values.items()
        value = items[source.at(int(index), len(items))]
        if value is GAP:
            raise errors.InternalError(
                None, None, f"Output 0 of type float does not match declared output type {dtype_text(dtype)}"
            )
        return source.zeros(dims_of(shape)) if value is None else value

    return get


@set_op.shape
def set_shape(op):
    merge_dims(list_dims(op.inputs[0]), op.inputs[2].dims)
    return [()]


@set_op.kernel
def set_kernel(node):
    # Of TensorFlow 2.
    grows = node.attrs.get("_resize_if_index_out_of_bounds", False)
    dtype = node.inputs[2].dtype.base_dtype

    def put(source, index, item):
        if grows and int(index) >= len(source):
            items = source.values.items()
            source = source.with_values(PersistentList([*items, *[None] * (int(index) + 1 - len(items))]))
        if not 0 <= int(index) < len(source):
            raise refusal(f"Trying to modify element {int(index)} in a list with {len(source)} elements.")
        return source.with_values(source.values.replaced(int(index), source.of(dtype).checked(item)))

    return put


def _reserved_like(source: Tensor, dtype: DType) -> Tensor:
    shape = raw.TensorListElementShape(source, shape_type="int32")
    return raw.TensorListReserve(shape, raw.TensorListLength(source), element_dtype=dtype)


@get_op.gradient
def get_gradient(op, grad):
    empty = _reserved_like(op.inputs[0], op.attrs["element_dtype"])
    return [raw.TensorListSetItem(empty, op.inputs[1], grad), None, None]


@set_op.gradient
def set_gradient(op, grad):
    _, index, item = op.inputs
    rest = raw.TensorListSetItem(grad, index, raw.ZerosLike(item))
    return [rest, None, raw.TensorListGetItem(grad, index, raw.Shape(item), element_dtype=item.dtype.base_dtype)]


# ---- length and shape ----

length_op = op("TensorListLength", "input_handle: variant -> length: int32").not_differentiable()
resize_op = op(
    "TensorListResize", "input_handle: variant, size: int32 -> output_handle: variant", stateful=True
).on_host("size")
resize_op.aliases()
element_shape_op = op(
    "TensorListElementShape", "input_handle: variant, *, shape_type: index -> element_shape: shape_type"
)
element_shape_op.not_differentiable()
length_op.shape(handle_again)
resize_op.shape(handle_again)


@element_shape_op.shape
def element_shape_shape(op):
    dims = list_dims(op.inputs[0])
    return [None if dims is None else (len(dims),)]


@length_op.kernel
def length_kernel(node):
    return lambda source: torch.tensor(len(source), dtype=torch.int32)


@resize_op.kernel
def resize_kernel(node):
    def resize(source, size):
        count = int(size)
        if count < 0:
            raise refusal(f"TensorListSlice expects size to be non-negative. Got: {count}")
        items = source.values.items()[:count]
        return source.with_values(PersistentList(items + [None] * (count - len(items))))

    return resize


@resize_op.gradient
def resize_gradient(op, grad):
    return [raw.TensorListResize(grad, raw.TensorListLength(op.inputs[0])), None]


@element_shape_op.kernel
def element_shape_kernel(node):
    dtype = node.outputs[0].dtype.torch

    def shape(source):
        dims = source.dims
        known = -1 if dims is None else [-1 if size is None else size for size in dims]
        return torch.tensor(known, dtype=dtype)

    return shape


_PAIR, _NO_LIMIT = np.array([2], np.int32), np.int32(-1)
_FULL = made("TensorListFromTensor", [3, 2], _PAIR)
_EMPTY = made("EmptyTensorList", _PAIR, _NO_LIMIT, element_dtype="float32")
_STACK = made("TensorListStack", result, _PAIR, element_dtype="float32")
_LENGTH = made("TensorListLength", result)
_SHAPE = made("TensorListElementShape", result, shape_type="int64")

empty_op.accepts(_PAIR, _NO_LIMIT, element_dtype="float32", after=[_STACK, _LENGTH, _SHAPE])
empty_op.accepts(_NO_LIMIT, np.int32(1), element_dtype="int64", after=[_LENGTH, _SHAPE])
empty_op.rejects(np.int32(3), _NO_LIMIT, element_dtype="float32", error=ValueError)
reserve_op.accepts(_PAIR, np.int32(2), element_dtype="float32", after=[_STACK, _LENGTH, _SHAPE])
push_op.accepts(_FULL, [2], after=[_STACK])
push_op.rejects(_FULL, [3], error=errors.InvalidArgumentError)
push_op.rejects(made("EmptyTensorList", _PAIR, np.int32(0), element_dtype="float32"), [2], error=errors.OpError)
pop_op.accepts(made("TensorListPushBack", _FULL, [2]), _PAIR, element_dtype="float32", after=[_STACK])
pop_op.accepts(made("TensorListReserve", _PAIR, np.int32(2), element_dtype="float32"), _PAIR, element_dtype="float32")
pop_op.rejects(_EMPTY, _PAIR, element_dtype="float32", error=errors.InvalidArgumentError)
get_op.accepts(_FULL, np.int32(1), _PAIR, element_dtype="float32")
get_op.accepts(
    made("TensorListSetItem", _FULL, np.int32(0), [2]), np.int32(0), np.array([-1], np.int32), element_dtype="float32"
)
get_op.rejects(_FULL, np.int32(3), _PAIR, element_dtype="float32", error=errors.InvalidArgumentError)
set_op.accepts(_FULL, np.int32(1), [2], after=[_STACK])
set_op.rejects(_FULL, np.int32(3), [2], error=errors.InvalidArgumentError)
length_op.accepts(_FULL).accepts(_EMPTY)
resize_op.accepts(_FULL, np.int32(2), after=[_STACK]).accepts(_FULL, np.int32(5), after=[_STACK])
resize_op.rejects(_FULL, np.int32(-1), error=errors.InvalidArgumentError)
element_shape_op.accepts(_FULL, shape_type="int32")
element_shape_op.accepts(made("EmptyTensorList", _NO_LIMIT, _NO_LIMIT, element_dtype="float32"), shape_type="int64")
