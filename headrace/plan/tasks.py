"""The pass that cuts a plan where devices name other tasks of a cluster.

The nodes of another task become parts, each of which that task plans and runs on its own: in the plan a part is two nodes,
`_RemoteCall`, which sends what the part needs and does not wait, and `_RemoteResult`, which waits for what it gives. All else
that is ready runs between the two, calls to other tasks first.

Nodes of one task, and of one branch, are one part if as many changes of place lie before them: a change is an edge from one
task to another, or to a branch. So a part needs nothing that comes of itself, and there are no more parts than rounds. An
operation that may wait for what other steps do is a part of its own, lest its task's other results wait with it.

Variables, queues and tables stay where they are. What leads to them is a node without inputs, which each part has of its own;
a reference that comes out of one part is taken, in another, from the variable itself.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

import torch

from headrace.core.dtypes import variant
from headrace.core.planning_facts import Role
from headrace.plan.branches import Guard, guard_of, taken_inputs
from headrace.plan.graph import PlanGraph
from headrace.plan.ir import READ_REFERENCE, UNBOUND, Node, Region, Value, declared, input_positions, is_remote
from headrace.plan.live import has_effect
from headrace.plan.loops import topological
from headrace.plan.task_parts import PartWriter, TaskPart

if TYPE_CHECKING:
    from headrace.core.typing import Runtime

_CPU = torch.device("cpu")
_HANDLES = frozenset({"resource", "variant"})
# Gradients are taken from several accumulators at once, in one call: they are complete when those of all workers are there.
_TAKE_GRADIENT = frozenset(
    {"AccumulatorTakeGradient", "SparseAccumulatorTakeGradient", "ResourceAccumulatorTakeGradient"}
)


def cut_tasks(graph: PlanGraph) -> None:
    """Cuts the plan into what this task does and parts of others."""
    cut = _Cut(graph.nodes, graph.runtime, graph.fetches, graph.targets, {})
    graph.nodes = cut.run()
    graph.fetches = [cut.replaced.get(value, value) for value in graph.fetches]
    graph.targets = cut.standing_for(graph.targets)
    graph.keep = set(cut.standing_for(graph.keep))


def _is_handle(value: Value) -> bool:
    return value.dtype._is_ref_dtype or value.dtype.name in _HANDLES


def _waited_for(node: Node) -> list[Node]:
    """What a node waits for, also because a constant that it takes does."""
    found = dict.fromkeys(node.control)
    pending = [value.node for value in node.inputs if value.bound is not UNBOUND]
    while pending:
        constant = pending.pop()
        found.update(dict.fromkeys(constant.control))
        pending += [value.node for value in constant.inputs if value.bound is not UNBOUND]
    return list(found)


def _read_of(value: Value) -> Value:
    """The reference of which a value is what lies there before any update that it does not wait for.

    In TensorFlow it leaves for the other task at once, while an update still waits for what comes from there.
    """
    while value.node.type in ("Identity", READ_REFERENCE):
        value = value.node.inputs[0]
    return value


class _Part:
    """Nodes that run together as another task."""

    def __init__(self, first: Node, level: int) -> None:
        self.task, self.level = first.device.index, level
        self.nodes: list[Node] = []
        self.guard, self.early = first.guard, first.early
        self.writer = PartWriter(self.task)
        self.wanted: dict[Value, None] = {}
        self.written: set[Value] = set()
        self.after: dict[Node, None] = {}
        self.call: Node | None = None
        self.result: Node | None = None


class _Cut:
    """One list of nodes, the plan's or a loop's, as it is cut.

    Args:
        nodes: in topological order.
        runtime: the session's state.
        wanted: the values that leave the list.
        targets: the nodes that something outside waits for.
        outer: what values inside of loops stand for.

    Attributes:
        replaced: for values of other tasks, those that stand for them.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        runtime: Runtime,
        wanted: Sequence[Value],
        targets: Iterable[Node],
        outer: dict[Value, Value],
    ) -> None:
        self._nodes, self._runtime, self._outer = nodes, runtime, outer
        self._wanted, self._targets = wanted, set(targets)
        self.replaced: dict[Value, Value] = {}
        self._part_of: dict[Node, _Part] = {}
        self._levels: dict[Node, int] = {}
        self._places: dict[Node, Hashable] = {}
        self._parts: dict[Hashable, _Part] = {}

    def run(self) -> list[Node]:
        """The nodes that are left, those that stand for parts among them."""
        for node in self._nodes:
            if node.region is not None:
                self._cut_region(node, node.region)
            if is_remote(node) and self._belongs_here(node):
                node.device = self._runtime.device
        self._group()
        self._note_uses()
        for part in self._parts.values():
            self._write(part)
        for part in self._parts.values():
            part.after.update(dict.fromkeys(self._read_before(part)))
        for part in self._parts.values():
            self._stand_for(part)
        return self._left()

    def standing_for(self, nodes: Iterable[Node]) -> list[Node]:
        """What runs in the place of nodes that were to run."""
        found: dict[Node, None] = {}
        for node in nodes:
            part = self._part_of.get(node)
            if part is not None and part.result is not None:
                found[part.result] = None
            elif not is_remote(node):
                found[node] = None
        return list(found)

    # ---- loops

    def _cut_region(self, loop: Node, region: Region) -> None:
        count = len(region.variables)
        outer = {**self._outer, **dict(zip(region.captures, loop.inputs[count:], strict=True))}
        cut = _Cut(region.nodes, self._runtime, region.results, region.waits, outer)
        region.nodes = cut.run()
        region.take_results([cut.replaced.get(value, value) for value in region.results])
        region.waits = cut.standing_for(region.waits)
        # Parts inside have what leads to variables of their own.
        kept = [
            (inner, value)
            for inner, value in zip(region.captures, loop.inputs[count:], strict=True)
            if not (_is_handle(value) and value.bound is UNBOUND and is_remote(self._source(value).node))
        ]
        region.captures = [inner for inner, _ in kept]
        loop.inputs = [*loop.inputs[:count], *(value for _, value in kept)]

    # ---- which nodes run together

    @staticmethod
    def _belongs_here(node: Node) -> bool:
        """Whether a node is this task's whatever its device: branches and loops say whether and how often parts run."""
        if node.decl.role is not None or node.region is not None or node.type == "NoOp":
            return True
        return bool(node.outputs) and all(value.bound is not UNBOUND for value in node.outputs)

    def _is_repeated(self, node: Node) -> bool:
        """Whether each part that needs it has such a node of its own.

        What leads to state is. So is the value of a reference, which in TensorFlow is the variable's own memory: who
        takes it after an update sees the update.
        """
        if not is_remote(node):
            return False
        if node.decl.binding_rule is not None or node.type == READ_REFERENCE:
            return True
        return node.type == "Identity" and node not in self._targets and self._is_repeated(node.inputs[0].node)

    def _source(self, value: Value) -> Value:
        """The value that is taken for `value`: for what leads to state, the node that says where that is."""
        while True:
            node = value.node
            if value in self._outer and _is_handle(value):
                value = self._outer[value]
            elif (
                (node.decl.role is Role.SWITCH and (_is_handle(value) or is_remote(node.inputs[0].node)))
                or (_is_handle(value) and is_remote(node) and node.decl.handle_of == "first")
                or (_is_handle(value) and node.type == "Identity")
            ):
                value = node.inputs[0]
            else:
                return value

    def _group(self) -> None:
        for node in self._nodes:
            place = self._place(node)
            self._places[node] = place
            self._levels[node] = max((self._level_after(before, node) for before in self._before(node)), default=0)
            if is_remote(node) and not self._is_repeated(node):
                self._join(node)

    def _join(self, node: Node) -> _Part:
        """Puts a node into the part where it belongs."""
        key = (self._places[node], self._levels[node])
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = _Part(node, self._levels[node])
        part.nodes.append(node)
        self._part_of[node] = part
        return part

    def _place(self, node: Node) -> Hashable:
        if not is_remote(node):
            return None
        alone: Hashable = None
        if node.decl.may_wait:
            alone = "gradients" if node.type in _TAKE_GRADIENT else node
        return (node.device.index, node.guard, node.early, alone)

    def _before(self, node: Node) -> Iterable[Node]:
        for value in node.inputs if node.decl.role is not Role.MERGE else taken_inputs(node):
            if value.bound is not UNBOUND:
                continue
            yield value.node
            if is_remote(node):
                yield self._source(value).node
        yield from _waited_for(node)
        for pred, _ in node.guard:
            yield pred.node
        if node.decl.role is Role.MERGE:
            for value in taken_inputs(node):
                yield from (pred.node for pred, _ in guard_of(value))

    def _level_after(self, before: Node, node: Node) -> int:
        level = self._levels.get(before)
        if level is None:
            # It comes from outside of the loop.
            return 0
        same = self._places[before] == self._places[node]
        same = same or (self._is_repeated(before) and before.device == node.device)
        return level if same else level + 1

    # ---- what comes in and goes out

    def _note_uses(self) -> None:
        """Notes which values of parts others take."""
        for node in self._nodes:
            if self._is_repeated(node):
                continue
            inside = self._part_of.get(node)
            values = list(node.inputs if node.decl.role is not Role.MERGE else taken_inputs(node))
            if inside is not None:
                values = [self._source(value) for value in values]
            elif node.decl.role is Role.SWITCH and _is_handle(node.inputs[0]):
                values = values[1:]
            for value in [*values, *(pred for pred, _ in node.guard)]:
                self._note_use(value, inside)
        for value in self._wanted:
            self._note_use(value, None)

    def _note_use(self, value: Value, inside: _Part | None) -> None:
        if value.bound is not UNBOUND:
            return
        part = self._part_of.get(value.node)
        if self._is_repeated(value.node):
            if inside is not None and inside.task == value.node.device.index:
                return
            part = part or self._join(value.node)
        if part is not None and part is not inside:
            part.wanted[value] = None

    def _write(self, part: _Part) -> None:
        writer = part.writer
        inside = set(part.nodes)
        for node in part.nodes:
            if writer.has(node):
                continue
            self._write_node(part, inside, node)
        targets = [node for node in part.nodes if has_effect(node) or node in self._targets]
        part.written = {variable for node in part.nodes for variable in self._written(node)}
        # Several values may be one, such as what is read of a variable for several operations.
        wanted: dict[str, Value] = {}
        names: dict[Value, str] = {}
        for value in part.wanted:
            names[value] = writer.copy(value) if _read_of(value) in part.written else writer.name(value)
            wanted.setdefault(names[value], value)
        places = {name: i for i, name in enumerate(wanted)}
        description = writer.finished(wanted, targets)
        part.call, part.result = self._nodes_of(part, description)
        for value in part.wanted:
            self.replaced[value] = part.result.outputs[places[names[value]]]

    def _written(self, node: Node) -> list[Value]:
        """What leads to the variables that a node writes to."""
        return [self._source(node.inputs[i]) for i in input_positions(node, node.decl.writes_state)]

    def _read_before(self, part: _Part) -> Iterable[Node]:
        """What earlier parts read of the variables that a part writes to: both might be under way at the same time."""
        for other in self._parts.values():
            if other.task != part.task or other.level >= part.level or other.guard != part.guard[: len(other.guard)]:
                continue
            for value in other.wanted:
                if _read_of(value) in part.written:
                    yield value.node
                    break

    def _write_node(self, part: _Part, inside: set[Node], node: Node) -> None:
        inputs = [self._input(part, inside, value) for value in node.inputs]
        controls = []
        for before in _waited_for(node):
            if before in inside and part.writer.has(before):
                controls.append(part.writer.node_name(before))
            elif not self._is_repeated(before):
                part.after[before] = None
        part.writer.add(node, inputs, controls)

    def _input(self, part: _Part, inside: set[Node], value: Value) -> str:
        source = self._source(value)
        writer = part.writer
        if source.bound is not UNBOUND and source.constant is not None:
            return writer.constant(source)
        repeated = self._is_repeated(source.node) and source.node.device.index == part.task
        if source.node in inside and not repeated:
            return writer.name(source)
        if value.node is not source.node and value.node not in inside and value.node in self._part_of:
            # The variable is the same, and what the reference came from has to have run.
            part.after[value.node] = None
        if repeated:
            if not writer.has(source.node):
                self._write_node(part, inside, source.node)
            return writer.name(source)
        return writer.feed(source)

    def _nodes_of(self, part: _Part, description: TaskPart) -> tuple[Node, Node]:
        """The two nodes that stand for a part."""
        like, fed = part.nodes[0], part.writer.fed
        name = f"{like.name} as task {part.task}"
        attrs = {"T": list(description.feed_types)}
        call = Node(declared("_RemoteCall"), name, fed, attrs, like.origin, self._runtime, _CPU)
        call.outputs = [Value(call, 0, variant, ())]
        decl = declared("_RemoteWait" if any(node.decl.may_wait for node in part.nodes) else "_RemoteResult")
        attrs = {"T": list(description.fetch_types)}
        result = Node(decl, name, [call.outputs[0]], attrs, like.origin, self._runtime, _CPU)
        result.outputs = [
            Value(result, i, dtype, dims)
            for i, (dtype, dims) in enumerate(zip(description.fetch_types, description.fetch_dims, strict=True))
        ]
        for node in (call, result):
            node.notes["part"] = description
            node.serial = min(each.serial for each in part.nodes)
            node.guard, node.early = part.guard, part.early
        return call, result

    # ---- what is left

    def _stand_for(self, part: _Part) -> None:
        assert part.call is not None
        assert part.result is not None
        call = part.call
        call.inputs = [self.replaced.get(value, value) for value in call.inputs]
        call.control = [node for node in self.standing_for(part.after) if node is not part.result]
        guard = self._guard(part.guard)
        call.guard = part.result.guard = guard

    def _guard(self, guard: Guard) -> Guard:
        return tuple((self.replaced.get(pred, pred), taken) for pred, taken in guard)

    def _left(self) -> list[Node]:
        left: list[Node] = []
        for part in self._parts.values():
            assert part.call is not None
            assert part.result is not None
            left += [part.call, part.result]
        for node in self._nodes:
            if is_remote(node):
                continue
            node.inputs = [self.replaced.get(value, value) for value in node.inputs]
            node.control = self.standing_for(node.control)
            node.guard = self._guard(node.guard)
            left.append(node)
        return topological(self._without_dead_switches(left))

    def _without_dead_switches(self, nodes: list[Node]) -> list[Node]:
        """The nodes without those that would choose whether a variable of another task is used: its parts know it."""
        used = {value for node in nodes for value in node.inputs} | set(self._wanted)
        gone = {
            node
            for node in nodes
            if node.decl.role is Role.SWITCH
            and _is_handle(node.inputs[0])
            and is_remote(self._source(node.inputs[0]).node)
            and not used.intersection(node.outputs)
        }
        return [node for node in nodes if node not in gone]
