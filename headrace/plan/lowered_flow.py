"""The pass that takes branches and loops which are functions into the plan: If and While operations.

A plan calls a function by way of a kernel, and a loop of functions twice an iteration. Here the nodes of the functions become
nodes of the plan: those of branches between Switches and Merges, those of loops in the region of a `_While` node, as if the
program had been built without functions. What cannot be so stays a call: conditions that are no scalars of type bool,
functions that are missing or do not fit, and bodies that lead to themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from headrace.core import dtypes
from headrace.core.dims import Dims
from headrace.core.dtypes import DType
from headrace.core.graph_functions import Function, called_function
from headrace.core.tensor import Tensor
from headrace.core.typing import Runtime
from headrace.plan.collect import Collected, collect
from headrace.plan.graph import PlanGraph, all_nodes
from headrace.plan.ir import BRANCHES_OF_FUNCTIONS, LOOP, LOOPS_OF_FUNCTIONS, Node, Region, Value, declared
from headrace.plan.loops import stand_in

# So many bodies, and nodes of them, at most go into one plan: other bodies are planned when they are first called.
_MOST_BODIES, _MOST_NODES = 500, 100_000


def lower_functions(graph: PlanGraph) -> None:
    """Takes the functions of branches and loops into the plan."""
    lowering = _Lowering()
    graph.nodes = lowering.lowered(graph.nodes, frozenset(), ())
    graph.targets = [last for node in graph.targets for last in lowering.lasts.get(node, [node])]
    graph.keep = set(graph.targets)
    if lowering.lasts:
        lowering.number(graph.nodes)


class _Lowering:
    """Goes through the nodes of a plan, and those of the bodies that it takes in.

    Attributes:
        lasts: of each node that is gone the nodes that whoever waited for it waits for.
    """

    def __init__(self) -> None:
        self.lasts: dict[Node, list[Node]] = {}
        self._bodies, self._nodes = 0, 0
        # Where in the program a node was made: of one in a body, the place of the call, the body and the place in it.
        self._places: dict[Node, tuple[int, ...]] = {}

    def lowered(self, nodes: Sequence[Node], around: frozenset[str], place: tuple[int, ...]) -> list[Node]:
        """The nodes, with bodies in place of the calls of them.

        Args:
            nodes: the nodes of a plan or of a body.
            around: the names of the functions whose bodies these nodes are.
            place: where in the program the body is.
        """
        result: list[Node] = []
        for node in nodes:
            self._places[node] = (*place, node.serial)
            functions = (
                self._functions(node, around)
                if node.type in BRANCHES_OF_FUNCTIONS or node.type in LOOPS_OF_FUNCTIONS
                else None
            )
            if functions is None:
                result.append(node)
                continue
            self._bodies += 2
            self._nodes += sum(len(function.operations) for function in functions)
            inner = around.union(function.name for function in functions)
            result += (
                self._branches(node, functions, inner)
                if node.type in BRANCHES_OF_FUNCTIONS
                else self._loop(node, functions, inner)
            )
        for node in result:
            if node.control and any(before in self.lasts for before in node.control):
                lasts = [last for before in node.control for last in self.lasts.get(before, [before])]
                node.control = list(dict.fromkeys(lasts))
        return result

    def number(self, nodes: Sequence[Node]) -> None:
        """Numbers all nodes by the places in the program where they were made: each body has counted its own from the start."""
        for number, node in enumerate(sorted(all_nodes(nodes), key=self._places.__getitem__)):
            node.serial = number

    def _made(
        self,
        op_type: str,
        like: Node,
        inputs: list[Value],
        outputs: Sequence[tuple[DType, Dims]],
        attrs: dict[str, object],
    ) -> Node:
        """A node of the plan that stands for a part of `like`."""
        node = Node(declared(op_type), like.name, inputs, attrs, like.origin, like.runtime, like.device)
        node.outputs = [Value(node, i, dtype, dims) for i, (dtype, dims) in enumerate(outputs)]
        self._places[node] = self._places[like]
        return node

    def _functions(self, node: Node, around: frozenset[str]) -> tuple[Function, Function] | None:
        """The functions of a node, None where it stays a call."""
        origin = node.origin
        if origin is None or node.runtime is None or self._bodies >= _MOST_BODIES or self._nodes >= _MOST_NODES:
            return None
        is_branch = node.type in BRANCHES_OF_FUNCTIONS
        names = [node.attrs[name] for name in (("then_branch", "else_branch") if is_branch else ("cond", "body"))]
        found = [called_function(origin.graph, name) for name in names]
        one, other = found
        if one is None or other is None or not around.isdisjoint(names):
            return None
        if is_branch:
            types = [value.dtype.base_dtype for value in node.outputs]
            fits = _is_condition(node.inputs[0], node) and one.output_types == other.output_types == types
            inputs = node.inputs[1:]
        else:
            types = [value.dtype.base_dtype for value in node.inputs]
            fits = len(one.outputs) == 1 and _is_condition(one.outputs[0], node) and other.output_types == types
            inputs = node.inputs
        given = [value.dtype.base_dtype for value in inputs]
        return (one, other) if fits and one.input_types == other.input_types == given else None

    # ---- branches

    def _branches(self, node: Node, functions: Sequence[Function], around: frozenset[str]) -> Iterator[Node]:
        """The nodes of both branches of an If, between Switches and Merges."""
        predicate, *given = node.inputs
        bodies = [_body(node, function, part) for function, part in zip(functions, ("then", "else"), strict=True)]
        used = {value for body in bodies for value in _taken(body)}
        ways: dict[bool, dict[Value, Value]] = {True: {}, False: {}}
        for i, value in enumerate(given):
            feeds = {True: bodies[0].feeds[i], False: bodies[1].feeds[i]}
            if used.isdisjoint(feeds.values()):
                continue
            switch = self._made("Switch", node, [value, predicate], [(value.dtype, value.dims)] * 2, {"T": value.dtype})
            switch.control = list(node.control)
            yield switch
            for taken, feed in feeds.items():
                ways[taken][feed] = switch.outputs[taken]
        pivot = self._made("Switch", node, [predicate, predicate], [(dtypes.bool, ())] * 2, {"T": dtypes.bool})
        pivot.control = list(node.control)
        yield pivot
        results: dict[bool, list[Value]] = {}
        effects: dict[bool, list[Node]] = {}
        for part, taken in enumerate((True, False)):
            body = bodies[part]
            began = self._made("Identity", node, [pivot.outputs[taken]], [(dtypes.bool, ())], {"T": dtypes.bool})
            yield began
            inside = self.lowered(body.nodes, around, (*self._places[node], part))
            _take_instead(inside, ways[taken])
            for each in inside:
                if not each.inputs and not each.control:
                    each.control = [began]
            yield from inside
            values = [value for value in body.fetches if value is not None]
            results[taken] = [ways[taken].get(value, value) for value in values]
            effects[taken] = [last for target in body.targets for last in self.lasts.get(target, [target])]
            ended = self._made("Identity", node, [pivot.outputs[taken]], [(dtypes.bool, ())], {"T": dtypes.bool})
            ended.control = effects[taken]
            yield ended
            results[taken].append(ended.outputs[0])
        # What waits for the branches, and what takes something of them, waits for what they do.
        has_effects = bool(effects[True] or effects[False])
        last: Node | None = None
        for i in reversed(range(len(node.outputs) + 1)):
            pair = [results[False][i], results[True][i]]
            dtype, dims = (dtypes.bool, ()) if last is None else (node.outputs[i].dtype, node.outputs[i].dims)
            merge = self._made("Merge", node, pair, [(dtype, dims), (dtypes.int32, ())], {"T": dtype, "N": 2})
            if last is None:
                last = merge
            else:
                _give(merge, 0, node.outputs[i])
                merge.control = [last] if has_effects else []
            yield merge
        assert last is not None
        self.lasts[node] = [last]

    # ---- loops

    def _loop(self, node: Node, functions: Sequence[Function], around: frozenset[str]) -> list[Node]:
        """A While as a loop of the plan. What goes round unchanged is taken from outside."""
        asked, body = (_body(node, function, part) for function, part in zip(functions, ("cond", "body"), strict=True))
        following = [value for value in body.fetches if value is not None]
        stays = [_source(value) is feed for value, feed in zip(following, body.feeds, strict=True)]
        inside = [stand_in(feed, feed.node) for feed in body.feeds]
        early = self.lowered(asked.nodes, around, (*self._places[node], 0))
        late = self.lowered(body.nodes, around, (*self._places[node], 1))
        same = dict(zip(asked.feeds, inside, strict=True))
        _take_instead(early, same)
        for each in early:
            each.early = True
        predicate = asked.fetches[0]
        assert predicate is not None
        going = [i for i, is_same in enumerate(stays) if not is_same]
        effects = [*asked.targets, *body.targets]
        region = Region(
            variables=[inside[i] for i in going],
            captures=[inside[i] for i, is_same in enumerate(stays) if is_same],
            nodes=[*early, *late],
            predicate=same.get(predicate, predicate),
            nexts=[following[i] for i in going],
            exits=[inside[i] for i in going],
            waits=list(dict.fromkeys(last for each in effects for last in self.lasts.get(each, [each]))),
        )
        inputs = [node.inputs[i] for i in going] + [node.inputs[i] for i, is_same in enumerate(stays) if is_same]
        loop = self._made(LOOP, node, inputs, [], {})
        loop.control = list(node.control)
        loop.region = region
        for place, i in enumerate(going):
            loop.outputs.append(node.outputs[i])
            _give(loop, place, node.outputs[i])
        result = [loop]
        for i, is_same in enumerate(stays):
            if is_same:
                outer, value = node.inputs[i], node.outputs[i]
                same_after = self._made("Identity", node, [outer], [(value.dtype, value.dims)], {"T": value.dtype})
                _give(same_after, 0, value)
                result.append(same_after)
        self.lasts[node] = [loop]
        return result


def _is_condition(value: Value | Tensor, node: Node) -> bool:
    """Whether a branch or a loop may go by a value; one of unknown rank if TensorFlow makes a Switch of the node too."""
    if value.dtype.base_dtype is not dtypes.bool:
        return False
    return value.dims == () or (value.dims is None and bool(node.attrs.get("_lower_using_switch_merge")))


def _body(node: Node, function: Function, part: str) -> Collected:
    """The nodes of a function that a node calls; its random operations have streams of their own."""
    runtime: Runtime = node.runtime.of_call(f"{node.name}/{part}")
    return collect([*function.outputs, *function.effects], function.inputs, runtime, runtime.device)


def _taken(body: Collected) -> Iterator[Value]:
    """All values that the nodes of a body take or that it gives."""
    for node in body.nodes:
        yield from node.inputs
    yield from (value for value in body.fetches if value is not None)


def _take_instead(nodes: Sequence[Node], instead: Mapping[Value, Value]) -> None:
    for node in nodes:
        node.inputs = [instead.get(value, value) for value in node.inputs]


def _source(value: Value) -> Value:
    """What a value is handed on from."""
    while value.node.type == "Identity" and not value.node.control:
        value = value.node.inputs[0]
    return value


def _give(node: Node, index: int, value: Value) -> None:
    """Lets `node` give a value that another one gave."""
    node.outputs[index] = value
    value.node, value.index = node, index
