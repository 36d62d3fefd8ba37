"""The part of a graph that a step needs: from what is fetched back to what is fed, every operation becomes a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

from headrace.core.argument_errors import no_kernel_of
from headrace.core.constant_value import constant_value
from headrace.core.dtypes import dtype_text
from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation
from headrace.core.planning_facts import Role
from headrace.core.tensor import Tensor
from headrace.plan.ir import FEED, READ_REFERENCE, Node, Value, declared
from headrace.plan.loops import is_back_edge

if TYPE_CHECKING:
    from headrace.core.typing import Runtime

_OPEN, _DONE = 1, 2
_PLACEHOLDERS = frozenset(("Placeholder", "PlaceholderWithDefault"))


class Known(Protocol):
    """What is known of a feed that is always the same, as of a `Value`."""

    @property
    def bound(self) -> Any: ...
    @property
    def constant(self) -> np.ndarray | None: ...


@dataclass(frozen=True)
class KnownFeed:
    """What is known of a feed.

    Attributes:
        bound: its value as kernels take it.
        constant: the same as an array; None for a handle.
    """

    bound: Any
    constant: np.ndarray | None = None


class Collected:
    """The nodes of a plan in topological order, with the values that stand for feeds and fetches.

    Attributes:
        nodes: the nodes, each after what it needs, loops aside.
        values: of each tensor that takes part its value.
        node_of: of each operation that takes part its node.
        feeds: the values that are given, in the order of the feeds.
        fetches: the values that are wanted, in the order of the fetches; None for operations.
        targets: the nodes that are to run.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.values: dict[Tensor, Value] = {}
        self.node_of: dict[Operation, Node] = {}
        self.feeds: list[Value] = []
        self.fetches: list[Value | None] = []
        self.targets: list[Node] = []


def collect(
    fetches: Sequence[Tensor | Operation],
    feeds: Sequence[Tensor],
    runtime: Runtime,
    device: torch.device,
    done: Set[Operation] = frozenset(),
    known: Mapping[int, Known] | None = None,
) -> Collected:
    """Copies the part of the graph that computes `fetches` from `feeds`, so that planning leaves the graph alone.

    Args:
        fetches: tensors whose values are wanted and operations that are to run.
        feeds: tensors whose values are given; nothing before them is collected for their sake.
        runtime: what the kernels may ask for state.
        device: where nodes run unless something says otherwise.
        done: operations that nothing has to wait for.
        known: feeds that are always the same, by position: values of the plan that calls this one, and others.

    Raises:
        InvalidArgumentError: if operations need each other in a circle that is no loop, or one is to change a
            variable that is fed.
    """
    collector = _Collector(feeds, runtime, device, done)
    collector.take([item if isinstance(item, Operation) else item.op for item in fetches if not collector.has(item)])
    collected = collector.finished(fetches)
    for i, value in (known or {}).items():
        collected.feeds[i].bound, collected.feeds[i].constant = value.bound, value.constant
    return collected


