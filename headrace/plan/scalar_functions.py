"""What the expressions of scalar plans call besides NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np


def _checked(divisor: np.integer[Any]) -> None:
    if divisor == 0:
        raise InvalidArgumentError(None, None, "Integer division by zero")


def floor_div(a: np.integer[Any], b: np.integer[Any]) -> np.integer[Any]:
    """Integer division, rounded down."""
    _checked(b)
    return a // b


def floor_mod(a: np.integer[Any], b: np.integer[Any]) -> np.integer[Any]:
    """The remainder of `floor_div`."""
    _checked(b)
    return a % b


def truncate_div(a: np.integer[Any], b: np.integer[Any]) -> np.integer[Any]:
    """Integer division, rounded towards zero."""
    _checked(b)
    quotient = a // b
    return quotient + type(a)(1) if quotient < 0 and quotient * b != a else quotient
