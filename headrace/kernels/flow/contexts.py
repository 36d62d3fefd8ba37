"""Which op of a branch or a loop an operation is, and in which of them it lies."""

from __future__ import annotations

from typing import Any

from headrace.core.operation import Operation
from headrace.core.planning_facts import Role
from headrace.core.tensor import Tensor


def is_loop_enter(op: Operation) -> bool:
    """Whether `op` brings a value into a loop."""
    return op.decl.role is Role.ENTER


def is_constant_enter(op: Operation) -> bool:
    """Whether `op` brings in a value that is the same in all iterations."""
    return is_loop_enter(op) and bool(op.attrs["is_constant"])


def is_loop_exit(op: Operation) -> bool:
    """Whether `op` takes a value out of a loop."""
    return op.decl.role is Role.EXIT


def is_exit_of(op: Operation, pivot: Tensor | None) -> bool:
    """Whether `op` takes a value out of the loop of a pivot, and not of one that was imported into that loop."""
    if not is_loop_exit(op):
        return False
    switched = op.inputs[0].op
    return pivot is None or len(switched.inputs) < 2 or switched.inputs[1] is pivot


def is_switch(op: Operation) -> bool:
    """Whether `op` is a Switch of a branch or of a loop."""
    return op.decl.role is Role.SWITCH


def is_merge(op: Operation) -> bool:
    """Whether `op` is the Merge of a branch or of a loop."""
    return op.decl.role is Role.MERGE


def is_loop_switch(op: Operation) -> bool:
    """Whether `op` is a Switch at which a loop goes on or ends."""
    return is_switch(op) and op.inputs[1].op.decl.role is Role.LOOP_CONDITION


def constant_enter_of(value: Tensor) -> Operation | None:
    """The constant Enter that `value` comes from through Identities and branches' Switches, or None."""
    op = value.op
    while is_switch(op) or op.type in ("Identity", "RefIdentity"):
        op = op.inputs[0].op
    return op if is_constant_enter(op) else None


def output_context(op: Operation) -> Any:
    """The context in which the outputs of `op` are: an Exit's are outside the loop."""
    context = op._get_control_flow_context()
    return context.outer_context if context is not None and is_loop_exit(op) else context


def while_context_of(op: Operation) -> Any:
    """The innermost loop that `op` lies in, or None."""
    context = op._get_control_flow_context()
    return None if context is None else context.GetWhileContext()
