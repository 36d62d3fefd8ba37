"""The passes, in the order they run: every plan is made by those of this list that it selects."""

from __future__ import annotations

from headrace.core import slots
from headrace.plan import native_regions
from headrace.plan.advance import advance_updates
from headrace.plan.averages import SUBTRACTIONS, separate_averages
from headrace.plan.branches import set_guards
from headrace.plan.constant_sizes import bind_sizes
from headrace.plan.copies import values_to_copy
from headrace.plan.fusion import FusionPass
from headrace.plan.graph import PlanGraph, all_nodes
from headrace.plan.ir import (
    BRANCHES_OF_FUNCTIONS,
    COLLECTIVES,
    LOOP,
    LOOPS_OF_FUNCTIONS,
    READ_REFERENCE,
    is_remote,
)
from headrace.plan.live import drop_gates, keep_live
from headrace.plan.loops import outermost, raise_loops
from headrace.plan.native_nodes import set_regions
from headrace.plan.order import order
from headrace.plan.parallel import mark_heavy
from headrace.plan.pipeline import Pass, Property
from headrace.plan.place import assign_devices, place
from headrace.plan.reuse import reuse_memory
from headrace.plan.rewriting import NEEDS, HasAll, rewrite
from headrace.plan.scalars import lower_scalars
from headrace.plan.simplify import simplify
from headrace.plan.waiting import exposed_reads, find_waits

RAISED, ASSIGNED, BOUND = Property.LOOPS_RAISED, Property.DEVICES_ASSIGNED, Property.BOUND
GUARDED, SORTED, PLACED = Property.GUARDS_SET, Property.TOPOLOGICAL, Property.PLACED
SCHEDULED, WAITS, COPIES = Property.SCHEDULED, Property.WAITS_FOUND, Property.COPIES_FOUND
REGIONS = Property.REGIONS_FOUND


# ---- what the passes do with a graph, where that is more than to call a function of the nodes


def _has_functions(graph: PlanGraph) -> bool:
    """Whether there are branches or loops of functions. What tasks of a cluster do stays theirs."""
    return graph.runtime.tasks is None and not graph.op_types().isdisjoint(BRANCHES_OF_FUNCTIONS | LOOPS_OF_FUNCTIONS)


def _lower_functions(graph: PlanGraph) -> None:
    # Most programs have none, of optionals and lists neither.
    slots.lower_functions(graph)


def _take_out_optionals(graph: PlanGraph) -> None:
    slots.take_out_optionals(graph)


def _change_lists_in_place(graph: PlanGraph) -> None:
    slots.change_lists_in_place(graph)


def _raise_loops(graph: PlanGraph) -> None:
    graph.nodes = raise_loops(graph.nodes, graph.fetches, graph.targets)
    graph.targets = [outermost(node) for node in graph.targets]
    graph.keep = set(graph.targets)


def _assign_devices(graph: PlanGraph) -> None:
    assign_devices(graph.nodes, graph.runtime)


def _bind(graph: PlanGraph) -> None:
    graph.replace(*simplify(graph.nodes, graph.keep, only_bind=True))


def _simplify(graph: PlanGraph) -> None:
    graph.replace(*simplify(graph.nodes, graph.keep))
    graph.more_to_fold = False


def _has_more_to_fold(graph: PlanGraph) -> bool:
    """Whether passes have made something known, or branches and loops let more be seen."""
    return graph.more_to_fold or any(node.guard or node.region is not None for node in graph.nodes)


def _set_guards(graph: PlanGraph) -> None:
    graph.nodes, graph.dead = set_guards(graph.nodes)


def _show_all(graph: PlanGraph) -> None:
    runs = [node for node in graph.nodes if node.decl.kernel_rule is not None or node.region is not None]
    graph.shown = [value for node in runs for value in node.outputs]


def _keep_live(graph: PlanGraph) -> None:
    waiting = [node for node in graph.nodes if node.control]
    graph.nodes = keep_live(graph.nodes, [*graph.fetches, *graph.shown], graph.targets)
    # What waits for nothing any more may be folded.
    graph.more_to_fold = not all(node.control for node in waiting)


def _drop_gates(graph: PlanGraph) -> None:
    count, waiting = len(graph.nodes), [node for node in graph.nodes if node.control]
    graph.nodes = drop_gates(graph.nodes, graph.fetches, graph.keep)
    freed = not all(node.control for node in waiting)
    graph.more_to_fold = graph.more_to_fold or len(graph.nodes) < count or freed


def _bind_sizes(graph: PlanGraph) -> None:
    count = len(graph.nodes)
    graph.nodes = bind_sizes(graph.nodes, graph.keep, graph.fetches)
    graph.more_to_fold = graph.more_to_fold or len(graph.nodes) < count


def _hold_reads(graph: PlanGraph) -> None:
    # A graph of resource variables has none.
    slots.hold_reads(graph)


