"""How long the nodes of a traced run took: as tables, a device each, and beside the lines that made them."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.debug.cli.analyzer import AnalyzerUI
from headrace.debug.cli.menus import MenuItem
from headrace.debug.cli.reading import Interval, parse_time_interval
from headrace.debug.cli.rich_text import (
    INIT_SCROLL_POS_KEY,
    RichLine,
    RichTextLines,
    rich_text_lines_from_rich_line_list,
)
from headrace.debug.parsing import Arguments, CommandError
from headrace.debug.profiling import AggregateProfile, ProfileDatum, annotate_source_against_profile
from headrace.debug.sources import load_source
from headrace.debug.terminal import Settings
from headrace.debug.values import time_to_readable_str

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.messages import protos

SORT_OPS_BY_OP_NAME = "node"
SORT_OPS_BY_OP_TYPE = "op_type"
SORT_OPS_BY_OP_TIME = "op_time"
SORT_OPS_BY_EXEC_TIME = "exec_time"
SORT_OPS_BY_START_TIME = "start_time"
SORT_OPS_BY_LINE = "line"

_SORTS = (
    *(SORT_OPS_BY_OP_NAME, SORT_OPS_BY_OP_TYPE, SORT_OPS_BY_START_TIME),
    *(SORT_OPS_BY_OP_TIME, SORT_OPS_BY_EXEC_TIME, SORT_OPS_BY_LINE),
)

# What stands in front of a line of source: a bar of its share, between brackets.
_BAR = 10
_EXECUTIONS = "(#execs) "
_HEADS = 2
_NO_NODES = ("_SOURCE", "_SINK")
_FILTERS = ("device_name_filter", "node_name_filter", "op_type_filter")


class ProfileDataTableView:
    """Executions of nodes as the rows of a table.

    Args:
        profile_datum_list: the executions.
        time_unit: the unit of times: "us", "ms" or "s".
    """

    def __init__(self, profile_datum_list: Sequence[ProfileDatum], time_unit: str = "us") -> None:
        self._data = profile_datum_list
        self.formatted_start_time = [datum.start_time for datum in profile_datum_list]
        self.formatted_op_time = [time_to_readable_str(datum.op_time, time_unit) for datum in profile_datum_list]
        self.formatted_exec_time = [time_to_readable_str(datum.exec_time, time_unit) for datum in profile_datum_list]
        self._columns = (
            ("Node", SORT_OPS_BY_OP_NAME),
            ("Op Type", SORT_OPS_BY_OP_TYPE),
            ("Start Time (us)", SORT_OPS_BY_START_TIME),
            (f"Op Time ({time_unit})", SORT_OPS_BY_OP_TIME),
            (f"Exec Time ({time_unit})", SORT_OPS_BY_EXEC_TIME),
            ("Filename:Lineno(function)", SORT_OPS_BY_LINE),
        )

    def value(
        self,
        row: int,
        col: int,
        device_name_filter: str | None = None,
        node_name_filter: str | None = None,
        op_type_filter: str | None = None,
    ) -> RichLine:
        """What stands in a cell; that of the last column leads to the source.

        Args:
            row, col: where.
            device_name_filter, node_name_filter, op_type_filter: what the source is to be shown with.

        Raises:
            IndexError: if there is no such column.
        """
        datum = self._data[row]
        texts = (
            datum.node_exec_stats.node_name,
            datum.op_type,
            str(self.formatted_start_time[row]),
            self.formatted_op_time[row],
            self.formatted_exec_time[row],
        )
        if col < len(texts):
            return RichLine(texts[col])
        if col != len(texts):
            raise IndexError(f"Invalid column index {col}.")
        given = (device_name_filter, node_name_filter, op_type_filter)
        options = "".join(f"--{name} {value} " for name, value in zip(_FILTERS, given, strict=True) if value)
        return RichLine(
            datum.file_line_func, MenuItem(None, f"ps {options}{datum.file_path} --init_line {datum.line_number}")
        )

    def row_count(self) -> int:
        """How many rows there are."""
        return len(self._data)

    def column_count(self) -> int:
        """How many columns there are."""
        return len(self._columns)

    def column_names(self) -> list[str]:
        """What the columns are called."""
        return [name for name, _ in self._columns]

    def column_sort_id(self, col: int) -> str:
        """What rows are sorted by that are in the order of a column."""
        return self._columns[col][1]


def list_profile_filter(
    profile_datum: ProfileDatum,
    node_name_regex: re.Pattern[str] | None,
    file_path_regex: re.Pattern[str] | None,
    op_type_regex: re.Pattern[str] | None,
    op_time_interval: Interval | None,
    exec_time_interval: Interval | None,
    min_lineno: int = -1,
    max_lineno: int = -1,
) -> bool:
    """Whether an execution is among those asked for; what is None, or no line, asks for nothing.

    Args:
        profile_datum: the execution.
        node_name_regex, file_path_regex, op_type_regex: what the beginnings of names must match.
        op_time_interval, exec_time_interval: where its times must lie, in microseconds.
        min_lineno, max_lineno: the first line that counts and the first after it that does not; nodes of no known line do.
    """
    for pattern, text in (
        (node_name_regex, profile_datum.node_exec_stats.node_name),
        (file_path_regex, profile_datum.file_path),
        (op_type_regex, profile_datum.op_type),
    ):
        if pattern is not None and not pattern.match(text):
            return False
    for interval, time in ((op_time_interval, profile_datum.op_time), (exec_time_interval, profile_datum.exec_time)):
        if interval is not None and not interval.contains(time):
            return False
    line = profile_datum.line_number
    if not line:
        return True
    return not ((min_lineno > 0 and line < min_lineno) or (0 < max_lineno <= line))


def list_profile_sort_key(profile_datum: ProfileDatum, sort_by: str) -> Any:
    """What an execution is sorted by; when it began, where the key is none, as 1.15's does."""
    keys: dict[str, Callable[[], Any]] = {
        SORT_OPS_BY_OP_NAME: lambda: profile_datum.node_exec_stats.node_name,
        SORT_OPS_BY_OP_TYPE: lambda: profile_datum.op_type,
        SORT_OPS_BY_LINE: lambda: profile_datum.file_line_func,
        SORT_OPS_BY_OP_TIME: lambda: profile_datum.op_time,
        SORT_OPS_BY_EXEC_TIME: lambda: profile_datum.exec_time,
    }
    return keys.get(sort_by, lambda: profile_datum.start_time)()


