"""TensorList ops that make lists of tensors and tensors of lists: stack, gather, scatter, concat, split."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.cases import made, result
from headrace.core.dims import Dims, merge_dims
from headrace.core.dtypes import DType
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels.flow.persistent_list import PersistentList
from headrace.kernels.flow.tensor_list import (
    GAP,
    TensorList,
    dims_of,
    merged,
    refusal,
    stacked,
    text_of,
    unstacked,
    zeros_of,
)
from headrace.kernels.flow.tensor_list_shapes import check_list, element_dims, handle_of, handle_of_parts, list_dims
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import OpView, TensorLike


# ---- all elements ----

from_tensor_op = op(
    "TensorListFromTensor",
    "tensor: element_dtype, element_shape: shape_type, *, shape_type: index -> output_handle: variant",
)
from_tensor_op.on_host("element_shape").keeps("tensor").aliases()
from_tensor_op.shape(handle_of_parts())


@from_tensor_op.kernel
def from_tensor_kernel(node):
    dtype = node.inputs[0].dtype.base_dtype

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
    dims, count = element_dims(op, 1), op.attrs["num_elements"]
    return [None if dims is None else (None if count < 0 else count, *dims)]


@stack_op.kernel
def stack_kernel(node):
    expected, dtype = node.attrs["num_elements"], node.attrs["element_dtype"]

    def stack(source, shape):
        dims = dims_of(shape)
        source.of(dtype)
        if expected >= 0 and len(source) != expected:
            raise refusal(
                f"Operation expected a list with {expected} elements but got a list with {len(source)} elements."
            )
        return stacked(source.elements(dims), source, dims)

    return stack


@stack_op.gradient
def stack_gradient(op, grad):
    return [raw.TensorListFromTensor(grad, op.inputs[1]), None]


@gather_op.shape
def gather_shape(op):
    dims, places = element_dims(op, 2), op.inputs[1].dims
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
scatter_op.shape(handle_of(2))
scatter_v2_op.shape(handle_of(2))
for _decl in (scatter_op, scatter_v2_op, scatter_into_op):
    _decl.keeps("tensor").aliases()


@scatter_into_op.shape
def scatter_into_shape(op):
    check_list(op, op.inputs[1].dtype.base_dtype)
    return [()]


def _placed(places: torch.Tensor, tensor: torch.Tensor, dims: Dims) -> tuple[list[int], list[Any]]:
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
    dtype = node.inputs[0].dtype.base_dtype

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
        items.extend([GAP] * (max(places, default=-1) + 1 - len(items)))
        for place, value in zip(places, values, strict=True):
            items[place] = value
        return source.with_values(PersistentList(items))

    return scatter


def _gathered_back(op: OpView, grad: TensorLike, tensor: Tensor, indices: TensorLike) -> Any:
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
split_op.shape(ranked(None, None, 1)(handle_of_parts(None)))


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
        return zeros_of(source.dtype, (0, *rest)), lengths  # type: ignore[arg-type]  # no size is None: it has been asked above
    shapes = {tuple(value.shape[1:]) for value in values}
    if len(shapes) > 1:
        raise refusal(f"Tried to concat tensors with unequal shapes: {' vs '.join(text_of(s) for s in sorted(shapes))}")
    joined = np.concatenate(values) if isinstance(values[0], np.ndarray) else torch.cat(values)
    return joined, lengths


def _concat_dims(dims: Dims) -> Any:
    return [None if dims is None else (None, *dims[1:]), (None,)]


@concat_op.shape
def concat_shape(op):
    check_list(op, op.attrs["element_dtype"])
    return _concat_dims(merge_dims(op.attrs["element_shape"], list_dims(op.inputs[0])))


@concat_v2_op.shape
def concat_v2_shape(op):
    return _concat_dims(element_dims(op, 1))


@concat_op.kernel
def concat_kernel(node):
    dims, dtype = node.attrs["element_shape"], node.attrs["element_dtype"]
    return lambda source: _joined(source.of(dtype), dims, [])


@concat_v2_op.kernel
def concat_v2_kernel(node):
    dtype = node.attrs["element_dtype"]

    def concat(source, shape, leading):
        return _joined(source.of(dtype), dims_of(shape), np.asarray(leading).reshape(-1).tolist())

    return concat


@split_op.kernel
def split_kernel(node):
    dtype = node.inputs[0].dtype.base_dtype

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


def _lengths_back(grad: TensorLike, lengths: TensorLike, dtype: DType) -> Any:
    shape = raw.TensorListElementShape(grad, shape_type="int32")
    return raw.TensorListConcatV2(grad, shape, lengths, element_dtype=dtype)[0]


@split_op.gradient
def split_gradient(op, grad):
    return [_lengths_back(grad, op.inputs[2], op.inputs[0].dtype.base_dtype), None, None]


def _concat_gradient(op: OpView, grad: TensorLike) -> Any:
    shape = raw.TensorListElementShape(op.inputs[0], shape_type="int32")
    return [raw.TensorListSplit(grad, shape, op.outputs[1]), *[None] * (len(op.inputs) - 1)]


@concat_op.gradient
@concat_v2_op.gradient
def concat_gradient(op, grad, _):
    return _concat_gradient(op, grad)


_PAIR, _ROWS = np.array([2], np.int32), np.array([-1, 2], np.int32)
_PLACES, _LENGTHS = np.array([2, 0], np.int32), np.array([1, 0, 2])
_LIST = made("TensorListFromTensor", [3, 2], _PAIR)
_RAGGED = made("TensorListSplit", [3, 2], _ROWS, _LENGTHS)
_HOLES = made("TensorListReserve", _PAIR, np.int32(2), element_dtype="float32")
_STACK = made("TensorListStack", result, _PAIR, element_dtype="float32")

from_tensor_op.accepts([3, 2], _PAIR, after=[_STACK])
from_tensor_op.accepts([0, 2], np.int32(-1), after=[made("TensorListLength", result)])
from_tensor_op.rejects([], np.int32(-1), error=InvalidArgumentError)
from_tensor_op.rejects([3, 2], np.array([3], np.int32), error=ValueError)
stack_op.accepts(_LIST, _PAIR, element_dtype="float32", num_elements=3)
stack_op.accepts(_HOLES, np.int32(-1), element_dtype="float32")
stack_op.rejects(_LIST, _PAIR, element_dtype="float32", num_elements=2, error=InvalidArgumentError)
gather_op.accepts(_LIST, _PLACES, _PAIR, element_dtype="float32")
gather_op.accepts(_HOLES, _PLACES[1:], _PAIR, element_dtype="float32")
gather_op.rejects(_LIST, np.array([3], np.int32), _PAIR, element_dtype="float32", error=InvalidArgumentError)
scatter_op.accepts([2, 2], _PLACES, _PAIR, after=[_STACK])
scatter_op.rejects([3, 2], _PLACES, _PAIR, error=InvalidArgumentError)
scatter_v2_op.accepts([2, 2], _PLACES, _PAIR, np.int32(4), after=[_STACK])
scatter_v2_op.rejects([2, 2], _PLACES, _PAIR, np.int32(1), error=InvalidArgumentError)
scatter_into_op.accepts(_LIST, [2, 2], _PLACES, after=[_STACK])
concat_op.accepts(_RAGGED, element_dtype="float32", element_shape=[None, 2])
concat_v2_op.accepts(_RAGGED, _ROWS, np.array([], np.int64), element_dtype="float32")
concat_v2_op.accepts(
    made("TensorListReserve", _ROWS, np.int32(2), element_dtype="float32"),
    _ROWS,
    np.array([1, 2]),
    element_dtype="float32",
)
concat_v2_op.rejects(_LIST, np.array([3], np.int32), np.array([], np.int64), element_dtype="float32", error=ValueError)
split_op.accepts([3, 2], _ROWS, _LENGTHS, after=[made("TensorListConcat", result, element_dtype="float32")])
split_op.rejects([3, 2], _ROWS, np.array([1, 1]), error=InvalidArgumentError)
