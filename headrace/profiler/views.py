"""Nodes put in order: by name scope, by what takes what, by op type, by source line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headrace.core.errors import InvalidArgumentError, ResourceExhaustedError
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
        accounted: whether it is of a type that is counted; scopes that hold such rows count too, but their own is not told.
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
    try:
        return any(re.fullmatch(pattern, text) for pattern in patterns)
    except re.error as error:
        raise InvalidArgumentError(
            None, None, f"The options' patterns are regular expressions, {error.pattern!r} is none: {error}"
        ) from None


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
    """The tree of what takes what, from the nodes that no other takes back, depth first; each node once.

    Nodes that only rings of nodes lead to are in none of its branches.
    """
    taken = {name for node in nodes.values() for name in node.inputs}
    rows = {name: Row(name, node.types, node.counts, node=node) for name, node in nodes.items()}
    seen: set[str] = set()
    top: list[Row] = []
    for start in sorted(name for name in nodes if name not in taken):
        # Depth first without recursion: a node belongs to the first that leads to it when each branch is followed to its end.
        stack = [(start, top)]
        while stack:
            name, siblings = stack.pop()
            if name in seen or name not in rows:
                continue
            seen.add(name)
            siblings.append(rows[name])
            stack.extend((source, rows[name].below) for source in reversed(nodes[name].inputs))
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
    if options["account_type_regexes"] != [".*"]:
        for row in children:
            row.accounted = bool(row.nodes)
    options = {**options, "account_displayed_op_only": False}
    return _shown(rows, options, _large_enough_in_all, keeps_trimmed=False)


def by_op(nodes: Mapping[str, NodeStatistics], options: Options) -> Row:
    """The op types, each with what its nodes take together; its total is that and all of the types after it."""
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
    chain = [row for row in in_order([rows[op_type] for op_type in sorted(rows)], options) if row in accounted]
    root = Row(ROOT, [SCOPE], total=_add_up_chain(chain), accounted=False)
    for depth, row in enumerate(_chain_from(chain, options["start_name_regexes"])):
        if _matches(options.get("trim_name_regexes", ()), row.name) or depth > options.get("max_depth", 10):
            break
        if _is_type_shown(row, options, depth):
            root.below.append(row)
    if options.get("account_displayed_op_only", False):
        root.total = _add_up_chain(root.below)
    return root


def _add_up_chain(chain: list[Row]) -> Counts:
    """Makes each total that of the row and those after it; returns the total of all."""
    total = Counts()
    for row in reversed(chain):
        total.add(row.own)
        row.total = replace(total)
    return total


def _chain_from(chain: list[Row], patterns: list[str]) -> list[Row]:
    """The rows from the first that fits one of the patterns on."""
    if patterns in ([], [".*"]):
        return chain
    return list(itertools.dropwhile(lambda row: not _matches(patterns, row.name), chain))


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
        and row.own.run_count >= options.get("min_occurrence", 0)
    )


def _large_enough_in_all(row: Row, options: Options, depth: int) -> bool:
    return (
        _fits(row, options, depth)
        and row.total.parameters >= options.get("min_params", 0)
        and row.total.float_ops >= options.get("min_float_ops", 0)
    )


def _is_type_shown(row: Row, options: Options, depth: int) -> bool:
    return _large_enough_in_all(row, options, depth) and len(row.nodes) >= options.get("min_occurrence", 0)


def _shown(
    rows: list[Row], options: Options, fits: Callable[[Row, Options, int], bool], keeps_trimmed: bool = True
) -> Row:
    """The root, with what is to be shown below it, in order.

    Args:
        keeps_trimmed: whether a row that is to be trimmed is shown itself.
    """
    root = Row(ROOT, [SCOPE], accounted=False)
    only_shown = options.get("account_displayed_op_only", False)
    if not only_shown:
        # What lies outside of the rows that the report starts with counts too.
        root.below = rows
        root.add_up()
    patterns = options.get("start_name_regexes", [".*"])
    if patterns != [".*"]:
        rows = _starts(rows, patterns)
    if not keeps_trimmed:
        patterns = options.get("trim_name_regexes", ())

        def fits_untrimmed(row: Row, options: Options, depth: int) -> bool:
            return fits(row, options, depth) and not _matches(patterns, row.name)

    root.below = in_order(_pick(rows, options, fits if keeps_trimmed else fits_untrimmed, 2, only_shown), options)
    if only_shown:
        root.add_up()
        # Of what is shown the root is one.
        root.total.definition_count += 1
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
