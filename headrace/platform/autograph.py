"""`tf.autograph`, as far as it needs no conversion: Python's control flow runs while the graph is built, as in 1.x."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_verbosity: dict[str, Any] = {"level": 0, "alsologtostdout": False}


class Feature(enum.Enum):
    """What conversion may do beyond control flow, by name."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All of them."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """All but those of `exclude`."""
        left_out = tuple(exclude) if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(feature for feature in cls if feature not in left_out)


def do_not_convert(func: F | None = None) -> Any:
    """A decorator for functions whose control flow stays Python's; so does that of all others here.

    Args:
        func: the function; without it a decorator is returned.
    """
    return do_not_convert if func is None else func


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Says how much conversion tells of itself; nothing is converted, so nothing is told.

    Args:
        level: 0 for nothing.
        alsologtostdout: whether it is printed too.
    """
    _verbosity.update(level=level, alsologtostdout=alsologtostdout)


def trace(*args: Any) -> None:
    """Prints its arguments while the graph is built.

    Args:
        *args: what to print.

    Example:
        >>> tf.autograph.trace(x.shape)
    """
    print(*args)
