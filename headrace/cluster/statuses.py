"""Errors as the statuses of gRPC, whose codes are TensorFlow's, and back."""

from __future__ import annotations

import re

import grpc

from headrace.core import errors

# What running a step can raise. Whatever it is, the server goes on and says it to who asked.
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


class ToldFailure(grpc.RpcError):
    """What a step of a link has ended with.

    Args:
        code: the number of gRPC's code.
        text: what is the matter.
        node: the name of the operation that it is about, or "".
    """

    def __init__(self, code: int, text: str, node: str = "") -> None:
        super().__init__(text)
        self.status = _CODES.get(code, grpc.StatusCode.UNKNOWN)
        self.text, self.node = text, node


# The key of the metadata that names the operation which failed.
NODE_KEY = "headrace-node-bin"
_CODES = {code.value[0]: code for code in grpc.StatusCode}
# Headers of an answer have a limit of a few kilobytes.
_LONGEST = 2048
_PLACE = re.compile(r" \(defined at [^)]*\)")


def status_of(error: BaseException) -> tuple[grpc.StatusCode, str, str]:
    """The code and the text of an error, and the name of the operation that it is about, or ""."""
    if isinstance(error, errors.OpError):
        op = error.op
        # The caller tells of the operation in its own program.
        text = error._message if op is not None else error.message
        name = getattr(op, "name", "")
        code = _CODES.get(error.error_code, grpc.StatusCode.UNKNOWN)
        return code, _PLACE.sub("", text)[:_LONGEST], name
    if isinstance(error, MemoryError):
        return grpc.StatusCode.RESOURCE_EXHAUSTED, "Out of memory.", ""
    text = str(error)[:_LONGEST] or type(error).__name__
    if isinstance(error, NotImplementedError):
        return grpc.StatusCode.UNIMPLEMENTED, text, ""
    if isinstance(error, (ValueError, TypeError, LookupError)):
        return grpc.StatusCode.INVALID_ARGUMENT, text, ""
    return grpc.StatusCode.INTERNAL, text, ""


def error_of(failure: grpc.RpcError, place: str = "") -> tuple[errors.OpError, str]:
    """The error to raise for one of gRPC, and the name of the operation that it is about, or "".

    Args:
        failure: what the call has ended with.
        place: the task that was called; goes before the text where that comes from an operation.
    """
    code, details, name = grpc.StatusCode.UNKNOWN, str(failure), ""
    if isinstance(failure, ToldFailure):
        code, details, name = failure.status, failure.text, failure.node
    elif isinstance(failure, grpc.Call):
        code, details = failure.code(), failure.details()
        for key, value in failure.trailing_metadata() or ():
            if key == NODE_KEY:
                name = value.decode("utf-8", "replace")
    text = f"From {place}:\n{details}" if place and name else (details or code.name)
    if not name and place and code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        text = f"{place} does not answer: {text}"
    return errors._make_specific_exception(None, None, text, code.value[0]), name
