"""Logic, comparisons and assertions; operations of the graph where they depend on tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from headrace.autograph.staged import as_staged, is_staged
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike

Thunk = Callable[[], Any]


def and_(first: Thunk, second: Thunk) -> Any:
    """`first and second`."""
    value = first()
    staged = as_staged(value)
    if is_staged(staged):
        return cond(staged, second, lambda: staged)
    return value and second()


def or_(first: Thunk, second: Thunk) -> Any:
    """`first or second`."""
    value = first()
    staged = as_staged(value)
    if is_staged(staged):
        return cond(staged, lambda: staged, second)
    return value or second()


def not_(value: TensorLike) -> Any:
    """`not value`."""
    staged = as_staged(value)
    return raw.LogicalNot(staged) if is_staged(staged) else not value


def eq(first: TensorLike, second: TensorLike) -> Any:
    """`first == second`, of tensors too."""
    return raw.Equal(first, second) if _any_staged(first, second) else first == second


def not_eq(first: TensorLike, second: TensorLike) -> Any:
    """`first != second`, of tensors too."""
    return raw.NotEqual(first, second) if _any_staged(first, second) else first != second


def _any_staged(*values: Any) -> bool:
    return any(is_staged(as_staged(value)) for value in values)


_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.is_, "is_not": operator.is_not, "in": lambda a, b: a in b, "not_in": lambda a, b: a not in b,
    "eq": eq, "ne": not_eq,
}  # fmt: skip


def compared(operators: str, first: Any, *others: Thunk) -> Any:
    """`first < second < third`: operators by blanks; each value is computed once, and only if it is asked for."""
    signs = operators.split()

    def rest(left: TensorLike, i: int) -> bool | Tensor:
        right = others[i]()
        result = _COMPARE[signs[i]](left, right)
        if i + 1 == len(signs):
            return result
        return and_(lambda: result, lambda: rest(right, i + 1))

    return rest(first, 0)


def assert_(test: Thunk, message: Thunk) -> None:
    """An assert statement; an operation of the graph if it depends on a tensor."""
    value = as_staged(test())
    if is_staged(value):
        text = message()
        Assert(value, [] if text is None else list(text) if isinstance(text, (list, tuple)) else [text])
    elif __debug__ and not value:
        text = message()
        raise AssertionError(*([] if text is None else [text]))
