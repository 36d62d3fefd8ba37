"""Errors of functions while they are traced, in the classes that TensorFlow gives them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from headrace.core.errors import OpError


class AutoGraphError(Exception):
    """The base of the errors of conversion."""


class ConversionError(AutoGraphError, ValueError):
    """A function cannot be converted."""


class StagingError(AutoGraphError):
    """A converted function failed while it was traced, with an error whose class is none of TensorFlow's or of Python's usual."""


# These keep their class; what derives from them does not.
_KEPT = (
    AssertionError, AttributeError, KeyError, NameError, NotImplementedError, RuntimeError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip


def staged(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function like another, whose errors are those of tracing.

    Args:
        function: a converted function.

    Returns:
        a function that raises `StagingError` where an error is neither TensorFlow's, nor one of the usual classes of
        Python, nor of a class that the program derives from Exception without an `__init__` of its own. What it raises
        is of the original class too.
    """

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if _keeps_its_class(error):
                raise
            raise _as_staging_error(error) from error

    return run


def _keeps_its_class(error: Exception) -> bool:
    kind = type(error)
    return (
        isinstance(error, OpError)
        or kind in _KEPT
        or kind.__init__ is Exception.__init__
        or kind.__module__.partition(".")[0] == "headrace"
    )


@functools.cache
def _class_of(kind: type[Exception]) -> type[StagingError]:
    # Programs that know of neither TensorFlow's class nor of tracing find the error they look for.
    return type("StagingError", (StagingError, kind), {"__init__": Exception.__init__, "__str__": _told})


def _told(error: BaseException) -> str:
    return str(error.args[0])


def _as_staging_error(error: Exception) -> StagingError:
    kind = type(error)
    message = f"in converted code: {kind.__name__}: {error}"
    try:
        made = _class_of(kind)(message)  # type: ignore[arg-type]  # classes have hashes
    except TypeError:
        return StagingError(message)
    made.__dict__.update(error.__dict__)
    return made
