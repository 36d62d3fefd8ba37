"""In which order the nodes of a block have to stay, as native regions move them: they touch the memory of one variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from headrace.core.buffers import VariableBuffer
from headrace.plan.handles import Handles
from headrace.plan.ir import UNBOUND, Node, Value, input_positions
from headrace.plan.native_branches import writes_variables
from headrace.plan.native_lowering import variable_of


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
        writes = {id(handle) for handle in written_by(node, self._handles)}
        reads = {id(leads_to(node.inputs[i], self._handles)) for i in input_positions(node, node.decl.reads_state)}
        for value in node.inputs:
            reads.update(map(id, self._touched.get(value, ())))
            if isinstance(value.bound, VariableBuffer):
                reads.add(id(value.bound))
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


def leads_to(value: Value, handles: Handles) -> object:
    """As `Handles.of`, seeing through updates, which give what they take."""
    found = variable_of(value)
    return handles.of(value) if found is None else found


def written_by(node: Node, handles: Handles) -> Iterator[object]:
    """What leads to the variables that the node may write."""
    if node.region is not None and writes_variables(node):
        for inner in node.region.nodes:
            yield from written_by(inner, handles)
    for index in input_positions(node, node.decl.writes_state):
        value = node.inputs[index]
        if value.bound is not UNBOUND or value.dtype._is_ref_dtype or value.dtype.name == "resource":
            handle = leads_to(value, handles)
            if isinstance(handle, (VariableBuffer, Value)) or handle is UNBOUND:
                yield handle
