"""The pass that raises loops: the nodes of a frame, marked by Enter and Exit, become one node with a region.

Graphs write loops as cycles of Merge, Switch and NextIteration. Here each becomes a `_While` node: its inputs are what the
loop variables begin with and what the loop takes from outside, its outputs what leaves, and its region holds the nodes
of one iteration. All later passes see regions; the marks are gone.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from headrace.core.errors import InvalidArgumentError
from headrace.core.planning_facts import Role
from headrace.core.registry import OpDecl
from headrace.plan.ir import LOOP, LOOP_VALUE, READ_REFERENCE, Node, Region, Value, declared
from headrace.plan.live import has_effect

_IDENTITIES = frozenset({"Identity", "RefIdentity", READ_REFERENCE})


class _Frame:
    """The nodes between the Enters and Exits of one frame name, perhaps of several loops."""

    def __init__(self, parent: _Frame | None, name: str) -> None:
        self.parent, self.name = parent, name
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.nodes: list[Node] = []
        self.exits: list[Node] = []


def is_back_edge(consumer: OpDecl, producer: OpDecl) -> bool:
    """Whether an input of one op from another goes around a loop."""
    return consumer.role is Role.MERGE and producer.role is Role.NEXT_ITERATION


def _is(node: Node, role: Role) -> bool:
    return node.decl.role is role


def raise_loops(nodes: list[Node], fetched: Iterable[Value], targets: Iterable[Node] = ()) -> list[Node]:
    """The nodes with every loop raised to one `_While` node, in topological order.

    Args:
        nodes: those of the plan.
        fetched: the values that are wanted.
        targets: the nodes that are to run; those inside of a loop do in each of its iterations.

    Raises:
        InvalidArgumentError: if a fetched value lies inside a loop, or a loop is not whole.
    """
    if not any(node.decl.role is Role.ENTER for node in nodes):
        return nodes
    root = _Frame(None, "")
    frame_of = _assign_frames(nodes, root)
    for value in fetched:
        frame = frame_of.get(value.node)
        if frame is not None and frame is not root:
            if len({id(frame_of.get(given.node)) for given in value.node.inputs}) > 1:
                raise InvalidArgumentError(
                    None, value.node.origin, f"{{{{node {value.node.name}}}}} has inputs from different frames"
                )
            raise InvalidArgumentError(
                None,
                value.node.origin,
                f"'{value.node.name}' lies inside the loop '{frame.name}', where it has no value of its own: it cannot be "
                "fetched. Make it a loop variable.",
            )
    asked = set(targets)
    frames = {id(frame): frame for frame in frame_of.values() if frame is not root}
    for frame in sorted(frames.values(), key=lambda frame: -frame.depth):
        assert frame.parent is not None
        for part, exits in _components(frame):
            if not any(_is(node, Role.LOOP_CONDITION) or _is(node, Role.NEXT_ITERATION) for node in part):
                _dissolve(frame.parent, part)
                continue
            raised = _Raising(frame, part, exits, asked).raised()
            parent = frame.parent
            gone = set(exits)
            parent.nodes = [node for node in parent.nodes if node not in gone]
            parent.nodes.append(raised)
    for node in root.nodes:
        if node.region is not None:
            _begin_before_the_end(node)
    return topological(root.nodes)


def _dissolve(around: _Frame, part: Sequence[Node]) -> None:
    """Takes the nodes of a frame in which nothing goes around into the one around it, their marks as Identities."""
    inside = set(part)
    for node in part:
        if _is(node, Role.ENTER):
            node.decl = declared(_identity_of(node))
        around.nodes.append(node)
    for node in around.nodes:
        if _is(node, Role.EXIT) and node.inputs[0].node in inside:
            node.decl = declared(_identity_of(node))


def _identity_of(mark: Node) -> str:
    return "RefIdentity" if mark.type.startswith("Ref") else "Identity"


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
            if is_back_edge(node.decl, value.node.decl):
                continue
            source = frame_of.get(value.node, root)
            if source.depth > frame.depth:
                frame = source
        for before in node.control:
            source = frame_of.get(before, root)
            if source.depth > frame.depth:
                frame = source
        if _is(node, Role.ENTER):
            key = (id(frame), node.attrs["frame_name"])
            child = children.get(key)
            if child is None:
                child = children[key] = _Frame(frame, node.attrs["frame_name"])
            frame = child
        elif _is(node, Role.EXIT):
            frame.exits.append(node)
            if frame.parent is None:
                raise InvalidArgumentError(None, node.origin, f"'{node.name}' leaves a loop that nothing enters.")
            frame = frame.parent
        frame_of[node] = frame
        frame.nodes.append(node)
    return frame_of


def _components(frame: _Frame) -> list[tuple[list[Node], list[Node]]]:
    """The loops of a frame: graphs imported twice have two of one name."""
    conditions = sum(_is(node, Role.LOOP_CONDITION) for node in frame.nodes)
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
            if other in leader and not _is(node, Role.ENTER):
                leader[find_leader(node)] = find_leader(other)
    groups: dict[Node, tuple[list[Node], list[Node]]] = {}
    for node in frame.nodes:
        groups.setdefault(find_leader(node), ([], []))[0].append(node)
    for node in frame.exits:
        groups[find_leader(node)][1].append(node)
    return list(groups.values())


class _Raising:
    """One loop on its way to a `_While` node.

    Args:
        frame: the frame it lies in.
        nodes: its nodes.
        exits: what leaves it.
        asked: the nodes that are to run though nothing may depend on them; the loop joins them where it has such.

    Raises:
        InvalidArgumentError: if it has not one condition.
    """

    def __init__(self, frame: _Frame, nodes: Sequence[Node], exits: Sequence[Node], asked: set[Node]) -> None:
        self._frame, self._nodes, self._exits, self._asked = frame, nodes, exits, asked
        self._like = (exits or nodes)[0]
        conditions = [node for node in nodes if _is(node, Role.LOOP_CONDITION)] or _conditions_of_switches(nodes)
        if len(conditions) != 1:
            raise InvalidArgumentError(
                None,
                self._like.origin,
                f"The loop '{frame.name}' has {len(conditions)} LoopCond nodes, it must have one.",
            )
        self._condition = conditions[0]
        # The marks, which no iteration runs, and what their values stand for.
        self._marks: set[Node] = {self._condition}
        self._stands: dict[Value, Value] = {}
        # Of each captured value what it is inside.
        self._captured: dict[Value, Value] = {}
        self._initial: list[Value] = []
        self._following: list[Value] = []
        self._variables: list[Value] = []
        # What the loop waits for, and what the next iteration does.
        self._waits: dict[Node, None] = {}
        self._ends: dict[Node, None] = {}

    def raised(self) -> Node:
        """The `_While` node."""
        self._take_captures(self._take_variables())
        ordered = self._take_switches()
        inside = [node for node in ordered if node not in self._marks]
        self._rewire(inside)
        # What runs before the condition is asked never depends on what runs after it.
        inside.sort(key=lambda node: not node.early)
        # The body of a function runs as it was written: what has an effect does, whether or not a value depends on it.
        effects = [
            n
            for n in inside
            if n in self._asked or (n.origin is not None and n.origin._in_program_order and has_effect(n))
        ]
        members = set(inside)
        region = Region(
            variables=self._variables,
            captures=list(self._captured.values()),
            nodes=inside,
            predicate=self._resolved(self._condition.inputs[0]),
            nexts=[self._resolved(value) for value in self._following],
            exits=[self._resolved(node.inputs[0]) for node in self._exits],
            waits=list(dict.fromkeys([*(node for node in self._ends if node in members), *effects])),
        )
        loop = self._loop(region)
        # What waits for an Exit waits for the loop.
        for node in [*self._exits, *effects]:
            node.stands_for = loop
        if not self._asked.isdisjoint(effects):
            self._asked.add(loop)
        return loop

    def _take_variables(self) -> set[Node]:
        """Takes the loop variables: Merges of what they begin with and what goes around. Returns their Enters."""
        enters = set()
        merges = [
            node
            for node in self._nodes
            if _is(node, Role.MERGE) and any(_is(value.node, Role.NEXT_ITERATION) for value in node.inputs)
        ]
        self._marks.update(merges)
        for merge in merges:
            first = next(value for value in merge.inputs if not _is(value.node, Role.NEXT_ITERATION))
            last = next(value for value in merge.inputs if _is(value.node, Role.NEXT_ITERATION))
            enters.add(first.node)
            self._initial.append(first.node.inputs[0] if _is(first.node, Role.ENTER) else first)
            self._following.append(last.node.inputs[0])
            self._variables.append(stand_in(merge.outputs[0], merge))
            self._marks.add(last.node)
            self._ends.update(dict.fromkeys(last.node.control))
            self._ends.update(dict.fromkeys(merge.control))
        return enters

    def _take_captures(self, of_variables: set[Node]) -> None:
        """Takes the Enters of values that stay the same."""
        for node in self._nodes:
            if not _is(node, Role.ENTER):
                continue
            self._marks.add(node)
            self._waits.update(dict.fromkeys(node.control))
            if node not in of_variables:
                known = self._captured.get(node.inputs[0])
                if known is None:
                    self._captured[node.inputs[0]] = stand_in(node.outputs[0], node)
                else:
                    self._stands[node.outputs[0]] = known

    def _take_switches(self) -> list[Node]:
        """Takes the Switches that ask whether the loop goes on, and tells what is `early`: needed to ask.

        Returns:
            the nodes in topological order, marks among them.
        """
        switches = [n for n in self._nodes if _is(n, Role.SWITCH) and n.inputs[1].node is self._condition]
        for node in switches:
            self._stands[node.outputs[0]] = self._stands[node.outputs[1]] = node.inputs[0]
        self._stands[self._condition.outputs[0]] = self._condition.inputs[0]
        ordered = topological([node for node in self._nodes if node not in self._marks])
        self._marks.update(switches)
        going = {node.outputs[1] for node in switches}
        late: set[Node] = set()
        for node in ordered:
            node.early = not (
                any(value in going or value.node in late for value in node.inputs)
                or any(before in late for before in node.control)
            )
            if not node.early:
                late.add(node)
        return ordered

    def _resolved(self, value: Value) -> Value:
        while value in self._stands:
            value = self._stands[value]
        return value

    def _rewire(self, inside: Sequence[Node]) -> None:
        """Takes the marks out between the nodes of an iteration, and everything outside."""
        frame, members = set(self._nodes), set(inside)
        known = {*self._variables, *self._captured.values()}
        for node in inside:
            for i, value in enumerate(node.inputs):
                value = self._resolved(value)
                if value.node not in members and value not in known:
                    # A constant that no Enter brings in.
                    proxy = self._captured.get(value)
                    if proxy is None:
                        inner = Value(value.node, value.index, value.dtype, value.dims)
                        proxy = self._captured[value] = stand_in(inner, value.node)
                        known.add(proxy)
                    value = proxy
                node.inputs[i] = value
            if node.control:
                self._waits.update((before, None) for before in node.control if before not in frame)
                node.control = [before for before in node.control if before in members]

    def _loop(self, region: Region) -> Node:
        decl, like = declared(LOOP), self._like
        inputs = [*self._initial, *self._captured]
        loop = Node(decl, self._frame.name, inputs, {}, self._condition.origin, like.runtime, like.device)
        loop.region = region
        loop.control = list(self._waits)
        loop.serial = min(node.serial for node in self._nodes)
        frame = set(self._nodes)
        for i, node in enumerate(self._exits):
            value = node.outputs[0]
            value.node, value.index = loop, i
            loop.outputs.append(value)
            loop.control.extend(b for b in node.control if b not in frame and b not in self._waits)
        return loop


def _conditions_of_switches(nodes: Sequence[Node]) -> list[Node]:
    """A LoopCond for each value that the Switches of a loop variable ask, in a loop that was written without one."""
    switches = [node for node in nodes if _is(node, Role.SWITCH) and _is(node.inputs[0].node, Role.MERGE)]
    asked: dict[Value, Node] = {}
    for node in switches:
        predicate = node.inputs[1]
        condition = asked.get(predicate)
        if condition is None:
            origin = predicate.node
            condition = Node(
                declared("LoopCond"), origin.name, [predicate], {}, origin.origin, node.runtime, node.device
            )
            condition.outputs = [Value(condition, 0, predicate.dtype, predicate.dims)]
            asked[predicate] = condition
        node.inputs[1] = condition.outputs[0]
    return list(asked.values())


def outermost(node: Node) -> Node:
    """The loop of the plan itself that a node runs in, or the node."""
    while node.stands_for is not None:
        node = node.stands_for
    return node


def stand_in(value: Value, origin: Node) -> Value:
    """Makes `value` one that is given, not computed, inside the region."""
    node = Node(declared(LOOP_VALUE), origin.name, [], {}, origin.origin, origin.runtime, origin.device)
    value.node, value.index = node, 0
    node.outputs = [value]
    return value


def capture_of(loop: Node, region: Region, value: Value) -> Value:
    """What stands inside a loop for a value from outside."""
    count = len(region.variables)
    for inner, outer in zip(region.captures, loop.inputs[count:], strict=True):
        if outer is value:
            return inner
    like = value.node
    node = Node(declared(LOOP_VALUE), like.name, [], {}, like.origin, like.runtime, like.device)
    inner = Value(node, 0, value.dtype, value.dims)
    inner.bound, inner.constant = value.bound, value.constant
    node.outputs = [inner]
    region.captures.append(inner)
    loop.inputs.append(value)
    return inner


def drop_unused_captures(loop: Node, region: Region) -> None:
    """Takes off what nothing inside of a loop asks for any more."""
    count = len(region.variables)
    used = {value for node in region.nodes for value in node.inputs}.union(region.results)
    used.update(pred for node in region.nodes for pred, _ in node.guard)
    pairs = zip(region.captures, loop.inputs[count:], strict=True)
    left = [(inner, outer) for inner, outer in pairs if inner in used]
    loop.inputs[count:] = [outer for _, outer in left]
    region.captures = [inner for inner, _ in left]


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
