"""Plans for looking into a step: every operation is run as the program made it, and shows what it made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from headrace.plan.collect import Collected, collect
from headrace.plan.emit import Emitted, emit
from headrace.plan.failures import naming_operations
from headrace.plan.graph import PlanGraph
from headrace.plan.ir import UNBOUND, Value
from headrace.plan.nesting import counted
from headrace.plan.passes import WATCHED
from headrace.plan.pipeline import run_passes
from headrace.plan.plan import Files, Plan
from headrace.plan.waiting import emit_parts

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Runtime


class WatchedPlan(Plan):
    """A plan that nothing was folded, merged, fused or dropped from.

    Its function takes an observer first and calls it as `observe(number, after, values)`: before the call of node `number`
    without values, and after it with a tuple of its outputs.

    Args:
        graph: the planned graph.
        emitted: the function.
        files: for each file name of the function's source, the node of each line.
        collected: what the graph was made of.
        feeds: the tensors that are fed.
        fetches: what is fetched and run.

    Attributes:
        tensors: the tensor of the graph that each value of the plan is.
        given: the tensors whose values are there before the step: constants and variables.
        fed: the tensors that are fed, in the order of the function's parameters.
        fetches: what is fetched and run.
        taken: the operations of the graph that run.
        graph_operations: those, and before them the operations of what is fed.
    """

    def __init__(
        self,
        graph: PlanGraph,
        emitted: Emitted,
        files: Files,
        collected: Collected,
        feeds: Sequence[Tensor],
        fetches: Sequence[Tensor | Operation],
    ) -> None:
        super().__init__(graph, emitted, files, [True] * len(graph.fetches), lambda: (emitted, {}))
        values = collected.values.items()
        self.tensors: Mapping[Value, Tensor] = {value: tensor for tensor, value in values}
        self.given = [(tensor, value) for tensor, value in values if value.bound is not UNBOUND]
        self.fed = list(feeds)
        self.fetches = list(fetches)
        self.taken = frozenset(collected.node_of)
        self.graph_operations = list(dict.fromkeys([*(tensor.op for tensor in feeds), *collected.node_of]))


def make_watched_plan(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Runtime,
    batch: int = 1,
    known: Mapping[int, Value] | None = None,
    done: Set[Operation] = frozenset(),
) -> WatchedPlan:
    """Plans the computation of `fetches` from `feeds` as it stands in the graph.

    Args are those of `make_plan`. Operations that only control edges lead to run as well, as they do in TensorFlow. Of calls
    that wait, such as a dequeue, it is what their consumers make that is shown.

    Raises:
        ResourceExhaustedError, OpError: as `make_plan`.
    """
    with counted(), naming_operations():
        collected = collect(fetches, feeds, runtime, runtime.device, done, known)
        graph = PlanGraph(collected, runtime, batch)
        run_passes(WATCHED, graph)
        files: Files
        if graph.waits is not None:
            emitted, files = emit_parts(graph, observed=True)
        else:
            emitted = emit(graph.nodes, graph.feeds, graph.fetches, graph.copied, watched=True)
            files = {emitted.filename: emitted.lines}
        return WatchedPlan(graph, emitted, files, collected, feeds, fetches)
