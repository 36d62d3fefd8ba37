"""Plans in which several operations may wait for one another, such as an enqueue and a dequeue fetched together.

A plan is one function run in the caller's thread. That is right while each operation that may wait needs what the one
before it gives. Otherwise the plan is cut: the nodes that need the same waits become one function each, and whatever can
run does so before the thread waits, for any of the waits to end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.errors import OpError
from headrace.core.planning_facts import Role
from headrace.core.waiting import Attempt, Call
from headrace.plan.branches import guard_of
from headrace.plan.emit import Emitted, emit
from headrace.plan.graph import PlanGraph
from headrace.plan.handles import Handles, may_be_same
from headrace.plan.ir import UNBOUND, Node, Value

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import Kernel
    from headrace.core.waiting import Waits


def may_wait(node: Node) -> bool:
    """Whether the node, or one in the loop that it is, may wait."""
    return node.decl.may_wait or (node.region is not None and any(map(may_wait, node.region.nodes)))


def find_waits(nodes: Sequence[Node]) -> dict[Node, int] | None:
    """For each node the set of waits before it, as bits; None where a plain function does.

    Args:
        nodes: in the order they run.
    """
    if sum(map(may_wait, nodes)) < 2:
        return None
    masks: dict[Node, int] = {}
    reached: dict[Node, int] = {}
    seen, chain = 0, True
    for node in nodes:
        mask = 0
        for value in node.inputs:
            mask |= reached.get(value.node, 0)
        for pred, _ in node.guard:
            mask |= reached.get(pred.node, 0)
        for before in node.control:
            mask |= reached.get(before, 0)
        masks[node] = mask
        if may_wait(node):
            chain = chain and mask == seen
            seen = 2 * seen + 1
            mask |= seen & ~(seen >> 1)
        reached[node] = mask
    return None if chain else masks


class _Part:
    """A function, or a node that may wait, with where its values come from and go to.

    Attributes:
        mask: the waits before it.
        bit: its own wait, 0 for a function.
        taken: for a node in a branch, the slots of the predicates and what they must be.
    """

    __slots__ = ("bit", "call", "inputs", "mask", "node", "outputs", "taken")

    def __init__(self, mask: int, bit: int, call: Kernel, node: Node | None = None) -> None:
        self.mask = mask
        self.bit = bit
        self.call = call
        self.node = node
        self.inputs: list[tuple[int, Any]] = []
        self.outputs: list[int] = []
        self.taken: list[tuple[int, bool]] = []


class _Slots:
    """The places of the values that pass between parts."""

    def __init__(self, feeds: Sequence[Value]) -> None:
        self.place = {value: i for i, value in enumerate(feeds)}

    def of(self, value: Value) -> int:
        return self.place.setdefault(value, len(self.place))

    def source(self, value: Value) -> tuple[int, Any]:
        """The slot of a value, or -1 and what it always is."""
        return (self.of(value), None) if value.bound is UNBOUND else (-1, value.bound)


def emit_parts(graph: PlanGraph, observed: bool = False) -> tuple[Emitted, dict[str, dict[int, Node]]]:
    """Writes and compiles the parts of a plan whose waits have been found.

    Returns:
        the whole, and for each file name the nodes of its lines.
    """
    return _Parts(graph, observed).emitted()


class _Parts:
    """The parts of one plan, as they are emitted.

    Args:
        graph: the planned graph.
        observed: whether they are to call an observer.
    """

    def __init__(self, graph: PlanGraph, observed: bool) -> None:
        assert graph.waits is not None
        self._graph, self._observed = graph, observed
        self._waits = graph.waits
        # Nodes that run together: those that need the same waits.
        self._groups: dict[int, list[Node]] = {}
        for node in graph.nodes:
            if not may_wait(node):
                self._groups.setdefault(graph.waits[node], []).append(node)
        self._waiting = [node for node in graph.nodes if may_wait(node)]
        self._slots = _Slots(graph.feeds)
        self._parts: list[_Part] = []
        self._numbered: list[Node] = []
        self._sources: list[str] = []
        self._files: dict[str, dict[int, Node]] = {}

    def emitted(self) -> tuple[Emitted, dict[str, dict[int, Node]]]:
        """The whole, and for each file name the nodes of its lines."""
        graph, slots = self._graph, self._slots
        needed = self._needed()
        for mask, members in self._groups.items():
            self._add_function(mask, members, needed)
        for i, node in enumerate(self._waiting):
            self._add_wait(node, 1 << i)
        # What a part needs has fewer waits before it, or as many and no wait of its own.
        self._parts.sort(key=lambda part: (part.mask.bit_count(), part.bit))
        wanted = [(*slots.source(value), bool(value.dtype._is_ref_dtype)) for value in graph.fetches]
        function = _scheduled(
            self._parts, len(graph.feeds), len(slots.place), wanted, graph.nodes[0].runtime.waits, self._observed
        )
        filename = next(iter(self._files), "<headrace plan>")
        source = "\n".join(self._sources)
        return Emitted(function, source, filename, _merged(self._files), self._numbered), self._files

    def _needed(self) -> set[Value]:
        """The values that pass between parts, or leave the plan."""
        needed = set(self._graph.fetches)
        for node in self._waiting:
            needed.update(_read_by(node))
        for members in self._groups.values():
            inside = set(members)
            for node in members:
                needed.update(value for value in _read_by(node) if value.node not in inside)
        return needed

    def _add_function(self, mask: int, members: list[Node], needed: set[Value]) -> None:
        graph, inside = self._graph, set(members)
        read = (value for node in members for value in _read_by(node))
        inputs = list(dict.fromkeys(value for value in read if value.node not in inside and value.bound is UNBOUND))
        outputs = [value for node in members for value in node.outputs if value in needed and value.bound is UNBOUND]
        emitted = emit(members, inputs, outputs, graph.copied, heavy=graph.heavy, observed=self._observed, partial=True)
        self._files[emitted.filename] = emitted.lines
        self._sources.append(emitted.source)
        part = _Part(mask, 0, emitted.function)
        if self._observed:
            part.call = _renumbered(emitted.function, len(self._numbered))
        self._numbered += emitted.nodes
        part.inputs = [self._slots.source(value) for value in inputs]
        part.outputs = [self._slots.of(value) for value in outputs]
        self._parts.append(part)

    def _add_wait(self, node: Node, bit: int) -> None:
        part = _Part(self._waits[node], bit, self._starter(node), node)
        part.inputs = [self._slots.source(value) for value in node.inputs]
        part.outputs = [self._slots.of(value) for value in node.outputs]
        part.taken = [(self._slots.of(pred), taken) for pred, taken in node.guard]
        self._parts.append(part)
        self._sources.append(f"# waits: {node.type}  # {node.name}\n")

    def _starter(self, node: Node) -> Callable[..., Attempt]:
        """A function that begins what the node does and returns the attempt."""
        if node.region is not None:
            emitted = emit([node], node.inputs, node.outputs, frozenset(), heavy=self._graph.heavy, partial=True)
            self._files[emitted.filename] = emitted.lines
            return lambda *inputs: Call(emitted.function, inputs)
        kernel = node.kernel()
        assert kernel is not None
        start: Callable[..., Attempt] | None = getattr(kernel, "start", None)
        return start if start is not None else lambda *inputs: Call(kernel, inputs)


def _merged(files: dict[str, dict[int, Node]]) -> dict[int, Node]:
    nodes = [node for lines in files.values() for node in lines.values()]
    return dict(enumerate(nodes, 1))


def _read_by(node: Node) -> list[Value]:
    """The values a node's line refers to."""
    values = [*node.inputs, *(pred for pred, _ in node.guard)]
    if node.decl.role is Role.MERGE:
        values += [pred for value in node.inputs for pred, _ in guard_of(value)]
    return values


