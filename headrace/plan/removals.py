"""Why nodes went in a pass, found from the graph before and after it: passes themselves keep no account."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headrace.core.buffers import VariableBuffer
from headrace.core.planning_facts import Role
from headrace.plan.graph import PlanGraph, all_nodes
from headrace.plan.ir import UNBOUND, Node, Value, consumers_of, regions
from headrace.plan.pipeline import Pass, Property
from headrace.plan.snapshots import NodeNames, constant_text

_LOOP_MARKS = frozenset({Role.ENTER, Role.EXIT, Role.MERGE, Role.SWITCH, Role.NEXT_ITERATION, Role.LOOP_CONDITION})


class Connections:
    """Which values the nodes of a graph take, at one stage: passes change that in place.

    Args:
        graph: the graph.

    Attributes:
        inputs: what each node takes, those inside loops too.
        known: the nodes whose outputs are bound.
        dead: the nodes of branches that are never taken.
        consumers: of each value the nodes that take it.
        results: what the plan, and what each loop hands on.
    """

    def __init__(self, graph: PlanGraph) -> None:
        nodes = list(all_nodes(graph.nodes))
        self.inputs = {node: list(node.inputs) for node in nodes}
        self.known = {node for node in nodes if _is_known(node)}
        self.dead = set(graph.dead)
        self.consumers = consumers_of(nodes)
        self.results: dict[Node | None, list[Value]] = {None: list(graph.fetches)}
        self.results.update((loop, region.results) for loop, region in regions(nodes))

    def replaced_until(self, after: Connections) -> dict[Value, Value]:
        """For values that were taken, what is taken in their place since."""
        found: dict[Value, Value] = {}
        # A node that went is read as well: what it took was replaced before that was seen.
        pairs: list[tuple[Sequence[Value], Sequence[Value]]] = [
            *((inputs, node.inputs) for node, inputs in self.inputs.items()),
            *((results, after.results[owner]) for owner, results in self.results.items() if owner in after.results),
        ]
        for old, new in pairs:
            if len(old) == len(new):
                for value, other in zip(old, new, strict=True):
                    if value is not other:
                        found.setdefault(value, other)
        return found


def _is_known(node: Node) -> bool:
    return bool(node.outputs) and all(value.bound is not UNBOUND for value in node.outputs)


class Removals:
    """Why nodes went in one pass.

    Args:
        before: the graph before it.
        after: the graph after it.
        each: the pass.
        names: what nodes are called.
    """

    def __init__(self, before: Connections, after: Connections, each: Pass, names: NodeNames) -> None:
        self._before, self._after, self._pass, self._names = before, after, each, names
        self._replaced = before.replaced_until(after)
        self._made = [node for node in after.inputs if node not in before.inputs]
        self._into: dict[Node, Node | None] = {}

    def reason(self, node: Node) -> str:
        """Why `node`, which was there before the pass, is no more."""
        # A constant that waited for something is bound in one pass and goes in a later one of the same kind.
        binds = node.decl.binding_rule is not None and Property.BOUND in self._pass.ensures
        if _is_known(node) and (binds or node not in self._before.known):
            return self._known(node)
        if node in self._after.dead and node not in self._before.dead:
            return "its branch is never taken"
        return next(self._ways(node), "nothing needs it")

    def _ways(self, node: Node) -> Iterator[str]:
        names = self._names
        moved = [value for value in node.outputs if value.node is not node]
        if moved:
            yield f"is {names.in_loop(moved[0])}"
        for value in node.outputs:
            other = self._standing_for(value)
            if other is not None and other.node not in self._made:
                yield self._same(node, other)
        if Property.LOOPS_RAISED in self._pass.ensures and node.decl.role in _LOOP_MARKS:
            yield "marks the loop"
        made = self._made_of(node)
        if made is not None:
            yield f"into {names.of(made)} = {made.type}"

    def _known(self, node: Node) -> str:
        bound = node.outputs[0].bound
        if isinstance(bound, VariableBuffer):
            return "bound to the variable's buffer"
        if any(value.constant is None for value in node.outputs):
            return "bound to what it always is"
        values = ", ".join(constant_text(value.constant) for value in node.outputs if value.constant is not None)
        return f"{'folded' if node.decl.binding_rule is None else 'bound'} to {values}"

    def _same(self, node: Node, other: Value) -> str:
        if other in node.inputs:
            return f"is its input {self._names.in_loop(other)}"
        if other.node.type == node.type:
            return f"merged into {self._names.of(other.node)}"
        return f"is {self._names.in_loop(other)}"

    def _standing_for(self, value: Value) -> Value | None:
        """What is taken in place of `value`, at the end of the pass."""
        seen = {value}
        while (other := self._replaced.get(value)) is not None and other not in seen:
            seen.add(other)
            value = other
        return None if len(seen) == 1 else value

    def _made_of(self, node: Node) -> Node | None:
        """The node that the pass made of `node`, or of what took its outputs."""
        if node in self._into or not self._made:
            return self._into.get(node)
        order, pending = [], [node]
        seen = {node}
        # Consumers first, without recursion: chains may be long.
        while pending:
            current = pending.pop()
            order.append(current)
            for consumer in self._gone_consumers(current):
                if consumer not in seen and consumer not in self._into:
                    seen.add(consumer)
                    pending.append(consumer)
        for current in reversed(order):
            later = (self._into.get(consumer) for consumer in self._gone_consumers(current))
            self._into[current] = self._made_directly(current) or next(filter(None, later), None)
        return self._into[node]

    def _made_directly(self, node: Node) -> Node | None:
        standing = [self._standing_for(value) for value in node.outputs]
        made = next((value.node for value in standing if value is not None and value.node in self._made), None)
        if made is None:
            made = next((one for one in self._made if node.name in (one.name, *one.members)), None)
        return made

    def _gone_consumers(self, node: Node) -> Iterator[Node]:
        for value in node.outputs:
            for consumer in self._before.consumers.get(value, ()):
                if consumer not in self._after.inputs:
                    yield consumer
