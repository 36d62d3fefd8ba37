"""The errors an op raises when it runs: `OpError` and a subclass for each of TensorFlow's status codes.

Kernels raise them with `node_def` and `op` None, for a kernel knows only its tensors; whoever runs the kernel
attaches the operation, and the text then tells which node failed and which line of the program made it.
`op_error` is the one place where such messages are composed.
"""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from headrace.util.callsite import shown_name

if TYPE_CHECKING:
    from tensorboard.compat.proto.node_def_pb2 import NodeDef

    from headrace.core.typing import TensorLike


OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An operation failed while it ran.

    Args:
      node_def: the NodeDef of the operation, or None.
      op: the Operation, or None where it is not known (yet).
      message: what went wrong.
      error_code: one of the codes of this module.

    Example:
      >>> error = InvalidArgumentError(None, None, "axis must be below 2, got 3")
      >>> error.error_code == INVALID_ARGUMENT, error.message
      (True, 'axis must be below 2, got 3')
    """

    def __init__(self, node_def: str | NodeDef | None, op: Any, message: str, error_code: int) -> None:
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        # Says where when there is no operation to ask: after a trip through pickle.
        self._location: str | None = None
        # Whether a session found the operation, rather than who made the error.
        self._ran = False

    @property
    def message(self) -> str:
        """What went wrong; of an operation that a session ran, also which one, as `[[node NAME (defined at FILE:LINE) ]]`."""
        return f"{self._message}\n\t [[{_tag(self._op)} ]]" if self._ran else self._message

    @property
    def op(self) -> Any:
        """The Operation that failed, or None where it is not known."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The NodeDef of the operation that failed, or None."""
        if self._node_def is None and self._op is not None:
            return getattr(self._op, "node_def", None)
        return self._node_def

    @property
    def error_code(self) -> int:
        """The code of the error's kind, such as `INVALID_ARGUMENT`."""
        return self._error_code

    def attach(self, op: Any) -> OpError:
        """Names the operation that failed, unless one is named already; returns the error."""
        if self._op is None:
            self._op = op
            self._ran = True
        return self

    def __str__(self) -> str:
        location = self._place()
        return f"{self.message}\n{location}" if location else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        # An operation belongs to its graph and cannot travel; its description can.
        return _rebuilt, (type(self), self.message, self._error_code, self._place())

    def _place(self) -> str | None:
        """Where the operation was made, in a sentence and, from the program's outermost call on, in full."""
        if self._op is None:
            return self._location
        stack = getattr(self._op, "traceback", None)
        if not stack:
            return describe(self._op)
        shown = [(shown_name(filename), line, function, source) for filename, line, function, source in stack]
        lines = "".join(traceback.format_list(shown))
        return f"{describe(self._op)}\n\nOriginal stack trace for {self._op.name!r}:\n{lines}"


_CODED: dict[int, type[OpError]] = {}
_Error = TypeVar("_Error", bound=Exception)


class _Coded:
    """What the errors share whose class determines their code; they derive from `OpError` themselves, as TensorFlow's do."""

    _code: int

    def __init_subclass__(cls, code: int | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if code is not None:
            cls._code = code
            _CODED[code] = cast("type[OpError]", cls)

    def __init__(self, node_def: str | NodeDef | None, op: Any, message: str) -> None:
        super().__init__(node_def, op, message, self._code)  # type: ignore[call-arg]  # the next class is OpError


def _make_specific_exception(node_def: Any, op: Any, message: str, error_code: int) -> OpError:
    """The error of a code; of one that is not known an `UnknownError` that keeps it, with a warning."""
    kind: Any = _CODED.get(error_code)
    if kind is None:
        warnings.warn(f"Unknown error code: {error_code}", stacklevel=2)
        return UnknownError(node_def, op, message, error_code)
    return kind(node_def, op, message)


class CancelledError(_Coded, OpError, code=CANCELLED):
    """The operation was cancelled, as a blocked `queue.enqueue()` is when its session closes."""


class InvalidArgumentError(_Coded, OpError, code=INVALID_ARGUMENT):
    """An input has a value, shape or type the operation cannot take, whatever the state of the system."""


class DeadlineExceededError(_Coded, OpError, code=DEADLINE_EXCEEDED):
    """The operation did not finish in the time allowed."""


class NotFoundError(_Coded, OpError, code=NOT_FOUND):
    """A file, tensor or resource that was asked for does not exist."""


class UndeclaredOpError(NotFoundError, NotImplementedError):
    """A graph uses op types that are not declared."""


class AlreadyExistsError(_Coded, OpError, code=ALREADY_EXISTS):
    """What was to be made exists already."""


class PermissionDeniedError(_Coded, OpError, code=PERMISSION_DENIED):
    """The caller may not run the operation, as when a file cannot be read."""


class ResourceExhaustedError(_Coded, OpError, code=RESOURCE_EXHAUSTED):
    """Memory, disk space or another resource has run out."""


class FailedPreconditionError(_Coded, OpError, code=FAILED_PRECONDITION):
    """The system is not in the state the operation needs: a variable is read before it is initialized."""


class AbortedError(_Coded, OpError, code=ABORTED):
    """The operation was aborted, usually by another running at the same time; it may be tried again."""


class OutOfRangeError(_Coded, OpError, code=OUT_OF_RANGE):
    """The operation went past the end: of a file, a dataset or a closed queue."""


class UnimplementedError(_Coded, OpError, code=UNIMPLEMENTED):
    """The operation has no implementation for these types or on this device."""


class InternalError(_Coded, OpError, code=INTERNAL):
    """Something the runtime relies on does not hold."""


class UnavailableError(_Coded, OpError, code=UNAVAILABLE):
    """A runtime cannot be reached at present."""


class DataLossError(_Coded, OpError, code=DATA_LOSS):
    """Data was lost or is damaged, such as a truncated file or a wrong checksum."""


class UnauthenticatedError(_Coded, OpError, code=UNAUTHENTICATED):
    """The caller could not be identified."""


class UnknownError(OpError):
    """A failure of another system, with a code this one does not know."""

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int = UNKNOWN) -> None:
        super().__init__(node_def, op, message, error_code)


