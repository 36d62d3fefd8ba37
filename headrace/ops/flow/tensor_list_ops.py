"""The ops of TensorLists; what they pass on is in `tensor_list`."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.constant_value import constant_value
from headrace.core.dtypes import DType
from headrace.core.registry import op, raw
from headrace.core.shapes import Dims, merge_dims
from headrace.ops.flow.persistent_list import PersistentList
from headrace.ops.flow.tensor_list import TensorList, dims_of, merged, refusal, stacked, text_of, unstacked, zeros_of
from headrace.ops.ranks import check_rank, ranked


def _constant_dims(op: Any, index: int) -> Dims:
    known = constant_value(op.inputs[index])
    return None if known is None else dims_of(known)


def _kind(dtype: DType) -> DType:
    return dtype.base_dtype


# A handle is a scalar, but no number: with a shape it would be folded as one.
def _handle(op: Any) -> Any:
    return [None]


def _element_dims(op: Any, index: int) -> Dims:
    """What input `index` says about the shape of elements: a vector of sizes, or -1 for any shape.

    Raises:
        ValueError: if it is a matrix or more, or a scalar that is not known to be -1.
    """
    given = op.inputs[index].dims
    check_rank(given, (0, 1))
    if given != ():
        return op.constant_dims(index)  # type: ignore[no-any-return]
    value = op.constant(index)
    if value is None:
        raise ValueError(
            "Received a shape scalar with unknown static value.  A static value of '-1' is required to represent an "
            "unknown shape."
        )
    if int(value) != -1:
        raise ValueError(f"Received an invalid shape scalar with a static value that is not '-1': {int(value)}")
    return None


def _handle_of(index: int) -> Any:
    """The rule of an op that makes a list whose elements' shape input `index` says."""

    def rule(op: Any) -> Any:
        _element_dims(op, index)
        return _handle(op)

    return rule


def _handle_of_parts(*lead: None) -> Any:
    """The rule of an op that makes a list of parts of its first input, whose shape its second one says.

    Args:
        *lead: what dimensions parts have in the place of the first one.
    """

    def rule(op: Any) -> Any:
        dims = op.inputs[0].dims
        check_rank(dims, (1, None))
        merge_dims(_element_dims(op, 1), None if dims is None else (*lead, *dims[1:]))
        return _handle(op)

    return rule


def _handle_again(op: Any) -> Any:
    return [()]


# ---- making ----

empty_op = op(
    "EmptyTensorList",
    "element_shape: shape_type, max_num_elements: int32, *, element_dtype: type, shape_type: index -> handle: variant",
).on_host("element_shape", "max_num_elements")
reserve_op = op(
    "TensorListReserve",
    "element_shape: shape_type, num_elements: int32, *, element_dtype: type, shape_type: index -> handle: variant",
).on_host("element_shape", "num_elements")
from_tensor_op = op(
    "TensorListFromTensor",
    "tensor: element_dtype, element_shape: shape_type, *, shape_type: index -> output_handle: variant",
)
from_tensor_op.on_host("element_shape").keeps("tensor").aliases()
empty_op.shape(_handle_of(0))
reserve_op.shape(_handle_of(0))
from_tensor_op.shape(_handle_of_parts())


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


@from_tensor_op.kernel
def from_tensor_kernel(node):
    dtype = _kind(node.inputs[0].dtype)

    def make(tensor, shape):
        dims = dims_of(shape)
        return TensorList(dtype, dims, PersistentList(unstacked(tensor, dims)))

    return make


@from_tensor_op.gradient
def from_tensor_gradient(op, grad):
    dims = op.inputs[0].dims
    count = -1 if not dims or dims[0] is None else dims[0]
    dtype = op.inputs[0].dtype.base_dtype
    return [raw.TensorListStack(grad, op.inputs[1], element_dtype=dtype, num_elements=count), None]


# ---- the end of the list ----

