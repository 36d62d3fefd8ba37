"""The first pass: from what is fetched back to what is fed, every operation needed becomes a node, in a legal order."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Operation, Tensor
from headrace.core.registry import find
from headrace.plan.ir import Node, Value
from headrace.plan.loops import MERGES, is_back_edge


class Collected:
    """The nodes of a plan in topological order, with the values that stand for feeds and fetches."""

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
    runtime: Any,
    device: Any,
    done: Set[Operation] = frozenset(),
) -> Collected:
    """Copies the part of the graph that computes `fetches` from `feeds`.

    Args:
        fetches: tensors whose values are wanted and operations that are to run.
        feeds: tensors whose values are given; nothing before them is collected for their sake.
        runtime: what the kernels may ask for state.
        device: where nodes run unless something says otherwise.
        done: operations that nothing has to wait for.
    """
    result = Collected()
    values = result.values
    feed_decl = find("_Feed")
    read_decl = find("_ReadRef")
    assert feed_decl is not None
    assert read_decl is not None
    for tensor in feeds:
        node = Node(feed_decl, tensor.name, [], {}, tensor.op, runtime, device)
        value = Value(node, 0, tensor.dtype.base_dtype, tensor.dims)
        node.outputs = [value]
        values[tensor] = value
        result.feeds.append(value)

    node_of = result.node_of
    nodes = result.nodes
    roots = [item if isinstance(item, Operation) else item.op for item in fetches if item not in values]

    # Who waits for an operation whose first output is fed waits for the feed, which is there already.
    fed = {tensor._op for tensor in feeds if tensor._value_index == 0} | done

    around: list[tuple[Operation, int, Tensor]] = []
    later: list[Operation] = []

    def make(op: Operation) -> None:
        control = [node_of[c] for c in op._control_inputs if c not in fed] if op._control_inputs else []
        inputs: list[Value] = []
        decl = op.decl
        ref_position = _ref_positions(op) if decl.takes_references else None
        may_go_back = decl.type in MERGES
        for i, tensor in enumerate(op._inputs):
            if may_go_back and is_back_edge(decl.type, tensor._op.type) and tensor not in values:
                # Filled in below, when what goes around has been collected too.
                around.append((op, i, tensor))
                inputs.append(inputs[0])
                continue
            value = values[tensor]
            if value.dtype._is_ref_dtype and not (
                ref_position is not None and i < len(ref_position) and ref_position[i]
            ):
                # A reference meets an op that wants the value: it is read when this op runs.
                read = Node(read_decl, op._name, [value], {}, op, runtime, device)
                read.outputs = [Value(read, 0, value.dtype.base_dtype, value.dims)]
                read.control = control
                nodes.append(read)
                value = read.outputs[0]
            inputs.append(value)
        node = Node(decl, op._name, inputs, op.attrs, op, runtime, device)
        outputs = []
        for i, tensor in enumerate(op._outputs):
            value = Value(node, i, tensor._dtype, tensor.dims)
            outputs.append(value)
            if tensor not in values:
                values[tensor] = value
        node.outputs = outputs
        node.control = control
        node_of[op] = node
        nodes.append(node)

    # Depth first without recursion: graphs are deeper than Python's stack.
    state: dict[Operation, int] = {}
    pending = list(reversed(roots))
    while pending or later:
        root = pending.pop() if pending else later.pop(0)
        if root in state:
            continue
        stack: list[Operation] = [root]
        while stack:
            op = stack[-1]
            mark = state.get(op)
            if mark is None:
                state[op] = 1
                may_go_back = op.decl.type in MERGES
                for tensor in reversed(op._inputs):
                    if may_go_back and is_back_edge(op.decl.type, tensor._op.type):
                        later.append(tensor._op)
                    elif tensor not in values and state.get(tensor._op) != 2:
                        _push(stack, state, tensor._op, op)
                for other in reversed(op._control_inputs):
                    if other not in fed and state.get(other) != 2:
                        _push(stack, state, other, op)
            else:
                stack.pop()
                if mark == 1:
                    state[op] = 2
                    make(op)

    for op, position, tensor in around:
        node_of[op].inputs[position] = values[tensor]

    for item in fetches:
        if isinstance(item, Operation):
            result.fetches.append(None)
            node_or_none = node_of.get(item)
            if node_or_none is not None:
                result.targets.append(node_or_none)
        else:
            result.fetches.append(values[item])
    for node in nodes:
        node.serial = node.origin._id if node.origin is not None else 0
    return result


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
    if state.get(op) == 1:
        # Still open below us on the stack: its inputs lead back to it.
        raise InvalidArgumentError(
            None,
            None,
            f"Graph had cycle: operation '{op.name}' ({op.type}), which '{consumer.name}' ({consumer.type}) needs, is part "
            "of a cycle that does not go through the Merge of a loop.",
        )
    stack.append(op)
