"""TensorList ops on arrays of lists, one list alone among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.cases import made, result
from headrace.core.dims import merge_dims
from headrace.core.dtypes import dtype_text
from headrace.core.registry import op
from headrace.kernels.flow.persistent_list import PersistentList
from headrace.kernels.flow.tensor_list import TensorList, refusal, text_of
from headrace.kernels.flow.tensor_list_shapes import check_list, list_dims
from headrace.kernels.ranks import check_rank

push_batch_op = op(
    "TensorListPushBackBatch", "input_handles: variant, tensor: element_dtype -> output_handles: variant"
)
push_batch_op.not_differentiable()
concat_lists_op = op(
    "TensorListConcatLists", "input_a: variant, input_b: variant, *, element_dtype: type -> output: variant"
)
concat_lists_op.aliases().not_differentiable()


def _dims(lists: Any) -> tuple[int, ...]:
    return lists.shape if isinstance(lists, np.ndarray) else ()


def _of_each(function: Callable[..., TensorList], *arrays: Any) -> Any:
    """What a function gives for the lists at each place of arrays of one shape: a list, or an array of them."""
    flat = [list(a.flat) if isinstance(a, np.ndarray) else [a] for a in arrays]
    found = [function(i, *lists) for i, lists in enumerate(zip(*flat, strict=True))]
    if not isinstance(arrays[0], np.ndarray):
        return found[0]
    joined = np.empty(len(found), dtype=object)
    joined[:] = found
    return joined.reshape(arrays[0].shape)


@push_batch_op.shape
def push_batch_shape(op):
    handles, tensor = op.inputs
    check_rank(handles.dims, (0, 1))
    check_rank(tensor.dims, (1, None))
    check_list(op, tensor.dtype.base_dtype)
    return [merge_dims(handles.dims, None if tensor.dims is None else tensor.dims[:1])]


@push_batch_op.kernel
def push_batch_kernel(node):
    dtype = node.inputs[1].dtype.base_dtype

    def push_batch(lists, tensor):
        if not tensor.ndim:
            raise refusal("Expected tensor to be at least a vector, but saw shape: []")
        count = int(np.prod(_dims(lists)))
        if tensor.shape[0] != count:
            raise refusal(f"Expected tensor.shape[0] == input_handles.size, but saw {tensor.shape[0]} vs. {count}")

        def push(index: int, source: TensorList) -> TensorList:
            # The tensor may be memory that the next step writes to.
            row = tensor[index].copy() if isinstance(tensor, np.ndarray) else tensor[index].clone()
            return source.with_values(source.values.pushed(source.of(dtype).checked(row, True)))

        return _of_each(push, lists)

    return push_batch


@concat_lists_op.shape
def concat_lists_shape(op):
    check_list(op, op.attrs["element_dtype"])
    merge_dims(*(list_dims(handle) for handle in op.inputs))
    return [merge_dims(op.inputs[0].dims, op.inputs[1].dims)]


@concat_lists_op.kernel
def concat_lists_kernel(node):
    dtype = node.attrs["element_dtype"]

    def join(index: int, one: TensorList, other: TensorList) -> TensorList:
        for letter, source in (("a", one), ("b", other)):
            if source.dtype != dtype:
                raise refusal(
                    f"input_{letter}[{index}].dtype != element_dtype. Saw: {dtype_text(source.dtype)} vs. "
                    f"{dtype_text(dtype)}"
                )
        if one.dims != other.dims:
            raise refusal(
                f"input_a and input_b TensorList element shapes are not identical at index {index}. Saw "
                f"{text_of(one.dims)} vs. {text_of(other.dims)}"
            )
        return one.with_values(PersistentList([*one.values.items(), *other.values.items()]))

    def concat_lists(one, other):
        if _dims(one) != _dims(other):
            raise refusal(
                f"Incompatible input TensorList tensor shapes: {text_of(_dims(one))} vs. {text_of(_dims(other))}"
            )
        return _of_each(join, one, other)

    return concat_lists


_PAIR = np.array([2], np.int32)
_LIST = made("TensorListFromTensor", [3, 2], _PAIR)
_STACK = made("TensorListStack", result, _PAIR, element_dtype="float32")
_LISTS = made("Pack", [_LIST, _LIST])
_FROM, _TO = np.array([0], np.int32), np.array([1], np.int32)
_FIRST = made("StridedSlice", result, _FROM, _TO, _TO, shrink_axis_mask=1)
_STACK_FIRST = made("TensorListStack", _FIRST, _PAIR, element_dtype="float32")

push_batch_op.accepts(_LISTS, [2, 2], after=[_STACK_FIRST])
push_batch_op.rejects(_LISTS, [1, 2], error=ValueError)
concat_lists_op.accepts(_LIST, _LIST, element_dtype="float32", after=[_STACK])
concat_lists_op.rejects(_LIST, _LIST, element_dtype="int32", error=ValueError)
