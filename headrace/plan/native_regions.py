"""The pass that finds native regions: runs of nodes that one call of the native runner computes.

A torch call from Python takes about a microsecond however little it computes; the runner takes a fiftieth of that. Nodes on
the CPU with native rules that lie in the same branch and the same loop become one region, reordered where that makes runs
longer: values come before what takes them, nodes that write a variable keep their places among those that touch it, and the
other nodes keep their order.
"""

from __future__ import annotations

import contextlib
import heapq
import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from headrace import native
from headrace.core.buffers import VariableBuffer
from headrace.core.native import TYPE_CODES
from headrace.core.planning_facts import Role
from headrace.native.program import Builder, Unsupported
from headrace.plan.branches import Guard
from headrace.plan.handles import Handles, variable_of
from headrace.plan.ir import READ_REFERENCE, UNBOUND, Node, Value, input_positions, regions
from headrace.plan.live import has_effect
from headrace.plan.native_branches import Absorbed, is_branching, nodes_within, read_by, writes_variables
from headrace.plan.native_loops import Lists, Trial, is_native_loop, is_tried
from headrace.plan.native_lowering import is_plain_read, lowering_of
from headrace.plan.native_order import MemoryOrder, first_writes, values_in_variables
from headrace.plan.native_sizes import mark_sizes

# Entering a region takes as long as so many calls save.
_least = 3
_STACKS = frozenset({Role.STACK, Role.STACK_PUSH, Role.STACK_POP})


class RegionMembers:
    """The nodes of one region in the order they run, with the reads of variables that they need.

    Attributes:
        nodes: the nodes that it computes.
        reads: the reads of whole variables among what they take, which it does by itself.
        guard: the branches in which it runs.
    """

    def __init__(self, nodes: Sequence[Node], reads: Sequence[Node], guard: Guard) -> None:
        self.nodes, self.reads, self.guard = tuple(nodes), tuple(reads), guard


