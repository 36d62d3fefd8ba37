"""The pass that brings together the members of collectives that are in one plan.

A plan is one function, in which no operation can wait for another that comes later. So the members of a group that are in
a plan become one node, and a group that is whole there is computed at once. For others a node takes part without
waiting, and another one waits for the result, behind all else that can run: values travel while the rest is computed.

Processes take part in the collectives of a group in one order, which has to be the same for all, whatever else each of
them runs in the step: that in which the program made what is reduced, as far as they do not depend on each other. For
gradients it is the one in which they become ready. Reductions that follow each other go in buckets, as long as none of a
bucket needs another's result: one message costs less than many, and a bucket leaves when it is full.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from headrace.core.dtypes import variant
from headrace.core.errors import InvalidArgumentError, OpError
from headrace.kernels.collective.call import BROADCAST, REDUCE, Collective
from headrace.kernels.collective.nodes import collective_of, together
from headrace.plan.branches import Guard
from headrace.plan.graph import PlanGraph
from headrace.plan.ir import COLLECTIVES, Node, Value, declared, is_remote, joined_control, regions

# How much goes in one message: of more, less would travel while the rest is computed.
BUCKET_BYTES = 4 << 20


def meet_collectives(graph: PlanGraph) -> None:
    """Brings together the members of collectives."""
    met = _Met(graph.nodes)
    graph.replace(met.nodes, met.values)
    graph.shown = [met.values.get(value, value) for value in graph.shown]
    graph.targets = met.standing_for(graph.targets)
    graph.keep = set(met.standing_for(graph.keep))


class _Met:
    """One list of nodes, the plan's or a loop's, in which members have been brought together.

    Args:
        nodes: the nodes.

    Attributes:
        nodes: those that run now.
        values: for values of members, those that stand for them.
    """

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes: list[Node] = list(nodes)
        for _, region in regions(nodes):
            inner = _Met(region.nodes)
            region.nodes = inner.nodes
            region.take_results([inner.values.get(value, value) for value in region.results])
            region.waits = inner.standing_for(region.waits)
        self.values: dict[Value, Value] = {}
        self._last: dict[Node, Node] = {}
        begun: dict[Node, tuple[float, int]] = {}
        made: list[Node] = []
        for members in _groups(nodes):
            first, last = self._join(members)
            begun[first] = _readiness(members, first.notes["collective"])
            made += [first, last] if last is not first else [first]
        self._order_by_request(begun)
        if made:
            self.nodes = self._sorted([*(node for node in nodes if node not in self._last), *made], begun)
            self._fill_buckets(begun)
            _keep_order(self.nodes)

    def standing_for(self, nodes: Iterable[Node]) -> list[Node]:
        """What runs in the place of nodes."""
        return list(dict.fromkeys(self._last.get(node, node) for node in nodes))

    def _join(self, members: Sequence[Node]) -> tuple[Node, Node]:
        """Makes the node that begins what some members do, and the one that gives the results."""
        first = members[0]
        collective = _collective(members)
        taken = [value for node in members for value in node.inputs]
        given = [value for node in members for value in node.outputs]
        types = [value.dtype for value in given]
        attrs = {"Tin": [value.dtype for value in taken], "Tout": types}
        if collective.is_complete:
            start = result = _node("_Collective", first, taken, attrs)
        else:
            start = _node("_CollectiveStart", first, taken, attrs)
            start.outputs = [Value(start, 0, variant, ())]
            result = _node("_CollectiveResult", first, start.outputs, attrs)
        start.control = joined_control(*members)
        result.outputs = [Value(result, i, value.dtype, value.dims) for i, value in enumerate(given)]
        result.members = tuple(node.name for node in members)
        start.notes["collective"] = result.notes["collective"] = collective
        for value, new in zip(given, result.outputs, strict=True):
            self.values[value] = new
        for node in members:
            self._last[node] = result
        return start, result

    def _fill_buckets(self, begun: dict[Node, tuple[float, int]]) -> None:
        """Puts reductions that follow each other together."""
        buckets = [bucket for bucket in _buckets(self.nodes) if len(bucket) > 1]
        if not buckets:
            return
        result_of = {node.inputs[0].node: node for node in self.nodes if node.type == "_CollectiveResult"}
        gone: set[Node] = set()
        made: list[Node] = []
        for bucket in buckets:
            results = [result_of[node] for node in bucket]
            taken = [value for node in bucket for value in node.inputs]
            given = [value for node in results for value in node.outputs]
            attrs = {"Tin": [value.dtype for value in taken], "Tout": [value.dtype for value in given]}
            start = _node("_CollectiveStart", bucket[-1], taken, attrs)
            start.outputs = [Value(start, 0, variant, ())]
            start.control = joined_control(*bucket)
            result = _node("_CollectiveResult", bucket[-1], start.outputs, attrs)
            result.outputs = [Value(result, i, value.dtype, value.dims) for i, value in enumerate(given)]
            result.members = tuple(name for node in results for name in node.members)
            first: Collective = bucket[0].notes["collective"]
            start.notes["collective"] = result.notes["collective"] = replace(first, count=len(bucket))
            begun[start] = begun[bucket[-1]]
            new = dict(zip(given, result.outputs, strict=True))
            self.values = {value: new.get(stands, stands) for value, stands in self.values.items()} | new
            self._last = {node: result if last in results else last for node, last in self._last.items()}
            self._last.update(dict.fromkeys(results, result) | dict.fromkeys(bucket, start))
            gone.update(bucket, results)
            made += [start, result]
        self.nodes = self._sorted([*(node for node in self.nodes if node not in gone), *made], begun)

    def _order_by_request(self, begun: Collection[Node]) -> None:
        """Lets collectives follow those that their attribute names."""
        by_instance = {(node.notes["collective"].group, node.notes["collective"].instance): node for node in begun}
        for node in begun:
            collective: Collective = node.notes["collective"]
            for instance in node.notes.pop("wait_for"):
                before = by_instance.get((collective.group, instance))
                if before is not None and before is not node:
                    node.control.append(before)

    def _sorted(self, nodes: Sequence[Node], begun: Mapping[Node, tuple[float, int]]) -> list[Node]:
        """The nodes, each after what it needs, and the collectives among them in one order for all processes."""
        waiting: dict[Node, int] = {}
        followers: dict[Node, list[Node]] = {node: [] for node in nodes}
        for node in nodes:
            node.inputs = [self.values.get(value, value) for value in node.inputs]
            node.control = [each for each in self.standing_for(node.control) if each is not node]
            node.guard = _replaced(node.guard, self.values)
            before = {value.node for value in node.inputs} | set(node.control) | {pred.node for pred, _ in node.guard}
            present = [each for each in before if each in followers and each is not node]
            waiting[node] = len(present)
            for each in present:
                followers[each].append(node)
        place = {node: i for i, node in enumerate(nodes)}
        ready: list[tuple[tuple[float, ...], _Entry]] = []

        def push(node: Node) -> None:
            # Collectives come when nothing else is left, so that each process has the same to choose from.
            key = (1.0, *begun[node]) if node in begun else (0.0, float(place[node]))
            heapq.heappush(ready, (key, _Entry(node)))

        for node in nodes:
            if not waiting[node]:
                push(node)
        ordered: list[Node] = []
        while ready:
            node = heapq.heappop(ready)[1].node
            ordered.append(node)
            for other in followers[node]:
                waiting[other] -= 1
                if not waiting[other]:
                    push(other)
        if len(ordered) < len(nodes):
            names = ", ".join(node.name for node in begun if waiting[node])
            raise InvalidArgumentError(
                None,
                None,
                f"Collectives wait for each other, so that none can begin: {names}. On all devices the collectives of a "
                "group have to depend on each other in the same way.",
            )
        return ordered


def _keep_order(nodes: Iterable[Node]) -> None:
    """Lets each collective begin after the one before it, whatever later passes do."""
    previous: Node | None = None
    for node in nodes:
        if node.type == "_CollectiveStart":
            if previous is not None:
                node.control.append(previous)
            previous = node


def _buckets(nodes: Sequence[Node]) -> list[list[Node]]:
    """The reductions between processes that go together, in the order in which they begin."""
    numbers: dict[Node, int] = {}
    behind: dict[Node, int] = {}
    buckets: list[list[Node]] = []
    size = 0
    for node in nodes:
        reached = 0
        for before in {value.node for value in node.inputs} | set(node.control) | {pred.node for pred, _ in node.guard}:
            reached |= behind.get(before, 0)
        if node.type == "_CollectiveStart":
            numbers[node] = 1 << len(numbers)
            amount = _bytes(node)
            fits = (
                amount is not None
                and bool(buckets)
                and size + amount <= BUCKET_BYTES
                and _go_together(buckets[-1][0], node)
                and not any(reached & numbers[other] for other in buckets[-1])
            )
            if fits:
                buckets[-1].append(node)
            else:
                buckets.append([node])
                size = 0
            # What has no known size goes alone.
            size = BUCKET_BYTES + 1 if amount is None else size + amount
            reached |= numbers[node]
        behind[node] = reached
    return buckets


def _go_together(one: Node, other: Node) -> bool:
    first, second = one.notes["collective"], other.notes["collective"]
    return (
        first.kind == REDUCE
        and isinstance(first.group, int)
        and one.runtime.collectives is not None
        and replace(first, instance=0) == replace(second, instance=0)
        and (one.guard, one.early) == (other.guard, other.early)
    )


def _bytes(node: Node) -> int | None:
    """How much a collective takes of one member, None where that is not known."""
    if not node.inputs or any(value.dims is None or None in value.dims for value in node.inputs):
        return None
    return math.prod(size or 0 for size in node.inputs[0].dims or ()) * node.inputs[0].dtype.size


class _Entry:
    """A node in a heap whose keys are never equal, or whose order does not matter."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __lt__(self, other: _Entry) -> bool:
        return self.node.name < other.node.name