def exposed_reads(nodes: Sequence[Node]) -> set[Node]:
    """The reads of variables that another part may write before the value is used."""
    handles = Handles(nodes)
    targets = list({id(handle): handle for node in nodes for handle in handles.written_by(node)}.values())
    exposed = set()
    for node in nodes:
        if node.decl.lends_state:
            handle = handles.of(node.inputs[node.decl.reads_state[0]])
            of_resource = getattr(handle, "is_resource", isinstance(handle, Value) or handle is UNBOUND)
            if of_resource and may_be_same(handle, targets):
                exposed.add(node)
    return exposed


def _renumbered(function: Kernel, first: int) -> Kernel:
    """An observed part that tells the plan's numbers of its nodes."""

    def call(observe: Callable[..., None], *inputs: Any) -> tuple[Any, ...]:
        return function(lambda number, after, made=(): observe(first + number, after, made), *inputs)

    return call


def _scheduled(
    parts: list[_Part],
    feed_count: int,
    slot_count: int,
    wanted: list[tuple[int, Any, bool]],
    waits: Waits,
    observed: bool,
) -> Kernel:
    blank = [None] * (slot_count - feed_count)

    def run(observe: Callable[..., None] | None, feeds: tuple[Any, ...]) -> tuple[Any, ...]:
        slots: list[Any] = [*feeds, *blank]
        done = 0
        remaining = parts
        pending: dict[Attempt, _Part] = {}

        def store(attempt: Attempt, part: _Part) -> int:
            try:
                result = attempt.value()
            except OpError as error:
                assert part.node is not None
                error.attach(part.node.origin)
                raise
            _put(slots, part, result)
            return part.bit

        try:
            while remaining or pending:
                for attempt in [attempt for attempt in pending if attempt.done]:
                    done |= store(attempt, pending.pop(attempt))
                left = []
                for part in remaining:
                    if part.mask & ~done:
                        left.append(part)
                        continue
                    inputs = [constant if slot < 0 else slots[slot] for slot, constant in part.inputs]
                    if not part.bit:
                        results = part.call(observe, *inputs) if observed else part.call(*inputs)
                        for slot, result in zip(part.outputs, results, strict=True):
                            slots[slot] = result
                    elif all(bool(slots[slot]) == taken for slot, taken in part.taken):
                        pending[part.call(*inputs)] = part
                    else:
                        done |= part.bit
                remaining = left
                if pending and not any(attempt.done for attempt in pending):
                    waits.wait_for_any(pending)
        except BaseException:
            for attempt in pending:
                attempt.cancel()
            raise
        values = [constant if slot < 0 else slots[slot] for slot, constant, _ in wanted]
        return tuple(value.read() if ref else value for value, (_, _, ref) in zip(values, wanted, strict=True))

    if observed:
        return lambda observe, *feeds: run(observe, feeds)
    return lambda *feeds: run(None, feeds)


def _put(slots: list[Any], part: _Part, result: torch.Tensor | Sequence[torch.Tensor] | None) -> None:
    assert part.node is not None
    declared = part.node.decl.signature.outputs
    if (
        part.node.region is None
        and len(declared) == 1
        and declared[0].number_attr is None
        and declared[0].type_list_attr is None
    ):
        slots[part.outputs[0]] = result
    else:
        for slot, item in zip(part.outputs, result or (), strict=True):
            slots[slot] = item
