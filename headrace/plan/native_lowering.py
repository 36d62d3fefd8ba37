"""From nodes to native instructions: which nodes have a way there, and the values that their lowerings are given."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import overload

from headrace.core.buffers import VariableBuffer
from headrace.core.native import Lowering, NativeBuilder
from headrace.native.program import MAX_RANK, Unsupported
from headrace.plan.handles import variable_of
from headrace.plan.ir import UNBOUND, Node, Value, input_positions

TYPES = frozenset({"float32", "float64", "int32", "int64", "bool"})
_KEPT = "native lowering"
# An addition of so many elements takes torch about twenty times as long as a call of it.
_LARGE = 1 << 17


def lowering_of(node: Node, scalars: bool = False) -> Lowering | None:
    """How the node becomes native instructions; None where it stays a call of its kernel.

    Args:
        node: the node.
        scalars: whether what the plan computes with Python's scalars may become instructions as well.
    """
    if node.template is not None and not scalars:
        return None
    if _KEPT in node.notes:
        kept: Lowering | None = node.notes[_KEPT]
        return kept
    lowering = _lowering(node)
    if node.decl.native_rule is not None:
        node.notes[_KEPT] = lowering
    return lowering


def _lowering(node: Node) -> Lowering | None:
    rule = node.decl.native_rule
    if rule is None or node.device.type != "cpu" or node.heavy or _is_large(node):
        return None
    for value in node.inputs:
        if value.bound is not UNBOUND:
            if value.constant is None and not isinstance(value.bound, VariableBuffer):
                return None
        elif value.dtype._is_ref_dtype or (value.dtype.name == "resource" and not node.decl.on_list):
            if variable_of(value) is None:
                return None
        elif not _is_taken(value, node):
            return None
    for value in node.outputs:
        if not _is_taken(value, node):
            return None
    return rule(node)


def _is_taken(value: Value, node: Node) -> bool:
    """Whether the runner has values of this type and so many axes; the handle of a list is one."""
    if value.dims is not None and len(value.dims) > MAX_RANK:
        return False
    return value.dtype.base_dtype.name in TYPES or (node.decl.on_list and value.dtype.name == "resource")


def _is_large(node: Node) -> bool:
    """Whether the node goes over so many elements that what a call costs does not matter."""
    decl = node.decl
    values = (
        node.inputs
        if decl.touched_inputs is None
        else [node.inputs[i] for i in input_positions(node, decl.touched_inputs)]
    )
    if decl.may_alias:
        values = []
    return any(_count(value) > _LARGE for value in (*values, *node.outputs))


def _count(value: Value) -> int:
    return math.prod(size or 1 for size in value.dims) if value.dims else 1


def is_plain_read(node: Node) -> bool:
    """Whether the node gives the value of a variable, all of it, in the variable's own memory."""
    if not node.decl.reads_variable or node.control or node.device.type != "cpu" or node.outputs[0].scalar:
        return False
    buffer = node.inputs[0].bound
    return isinstance(buffer, VariableBuffer) and buffer.dtype.name in TYPES and node.outputs[0].dtype is buffer.dtype


class Inputs(Sequence[int]):
    """The values of a node's inputs in a program, those that nothing asks for not made.

    Args:
        node: the node.
        ids: the values that are there; constants are added.
        builder: makes the program.
        buffers: the memory of variables; it is added.
    """

    def __init__(
        self, node: Node, ids: dict[Value, int], builder: NativeBuilder, buffers: dict[VariableBuffer, int]
    ) -> None:
        self._values, self._ids, self._builder, self._buffers = node.inputs, ids, builder, buffers

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return [self.of(value) for value in self._values[index]]
        return self.of(self._values[index])

    def __iter__(self) -> Iterator[int]:
        return map(self.of, self._values)

    def of(self, value: Value) -> int:
        """The value of the program that stands for one of the plan.

        Raises:
            Unsupported: if there is none.
        """
        found = self._ids.get(value)
        if found is not None:
            return found
        if value.constant is not None:
            found = self._builder.constant(value.constant)
        else:
            buffer = variable_of(value)
            if buffer is None or buffer not in self._buffers:
                raise Unsupported(f"{value!r} is not there as numbers")
            found = self._buffers[buffer]
        self._ids[value] = found
        return found
