"""Profiles in the format of pprof: a sample for each operation, with the source lines that led to it."""

from __future__ import annotations

import gzip
import re
from typing import Any

from headrace.messages import protos
from headrace.profiler.options import Options
from headrace.profiler.statistics import parts_of_line
from headrace.profiler.views import Row

# What can be sampled: the field of the counts, and its unit.
_SAMPLED = {
    "micros": ("exec_micros", "microseconds"),
    "accelerator_micros": ("accelerator_exec_micros", "microseconds"),
    "cpu_micros": ("cpu_exec_micros", "microseconds"),
    "bytes": ("requested_bytes", "bytes"),
    "peak_bytes": ("peak_bytes", "bytes"),
    "residual_bytes": ("residual_bytes", "bytes"),
    "output_bytes": ("output_bytes", "bytes"),
    "params": ("parameters", "count"),
    "float_ops": ("float_ops", "count"),
}


class _Tables:
    """The tables of a message that samples refer to by number."""

    def __init__(self, message: Any) -> None:
        self.message = message
        message.string_table.append("")
        self.texts = {"": 0}
        self.functions: dict[tuple[str, str], int] = {}
        self.locations: dict[str, int] = {}

    def text(self, text: str) -> int:
        number = self.texts.setdefault(text, len(self.texts))
        if number == len(self.message.string_table):
            self.message.string_table.append(text)
        return number

    def location(self, line: str) -> int:
        """The number of a source line `path:line:function`."""
        known = self.locations.get(line)
        if known is not None:
            return known
        path, number, function = parts_of_line(line)
        named = self.functions.get((path, function))
        if named is None:
            named = self.functions[path, function] = len(self.functions) + 1
            stem = path.removesuffix(".py")
            self.message.function.add(id=named, name=self.text(f"{stem}:{function}"), filename=self.text(path))
        made = self.locations[line] = len(self.locations) + 1
        self.message.location.add(id=made).line.add(function_id=named, line=number)
        return made


def pprof_of(root: Row, selected: str, options: Options) -> Any:
    """A view by source lines as a `Profile`.

    Args:
        root: the view.
        selected: the amount to sample, as it is selected.
        options: those of the view; lines that match its `trim_name_regexes` are left out.
    """
    message = protos.Profile()
    tables = _Tables(message)
    amount, unit = _SAMPLED[selected]
    for kind, counted_in in (("count", "count"), (selected, unit)):
        message.sample_type.add(type=tables.text(kind), unit=tables.text(counted_in))
    trimmed = [re.compile(pattern) for pattern in options.get("trim_name_regexes", ())]
    label = tables.text("node_name")
    stack = [root]
    while stack:
        row = stack.pop()
        stack.extend(reversed(row.below))
        for node in row.nodes:
            sample = message.sample.add(value=[1, getattr(node.counts, amount)])
            sample.label.add(key=label, str=tables.text(node.name))
            # The op stands where TensorFlow shows the lines of its own that made it.
            lines = [*node.trace, f"tf:0:{node.op_type}"]
            sample.location_id.extend(
                tables.location(line)
                for line in reversed(lines)
                if not any(pattern.fullmatch(line) for pattern in trimmed)
            )
    return message


def write_pprof(path: str, root: Row, view: str, options: Options) -> str | None:
    """Writes a view for pprof; returns why nothing could be written, or None.

    Args:
        path: the file.
        root: the view.
        view: its name.
        options: its options, of which one amount is selected.
    """
    if view != "code":
        return "pprof output is only for the view of the code"
    selected = list(options.get("select", ()))
    if len(selected) != 1 or selected[0] not in _SAMPLED:
        return f"pprof output is of one amount, of {', '.join(_SAMPLED)}; selected are {', '.join(selected)}"
    with gzip.open(path, "wb") as file:
        file.write(pprof_of(root, selected[0], options).SerializeToString())
    return None