_CODED[UNKNOWN] = UnknownError
_CODE_TO_EXCEPTION_CLASS = _CODED
_EXCEPTION_CLASS_TO_CODE = {error_class: code for code, error_class in _CODED.items()}


def _rebuilt(error_class: type[OpError], message: str, error_code: int, location: str | None) -> OpError:
    coded = issubclass(error_class, _Coded)
    error = error_class(None, None, message) if coded else error_class(None, None, message, error_code)  # type: ignore[call-arg]  # classes of one code take none
    error._location = location
    return error


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of the errors that have a code; KeyError for an unknown code and for `OK`."""
    return _CODED[error_code]


def error_code_from_exception_type(cls: type) -> Any:
    """The code that errors of a class have.

    For a class that has none it warns and returns an `UnknownError`, as TensorFlow does.
    """
    for code, error_class in _CODED.items():
        if error_class is cls:
            return code
    warnings.warn("Unknown class exception", stacklevel=2)
    return UnknownError(None, None, "Unknown class exception")


def _tag(op: Any) -> str:
    """`node total/Cumsum (defined at train.py:41)`."""
    stack = getattr(op, "traceback", None)
    return f"node {op.name} (defined at {shown_name(stack[-1][0])}:{stack[-1][1]})" if stack else f"node {op.name}"


def describe(op: Any) -> str:
    """Which node an operation is and where the program made it.

    Example: `Node 'total/Cumsum' (op: Cumsum), made at train.py:41: total = tf.cumsum(x)`.
    """
    site = getattr(op, "creation_site", None)
    node = f"Node '{op.name}' (op: {op.type})"
    return f"{node}, made at {site}" if site else node


def op_error(
    error_class: type[_Error],
    op: Any,
    problem: str,
    expected: TensorLike | None = None,
    got: int | Sequence[int] | None = None,
    remedy: str | None = None,
) -> _Error:
    """Composes an error of an operation; the caller raises it.

    Args:
      error_class: an OpError subclass, or ValueError or TypeError while the graph is built.
      op: the Operation, or None where it is not known.
      problem: what is wrong, without a full stop; the op type is put before it.
      expected: what would have been right.
      got: what came instead.
      remedy: what to do about it, best as code.

    Example:
      >>> op_error(ValueError, None, "axis is out of range", expected="[-2, 2)", got=3)
      ValueError('axis is out of range: expected [-2, 2), got 3.')
    """
    text = problem if op is None else f"{op.type}: {problem}"
    found = [f"{word} {value}" for word, value in (("expected", expected), ("got", got)) if value is not None]
    if found:
        text += ": " + ", ".join(found)
    text += "."
    if remedy:
        text += " " + remedy
    if issubclass(error_class, OpError):
        return error_class(None, op, text)  # type: ignore[call-arg]  # classes of one code take none
    return error_class(text if op is None else f"{text}\n{describe(op)}")


class InaccessibleTensorError(ValueError):
    """A tensor of a branch, a loop or a function is used where it cannot be reached."""


class OperatorNotAllowedInGraphError(TypeError):
    """A Python operation, such as `if tensor:`, that a tensor of a graph has no value for."""
