"""Stacks, on which loops keep values for their gradients; they live for one run."""

from __future__ import annotations

from typing import Any

from headrace.core import errors
from headrace.core.registry import OpDecl, op


class Stack(list[Any]):
    """The values of one stack in one run."""

    __slots__ = ("limit", "name")

    def __init__(self, name: str, limit: int) -> None:
        super().__init__()
        self.name, self.limit = name, limit


def _make(node: Any, name: str) -> Any:
    def new(limit: Any = -1) -> Stack:
        return Stack(name, int(limit))

    return new


def _push(stack: Stack, value: Any) -> Any:
    if len(stack) == stack.limit:
        raise errors.InvalidArgumentError(None, None, f"Stack[{stack.name}] overflowed its max_size ({stack.limit})")
    stack.append(value)
    return value


def _pop(stack: Stack) -> Any:
    if not stack:
        raise errors.InvalidArgumentError(None, None, f"Stack[{stack.name}] is empty when calling Pop().")
    return stack.pop()


def _close(stack: Stack) -> None:
    stack.clear()


def _declare(version: str, handle: str, limit: str) -> tuple[OpDecl, OpDecl, OpDecl]:
    stateful = bool(version)
    make = op(f"Stack{version}", f"{limit}*, elem_type: type, stack_name='' -> handle: {handle}", stateful=True)
    make.shape(lambda op: [(2,)])
    make.kernel(lambda node: _make(node, node.attrs["stack_name"] or node.name))
    push = op(f"StackPush{version}", f"handle: {handle}, elem: T, *, swap_memory=False -> output: T", stateful=stateful)
    push.shape(lambda op: [op.inputs[1].dims])
    push.kernel(lambda node: _push)
    push.keeps("elem").aliases()
    pop = op(f"StackPop{version}", f"handle: {handle}, *, elem_type: type -> elem: elem_type", stateful=stateful)
    pop.kernel(lambda node: _pop)
    pop.aliases()
    close = op(f"StackClose{version}", f"handle: {handle} ->", stateful=stateful)
    close.shape(lambda op: [])
    close.kernel(lambda node: _close)
    for decl in (push, pop, close):
        # Every use changes the stack, though it is no variable whose readers must come first.
        decl.checks().waits_by_value()
    if not version:
        for decl in (make, push, pop, close):
            decl.not_differentiable()
    return make, push, pop


stack_v2, stack_push, stack_pop = _declare("V2", "resource", "max_size: int32, ")
_declare("", "ref string", "")
