"""Conditional statements and expressions; those of the graph where the condition is a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.autograph.expressions import Thunk
from headrace.autograph.special import NoReturn_
from headrace.autograph.staged import ZERO, State, as_staged, is_staged, undefined
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond

GetState = Callable[[], list[Any]]
SetState = Callable[[Sequence[Any]], None]


def if_stmt(
    test: bool | Tensor,
    body: Thunk,
    orelse: Thunk,
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    live_count: int,
) -> None:
    """An if statement.

    Args:
        test: the condition; a tensor makes the statement one of the graph.
        body, orelse: the blocks.
        get_state, set_state: give and set the variables they change.
        names: the names of these.
        live_count: how many of them, from the first, are live after the statement.

    Raises:
        ValueError: if a variable has a value behind one of the branches only.
    """
    test = as_staged(test)
    if not is_staged(test):
        (body if test else orelse)()
        return
    before = get_state()
    chosen, kept = list(names[:live_count]), before[live_count:]
    states: dict[str, State] = {}

    def run(block: Thunk, label: str) -> Callable[[], list[Any]]:
        def made() -> list[Any]:
            set_state(before)
            block()
            values = get_state()[:live_count]
            _check_defined(chosen, values, label)
            states[label] = State(chosen, values)
            if label == "else":
                states["if"].check_like(states["else"], _differing)
            return states[label].tensors or [raw.Const(value=ZERO, dtype="int32")]

        return made

    results = cond(test, run(body, "if"), run(orelse, "else"), strict=True)
    state = states["if"]
    set_state([*state.with_tensors(results if state.tensors else []), *kept])


def _check_defined(names: Sequence[str], values: Sequence[Any], label: str) -> None:
    missing = undefined(names, values)
    returns = [value for value in values if isinstance(value, NoReturn_)]
    where = {"if": "if branch", "else": "else branch"}[label]
    if returns:
        raise ValueError(
            f"A value must also be returned from the {where}. If a value is returned from one branch of a conditional a "
            "value must be returned from all branches."
        )
    if missing:
        raise ValueError(
            f"The following symbols must also be initialized in the {where}: {tuple(missing)}. Alternatively, you may "
            "initialize them before the if statement."
        )


def _differing(name: str, what: str = "", types: tuple[str, str] | None = None) -> str:
    if types is not None:
        return (
            f'"{name}" has dtype {types[0]} in the TRUE branch, but dtype={types[1]} in the FALSE branch. TensorFlow control '
            "flow requires that they are the same."
        )
    return f'"{name}" differs between the TRUE branch and the FALSE branch: {what}. Both must give the same.'


def if_exp(test: bool | Tensor, body: Thunk, orelse: Thunk) -> Any:
    """`body if test else orelse`."""
    test = as_staged(test)
    if is_staged(test):
        return cond(test, body, orelse)
    return body() if test else orelse()
