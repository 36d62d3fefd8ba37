"""The pass that keeps the scalars of loops in Python: counters, conditions and scalar recurrences as NumPy scalars.

A torch call costs about a microsecond, an operator on NumPy scalars a twentieth of that, with the same types, the same
rounding and the same overflow. Scalars that only scalars depend on are computed so where the calls saved are worth more
than the conversions needed at the borders; each is one expression in the plan's source.
"""

from __future__ import annotations

from collections.abc import Iterable

from headrace.core.planning_facts import Role
from headrace.plan.branches import guard_of, live_inputs
from headrace.plan.ir import LOOP_VALUE, UNBOUND, Node, Region, Value, declared, is_live, regions

_TYPES = frozenset({"int32", "int64", "float32", "float64", "bool"})

# Microseconds: a torch call saved, a tensor made a scalar, a scalar made a tensor.
_SAVED, _TO_SCALAR, _TO_TENSOR = 0.9, 0.25, 0.65
# What hands on values as they come, and what takes them so.
_PASS_ON = frozenset({Role.SWITCH, Role.MERGE, Role.STACK_PUSH, Role.STACK_POP})
_TAKE_EITHER = _PASS_ON - {Role.STACK_POP}
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
        # What goes on as a tensor.
        self.tensors: set[Value] = set()
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
                        inner in node.inputs and (node in self.templates or node.decl.role is Role.STACK_PUSH)
                        for node in region.nodes
                    )
                    if not scalar or not others:
                        continue
                    made = declared(LOOP_VALUE)
                    node = Node(made, inner.node.name, [], {}, inner.node.origin, loop.runtime, loop.device)
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
        if node in self.templates or node.region is not None:
            return True
        return node.decl.role in _TAKE_EITHER or index in node.decl.scalar_inputs

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
                else:
                    # Of a variable of unknown shape nobody tells that it is a number.
                    self.tensors.update((first, following))
            for output, leaving in zip(node.outputs, region.exits, strict=True):
                if _could_be_scalar(output):
                    self._union([output, leaving])
                else:
                    self.tensors.add(leaving)
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
        if node.decl.role is Role.SWITCH:
            if _could_be_scalar(node.inputs[0]):
                self._union([node.inputs[0], *node.outputs])
            self._use(node.inputs[0], node, 0, scalar=_could_be_scalar(node.inputs[0]))
            return
        if node.decl.role is Role.MERGE:
            # What only a branch that is never taken would give is not there.
            live = live_inputs(node)
            if _could_be_scalar(node.outputs[0]):
                self._union([*(node.inputs[i] for i in live), node.outputs[0]])
            for i in live:
                self._use(node.inputs[i], node, i, scalar=_could_be_scalar(node.outputs[0]))
            return
        if node.decl.role is Role.STACK_PUSH:
            if _could_be_scalar(node.inputs[1]):
                self._union([node.inputs[1], node.outputs[0]])
                self._use(node.inputs[1], node, 1, scalar=True)
            return
        if node in self.templates:
            self._union([*node.inputs, *node.outputs])
        for i, value in enumerate(node.inputs):
            if _could_be_scalar(value) and i in node.decl.scalar_inputs:
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
                role = node.decl.role
                if role is Role.STACK_PUSH or role is Role.STACK_POP:
                    handle = node.inputs[0]
                    while True:
                        if handle in self.outer:
                            handle = self.outer[handle]
                        elif handle.node.decl.role is Role.SWITCH:
                            handle = handle.node.inputs[0]
                        else:
                            break
                    value = node.inputs[1] if role is Role.STACK_PUSH else node.outputs[0]
                    stacks.setdefault(handle, []).append(value)
                    if role is Role.STACK_PUSH:
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
        impossible = {self._find(value) for value in (*self.spoiled, *self.tensors)}
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
        if node.decl.role in _PASS_ON or node.region is not None:
            return True
        return node.type == LOOP_VALUE and node not in self.tensors_inside

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
        like = value.node
        node = Node(declared(op_type), like.name, [value], {}, like.origin, like.runtime, like.device)
        converted = Value(node, 0, value.dtype.base_dtype, ())
        node.outputs = [converted]
        node.guard = guard_of(value)
        node.serial = like.serial
        node.early = like.early or like.type == LOOP_VALUE
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
    template = node.decl.scalar_rule
    if template is None or node.device.type != "cpu" or len(node.outputs) != 1:
        return None
    if not all(map(_could_be_scalar, [*node.inputs, *node.outputs])):
        return None
    if any(value.bound is not UNBOUND and value.constant is None for value in node.inputs):
        return None
    return template if isinstance(template, str) else template(node)
