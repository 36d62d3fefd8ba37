"""Where in the program's source the nodes of a run were made."""

from __future__ import annotations

import math
import os
import re
from typing import TYPE_CHECKING

from headrace.debug.dump_dir import DebugDumpDir
from headrace.debug.parsing import CommandError

if TYPE_CHECKING:
    from headrace.core.graph import Graph


def annotate_source(
    dump: DebugDumpDir, source_file_path: str, do_dumped_tensors: bool = False, file_stack_top: bool = False
) -> dict[int, list[str]]:
    """For each line of a file, the operations that it has made.

    Args:
        dump: a dump that knows the `tf.Graph`.
        source_file_path: the file.
        do_dumped_tensors: whether to give the dumped tensors instead of the operations.
        file_stack_top: whether to count only the innermost line of the file that led to a node.

    Raises:
        ValueError: if the dump does not know the graph.
    """
    if dump.python_graph is None:
        raise ValueError("Cannot perform source annotation due to a lack of set Python graph in the dump object")
    source_path = os.path.abspath(source_file_path)
    found: dict[int, list[str]] = {}
    for operation in dump.python_graph.get_operations():
        lines = [row[1] for row in reversed(operation.traceback) if os.path.abspath(row[0]) == source_path]
        if not lines:
            continue
        names = [operation.name]
        if do_dumped_tensors:
            data = [datum for key in dump.debug_watch_keys(operation.name) for datum in dump.watch_key_to_data(key)]
            names = list(dict.fromkeys(datum.tensor_name for datum in data))
        for line in lines[:1] if file_stack_top else dict.fromkeys(lines):
            found.setdefault(line, []).extend(names)
    return found


def annotated_lines(dump: DebugDumpDir, path: str, tensors: bool, most: int, begin: int) -> list[str]:
    """A file from line `begin` with its lines numbered, and below each the names of what it has made."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read().split("\n")
    except OSError as error:
        raise CommandError(f"Source path neither exists nor can be read: {path} ({error})") from error
    made = annotate_source(dump, path, tensors)
    width = len(str(len(text))) + 3
    lines = []
    for number, line in enumerate(text, 1):
        if number < begin:
            continue
        lines.append(f"{f'L{number}':<{width}}{line}")
        names = sorted(made.get(number, ()))
        lines += [f"    {name}" for name in names[:most]]
        if len(names) > most:
            what = "tensor(s)" if tensors else "op(s)"
            lines.append(f"    (... Omitted {len(names) - most} of {len(names)} {what} ...) +5")
    return lines


def source_table(dump: DebugDumpDir, path_filter: str, node_filter: str) -> list[tuple[str, str, str, str]]:
    """For each source file, how many nodes and tensors it has made, and how many of them were dumped."""
    graph: Graph = dump.python_graph
    counts: dict[str, list[int]] = {}
    for operation in graph.get_operations() if graph is not None else ():
        if node_filter and not re.match(node_filter, operation.name):
            continue
        dumps = sum(len(dump.watch_key_to_data(key)) for key in dump.debug_watch_keys(operation.name))
        for path in {os.path.abspath(row[0]) for row in operation.traceback}:
            if path_filter and not re.match(path_filter, path):
                continue
            row = counts.setdefault(path, [0, 0, 0])
            row[0] += 1
            row[1] += len(operation.outputs)
            row[2] += dumps
    return [(path, str(row[0]), str(row[1]), str(row[2])) for path, row in sorted(counts.items())]


UNCOMPILED_SOURCE_SUFFIXES = (".py",)
COMPILED_SOURCE_SUFFIXES = (".pyc", ".pyo")
_OWN_FILES = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def is_extension_uncompiled_python_source(file_path: str) -> bool:
    """Whether a file is one of Python source, by its name."""
    return os.path.splitext(file_path)[1].lower() in UNCOMPILED_SOURCE_SUFFIXES


def is_extension_compiled_python_source(file_path: str) -> bool:
    """Whether a file is one of compiled Python, by its name."""
    return os.path.splitext(file_path)[1].lower() in COMPILED_SOURCE_SUFFIXES


def guess_is_tensorflow_py_library(py_file_path: str) -> bool:
    """Whether a file is one of this library, not of the program.

    Raises:
        ValueError: if it is none of Python.
    """
    if not is_extension_uncompiled_python_source(py_file_path) and not is_extension_compiled_python_source(
        py_file_path
    ):
        raise ValueError(f"Input file path ({py_file_path}) is not a Python source file.")
    return os.path.abspath(py_file_path).startswith(_OWN_FILES) and not py_file_path.endswith("_test.py")


def load_source(source_file_path: str) -> tuple[list[str], int]:
    """The lines of a file, and how wide the column of their numbers should be."""
    with open(source_file_path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return lines, math.ceil(math.log10(len(lines))) + 3


def list_source_files_against_dump(
    dump: DebugDumpDir, path_regex_whitelist: str | None = None, node_name_regex_whitelist: str | None = None
) -> list[tuple[str, bool, int, int, int, int]]:
    """The source files that have made nodes of a dump's graph.

    Args:
        dump: a dump that knows the `tf.Graph`.
        path_regex_whitelist: regular expression for paths.
        node_name_regex_whitelist: regular expression for nodes' names.

    Returns:
        for each file its path, whether it is one of this library, how many nodes and tensors it has made, how many
        values of them were dumped, and the first line that made any.

    Raises:
        ValueError: if the dump does not know the graph.
    """
    if dump.python_graph is None:
        raise ValueError("Cannot generate source list due to a lack of set Python graph in the dump object")
    counts: dict[str, list[int]] = {}
    for operation in dump.python_graph.get_operations():
        if node_name_regex_whitelist and not re.match(node_name_regex_whitelist, operation.name):
            continue
        dumps = sum(len(dump.watch_key_to_data(key)) for key in dump.debug_watch_keys(operation.name))
        first: dict[str, int] = {}
        for row in operation.traceback:
            path = os.path.abspath(row[0])
            first[path] = min(row[1], first.get(path, row[1]))
        for path, line in first.items():
            if not os.path.isfile(path) or (path_regex_whitelist and not re.match(path_regex_whitelist, path)):
                continue
            row = counts.setdefault(path, [0, 0, 0, line])
            row[:] = [row[0] + 1, row[1] + len(operation.outputs), row[2] + dumps, min(row[3], line)]
    return [
        (path, guess_is_tensorflow_py_library(path), row[0], row[1], row[2], row[3])
        for path, row in sorted(counts.items())
    ]
