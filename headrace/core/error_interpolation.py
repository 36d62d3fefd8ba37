"""Messages that name nodes as `{{node NAME}}`, told with the lines of the program that made them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.core.graph import Graph
from headrace.core.operation import Operation

if TYPE_CHECKING:
    from tensorboard.compat.proto.graph_debug_info_pb2 import GraphDebugInfo


_WORD = r"[A-Za-z0-9_.][A-Za-z0-9_.\-/]*?"
_TAG = re.compile(rf"\{{\{{({_WORD}) ({_WORD})\}}\}}")
# Frames of such files are not the program's own.
_BAD_FILE_SUBSTRINGS = [
    *(os.path.join("tensorflow", part) for part in ("python", "contrib")),
    *(os.path.join("tensorflow_estimator", part) for part in ("python", "contrib")),
    "<embedded",
]

Row = tuple[str, int, str, "str | None"]


class _ParseTag(NamedTuple):
    """What stands between the braces: `{{type name}}`."""

    type: str
    name: str


def parse_message(message: str) -> tuple[list[str], list[_ParseTag]]:
    """The text around the tags of a message, and the tags.

    Example:
        >>> parse_message("123{{node a/b}}456")
        (['123', '456'], [_ParseTag(type='node', name='a/b')])
    """
    parts = _TAG.split(message)
    return parts[::3], [_ParseTag(*pair) for pair in zip(parts[1::3], parts[2::3], strict=True)]


def _indented(name: str, scopes: Iterable[tuple[str, Any]], what: str, call: str, prefix: str) -> str:
    rows = [f"{prefix}  with {call}({shown}): <{place.filename}:{place.lineno}>" for shown, place in scopes]
    if not rows:
        return f"{prefix}No {what} were active during op '{name}' creation."
    return "\n".join([f"{prefix}{what[0].upper()}{what[1:]} active during op '{name}' creation:", *rows])


def _compute_device_summary_from_list(name: str, device_assignment_list: Sequence[Any], prefix: str = "") -> str:
    """The device scopes an operation was made in, a line each."""
    scopes = [(traced.obj, traced) for traced in device_assignment_list]
    return _indented(name, scopes, "device assignments", "tf.device", prefix)


def _compute_device_assignment_summary_from_op(op: Operation, prefix: str = "") -> str:
    return _compute_device_summary_from_list(op.name, op._device_assignments, prefix)


def _compute_colocation_summary_from_dict(name: str, colocation_dict: dict[str, Any], prefix: str = "") -> str:
    """The colocation scopes an operation was made in, a line each."""
    return _indented(name, colocation_dict.items(), "node-device colocations", "tf.colocate_with", prefix)


def _compute_colocation_summary_from_op(op: Operation, prefix: str = "") -> str:
    return _compute_colocation_summary_from_dict(op.name, op._colocation_dict, prefix)


def _find_index_of_defining_frame_for_op(op: Operation) -> int:
    """Where in `op.traceback` the innermost frame of the program stands; 0 where there is none."""
    rows = op.traceback
    for index in reversed(range(len(rows))):
        if not any(bad in rows[index][0] for bad in _BAD_FILE_SUBSTRINGS):
            return index
    return 0


def _get_defining_frame_from_op(op: Operation) -> Row:
    row: Row = op.traceback[_find_index_of_defining_frame_for_op(op)]
    return row


def _compute_useful_frames(op: Operation, num: int) -> list[Row]:
    """Up to `num` frames: those that led to the defining one, and two below it."""
    end = min(_find_index_of_defining_frame_for_op(op) + 3, len(op.traceback))
    return list(op.traceback[max(end - num, 0) : end])


def create_graph_debug_info_def(operations: Iterable[tuple[str, Operation]]) -> GraphDebugInfo:
    """A `GraphDebugInfo` message: for each operation the lines that led to it.

    Args:
        operations: pairs of a function's name ("" outside of functions) and an operation.
    """
    from tensorboard.compat.proto.graph_debug_info_pb2 import GraphDebugInfo

    frames = {function + op.name: _compute_useful_frames(op, 10) for function, op in operations}
    message = GraphDebugInfo()
    numbers = {name: i for i, name in enumerate(sorted({row[0] for rows in frames.values() for row in rows}))}
    message.files.extend(numbers)
    for name, rows in frames.items():
        for row in reversed(rows):
            message.traces[name].file_line_cols.add(file_index=numbers[row[0]], line=row[1])
    return message


def compute_field_dict(op: Operation, strip_file_prefix: str = "") -> dict[str, Any]:
    """What can be told of the place where an operation was made.

    Args:
        op: the operation.
        strip_file_prefix: what is taken from the beginning of the file's name.

    Returns:
        "file", "line", "defined_at" (" (defined at FILE:LINE)"), "colocations", "devices", and both as
        "devs_and_colocs".
    """
    filename, line = _get_defining_frame_from_op(op)[:2]
    filename = filename.removeprefix(strip_file_prefix)
    colocations, devices = _compute_colocation_summary_from_op(op), _compute_device_assignment_summary_from_op(op)
    return {
        "file": filename,
        "line": line,
        "defined_at": f" (defined at {filename}:{line})",
        "colocations": colocations,
        "devices": devices,
        "devs_and_colocs": f"{colocations}\n{devices}",
    }


def traceback_files_common_prefix(all_ops: Iterable[Sequence[Operation] | None]) -> str:
    """The folder that all files in the tracebacks of some lists of operations share."""
    rows = (row for ops in all_ops if ops is not None for op in ops for row in op.traceback)
    files = {row[0] for row in rows if "<embedded" not in row[0]}
    if len(files) > 1 and all(map(os.path.isabs, files)):
        return os.path.commonpath(files)
    return os.path.dirname(next(iter(files))) if len(files) == 1 else ""


def _sources_for_node(op: Operation) -> list[Operation]:
    return list(dict.fromkeys([*(tensor.op for tensor in op.inputs), *op.control_inputs]))


def _of_node(op: Operation, sources: Sequence[Operation], prefix: str) -> tuple[str, str]:
    """What stands for `{{node NAME}}`, and what is added at the end of its inputs; each line of a program once."""
    defined = compute_field_dict(op, prefix)["defined_at"]
    places = {defined: ""}
    for source in sources:
        place = compute_field_dict(source, prefix)["defined_at"]
        places.setdefault(place, f" {source.name}{place}")
    texts = [text for text in places.values() if text]
    end = f"\nInput Source operations connected to node {op.name}:\n" + "\t\n".join(texts) if texts else ""
    return f"node {op.name}{defined} ", end


def interpolate(error_message: str, graph: Graph) -> str:
    """A message with its tags replaced by where the nodes they name were made.

    Args:
        error_message: the text; `{{node NAME}}`, `{{colocation_node NAME}}` and `{{function_node NAME}}` are replaced,
            except where the graph has no such operation.
        graph: the graph of the nodes.
    """
    texts, tags = parse_message(error_message)
    known = [graph._nodes_by_name.get(tag.name) for tag in tags]
    sources = [None if op is None else [op, *_sources_for_node(op)] for op in known]
    prefix = traceback_files_common_prefix(sources)
    segments, ends, colocations = [texts[0]], [], []
    for tag, ops, after in zip(tags, sources, texts[1:], strict=True):
        shown = f"{{{{{tag.type} {tag.name}}}}}"
        if tag.type == "function_node":
            shown = ""
        elif ops is not None and tag.type == "node":
            shown, end = _of_node(ops[0], ops[1:], prefix)
            ends.extend([end] if end else [])
        elif ops is not None and tag.type == "colocation_node":
            fields = compute_field_dict(ops[0], prefix)
            shown = f"node {ops[0].name}{fields['defined_at']} placed on device {fields['devices']} "
            colocations.append(fields["devs_and_colocs"])
        segments += [shown, after]
    if ends:
        segments += ["\n\nErrors may have originated from an input operation.", "\n".join(ends)]
    if colocations:
        segments += ["Additional information about colocations:", "\n".join(colocations)]
    return "".join(segments)
