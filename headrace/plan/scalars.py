"""The pass that keeps the scalars of loops in Python: counters, conditions and scalar recurrences as NumPy scalars.

A torch call costs about a microsecond, an operator on NumPy scalars a twentieth of that, with the same types, the same
rounding and the same overflow. Scalars that only scalars depend on are computed so where the calls saved are worth more
than the conversions needed at the borders; each is one expression in the plan's source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from headrace.core.registry import find
from headrace.plan.ir import UNBOUND, Node, Region, Value, is_live, regions
from headrace.plan.order import MERGES, SWITCHES, guard_of

Template = str | Callable[[Node], str | None]

_TYPES = frozenset({"int32", "int64", "float32", "float64", "bool"})
_FLOATS = frozenset({"float32", "float64"})


def _of_floats(template: str) -> Callable[[Node], str | None]:
    return lambda node: template if node.inputs[0].dtype.base_dtype.name in _FLOATS else None


def _by_kind(of_floats: str, of_integers: str) -> Callable[[Node], str | None]:
    return lambda node: of_floats if node.inputs[0].dtype.base_dtype.name in _FLOATS else of_integers


def _cast(node: Node) -> str | None:
    return None if node.attrs.get("Truncate") else f"{{0}}.astype(np.{node.outputs[0].dtype.name})"


def _sum(node: Node) -> str | None:
    if len(node.inputs) > _MOST_SUMMANDS:
        return None
    return " + ".join(f"{{{i}}}" for i in range(len(node.inputs)))


# A sum of thousands is one expression in another in another, more than Python's compiler takes.
_MOST_SUMMANDS = 100

# What computes each op from scalars; `np` is NumPy, the other names are in `plan.scalar_functions`.
_TEMPLATES: dict[str, Template] = {
    "Add": "{0} + {1}",
    "AddV2": "{0} + {1}",
    "AddN": _sum,
    "Sub": "{0} - {1}",
    "Mul": "{0} * {1}",
    "RealDiv": _of_floats("{0} / {1}"),
    "Div": _by_kind("{0} / {1}", "truncate_div({0}, {1})"),
    "FloorDiv": _by_kind("np.floor_divide({0}, {1})", "floor_div({0}, {1})"),
    "FloorMod": _by_kind("np.mod({0}, {1})", "floor_mod({0}, {1})"),
    "Neg": "-{0}",
    "Square": "{0} * {0}",
    "Abs": "abs({0})",
    "Maximum": "np.maximum({0}, {1})",
    "Minimum": "np.minimum({0}, {1})",
    "Exp": _of_floats("np.exp({0})"),
    "Log": _of_floats("np.log({0})"),
    "Sqrt": _of_floats("np.sqrt({0})"),
    "Tanh": _of_floats("np.tanh({0})"),
    "Sin": _of_floats("np.sin({0})"),
    "Cos": _of_floats("np.cos({0})"),
    "Pow": _of_floats("np.power({0}, {1})"),
    "Less": "{0} < {1}",
    "LessEqual": "{0} <= {1}",
    "Greater": "{0} > {1}",
    "GreaterEqual": "{0} >= {1}",
    "Equal": "{0} == {1}",
    "NotEqual": "{0} != {1}",
    "LogicalAnd": "{0} & {1}",
    "LogicalOr": "{0} | {1}",
    "LogicalNot": "~{0}",
    "Select": "({1} if {0} else {2})",
    "Cast": _cast,
    "Identity": "{0}",
    "StopGradient": "{0}",
}

# Inputs that take a NumPy scalar as well as a tensor.
_INDIFFERENT = {
    "TensorArrayV3": (0,),
    "TensorArrayReadV3": (1,),
    "TensorArrayWriteV3": (1,),
}
_PUSHES = frozenset({"StackPushV2", "StackPush"})
_POPS = frozenset({"StackPopV2", "StackPop"})

# Microseconds: a torch call saved, a tensor made a scalar, a scalar made a tensor.
_SAVED, _TO_SCALAR, _TO_TENSOR = 0.9, 0.25, 0.65
# How often the inside of a loop runs for each time the outside does, for want of knowing.
_ITERATIONS = 50.0


def lower_scalars(nodes: list[Node], fetched: list[Value]) -> tuple[list[Node], list[Value]]:
    """Marks the values that are to be NumPy scalars and the nodes that compute them, with conversions at the borders.

    Args:
        nodes: the nodes of a plan; those without loops are left as they are.
        fetched: the values it returns, which stay tensors.
    """
    if not any(node.region is not None for node in nodes):
        return nodes, fetched
    return _Lowering(nodes, fetched).run()


class _Block:
    """The nodes of the plan itself or of one loop."""

    def __init__(self, nodes: list[Node], weight: float, region: Region | None) -> None:
        self.nodes, self.weight, self.region = nodes, weight, region
        self.added: list[Node] = []


class _Lowering:
    def __init__(self, nodes: list[Node], fetched: list[Value]) -> None:
        self.fetched = fetched
        self.blocks: list[_Block] = []
        self.block_of: dict[Node, _Block] = {}
        self.outer: dict[Value, Value] = {}
        self.root = self._find_blocks(nodes, 1.0, None)
        self.leader: dict[Value, Value] = {}
        self.templates: dict[Node, str] = {}
        self.tensors_inside: set[Node] = set()
        # For each value: the places that want a tensor, and those that take it as it is, as (node, input) pairs.
        self.tensor_uses: dict[Value, list[tuple[Node, int]]] = {}
        self.scalar_uses: dict[Value, list[tuple[Node, int]]] = {}

    def _find_blocks(self, nodes: list[Node], weight: float, region: Region | None) -> _Block:
        block = _Block(nodes, weight, region)
        self.blocks.append(block)
        for node in nodes:
            self.block_of[node] = block
        for loop, inside in regions(nodes):
            inner = self._find_blocks(inside.nodes, weight * _ITERATIONS, inside)
            for value in [*inside.variables, *inside.captures]:
                self.block_of[value.node] = inner
            for value, outer in zip(inside.captures, loop.inputs[len(inside.variables) :], strict=True):
                self.outer[value] = outer
        return block

    def run(self) -> tuple[list[Node], list[Value]]:
        for block in self.blocks:
            for node in block.nodes:
                template = _template(node)
                if template is not None:
                    self.templates[node] = template
        self._split_captures()
        for block in self.blocks:
            for node in block.nodes:
                self._join(node)
        self._join_stacks()
        chosen = self._profitable()
        if chosen:
            self._lower(chosen)
        return [*self.root.nodes, *self.root.added], self.fetched

    # ---- which values belong together ----

    def _split_captures(self) -> None:
        """Gives each loop two views of an outer value that both scalar and other nodes use."""
        for block in list(self.blocks):
            for loop, region in regions(block.nodes):
                for inner in list(region.captures):
                    if not _could_be_scalar(inner) or inner.bound is not UNBOUND:
                        continue
                    others = self._other_uses(region, inner)
                    scalar = any(
                        inner in node.inputs and (node in self.templates or node.type in _PUSHES)
                        for node in region.nodes
                    )
                    if not scalar or not others:
                        continue
                    decl = find("_LoopValue")
                    assert decl is not None
                    node = Node(decl, inner.node.name, [], {}, inner.node.origin, loop.runtime, loop.device)
                    twin = Value(node, 0, inner.dtype, inner.dims)
                    node.outputs = [twin]
                    outer = self.outer[inner]
                    region.captures.append(twin)
                    loop.inputs.append(outer)
                    self.outer[twin] = outer
                    self.block_of[node] = self.block_of[inner.node]
                    for user, i in others:
                        user.inputs[i] = twin

    def _other_uses(self, region: Region, value: Value) -> list[tuple[Node, int]]:
        return [
            (node, i)
            for node in region.nodes
            for i, used in enumerate(node.inputs)
            if used is value and not self._takes_scalars(node, i)
        ]

    def _takes_scalars(self, node: Node, index: int) -> bool:
        if node in self.templates or node.type in MERGES or node.type in _PUSHES:
            return True
        if node.type in SWITCHES:
            return True
        if node.region is not None:
            return True
        return index in _INDIFFERENT.get(node.type, ())

    def _find(self, value: Value) -> Value:
        leader = self.leader
        leader.setdefault(value, value)
        while leader[value] is not value:
            leader[value] = leader[leader[value]]
            value = leader[value]
        return value

    def _union(self, values: Iterable[Value]) -> None:
        first: Value | None = None
        for value in values:
            if _is_constant(value):
                continue
            if first is None:
                first = self._find(value)
            else:
                self.leader[self._find(value)] = self._find(first)

    def _join(self, node: Node) -> None:
        region = node.region
        if region is not None:
            count = len(region.variables)
            for variable, first, following in zip(region.variables, node.inputs, region.nexts, strict=False):
                if _could_be_scalar(variable):
                    self._union([variable, first, following])
                    self._use(first, node, region.variables.index(variable), scalar=True)
            for output, leaving in zip(node.outputs, region.exits, strict=True):
                if _could_be_scalar(output):
                    self._union([output, leaving])
            for i, inner in enumerate(region.captures):
                if _could_be_scalar(inner) and inner.bound is UNBOUND:
                    # The memory of a variable may change under the loop, so it is looked at in each iteration.
                    tensor = is_live(self.outer[inner]) or bool(self._other_uses(region, inner))
                    if tensor:
                        self.tensors_inside.add(inner.node)
                    else:
                        self._union([inner, self.outer[inner]])
                    self._use(self.outer[inner], node, count + i, scalar=not tensor)
            return
        if node.type in SWITCHES:
            if _could_be_scalar(node.inputs[0]):
                self._union([node.inputs[0], *node.outputs])
            self._use(node.inputs[0], node, 0, scalar=_could_be_scalar(node.inputs[0]))
            return
        if node.type in MERGES:
            # What only a branch that is never taken would give is not there.
            live = node.notes.get("live", range(len(node.inputs)))
            if _could_be_scalar(node.outputs[0]):
                self._union([*(node.inputs[i] for i in live), node.outputs[0]])
            for i in live:
                self._use(node.inputs[i], node, i, scalar=_could_be_scalar(node.outputs[0]))
            return
        if node.type in _PUSHES:
            if _could_be_scalar(node.inputs[1]):
                self._union([node.inputs[1], node.outputs[0]])
                self._use(node.inputs[1], node, 1, scalar=True)
            return
        if node in self.templates:
            self._union([*node.inputs, *node.outputs])
        for i, value in enumerate(node.inputs):
            if _could_be_scalar(value) and i in _INDIFFERENT.get(node.type, ()):
                continue
            self._use(value, node, i, scalar=node in self.templates)

    def _use(self, value: Value, node: Node, index: int, scalar: bool) -> None:
        uses = self.scalar_uses if scalar else self.tensor_uses
        uses.setdefault(value, []).append((node, index))

    def _join_stacks(self) -> None:
        """What is popped is what was pushed; a stack that anything but scalars goes through is no stack of scalars."""
        stacks: dict[Value, list[Value]] = {}
        for block in self.blocks:
            for node in block.nodes:
                if node.type in _PUSHES or node.type in _POPS:
                    handle = node.inputs[0]
                    while True:
                        if handle in self.outer:
                            handle = self.outer[handle]
                        elif handle.node.type in SWITCHES:
                            handle = handle.node.inputs[0]
                        else:
                            break
                    value = node.inputs[1] if node.type in _PUSHES else node.outputs[0]
                    stacks.setdefault(handle, []).append(value)
                    if node.type in _PUSHES:
                        stacks[handle].append(node.outputs[0])
        self.spoiled: set[Value] = set()
        for values in stacks.values():
            self._union(values)
            if not all(map(_could_be_scalar, values)):
                self.spoiled.update(values)

    # ---- whether it is worth it ----

    def _profitable(self) -> set[Value]:
        """The leaders of the groups of values that are cheaper as scalars."""
        gain: dict[Value, float] = {}
        impossible = {self._find(value) for value in self.spoiled}
        for value in list(self.leader):
            leader = self._find(value)
            if not _could_be_scalar(value):
                impossible.add(leader)
                continue
            node = value.node
            weight = self.block_of.get(node, self.root).weight
            if node in self.templates:
                gain[leader] = gain.get(leader, 0.0) + _SAVED * weight
            elif not self._passes(node):
                gain[leader] = gain.get(leader, 0.0) - _TO_SCALAR * weight
            if value in self.tensor_uses or value in self.fetched:
                gain[leader] = gain.get(leader, 0.0) - _TO_TENSOR * weight
        return {leader for leader, worth in gain.items() if worth > 0 and leader not in impossible}

    def _passes(self, node: Node) -> bool:
        """Whether the node hands on values as they come."""
        kind = node.type
        return (
            kind in SWITCHES
            or kind in MERGES
            or kind in _PUSHES
            or kind in _POPS
            or (kind == "_LoopValue" and node not in self.tensors_inside)
            or node.region is not None
        )

    # ---- carrying it out ----

    def _lower(self, chosen: set[Value]) -> None:
        for value in list(self.leader):
            if self._find(value) not in chosen:
                continue
            node = value.node
            block = self.block_of.get(node, self.root)
            source = value
            if node in self.templates:
                node.template = self.templates[node]
            elif not self._passes(node):
                # Made by a tensor op: converted once, where it is made.
                source = self._converted("_ToScalar", value, block)
                source.node.template = f"np.{value.dtype.base_dtype.name}({{0}}.item())"
                self._replace(value, source, self.scalar_uses.get(value, ()))
                source.scalar = True
                continue
            value.scalar = True
            uses = self.tensor_uses.get(value, [])
            if uses or value in self.fetched:
                tensor = self._converted("_ToTensor", value, block)
                for user, i in uses:
                    user.inputs[i] = tensor
                self.fetched = [tensor if item is value else item for item in self.fetched]
        for block in self.blocks:
            if block.region is not None:
                block.region.nodes.extend(block.added)

    def _converted(self, op_type: str, value: Value, block: _Block) -> Value:
        decl = find(op_type)
        assert decl is not None
        like = value.node
        node = Node(decl, like.name, [value], {}, like.origin, like.runtime, like.device)
        converted = Value(node, 0, value.dtype.base_dtype, ())
        node.outputs = [converted]
        node.guard = guard_of(value)
        node.serial = like.serial
        node.early = like.early or like.type == "_LoopValue"
        block.added.append(node)
        return converted

    def _replace(self, value: Value, new: Value, uses: Iterable[tuple[Node, int]]) -> None:
        for node, i in uses:
            node.inputs[i] = new
        for block in self.blocks:
            region = block.region
            if region is not None and any(result is value for result in region.results):
                region.take_results([new if result is value else result for result in region.results])


def _is_constant(value: Value) -> bool:
    return value.bound is not UNBOUND


def _could_be_scalar(value: Value) -> bool:
    return value.dims == () and not value.dtype._is_ref_dtype and value.dtype.name in _TYPES


def _template(node: Node) -> str | None:
    template = _TEMPLATES.get(node.type)
    if template is None or node.device.type != "cpu" or len(node.outputs) != 1:
        return None
    if not all(map(_could_be_scalar, [*node.inputs, *node.outputs])):
        return None
    if any(value.bound is not UNBOUND and value.constant is None for value in node.inputs):
        return None
    return template if isinstance(template, str) else template(node)