def _groups(nodes: Iterable[Node]) -> list[list[Node]]:
    """The members of each collective that are in one plan and in one branch."""
    groups: dict[Hashable, list[Node]] = {}
    for node in nodes:
        if node.decl.type not in COLLECTIVES or is_remote(node):
            continue
        found = collective_of(node)
        key = (found.kind, found.group, found.instance, _key(node.guard), node.early)
        groups.setdefault(key, []).append(node)
    return list(groups.values())


def _key(guard: Guard) -> Hashable:
    return tuple((id(pred), taken) for pred, taken in guard)


def _collective(members: Sequence[Node]) -> Collective:
    try:
        return together([collective_of(node) for node in members])
    except OpError as error:
        if members[0].origin is not None:
            error.attach(members[0].origin)
        raise


def _node(type_: str, like: Node, inputs: Sequence[Value], attrs: Mapping[str, object]) -> Node:
    decl = declared(type_)
    own = {name: attrs[name] for name in decl.signature.attrs}
    node = Node(decl, like.name, list(inputs), own, like.origin, like.runtime, like.device)
    node.guard, node.early, node.serial = like.guard, like.early, like.serial
    node.notes["wait_for"] = like.attrs.get("wait_for", ())
    return node


def _readiness(members: Sequence[Node], collective: Collective) -> tuple[float, int]:
    """When, in the order of the program, what the members give is made; what one member gives to all comes first."""
    ready = -1.0
    if collective.kind != BROADCAST:
        ready = max(float(value.node.serial) for node in members for value in node.inputs)
    return ready, collective.instance


def _replaced(guard: Guard, values: Mapping[Value, Value]) -> Guard:
    return tuple((values.get(pred, pred), taken) for pred, taken in guard)
