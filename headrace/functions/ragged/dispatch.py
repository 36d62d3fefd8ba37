"""What public functions and operators of tensors do with ragged ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.eager import executing_eagerly
from headrace.functions.ragged import elementwise, gathering, joining, layout, math, selecting, strings
from headrace.functions.ragged.supported import SUPPORTED
from headrace.ops.math import binary, comparison, division, logical, unary

if TYPE_CHECKING:
    from headrace.functions.ragged.tensor import RaggedTensor


# Where the functions are that do for ragged tensors what public functions do for others.
_OWN: dict[str, Any] = {
    "gathering": gathering,
    "joining": joining,
    "layout": layout,
    "math": math,
    "selecting": selecting,
    "strings": strings,
}


def _kind_of(function: Callable[..., Any]) -> str | None:
    return SUPPORTED.get((function.__module__.partition(".")[2], function.__name__))


def apply(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function` with arguments of which some are ragged.

    Raises:
        TypeError: if it does not take ragged tensors.
    """
    kind = _kind_of(function)
    if kind is None or not executing_eagerly():
        # As TensorFlow does, which leaves the names behind that the function asks for before it refuses.
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError):
            if kind is None:
                raise
    if kind in ("unary", "unary of list", "binary"):
        # What it is applied to may be given by name.
        names = list(inspect.signature(function).parameters)
        count = 2 if kind == "binary" else 1
        rest = dict(kwargs)
        values = [args[i] if i < len(args) else rest.pop(names[i], None) for i in range(count)]
        of_kind: dict[str, Callable[..., Any]] = {
            "unary": elementwise.unary,
            "unary of list": elementwise.unary_of_list,
            "binary": elementwise.binary,
        }
        apply_to = of_kind[kind]
        return apply_to(function, *values, *args[count:], **rest)
    module, _, name = kind.rpartition(".")
    return getattr(_OWN[module], name)(*args, **kwargs)


def operate(operator: str, *operands: Any) -> RaggedTensor:
    """What an operator of `RaggedTensor` gives: `operate("radd", x, 1)` for `1 + x`."""
    return OPERATORS[operator](*operands)


def _forward(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: apply(function, (x, y), {})


def _reflected(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda y, x: apply(function, (x, y), {})


def _alone(function: Callable[..., Any]) -> Callable[[Any], Any]:
    return lambda x: apply(function, (x,), {})


_BOTH: dict[str, Any] = {
    "add": binary.add,
    "sub": binary.subtract,
    "mul": binary.multiply,
    "div": division.div,
    "truediv": division.truediv,
    "floordiv": division.floordiv,
    "mod": division.floormod,
    "pow": binary.pow,
    "and": logical.logical_and,
    "or": logical.logical_or,
    "xor": logical.logical_xor,
}
_COMPARISONS: dict[str, Any] = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
}
_ALONE: dict[str, Any] = {"neg": unary.negative, "abs": unary.abs, "invert": logical.logical_not}

# The operators of `RaggedTensor`.
OPERATORS: dict[str, Callable[..., Any]] = {
    **{name: _forward(function) for name, function in {**_BOTH, **_COMPARISONS}.items()},
    **{f"r{name}": _reflected(function) for name, function in _BOTH.items()},
    **{name: _alone(function) for name, function in _ALONE.items()},
}
