"""Loops, TensorArrays and stacks inside native regions: which of them the runner takes, and how loops become instructions.

A loop is native where everything in it is: then no iteration enters Python. TensorArrays and stacks are lists of rows that
live in one program, so all that is done with one has to be in the same region.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING

import numpy as np

from headrace.core.native import TYPE_CODES
from headrace.core.planning_facts import Role
from headrace.native.program import Builder, Unsupported
from headrace.plan.branches import Guard
from headrace.plan.handles import variable_of
from headrace.plan.ir import UNBOUND, Node, Region, Value
from headrace.plan.native_branches import Branches, facts_of, in_order, is_branching
from headrace.plan.native_lowering import TYPES, Inputs, is_plain_read, lowering_of
from headrace.plan.native_sizes import ASKED

if TYPE_CHECKING:
    from headrace.core.buffers import VariableBuffer
    from headrace.core.native import NativeBuilder

_KEPT, _TRIED = "native loop", "native trial"
# So many levels of loops at most, as each of them is looked at for all that are around it.
_MOST_LEVELS = 150


def is_native_loop(node: Node) -> bool:
    """Whether the runner takes a loop, provided that it has the lists that the loop uses."""
    known = node.notes.get(_KEPT)
    if known is None:
        assert node.region is not None
        is_native = node.device.type == "cpu" and _is_native(node.region)
        levels = 1 + max((inner.notes.get(_KEPT, 0) for inner in node.region.nodes), default=0)
        known = node.notes[_KEPT] = levels if is_native and levels <= _MOST_LEVELS else 0
    return bool(known)


def _is_native(region: Region) -> bool:
    if any(value.dtype.name not in TYPES for value in region.variables):
        return False
    given = {*region.variables, *region.captures}
    if any(value not in given and value.bound is UNBOUND for value in region.exits):
        # It was computed before the condition was asked.
        return False
    return all(map(_is_native_inside, region.nodes))


def _is_native_inside(node: Node) -> bool:
    if node.decl.binding_rule is not None:
        return True
    if node.decl.role in (Role.SWITCH, Role.MERGE):
        return is_branching(node)
    if node.region is not None:
        return is_native_loop(node)
    return is_plain_read(node) or lowering_of(node, scalars=True) is not None


class Lists:
    """The TensorArrays and stacks of a block of nodes.

    Args:
        nodes: the nodes.
        results: the values that are used after them.
    """

    def __init__(self, nodes: Sequence[Node], results: Iterable[Value]) -> None:
        # What each handle leads to: the node that made the list. Of each such node, those of the block that use the list.
        self._made_by: dict[Value, Node] = {}
        self._users: dict[Node, set[Node]] = {}
        self._spoiled: set[Node] = set()
        # Those that use a list that was made elsewhere.
        self._foreign: set[Node] = set()
        for node in nodes:
            self._see(node, node)
        self._spoil(results)

    def _see(self, node: Node, user: Node) -> None:
        """Notes the uses of a node in the block, or of one in a loop of the block, `user`."""
        taken = [value for value in node.inputs if value in self._made_by]
        for value in taken:
            self._users[self._made_by[value]].add(user)
        region = node.region
        if region is not None:
            self._spoil(node.inputs[: len(region.variables)])
            for inner, outer in zip(region.captures, node.inputs[len(region.variables) :], strict=True):
                if outer in self._made_by:
                    self._made_by[inner] = self._made_by[outer]
            if facts_of(node).uses_lists or any(capture in self._made_by for capture in region.captures):
                for each in region.nodes:
                    self._see(each, user)
            self._spoil(region.results)
        elif node.decl.role is Role.SWITCH:
            if taken:
                self._made_by.update(dict.fromkeys(node.outputs, self._made_by[taken[0]]))
        elif not node.decl.on_list:
            self._spoil(taken)
        elif taken:
            self._derive(node, self._made_by[taken[0]])
        elif any(value.dtype.name == "resource" for value in node.inputs):
            self._foreign.add(user)
        else:
            self._users[node] = {user}
            self._made_by[node.outputs[0]] = node

    def _derive(self, node: Node, maker: Node) -> None:
        for value in node.outputs:
            if value.dtype.name == "resource":
                self._made_by[value] = maker

    def _spoil(self, values: Iterable[Value]) -> None:
        self._spoiled.update(self._made_by[value] for value in values if value in self._made_by)

    def split(self, native: Set[Node]) -> set[Node]:
        """The nodes of `native` that cannot be so, because they use a list of which another user is not."""
        out = self._foreign & set(native)
        for maker, users in self._users.items():
            if maker in self._spoiled or not users <= native:
                out |= users & native
        return out

    def parted(self, groups: Iterable[Sequence[Node]]) -> set[Node]:
        """The nodes that use a list of which another user is not in the same group."""
        group_of = {node: i for i, group in enumerate(groups) for node in group}
        out: set[Node] = set()
        for users in self._users.values():
            if len({group_of.get(node) for node in users}) > 1:
                out |= users
        return out

    def stand_ins(self, node: Node, builder: NativeBuilder) -> dict[Value, int]:
        """Lists for the handles that a node takes.

        Raises:
            Unsupported: if the runner has no lists of such rows.
        """
        made: dict[Value, int] = {}
        for value in node.inputs:
            if value in self._made_by:
                attrs = self._made_by[value].attrs
                dtype = attrs["dtype"] if "dtype" in attrs else attrs["elem_type"]
                if dtype.name not in TYPE_CODES:
                    raise Unsupported(f"there are no lists of {dtype.name}")
                count = builder.constant(np.int32(0))
                (made[value],) = builder.apply("list_begin", [count], [TYPE_CODES[dtype.name], 0])
        return made


class Lowering:
    """Applies the instructions of nodes.

    Args:
        builder: makes the program.
        ids: the values that are there; those that the nodes make are added.
        memory: the memory of variables.
        copied: the nodes whose value is copied.
        begins: told of each node, in branches too, before its instructions are applied, and of a loop for all in it.
    """

    def __init__(
        self,
        builder: NativeBuilder,
        ids: dict[Value, int],
        memory: dict[VariableBuffer, int],
        copied: Set[Node],
        begins: Callable[[Node], None] = lambda node: None,
    ) -> None:
        self._builder, self._ids, self._memory, self._copied = builder, ids, memory, copied
        self._begins = begins

    def lower(self, each: Node | Branches, guard: Guard) -> None:
        """Applies the instructions of a node, or of branches within `guard`.

        Raises:
            Unsupported: if the runner does not have them.
        """
        if not isinstance(each, Node):
            self._lower_branches(each, guard)
        elif each.decl.binding_rule is None:
            self.lower_node(each)

    def _inputs(self, node: Node) -> Inputs:
        return Inputs(node, self._ids, self._builder, self._memory)

    def lower_node(self, node: Node) -> None:
        """Applies the instructions of a node.

        Raises:
            Unsupported: if the runner does not have them.
        """
        builder, ids = self._builder, self._ids
        self._begins(node)
        if node.region is not None:
            begins, self._begins = self._begins, lambda inner: None
            self._lower_loop(node, node.region)
            self._begins = begins
            return
        if node.decl.role is Role.SWITCH:
            if node.inputs[0] in ids or node.inputs[0].constant is not None:
                ids.update(dict.fromkeys(node.outputs, self._inputs(node).of(node.inputs[0])))
            return
        if node not in self._copied and is_plain_read(node):
            buffer = variable_of(node.inputs[0])
            assert buffer is not None
            ids[node.outputs[0]] = self._memory[buffer]
            return
        lowering = lowering_of(node, scalars=True)
        if lowering is None:
            raise Unsupported(f"{node.name} has no instructions")
        made = list(lowering(builder, self._inputs(node)))
        if node in self._copied:
            made = [builder.apply("copy", [value])[0] for value in made]
        ids.update(zip(node.outputs, made, strict=True))

    def _lower_loop(self, node: Node, region: Region) -> None:
        builder, ids, inputs = self._builder, self._ids, self._inputs(node)
        for value in node.notes.get(ASKED, ()):
            builder.apply("ask", [inputs.of(value)])
        count = len(region.variables)
        for inner, outer in zip(region.captures, node.inputs[count:], strict=True):
            if inner.bound is UNBOUND and variable_of(inner) is None:
                ids[inner] = inputs.of(outer)
        variables = builder.apply("loop_begin", inputs[:count])
        ids.update(zip(region.variables, variables, strict=True))
        self._lower_block([each for each in region.nodes if each.early], ())
        builder.apply("loop_test", [inputs.of(region.predicate)])
        self._lower_block([each for each in region.nodes if not each.early], ())
        final = builder.apply("loop_end", [inputs.of(value) for value in region.nexts])
        after: Mapping[Value, int] = dict(zip(region.variables, final, strict=True))
        for output, leaving in zip(node.outputs, region.exits, strict=True):
            ids[output] = after[leaving] if leaving in after else inputs.of(leaving)

    def _lower_block(self, nodes: Sequence[Node], guard: Guard) -> None:
        """Nodes in a loop, with the branches that there are."""
        for each in in_order(nodes, guard):
            self.lower(each, guard)

    def _lower_branches(self, branches: Branches, guard: Guard) -> None:
        builder, ids = self._builder, self._ids
        merges = branches.merges
        first = merges[0] if merges else branches.first()
        inputs = self._inputs(first)
        builder.apply("branch_begin", [inputs.of(branches.predicate)])
        values: list[int] = []
        for taken in (True, False):
            if not taken:
                builder.apply("branch_else", values)
            self._lower_block(branches.nodes[taken], (*guard, (branches.predicate, taken)))
            values = []
            for merge in merges:
                value, index = branches.result(merge, taken, guard)
                values += [inputs.of(value), builder.constant(np.int32(index))]
        results = builder.apply("branch_end", values)
        for i, merge in enumerate(merges):
            ids.update(zip(merge.outputs, results[2 * i : 2 * i + 2], strict=True))


class Trial(Lowering):
    """Finds out whether the runner has the instructions of a node. Loops in it that were tried alone are not again."""

    def __init__(self, builder: Builder, ids: dict[Value, int], memory: dict[VariableBuffer, int], node: Node) -> None:
        super().__init__(builder, ids, memory, frozenset())
        self._node, self._input = node, builder.input

    def succeeds(self) -> bool:
        """Whether it has them."""
        try:
            self.lower(self._node, self._node.guard)
        except Unsupported:
            return False
        if self._node.region is not None:
            self._node.notes[_TRIED] = True
        return True

    def lower_node(self, node: Node) -> None:
        if node is self._node or not is_tried(node):
            super().lower_node(node)
        else:
            self._ids.update((value, self._input(value.dtype.name, ())) for value in node.outputs)


def is_tried(node: Node) -> bool:
    """Whether the node is a loop of which a `Trial` has found that the runner has it."""
    return node.region is not None and _TRIED in node.notes