push_op = op("TensorListPushBack", "input_handle: variant, tensor: element_dtype -> output_handle: variant")
push_op.keeps("tensor").aliases()
push_op.shape(_handle_again)
pop_op = op(
    "TensorListPopBack",
    "input_handle: variant, element_shape: int32, *, element_dtype: type -> output_handle: variant, tensor: element_dtype",
)
pop_op.on_host("element_shape").aliases()


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
    return [(), _constant_dims(op, 1)]


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
        shape = raw.TensorListElementShape(op.outputs[0], shape_type="int32")
        grad_list = raw.EmptyTensorList(shape, -1, element_dtype=dtype)
    if grad_element is None:
        grad_element = raw.ZerosLike(op.outputs[1])
    return [raw.TensorListPushBack(grad_list, grad_element), None]


push_batch_op = op(
    "TensorListPushBackBatch", "input_handles: variant, tensor: element_dtype -> output_handles: variant"
)
push_batch_op.not_differentiable()


@push_batch_op.kernel
def push_batch_kernel(node):
    raise errors.UnimplementedError(
        None, None, f"{node.name}: TensorListPushBackBatch works on arrays of lists, which are not supported."
    )


# ---- elements by place ----

get_op = op(
    "TensorListGetItem",
    "input_handle: variant, index: int32, element_shape: int32, *, element_dtype: type -> item: element_dtype",
)
get_op.on_host("index", "element_shape").aliases()
set_op = op("TensorListSetItem", "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant")
set_op.on_host("index").keeps("item").aliases()
set_op.shape(_handle_again)


@get_op.shape
def get_shape(op):
    return [_constant_dims(op, 2)]


@get_op.kernel
def get_kernel(node):
    dtype = node.attrs["element_dtype"]

    def get(source, index, shape):
        items = source.of(dtype).values.items()
        value = items[source.at(int(index), len(items))]
        return source.zeros(dims_of(shape)) if value is None else value

    return get


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


def _reserved_like(source: Any, dtype: DType) -> Any:
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


# ---- all elements ----

stack_op = op(
    "TensorListStack",
    "input_handle: variant, element_shape: int32, *, element_dtype: type, num_elements=-1 -> tensor: element_dtype",
).on_host("element_shape")
gather_op = op(
    "TensorListGather",
    "input_handle: variant, indices: int32, element_shape: int32, *, element_dtype: type -> values: element_dtype",
).on_host("indices", "element_shape")


@stack_op.shape
def stack_shape(op):
    dims, count = _constant_dims(op, 1), op.attrs["num_elements"]
    return [None if dims is None else (None if count < 0 else count, *dims)]


@stack_op.kernel
def stack_kernel(node):
    wanted, dtype = node.attrs["num_elements"], node.attrs["element_dtype"]

    def stack(source, shape):
        dims = dims_of(shape)
        source.of(dtype)
        if wanted >= 0 and len(source) != wanted:
            raise refusal(
                f"Operation expected a list with {wanted} elements but got a list with {len(source)} elements."
            )
        return stacked(source.elements(dims), source, dims)

    return stack


@stack_op.gradient
def stack_gradient(op, grad):
    return [raw.TensorListFromTensor(grad, op.inputs[1]), None]


@gather_op.shape
def gather_shape(op):
    dims, places = _constant_dims(op, 2), op.inputs[1].dims
    return [None if dims is None else (None if not places else places[0], *dims)]


@gather_op.kernel
def gather_kernel(node):
    dtype = node.attrs["element_dtype"]

    def gather(source, indices, shape):
        dims = dims_of(shape)
        return stacked(source.of(dtype).elements(dims, np.asarray(indices).reshape(-1).tolist()), source, dims)

    return gather


@gather_op.gradient
def gather_gradient(op, grad):
    handle, indices, _ = op.inputs
    shape = raw.TensorListElementShape(handle, shape_type="int32")
    return [raw.TensorListScatterV2(grad, indices, shape, raw.TensorListLength(handle)), None, None]