class _Collector:
    def __init__(self, feeds: Sequence[Tensor], runtime: Runtime, device: torch.device, done: Set[Operation]) -> None:
        self._runtime, self._device = runtime, device
        self._found = Collected()
        # What comes after a feed in place of a constant that static shapes may have followed from.
        self._unsure: set[Node] = set()
        decl = declared(FEED)
        self._fed_tensors = frozenset(feeds)
        for tensor in feeds:
            node = Node(decl, tensor.name, [], {}, tensor.op, runtime, device)
            value = Value(node, 0, tensor.dtype.base_dtype, tensor.dims)
            node.outputs = [value]
            self._found.values[tensor] = value
            self._found.feeds.append(value)
            if (
                tensor.dtype.is_integer
                and tensor.op.decl.type not in _PLACEHOLDERS
                and constant_value(tensor) is not None
            ):
                self._unsure.add(node)
        # Who waits for an operation whose first output is fed waits for the feed, which is there already.
        self._fed = {tensor._op for tensor in feeds if tensor._value_index == 0} | done
        # Inputs that go around a loop: filled in when what goes around has been collected too.
        self._around: list[tuple[Operation, int, Tensor]] = []

    def has(self, item: Tensor | Operation) -> bool:
        """Whether the value of a tensor is there."""
        return item in self._found.values

    def take(self, roots: Sequence[Operation]) -> None:
        """Collects operations and all they need: depth first without recursion, as graphs are deeper than Python's stack."""
        values = self._found.values
        state: dict[Operation, int] = {}
        pending = list(reversed(roots))
        later: list[Operation] = []
        while pending or later:
            root = pending.pop() if pending else later.pop(0)
            if root in state:
                continue
            stack: list[Operation] = [root]
            while stack:
                op = stack[-1]
                mark = state.get(op)
                if mark is not None:
                    stack.pop()
                    if mark == _OPEN:
                        state[op] = _DONE
                        self._make(op)
                    continue
                state[op] = _OPEN
                may_go_back = op.decl.role is Role.MERGE
                for tensor in reversed(op._inputs):
                    if may_go_back and is_back_edge(op.decl, tensor._op.decl):
                        later.append(tensor._op)
                    elif tensor not in values and state.get(tensor._op) != _DONE:
                        _push(stack, state, tensor._op, op)
                for other in reversed(op._control_inputs):
                    if other not in self._fed and state.get(other) != _DONE:
                        _push(stack, state, other, op)

    def _make(self, op: Operation) -> None:
        """The node of an operation whose inputs have theirs."""
        node_of, values = self._found.node_of, self._found.values
        control = [node_of[c] for c in op._control_inputs if c not in self._fed] if op._control_inputs else []
        inputs: list[Value] = []
        decl = op.decl
        if decl.types_without_kernel is not None:
            _require_kernel(op, *decl.types_without_kernel)
        ref_position = _ref_positions(op) if decl.takes_references else None
        may_go_back = decl.role is Role.MERGE
        for i, tensor in enumerate(op._inputs):
            if may_go_back and is_back_edge(decl, tensor._op.decl) and tensor not in values:
                self._around.append((op, i, tensor))
                inputs.append(self._stand_in(op))
                continue
            value = values[tensor]
            wants_reference = ref_position is not None and i < len(ref_position) and ref_position[i]
            if value.dtype._is_ref_dtype and not wants_reference:
                value = self._read(value, op, control)
            elif wants_reference and tensor in self._fed_tensors:
                raise InvalidArgumentError(None, op, _no_variable(op, i, tensor))
            inputs.append(value)
        node = Node(decl, op._name, inputs, op.attrs, op, self._runtime, self._device)
        outputs = []
        unsure = bool(self._unsure) and any(value.node in self._unsure for value in inputs)
        if unsure:
            self._unsure.add(node)
        for i, tensor in enumerate(op._outputs):
            value = Value(node, i, tensor._dtype, None if unsure else tensor.dims)
            outputs.append(value)
            if tensor not in values:
                values[tensor] = value
        node.outputs = outputs
        node.control = control
        node_of[op] = node
        self._found.nodes.append(node)

    def _stand_in(self, merge: Operation) -> Value:
        """What a Merge takes until what comes back to it has been collected: another of its inputs.

        Raises:
            InvalidArgumentError: if all of them come back.
        """
        for tensor in merge._inputs:
            if tensor in self._found.values:
                return self._found.values[tensor]
        raise InvalidArgumentError(None, merge, f"None of the inputs of '{merge.name}' comes from outside of the loop.")

    def _read(self, value: Value, op: Operation, control: Sequence[Node]) -> Value:
        """The value of a reference that meets an op which wants the value: it is read when this op runs."""
        read = Node(declared(READ_REFERENCE), op._name, [value], {}, op, self._runtime, self._device)
        read.outputs = [Value(read, 0, value.dtype.base_dtype, value.dims)]
        read.control = list(control)
        self._found.nodes.append(read)
        return read.outputs[0]

    def finished(self, fetches: Sequence[Tensor | Operation]) -> Collected:
        """All that was collected, with the values of `fetches`."""
        found = self._found
        for op, position, tensor in self._around:
            found.node_of[op].inputs[position] = found.values[tensor]
        for item in fetches:
            if isinstance(item, Operation):
                found.fetches.append(None)
                node = found.node_of.get(item)
                if node is not None:
                    found.targets.append(node)
            else:
                found.fetches.append(found.values[item])
        for node in found.nodes:
            node.serial = node.origin._id if node.origin is not None else 0
        return found


def _require_kernel(op: Operation, attr: str, lacking: Set[str]) -> None:
    """Raises InvalidArgumentError for an element type that TensorFlow has no kernel for, before anything is folded or fused."""
    dtype = op.attrs[attr]
    if dtype.name in lacking:
        raise no_kernel_of(op.type, attr, dtype, op)


def _no_variable(op: Operation, position: int, tensor: Tensor) -> str:
    name = dtype_text(tensor.dtype)
    return (
        f"Input {position} of node {op.name} was passed {name} from the feed of {tensor.name} incompatible with "
        f"expected {name}_ref: a variable that is fed has no memory to change."
    )


def _ref_positions(op: Operation) -> list[bool]:
    """For each flattened input, whether it is a reference that the op takes as such."""
    positions: list[bool] = []
    for arg in op.decl.signature.inputs:
        count = 1
        if arg.number_attr is not None:
            count = op.attrs[arg.number_attr]
        elif arg.type_list_attr is not None:
            count = len(op.attrs[arg.type_list_attr])
        positions.extend([arg.is_ref] * count)
    return positions


def _push(stack: list[Operation], state: dict[Operation, int], op: Operation, consumer: Operation) -> None:
    if state.get(op) == _OPEN:
        # Still open below us on the stack: its inputs lead back to it.
        raise InvalidArgumentError(
            None,
            None,
            f"Graph had cycle: operation '{op.name}' ({op.type}), which '{consumer.name}' ({consumer.type}) needs, is part "
            "of a cycle that does not go through the Merge of a loop.",
        )
    stack.append(op)
