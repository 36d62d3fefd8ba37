"""The pass that takes out optionals: what the gradients of branches need of the branches themselves.

A branch that is a function gives what its gradient needs wrapped in an optional, which is empty where another branch was
taken. Where the gradient's branch is seen to be of the same condition, it takes the value itself. In a loop the optionals lie
on a list, one an iteration: then the value does, of the iterations that took the branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from headrace.core import dtypes
from headrace.core.planning_facts import Role
from headrace.plan.branches import guard_of
from headrace.plan.graph import PlanGraph
from headrace.plan.ir import UNBOUND, Node, Region, Value, consumers_of, new_node, regions
from headrace.plan.live import keep_live
from headrace.plan.loops import topological


def take_out_optionals(graph: PlanGraph) -> None:
    """Puts values in the place of optionals that hold them."""
    if _taken_out(graph.nodes, graph.fetches):
        graph.nodes = keep_live(topological(graph.nodes), graph.fetches, graph.targets)


def _taken_out(nodes: list[Node], results: Sequence[Value]) -> bool:
    """Whether optionals were found among nodes, and taken out."""
    changed = False
    for _, region in regions(nodes):
        changed |= _taken_out(region.nodes, region.results)
    while _values_taken(nodes):
        # What was in an optional may be the condition of further branches, or another optional.
        changed = True
    for loop in [node for node in nodes if node.region is not None]:
        kept = _KeptLists(loop, nodes, results)
        for place in range(len(kept.region.variables)):
            changed |= kept.take_value_out(place)
    return changed


def _values_taken(nodes: Sequence[Node]) -> bool:
    """Whether branches look into optionals of which it is seen what they hold; they take that now."""
    consumers = consumers_of(nodes)
    replaced: dict[Value, Value] = {}
    for node in nodes:
        held = _held(node)
        if held is None:
            continue
        for taker in consumers.get(node.outputs[0], ()):
            if taker.decl.role is Role.SWITCH and taker.inputs[1] is held.predicate:
                replaced.update(_looked_at(taker.outputs[held.taken], held.value, consumers))
    _replace(nodes, replaced)
    return bool(replaced)


def _looked_at(optional: Value, value: Value, consumers: Mapping[Value, list[Node]]) -> dict[Value, Value]:
    """For what nodes find in an optional, the value that is there."""
    looks = [node for node in consumers.get(optional, ()) if node.type == "OptionalGetValue" and len(node.outputs) == 1]
    return {node.outputs[0]: value for node in looks if node.outputs[0] in consumers}


def _replace(nodes: Sequence[Node], replaced: Mapping[Value, Value]) -> None:
    """Puts values in the place of others, among what nodes take and what they lie in."""
    if not replaced:
        return
    # Constants are no nodes of the plan any more; still they are asked in which branches they lie, and what they come from.
    everything = dict.fromkeys(nodes)
    pending = list(nodes)
    while pending:
        node = pending.pop()
        constants = [value.node for value in node.inputs if value.bound is not UNBOUND and value.node not in everything]
        everything.update(dict.fromkeys(constants))
        pending += constants
        node.inputs = [replaced.get(value, value) for value in node.inputs]
        if node.guard and any(predicate in replaced for predicate, _ in node.guard):
            node.guard = tuple((replaced.get(predicate, predicate), taken) for predicate, taken in node.guard)


class _Held(NamedTuple):
    """What is in an optional: a value, in one branch of a predicate."""

    value: Value
    predicate: Value
    taken: bool


def _held(merge: Node) -> _Held | None:
    """What is in an optional that two branches merge to, nothing in one of them."""
    if merge.decl.role is not Role.MERGE or merge.outputs[0].dtype.name != "variant" or len(merge.inputs) != 2:
        return None
    full = [value for value in merge.inputs if value.node.type == "OptionalFromValue"]
    empty = [value for value in merge.inputs if value.node.type == "OptionalNone"]
    if len(full) != 1 or len(empty) != 1 or len(full[0].node.inputs) != 1 or "live" in merge.notes:
        return None
    guard = guard_of(full[0])
    if len(guard) != len(merge.guard) + 1 or guard[:-1] != merge.guard:
        return None
    predicate, taken = guard[-1]
    return _Held(full[0].node.inputs[0], predicate, taken)


class _KeptLists:
    """The lists that a loop makes longer by one element an iteration, and another loop shorter.

    Args:
        loop: the loop that makes them longer.
        nodes: the nodes around it, to which those are added that are made.
        results: what is used after them.
    """

    def __init__(self, loop: Node, nodes: list[Node], results: Sequence[Value]) -> None:
        assert loop.region is not None
        self.region: Region = loop.region
        self._loop, self._nodes = loop, nodes
        self._consumers = consumers_of(nodes)
        self._used = {*self._consumers, *results}
        self._inside = consumers_of(self.region.nodes)

    def take_value_out(self, place: int) -> bool:
        """Whether a list is one of optionals, and is one of what was in them now."""
        push = self._push(place)
        held = None if push is None else _held(push.inputs[1].node)
        popped = self._popped(place)
        if push is None or held is None or popped is None or push.inputs[1] is not push.inputs[1].node.outputs[0]:
            return False
        if held.value.dtype.name == "variant":
            return False
        other, pop = popped
        back = other.region
        assert back is not None
        inside = consumers_of(back.nodes)
        takers = list(inside.get(pop.outputs[1], ()))
        if not takers or pop.outputs[1] in back.results:
            return False
        if not all(
            each.decl.role is Role.SWITCH and self._is_same(each.inputs[1], held.predicate, other) for each in takers
        ):
            return False
        asked = takers[0].inputs[1]
        looks = [node for each in takers for value in each.outputs for node in inside.get(value, ())]
        if any(node.type != "OptionalGetValue" or len(node.outputs) != 1 for node in looks):
            return False
        if any(each.inputs[1] is not asked or inside.get(each.outputs[not held.taken]) for each in takers):
            return False
        self._replace(place, push, held, other, pop, asked)
        replaced = {node.outputs[0]: pop.outputs[1] for node in looks}
        _replace(back.nodes, replaced)
        back.take_results([replaced.get(value, value) for value in back.results])
        back.nodes = _in_order(back)
        return True

    def _push(self, place: int) -> Node | None:
        """The node that puts an element on the list of a place, once an iteration."""
        region = self.region
        variable, push = region.variables[place], region.nexts[place].node
        if push.type != "TensorListPushBack" or push.inputs[0] is not variable or push.guard or push.early:
            return None
        if self._inside.get(variable) != [push] or self._inside.get(push.outputs[0]):
            return None
        begun = self._loop.inputs[place].node
        return push if begun.type == "EmptyTensorList" and begun in self._nodes else None

    def _popped(self, place: int) -> tuple[Node, Node] | None:
        """The loop that takes elements off the list of a place, and the node in it that does so once an iteration."""
        variable = self.region.variables[place]
        leaving = [self._loop.outputs[i] for i, each in enumerate(self.region.exits) if each is variable]
        used = [value for value in leaving if value in self._used]
        if len(used) != 1 or len(self._consumers.get(used[0], ())) != 1:
            return None
        (other,) = self._consumers[used[0]]
        region = other.region
        if region is None:
            return None
        entry = next(i for i, each in enumerate(other.inputs) if each is used[0])
        if entry >= len(region.variables):
            return None
        variable, pop = region.variables[entry], region.nexts[entry].node
        if (
            pop.type != "TensorListPopBack"
            or region.nexts[entry] is not pop.outputs[0]
            or pop.inputs[0] is not variable
        ):
            return None
        users = consumers_of(region.nodes)
        if pop.guard or pop.early or users.get(variable) != [pop] or users.get(pop.outputs[0]):
            return None
        if any(self._used.intersection([other.outputs[i]]) for i, each in enumerate(region.exits) if each is variable):
            return None
        return other, pop

    def _is_same(self, asked: Value, predicate: Value, other: Node) -> bool:
        """Whether what another loop asks is what was asked in the iteration that it undoes."""
        for place, _ in enumerate(self.region.variables):
            push = self._push(place)
            if push is not None and push.inputs[1] is predicate:
                popped = self._popped(place)
                if popped is not None and popped[0] is other and popped[1].outputs[1] is asked:
                    return True
        return _outside(asked, other) is not None and _outside(asked, other) is _outside(predicate, self._loop)

    def _replace(self, place: int, push: Node, held: _Held, other: Node, pop: Node, asked: Value) -> None:
        """Puts what is in the optionals on the list, in the branches that have it."""
        region, back = self.region, other.region
        assert back is not None
        dtype = held.value.dtype
        begun = self._loop.inputs[place].node
        attrs = {**begun.attrs, "element_dtype": dtype}
        maker = new_node(begun.type, begun, list(begun.inputs), [(dtypes.variant, ())], attrs)
        self._nodes.append(maker)
        self._loop.inputs[place] = maker.outputs[0]
        for node, given, predicate, inside in (
            (push, push.inputs[0], held.predicate, region),
            (pop, pop.inputs[0], asked, back),
        ):
            switch = new_node("Switch", node, [given, predicate], [(dtypes.variant, ())] * 2, {"T": dtypes.variant})
            versions = [switch.outputs[0], switch.outputs[1]]
            versions[held.taken] = node.outputs[0]
            merge = new_node(
                "Merge", node, versions, [(dtypes.variant, ()), (dtypes.int32, ())], {"T": dtypes.variant, "N": 2}
            )
            node.inputs[0] = switch.outputs[held.taken]
            node.guard = (*node.guard, (predicate, held.taken))
            node.attrs = {**node.attrs, "element_dtype": dtype}
            inside.nexts = [merge.outputs[0] if each is node.outputs[0] else each for each in inside.nexts]
            inside.nodes += [switch, merge]
        push.inputs[1] = held.value
        pop.outputs[1].dtype, pop.outputs[1].dims = dtype, held.value.dims
        region.nodes = _in_order(region)


def _outside(value: Value, loop: Node) -> Value | None:
    """What a value that a loop takes from outside is there."""
    region = loop.region
    assert region is not None
    for inner, outer in zip(region.captures, loop.inputs[len(region.variables) :], strict=True):
        if inner is value:
            return outer
    return None


def _in_order(region: Region) -> list[Node]:
    early = topological([node for node in region.nodes if node.early])
    return [*early, *topological([node for node in region.nodes if not node.early])]
