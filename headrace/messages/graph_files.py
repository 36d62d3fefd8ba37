"""Graphs and other messages in files: text or binary."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from headrace.core.errors import DataLossError
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.messages.graph_text import text_of
from headrace.messages.wire_faults import first_fault

if TYPE_CHECKING:
    from pathlib import Path

    from headrace.core.graph import Graph
    from headrace.messages import protos


def read_message(
    path: str | Path, message: protos.GraphDef | protos.MetaGraphDef | protos.SaverDef, as_text: bool | None = None
) -> Any:
    """Reads a message from a file.

    Args:
        path: the file.
        message: the (empty) message to fill; returned.
        as_text: whether the file is text; None to find out.

    Raises:
        NotFoundError: if there is no file; DataLossError: if it holds something else, naming it and where in it.
    """
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    name = as_path(path)
    data = file_io.read_file_to_string(name, binary_mode=True)
    kind = type(message).DESCRIPTOR.name
    problem = ""
    if not as_text:
        try:
            message.ParseFromString(data)
            return message
        except (DecodeError, RecursionError) as error:
            problem = str(first_fault(data, type(message).DESCRIPTOR) or error)
            message.Clear()
    if as_text or (as_text is None and _looks_like_text(data)):
        try:
            text_format.Parse(data.decode(), message)
            return message
        except UnicodeDecodeError as error:
            problem = f"text that is not UTF-8 at byte {error.start}"
        except text_format.ParseError as error:
            problem = f"{error} (line:column), byte {_offset(data.decode(), error)}"
        except RecursionError:
            problem = "fields nested too deeply"
        message.Clear()
    raise DataLossError(None, None, f"Cannot parse {kind} in file {name}: {problem}.")


def _offset(text: str, error: Any) -> int:
    """The byte at which text stops being a message."""
    line, column = error.GetLine() or 1, error.GetColumn() or 1
    lines = text.split("\n")
    before = "".join(f"{each}\n" for each in lines[: line - 1]) + "".join(lines[line - 1 : line])[: column - 1]
    return len(before.encode())


def _looks_like_text(data: bytes) -> bool:
    """Whether a file is at least in parts text: what is not is told as the binary message that it no longer is."""
    try:
        data[:256].decode()
    except UnicodeDecodeError as error:
        # A character may be cut at the end.
        return error.start > 252
    return not any(byte < 0x20 and byte not in b"\t\n\r\f\v" for byte in data[:256])


def write_message(
    path: str,
    message: protos.GraphDebugInfo | protos.GraphDef | protos.MetaGraphDef,
    as_text: bool = False,
    all_digits: bool = False,
) -> None:
    """Writes a message to a file, whole or not at all; `all_digits` as for `graph_text.text_of`."""
    if as_text:
        file_io.atomic_write_string_to_file(path, text_of(message, all_digits))
    else:
        file_io.atomic_write_string_to_file(path, message.SerializeToString(deterministic=True))


def write_graph(graph_or_graph_def: Graph | protos.GraphDef, logdir: str, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file.

    Args:
        graph_or_graph_def: a `Graph` or a `GraphDef`.
        logdir: the directory, made if it is missing.
        name: the file's name in it.
        as_text: whether to write text rather than the binary form.

    Returns:
        the file's path.

    Example:
        >>> tf.train.write_graph(sess.graph, "/tmp/model", "graph.pbtxt")
        '/tmp/model/graph.pbtxt'
    """
    graph_def = graph_or_graph_def.as_graph_def() if hasattr(graph_or_graph_def, "as_graph_def") else graph_or_graph_def
    folder = as_path(logdir)
    if folder and not file_io.is_directory(folder):
        file_io.recursive_create_dir(folder)
    path = os.path.join(folder, as_path(name))
    # Numbers as 1.15 writes them: with all digits.
    write_message(path, graph_def, as_text, all_digits=True)
    return path
