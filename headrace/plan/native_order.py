"""Which nodes touch the memory of one variable, and in which order they have to stay as native regions move them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from headrace.core.buffers import VariableBuffer
from headrace.core.dtypes import resource
from headrace.core.native import handed_on
from headrace.plan.branches import Guard, guard_of
from headrace.plan.handles import Handles
from headrace.plan.ir import UNBOUND, Node, Region, Value, input_positions
from headrace.plan.native_branches import writes_variables


class MemoryOrder:
    """Which nodes have to keep their order, because they touch the memory of the same variable."""

    def __init__(self, touched: Mapping[Value, Sequence[object]], handles: Handles) -> None:
        self._touched, self._handles = touched, handles
        # Of each variable the last that wrote it, and who has read it since.
        self._writers: dict[int, Node] = {}
        self._readers: dict[int, list[Node]] = {}
        # Those that may touch any variable.
        self._any: Node | None = None

    def before(self, node: Node) -> Iterator[Node]:
        """What has to come before `node`, which is the next in the order of the plan."""
        writes = {id(handle) for handle in self._handles.written_by(node)}
        reads = {id(self._handles.of(node.inputs[i])) for i in input_positions(node, node.decl.reads_state)}
        for value in node.inputs:
            reads.update(map(id, self._touched.get(value, ())))
            if isinstance(value.bound, VariableBuffer):
                reads.add(id(value.bound))
            elif node.region is not None and (value.dtype._is_ref_dtype or value.dtype is resource):
                reads.add(id(self._handles.of(value)))
        if not writes and not reads:
            return
        if self._any is not None:
            yield self._any
        if id(UNBOUND) in writes or id(UNBOUND) in reads:
            yield from self._writers.values()
            for readers in self._readers.values():
                yield from readers
            # Who waits for this one waits for them.
            self._writers, self._readers = {}, {}
            self._any = node
            return
        for handle in reads | writes:
            writer = self._writers.get(handle)
            if writer is not None:
                yield writer
        for handle in writes:
            yield from self._readers.pop(handle, ())
            self._writers[handle] = node
        for handle in reads - writes:
            self._readers.setdefault(handle, []).append(node)


def first_writes(nodes: Sequence[Node], handles: Handles) -> dict[int, float]:
    """What is written, by identity, with the place of the first node that does."""
    first: dict[int, float] = {}
    for place, node in enumerate(nodes):
        for handle in handles.written_by(node):
            # What an update takes is used before it writes; a loop writes while it uses what it takes.
            first.setdefault(id(handle), place if node.region is None else place - 0.5)
    return first


def values_in_variables(nodes: Sequence[Node], handles: Handles) -> dict[Value, list[object]]:
    """For values that may lie in variables that are written, within loops too, what leads to these."""
    touched: dict[Value, list[object]] = {}
    if any(writes_variables(node) for node in nodes):
        _touch(nodes, handles, touched)
    return touched


def _touch(nodes: Sequence[Node], handles: Handles, touched: dict[Value, list[object]]) -> None:
    writers: dict[int, list[Node]] = {}
    for node in nodes:
        for handle in handles.written_by(node):
            writers.setdefault(id(handle), []).append(node)
    for node in nodes:
        if node.region is not None:
            _touch_inside(node, node.region, handles, touched)
            continue
        own: list[object] = []
        for i in input_positions(node, node.decl.reads_state) if node.decl.lends_state else ():
            value = node.inputs[i]
            handle = handles.of(value)
            # What the only update gives does not change any more.
            if writers.get(id(handle)) != [value.node] or id(UNBOUND) in writers:
                own.append(handle)
        # Natively a scalar is the memory of what it was made of, which as NumPy's scalar is a copy.
        if node.decl.may_alias or node.decl.native_rule is handed_on:
            for value in node.inputs:
                own.extend(touched.get(value, ()))
        for value in node.outputs if own else ():
            guard = guard_of(value)
            # What is written in other branches alone does not change where the value is.
            ways = [each for each in own if not guard or _may_write(writers.get(id(each), ()), guard)]
            if ways:
                touched[value] = ways


def _touch_inside(loop: Node, region: Region, handles: Handles, touched: dict[Value, list[object]]) -> None:
    """As `_touch`, of what a loop runs: what it is given may lie in a variable, and what goes around in it, too."""
    for inner, outer in zip(region.captures, loop.inputs[len(region.variables) :], strict=True):
        if outer in touched:
            touched[inner] = touched[outer]
    while True:
        _touch(region.nodes, handles, touched)
        around = zip(region.variables, region.nexts, strict=True)
        new = [(value, following) for value, following in around if following in touched and value not in touched]
        if not new:
            break
        touched.update((value, touched[following]) for value, following in new)
    for output, leaving in zip(loop.outputs, region.exits, strict=True):
        if leaving in touched:
            touched[output] = touched[leaving]


def _may_write(writers: Iterable[Node], guard: Guard) -> bool:
    """Whether any of the nodes may run where those of `guard` do."""
    return any(not any((pred, not taken) in guard for pred, taken in node.guard) for node in writers)
