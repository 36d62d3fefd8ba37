"""What turns out to be wrong with the contents of a file while it is made use of, as TensorFlow's errors."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from headrace.core.errors import InvalidArgumentError, OpError
from headrace.files import file_io
from headrace.messages.wire_faults import offset_of_node

# What reading a graph raises where its parts contradict each other. Programs may expect these classes: the answer is
# one of them as well.
_KINDS: tuple[type[Exception], ...] = (
    *(NotImplementedError, ValueError, TypeError, KeyError, IndexError, RuntimeError, AssertionError),
)


@functools.cache
def _class_of(kind: type[Exception] | None) -> type[InvalidArgumentError]:
    if kind is None:
        return InvalidArgumentError
    return type("InvalidFileError", (InvalidArgumentError, kind), {"__doc__": "A file does not hold what it should."})


def note_node(error: Exception, name: str) -> None:
    """Keeps with an error the name of the node of a GraphDef that it is about; the innermost one stays."""
    error.__dict__.setdefault("_about_node", name)


def _place(path: str, kind: Any, error: BaseException) -> str:
    """Where in a file the node is that an error is about, as the end of a message; nothing if that is not known."""
    name = error.__dict__.get("_about_node")
    if not name or kind is None:
        return ""
    try:
        offset = offset_of_node(file_io.read_file_to_string(path, binary_mode=True), kind.DESCRIPTOR, name)
    except OpError:
        return ""
    return "" if offset is None else f" (node {name!r} at byte {offset})"


@contextmanager
def faults_in(path: str, kind: type | None = None) -> Iterator[None]:
    """Answers what the block raises about the contents of a file with an InvalidArgumentError that names the file.

    Errors of TensorFlow's keep their class. The others are still of the class they were of, too.

    Args:
        path: the file.
        kind: the class of the message in the file, by which the place of a node in it is told.

    Example:
        >>> graph_def = tf.GraphDef(node=[tf.NodeDef(name="a", op="NoOp", input=["b"])])
        >>> with faults_in("model.meta"):
        ...     tf.import_graph_def(graph_def)
        Traceback (most recent call last):
        headrace.messages.file_faults...: model.meta: Node 'a': Unknown input node 'b'
    """
    from google.protobuf.message import DecodeError

    try:
        yield
    except OpError as error:
        place = _place(path, kind, error)
        if path in error._message and not place:
            raise
        named = type(error).__new__(type(error))
        named.__dict__.update(error.__dict__)
        named.__dict__.pop("_about_node", None)
        named._message = f"{'' if path in error._message else f'{path}: '}{error._message}{place}"
        named.args = (named._message,)
        raise named.with_traceback(error.__traceback__) from None
    except (MemoryError, RecursionError) as error:
        raise _class_of(None)(None, None, f"{path}: too large or too deeply nested: {error}") from None
    except (*_KINDS, ArithmeticError, DecodeError) as error:
        known: type | None = next((known for known in _KINDS if isinstance(error, known)), None)
        text = error.args[0] if isinstance(error, KeyError) and error.args else error
        raise _class_of(known)(None, None, f"{path}: {text}{_place(path, kind, error)}") from error
