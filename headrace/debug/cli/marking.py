"""What is drawn bold, and what can be clicked on, in what the commands that look into a dump have to say."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.debug.cli.menus import MenuItem
from headrace.debug.cli.rich_text import INIT_SCROLL_POS_KEY, RichTextLines, Segment
from headrace.debug.cli.tensors import label_segments, notes_of
from headrace.debug.dump_dir import DebugDumpDir

Marks = dict[int, list[Segment]]

_SORTED_BY = (
    ("t (ms)", "timestamp"),
    ("Size (B)", "dump_size"),
    ("Op type", "op_type"),
    ("Tensor name", "tensor_name"),
)


def _command(text: str, *more: str) -> Any:
    item = MenuItem(None, text)
    return [item, *more] if more else item


def _of_tensors(lines: Sequence[str], parsed: argparse.Namespace, dump: DebugDumpDir) -> Marks:
    """The header sorts, and sorts the other way round what is sorted already; a name prints its tensor."""
    place = next((number for number, line in enumerate(lines) if line.startswith("t (ms)")), None)
    if place is None:
        return {}
    command = "list_tensors"
    for option, value in (
        ("-f", parsed.tensor_filter),
        ("-t", parsed.op_type_filter),
        ("-n", parsed.node_name_filter),
    ):
        if value:
            command += f" {option} {value}"
    header: list[Segment] = []
    for caption, key in _SORTED_BY:
        start = lines[place].index(caption)
        again = " -r" if key == parsed.sort_by and not parsed.reverse else ""
        header.append((start, start + len(caption), _command(f"{command} -s {key}{again}", "bold")))
    marks: Marks = {place: header}
    first = header[-1][0]
    for number in range(place + 1, len(lines)):
        name = lines[number][first:]
        if name:
            marks[number] = [(first, first + len(name), _command(f"pt {name}"))]
    return marks


def _of_node(lines: Sequence[str], parsed: argparse.Namespace, dump: DebugDumpDir) -> Marks:
    """Other nodes lead to what they are, dumps to their values, and lines of the program to its source."""
    node = lines[0].removeprefix("Node ")
    marks: Marks = {0: [(5, len(lines[0]), "bold")]}
    path = ""
    seen: dict[str, int] = {}
    for number, line in enumerate(lines):
        neighbour = re.match(r"( +\[\w+\] )(\S+)$", line)
        dumped = re.match(r"  Slot (\d+) @ (\w+) @ ", line)
        frame = re.match(r"\d+: (.+)$", line)
        if neighbour:
            begin = len(neighbour[1])
            marks[number] = [(begin, len(line), _command(f"ni -a -d -t {neighbour[2]}"))]
        elif dumped:
            tensor = f"{node}:{dumped[1]}"
            count = seen[f"{tensor}:{dumped[2]}"] = seen.get(f"{tensor}:{dumped[2]}", -1) + 1
            marks[number] = [(2, len(line), _command(f"pt {tensor} -n {count}"))]
        elif line == "Traceback of node construction:":
            marks[number] = [(0, len(line), "bold")]
        elif frame:
            path = frame[1]
        elif line.startswith("  Line: ") and path:
            marks[number] = [(2, len(line), _command(f"ps {path} -b {line.split()[-1]}"))]
    return marks


def _of_neighbours(short: str) -> Callable[[Sequence[str], argparse.Namespace, DebugDumpDir], Marks]:
    def marked(lines: Sequence[str], parsed: argparse.Namespace, dump: DebugDumpDir) -> Marks:
        title = re.match(r'(.* node ")([^"]+)"', lines[0])
        marks: Marks = {0: [(len(title[1]), len(title[1]) + len(title[2]), "bold")]} if title else {}
        for number, line in enumerate(lines):
            found = re.match(r"([| ]*\|- (?:\(\d+\) )?(?:\(Ctrl\) )?(?:\[\w+\] )?)(\S+)$", line)
            if found and found[2] != "...":
                marks[number] = [(len(found[1]), len(line), _command(f"{short} -c -r {found[2]}"))]
        return marks

    return marked


def _of_source(lines: Sequence[str], parsed: argparse.Namespace, dump: DebugDumpDir) -> Marks:
    """Numbers of lines are yellow; what was dumped leads to its value, what was not is blue."""
    marks: Marks = {}
    at = "1"
    for number, line in enumerate(lines):
        start = re.match(r"L(\d+) ", line)
        omitted = re.match(r"    \(\.\.\. Omitted .* \.\.\.\) (\+\d+)$", line)
        if start:
            at = start[1]
            marks[number] = [(0, len(start[0]) - 1, "yellow")]
        elif omitted:
            more = parsed.max_elements_per_line + int(omitted[1])
            kind = "-t" if parsed.tensors else ""
            shown = f"ps {parsed.source_file_path} {kind} -b {at} -m {more}"
            marks[number] = [(len(line) - len(omitted[1]), len(line), _command(shown))]
        else:
            name = line.strip()
            known = bool(dump.debug_watch_keys(name.partition(":")[0]))
            marks[number] = [(4, 4 + len(name), _command(f"pt {name}") if known else "blue")]
    return marks


def _of_value(lines: Sequence[str], parsed: argparse.Namespace, dump: DebugDumpDir) -> Marks:
    title = re.match(r'Tensor "(.*)":', lines[0])
    return {0: list(label_segments(title[1]))} if title and lines[1].startswith("  dtype: ") else {}


def _notes_of_value(lines: Sequence[str]) -> dict[Any, Any]:
    """What is noted of the lines of an array, found from the type and the shape above them."""
    told = [line.partition(": ")[2] for line in lines[1:3]]
    first = next((number for number, line in enumerate(lines) if line.startswith("array(")), None)
    if first is None or not lines[1].startswith("  dtype: "):
        return {}
    like = np.broadcast_to(np.zeros((), np.dtype(told[0])), ast.literal_eval(told[1]))
    notes = notes_of(lines[first:], like, None)
    return {key + first if isinstance(key, int) else key: note for key, note in notes.items()}


def _of_sources(lines: Sequence[str], parsed: argparse.Namespace, dump: DebugDumpDir) -> Marks:
    return {0: [(0, len(lines[0]), "bold")]}


_MARKED: dict[str, Callable[[Sequence[str], argparse.Namespace, DebugDumpDir], Marks]] = {
    "list_tensors": _of_tensors,
    "node_info": _of_node,
    "list_inputs": _of_neighbours("li"),
    "list_outputs": _of_neighbours("lo"),
    "print_source": _of_source,
    "list_source": _of_sources,
    "print_tensor": _of_value,
    "eval": _of_value,
}


def marked(name: str, lines: list[str], parsed: argparse.Namespace, dump: DebugDumpDir) -> RichTextLines:
    """What a command says, with attributes.

    Args:
        name: the command.
        lines: what it says.
        parsed: what it was asked.
        dump: what it looked into.
    """
    out = RichTextLines(lines, font_attr_segs=_MARKED[name](lines, parsed, dump) if lines else None)
    if name in ("print_tensor", "eval"):
        out.annotations.update(_notes_of_value(lines))
    if name == "print_source":
        # The whole file is there; the line that was asked for is scrolled to.
        wanted = f"L{parsed.line_begin} "
        begin = next((number for number, line in enumerate(lines) if line.startswith(wanted)), 0)
        out.annotations[INIT_SCROLL_POS_KEY] = begin
    return out
