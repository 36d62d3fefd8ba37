"""Plans for looking into a step: every operation is run as the program made it, and shows what it made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from headrace.plan.collect import collect
from headrace.plan.emit import emit
from headrace.plan.failures import telling
from headrace.plan.ir import UNBOUND, Node, Value
from headrace.plan.live import keep_live
from headrace.plan.loops import outermost, raise_loops
from headrace.plan.nesting import counted
from headrace.plan.order import order, reads_to_copy, set_guards
from headrace.plan.place import assign_devices, place
from headrace.plan.plan import Plan
from headrace.plan.simplify import simplify
from headrace.plan.waiting import emit_parts, waiting_masks

if TYPE_CHECKING:
    from headrace.core.operation import Operation, Tensor


class WatchedPlan(Plan):
    """A plan that nothing was folded, merged, fused or dropped from.

    Its function takes an observer first and calls it as `observe(number, after, values)`: before the call of node `number`
    without values, and after it with a tuple of its outputs.

    Attributes:
        tensors: the tensor of the graph that each value of the plan is.
        given: the tensors whose values are there before the step: constants and variables.
        fed: the tensors that are fed, in the order of the function's parameters.
        fetches: what is fetched and run.
        graph_operations: the operations of the graph that take part.
    """

    tensors: Mapping[Value, Tensor]
    given: list[tuple[Tensor, Value]]
    fed: list[Tensor]
    fetches: list[Tensor | Operation]
    graph_operations: list[Operation]


def make_watched_plan(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Any,
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
    with counted(), telling():
        return _plan(fetches, feeds, runtime, known, done)


def _plan(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Any,
    known: Mapping[int, Value] | None,
    done: Set[Operation],
) -> WatchedPlan:
    collected = collect(fetches, feeds, runtime, runtime.device, done)
    operations = len(collected.nodes)
    nodes = raise_loops(collected.nodes, [value for value in collected.fetches if value is not None])
    targets = [outermost(node) for node in collected.targets]
    assign_devices(nodes, runtime)
    nodes, _ = simplify(nodes, set(targets), only_bind=True)
    nodes = set_guards(nodes)
    fetched = [value for value in collected.fetches if value is not None]
    shown = [value for node in nodes if _runs(node) for value in node.outputs]
    nodes = keep_live(nodes, [*fetched, *shown], targets)
    nodes, fetched = place(nodes, fetched, runtime)
    nodes = order(nodes)
    masks = waiting_masks(nodes)
    files = None
    if masks is not None:
        emitted, files = emit_parts(nodes, collected.feeds, fetched, masks, observed=True)
    else:
        emitted = emit(nodes, collected.feeds, fetched, reads_to_copy(nodes, fetched), watched=True)
    plan = WatchedPlan(
        emitted.function,
        emitted.source,
        emitted.filename,
        emitted.nodes,
        emitted.lines,
        [True] * len(fetched),
        operations,
        lambda: (emitted.function, {}),
        files,
    )
    plan.tensors = {value: tensor for tensor, value in collected.values.items()}
    plan.given = [(tensor, value) for tensor, value in collected.values.items() if value.bound is not UNBOUND]
    plan.fed = list(feeds)
    plan.fetches = list(fetches)
    plan.graph_operations = list(dict.fromkeys([*(tensor.op for tensor in feeds), *collected.node_of]))
    return plan


def _runs(node: Node) -> bool:
    return node.decl.kernel_rule is not None or node.region is not None
