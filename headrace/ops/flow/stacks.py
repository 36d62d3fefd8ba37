"""Stacks, on which loops keep values for their gradients; they live for one run."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from headrace.core import errors
from headrace.core.cases import made, result
from headrace.core.native import applied
from headrace.core.planning_facts import Role
from headrace.core.registry import op
from headrace.kernels.flow import native_lists
from headrace.kernels.native import always

_numbers = itertools.count()


class Stack(list[Any]):
    """The values of one stack in one run."""

    __slots__ = ("limit", "name", "number")

    def __init__(self, name: str, limit: int) -> None:
        super().__init__()
        self.name, self.limit, self.number = name, limit, next(_numbers)

    @property
    def handle(self) -> tuple[str, str]:
        """What a reference to it reads as: its container and a name, which no other stack has."""
        return "_stacks", f"{self.name}_{self.number}"


def _make(name: str) -> Callable[..., Stack]:
    def new(limit: torch.Tensor | int = -1) -> Stack:
        return Stack(name, int(limit))

    return new


def _push(stack: Stack, value: object) -> Any:
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


# ---- declarations: two generations, whose handles are resources and references ----

stack_v2 = op("StackV2", "max_size: int32, *, elem_type: type, stack_name='' -> handle: resource", stateful=True)
stack_push = op("StackPushV2", "handle: resource, elem: T, *, swap_memory=False -> output: T", stateful=True)
stack_pop = op("StackPopV2", "handle: resource, *, elem_type: type -> elem: elem_type", stateful=True)
_stack_close = op("StackCloseV2", "handle: resource ->", stateful=True)

_first_stack = op("Stack", "*, elem_type: type, stack_name='' -> handle: ref string", stateful=True)
_first_push = op("StackPush", "handle: ref string, elem: T, *, swap_memory=False -> output: T")
_first_pop = op("StackPop", "handle: ref string, *, elem_type: type -> elem: elem_type")
_first_close = op("StackClose", "handle: ref string ->")
for _decl in (_first_stack, _first_push, _first_pop, _first_close):
    _decl.not_differentiable()

for _decl in (stack_v2, _first_stack):
    _decl.plays(Role.STACK)
    _decl.shape(lambda op: [(2,)])
    _decl.kernel(lambda node: _make(node.attrs["stack_name"] or node.name))
for _decl in (stack_push, _first_push):
    _decl.plays(Role.STACK_PUSH)
    _decl.shape(lambda op: [op.inputs[1].dims])
    _decl.kernel(lambda node: _push)
    _decl.keeps("elem").aliases()
for _decl in (stack_pop, _first_pop):
    _decl.plays(Role.STACK_POP)
    _decl.kernel(lambda node: _pop)
    _decl.aliases()
for _decl in (_stack_close, _first_close):
    _decl.shape(lambda op: [])
    _decl.kernel(lambda node: _close)
for _decl in (stack_push, stack_pop, _stack_close, _first_push, _first_pop, _first_close):
    # Every use changes the stack, though it is no variable whose readers must come first.
    _decl.checks().waits_by_value()
stack_v2.native_list(native_lists.new_stack)
stack_push.native_list(native_lists.push)
stack_pop.native_list(always(applied("list_pop")))

_LIMIT = np.int32(1)
_STACK, _FIRST_STACK = made("StackV2", _LIMIT, elem_type="float32"), made("Stack", elem_type="float32")
_PUSHED, _FIRST_PUSHED = made("StackPushV2", _STACK, [2]), made("StackPush", _FIRST_STACK, [2])
stack_v2.accepts(_LIMIT, elem_type="float32", after=[made("StackCloseV2", result)])
stack_push.accepts(_STACK, [2]).rejects(_STACK, [2], control=[_PUSHED], error=errors.InvalidArgumentError)
stack_pop.accepts(_STACK, control=[_PUSHED], elem_type="float32")
stack_pop.rejects(_STACK, elem_type="float32", error=errors.InvalidArgumentError)
_stack_close.accepts(_STACK)
_first_stack.accepts(elem_type="float32", varies="a handle as a string")
_first_push.accepts(_FIRST_STACK, [2])
_first_pop.accepts(_FIRST_STACK, control=[_FIRST_PUSHED], elem_type="float32")
_first_close.accepts(_FIRST_STACK)
