"""Failures and the status codes that they are answered with."""

from __future__ import annotations

import re

from headrace.core import errors

# What loading or running a model can raise. Whatever it is, the server goes on and says it to who asked.
FAILURES = (
    errors.OpError,
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AttributeError,
    AssertionError,
    ImportError,
    MemoryError,
)

_PLACE = re.compile(r" \(defined at [^)]*\)")
_HTTP = {
    errors.OK: 200,
    errors.CANCELLED: 499,
    errors.INVALID_ARGUMENT: 400,
    errors.DEADLINE_EXCEEDED: 504,
    errors.NOT_FOUND: 404,
    errors.ALREADY_EXISTS: 409,
    errors.PERMISSION_DENIED: 403,
    errors.RESOURCE_EXHAUSTED: 429,
    errors.FAILED_PRECONDITION: 400,
    errors.ABORTED: 409,
    errors.OUT_OF_RANGE: 400,
    errors.UNIMPLEMENTED: 501,
    errors.UNAVAILABLE: 503,
    errors.UNAUTHENTICATED: 401,
}


def code_of(error: BaseException) -> int:
    """The status code of a failure: that of TensorFlow's errors, and of Python's the one nearest to it."""
    if isinstance(error, errors.OpError):
        return error.error_code
    if isinstance(error, MemoryError):
        return errors.RESOURCE_EXHAUSTED
    if isinstance(error, FileNotFoundError):
        return errors.NOT_FOUND
    if isinstance(error, NotImplementedError):
        return errors.UNIMPLEMENTED
    return errors.INTERNAL


def message_of(error: BaseException) -> str:
    """What a failure says, without the place in the program: that is the server's own matter."""
    if isinstance(error, errors.OpError):
        return _PLACE.sub("", error.message)
    if isinstance(error, MemoryError):
        return "Out of memory."
    return str(error) or type(error).__name__


def http_status(code: int) -> int:
    """The status of HTTP for a status code."""
    return _HTTP.get(code, 500)
