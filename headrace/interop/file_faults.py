"""What turns out to be wrong with the contents of a file while it is made use of, as TensorFlow's errors."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headrace.core.errors import InvalidArgumentError, OpError

# What reading a graph raises where its parts contradict each other. Programs may expect these classes: the answer is
# one of them as well.
_KINDS: tuple[type[Exception], ...] = (NotImplementedError, ValueError, TypeError, KeyError, IndexError, RuntimeError)


@functools.cache
def _class_of(kind: type[Exception] | None) -> type[InvalidArgumentError]:
    if kind is None:
        return InvalidArgumentError
    return type("InvalidFileError", (InvalidArgumentError, kind), {"__doc__": "A file does not hold what it should."})


@contextmanager
def faults_in(path: str) -> Iterator[None]:
    """Answers what the block raises about the contents of a file with an InvalidArgumentError that names the file.

    Errors of TensorFlow's keep their class. The others are still of the class they were of, too.

    Args:
        path: the file.

    Example:
        >>> with faults_in("model.meta"):
        ...     import_graph_def(graph_def)
        Traceback (most recent call last):
        headrace.core.errors.InvalidArgumentError: model.meta: Node 'a': Unknown input node 'b'
    """
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

    try:
        yield
    except OpError as error:
        if path in error.message:
            raise
        named = type(error).__new__(type(error))
        named.__dict__.update(error.__dict__)
        named._message = f"{path}: {error.message}"
        named.args = (named._message,)
        raise named.with_traceback(error.__traceback__) from None
    except (MemoryError, RecursionError) as error:
        raise _class_of(None)(None, None, f"{path}: too large or too deeply nested: {error}") from None
    except (*_KINDS, ArithmeticError, DecodeError) as error:
        kind: Any = next((kind for kind in _KINDS if isinstance(error, kind)), None)
        text = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise _class_of(kind)(None, None, f"{path}: {text}") from error
