"""How long the nodes of a run took, by the lines of the source that made them."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any


class ProfileDatum:
    """One execution of a node.

    Args:
        device_name: where it ran.
        node_exec_stats: its `NodeExecStats`.
        file_path, line_number, func_name: where the program made it.
        op_type: its type.

    Attributes:
        start_time, op_time: when it began, and how long its kernel ran, in microseconds.
        file_line_func: where the program made it, as text.
    """

    def __init__(
        self,
        device_name: str,
        node_exec_stats: Any,
        file_path: str,
        line_number: int,
        func_name: str,
        op_type: str,
    ) -> None:
        self.device_name = device_name
        self.node_exec_stats = node_exec_stats
        self.file_path = file_path
        self.line_number = line_number
        self.func_name = func_name
        self.file_line_func = f"{os.path.basename(file_path)}:{line_number}({func_name})" if file_path else ""
        self.op_type = op_type
        self.start_time = node_exec_stats.all_start_micros
        self.op_time = node_exec_stats.op_end_rel_micros - node_exec_stats.op_start_rel_micros

    @property
    def exec_time(self) -> int:
        """How long it took with all around its kernel, in microseconds."""
        return int(self.node_exec_stats.all_end_rel_micros)


class AggregateProfile:
    """What several executions took together.

    Args:
        profile_datum: the first of them.

    Attributes:
        total_op_time, total_exec_time: microseconds, in kernels and with all around them.
    """

    def __init__(self, profile_datum: ProfileDatum) -> None:
        self.total_op_time = 0
        self.total_exec_time = 0
        self._counts: Counter[str] = Counter()
        self.add(profile_datum)

    def add(self, profile_datum: ProfileDatum) -> None:
        """Counts one more."""
        self.total_op_time += profile_datum.op_time
        self.total_exec_time += profile_datum.exec_time
        self._counts[f"{profile_datum.device_name}:{profile_datum.node_exec_stats.node_name}"] += 1

    @property
    def node_count(self) -> int:
        """How many nodes they were of."""
        return len(self._counts)

    @property
    def node_exec_count(self) -> int:
        """How many there were."""
        return self._counts.total()


def annotate_source_against_profile(
    profile_data: Iterable[ProfileDatum],
    source_file_path: str,
    node_name_filter: str | None = None,
    op_type_filter: str | None = None,
    min_line: int | None = None,
    max_line: int | None = None,
) -> dict[int, AggregateProfile]:
    """For each line of a file, what the nodes that it made took.

    Args:
        profile_data: the executions.
        source_file_path: the file.
        node_name_filter, op_type_filter: regular expressions for those that count.
        min_line, max_line: the first line that counts, and the first that does not count any more.
    """
    source_path = os.path.abspath(source_file_path)
    found: dict[int, AggregateProfile] = {}
    for datum in profile_data:
        if not datum.file_path or os.path.abspath(datum.file_path) != source_path:
            continue
        line = datum.line_number
        if (min_line is not None and line < min_line) or (max_line is not None and line >= max_line):
            continue
        if node_name_filter and not re.match(node_name_filter, datum.node_exec_stats.node_name):
            continue
        if op_type_filter and not re.match(op_type_filter, datum.op_type):
            continue
        if line in found:
            found[line].add(datum)
        else:
            found[line] = AggregateProfile(datum)
    return found
