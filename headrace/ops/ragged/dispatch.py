"""What public functions and operators of tensors do with ragged ones."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from headrace.core.eager import executing_eagerly
from headrace.ops.math import binary, comparison, division, logical, unary
from headrace.ops.ragged import elementwise
from headrace.ops.ragged.supported import SUPPORTED

_ROOT = __name__.partition(".")[0]


def _kinds() -> dict[Any, str]:
    made = {}
    for (module, name), kind in SUPPORTED.items():
        made[getattr(importlib.import_module(f"{_ROOT}.{module}"), name)] = kind
    return made


_kind_of: dict[Any, str] = {}


def apply(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`function` with arguments of which some are ragged.

    Raises:
        TypeError: if it does not take ragged tensors.
    """
    if not _kind_of:
        _kind_of.update(_kinds())
    kind = _kind_of.get(function)
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
        apply_to = {"unary": elementwise.unary, "unary of list": elementwise.unary_of_list}.get(
            kind, elementwise.binary
        )
        return apply_to(function, *values, *args[count:], **rest)
    module, _, name = kind.rpartition(".")
    own = getattr(importlib.import_module(f"{_ROOT}.ops.ragged.{module}"), name)
    return own(*args, **kwargs)


def _forward(function: Any) -> Callable[[Any, Any], Any]:
    return lambda x, y: apply(function, (x, y), {})


def _reflected(function: Any) -> Callable[[Any, Any], Any]:
    return lambda y, x: apply(function, (x, y), {})


def _alone(function: Any) -> Callable[[Any], Any]:
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