def _list_arguments() -> Arguments:
    arguments = Arguments("List nodes with the time each took.")
    arguments.add_argument("-d", "--device_name_filter", default="", help="regular expression for devices' names")
    arguments.add_argument("-n", "--node_name_filter", default="", help="regular expression for nodes' names")
    arguments.add_argument("-t", "--op_type_filter", default="", help="regular expression for op types")
    arguments.add_argument("-f", "--file_path_filter", default="", help="regular expression for the program's files")
    arguments.add_argument("--min_lineno", type=int, default=-1, help="the first line of these that counts")
    arguments.add_argument("--max_lineno", type=int, default=-1, help="the first line behind those that count")
    arguments.add_argument(
        "-e", "--execution_time", default="", help='interval of the whole time: ">1ms" or "[100us, 2s)"'
    )
    arguments.add_argument("-o", "--op_time", default="", help="interval of the time of the kernel")
    arguments.add_argument(
        "-s", "--sort_by", default=SORT_OPS_BY_START_TIME, help="node, op_type, start_time, op_time, exec_time or line"
    )
    arguments.add_argument("-r", "--reverse", action="store_true", help="sort in reverse")
    arguments.add_argument("--time_unit", default="us", help="us, ms or s")
    return arguments


def _source_arguments() -> Arguments:
    arguments = Arguments("Print a source file with the time that the nodes of its lines took.")
    arguments.add_argument("source_file_path", help="the file")
    arguments.add_argument(
        "--cost_type", choices=("exec_time", "op_time"), default="exec_time", help="which time: all, or of the kernels"
    )
    arguments.add_argument("--time_unit", default="us", help="us, ms or s")
    arguments.add_argument("-d", "--device_name_filter", default="", help="regular expression for devices' names")
    arguments.add_argument("-n", "--node_name_filter", default="", help="regular expression for nodes' names")
    arguments.add_argument("-t", "--op_type_filter", default="", help="regular expression for op types")
    arguments.add_argument("--init_line", type=int, default=0, help="the line to scroll to")
    return arguments


