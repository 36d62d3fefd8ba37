"""What a value is computed from, found for those who take it out of its graph."""

from __future__ import annotations

from collections.abc import Collection, MutableMapping
from typing import TYPE_CHECKING

from headrace.contrib.graph_editor.select import is_differentiable
from headrace.core.operation import Operation

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor

__all__ = ["UnliftableError", "graph_inputs", "is_differentiable", "map_subgraph"]


class UnliftableError(Exception):
    """A value depends on something that cannot be taken out of its graph with it."""

    # What AutoGraph's calls do not dress up as an error of theirs.
    ag_pass_through = True


def _as_operation(op_or_tensor: Operation | Tensor) -> Operation:
    return op_or_tensor if isinstance(op_or_tensor, Operation) else op_or_tensor.op


def graph_inputs(op: Operation) -> list[Operation]:
    """The operations that must have run before this one: those of its inputs, then its control inputs."""
    return [tensor.op for tensor in op.inputs] + list(op.control_inputs)


def _path_from(from_op: Operation | Tensor, tensor: Operation | Tensor, sources: Collection[Operation | Tensor]) -> str:
    """One way from an operation to what depends on it, told from its end; "??" where there is none besides `sources`."""
    ends = {_as_operation(source) for source in sources}
    first, last = _as_operation(from_op), _as_operation(tensor)
    consumer: dict[Operation, Operation | None] = {last: None}
    left = [last]
    while left:
        op = left.pop()
        if op is first:
            told: list[str] = []
            after: Operation | None = op
            while after is not None:
                told.insert(0, f"{after.name} ({after.type})")
                after = consumer[after]
            return " <- ".join(told)
        for before in graph_inputs(op):
            if before not in consumer and before not in ends:
                consumer[before] = op
                left.append(before)
    return "??"


def map_subgraph(
    init_tensor: Operation | Tensor,
    sources: Collection[Operation],
    disallowed_placeholders: Collection[Operation] | None,
    visited_ops: set[Operation],
    op_outputs: MutableMapping[Operation, set[Operation]],
    add_sources: bool,
) -> set[Tensor]:
    """Walks backwards over what a value depends on, and notes who needs what.

    Args:
        init_tensor: the value, or the operation, to begin with.
        sources: operations at which the walk ends.
        disallowed_placeholders: operations that must not be met. None refuses all placeholders that are no sources,
            unless `add_sources` is set.
        visited_ops: the operations met so far, which are not walked again; those met now are added.
        op_outputs: from operations to the set of those that need them, a `defaultdict` of sets; it is added to.
        add_sources: whether placeholders are taken as sources where they are met.

    Returns:
        the outputs of the placeholders that were met.

    Raises:
        UnliftableError: if the value depends on a placeholder that is refused; the error tells by which way.

    Example:
        >>> from collections import defaultdict
        >>> source = tf.placeholder(tf.float32)
        >>> map_subgraph(tf.square(source), {source.op}, None, set(), defaultdict(set), add_sources=False)
        set()
    """
    left = [_as_operation(init_tensor)]
    met: set[Tensor] = set()
    while left:
        op = left.pop()
        if op in visited_ops:
            continue
        visited_ops.add(op)
        placeholder = op.type == "Placeholder"
        if disallowed_placeholders is not None:
            refused = op in disallowed_placeholders
        else:
            refused = placeholder and not add_sources
        if refused:
            raise UnliftableError(
                f"Unable to lift tensor {init_tensor!r} because it depends transitively on placeholder {op!r} via at "
                f"least one path, e.g.: {_path_from(op, init_tensor, sources)}"
            )
        if placeholder:
            met.add(op.outputs[0])
        for before in graph_inputs(op):
            op_outputs[before].add(op)
            if before not in visited_ops and before not in sources:
                left.append(before)
    return met