_SCATTER = (
    "tensor: element_dtype, indices: int32, element_shape: shape_type, {}*, shape_type: index -> output_handle: variant"
)
scatter_op = op("TensorListScatter", _SCATTER.format("")).on_host("indices", "element_shape")
scatter_v2_op = op("TensorListScatterV2", _SCATTER.format("num_elements: int32, "))
scatter_v2_op.on_host("indices", "element_shape", "num_elements")
scatter_into_op = op(
    "TensorListScatterIntoExistingList",
    "input_handle: variant, tensor: element_dtype, indices: int32 -> output_handle: variant",
).on_host("indices")
scatter_op.shape(_handle_of(2))
scatter_v2_op.shape(_handle_of(2))
scatter_into_op.shape(_handle_again)
for _decl in (scatter_op, scatter_v2_op, scatter_into_op):
    _decl.keeps("tensor").aliases()


def _placed(places: Any, tensor: Any, dims: Dims) -> tuple[list[int], list[Any]]:
    found = np.asarray(places).reshape(-1).tolist()
    values = unstacked(tensor, dims)
    if len(found) != len(values):
        raise refusal(f"Invalid number of rows in input tensor. Expected: {len(found)} Actual: {len(values)}")
    if min(found, default=0) < 0:
        raise refusal("Indices in TensorListScatter must all be non-negative.")
    return found, values


@scatter_op.kernel
@scatter_v2_op.kernel
def scatter_kernel(node):
    dtype = _kind(node.inputs[0].dtype)

    def scatter(tensor, indices, shape, count=-1):
        dims = dims_of(shape)
        places, values = _placed(indices, tensor, dims)
        needed = max(places, default=-1) + 1
        if int(count) >= 0 and needed > int(count):
            raise refusal(f"Trying to access element {needed - 1} in a list with {int(count)} elements.")
        items: list[Any] = [None] * (needed if int(count) < 0 else int(count))
        for place, value in zip(places, values, strict=True):
            items[place] = value
        return TensorList(dtype, dims, PersistentList(items))

    return scatter


@scatter_into_op.kernel
def scatter_into_kernel(node):
    def scatter(source, tensor, indices):
        places, values = _placed(indices, tensor, source.dims)
        items = list(source.values.items())
        items.extend([None] * (max(places, default=-1) + 1 - len(items)))
        for place, value in zip(places, values, strict=True):
            items[place] = value
        return source.with_values(PersistentList(items))

    return scatter


def _gathered_back(op: Any, grad: Any, tensor: Any, indices: Any) -> Any:
    shape = raw.Slice(raw.Shape(tensor), [1], [-1])
    return raw.TensorListGather(grad, indices, shape, element_dtype=tensor.dtype.base_dtype)


@scatter_op.gradient
@scatter_v2_op.gradient
def scatter_gradient(op, grad):
    return [_gathered_back(op, grad, op.inputs[0], op.inputs[1]), *[None] * (len(op.inputs) - 1)]


@scatter_into_op.gradient
def scatter_into_gradient(op, grad):
    _, tensor, indices = op.inputs
    rest = raw.TensorListScatterIntoExistingList(grad, raw.ZerosLike(tensor), indices)
    return [rest, _gathered_back(op, grad, tensor, indices), None]


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
length_op.shape(_handle_again)
resize_op.shape(_handle_again)
element_shape_op.shape(lambda op: [None])


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


# ---- lists joined, tensors cut ----

concat_op = op(
    "TensorListConcat",
    "input_handle: variant, *, element_dtype: type, element_shape: shape = None -> tensor: element_dtype, lengths: int64",
)
concat_v2_op = op(
    "TensorListConcatV2",
    "input_handle: variant, element_shape: shape_type, leading_dims: int64, *, element_dtype: type, shape_type: index -> "
    "tensor: element_dtype, lengths: int64",
).on_host("element_shape", "leading_dims")
split_op = op(
    "TensorListSplit",
    "tensor: element_dtype, element_shape: shape_type, lengths: int64, *, shape_type: index -> output_handle: variant",
).on_host("element_shape", "lengths")
split_op.keeps("tensor").aliases()
concat_lists_op = op(
    "TensorListConcatLists", "input_a: variant, input_b: variant, *, element_dtype: type -> output: variant"
)
concat_lists_op.aliases().not_differentiable()
split_op.shape(ranked(None, None, 1)(_handle_of_parts(None)))
concat_lists_op.shape(_handle_again)


