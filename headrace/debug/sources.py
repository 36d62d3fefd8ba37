"""Where in the program's source the nodes of a run were made."""

from __future__ import annotations

import os
import re
from typing import Any

from headrace.debug.dump_dir import DebugDumpDir
from headrace.debug.parsing import CommandError


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
    wanted = os.path.abspath(source_file_path)
    found: dict[int, list[str]] = {}
    for operation in dump.python_graph.get_operations():
        lines = [row[1] for row in reversed(operation.traceback) if os.path.abspath(row[0]) == wanted]
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
    """A file with its lines numbered, and below each the names of what it has made."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read().split("\n")
    except OSError as error:
        raise CommandError(f"Source path neither exists nor can be read: {path} ({error})") from None
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
            lines.append(f"    (... Omitted {len(names) - most} of {len(names)} {what} ...) -m {most + 5}")
    return lines


def source_table(dump: DebugDumpDir, path_filter: str, node_filter: str) -> list[tuple[str, str, str, str]]:
    """For each source file, how many nodes and tensors it has made, and how many of them were dumped."""
    graph: Any = dump.python_graph
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
    return [(path, *map(str, row)) for path, row in sorted(counts.items())]  # type: ignore[misc]
