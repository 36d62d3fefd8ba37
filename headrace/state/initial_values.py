"""Initial values that rest on other variables: those are replaced by what they will be initialized to."""

from __future__ import annotations

from typing import Any

from headrace.core.collections import GraphKeys
from headrace.core.operation import Operation
from headrace.core.tensor import Tensor

_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})
_LEFT_ALONE = frozenset({"IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If"})


def try_guard_against_uninitialized_dependencies(name: str, initial_value: Tensor) -> Tensor:
    """`initial_value`, with the variables it reads taken at their initial values where they have none yet.

    All initializers may run at once, in any order; a variable made from another must not need it to be first. Values
    whose computation goes round a loop, and variables in no collection, are left as they are.

    Args:
        name: the variable's name scope, which names the operations made anew.
        initial_value: the initial value.

    Raises:
        TypeError: if `initial_value` is not a tensor.
    """
    if not isinstance(initial_value, Tensor):
        raise TypeError(f"initial_value needs to be a Tensor: {initial_value}")
    order = _inputs_first(initial_value.op)
    if order is None or not any(op.type in _VARIABLES for op in order):
        return initial_value
    safe: dict[Operation, Operation] = {}
    for op in order:
        safe[op] = _safe(name, op, safe)
    return safe[initial_value.op].outputs[initial_value.value_index]


def _inputs_first(root: Operation) -> list[Operation] | None:
    """The operations that `root` computes from, inputs before consumers; None if they form a cycle."""
    order: list[Operation] = []
    state: dict[Operation, bool] = {}
    stack = [root]
    while stack:
        op = stack[-1]
        done = state.get(op)
        if done is None:
            state[op] = False
            inputs = () if op.type in _LEFT_ALONE else op.inputs
            for tensor in reversed(inputs):
                seen = state.get(tensor.op)
                if seen is False:
                    return None
                if seen is None:
                    stack.append(tensor.op)
        else:
            stack.pop()
            if not done:
                state[op] = True
                order.append(op)
    return order


def _safe(name: str, op: Operation, safe: dict[Operation, Operation]) -> Operation:
    if op.type in _LEFT_ALONE:
        return op
    if op.type in _VARIABLES:
        value = _initialized_value_of(op)
        return op if value is None else value.op
    inputs = [safe[tensor.op].outputs[tensor.value_index] for tensor in op.inputs]
    if all(new is old for new, old in zip(inputs, op.inputs, strict=True)):
        return op
    op_type = "Switch" if op.type == "RefSwitch" else op.type
    return op.graph.create_op(op_type, inputs, name=f"{op.name}_{name}".replace(":", "_"), attrs=dict(op.attrs))


def _initialized_value_of(op: Operation) -> Any:
    names = (op.name, f"{op.name}:0")
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in op.graph.get_collection(key):
            if getattr(variable, "name", None) in names and hasattr(variable, "initialized_value"):
                return variable.initialized_value()
    return None