class Grouped:
    """The nodes of a plan or of one loop, in the order they run, with their regions.

    Attributes:
        nodes: all nodes.
        regions: of each node that a region computes, the region.
        absorbed: reads of variables that regions alone need.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.regions: dict[Node, RegionMembers] = {}
        self.absorbed: set[Node] = set()


@contextlib.contextmanager
def regions_from(nodes: int) -> Iterator[None]:
    """Inside, plans have regions of at least so many nodes."""
    global _least
    before, _least = _least, nodes
    try:
        yield
    finally:
        _least = before


def are_wanted() -> bool:
    """Whether plans have regions."""
    return native.available()


def find_regions(nodes: Sequence[Node], fetched: Sequence[Value], copied: Set[Node], branches: bool = True) -> Grouped:
    """The nodes in an order that makes regions long, with the regions.

    Args:
        nodes: the nodes in the order they run. Loops get theirs reordered.
        fetched: the values that are used after them.
        copied: the nodes whose value is copied.
        branches: whether branches may be in regions with what is around them. If not, the nodes have been looked at before.
    """
    found = Grouped()
    if len(nodes) < _least and not any(node.region is not None for node in nodes):
        return found
    handles = Handles(nodes)
    if branches:
        mark_sizes(nodes)
    touched = values_in_variables(nodes, handles)
    _find(nodes, fetched, copied, handles, touched, found, branches=branches)
    return found


def _find(
    nodes: Sequence[Node],
    results: Sequence[Value],
    copied: Set[Node],
    handles: Handles,
    touched: Mapping[Value, Sequence[object]],
    found: Grouped,
    around: Sequence[Node] = (),
    branches: bool = True,
) -> None:
    for _, region in regions(nodes):
        inside = Grouped()
        early = [node for node in region.nodes if node.early]
        late = [node for node in region.nodes if not node.early]
        needed = [*region.results, *(value for node in late for value in read_by(node))]
        _find(early, needed, copied, handles, touched, inside, around=region.nodes)
        _find(late, region.results, copied, handles, touched, inside, around=region.nodes)
        region.nodes = inside.nodes
        found.regions |= inside.regions
        found.absorbed |= inside.absorbed
    block = _Block(nodes, results, copied, handles, touched, around, branches)
    if not block.native:
        found.nodes += nodes
        return
    groups = block.scheduled()
    together = [group for group in groups if isinstance(group, list) and _pays(group)]
    inside_of = {node: group for group in together for node in map(id, group)}
    single = {node for group in groups for node in (group if isinstance(group, list) else [group])}
    single = {node for node in single if id(node) not in inside_of}
    needed_reads = {value.node for node in single for value in read_by(node)} | {value.node for value in results}
    needed_reads |= {before for node in nodes for before in node.control}
    placed: set[Node] = set()

    def place_reads(members: Sequence[Node]) -> list[Node]:
        reads = dict.fromkeys(v.node for node in members for v in read_by(node) if v.node in block.reads)
        for read in reads:
            if read not in placed:
                placed.add(read)
                found.nodes.append(read)
                if read not in needed_reads:
                    found.absorbed.add(read)
        return list(reads)

    for group in groups:
        members = group if isinstance(group, list) else [group]
        reads = place_reads(members)
        found.nodes += members
        if id(members[0]) in inside_of:
            found.regions.update(dict.fromkeys(members, RegionMembers(members, reads, block.guard(members[0]))))
    for read in block.reads:
        if read not in placed:
            found.nodes.append(read)


def _pays(group: Sequence[Node]) -> bool:
    """Whether a region saves more than it takes to enter it."""
    calls = sum(_calls(node) for node in group)
    return calls >= _least or any(node.region is not None for node in group)


def _calls(node: Node) -> int:
    """How many calls of torch the node takes at least: an update one for each variable that it writes."""
    if node.type == "NoOp" or node.template is not None or node.decl.binding_rule is not None or is_branching(node):
        return 0
    return max(1, len(input_positions(node, node.decl.writes_state)))


class _Block:
    """The nodes of a plan or of one half of a loop, on their way into regions.

    Attributes:
        native: the nodes that may be in regions.
        reads: reads of whole variables, which have no place of their own: who needs the variable looks at it.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        results: Sequence[Value],
        copied: Set[Node],
        handles: Handles,
        touched: Mapping[Value, Sequence[object]],
        around: Sequence[Node],
        branches: bool,
    ) -> None:
        self._nodes, self._copied, self._handles, self._touched = nodes, copied, handles, touched
        self._here = set(nodes)
        self.reads = {node for node in nodes if node not in copied and is_plain_read(node)}
        # Where a loop runs as Python, its scalars are Python's.
        candidates = {node for node in nodes if node not in self.reads and _is_candidate(node, scalars=not around)}
        self.native: set[Node] = set()
        self._branches = Absorbed(nodes if branches else (), results, candidates)
        candidates |= self._branches.members
        if len(candidates) >= _least or any(node.region is not None for node in candidates):
            candidates -= {node for node in candidates if self._keeps_memory(node)}
            written = first_writes(nodes, handles)
            for handle in first_writes(around, handles):
                # What is given to the other half of the loop, or to the next iteration, is used after that.
                written.setdefault(handle, len(nodes))
            self._lists = Lists(nodes, results)
            last_uses = self._last_uses(results) if written else {}
            self._lending = {node for node in candidates if self._lends(node, written, last_uses)}
            self.native = candidates
            self._keep_lowered()
            self._keep_whole()

    def guard(self, node: Node) -> Guard:
        """The branches in which the region of a native node runs."""
        return () if node in self._branches.members else node.guard

    def _last_uses(self, results: Sequence[Value]) -> dict[Value, float]:
        """The place of the last node that uses a value, or what it handed the value's memory on as."""
        last: dict[Value, float] = dict.fromkeys(results, math.inf)
        for place in range(len(self._nodes) - 1, -1, -1):
            node = self._nodes[place]
            until = max((last.get(value, 0.0) for value in node.outputs), default=0.0) if node.decl.may_alias else 0.0
            for value in read_by(node):
                last[value] = max(last.get(value, 0.0), until, place)
        return last

    def _may_lend(self, node: Node) -> bool:
        """Whether the node gives the memory of variables that it is given, as TensorFlow's does."""
        forwards = node.decl.forwards
        if node in self._copied or node.decl.writes_state:
            return False
        return node.type == READ_REFERENCE or (forwards is not None and forwards(node))

    def _keeps_memory(self, loop: Node) -> bool:
        """Whether the memory of a variable that is written goes around in a loop: a native one has memory of its own."""
        region = loop.region
        if region is None:
            return False
        return any(value in self._touched and self._may_lend(value.node) for value in region.nexts) or any(
            map(self._keeps_memory, region.nodes)
        )

    def _lends(self, node: Node, written: Mapping[int, float], last_uses: Mapping[Value, float]) -> bool:
        """Whether what the node gives is used as the memory of a variable after the step may have written it.

        A region would give the value of before. Only reads of references, and what TensorFlow forwards, are such: other
        views are copied where they are used after a write.

        Args:
            node: the node.
            written: what is written, by identity, with the place of the first node that does.
            last_uses: the place of the last use of each value.
        """
        if not self._may_lend(node):
            return False
        for value in node.outputs:
            leads = {id(handle) for handle in self._touched.get(value, ())}
            if not leads:
                continue
            # What is not known may be any variable.
            may_be = written if id(UNBOUND) in leads else [*leads, id(UNBOUND)]
            if min((written.get(each, math.inf) for each in may_be), default=math.inf) < last_uses.get(value, 0.0):
                return True
        return False

    def _keep_lowered(self) -> None:
        """Leaves out the nodes whose instructions the runner does not have, by applying them all once."""
        builder = Builder()
        known: dict[tuple[object, ...], bool] = {}
        for node in self._nodes:
            if node in self.native and not is_branching(node) and not _is_lowered(node, self._lists, builder, known):
                self.native.discard(node)

    def _keep_whole(self) -> None:
        """Leaves out the nodes that use a list of which not all users are native, and what is left of branches."""
        while True:
            self._branches.keep(self.native)
            split = self._lists.split(self.native)
            split |= {node for node in self.native - self._branches.members if is_branching(node)}
            # What is given inside of branches stays there.
            split |= {node for node in self._lending if not self._branches.is_inside(node)}
            if self.native.isdisjoint(split):
                return
            self.native -= split

    # ---- in which order

    def scheduled(self) -> list[Node | list[Node]]:
        """The nodes in their order, those of a region as a list; reads of variables are left out.

        Nodes outside of regions keep their order. When the next of them needs a native node that has not run, all native
        nodes run that can.
        """
        while True:
            before = self._before()
            result = [_writes_last(each, before) if isinstance(each, list) else each for each in self._grouped(before)]
            groups = [group for group in result if isinstance(group, list)]
            parted = self._lists.parted(groups) & self.native
            alone = self._branches.parted([group for group in groups if _pays(group)], self._lending)
            if not parted and not alone:
                return result
            self.native -= parted
            self._branches.bar(alone)
            self._keep_whole()

    def _grouped(self, before: Mapping[Node, Set[Node]]) -> list[Node | list[Node]]:
        waiting = _Waiting(self._nodes, self.native, before)
        result: list[Node | list[Node]] = []
        for node in self._nodes:
            if node in self.native or node in self.reads:
                continue
            if not before[node] <= waiting.done:
                self._flush(waiting, result, before[node])
            result.append(node)
            waiting.finish(node)
        self._flush(waiting, result, self.native)
        return result

    def _flush(self, waiting: _Waiting, result: list[Node | list[Node]], wanted: Set[Node]) -> None:
        """Runs the native nodes that can run, those of one guard together.

        Nodes on lists wait for the others on the same lists, unless what is wanted needs them.
        """
        held: set[Node] = set()
        holds = True
        while True:
            groups = waiting.able(self.guard, held)
            parted = self._lists.parted(groups) & {node for group in groups for node in group} if holds else set()
            if parted:
                held |= parted
                continue
            if not groups:
                if not held or wanted <= waiting.done:
                    return
                held, holds = set(), False
                continue
            held = set()
            for group in groups:
                result.append(group)
                for node in group:
                    waiting.finish(node)

    def _before(self) -> dict[Node, set[Node]]:
        """What must have run before each node."""
        before: dict[Node, set[Node]] = {}
        order = MemoryOrder(self._touched, self._handles)
        fallible: Node | None = None
        native: list[Node] = []
        guarded: dict[Guard, list[Node]] = {}
        for node in self._nodes:
            if node in self.reads:
                continue
            needed = {value.node for value in read_by(node)}
            needed.update(node.control)
            needed.update(order.before(node))
            if node in self.native:
                if writes_variables(node):
                    # A step that fails has changed as little as it can. Those before the last one run before it; those of
                    # the node's own guard are in its group.
                    needed.update(() if fallible is None else (fallible,))
                    needed.update(
                        each for guard, nodes in guarded.items() if guard != self.guard(node) for each in nodes
                    )
                if not node.decl.cannot_fail:
                    native.append(node)
                    if node.decl.role is None:
                        guarded.setdefault(self.guard(node), []).append(node)
            else:
                if not node.decl.cannot_fail and node.decl.role is None:
                    fallible = node
                if has_effect(node) and node.decl.role not in _STACKS:
                    needed.update(native)
                    native = []
            before[node] = (needed & self._here) - self.reads
        return before


