"""The pass that settles in which branches nodes lie and in which order they run."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

from headrace.core.buffers import VariableBuffer
from headrace.core.dtypes import resource, string
from headrace.plan.handles import Handles, may_be_same
from headrace.plan.ir import UNBOUND, Node, Region, Value, regions

Guard = tuple[tuple[Value, bool], ...]

SWITCHES = frozenset({"Switch", "RefSwitch"})
MERGES = frozenset({"Merge", "RefMerge"})


def guard_of(value: Value) -> Guard:
    """The branches in which `value` exists."""
    node = value.node
    if node.type in SWITCHES and node.notes.get("guards", node.inputs[1].constant is None):
        return (*node.guard, (node.inputs[1], bool(value.index)))
    return node.guard


def is_never_taken(value: Value) -> bool:
    """Whether `value` is the output of a Switch that a constant predicate never takes."""
    node = value.node
    if node.type not in SWITCHES:
        return False
    pred = node.inputs[1].constant
    return pred is not None and bool(pred) != bool(value.index)


def set_guards(nodes: list[Node]) -> list[Node]:
    """Derives from Switch and Merge nodes the branches of every node; drops nodes of branches that exclude each other."""
    if not any(node.decl.type in SWITCHES for node in nodes):
        for _, region in regions(nodes):
            region.nodes = set_guards(region.nodes)
        return nodes
    left = []
    dead: set[Node] = set()
    for node in nodes:
        if node.region is not None:
            node.region.nodes = set_guards(node.region.nodes)
        if node.type in MERGES:
            live = [i for i, value in enumerate(node.inputs) if value.node not in dead and not is_never_taken(value)]
            if not live:
                # It lies in a branch that is never taken.
                dead.add(node)
                continue
            if len(live) < len(node.inputs):
                node.notes["live"] = live
            guards = [guard_of(node.inputs[i]) for i in live]
            node.guard = _common(guards)
        else:
            if node.type in SWITCHES:
                # The guards derived here hold, also where the predicate turns out to be a constant later.
                node.notes["guards"] = node.inputs[1].constant is None
            # The longest guard first keeps outer branches before the inner ones.
            guards = [guard_of(value) for value in node.inputs] + [control.guard for control in node.control]
            combined: dict[tuple[Value, bool], None] = {}
            for guard in sorted(guards, key=len, reverse=True):
                combined.update(dict.fromkeys(guard))
            node.guard = tuple(combined)
            if any((pred, not taken) in combined for pred, taken in combined):
                dead.add(node)
                continue
            if any(value.node in dead or is_never_taken(value) for value in node.inputs) or any(
                c in dead for c in node.control
            ):
                dead.add(node)
                continue
        left.append(node)
    _guard_reads(left)
    return left


def _common(guards: list[Guard]) -> Guard:
    """The branches that several guards begin with."""
    prefix = guards[0] if guards else ()
    for guard in guards[1:]:
        count = 0
        while count < min(len(prefix), len(guard)) and prefix[count] == guard[count]:
            count += 1
        prefix = prefix[:count]
    return prefix


def _guard_reads(nodes: list[Node]) -> None:
    """References are read in the branches of what reads them: a variable without a value is no fault in others."""
    readers: dict[Node, list[Guard]] = {}
    for node in nodes:
        for value in node.inputs:
            if value.node.type == "_ReadRef":
                readers.setdefault(value.node, []).append(node.guard)
    for read, guards in readers.items():
        common = _common(guards)
        if common[: len(read.guard)] == read.guard:
            read.guard = common


def order(nodes: list[Node]) -> list[Node]:
    """Nodes in the order they run, inside loops too."""
    for _, region in regions(nodes):
        early = [node for node in region.nodes if node.early]
        region.nodes = [*order(early), *order([node for node in region.nodes if not node.early])]
    return _ordered(nodes)


def _ordered(nodes: list[Node]) -> list[Node]:
    """Nodes in the order they run.

    Inputs and control edges come first. Among the nodes that are ready, writers of state wait until nothing else is (a
    value read before a write then rarely needs a copy; initializers keep their place), nodes of the branch just entered
    go on, and what was made first in the program goes first.
    """
    waiting: dict[Node, int] = {}
    followers: dict[Node, list[Node]] = {node: [] for node in nodes}
    locks = _after_releases(nodes)
    for node in nodes:
        before = {value.node for value in node.inputs}
        before.update(locks.get(node, ()))
        before.update(node.control)
        before.update(pred.node for pred, _ in node.guard)
        if node.type in MERGES:
            # Constants have no node that would wait for the predicate which chooses among them.
            before.update(pred.node for value in node.inputs for pred, _ in guard_of(value))
        count = 0
        for other in before:
            follow = followers.get(other)
            if follow is not None:
                follow.append(node)
                count += 1
        waiting[node] = count

    place = {node: i for i, node in enumerate(nodes)}
    ready: dict[Guard, list[tuple[int, int, int, Node]]] = {}
    for node in nodes:
        if waiting[node] == 0:
            _push(ready, node, place[node])
    ordered: list[Node] = []
    current: Guard = ()
    while ready:
        heap = ready.get(current)
        if heap is None or (heap[0][0] and len(ready) > 1):
            current = min(ready, key=lambda guard: ready[guard][0][:3])
            heap = ready[current]
        node = heapq.heappop(heap)[3]
        if not heap:
            del ready[current]
        ordered.append(node)
        for other in followers[node]:
            waiting[other] -= 1
            if waiting[other] == 0:
                _push(ready, other, place[other])
    return ordered


def _after_releases(nodes: list[Node]) -> dict[Node, list[Node]]:
    """Which releases of a mutex each later lock of it follows: a step runs on one thread, which cannot wait for itself."""
    locks = [node for node in nodes if node.type == "MutexLock"]
    if len(locks) < 2:
        return {}
    released = {node.inputs[0].node: node for node in nodes if node.type == "ConsumeMutexLock"}
    last: dict[Value, Node] = {}
    follow: dict[Node, list[Node]] = {}
    for lock in sorted(locks, key=lambda node: node.serial):
        before = last.get(lock.inputs[0])
        if before is not None and before.serial < lock.serial:
            follow[lock] = [before]
        if lock in released:
            last[lock.inputs[0]] = released[lock]
    return follow


def _push(ready: dict[Guard, list[tuple[int, int, int, Node]]], node: Node, place: int) -> None:
    heap = ready.setdefault(node.guard, [])
    late = int(bool(node.decl.writes_state) and not (node.origin is not None and node.origin._in_program_order))
    if node.decl.may_wait:
        # What need not wait for it does not.
        late = 2
    heapq.heappush(heap, (late, node.serial, place, node))


def _writes(node: Node) -> bool:
    if node.region is not None:
        return any(map(_writes, node.region.nodes))
    return bool(node.decl.writes_state)


def state_inputs(node: Node, declared: tuple[int, ...]) -> list[int]:
    """The flattened positions of the declared inputs, lists counted in full."""
    if not declared:
        return []
    positions: list[int] = []
    start = 0
    for index, arg in enumerate(node.decl.signature.inputs):
        count = node.attrs[arg.number_attr] if arg.number_attr is not None else 1
        if arg.type_list_attr is not None:
            count = len(node.attrs[arg.type_list_attr])
        if index in declared:
            positions.extend(range(start, start + count))
        start += count
    return positions


def written(node: Node, handles: Handles) -> Iterator[object]:
    """What leads to the variables that the node may write: see `Handles.of`."""
    if node.region is not None:
        for inner in node.region.nodes:
            yield from written(inner, handles)
    for index in state_inputs(node, node.decl.writes_state):
        value = node.inputs[index]
        if value.bound is not UNBOUND or value.dtype._is_ref_dtype or value.dtype is resource:
            handle = handles.of(value)
            if isinstance(handle, (VariableBuffer, Value)) or handle is UNBOUND:
                yield handle


# What hands its input on as it is, in TensorFlow too: the value of a reference variable stays the variable's own.
_HANDED_ON = frozenset(
    {
        *(
            "Identity",
            "IdentityN",
            "StopGradient",
            "PreventGradient",
            "EnsureShape",
            "Reshape",
            "ExpandDims",
            "Squeeze",
        ),
        *("Bitcast", "Cast", "Print", "CheckNumerics", "GuaranteeConst", "PlaceholderWithDefault", "Switch", "Merge"),
        *("Enter", "Exit"),
    }
)
_READ_REFERENCE = "_ReadRef"


def reads_to_copy(nodes: list[Node], fetched: Iterable[Value]) -> set[Node]:
    """The nodes whose value is still used when the variable that it shares memory with is written in place.

    These are reads of resource variables, and what TensorFlow computes anew from a reference variable where a kernel
    here gives a view of it, such as a slice.
    """
    if not any(map(_writes, nodes)):
        return set()
    handles = Handles(nodes)
    writes: list[tuple[int, object]] = []
    for position, node in enumerate(nodes):
        writes.extend((position, handle) for handle in written(node, handles))
    if not writes:
        return set()
    targets = list({id(handle): handle for _, handle in writes}.values())
    copies = set()
    roots: dict[Value, set[Node]] = {}
    buffers: dict[Node, set[object]] = {}
    handed_on: dict[Value, set[object]] = {}
    position_of: dict[Node, int] = {}
    last_use: dict[Node, int] = {}
    for position, node in enumerate(nodes):
        if node.region is not None:
            copies |= _reads_inside(node.region, targets, handles)
        position_of[node] = position
        touched: set[Node] = set()
        for value in node.inputs:
            touched |= roots.get(value, set())
        for root in touched:
            last_use[root] = position
        own = _shared_buffers(node, handed_on, handles)
        if own:
            buffers[node] = own
            touched = {node} if node.decl.reads_state else touched | {node}
        if (own or touched) and (node.decl.may_alias or node.decl.reads_state):
            for value in node.outputs:
                roots[value] = touched
    for value in fetched:
        for root in roots.get(value, set()):
            last_use[root] = len(nodes)
    for root, last in last_use.items():
        own = buffers[root]
        if any(position_of[root] < position <= last and may_be_same(handle, own) for position, handle in writes):
            copies.add(root)
    return copies


def _shared_buffers(node: Node, handed_on: dict[Value, set[object]], handles: Handles) -> set[object]:
    """The variables whose memory the node's outputs are, where TensorFlow's would be their own.

    `handed_on` collects the values that are a reference variable's own in TensorFlow as well.
    """
    decl = node.decl
    if any(value.dtype.base_dtype is string for value in node.outputs):
        # Arrays of bytes are replaced, never written to.
        return set()
    if decl.type == _READ_REFERENCE:
        handed_on[node.outputs[0]] = {handles.of(node.inputs[0])}
        return set()
    if decl.reads_state:
        return {handles.of(node.inputs[decl.reads_state[0]])}
    if not decl.may_alias:
        return set()
    shared: set[object] = set()
    for value in node.inputs:
        shared |= handed_on.get(value, set())
    if not shared:
        return shared
    if decl.type in _HANDED_ON or (decl.type == "Transpose" and _keeps_layout(node)):
        for value in node.outputs:
            handed_on[value] = shared
        return set()
    return shared


def _keeps_layout(transpose: Node) -> bool:
    """Whether a Transpose moves axes of size 1 only."""
    dims, perm = transpose.inputs[0].dims, transpose.constant_dims(1)
    if dims is None or perm is None:
        return False
    moved = [axis for axis in perm if axis is not None and dims[axis] != 1]
    return moved == sorted(moved)


def _reads_inside(region: Region, targets: list[object], handles: Handles) -> set[Node]:
    """In a loop a value may be used iterations later: whatever is written anywhere is copied."""
    copies = set()
    handed_on: dict[Value, set[object]] = {}
    for node in region.nodes:
        if node.region is not None:
            copies |= _reads_inside(node.region, targets, handles)
        if any(may_be_same(handle, targets) for handle in _shared_buffers(node, handed_on, handles)):
            copies.add(node)
    return copies
