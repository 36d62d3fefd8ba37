"""Which integers of a block follow from sizes, so that native programs may be laid out by what is in them.

Shapes, what is computed of them, and what comes off stacks on which the same was put. Lengths of arrays and the largest of
several numbers are sizes as well, of which a run tells the program: outside of loops, so what a loop needs is asked for
before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headrace.core.planning_facts import Role
from headrace.kernels.native import SIZED
from headrace.plan.ir import Node, Value

# Under this note a loop has those of its inputs that have to be known before it.
ASKED = "native asked"

# Of the shapes of their inputs.
_SHAPES = frozenset({"Shape", "ShapeN", "Size", "Rank"})
# What is told by a run.
_COUNTS = frozenset({"TensorArraySizeV3", "Max", "Min"})
# What is computed of sizes.
_COMPUTES = frozenset(
    {
        "Add",
        "AddV2",
        "Cast",
        "FloorDiv",
        "FloorMod",
        "Max",
        "Maximum",
        "Min",
        "Minimum",
        "Mul",
        "Neg",
        "Prod",
        "Sub",
        "Sum",
    }
    | {
        "BroadcastArgs",
        "BroadcastGradientArgs",
        "ConcatOffset",
        "ConcatV2",
        "DynamicStitch",
        "ExpandDims",
        "Gather",
        "GatherV2",
        "Identity",
    }
    | {
        "Equal",
        "Pack",
        "Range",
        "RealDiv",
        "Reshape",
        "Select",
        "Slice",
        "Squeeze",
        "StridedSlice",
        "Transpose",
        "Unpack",
    }
    | {"_Sizes", "_ToScalar", "_ToTensor"}
)
_TYPES = frozenset({"int32", "int64", "bool"})


def mark_sizes(nodes: Sequence[Node]) -> None:
    """Notes at each node which of its inputs hold sizes, and at each loop what has to be known before it."""
    _Sizes().see(nodes)


class _Sizes:
    def __init__(self) -> None:
        # Of values that hold sizes, whether a run has to tell them.
        self._told: dict[Value, bool] = {}
        self._makers: dict[Value, Node] = {}
        self._pushed: dict[Node, list[Value]] = {}
        # Where values inside of loops come from.
        self._outer: dict[Value, tuple[Node, Value]] = {}

    def _is_told(self, value: Value) -> bool | None:
        """Whether a run has to tell a size; None where the value holds none."""
        return False if value.constant is not None else self._told.get(value)

    def see(self, nodes: Iterable[Node]) -> None:
        for node in nodes:
            if node.region is not None:
                self._see_loop(node)
                continue
            self._derive(node)
            if not node.decl.on_list and node.type not in _SHAPES:
                sized = [i for i, value in enumerate(node.inputs) if self._is_told(value) is not None]
                if len(sized) > sum(value.constant is not None for value in node.inputs):
                    node.notes[SIZED] = frozenset(sized)
                    for i in sized:
                        self._ask(node.inputs[i])

    def _see_loop(self, node: Node) -> None:
        region = node.region
        assert region is not None
        node.notes[ASKED] = {}
        for inner, outer in zip(region.captures, node.inputs[len(region.variables) :], strict=True):
            self._outer[inner] = node, outer
            if outer in self._makers:
                self._makers[inner] = self._makers[outer]
            told = self._is_told(outer)
            if told is not None:
                self._told[inner] = told
        self.see(region.nodes)

    def _derive(self, node: Node) -> None:
        role = node.decl.role
        if role is Role.SWITCH:
            data = node.inputs[0]
            if data in self._makers:
                self._makers.update(dict.fromkeys(node.outputs, self._makers[data]))
            self._hand_on(node, [data])
        elif role is Role.STACK:
            self._makers[node.outputs[0]] = node
            self._pushed[node] = []
        elif role is Role.STACK_PUSH and node.inputs[0] in self._makers:
            self._pushed[self._makers[node.inputs[0]]].append(node.inputs[1])
            self._hand_on(node, [node.inputs[1]])
        elif role is Role.STACK_POP and node.inputs[0] in self._makers:
            pushed = self._pushed[self._makers[node.inputs[0]]]
            if len(pushed) == 1:
                self._hand_on(node, pushed)
        elif any(value.dtype.name not in _TYPES for value in node.outputs):
            return
        elif node.type in _SHAPES:
            self._told.update(dict.fromkeys(node.outputs, False))
        elif node.type == "_Sizes":
            self._hand_on(node, node.inputs[_shaped(node) :])
        elif node.type in _COMPUTES and all(self._is_told(value) is not None for value in node.inputs):
            self._hand_on(node, node.inputs)
        elif node.type in _COUNTS and node.outputs[0].dims == ():
            self._told[node.outputs[0]] = True

    def _hand_on(self, node: Node, values: Sequence[Value]) -> None:
        told = [self._is_told(value) for value in values]
        if None not in told:
            self._told.update((value, any(told)) for value in node.outputs if value.dtype.name in _TYPES)

    def _ask(self, value: Value) -> None:
        """Has what a value follows from told before the loops in which it is computed."""
        pending, seen = [value], {value}
        while pending:
            value = pending.pop()
            if not self._is_told(value):
                continue
            before: list[Value] = []
            if value in self._outer:
                loop, outer = self._outer[value]
                loop.notes[ASKED][outer] = None
                before = [outer]
            elif value.node.decl.role is Role.STACK_POP:
                before = self._pushed[self._makers[value.node.inputs[0]]]
            elif value.node.type in _COMPUTES or value.node.decl.role in (Role.STACK_PUSH, Role.SWITCH):
                before = value.node.inputs
            pending += [each for each in before if each not in seen]
            seen.update(before)


def _shaped(node: Node) -> int:
    """How many inputs are asked for their shapes only."""
    return len(node.attrs["shaped_types"])
