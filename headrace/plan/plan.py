"""A plan: everything that could be decided about one set of fetches and feeds, ending in a function to call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.plan.collect import Known, collect
from headrace.plan.copies import shared_memory
from headrace.plan.emit import Emitted, emit
from headrace.plan.failures import naming_operations
from headrace.plan.graph import PlanGraph
from headrace.plan.ir import Node
from headrace.plan.nesting import counted
from headrace.plan.passes import OPTIMIZED
from headrace.plan.pipeline import run_passes
from headrace.plan.values import to_torch
from headrace.plan.waiting import emit_parts, may_wait

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Kernel, Runtime
    from headrace.plan.region_kernel import NativeRegion

# For each file name of a source, the node of each line.
Files = Mapping[str, dict[int, Node]]


class Plan:
    """The generated function of one set of fetches and feeds.

    Args:
        graph: the planned graph.
        emitted: the function.
        files: for each file name of the function's source, the node of each line.
        shared: for each fetched tensor, whether its value may share memory with state, a feed or a constant.
        emit_observed: makes the function once more, one that takes an observer.

    Attributes:
        graph: the planned graph.
        function: called with the fed values, returns a tuple of the fetched tensors' values.
        source: its Python source.
        nodes: the nodes whose kernels it calls, in order, those inside loops and in native regions too.
        regions: its native regions.
        array_feeds: for each fed tensor, whether its value comes as a NumPy array.
        array_fetches: for each fetched tensor, whether its value may come out as one.
        files: for each file name of its source, and of that of `observed`, the node of each line.
        shared: for each fetched tensor, whether its value may share memory with state, a feed or a constant.
    """

    def __init__(
        self,
        graph: PlanGraph,
        emitted: Emitted,
        files: Files,
        shared: list[bool],
        emit_observed: Callable[[], tuple[Emitted, Files]],
    ) -> None:
        self.graph = graph
        self.function: Kernel = emitted.function
        self.source = emitted.source
        self.filename = emitted.filename
        self.nodes = emitted.nodes
        self.observed_nodes = emitted.nodes
        self.lines = emitted.lines
        self.files = dict(files)
        self.shared = shared
        self.regions: list[NativeRegion] = list(
            dict.fromkeys(each.notes["native"] for each in graph.native.values() if each is not None)
        )
        for region in self.regions:
            region.files = self.files
        self.array_feeds = [value in graph.array_feeds for value in graph.feeds]
        self.array_fetches = [
            graph.meets_arrays and graph.native.get(value.node) is not None and not value.dtype._is_ref_dtype
            for value in graph.fetches
        ]
        self._emit_observed = emit_observed
        self._observed: Kernel | None = None

    def _repr_html_(self) -> str:
        """What notebooks show: its summary and source."""
        return str(slots.as_html(self))

    def observed(self) -> Kernel:
        """The same plan as a function whose first argument is called before and after each node's call."""
        if self._observed is None:
            emitted, files = self._emit_observed()
            self._observed = self._taking_arrays(emitted.function)
            self.observed_nodes = emitted.nodes
            self.files.update(files)
        return self._observed

    def _taking_arrays(self, function: Kernel) -> Kernel:
        """An observed function, which calls kernels only, for the arrays that regions would take as they are."""
        if not any(self.array_feeds):
            return function
        kinds = [
            value.dtype if taken else None for value, taken in zip(self.graph.feeds, self.array_feeds, strict=True)
        ]

        def observed(observe: Kernel, *feeds: Any) -> tuple[Any, ...]:
            tensors = [feed if kind is None else to_torch(feed, kind) for feed, kind in zip(feeds, kinds, strict=True)]
            results: tuple[Any, ...] = function(observe, *tensors)
            return results

        return observed

    @property
    def summary(self) -> str:
        """One line: how many operations became how many calls of kernels, as they stand in the source."""
        operations, waits, regions = self.graph.operations, len(self.waiting), len(self.regions)
        calls = len(self.nodes) - sum(len(region.members) for region in self.regions)
        parts = [f"{calls} call{'s' * (calls != 1)}"] if calls or not (waits or regions) else []
        parts += [f"{regions} native region{'s' * (regions != 1)}"] if regions else []
        parts += [f"{waits} wait{'s' * (waits != 1)}"] if waits else []
        return f"{operations} operation{'s' * (operations != 1)} planned as {' and '.join(parts)}"

    @property
    def waiting(self) -> list[Node]:
        """The nodes that wait for others, each on its own beside the functions of a plan of several."""
        return [] if self.graph.waits is None else [node for node in self.graph.nodes if may_wait(node)]


def make_plan(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Runtime,
    batch: int = 1,
    known: Mapping[int, Known] | None = None,
    done: Set[Operation] = frozenset(),
    meets_arrays: bool = False,
) -> Plan:
    """Plans the computation of `fetches` from `feeds`.

    Args:
        fetches: tensors to return and operations to run.
        feeds: tensors that are given, in the order of the function's parameters.
        runtime: the session's state, for kernels that keep some.
        batch: the size to assume for unknown dimensions where one has to be assumed.
        known: feeds that are always the same, by position: values of the plan that calls this one, and others.
        done: operations that have run before, which nothing has to wait for.
        meets_arrays: whether the function may take and return NumPy arrays where native regions alone take or give
            values: see `Plan.array_feeds`.

    Raises:
        ResourceExhaustedError: if it calls functions that call functions, too many times in all.
        OpError: if an operation cannot be planned; it names the operation.
    """
    with counted(), naming_operations():
        collected = collect(fetches, feeds, runtime, runtime.device, done, known)
        graph = PlanGraph(collected, runtime, batch, meets_arrays)
        run_passes(OPTIMIZED, graph)
        if graph.waits is not None:
            emitted, files = emit_parts(graph)
            # What one part holds another may change.
            shared = [True] * len(graph.fetches)
            return Plan(graph, emitted, files, shared, lambda: emit_parts(graph, observed=True))
        emitted = _emitted(graph, reuse=True)
        shared = shared_memory(graph.nodes, graph.fetches, graph.copied)
        # What leaves a region has memory of its own; a reference leads to the variable's.
        shared = [
            is_shared and (graph.native.get(value.node) is None or value.dtype._is_ref_dtype)
            for is_shared, value in zip(shared, graph.fetches, strict=True)
        ]
        return Plan(graph, emitted, _files(emitted), shared, lambda: _observed(graph))


def make_session_plan(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Runtime,
    batch: int = 1,
    known: Mapping[int, Known] | None = None,
) -> Plan:
    """As `make_plan`, for a session: its function may take and return NumPy arrays."""
    return make_plan(fetches, feeds, runtime, batch, known, meets_arrays=True)


def _emitted(graph: PlanGraph, reuse: bool = False, observed: bool = False) -> Emitted:
    reused = graph.reused if reuse else None
    native = {} if observed else graph.native
    return emit(
        graph.nodes,
        graph.feeds,
        graph.fetches,
        graph.copied,
        heavy=graph.heavy,
        observed=observed,
        reused=reused,
        native=native,
    )


def _observed(graph: PlanGraph) -> tuple[Emitted, Files]:
    # Observers look at the values, so each has memory of its own.
    emitted = _emitted(graph, observed=True)
    return emitted, _files(emitted)


def _files(emitted: Emitted) -> Files:
    return {emitted.filename: emitted.lines}
