"""Plans in which several operations may wait for one another, such as an enqueue and a dequeue fetched together.

A plan is one function run in the caller's thread. That is right while each operation that may wait needs what the one
before it gives. Otherwise the plan is cut: the nodes that need the same waits become one function each, and whatever can
run does so before the thread waits, for any of the waits to end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.core.errors import OpError
from headrace.core.waiting import Attempt, Call
from headrace.plan.emit import Emitted, emit
from headrace.plan.handles import Handles, may_be_same
from headrace.plan.ir import UNBOUND, Node, Value
from headrace.plan.order import MERGES, guard_of, written


def may_wait(node: Node) -> bool:
    """Whether the node, or one in the loop that it is, may wait."""
    return node.decl.may_wait or (node.region is not None and any(map(may_wait, node.region.nodes)))


def waiting_masks(nodes: Sequence[Node]) -> dict[Node, int] | None:
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

    def __init__(self, mask: int, bit: int, call: Callable[..., Any], node: Node | None = None) -> None:
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


def emit_parts(
    nodes: Sequence[Node],
    feeds: Sequence[Value],
    fetches: Sequence[Value],
    masks: dict[Node, int],
    observed: bool = False,
    heavy: set[Node] | frozenset[Node] = frozenset(),
) -> tuple[Emitted, dict[str, dict[int, Node]]]:
    """Writes and compiles the parts of a plan.

    Returns:
        the whole, and for each file name the nodes of its lines.
    """
    copies = _exposed_reads(nodes)
    groups: dict[int, list[Node]] = {}
    for node in nodes:
        if not may_wait(node):
            groups.setdefault(masks[node], []).append(node)
    waiting = [node for node in nodes if may_wait(node)]
    numbered: list[Node] = []
    needed = set(fetches)
    for node in waiting:
        needed.update(_read_by(node))
    for members in groups.values():
        inside = set(members)
        for node in members:
            needed.update(value for value in _read_by(node) if value.node not in inside)

    slots = _Slots(feeds)
    parts: list[_Part] = []
    files: dict[str, dict[int, Node]] = {}
    sources: list[str] = []
    for mask, members in groups.items():
        inside = set(members)
        inputs = list(
            dict.fromkeys(
                value
                for node in members
                for value in _read_by(node)
                if value.node not in inside and value.bound is UNBOUND
            )
        )
        outputs = [value for node in members for value in node.outputs if value in needed and value.bound is UNBOUND]
        emitted = emit(members, inputs, outputs, copies, observed, heavy, partial=True)
        files[emitted.filename] = emitted.lines
        sources.append(emitted.source)
        part = _Part(mask, 0, emitted.function)
        if observed:
            part.call = _renumbered(emitted.function, len(numbered))
        numbered += emitted.nodes
        part.inputs = [slots.source(value) for value in inputs]
        part.outputs = [slots.of(value) for value in outputs]
        parts.append(part)
    for i, node in enumerate(waiting):
        part = _Part(masks[node], 1 << i, _starter(node, heavy, files), node)
        part.inputs = [slots.source(value) for value in node.inputs]
        part.outputs = [slots.of(value) for value in node.outputs]
        part.taken = [(slots.of(pred), taken) for pred, taken in node.guard]
        parts.append(part)
        sources.append(f"# waits: {node.type}  # {node.name}\n")
    # What a part needs has fewer waits before it, or as many and no wait of its own.
    parts.sort(key=lambda part: (part.mask.bit_count(), part.bit))
    wanted = [(*slots.source(value), bool(value.dtype._is_ref_dtype)) for value in fetches]
    function = _scheduled(parts, len(feeds), len(slots.place), wanted, nodes[0].runtime.waits, observed)
    filename = next(iter(files), "<headrace plan>")
    return Emitted(function, "\n".join(sources), filename, _merged(files), numbered), files


def _merged(files: dict[str, dict[int, Node]]) -> dict[int, Node]:
    nodes = [node for lines in files.values() for node in lines.values()]
    return dict(enumerate(nodes, 1))


def _read_by(node: Node) -> list[Value]:
    """The values a node's line refers to."""
    values = [*node.inputs, *(pred for pred, _ in node.guard)]
    if node.type in MERGES:
        values += [pred for value in node.inputs for pred, _ in guard_of(value)]
    return values


def _exposed_reads(nodes: Sequence[Node]) -> set[Node]:
    """The reads of variables that another part may write before the value is used."""
    handles = Handles(nodes)
    targets = list({id(handle): handle for node in nodes for handle in written(node, handles)}.values())
    exposed = set()
    for node in nodes:
        if node.decl.reads_state:
            handle = handles.of(node.inputs[node.decl.reads_state[0]])
            of_resource = getattr(handle, "is_resource", isinstance(handle, Value) or handle is UNBOUND)
            if of_resource and may_be_same(handle, targets):
                exposed.add(node)
    return exposed


def _starter(
    node: Node, heavy: set[Node] | frozenset[Node], files: dict[str, dict[int, Node]]
) -> Callable[..., Attempt]:
    """A function that begins what the node does and returns the attempt."""
    if node.region is not None:
        emitted = emit([node], node.inputs, node.outputs, frozenset(), heavy=heavy, partial=True)
        files[emitted.filename] = emitted.lines
        return lambda *inputs: Call(emitted.function, inputs)
    kernel = node.kernel()
    assert kernel is not None
    start: Callable[..., Attempt] | None = getattr(kernel, "start", None)
    return start if start is not None else lambda *inputs: Call(kernel, inputs)


def _renumbered(function: Callable[..., Any], first: int) -> Callable[..., Any]:
    """An observed part that tells the plan's numbers of its nodes."""

    def call(observe: Callable[..., None], *inputs: Any) -> Any:
        return function(lambda number, after, made=(): observe(first + number, after, made), *inputs)

    return call


def _scheduled(
    parts: list[_Part],
    feed_count: int,
    slot_count: int,
    wanted: list[tuple[int, Any, bool]],
    waits: Any,
    observed: bool,
) -> Callable[..., Any]:
    blank = [None] * (slot_count - feed_count)

    def run(observe: Any, feeds: tuple[Any, ...]) -> tuple[Any, ...]:
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


def _put(slots: list[Any], part: _Part, result: Any) -> None:
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
