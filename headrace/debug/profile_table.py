"""The nodes of a traced run with the time each took, as text."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from headrace.debug.parsing import CommandError
from headrace.debug.values import time_to_readable_str

if TYPE_CHECKING:
    import argparse

    from headrace.core.graph import Graph
    from headrace.messages import protos


_SORTS = {"start": 3, "time": 4, "node": 0, "op_type": 1}


def profile_lines(step_stats: protos.StepStats, graph: Graph, parsed: argparse.Namespace) -> list[str]:
    """A table a device.

    Args:
        step_stats: from the `RunMetadata` of a run with FULL_TRACE.
        graph: the `tf.Graph`, which knows where nodes were made.
        parsed: `node_name_filter`, `op_type_filter`, `sort_by` and `reverse`.
    """
    if parsed.sort_by not in _SORTS:
        raise CommandError(f"Unsupported key to sort by: {parsed.sort_by}; use {', '.join(_SORTS)}.")
    lines = []
    operations = {operation.name: operation for operation in graph.get_operations()}
    for device in step_stats.dev_stats:
        first = min((node.all_start_micros for node in device.node_stats), default=0)
        rows = []
        for node in device.node_stats:
            operation = operations.get(node.node_name)
            op_type = operation.type if operation is not None else ""
            if parsed.node_name_filter and not re.match(parsed.node_name_filter, node.node_name):
                continue
            if parsed.op_type_filter and not re.match(parsed.op_type_filter, op_type):
                continue
            place = ""
            if operation is not None and operation.traceback:
                path, line, function, _ = operation.traceback[-1]
                place = f"{os.path.basename(path)}:{line}({function})"
            start, took = node.all_start_micros - first, node.op_end_rel_micros
            rows.append((node.node_name, op_type, place, start, took))
        rows.sort(key=lambda row: row[_SORTS[parsed.sort_by]], reverse=parsed.reverse)
        total = sum(row[4] for row in rows)
        texts = [("Node", "Op type", "Filename:Line(function)", "Start Time", "Op Time")]
        texts += [(n, o, p, time_to_readable_str(s), time_to_readable_str(t)) for n, o, p, s, t in rows]
        widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        lines += [f"Device: {device.device}", f"Total of Op Time: {time_to_readable_str(total)}", ""]
        lines += [
            " ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in texts
        ]
        lines.append("")
    return lines or ["No times were recorded."]
