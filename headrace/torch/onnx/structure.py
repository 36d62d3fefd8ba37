"""In which loops and branches the ops of a graph lie."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.core.operation import Operation
from headrace.core.tensor import Tensor

Guards = frozenset[tuple[Tensor, bool]]


def resolved(tensor: Tensor) -> Tensor:
    """The tensor that is the same value before it was passed on."""
    while tensor.op.type == "Identity":
        tensor = tensor.op.inputs[0]
    return tensor


def is_loop_merge(op: Operation) -> bool:
    """Whether a Merge begins the iterations of a loop."""
    return op.type == "Merge" and any(tensor.op.type == "NextIteration" for tensor in op.inputs)


def is_loop_switch(op: Operation) -> bool:
    """Whether a Switch ends the iterations of a loop."""
    return op.type == "Switch" and resolved(op.inputs[1]).op.type == "LoopCond"


class Structure:
    """The ops that some tensors need, in topological order, each with its loops and branches.

    Attributes:
        ops: the ops; inputs come before those that use them, but for what goes around a loop.
        frames: the frames of the loops an op lies in, outermost first.
        guards: the branches an op lies in: predicates, and the side of each.
    """

    def __init__(self, tensors: Iterable[Tensor], ends: frozenset[Operation]) -> None:
        self._ends = ends
        self.ops = self._sorted(tensors)
        self.frames: dict[Operation, tuple[str, ...]] = {}
        self.guards: dict[Operation, Guards] = {}
        for op in self.ops:
            self.frames[op] = self._frame(op)
            self.guards[op] = self._guards(op)

    def _before(self, op: Operation) -> list[Operation]:
        if op in self._ends:
            return []
        found = [tensor.op for tensor in op.inputs]
        # What takes no tensors is told by control edges in which branch and which loop it is.
        return found or list(op.control_inputs)

    def _sorted(self, tensors: Iterable[Tensor]) -> list[Operation]:
        done: dict[Operation, None] = {}
        opened: set[Operation] = set()
        later = [tensor.op for tensor in tensors]
        while later:
            stack = [later.pop()]
            while stack:
                op = stack[-1]
                if op in done:
                    stack.pop()
                    continue
                waiting = []
                for before in self._before(op):
                    if op.type == "Merge" and before.type == "NextIteration":
                        later.append(before)
                    elif before not in done:
                        waiting.append(before)
                if not waiting or op in opened:
                    done[op] = None
                    stack.pop()
                else:
                    opened.add(op)
                    stack.extend(waiting)
        return list(done)

    def _frame(self, op: Operation) -> tuple[str, ...]:
        frame = max((self.frames[before] for before in self._before(op) if before in self.frames), key=len, default=())
        if op.type == "Enter":
            name = op.get_attr("frame_name")
            return (*frame, name.decode() if isinstance(name, bytes) else name)
        return frame[:-1] if op.type == "Exit" else frame

    def _guards(self, op: Operation) -> Guards:
        if op in self._ends:
            return frozenset()
        if op.type == "Merge":
            sides = [self.guards_of(tensor) for tensor in op.inputs if tensor.op in self.guards]
            return frozenset.intersection(*sides) if sides else frozenset()
        found: set[tuple[Tensor, bool]] = set()
        for tensor in op.inputs:
            found |= self.guards_of(tensor)
        if not op.inputs:
            for before in op.control_inputs:
                found |= self.guards[before]
        return frozenset(found)

    def guards_of(self, tensor: Tensor) -> Guards:
        """The branches a tensor lies in."""
        op = tensor.op
        if op.type == "Switch" and op not in self._ends and not is_loop_switch(op):
            return self.guards[op] | {(resolved(op.inputs[1]), bool(tensor.value_index))}
        return self.guards[op]

    def predicate(self, op: Operation) -> Tensor | None:
        """The predicate whose branches a Merge joins."""
        sides = [self.guards_of(tensor) for tensor in op.inputs]
        if len(sides) == 2:
            for predicate, side in sides[0] - sides[1]:
                if (predicate, not side) in sides[1]:
                    return predicate
        return None