def _place(graph: PlanGraph) -> None:
    graph.nodes = place(graph.nodes)


def _lower_scalars(graph: PlanGraph) -> None:
    graph.nodes, graph.fetches = lower_scalars(graph.nodes, graph.fetches)


def _order(graph: PlanGraph) -> None:
    graph.nodes = order(graph.nodes)


def _advance_updates(graph: PlanGraph) -> None:
    graph.nodes = advance_updates(graph.nodes)


def _mark_heavy(graph: PlanGraph) -> None:
    graph.heavy = mark_heavy(graph.nodes, graph.batch)


def _find_waits(graph: PlanGraph) -> None:
    graph.waits = find_waits(graph.nodes)


def _copy_values(graph: PlanGraph) -> None:
    graph.copied = values_to_copy(graph.nodes, graph.fetches)


def _copy_exposed(graph: PlanGraph) -> None:
    graph.copied = exposed_reads(graph.nodes)


def _may_have_regions(graph: PlanGraph) -> bool:
    return graph.waits is None and native_regions.are_wanted()


def _reuse_memory(graph: PlanGraph) -> None:
    found = reuse_memory(graph.nodes, graph.fetches, graph.copied)
    # Regions plan their own memory.
    graph.reused = {node: reuse for node, reuse in found.items() if node not in graph.native} if graph.native else found
    for node, reuse in graph.reused.items():
        value = node.inputs[reuse.input]
        region = graph.native.get(value.node)
        if region is not None:
            # What the node makes of it may leave the step.
            region.notes["native"].give_memory(value)


def _has_remote_nodes(graph: PlanGraph) -> bool:
    return graph.runtime.tasks is not None and any(map(is_remote, all_nodes(graph.nodes)))


def _cut_tasks(graph: PlanGraph) -> None:
    # What it writes are messages, which a program without a cluster does not load.
    slots.cut_tasks(graph)


def _has_collectives(graph: PlanGraph) -> bool:
    return not COLLECTIVES.isdisjoint(graph.op_types())


def _meet_collectives(graph: PlanGraph) -> None:
    # Most programs have none.
    slots.meet_collectives(graph)


def _is_one_function(graph: PlanGraph) -> bool:
    return graph.waits is None


def _has_parts(graph: PlanGraph) -> bool:
    return graph.waits is not None


_PRODUCTS = frozenset({"MatMul", "Conv2D", "Conv3D", "DepthwiseConv2dNative"})

