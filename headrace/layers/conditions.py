"""Choices by a condition that may be known while the graph is built; variables are never known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.functions.flow import case
from headrace.functions.flow.cond import cond
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def smart_cond(
    pred: Any,
    true_fn: Callable[..., Any] | None = None,
    false_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The result of one of two functions: of the one `pred` selects if it is known, else a `tf.cond` of both.

    Args:
        pred: a bool scalar tensor or variable, a Python bool, or 0 or 1.
        true_fn, false_fn: functions without arguments.
        name: a name scope for the cond.

    Raises:
        TypeError: if `pred` is of another type or a function is not callable.
    """
    if isinstance(pred, Variable):
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return case.smart_cond(pred, true_fn, false_fn, name)


def constant_value(pred: int | Tensor | Variable) -> bool | None:
    """The value of a condition, None where only a step knows it.

    Raises:
        TypeError: if `pred` is neither a tensor nor a variable nor a bool, 0 or 1.
    """
    return None if isinstance(pred, Variable) else case.smart_constant_value(pred)
