"""A plan: everything that could be decided about one set of fetches and feeds, ending in a function to call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from headrace.plan.advance import advance_updates
from headrace.plan.collect import collect
from headrace.plan.emit import Emitted, emit
from headrace.plan.failures import telling
from headrace.plan.fuse import apply_rewrites
from headrace.plan.ir import UNBOUND, Node, Value
from headrace.plan.live import drop_gates, keep_live
from headrace.plan.loops import outermost, raise_loops
from headrace.plan.nesting import counted
from headrace.plan.order import order, reads_to_copy, set_guards
from headrace.plan.parallel import mark_heavy
from headrace.plan.place import assign_devices, place
from headrace.plan.reuse import reuse_memory
from headrace.plan.rewrites.shape_arithmetic import bind_sizes
from headrace.plan.scalars import lower_scalars
from headrace.plan.simplify import simplify
from headrace.plan.waiting import emit_parts, waiting_masks

if TYPE_CHECKING:
    from headrace.core.operation import Operation, Tensor


class Plan:
    """The generated function of one set of fetches and feeds.

    Attributes:
        function: called with the fed values, returns a tuple of the fetched tensors' values.
        source: its Python source.
        nodes: the nodes it runs, in order.
        files: for each file name of its source, and of that of `observed`, the node of each line.
        shared: for each fetched tensor, whether its value may share memory with state, a feed or a constant.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        source: str,
        filename: str,
        nodes: list[Node],
        lines: dict[int, Node],
        shared: list[bool],
        operations: int,
        emit_observed: Callable[[], tuple[Callable[..., Any], Mapping[str, dict[int, Node]]]],
        files: Mapping[str, dict[int, Node]] | None = None,
    ) -> None:
        self.function = function
        self.source = source
        self.filename = filename
        self.nodes = nodes
        self.lines = lines
        self.shared = shared
        self.operations = operations
        self.files = {filename: lines} if files is None else dict(files)
        self._emit_observed = emit_observed
        self._observed: Callable[..., Any] | None = None

    def observed(self) -> Callable[..., Any]:
        """The same plan as a function whose first argument is called before and after each node's call."""
        if self._observed is None:
            self._observed, files = self._emit_observed()
            self.files.update(files)
        return self._observed

    @property
    def summary(self) -> str:
        """One line: how many operations became how many calls."""
        return f"{self.operations} operations planned as {len(self.lines)} calls"


def make_plan(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Any,
    batch: int = 1,
    known: Mapping[int, Value] | None = None,
    done: Set[Operation] = frozenset(),
) -> Plan:
    """Plans the computation of `fetches` from `feeds`.

    Args:
        fetches: tensors to return and operations to run.
        feeds: tensors that are given, in the order of the function's parameters.
        runtime: the session's state, for kernels that keep some.
        batch: the size to assume for unknown dimensions where one has to be assumed.
        known: feeds that are always the same, by position, as values of the plan that calls this one.
        done: operations that have run before, which nothing has to wait for.

    Raises:
        ResourceExhaustedError: if it calls functions that call functions, too many times in all.
        OpError: if an operation cannot be planned; it names the operation.
    """
    with counted(), telling():
        return _plan(fetches, feeds, runtime, batch, known, done)


def _plan(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Any,
    batch: int,
    known: Mapping[int, Value] | None,
    done: Set[Operation],
) -> Plan:
    collected = collect(fetches, feeds, runtime, runtime.device, done)
    for i, value in (known or {}).items():
        collected.feeds[i].bound, collected.feeds[i].constant = value.bound, value.constant
    operations = len(collected.nodes)
    nodes = raise_loops(collected.nodes, [value for value in collected.fetches if value is not None])
    targets = [outermost(node) for node in collected.targets]
    assign_devices(nodes, runtime)
    keep = set(targets)
    nodes, replaced = simplify(nodes, keep)
    fetched = [replaced.get(value, value) for value in collected.fetches if value is not None]
    waiting = [node for node in nodes if node.control]
    nodes = keep_live(set_guards(nodes), fetched, targets)
    released = not all(node.control for node in waiting)
    count = len(nodes)
    nodes, fetched = drop_gates(nodes, fetched, keep)
    nodes = bind_sizes(nodes, keep, fetched)
    if released or len(nodes) < count or any(node.guard or node.region is not None for node in nodes):
        # Without the gates and what waited for nothing, and with more sizes known, there is more to fold.
        nodes, replaced = simplify(nodes, keep)
        fetched = [replaced.get(value, value) for value in fetched]
    nodes, fetched = apply_rewrites(nodes, fetched, keep, lambda left, wanted: keep_live(left, wanted, targets))
    nodes, fetched = place(nodes, fetched, runtime)
    nodes, fetched = lower_scalars(nodes, fetched)
    nodes = advance_updates(order(nodes))
    copies = reads_to_copy(nodes, fetched)
    heavy = mark_heavy(nodes, batch)
    masks = waiting_masks(nodes)
    if masks is not None:
        emitted, files = emit_parts(nodes, collected.feeds, fetched, masks, heavy=heavy)
        return Plan(
            emitted.function,
            emitted.source,
            emitted.filename,
            emitted.nodes,
            emitted.lines,
            # What one part holds another may change.
            [True] * len(fetched),
            operations,
            lambda: _observed_parts(emit_parts(nodes, collected.feeds, fetched, masks, observed=True, heavy=heavy)),
            files,
        )
    reused = reuse_memory(nodes, fetched, copies)
    emitted = emit(nodes, collected.feeds, fetched, copies, heavy=heavy, reused=reused)
    return Plan(
        emitted.function,
        emitted.source,
        emitted.filename,
        emitted.nodes,
        emitted.lines,
        _shared(nodes, fetched, copies),
        operations,
        lambda: _observed(emit(nodes, collected.feeds, fetched, copies, observed=True, heavy=heavy)),
    )


def _observed(emitted: Emitted) -> tuple[Callable[..., Any], Mapping[str, dict[int, Node]]]:
    return emitted.function, {emitted.filename: emitted.lines}


def _observed_parts(
    parts: tuple[Emitted, Mapping[str, dict[int, Node]]],
) -> tuple[Callable[..., Any], Mapping[str, dict[int, Node]]]:
    return parts[0].function, parts[1]


def _shared(nodes: Sequence[Node], fetched: Sequence[Value], copies: set[Node]) -> list[bool]:
    """Which fetched values are not fresh memory."""
    fresh: set[Value] = set()
    for node in nodes:
        decl = node.decl
        if node in copies:
            fresh.update(node.outputs)
        elif decl.reads_state or decl.writes_state:
            continue
        elif not decl.may_alias or all(value in fresh for value in node.inputs):
            fresh.update(node.outputs)
    return [value.bound is not UNBOUND or value not in fresh for value in fetched]
