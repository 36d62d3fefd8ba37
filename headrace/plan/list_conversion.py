"""What operations on TensorLists become where a list is changed in place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core import dtypes
from headrace.core.dtypes import DType
from headrace.kernels.flow.native_lists import WITHIN_LIMIT
from headrace.plan.ir import ADDITIONS, Node, Region, Value, declared, new_node
from headrace.plan.loops import capture_of

if TYPE_CHECKING:
    from headrace.plan.lists_in_place import Block, Blocks

MAKERS = {
    "TensorListReserve": "_ListReserve",
    "EmptyTensorList": "_ListEmpty",
    "TensorListFromTensor": "_ListFromTensor",
    "ZerosLike": "_ListZerosAs",
}
READERS = {"TensorListGetItem": "_ListGet", "TensorListLength": "_ListLength", "TensorListStack": "_ListStack"}
WRITERS = {"TensorListSetItem": "_ListSet", "TensorListPushBack": "_ListPush", "TensorListPopBack": "_ListPop"}
_ON_STACKS = frozenset({"TensorListPushBack", "TensorListPopBack"})
_numbers = itertools.count(1)


class Access:
    """Something that a node does with a list.

    Args:
        node: the node.
        block: where it is.
        value: the list.
        after: what is done with the list before.
    """

    def __init__(self, node: Node, block: Block, value: Value, after: Sequence[Node]) -> None:
        self.node, self.block, self.value, self.after = node, block, value, list(after)


def added_by(node: Node, value: Value, block: Block) -> list[Node] | None:
    """The nodes that set the one element of each list that a node adds to `value`; None if it does something else."""
    if node.type != "AddN":
        return None
    made = []
    for given in node.inputs:
        if given is value:
            continue
        single = given.node
        if single.type != "TensorListSetItem" or single.inputs[0].node.type != "TensorListReserve":
            return None
        if len(block.users(given)) > 1 or block.has_result(given) or single.guard != node.guard:
            return None
        made.append(single)
    return made or None


class Conversion:
    """Has lists changed in place.

    Args:
        blocks: the blocks of the plan.
    """

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks
        # The handles of lists that are only looked at.
        self._looked_at: dict[Value, Value] = {}

    def has_maker(self, value: Value, block: Block) -> bool:
        """Whether a list is made in a block, by a node of which a second one may be made."""
        node = value.node
        if node.type not in MAKERS or node not in block.nodes:
            return False
        if node.type == "ZerosLike":
            return block.loop is None and self.has_maker(node.inputs[0], block)
        return True

    def look_at(
        self,
        value: Value,
        block: Block,
        accesses: Sequence[Access],
        loops: Sequence[tuple[Node, Block, Value, list[Node]]],
    ) -> None:
        """Reads a list by a handle where `accesses` say so."""
        handles = _Handles(self._handle_of(value, block), block)
        for access in accesses:
            if access.node.type in READERS:
                self._convert(access, handles, value)
        self._changed(block, loops)

    def change(
        self,
        value: Value,
        block: Block,
        accesses: Sequence[Access],
        loops: Sequence[tuple[Node, Block, Value, list[Node]]],
        passed: Sequence[tuple[Node, Block]],
    ) -> None:
        """Has a list changed in place.

        Args:
            value: what it is at first.
            block: where that is made.
            accesses: all that nodes do with it.
            loops: the loops that take it.
            passed: the nodes that hand it on in and out of branches.
        """
        is_stack = value.node.type == "EmptyTensorList" and all(each.node.type in _ON_STACKS for each in accesses)
        is_within = is_stack and _is_within_limit(value.node, accesses, loops)
        made = _made_stack(value.node, is_within) if is_stack else self._made(value.node, block)
        block.nodes.append(made)
        handles = _Handles(made.outputs[0], block)
        for loop, around, _, after in loops:
            handles.of(self.blocks.of_loop[loop])
            loop.control = list(dict.fromkeys([*loop.control, *after]))
            around.change()
        for access in accesses:
            if is_stack:
                _convert_on_stack(access, handles.of(access.block))
            else:
                self._convert(access, handles, value)
        for loop, _, variable, _ in loops:
            _leave_out(loop, variable)
        for node, inside in passed:
            inside.nodes.remove(node)
        self._changed(block, loops)

    def _changed(self, block: Block, loops: Sequence[tuple[Node, Block, Value, list[Node]]]) -> None:
        self.blocks.changed = True
        block.change()
        for loop, around, _, _ in loops:
            around.change()
            self.blocks.of_loop[loop].change()

    def _handle_of(self, value: Value, block: Block) -> Value:
        """The handle of a list that is only looked at."""
        handle = self._looked_at.get(value)
        if handle is None:
            made = self._made(value.node, block)
            block.nodes.append(made)
            handle = self._looked_at[value] = made.outputs[0]
        return handle

    def _made(self, maker: Node, block: Block) -> Node:
        """A node that makes the same list as another, to be changed in place."""
        inputs, notes = list(maker.inputs), {}
        if maker.type == "ZerosLike":
            inputs = [self._handle_of(maker.inputs[0], block)]
            notes["number"] = next(_numbers)
        attrs = {**maker.attrs, "elem_type": _element_type(maker)}
        return new_node(MAKERS[maker.type], maker, inputs, [(dtypes.resource, None)], attrs, notes)

    def _convert(self, access: Access, handles: _Handles, begun: Value) -> None:
        """Lets a node take the handle of a list instead of the list."""
        node, block = access.node, access.block
        singles = added_by(node, access.value, block)
        handle = handles.of(block)
        if singles is not None:
            for single in singles:
                _become(single, "_ListAdd", [handle, *single.inputs[1:]], access.after)
                single.outputs = []
                _keep_running(single, block)
            block.nodes.remove(node)
        elif node.type == "TensorListStack":
            sized = self._sized(begun, handles, access)
            _become(node, "_ListStack", [handle, node.inputs[1], sized], access.after, T=sized.dtype)
        elif node.type in READERS:
            _become(node, READERS[node.type], [handle, *node.inputs[1:]], access.after)
        elif node.type in WRITERS:
            has_value = node.type == "TensorListPopBack"
            _become(node, WRITERS[node.type], [handle, *node.inputs[1:]], access.after)
            node.outputs = node.outputs[1:] if has_value else []
            for i, value in enumerate(node.outputs):
                value.index = i
            _keep_running(node, block)
        else:
            # Whatever it does with the list, it takes it as it is then.
            shown = new_node("_ListValue", node, [handle], [(dtypes.variant, ())])
            shown.control = list(dict.fromkeys([*node.control, *access.after]))
            block.nodes.append(shown)
            node.inputs = [shown.outputs[0] if given is access.value else given for given in node.inputs]

    def _sized(self, begun: Value, handles: _Handles, access: Access) -> Value:
        """A number, or a tensor with as many rows, of as many elements as a list has."""
        maker = begun.node
        while maker.type == "ZerosLike":
            maker = maker.inputs[0].node
        block = access.block
        if maker.type in ("TensorListReserve", "TensorListFromTensor"):
            value = maker.inputs[1 if maker.type == "TensorListReserve" else 0]
            return value if block is handles.block else _Handles(value, handles.block).of(block)
        length = new_node("_ListLength", access.node, [handles.of(block)], [(dtypes.int32, ())])
        length.control = list(dict.fromkeys([*access.node.control, *access.after]))
        block.nodes.append(length)
        return length.outputs[0]


class _Handles:
    """What stands for a value in the blocks inside of its own.

    Args:
        value: the value.
        block: where it is.
    """

    def __init__(self, value: Value, block: Block) -> None:
        self._value, self.block = value, block

    def of(self, block: Block) -> Value:
        """What stands for it in a block."""
        if block is self.block:
            return self._value
        assert block.loop is not None
        assert block.around is not None
        return capture_of(block.loop, _region(block.loop), self.of(block.around))


def _region(loop: Node) -> Region:
    assert loop.region is not None
    return loop.region


def _element_type(maker: Node) -> DType:
    while maker.type == "ZerosLike":
        maker = maker.inputs[0].node
    found: DType = maker.inputs[0].dtype if maker.type == "TensorListFromTensor" else maker.attrs["element_dtype"]
    return found.base_dtype


def _become(node: Node, op_type: str, inputs: list[Value], after: Sequence[Node], **attrs: object) -> None:
    """Makes a node one of another op, that gives the same, after others."""
    node.decl = declared(op_type)
    node.inputs = inputs
    node.attrs = {**node.attrs, **attrs}
    node.control = list(dict.fromkeys([*node.control, *after]))


def _keep_running(node: Node, block: Block) -> None:
    """Has a node run in each iteration though nothing takes a value of it."""
    if block.loop is not None and node not in _region(block.loop).waits:
        _region(block.loop).waits.append(node)


def _made_stack(maker: Node, is_within_limit: bool) -> Node:
    attrs = {"elem_type": _element_type(maker), "stack_name": ""}
    notes = {WITHIN_LIMIT: True} if is_within_limit else None
    return new_node("StackV2", maker, [maker.inputs[1]], [(dtypes.resource, None)], attrs, notes)


def _is_within_limit(
    maker: Node, accesses: Sequence[Access], loops: Sequence[tuple[Node, Block, Value, list[Node]]]
) -> bool:
    """Whether a list is made longer once an iteration, by a loop that goes round no oftener than the list has room."""
    pushes = [access for access in accesses if access.node.type == "TensorListPushBack"]
    if len(pushes) != 1:
        return False
    loop, limit = pushes[0].block.loop, maker.inputs[1]
    if loop is None or loop is not loops[0][0]:
        return False
    region = _region(loop)
    pending = [region.predicate]
    while pending:
        asked = pending.pop()
        if asked.node.type == "LogicalAnd":
            pending += asked.node.inputs
        elif asked.node.type == "Less" and _counts_from_zero(asked.node.inputs[0], loop):
            bound = asked.node.inputs[1]
            if bound.constant is not None and limit.constant is not None:
                return bool(0 <= bound.constant <= limit.constant)
            outer = dict(zip(region.captures, loop.inputs[len(region.variables) :], strict=True))
            if outer.get(bound) is limit:
                return True
    return False


def _counts_from_zero(value: Value, loop: Node) -> bool:
    """Whether a value is 0 in the first iteration and one more in each."""
    region = _region(loop)
    for variable, first, following in zip(region.variables, loop.inputs, region.nexts, strict=False):
        if variable is value:
            step = following.node
            if step.type not in ADDITIONS or step.inputs[0] is not variable:
                return False
            begin, by = first.constant, step.inputs[1].constant
            return begin is not None and by is not None and int(begin) == 0 and int(by) == 1
    return False


def _convert_on_stack(access: Access, handle: Value) -> None:
    """Lets a node push to a stack instead of a list, or pop."""
    node = access.node
    if node.type == "TensorListPushBack":
        item = node.inputs[1]
        _become(node, "StackPushV2", [handle, item], access.after, T=item.dtype, swap_memory=False)
        node.outputs = [Value(node, 0, item.dtype, item.dims)]
    else:
        _become(node, "StackPopV2", [handle], access.after, elem_type=node.attrs["element_dtype"])
        node.outputs = node.outputs[1:]
        node.outputs[0].index = 0
    _keep_running(node, access.block)


def _leave_out(loop: Node, variable: Value) -> None:
    """Takes a list off what a loop carries, or looks at."""
    region = _region(loop)
    if not any(each is variable for each in region.variables):
        return
    place = next(i for i, each in enumerate(region.variables) if each is variable)
    del loop.inputs[place], region.variables[place], region.nexts[place]
    left = [i for i, each in enumerate(region.exits) if each is not variable]
    region.exits = [region.exits[i] for i in left]
    loop.outputs = [loop.outputs[i] for i in left]
    for i, value in enumerate(loop.outputs):
        value.index = i