class _Waiting:
    """The native nodes of a block, while they wait for what has to run before them.

    What each waits for is counted down, so that those that can run are found without looking at all others.

    Args:
        nodes: the nodes of the block.
        native: those that wait.
        before: what must have run before each.

    Attributes:
        done: what has run.
    """

    def __init__(self, nodes: Sequence[Node], native: Set[Node], before: Mapping[Node, Set[Node]]) -> None:
        self._nodes, self._before = nodes, before
        self._place = {node: place for place, node in enumerate(nodes) if node in native}
        self._missing = {node: len(before[node]) for node in self._place}
        self._after: dict[Node, list[Node]] = {}
        for node in self._place:
            for other in before[node]:
                self._after.setdefault(other, []).append(node)
        self._ready = {node for node, count in self._missing.items() if not count}
        self.done: set[Node] = set()

    def finish(self, node: Node) -> None:
        """Takes note of that a node has run."""
        self.done.add(node)
        self._ready.discard(node)
        for later in self._after.get(node, ()):
            self._missing[later] -= 1
            if not self._missing[later]:
                self._ready.add(later)

    def able(self, guard: Callable[[Node], Guard], held: Set[Node]) -> list[list[Node]]:
        """Those that can run now or after others of the same guard, by guard, each in the order of the block.

        Args:
            guard: the guard of a node.
            held: nodes that may not.
        """
        groups: dict[Guard, list[Node]] = {}
        guards: dict[Node, Guard] = {}
        missing: dict[Node, int] = {}
        places = [self._place[node] for node in self._ready]
        heapq.heapify(places)
        while places:
            place = heapq.heappop(places)
            node = self._nodes[place]
            key = guard(node)
            if node in held or any(guards.get(other) != key for other in self._before[node] if other not in self.done):
                continue
            groups.setdefault(key, []).append(node)
            guards[node] = key
            for later in self._after.get(node, ()):
                missing[later] = missing.get(later, self._missing[later]) - 1
                if not missing[later] and self._place[later] > place:
                    heapq.heappush(places, self._place[later])
        return list(groups.values())