class ProfileAnalyzer:
    """Shows how long the nodes of a run took.

    Args:
        graph: the graph that ran, which knows where nodes were made.
        run_metadata: the `RunMetadata` of a run with FULL_TRACE.

    Example:
        ProfileAnalyzer(graph, run_metadata).list_profile(["-s", "op_time", "-r"]).lines
    """

    def __init__(self, graph: Graph, run_metadata: protos.RunMetadata) -> None:
        self._graph = graph
        self._run_metadata = run_metadata
        self._arguments = {"list_profile": _list_arguments(), "print_source": _source_arguments()}

    def all_commands(self) -> list[tuple[str, str, Callable[[argparse.Namespace], list[str]], Arguments]]:
        """Each command: its name, a short one, what carries it out, and its arguments."""
        return [
            (name, short, self._lines_of(show), self._arguments[name])
            for name, short, show in (("list_profile", "lp", self._listed), ("print_source", "ps", self._annotated))
        ]

    @staticmethod
    def _lines_of(show: Callable[[argparse.Namespace], RichTextLines]) -> Callable[[argparse.Namespace], list[str]]:
        def lines(parsed: argparse.Namespace) -> list[str]:
            try:
                shown = show(parsed)
                # Where nothing is scrolled, the lines before the one that was asked for are left out, but for the heads.
                first = shown.annotations.get(INIT_SCROLL_POS_KEY, 0)
                return [*shown.lines[:_HEADS], *shown.lines[first:]] if first > _HEADS else shown.lines
            except (ValueError, re.error, OSError) as problem:
                raise CommandError(str(problem)) from problem

        return lines

    def get_help(self, handler_name: str) -> str:
        """What there is to say about a command."""
        return self._arguments[handler_name].format_help()

    def _parsed(self, name: str, args: Sequence[str]) -> argparse.Namespace:
        try:
            return self._arguments[name].parse_args(list(args))
        except CommandError as problem:
            # As argparse ends where arguments do not fit.
            raise SystemExit(2) from problem

    def list_profile(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """The nodes with their times, a table a device.

        Args:
            args: the options, as `get_help("list_profile")` tells them.
            screen_info: the screen's "cols".

        Raises:
            SystemExit: if the options do not fit; ValueError: if an interval or a unit is none.
        """
        columns = (screen_info or {}).get("cols", 80)
        return self._listed(self._parsed("list_profile", args), columns)

    def print_source(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """A source file with the times of the nodes that its lines made.

        Args:
            args: the file and the options, as `get_help("print_source")` tells them.
            screen_info: not asked for anything.

        Raises:
            SystemExit: if the options do not fit.
        """
        return self._annotated(self._parsed("print_source", args))

    # ---- list_profile ----

    def _listed(self, parsed: argparse.Namespace, columns: int = 80) -> RichTextLines:
        node, file, op_type = (
            re.compile(text) if text else None
            for text in (parsed.node_name_filter, parsed.file_path_filter, parsed.op_type_filter)
        )
        op_time, whole_time = (
            parse_time_interval(text) if text else None for text in (parsed.op_time, parsed.execution_time)
        )
        first, last = parsed.min_lineno, parsed.max_lineno
        if parsed.sort_by not in _SORTS:
            raise ValueError(f"Unsupported key to sort by: {parsed.sort_by}; use {', '.join(_SORTS)}.")
        lines: list[RichLine | str] = [""]
        devices = self._run_metadata.step_stats.dev_stats
        for number, device in enumerate(devices, start=1):
            if parsed.device_name_filter and not re.match(parsed.device_name_filter, device.device):
                continue
            data = [
                datum
                for datum in self._data_of(device)
                if list_profile_filter(datum, node, file, op_type, op_time, whole_time, first, last)
            ]
            data.sort(key=lambda datum: list_profile_sort_key(datum, parsed.sort_by), reverse=parsed.reverse)
            lines += ["-" * columns, f"Device {number} of {len(devices)}: {device.device}", ""]
            lines += _table(data, parsed)
        return rich_text_lines_from_rich_line_list(lines)

    def _data_of(self, device: Any) -> list[ProfileDatum]:
        """The executions on a device, with what the graph knows of the nodes."""
        operations = {operation.name: operation for operation in self._graph.get_operations()}
        data = []
        for stats in device.node_stats:
            if stats.node_name in _NO_NODES:
                continue
            path, line, function, op_type = "", 0, "", ""
            operation = operations.get(stats.node_name)
            if operation is not None:
                op_type = operation.type
                if operation.traceback:
                    path, line, function = operation.traceback[-1][:3]
            data.append(ProfileDatum(device.device, stats, path, line, function, op_type))
        return data

    # ---- print_source ----

    def _annotated(self, parsed: argparse.Namespace) -> RichTextLines:
        data = [
            datum
            for device in self._run_metadata.step_stats.dev_stats
            if not parsed.device_name_filter or re.match(parsed.device_name_filter, device.device)
            for datum in self._data_of(device)
        ]
        profiles = annotate_source_against_profile(
            data,
            os.path.expanduser(parsed.source_file_path),
            node_name_filter=parsed.node_name_filter,
            op_type_filter=parsed.op_type_filter,
        )
        if not profiles:
            given = [f"  --{name}: {getattr(parsed, name)}" for name in _FILTERS]
            missing = (
                f"The source file {parsed.source_file_path} does not contain any profile information for the "
                "previous Session run under the following filters:"
            )
            return RichTextLines([missing, *given])
        source, width = load_source(parsed.source_file_path)
        cost = f"total_{parsed.cost_type}"
        most = max(getattr(profile, cost) for profile in profiles.values())
        before = _BAR + 3
        widths = (before, len(parsed.cost_type) + 3, len(_EXECUTIONS))
        annotations = {INIT_SCROLL_POS_KEY: parsed.init_line + 1} if 0 < parsed.init_line <= len(source) else None
        lines: list[RichLine | str] = [
            RichLine(" " * before + parsed.cost_type.ljust(widths[1]) + "#nodes".ljust(widths[2]), "cyan")
            + RichLine("lineno", "yellow"),
            RichLine(" " * sum(widths[:2]) + _EXECUTIONS + " " * width, "cyan") + RichLine("source", "bold"),
        ]
        for number, text in enumerate(source, start=1):
            told = RichLine(" " * sum(widths))
            if number in profiles:
                told = _told(profiles[number], getattr(profiles[number], cost), most, number, widths, parsed)
            lines.append(told + _padded(RichLine(f" L{number}", "yellow"), width) + text)
        return rich_text_lines_from_rich_line_list(lines, annotations)


def _padded(line: RichLine, width: int) -> RichLine:
    return line + " " * max(0, width - len(line))


def _told(
    profile: AggregateProfile, time: int, most: int, number: int, widths: Sequence[int], parsed: argparse.Namespace
) -> RichLine:
    """What stands in front of a line of source that made nodes."""
    filled = math.ceil(_BAR * time / most) if most else 0
    told = RichLine("[", "cyan") + RichLine(("|" * filled).ljust(_BAR), ["bold", "cyan"]) + RichLine("]", "cyan") + " "
    told += _padded(RichLine(time_to_readable_str(time, parsed.time_unit), "cyan"), widths[1])
    shown = (
        f"lp --file_path_filter {re.escape(parsed.source_file_path)}$ --min_lineno {number} --max_lineno {number + 1}"
    )
    for name in _FILTERS:
        if getattr(parsed, name):
            shown += f" --{name} {getattr(parsed, name)}"
    nodes = f"{profile.node_count}({profile.node_exec_count})"
    return told + _padded(RichLine(nodes, ["cyan", MenuItem(None, shown)]), widths[2])


def _table(data: Sequence[ProfileDatum], parsed: argparse.Namespace) -> list[RichLine | str]:
    """The table of a device, with the sums of its times below."""
    view = ProfileDataTableView(data, parsed.time_unit)
    filters = {name: getattr(parsed, name) for name in _FILTERS}
    columns = range(view.column_count())
    rows = [[view.value(row, col, **filters) for col in columns] for row in range(view.row_count())]
    header = []
    for col, name in zip(columns, view.column_names(), strict=True):
        key = view.column_sort_id(col)
        again = " -r" if key == parsed.sort_by and not parsed.reverse else ""
        header.append(RichLine(name, [MenuItem(None, f"list_profile -s {key}{again}"), "bold"]))
    op_time = time_to_readable_str(sum(datum.op_time for datum in data), parsed.time_unit)
    exec_time = time_to_readable_str(sum(datum.exec_time for datum in data), parsed.time_unit)
    # The sums stand a column before the times they are of, as 1.15 prints them and programs read them.
    totals = [RichLine(text) for text in ("Device Total", "", op_time, exec_time)]
    widths = [2 + max(len(row[col]) for row in (header, *rows, totals) if col < len(row)) for col in columns]

    def joined(cells: Sequence[RichLine]) -> RichLine:
        line = RichLine()
        for cell, width in zip(cells, widths, strict=False):
            line += _padded(cell, width)
        return line

    return [joined(header), *map(joined, rows), "", joined(totals)]


def create_profiler_ui(
    graph: Graph,
    run_metadata: protos.RunMetadata,
    ui_type: str = "curses",
    on_ui_exit: Callable[[], Any] | None = None,
    config: Settings | None = None,
) -> AnalyzerUI:
    """A prompt that shows how long the nodes of a run took.

    Args:
        graph: the graph that ran.
        run_metadata: the `RunMetadata` of a run with FULL_TRACE.
        ui_type: "curses" for the whole screen where there is one, "readline" for a line.
        on_ui_exit: called when the prompt has ended.
        config: the settings.

    Example:
        create_profiler_ui(sess.graph, run_metadata, ui_type="readline").run_ui("list_profile")
    """
    ui = AnalyzerUI(config if config is not None else Settings(), ui_type)
    ui.on_ui_exit = on_ui_exit
    for name, short, handler, arguments in ProfileAnalyzer(graph, run_metadata).all_commands():
        ui.register(name, handler, arguments, [short])
    return ui
