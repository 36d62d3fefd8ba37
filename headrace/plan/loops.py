"""The pass that raises loops: the nodes of a frame, marked by Enter and Exit, become one node with a region.

Graphs write loops as cycles of Merge, Switch and NextIteration. Here each becomes a `_While` node: its inputs are what the
loop variables begin with and what the loop takes from outside, its outputs what leaves, and its region holds the nodes
of one iteration. All later passes see regions; the marks are gone.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import find
from headrace.plan.ir import Node, Region, Value
from headrace.plan.live import has_effect

_ENTERS = frozenset({"Enter", "RefEnter"})
_EXITS = frozenset({"Exit", "RefExit"})
_NEXTS = frozenset({"NextIteration", "RefNextIteration"})
_SWITCHES = frozenset({"Switch", "RefSwitch"})
_IDENTITIES = frozenset({"Identity", "RefIdentity", "_ReadRef"})
MERGES = frozenset({"Merge", "RefMerge"})


class _Frame:
    """The nodes between the Enters and Exits of one frame name, perhaps of several loops."""

    def __init__(self, parent: _Frame | None, name: str) -> None:
        self.parent, self.name = parent, name
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.nodes: list[Node] = []
        self.exits: list[Node] = []


def is_back_edge(consumer_type: str, producer_type: str) -> bool:
    """Whether an input of `consumer_type` from `producer_type` goes around a loop."""
    return consumer_type in MERGES and producer_type in _NEXTS


def raise_loops(nodes: list[Node], fetched: Iterable[Value]) -> list[Node]:
    """The nodes with every loop raised to one `_While` node, in topological order.

    Raises:
        InvalidArgumentError: if a fetched value lies inside a loop, or a loop is not whole.
    """
    if not any(node.type in _ENTERS for node in nodes):
        return nodes
    root = _Frame(None, "")
    frame_of = _assign_frames(nodes, root)
    for value in fetched:
        frame = frame_of.get(value.node)
        if frame is not None and frame is not root:
            raise InvalidArgumentError(
                None,
                value.node.origin,
                f"'{value.node.name}' lies inside the loop '{frame.name}', where it has no value of its own: it cannot be "
                "fetched. Make it a loop variable.",
            )
    frames = {id(frame): frame for frame in frame_of.values() if frame is not root}
    for frame in sorted(frames.values(), key=lambda frame: -frame.depth):
        assert frame.parent is not None
        for part, exits in _components(frame):
            raised = _raise(frame, part, exits)
            parent = frame.parent
            gone = set(exits)
            parent.nodes = [node for node in parent.nodes if node not in gone]
            parent.nodes.append(raised)
    for node in root.nodes:
        if node.region is not None:
            _begin_before_the_end(node)
    return topological(root.nodes)


def _begin_before_the_end(loop: Node) -> None:
    """Takes off what a loop waits for where that waits for what leaves the loop.

    The gradient of a loop adds a count to it. Made under dependencies on the loop's results, the count waits for them, in
    its first value and in its steps. That is no cycle where each loop variable goes round by itself; here all go together.
    """
    for value in loop.inputs:
        start = value.node
        if start.type == "Const" and start.control:
            start.control = [before for before in start.control if not _comes_after(before, loop)]
    region = loop.region
    assert region is not None
    marks = _marks(region)
    for capture, nodes in marks.items():
        position = len(region.variables) + region.captures.index(capture)
        if _comes_after(loop.inputs[position].node, loop):
            del loop.inputs[position]
            region.captures.remove(capture)
            region.nodes = [node for node in region.nodes if node not in nodes]
            for node in region.nodes:
                node.control = [before for before in node.control if before not in nodes]
            region.waits = [before for before in region.waits if before not in nodes]


def _marks(region: Region) -> dict[Value, set[Node]]:
    """Captures that are only waited for, by way of Identities that nothing takes the value of: those of each."""
    users: dict[Value, list[Node]] = {}
    for node in region.nodes:
        for value in node.inputs:
            users.setdefault(value, []).append(node)
    results = set(region.results)
    found: dict[Value, set[Node]] = {}
    for capture in region.captures:
        marks: set[Node] = set()
        pending = [capture]
        while pending:
            value = pending.pop()
            if value in results or not all(node.type in _IDENTITIES for node in users.get(value, ())):
                break
            marks.update(users.get(value, ()))
            pending.extend(node.outputs[0] for node in users.get(value, ()))
        else:
            found[capture] = marks
    return found


def _comes_after(node: Node, loop: Node) -> bool:
    seen: set[Node] = set()
    pending = [node]
    while pending:
        node = pending.pop()
        while node.stands_for is not None:
            node = node.stands_for
        if node is loop:
            return True
        if node not in seen:
            seen.add(node)
            pending.extend(value.node for value in node.inputs)
            pending.extend(node.control)
    return False


def _assign_frames(nodes: list[Node], root: _Frame) -> dict[Node, _Frame]:
    frame_of: dict[Node, _Frame] = {}
    children: dict[tuple[int, str], _Frame] = {}
    for node in nodes:
        frame = root
        for value in node.inputs:
            if is_back_edge(node.type, value.node.type):
                continue
            source = frame_of.get(value.node, root)
            if source.depth > frame.depth:
                frame = source
        for before in node.control:
            source = frame_of.get(before, root)
            if source.depth > frame.depth:
                frame = source
        if node.type in _ENTERS:
            key = (id(frame), node.attrs["frame_name"])
            child = children.get(key)
            if child is None:
                child = children[key] = _Frame(frame, node.attrs["frame_name"])
            frame = child
        elif node.type in _EXITS:
            frame.exits.append(node)
            if frame.parent is None:
                raise InvalidArgumentError(None, node.origin, f"'{node.name}' leaves a loop that nothing enters.")
            frame = frame.parent
        frame_of[node] = frame
        frame.nodes.append(node)
    return frame_of


def _components(frame: _Frame) -> list[tuple[list[Node], list[Node]]]:
    """The loops of a frame: graphs imported twice have two of one name."""
    conditions = sum(node.type == "LoopCond" for node in frame.nodes)
    if conditions <= 1:
        return [(frame.nodes, frame.exits)]
    leader: dict[Node, Node] = {node: node for node in [*frame.nodes, *frame.exits]}

    def find_leader(node: Node) -> Node:
        while leader[node] is not node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for node in list(leader):
        for other in [value.node for value in node.inputs] + node.control:
            if other in leader and node.type not in _ENTERS:
                leader[find_leader(node)] = find_leader(other)
    groups: dict[Node, tuple[list[Node], list[Node]]] = {}
    for node in frame.nodes:
        groups.setdefault(find_leader(node), ([], []))[0].append(node)
    for node in frame.exits:
        groups[find_leader(node)][1].append(node)
    return list(groups.values())


def _raise(frame: _Frame, nodes: list[Node], exits: list[Node]) -> Node:
    """One loop as a `_While` node."""
    like = (exits or nodes)[0]
    inside = set(nodes)
    captured: dict[Value, Value] = {}
    stands: dict[Value, Value] = {}
    waits: dict[Node, None] = {}
    ends: dict[Node, None] = {}
    conditions = [node for node in nodes if node.type == "LoopCond"]
    if len(conditions) != 1:
        raise InvalidArgumentError(
            None, like.origin, f"The loop '{frame.name}' has {len(conditions)} LoopCond nodes, it must have one."
        )
    predicate = conditions[0].inputs[0]

    merges = [node for node in nodes if node.type in MERGES and any(v.node.type in _NEXTS for v in node.inputs)]
    structure = {*conditions, *merges}
    initial: list[Value] = []
    following: list[Value] = []
    variables: list[Value] = []
    variable_enters = set()
    for merge in merges:
        first = next(value for value in merge.inputs if value.node.type not in _NEXTS)
        last = next(value for value in merge.inputs if value.node.type in _NEXTS)
        variable_enters.add(first.node)
        initial.append(first.node.inputs[0] if first.node.type in _ENTERS else first)
        following.append(last.node.inputs[0])
        variables.append(_stand_in(merge.outputs[0], merge))
        structure.add(last.node)
        ends.update(dict.fromkeys(last.node.control))
        ends.update(dict.fromkeys(merge.control))
    for node in nodes:
        if node.type in _ENTERS:
            structure.add(node)
            waits.update(dict.fromkeys(node.control))
            if node not in variable_enters:
                source = node.inputs[0]
                known = captured.get(source)
                if known is None:
                    captured[source] = _stand_in(node.outputs[0], node)
                else:
                    stands[node.outputs[0]] = known
    switches = [node for node in nodes if node.type in _SWITCHES and node.inputs[1].node is conditions[0]]
    structure.update(switches)
    going = {node.outputs[1] for node in switches}
    for node in switches:
        stands[node.outputs[0]] = stands[node.outputs[1]] = node.inputs[0]
    stands[conditions[0].outputs[0]] = predicate

    ordered = topological([node for node in nodes if node not in structure or node in switches])
    body: set[Node] = set()
    for node in ordered:
        if any(value in going or value.node in body for value in node.inputs) or any(c in body for c in node.control):
            body.add(node)
    left = [node for node in ordered if node not in structure]

    def resolved(value: Value) -> Value:
        while value in stands:
            value = stands[value]
        return value

    members = set(left)
    known_values = {*variables, *captured.values()}
    for node in left:
        node.early = node not in body
        for i, value in enumerate(node.inputs):
            value = resolved(value)
            if value.node not in members and value not in known_values:
                # A constant that no Enter brings in.
                proxy = captured.get(value)
                if proxy is None:
                    inner = Value(value.node, value.index, value.dtype, value.dims)
                    proxy = captured[value] = _stand_in(inner, value.node)
                    known_values.add(proxy)
                value = proxy
            node.inputs[i] = value
        if node.control:
            for before in node.control:
                if before not in inside:
                    waits[before] = None
            node.control = [before for before in node.control if before in members]
    # What runs before the condition is asked never depends on what runs after it.
    left.sort(key=lambda node: not node.early)
    # The body of a function runs as it was written: what has an effect does, whether or not a value depends on it.
    effects = [n for n in left if n.origin is not None and n.origin._in_program_order and has_effect(n)]
    region = Region(
        variables=variables,
        captures=list(captured.values()),
        nodes=left,
        predicate=resolved(predicate),
        nexts=[resolved(value) for value in following],
        exits=[resolved(node.inputs[0]) for node in exits],
        waits=list(dict.fromkeys([*(node for node in ends if node in members), *effects])),
    )
    decl = find("_While")
    assert decl is not None
    raised = Node(decl, f"{frame.name}", [*initial, *captured], {}, conditions[0].origin, like.runtime, like.device)
    raised.region = region
    raised.control = list(waits)
    raised.serial = min(node.serial for node in nodes)
    raised.outputs = []
    for i, node in enumerate(exits):
        value = node.outputs[0]
        value.node, value.index = raised, i
        raised.outputs.append(value)
        raised.control.extend(before for before in node.control if before not in inside and before not in waits)
    # What waits for an Exit waits for the loop.
    for node in [*exits, *effects]:
        node.stands_for = raised
    return raised


def outermost(node: Node) -> Node:
    """The loop of the plan itself that a node runs in, or the node."""
    while node.stands_for is not None:
        node = node.stands_for
    return node


def _stand_in(value: Value, origin: Node) -> Value:
    """Makes `value` one that is given, not computed, inside the region."""
    decl = find("_LoopValue")
    assert decl is not None
    node = Node(decl, origin.name, [], {}, origin.origin, origin.runtime, origin.device)
    value.node, value.index = node, 0
    node.outputs = [value]
    return value


def topological(nodes: list[Node]) -> list[Node]:
    """The nodes with inputs and control inputs first, otherwise in the order given."""
    members = {node: i for i, node in enumerate(nodes)}
    waiting: dict[Node, int] = {}
    followers: dict[Node, list[Node]] = {}
    for node in nodes:
        for i, before in enumerate(node.control):
            while before.stands_for is not None:
                before = node.control[i] = before.stands_for
        count = 0
        for before in {*(value.node for value in node.inputs), *node.control}:
            if before in members and before is not node:
                followers.setdefault(before, []).append(node)
                count += 1
        waiting[node] = count
    ready = [members[node] for node in nodes if waiting[node] == 0]
    heapq.heapify(ready)
    ordered: list[Node] = []
    while ready:
        node = nodes[heapq.heappop(ready)]
        ordered.append(node)
        for other in followers.get(node, ()):
            waiting[other] -= 1
            if waiting[other] == 0:
                heapq.heappush(ready, members[other])
    if len(ordered) < len(nodes):
        stuck = next(node for node in nodes if waiting[node] > 0)
        raise InvalidArgumentError(None, stuck.origin, f"'{stuck.name}' is part of a cycle that is no loop.")
    return ordered
