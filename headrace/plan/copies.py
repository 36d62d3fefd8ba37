"""Which values must be copied, lest a later write to a variable changes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headrace.core.dtypes import string
from headrace.plan.handles import Handles, may_be_same
from headrace.plan.ir import READ_REFERENCE, UNBOUND, Node, Region, Value


def _writes(node: Node) -> bool:
    if node.region is not None:
        return any(map(_writes, node.region.nodes))
    return bool(node.decl.writes_state)


def values_to_copy(nodes: Sequence[Node], fetched: Iterable[Value]) -> set[Node]:
    """The nodes whose value is still used when the variable that it shares memory with is written in place.

    These are reads of resource variables, and what TensorFlow computes anew from a reference variable where a kernel
    here gives a view of it, such as a slice.
    """
    if not any(map(_writes, nodes)):
        return set()
    handles = Handles(nodes)
    writes: list[tuple[int, object]] = []
    for position, node in enumerate(nodes):
        writes.extend((position, handle) for handle in handles.written_by(node))
    if not writes:
        return set()
    targets = list({id(handle): handle for _, handle in writes}.values())
    copied = set()
    roots: dict[Value, set[Node]] = {}
    buffers: dict[Node, set[object]] = {}
    forwarded: dict[Value, set[object]] = {}
    position_of: dict[Node, int] = {}
    last_use: dict[Node, int] = {}
    for position, node in enumerate(nodes):
        if node.region is not None:
            copied |= _values_inside(node.region, targets, handles)
        position_of[node] = position
        touched: set[Node] = set()
        for value in node.inputs:
            touched |= roots.get(value, set())
        for root in touched:
            last_use[root] = position
        own = _shared_buffers(node, forwarded, handles)
        if own:
            buffers[node] = own
            touched = {node} if node.decl.lends_state else touched | {node}
        if (own or touched) and (node.decl.may_alias or node.decl.lends_state):
            for value in node.outputs:
                roots[value] = touched
    for value in fetched:
        for root in roots.get(value, set()):
            last_use[root] = len(nodes)
    for root, last in last_use.items():
        own = buffers[root]
        if any(position_of[root] < position <= last and may_be_same(handle, own) for position, handle in writes):
            copied.add(root)
    return copied


def _shared_buffers(node: Node, forwarded: dict[Value, set[object]], handles: Handles) -> set[object]:
    """The variables whose memory the node's outputs are, where TensorFlow's would be their own.

    Args:
        node: the node.
        forwarded: for values that are a reference variable's own in TensorFlow too, the variables; noted here.
        handles: those of the plan.
    """
    decl = node.decl
    if any(value.dtype.base_dtype is string for value in node.outputs):
        # Arrays of bytes are replaced, never written to.
        return set()
    if decl.type == READ_REFERENCE:
        forwarded[node.outputs[0]] = {handles.of(node.inputs[0])}
        return set()
    if decl.lends_state:
        return {handles.of(node.inputs[decl.reads_state[0]])}
    if not decl.may_alias:
        return set()
    shared: set[object] = set()
    for value in node.inputs:
        shared |= forwarded.get(value, set())
    if not shared:
        return shared
    if decl.forwards is not None and decl.forwards(node):
        for value in node.outputs:
            forwarded[value] = shared
        return set()
    return shared


def _values_inside(region: Region, targets: list[object], handles: Handles) -> set[Node]:
    """In a loop a value may be used iterations later: whatever is written anywhere is copied."""
    copied = set()
    forwarded: dict[Value, set[object]] = {}
    for node in region.nodes:
        if node.region is not None:
            copied |= _values_inside(node.region, targets, handles)
        if any(may_be_same(handle, targets) for handle in _shared_buffers(node, forwarded, handles)):
            copied.add(node)
    return copied


def shared_memory(nodes: Sequence[Node], fetches: Sequence[Value], copied: set[Node]) -> list[bool]:
    """For each fetched value, whether it may share memory with state, a feed or a constant."""
    fresh: set[Value] = set()
    for node in nodes:
        decl = node.decl
        if node in copied:
            fresh.update(node.outputs)
        elif decl.lends_state or decl.writes_state:
            continue
        elif not decl.may_alias or all(value in fresh for value in node.inputs):
            fresh.update(node.outputs)
    return [value.bound is not UNBOUND or value not in fresh for value in fetches]
