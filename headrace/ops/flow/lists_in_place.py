"""Lists that a plan changes in place: what operations on TensorLists become where each version of a list is used once.

The handle leads to the newest version, so that a list need not go round a loop. What is written, read and refused is as
with the operations that they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.native import TYPE_CODES, Lowering, NativeBuilder, applied
from headrace.core.registry import find, op
from headrace.kernels.flow.tensor_list import TensorList

if TYPE_CHECKING:
    from headrace.core.dims import Dims
    from headrace.core.typing import NodeView

# What ints of `list_begin` say besides the type of rows.
_GROWS, _ADDS, _REWRITES = 1, 4, 8


class ListInPlace:
    """The newest version of a list.

    Args:
        items: the list.
    """

    __slots__ = ("items",)

    def __init__(self, items: TensorList) -> None:
        self.items = items


# ---- declarations: what makes them, and what is done with them ----

list_of = op("_ListOf", "source: variant, *, elem_type: type -> handle: resource", stateful=True)
list_reserve = op(
    "_ListReserve",
    "element_shape: shape_type, num_elements: int32, *, elem_type: type, element_dtype: type, shape_type: index "
    "-> handle: resource",
    stateful=True,
)
list_empty = op(
    "_ListEmpty",
    "element_shape: shape_type, max_num_elements: int32, *, elem_type: type, element_dtype: type, shape_type: index "
    "-> handle: resource",
    stateful=True,
)
list_from_tensor = op(
    "_ListFromTensor",
    "tensor: elem_type, element_shape: shape_type, *, shape_type: index -> handle: resource",
    stateful=True,
)
list_zeros_as = op("_ListZerosAs", "source: resource, *, elem_type: type -> handle: resource", stateful=True)
_MAKERS = (list_of, list_reserve, list_empty, list_from_tensor, list_zeros_as)

list_value = op("_ListValue", "handle: resource -> value: variant", stateful=True)
list_length = op("_ListLength", "handle: resource -> length: int32", stateful=True)
list_get = op(
    "_ListGet",
    "handle: resource, index: int32, element_shape: int32, *, element_dtype: type -> item: element_dtype",
    stateful=True,
)
# `sized` is a number, or a tensor with as many rows, of as many elements as the list has.
list_stack = op(
    "_ListStack",
    "handle: resource, element_shape: int32, sized: T, *, element_dtype: type, T: type, num_elements=-1 "
    "-> tensor: element_dtype",
    stateful=True,
)
list_set = op("_ListSet", "handle: resource, index: int32, item: element_dtype ->", stateful=True)
list_add = op("_ListAdd", "handle: resource, index: int32, item: element_dtype ->", stateful=True)
list_push = op("_ListPush", "handle: resource, item: element_dtype ->", stateful=True)
list_pop = op(
    "_ListPop",
    "handle: resource, element_shape: int32, *, element_dtype: type -> item: element_dtype",
    stateful=True,
)
_USERS = (list_value, list_length, list_get, list_stack, list_set, list_add, list_push, list_pop)

for _decl in (*_MAKERS, *_USERS):
    # Each use may change the list, so none is left out, merged or moved before another.
    _decl.checks().no_case("Only plans have it: tests/plan/test_lists_in_place.py.")
    _decl.shape(lambda op: [None for _ in op.outputs])
list_reserve.on_host("element_shape", "num_elements")
list_empty.on_host("element_shape", "max_num_elements")
list_from_tensor.on_host("element_shape").keeps("tensor").aliases()
list_length.on_host(outputs=True)
list_get.on_host("index", "element_shape").aliases()
list_stack.on_host("element_shape")
list_set.on_host("index").keeps("item").aliases()
list_add.on_host("index").keeps("item").aliases()
list_push.keeps("item").aliases()
list_pop.on_host("element_shape").aliases()
for _decl in (list_get, list_set, list_add):
    _decl.takes_scalars("index")


# ---- kernels: those of the operations on values ----


def _kernel_of(op_type: str, node: Any) -> Callable[..., Any]:
    decl = find(op_type)
    assert decl is not None
    assert decl.kernel_rule is not None
    made: Callable[..., Any] = decl.kernel_rule(node)
    return made


def _makes(op_type: str) -> Callable[[NodeView], Any]:
    def rule(node: NodeView) -> Callable[..., ListInPlace]:
        make = _kernel_of(op_type, node)
        return lambda *values: ListInPlace(make(*values))

    return rule


def _reads(op_type: str) -> Callable[[NodeView], Any]:
    def rule(node: NodeView) -> Callable[..., Any]:
        read = _kernel_of(op_type, node)
        return lambda held, *values: read(held.items, *values)

    return rule


def _writes(op_type: str) -> Callable[[NodeView], Any]:
    def rule(node: NodeView) -> Callable[..., Any]:
        write = _kernel_of(op_type, node)

        def run(held: ListInPlace, *values: Any) -> tuple[()]:
            held.items = write(held.items, *values)
            return ()

        return run

    return rule


list_of.kernel(lambda node: ListInPlace)
list_reserve.kernel(_makes("TensorListReserve"))
list_empty.kernel(_makes("EmptyTensorList"))
list_zeros_as.kernel(lambda node: lambda held: ListInPlace(held.items.zeros_like()))
list_value.kernel(lambda node: lambda held: held.items)
list_length.kernel(_reads("TensorListLength"))
list_get.kernel(_reads("TensorListGetItem"))
list_set.kernel(_writes("TensorListSetItem"))
list_push.kernel(_writes("TensorListPushBack"))


@list_from_tensor.kernel
def list_from_tensor_kernel(node):
    make = _kernel_of("TensorListFromTensor", node)
    return lambda tensor, shape: ListInPlace(make(tensor, shape))


@list_stack.kernel
def list_stack_kernel(node):
    stack = _kernel_of("TensorListStack", node)
    return lambda held, shape, sized: stack(held.items, shape)


@list_add.kernel
def list_add_kernel(node):
    put = _kernel_of("TensorListSetItem", node)

    def add(held, index, item):
        old = held.items.values.items()
        place = int(index)
        # An element that was never set counts as zeros.
        before = old[place] if 0 <= place < len(old) else None
        held.items = put(held.items, index, item if before is None else before + item)
        return ()

    return add


@list_pop.kernel
def list_pop_kernel(node):
    pop = _kernel_of("TensorListPopBack", node)

    def take(held, shape):
        held.items, value = pop(held.items, shape)
        return value

    return take


# ---- native instructions ----


def _element_dims(node: NodeView, index: int) -> Dims:
    """What an element shape that is known while planning says."""
    value = node.constant(index)
    return None if value is None or value.ndim == 0 else tuple(None if n < 0 else int(n) for n in value.ravel())


def _began(node: NodeView, dims: Dims, flags: int) -> list[int] | None:
    code = TYPE_CODES.get(node.attrs["elem_type"].name)
    if code is None:
        return None
    ints = [code, flags]
    return ints if dims is None else [*ints, 1, *(-1 if size is None else size for size in dims)]


def _new_reserved(node: NodeView) -> Lowering | None:
    ints = _began(node, _element_dims(node, 0), _REWRITES)
    return None if ints is None else lambda b, inputs: b.apply("list_begin", [inputs[1]], ints)


def _new_empty(node: NodeView) -> Lowering | None:
    limit = node.constant(1)
    ints = _began(node, _element_dims(node, 0), _GROWS | _REWRITES)
    if ints is None or limit is None or int(limit) >= 0:
        return None
    return lambda b, inputs: b.apply("list_begin", [b.constant(np.int32(0))], ints)


def _new_from_tensor(node: NodeView) -> Lowering | None:
    ints = _began(node, _element_dims(node, 1), _REWRITES)
    rank = node.inputs[0].dims
    if ints is None or not rank:
        return None

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        rows = inputs[0]
        (sizes,) = b.apply("shape_of", [rows], [TYPE_CODES["int32"]])
        (count,) = b.apply("slice", [sizes], [0, 1, 1])
        (made,) = b.apply("list_begin", [count], ints)
        b.apply("list_scatter", [made, _places(b, b.dim(rows, 0)), rows])
        return [made]

    return lower


def _places(b: NativeBuilder, count: int) -> int:
    """The numbers from 0 to a size."""
    return b.apply("range", [b.constant(np.int32(0)), b.constant(np.int32(1))], [count])[0]


def _new_zeros(node: NodeView) -> Lowering | None:
    number = node.notes.get("number")
    if number is None or node.attrs["elem_type"].name not in ("float32", "float64"):
        return None
    return applied("list_gradient", [number])


def _stack_rows(node: NodeView) -> Lowering | None:
    dims, expected = node.inputs[2].dims, node.attrs["num_elements"]
    if dims is None or (dims and expected >= 0 and dims[0] != expected):
        return None
    count = node.constant(2)
    if not dims and expected >= 0 and (count is None or int(count) != expected):
        return None
    shape = _element_dims(node, 1)
    is_known = int(shape is not None and None not in shape)

    def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
        count = b.dim(inputs[2], 0) if dims else b.contents(inputs[2])
        return b.apply("list_gather", [inputs[0], _places(b, count)], [is_known])

    return lower


def _put(instruction: str) -> Callable[[NodeView], Lowering]:
    def rule(node: NodeView) -> Lowering:
        def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
            b.apply(instruction, list(inputs))
            return []

        return lower

    return rule


list_reserve.native_list(_new_reserved)
list_empty.native_list(_new_empty)
list_from_tensor.native_list(_new_from_tensor)
list_zeros_as.native_list(_new_zeros)
list_length.native_list(lambda node: applied("list_size"))
list_get.native_list(lambda node: applied("list_read", take=[0, 1]))
list_stack.native_list(_stack_rows)
list_set.native_list(_put("list_write"))
list_add.native_list(_put("list_write"))
list_push.native_list(_put("list_push"))
list_pop.native_list(lambda node: applied("list_pop", take=[0]))
