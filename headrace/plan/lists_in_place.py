"""The pass that changes lists in place: TensorLists that loops carry, of which each version is used once.

A list goes round a loop as a value: what is written to it is another list. Where nobody looks at the older one, a list that
is changed in place does as well. It need not go round, and the native runner has such lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headrace.core.planning_facts import Role
from headrace.plan.graph import PlanGraph
from headrace.plan.ir import Node, Region, Value, consumers_of, regions
from headrace.plan.list_conversion import READERS, WRITERS, Access, Conversion, added_by
from headrace.plan.live import keep_live
from headrace.plan.loops import drop_unused_captures, topological


class _Unfit(Exception):
    """Raised for a list that has to stay a value."""


def change_lists_in_place(graph: PlanGraph) -> None:
    """Has lists that go round loops changed in place, where that is the same."""
    blocks = Blocks(graph)
    conversion = Conversion(blocks)
    for block in blocks.all:
        for loop in [node for node in block.nodes if node.region is not None]:
            _captured_lists(loop, block, conversion)
            _carried_lists(loop, block, conversion)
    if blocks.changed:
        blocks.finish()
        graph.nodes = keep_live(topological(blocks.all[0].nodes), graph.fetches, graph.targets)
        for loop, region in _all_regions(graph.nodes):
            drop_unused_captures(loop, region)
        graph.nodes = keep_live(graph.nodes, graph.fetches, graph.targets)


def _all_regions(nodes: Sequence[Node]) -> Iterator[tuple[Node, Region]]:
    """The loops with their regions, inner ones first."""
    for loop, region in regions(nodes):
        yield from _all_regions(region.nodes)
        yield loop, region


class Block:
    """The nodes of the plan or of a loop.

    Args:
        nodes: its nodes.
        results: the values that are used after them.
        loop: the loop, None for the plan.
        around: the block of the loop.
    """

    def __init__(self, nodes: list[Node], results: Sequence[Value], loop: Node | None, around: Block | None) -> None:
        self.nodes, self.loop, self.around = list(nodes), loop, around
        self._results = results
        self._users: dict[Value, list[Node]] | None = None

    def users(self, value: Value) -> list[Node]:
        """The nodes that take a value."""
        if self._users is None:
            self._users = consumers_of(self.nodes)
        return list(dict.fromkeys(self._users.get(value, ())))

    def has_result(self, value: Value) -> bool:
        """Whether a value is used after the nodes: fetched, or by the next iteration."""
        results = self._results if self.loop is None else _region(self.loop).results
        return any(value is each for each in results)

    def is_used(self, value: Value) -> bool:
        """Whether anything uses a value."""
        return bool(self.users(value)) or self.has_result(value)

    def change(self) -> None:
        """Notes that its nodes take other values from now on."""
        self._users = None

    def finish(self) -> None:
        """Puts the nodes of a loop in order."""
        if self.loop is not None:
            early = topological([node for node in self.nodes if node.early])
            _region(self.loop).nodes = [*early, *topological([node for node in self.nodes if not node.early])]


class Blocks:
    """The blocks of a plan, outer ones first.

    Attributes:
        all: the blocks.
        of_loop: of each loop its block.
        changed: whether any node is another one now.
    """

    def __init__(self, graph: PlanGraph) -> None:
        self.all: list[Block] = []
        self.of_loop: dict[Node, Block] = {}
        self.changed = False
        self._add(Block(graph.nodes, graph.fetches, None, None))

    def _add(self, block: Block) -> None:
        self.all.append(block)
        if block.loop is not None:
            self.of_loop[block.loop] = block
        for node in block.nodes:
            if node.region is not None:
                self._add(Block(node.region.nodes, node.region.results, node, block))

    def finish(self) -> None:
        """Puts the nodes of all loops in order."""
        for block in self.all:
            block.finish()


def _region(loop: Node) -> Region:
    assert loop.region is not None
    return loop.region


def _captured_lists(loop: Node, block: Block, conversion: Conversion) -> None:
    """Lists that a loop looks at."""
    region = _region(loop)
    for value, inner in list(zip(loop.inputs[len(region.variables) :], region.captures, strict=True)):
        if value.dtype.name == "variant" and conversion.has_maker(value, block):
            found = _Found(conversion.blocks)
            try:
                found.look_into(loop, value, inner, block, [])
            except _Unfit:
                continue
            if any(access.node.type in READERS for access in found.accesses):
                conversion.look_at(value, block, found.accesses, found.loops)


def _carried_lists(loop: Node, block: Block, conversion: Conversion) -> None:
    """Lists that a loop carries."""
    region = _region(loop)
    for variable in list(region.variables):
        value = loop.inputs[region.variables.index(variable)]
        if value.dtype.name != "variant" or not conversion.has_maker(value, block):
            continue
        found = _Found(conversion.blocks)
        try:
            version = found.carried(loop, variable, _Version(value, []), block)
            last = version if version.value is variable else found.follow(version, block)
            if (last.value is not variable and block.has_result(last.value)) or not found.can_be_in_order():
                raise _Unfit
        except _Unfit:
            continue
        conversion.change(value, block, found.accesses, found.loops, found.passed)


def _depends(node: Node, other: Node) -> bool:
    """Whether a node needs what another one gives, or waits for it."""
    pending, seen = [node], {node}
    while pending:
        each = pending.pop()
        for before in (*(value.node for value in each.inputs), *(pred.node for pred, _ in each.guard), *each.control):
            if before is other:
                return True
            if before not in seen:
                seen.add(before)
                pending.append(before)
    return False


class _Version:
    """A version of a list: its value, and the nodes of the block that have to run before it is there."""

    def __init__(self, value: Value, after: Sequence[Node]) -> None:
        self.value, self.after = value, list(dict.fromkeys(after))


class _Found:
    """What is done with a list, in the order in which it is.

    Attributes:
        accesses: what nodes do with it.
        loops: the loops that take it, outer ones first: with what stands for it inside, and the nodes they come after.
        passed: the nodes that only hand it on, those that begin and end branches among them.
    """

    def __init__(self, blocks: Blocks) -> None:
        self._blocks = blocks
        self.accesses: list[Access] = []
        self.loops: list[tuple[Node, Block, Value, list[Node]]] = []
        self.passed: list[tuple[Node, Block]] = []

    def follow(self, version: _Version, block: Block, writes: bool = True) -> _Version:
        """Follows a list through a block; returns its last version there, which a Merge may take.

        Raises:
            _Unfit: if a version is used after a later one was made.
        """
        while True:
            readers, writers, switches, merges = self._uses(version.value, block)
            for node in readers:
                self._read(node, version, block)
            after = [*version.after, *readers]
            hands_on = len(writers) == 1 and writers[0].type == "Identity"
            if bool(merges) + bool(switches) + len(writers) > 1 or (writers and not writes and not hands_on):
                raise _Unfit
            if switches:
                following = self._branches(switches, _Version(version.value, after), block, writes)
            elif writers:
                following = self._write(writers[0], _Version(version.value, after), block)
            else:
                return _Version(version.value, after)
            if following is None:
                return _Version(version.value, after)
            if following.value is version.value:
                return following
            version = following

    def can_be_in_order(self) -> bool:
        """Whether what looks at a version can do so before the next one is made."""
        steps = [(access.node, access.after) for access in self.accesses]
        steps += [(loop, after) for loop, _, _, after in self.loops]
        return not any(
            before.type not in WRITERS and before.region is None and _depends(before, node)
            for node, after in steps
            for before in after
        )

    def _uses(self, value: Value, block: Block) -> tuple[list[Node], list[Node], list[Node], list[Node]]:
        """The nodes that take a value: those that read it, write it or hand it on, and begin and end branches."""
        readers: list[Node] = []
        writers: list[Node] = []
        switches: list[Node] = []
        merges: list[Node] = []
        for node in block.users(value):
            if sum(given is value for given in node.inputs) > 1:
                raise _Unfit
            if node.region is not None:
                is_carried = any(value is given for given in node.inputs[: len(node.region.variables)])
                (writers if is_carried else readers).append(node)
            elif node.type in WRITERS or node.type == "Identity" or added_by(node, value, block) is not None:
                writers.append(node)
            elif node.decl.role is Role.SWITCH:
                switches.append(node)
            else:
                (merges if node.decl.role is Role.MERGE else readers).append(node)
        return readers, writers, switches, merges

    def _read(self, node: Node, version: _Version, block: Block) -> None:
        if node.region is None:
            self.accesses.append(Access(node, block, version.value, version.after))
            return
        place = next(i for i, given in enumerate(node.inputs) if given is version.value)
        inner = node.region.captures[place - len(node.region.variables)]
        self.look_into(node, version.value, inner, block, version.after)

    def look_into(self, loop: Node, value: Value, inner: Value, block: Block, after: Sequence[Node]) -> None:
        """Follows a list through a loop that only looks at it.

        Args:
            loop: the loop.
            value: the list outside of it.
            inner: what stands for it inside.
            block: where the loop is.
            after: what comes before the loop.

        Raises:
            _Unfit: if the loop does more.
        """
        inside = self._blocks.of_loop[loop]
        self.loops.append((loop, block, inner, list(after)))
        last = self.follow(_Version(inner, []), inside, writes=False)
        if inside.has_result(inner) or inside.has_result(last.value):
            raise _Unfit

    def _write(self, node: Node, version: _Version, block: Block) -> _Version:
        if node.region is not None:
            variable = node.region.variables[next(i for i, each in enumerate(node.inputs) if each is version.value)]
            return self.carried(node, variable, version, block)
        if node.type == "Identity":
            self.passed.append((node, block))
            return _Version(node.outputs[0], [*version.after, *node.control])
        self.accesses.append(Access(node, block, version.value, version.after))
        return _Version(node.outputs[0], added_by(node, version.value, block) or [node])

    def carried(self, loop: Node, variable: Value, version: _Version, block: Block) -> _Version:
        """Follows a list through a loop that carries it; returns what leaves the loop, or the variable if nothing does.

        Raises:
            _Unfit: if it is not the same list that goes round and leaves.
        """
        region = _region(loop)
        inside = self._blocks.of_loop[loop]
        self.loops.append((loop, block, variable, version.after))
        last = self.follow(_Version(variable, []), inside)
        place = next(i for i, each in enumerate(region.variables) if each is variable)
        if region.nexts[place] is not last.value or sum(each is last.value for each in region.nexts) > 1:
            raise _Unfit
        if any(each is last.value and each is not variable for each in region.exits):
            raise _Unfit
        leaving = [loop.outputs[i] for i, each in enumerate(region.exits) if each is variable]
        used = [value for value in leaving if block.is_used(value)]
        if len(used) > 1:
            raise _Unfit
        return _Version(used[0] if used else variable, [loop])

    def _branches(self, switches: Sequence[Node], version: _Version, block: Block, writes: bool) -> _Version | None:
        """Follows a list through branches; returns what they merge to, or None if they only look at it."""
        merged: _Version | None = None
        reads: list[Node] = []
        for switch in switches:
            if merged is not None:
                # It is used again after it was changed.
                raise _Unfit
            self.passed.append((switch, block))
            before = [*version.after, *reads]
            ends = [self.follow(_Version(value, before), block, writes) for value in switch.outputs]
            merges = {node for end in ends for node in block.users(end.value) if node.decl.role is Role.MERGE}
            if not merges:
                if any(end.value is not value for end, value in zip(ends, switch.outputs, strict=True)):
                    raise _Unfit
                reads += [node for end in ends for node in end.after if node not in before]
                continue
            merge = merges.pop()
            if merges or {id(value) for value in merge.inputs} != {id(end.value) for end in ends}:
                raise _Unfit
            if block.is_used(merge.outputs[1]):
                raise _Unfit
            self.passed.append((merge, block))
            merged = _Version(merge.outputs[0], [node for end in ends for node in end.after])
        if merged is None and reads:
            return _Version(version.value, [*version.after, *reads])
        return merged