PASSES: tuple[Pass, ...] = (
    Pass(
        "lower functions",
        "take the functions of If and While operations in: as branches, and as loops with a region",
        _lower_functions,
        when=_has_functions,
    ),
    Pass(
        "raise loops",
        "turn the cycles of Enter, Merge, Switch, NextIteration and Exit into one node each, with a region",
        _raise_loops,
        ensures={RAISED, SORTED},
        watched=True,
    ),
    Pass(
        "assign devices",
        "say on which device each node runs: its device scope's, or the session's",
        _assign_devices,
        needs={RAISED},
        ensures={ASSIGNED},
        watched=True,
    ),
    Pass(
        "bind",
        "replace constants and variables by their values and buffers",
        _bind,
        needs={RAISED, ASSIGNED, SORTED},
        ensures={BOUND},
        optimized=False,
        watched=True,
    ),
    Pass(
        "simplify",
        "bind constants and variables, fold what is known, drop what does nothing, merge equals",
        _simplify,
        needs={RAISED, ASSIGNED, SORTED},
        ensures={BOUND},
    ),
    Pass(
        "set guards",
        "derive from Switch and Merge in which branches each node lies; drop branches that are never taken",
        _set_guards,
        needs={RAISED, BOUND, SORTED},
        ensures={GUARDED},
        watched=True,
    ),
    Pass(
        "show all",
        "keep every operation of the program, for debuggers",
        _show_all,
        needs={GUARDED},
        optimized=False,
        watched=True,
    ),
    Pass(
        "keep live",
        "drop what only control edges would keep, and control edges without an effect behind them",
        _keep_live,
        needs={RAISED, GUARDED},
        watched=True,
    ),
    Pass(
        "drop gates",
        "take out Identity nodes, and let constants wait for nothing: their consumers wait for what they waited for",
        _drop_gates,
        needs={GUARDED, SORTED},
    ),
    Pass(
        "bind sizes",
        "make sizes constants that are computed from shapes and known altogether",
        _bind_sizes,
        needs={BOUND, GUARDED, SORTED},
    ),
    Pass(
        "simplify again",
        "fold, drop and merge what the passes before have made known; what lies in branches is not folded",
        _simplify,
        needs={RAISED, ASSIGNED, SORTED},
        ensures={BOUND},
        when=_has_more_to_fold,
    ),
    Pass(
        "cut tasks",
        "make parts of what other tasks of the cluster do, each a call and what it gives",
        _cut_tasks,
        needs={RAISED, ASSIGNED, BOUND, GUARDED},
        when=_has_remote_nodes,
        watched=True,
    ),
    Pass(
        "meet collectives",
        "bring together the members of collectives that are in one plan",
        _meet_collectives,
        needs={RAISED, ASSIGNED, BOUND, GUARDED},
        when=_has_collectives,
        watched=True,
    ),
    Pass(
        "optionals",
        "let the gradients of branches take what the branches have computed, not wrapped in optionals",
        _take_out_optionals,
        needs=NEEDS,
        when=HasAll((frozenset({"OptionalFromValue"}),)),
    ),
    Pass(
        "lists in place",
        "change the lists that loops carry in place, where each version of a list is used once",
        _change_lists_in_place,
        needs=NEEDS,
        when=HasAll((frozenset({LOOP}), frozenset({"TensorListGetItem", "TensorListSetItem", "TensorListPushBack"}))),
    ),
    Pass(
        "hold reads",
        "find what is computed of reference variables before they are written, and used after: no pattern takes it along",
        _hold_reads,
        needs=NEEDS,
        when=HasAll((frozenset({READ_REFERENCE}),)),
    ),
    FusionPass("decided branches"),
    FusionPass("loop invariants"),
    FusionPass("loop shapes"),
    FusionPass("broadcast gradients"),
    FusionPass("clipped gradients"),
    FusionPass("counts"),
    FusionPass("shapes of others"),
    FusionPass("sparse gradients"),
    FusionPass("concat gradients"),
    FusionPass("logistic losses"),
    FusionPass("slice gradients"),
    FusionPass("products of parts"),
    FusionPass("dropout"),
    FusionPass("one hot vectors"),
    FusionPass("row sums"),
    FusionPass("packed convolutions"),
    FusionPass("convolutions of one image"),
    FusionPass("bias"),
    FusionPass("products"),
    FusionPass("lstm"),
    FusionPass("partial products"),
    FusionPass("pooled relus"),
    FusionPass("pooled sums"),
    FusionPass("max pooling"),
    FusionPass("vocabulary buckets"),
    FusionPass("kept ids"),
    FusionPass("sizes"),
    FusionPass("sparse shapes"),
    FusionPass("adam of rows"),
    FusionPass("keras updates"),
    FusionPass("updates"),
    rewrite(
        "averages",
        "let each step of a moving average start from where the one before has left it",
        separate_averages,
        SUBTRACTIONS,
    ),
    Pass(
        "place",
        "copy values to the device where they are needed",
        _place,
        needs={RAISED, ASSIGNED, BOUND},
        ensures={PLACED},
        watched=True,
    ),
    Pass(
        "lower scalars",
        "compute the scalars of loops as NumPy scalars, where that saves more than it costs",
        _lower_scalars,
        needs={RAISED, GUARDED, PLACED},
        ends={SORTED},
    ),
    Pass(
        "order",
        "decide in which order nodes run: what writes variables last",
        _order,
        needs={RAISED, GUARDED, PLACED},
        ensures={SORTED, SCHEDULED},
        watched=True,
    ),
    Pass(
        "advance updates",
        "run the update of a variable while its gradient is still in the caches",
        _advance_updates,
        needs={SCHEDULED},
    ),
    Pass(
        "mark heavy",
        "say which nodes are worth several threads",
        _mark_heavy,
        needs={PLACED},
    ),
    Pass(
        "find waits",
        "find out whether operations that wait may wait for each other, so that several functions are needed",
        _find_waits,
        needs={SCHEDULED},
        ensures={WAITS},
        watched=True,
    ),
    Pass(
        "copy values",
        "find the values that are still used when a variable they share memory with is written",
        _copy_values,
        needs={SCHEDULED, WAITS},
        ensures={COPIES},
        when=_is_one_function,
        watched=True,
    ),
    Pass(
        "copy exposed reads",
        "find the reads of variables that another function may write before the value is used",
        _copy_exposed,
        needs={SCHEDULED, WAITS},
        ensures={COPIES},
        when=_has_parts,
        watched=True,
    ),
    Pass(
        "native regions",
        "compute runs of small nodes in one call each of the native runner",
        set_regions,
        needs={SCHEDULED, WAITS, COPIES},
        ensures={REGIONS},
        when=_may_have_regions,
    ),
    Pass(
        "reuse memory",
        "compute in the memory of inputs that nobody needs any more",
        _reuse_memory,
        needs={SCHEDULED, COPIES},
        when=_is_one_function,
    ),
)

# What steps run by, and what debuggers look into.
OPTIMIZED = tuple(each for each in PASSES if each.optimized)
WATCHED = tuple(each for each in PASSES if each.watched)
FUSIONS = tuple(each for each in PASSES if isinstance(each, FusionPass))