def _is_candidate(node: Node, scalars: bool) -> bool:
    if node.decl.binding_rule is not None:
        # Nothing is computed; but what it waits for, or decides about it, may be in a region.
        return node.outputs[0].constant is not None and bool(node.control or node.guard)
    return is_native_loop(node) if node.region is not None else lowering_of(node, scalars) is not None


def _writes_last(group: list[Node], before: Mapping[Node, Set[Node]]) -> list[Node]:
    """The nodes of a group, those first that need no write of a variable: what fails then has changed nothing."""
    late: dict[Node, None] = {}
    for node in group:
        if writes_variables(node) or any(other in late for other in before[node]):
            late[node] = None
    return [*(node for node in group if node not in late), *late] if late else group


def _is_lowered(node: Node, lists: Lists, builder: Builder, known: dict[tuple[object, ...], bool]) -> bool:
    """Whether the runner has the instructions of a node, for values of its types."""
    # What is within a loop, and what a handle leads to, types do not tell.
    single = node.region is None and not node.decl.on_list
    key = (lowering_of(node, scalars=True), *(value.dtype.name for value in node.inputs)) if single else (node,)
    answer = known.get(key)
    if answer is None:
        memory: dict[VariableBuffer, int] = {}
        for value in (
            value for each in nodes_within(node, lambda n: n is node or not is_tried(n)) for value in each.inputs
        ):
            buffer = variable_of(value)
            if buffer is not None and buffer.dtype.name in TYPE_CODES:
                memory[buffer] = builder.buffer(buffer.dtype.name, ())
        try:
            ids = lists.stand_ins(node, builder)
            for value in node.inputs:
                if value.bound is UNBOUND and value not in ids and value.dtype.name in TYPE_CODES:
                    ids[value] = builder.input(value.dtype.name, ())
        except Unsupported:
            answer = False
        else:
            answer = Trial(builder, ids, memory, node).succeeds()
        known[key] = answer
    return answer