def _joined(source: TensorList, dims: Dims, leading: list[int]) -> tuple[Any, Any]:
    items = source.values.items()
    known = merged(source.dims, dims)
    if known == ():
        raise refusal("Concat requires elements to be at least vectors, found scalars instead.")
    rest = None if known is None else known[1:]
    values = []
    for i, value in enumerate(items):
        if value is None:
            first = leading[i] if i < len(leading) else known[0] if known else None
            value = source.zeros(None if rest is None else (first, *rest))
        if not value.ndim:
            raise refusal("Concat saw a scalar shape at index 0 but requires at least vectors.")
        values.append(value)
    lengths = torch.tensor([value.shape[0] for value in values], dtype=torch.int64)
    if not values:
        if rest is None or None in rest:
            raise refusal(
                f"All except the first dimension must be fully defined when concating an empty list: {text_of(known)}"
            )
        return zeros_of(source.dtype, (0, *rest)), lengths  # type: ignore[arg-type]
    shapes = {tuple(value.shape[1:]) for value in values}
    if len(shapes) > 1:
        raise refusal(f"Tried to concat tensors with unequal shapes: {' vs '.join(text_of(s) for s in sorted(shapes))}")
    joined = np.concatenate(values) if isinstance(values[0], np.ndarray) else torch.cat(values)
    return joined, lengths


def _concat_dims(dims: Dims) -> Any:
    return [None if dims is None else (None, *dims[1:]), (None,)]


@concat_op.shape
def concat_shape(op):
    return _concat_dims(op.attrs["element_shape"])


@concat_v2_op.shape
def concat_v2_shape(op):
    return _concat_dims(_constant_dims(op, 1))


@concat_op.kernel
def concat_kernel(node):
    dims = node.attrs["element_shape"]
    return lambda source: _joined(source, dims, [])


@concat_v2_op.kernel
def concat_v2_kernel(node):
    def concat(source, shape, leading):
        return _joined(source, dims_of(shape), np.asarray(leading).reshape(-1).tolist())

    return concat


@split_op.kernel
def split_kernel(node):
    dtype = _kind(node.inputs[0].dtype)

    def split(tensor, shape, lengths):
        sizes = np.asarray(lengths).reshape(-1).tolist()
        if not tensor.ndim:
            raise refusal("Tensor must be at least a vector, but saw shape: []")
        if min(sizes, default=0) < 0:
            raise refusal(f"Lengths of lists must not be negative, got {sizes}")
        if sum(sizes) != tensor.shape[0]:
            what = "Unused values in tensor" if sum(sizes) < tensor.shape[0] else "Attempting to slice past its end"
            raise refusal(f"{what}. Length of tensor: {tensor.shape[0]} Values used: {sum(sizes)}")
        ends = np.cumsum([0, *sizes]).tolist()
        parts = [tensor[start:end] for start, end in itertools.pairwise(ends)]
        return TensorList(dtype, dims_of(shape), PersistentList(parts))

    return split


def _lengths_back(grad: Any, lengths: Any, dtype: DType) -> Any:
    shape = raw.TensorListElementShape(grad, shape_type="int32")
    return raw.TensorListConcatV2(grad, shape, lengths, element_dtype=dtype)[0]


@split_op.gradient
def split_gradient(op, grad):
    return [_lengths_back(grad, op.inputs[2], op.inputs[0].dtype.base_dtype), None, None]


def _concat_gradient(op: Any, grad: Any) -> Any:
    shape = raw.TensorListElementShape(op.inputs[0], shape_type="int32")
    return [raw.TensorListSplit(grad, shape, op.outputs[1]), *[None] * (len(op.inputs) - 1)]


@concat_op.gradient
@concat_v2_op.gradient
def concat_gradient(op, grad, _):
    return _concat_gradient(op, grad)


@concat_lists_op.kernel
def concat_lists_kernel(node):
    def join(one, other):
        return one.with_values(PersistentList([*one.values.items(), *other.values.items()]))

    return join
