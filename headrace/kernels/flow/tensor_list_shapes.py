"""Shape functions of the TensorList ops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.dims import Dims, merge_dims
from headrace.core.dtypes import dtype_text
from headrace.kernels.flow.tensor_list import dims_of
from headrace.kernels.ranks import check_rank

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.operation import Operation
    from headrace.core.typing import OpView


def constant_dims(op: Operation, index: int) -> Dims:
    """The shape that input `index` says, if it is known."""
    known = constant_value(op.inputs[index])
    return None if known is None else dims_of(known)


def _element_dims(op: OpView, index: int) -> Dims:
    """What input `index` says about the shape of elements: a vector of sizes, or -1 for any shape.

    Raises:
        ValueError: if it is a matrix or more, or a scalar that is not known to be -1.
    """
    given = op.inputs[index].dims
    check_rank(given, (0, 1))
    if given != ():
        return op.constant_dims(index)
    value = op.constant(index)
    if value is None:
        raise ValueError(
            "Received a shape scalar with unknown static value.  A static value of '-1' is required to represent an "
            "unknown shape."
        )
    if int(value) != -1:
        raise ValueError(f"Received an invalid shape scalar with a static value that is not '-1': {int(value)}")
    return None


def handle_of(index: int) -> Any:
    """The rule of an op that makes a list whose elements' shape input `index` says."""

    def rule(op: OpView) -> Any:
        _element_dims(op, index)
        return [()]

    return rule


def handle_of_parts(*leading: None) -> Any:
    """The rule of an op that makes a list of parts of its first input, whose shape its second one says.

    Args:
        *leading: what dimensions parts have in the place of the first one.
    """

    def rule(op: OpView) -> Any:
        dims = op.inputs[0].dims
        if leading:
            check_rank(dims, (1, None))
        merge_dims(_element_dims(op, 1), None if dims is None else (*leading, *dims[1:]))
        return [()]

    return rule


def handle_again(op: OpView) -> Any:
    """The rule of an op that gives a list for a list."""
    return [()]


# Which input of an op that makes a list says the shape of its elements; what hands on that of its first input.
_SHAPE_INPUT = {
    "EmptyTensorList": 0,
    "TensorListFromTensor": 1,
    "TensorListReserve": 0,
    "TensorListScatter": 2,
    "TensorListScatterV2": 2,
    "TensorListSplit": 1,
}
_SAME_ELEMENTS = frozenset(
    {
        "AddN",
        "Identity",
        "Pack",
        "StridedSlice",
        "TensorListConcatLists",
        "TensorListPopBack",
        "TensorListPushBack",
        "TensorListPushBackBatch",
        "TensorListResize",
        "TensorListScatterIntoExistingList",
        "TensorListSetItem",
        "ZerosLike",
    }
)
# Graphs may be long chains of such ops, each of which asks.
_MAX_CHAIN = 32


def _maker(handle: Any) -> Any:
    """The op that made the list that `handle` stands for, None where the graph does not say it."""
    for _ in range(_MAX_CHAIN):
        op = handle.op
        if op.type in _SHAPE_INPUT:
            return op
        if op.type not in _SAME_ELEMENTS or handle.value_index > 0:
            return None
        handle = op.inputs[0]
    return None


def list_dims(handle: Any) -> Dims:
    """The shape of the elements of the list that `handle` stands for, as far as the graph says it."""
    maker = _maker(handle)
    if maker is None:
        return None
    index = _SHAPE_INPUT[maker.type]
    return maker.constant_dims(index) if maker.inputs[index].dims else None


def check_list(op: Any, dtype: DType) -> None:
    """Refuses a list as the first input of an op whose elements are of type `dtype`, where the graph says that its are not.

    Raises:
        ValueError: if so.
    """
    maker = _maker(op.inputs[0])
    if maker is not None and maker.attrs["element_dtype"] != dtype:
        raise ValueError(
            f"The list has elements of type {dtype_text(maker.attrs['element_dtype'])}, not of type {dtype_text(dtype)}"
        )


def element_dims(op: Operation, index: int) -> Dims:
    """The shape of the elements that an op takes from its list: what input `index` and the list say of it.

    Raises:
        ValueError: if they say different things, or the list's elements are of another type than the op's.
    """
    check_list(op, op.attrs["element_dtype"])
    return merge_dims(constant_dims(op, index), list_dims(op.inputs[0]))
