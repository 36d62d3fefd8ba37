"""Nodes put in order: by name scope, by what takes what, by op type, by source line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from headrace.core.errors import ResourceExhaustedError
from headrace.profiler.options import Options
from headrace.profiler.partitioning import partitioned_sort
from headrace.profiler.statistics import Counts, NodeStatistics

ROOT = "_TFProfRoot"
SCOPE = "_kTFScopeParent"
# How much text the names of scopes may be together, whatever they are of, and for each character of a node's name.
_FREE_SCOPE_TEXT = 1 << 25
_SCOPE_TEXT_PER_NAME = 16


@dataclass(slots=True, eq=False)
class Row:
    """A line of a report.

    Attributes:
        name: what it is about.
        types: op types, devices and the like.
        own: what it counts itself.
        total: the same with what lies below it.
        accounted: whether its own counts are counted.
        below: the lines under it.
        node: the node it stands for, if it is one.
        nodes: those it sums up, if it is several.
    """

    name: str
    types: list[str] = field(default_factory=list)
    own: Counts = field(default_factory=Counts)
    total: Counts = field(default_factory=Counts)
    accounted: bool = True
    below: list[Row] = field(default_factory=list)
    node: NodeStatistics | None = None
    nodes: list[NodeStatistics] = field(default_factory=list)

    def add_up(self) -> None:
        """Makes the totals anew."""
        self.total = Counts()
        if self.accounted:
            self.total.add(self.own)
        for row in self.below:
            self.total.add(row.total)


_KEYS: dict[str, str] = {
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "micros": "exec_micros",
    "accelerator_micros": "accelerator_exec_micros",
    "cpu_micros": "cpu_exec_micros",
    "params": "parameters",
    "float_ops": "float_ops",
    "occurrence": "definition_count",
}


def _matches(patterns: Iterable[str], text: str) -> bool:
    return any(re.fullmatch(pattern, text) for pattern in patterns)


def _is_accounted(types: Iterable[str], options: Options) -> bool:
    patterns = options["account_type_regexes"]
    return ".*" in patterns or any(_matches(patterns, kind) for kind in types)


def by_scope(nodes: Mapping[str, NodeStatistics], options: Options) -> Row:
    """The tree of name scopes.

    Raises:
        ResourceExhaustedError: if the names, which may come from a file, lie in so many scopes that to write each of these
            out takes far more than the names do.
    """
    rows: dict[str, Row] = {}
    top: list[Row] = []
    left = _FREE_SCOPE_TEXT + _SCOPE_TEXT_PER_NAME * sum(map(len, nodes))
    for full_name in sorted(nodes):
        name, inner = full_name, None
        while name and name not in rows:
            node = nodes.get(name)
            row = Row(name, [SCOPE]) if node is None else Row(name, node.types, node.counts, node=node)
            if node is None:
                row.own = Counts(definition_count=1)
            if inner is not None:
                row.below.append(inner)
            rows[name] = inner = row
            left -= len(name)
            if left < 0:
                raise ResourceExhaustedError(
                    None, None, f"Name {full_name[:60]}... lies in too many scopes to show each."
                )
            name = name.rpartition("/")[0]
        if inner is not None:
            (rows[name].below if name else top).append(inner)
    return _shown(_accounted(top, options, keep_parents=True), options, _large_enough_itself)


def by_graph(nodes: Mapping[str, NodeStatistics], options: Options) -> Row:
    """The tree of what takes what, from the last nodes back; each node once."""
    taken = {name for node in nodes.values() for name in node.inputs}
    rows = {name: Row(name, node.types, node.counts, node=node) for name, node in nodes.items()}
    seen: set[str] = set()
    top = []
    ends = [name for name in nodes if name not in taken]
    for start in [*ends, *nodes]:
        if start in seen:
            continue
        seen.add(start)
        top.append(rows[start])
        stack = [start]
        while stack:
            name = stack.pop()
            for source in nodes[name].inputs:
                if source in rows and source not in seen:
                    seen.add(source)
                    rows[name].below.append(rows[source])
                    stack.append(source)
    return _shown(_accounted(top, options, keep_parents=False), options, _large_enough_itself)


def by_code(nodes: Mapping[str, NodeStatistics], options: Options) -> Row:
    """The tree of source lines that led to the nodes."""
    top: dict[str, Row] = {}
    children: dict[Row, dict[str, Row]] = {}
    for node in nodes.values():
        if not _is_accounted(node.types, options):
            continue
        level, row = top, None
        for line in node.trace:
            name = f"{line} (gradient)" if node.is_gradient else line
            found = level.get(name)
            if found is None:
                found = level[name] = Row(name)
                if row is not None:
                    row.below.append(found)
            row = found
            level = children.setdefault(row, {})
        if row is not None:
            row.nodes.append(node)
            row.own.add(node.counts)
    rows = list(top.values())
    _add_up_all(rows)
    options = {**options, "account_displayed_op_only": False}
    return _shown(rows, options, _large_enough_in_all)


def by_op(nodes: Mapping[str, NodeStatistics], options: Options) -> Row:
    """The op types, each with what its nodes take together."""
    rows: dict[str, Row] = {}
    accounted: set[Row] = set()
    for node in nodes.values():
        if not node.op_type:
            continue
        row = rows.setdefault(node.op_type, Row(node.op_type))
        if not _is_accounted(node.types, options):
            continue
        accounted.add(row)
        row.types = list(dict.fromkeys([*row.types, *node.types]))
        row.own.add(node.counts)
        row.nodes.append(node)
    _add_up_all(rows.values())
    # All types are sorted, not only those that are counted: how many they are tells where equal ones stand.
    ordered = in_order([rows[op_type] for op_type in sorted(rows)], options)
    return _shown([row for row in ordered if row in accounted], options, _large_enough_in_all, is_sorted=True)


def _add_up_all(rows: Iterable[Row]) -> None:
    order: list[Row] = []
    stack = list(rows)
    while stack:
        row = stack.pop()
        order.append(row)
        stack.extend(row.below)
    for row in reversed(order):
        row.add_up()


def _accounted(rows: list[Row], options: Options, keep_parents: bool) -> list[Row]:
    """Drops what is not counted and has nothing below it that is.

    Args:
        keep_parents: whether what has such things below it stays; they take its place otherwise.
    """
    order: list[Row] = []
    stack = list(rows)
    while stack:
        row = stack.pop()
        order.append(row)
        stack.extend(row.below)
    stands: dict[Row, list[Row]] = {}
    for row in reversed(order):
        row.below = [kept for child in row.below for kept in stands[child]]
        row.accounted = _is_accounted(row.types, options)
        row.add_up()
        stays = row.accounted or (keep_parents and bool(row.below))
        stands[row] = [row] if stays else row.below
    return [kept for row in rows for kept in stands[row]]


def _fits(row: Row, options: Options, depth: int) -> bool:
    total = row.total
    return (
        total.requested_bytes >= options.get("min_bytes", 0)
        and total.peak_bytes >= options.get("min_peak_bytes", 0)
        and total.residual_bytes >= options.get("min_residual_bytes", 0)
        and total.output_bytes >= options.get("min_output_bytes", 0)
        and total.exec_micros >= options.get("min_micros", 0)
        and total.accelerator_exec_micros >= options.get("min_accelerator_micros", 0)
        and total.cpu_exec_micros >= options.get("min_cpu_micros", 0)
        and depth <= options.get("max_depth", 10)
        and _matches(options.get("show_name_regexes", ()), row.name)
        and not _matches(options.get("hide_name_regexes", ()), row.name)
    )


def _large_enough_itself(row: Row, options: Options, depth: int) -> bool:
    return (
        _fits(row, options, depth)
        and row.own.parameters >= options.get("min_params", 0)
        and row.own.float_ops >= options.get("min_float_ops", 0)
    )


def _large_enough_in_all(row: Row, options: Options, depth: int) -> bool:
    return (
        _fits(row, options, depth)
        and row.total.parameters >= options.get("min_params", 0)
        and row.total.float_ops >= options.get("min_float_ops", 0)
        and row.total.definition_count >= options.get("min_occurrence", 0)
    )


def _shown(
    rows: list[Row], options: Options, fits: Callable[[Row, Options, int], bool], is_sorted: bool = False
) -> Row:
    """The root, with what is to be shown below it, in order."""
    root = Row(ROOT, [SCOPE], accounted=False)
    only_shown = options.get("account_displayed_op_only", False)
    if not only_shown:
        # What lies outside of the rows that the report starts with counts too.
        root.below = rows
        root.add_up()
    patterns = options.get("start_name_regexes", [".*"])
    if patterns != [".*"]:
        rows = _starts(rows, patterns)
    picked = _pick(rows, options, fits, 2, only_shown)
    root.below = picked if is_sorted else in_order(picked, options)
    if only_shown:
        root.add_up()
    return root


def _starts(rows: list[Row], patterns: list[str]) -> list[Row]:
    found = []
    stack = list(reversed(rows))
    while stack:
        row = stack.pop()
        if _matches(patterns, row.name):
            found.append(row)
        else:
            stack.extend(reversed(row.below))
    return found


def _pick(
    rows: list[Row], options: Options, fits: Callable[[Row, Options, int], bool], depth: int, only_shown: bool
) -> list[Row]:
    # Depth first without recursion: graphs are deeper than Python's stack.
    picked: dict[Row, list[Row]] = {}
    stack = [(row, depth, False) for row in rows]
    while stack:
        row, level, done = stack.pop()
        if not done:
            stack.append((row, level, True))
            trimmed = _matches(options.get("trim_name_regexes", ()), row.name)
            if trimmed or level > options.get("max_depth", 10):
                row.below = [] if only_shown or trimmed else row.below
                picked.update((child, []) for child in row.below)
            else:
                stack.extend((child, level + 1, False) for child in row.below)
            continue
        below = [kept for child in row.below for kept in picked.get(child, ())]
        if fits(row, options, level):
            row.below = in_order(below, options)
            if only_shown:
                row.add_up()
            picked[row] = [row]
        else:
            picked[row] = below
    return [kept for row in rows for kept in picked[row]]


def in_order(rows: list[Row], options: Options) -> list[Row]:
    """The rows sorted as the options say: by name, or the largest first."""
    key = _KEYS.get(options.get("order_by", "name"))
    if key is None:
        return sorted(rows, key=lambda row: row.name)
    return partitioned_sort(rows, lambda row: -getattr(row.total, key))


Views = dict[str, Callable[[Mapping[str, NodeStatistics], Options], Row]]
VIEWS: Views = {"scope": by_scope, "graph": by_graph, "code": by_code, "op": by_op}


def filled(options: Mapping[str, Any]) -> Options:
    """The options with those that were left out."""
    start: Options = {"account_type_regexes": [], "start_name_regexes": [".*"], "show_name_regexes": [], "select": []}
    return {**start, **options}
