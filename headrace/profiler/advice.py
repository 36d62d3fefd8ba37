"""What stands out in the nodes of a profile: the checkers of `tf.profiler.advise`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from headrace.core import errors
from headrace.messages import protos
from headrace.profiler.options import ProfileOptionBuilder
from headrace.profiler.report import time
from headrace.profiler.statistics import Counts, NodeStatistics
from headrace.profiler.views import VIEWS, Row, filled

ALL_ADVICE: dict[str, dict[str, Any]] = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}

# How many rows are told of each kind, how deep source lines are followed, and what a line takes at least to be told.
_TOP = 3
_DEEPEST_LINE = 3
_LINE_MICROS = 1000
_SCOPE_MICROS = 100


def advice_on(nodes: Mapping[str, NodeStatistics], checkers: Mapping[str, Any]) -> Any:
    """What the checkers say of the nodes, as an `AdviceProto`; it is printed too.

    Args:
        nodes: what is known of the nodes.
        checkers: the names of those to run.

    Raises:
        InvalidArgumentError: if there is no such checker.
    """
    advice = protos.AdviceProto()
    for name in checkers:
        if name not in ALL_ADVICE:
            raise errors.InvalidArgumentError(None, None, f"unknown checker: {name}; there are {', '.join(ALL_ADVICE)}")
        checker = _CHECKERS.get(name)
        if checker is None:
            continue
        reports = checker(nodes)
        advice.checkers[name].reports.extend(reports)
        print("", f"{name}:", *reports, sep="\n")
    sys.stdout.flush()
    return advice


def _taken(counts: Counts) -> str:
    return (
        f"cpu: {time(counts.cpu_exec_micros)}, accelerator: {time(counts.accelerator_exec_micros)}, "
        f"total: {time(counts.exec_micros)}"
    )


def _expensive(nodes: Mapping[str, NodeStatistics]) -> list[str]:
    """The op types, the scopes and the source lines that take the longest."""

    def rows(view: str, **limits: int) -> Row:
        options = ProfileOptionBuilder.time_and_memory(min_bytes=0)
        return VIEWS[view](nodes, filled({**options, **limits}))

    if not any(node.counts.run_count for node in nodes.values()):
        sys.stderr.write("ExpensiveOperationChecker needs a traced run: pass its run_meta.\n")
        return []
    reports = []
    by_op = rows("op", max_depth=_TOP, min_micros=1)
    if by_op.below:
        whole = by_op.total.exec_micros or 1
        reports.append(
            "\n".join(
                f"top {i} operation type: {row.name}, {_taken(row.own)} ({100.0 * row.own.exec_micros / whole:.2f}%)"
                for i, row in enumerate(by_op.below[:_TOP], 1)
            )
        )
    by_scope = rows("scope", max_depth=100, min_micros=_SCOPE_MICROS)
    if by_scope.below:
        # The order is that of all that lies in the scopes, the times are the nodes' own.
        reports.append(
            "\n".join(
                f"top {i} graph node: {row.name}, {_taken(row.own)}" for i, row in enumerate(by_scope.below[:_TOP], 1)
            )
        )
    by_code = rows("code", max_depth=100, min_micros=1)
    # What all nodes have in common, such as the lines that start a program, tells nothing.
    while len(by_code.below) == 1:
        by_code = by_code.below[0]
    if by_code.below:
        reports.append("\n".join(_lines(by_code, 0)))
    return reports


def _lines(above: Row, depth: int) -> list[str]:
    """The most expensive lines below one that calls several, with those below them."""
    if len(above.below) <= 1 or depth > _DEEPEST_LINE:
        return []
    found: list[str] = []
    for row in above.below[:_TOP]:
        if row.total.exec_micros >= _LINE_MICROS:
            found += [f"{'  ' * depth}{row.name}, {_taken(row.total)}", *_lines(row, depth + 1)]
    return found


def _accelerators(nodes: Mapping[str, NodeStatistics]) -> list[str]:
    """How much of the time from the first operation on an accelerator to the end of the last it was at work."""
    placed: dict[str, list[NodeStatistics]] = {}
    for node in nodes.values():
        for device in node.devices:
            if "gpu" in device and node.span is not None:
                placed.setdefault(device, []).append(node)
    reports = []
    for device, there in sorted(placed.items()):
        spans = [node.span for node in there if node.span is not None]
        whole = max(end for _, end in spans) - min(begin for begin, _ in spans)
        if whole > 0:
            share = sum(node.counts.accelerator_exec_micros for node in there) / whole
            reports.append(f"device: {device} {'' if share >= 0.5 else 'low '}utilization: {share:.2f}")
    return reports


def _operations(nodes: Mapping[str, NodeStatistics]) -> list[str]:
    """Op types and layouts of images that have faster counterparts."""
    reports = []
    normalizes = any("BatchNorm" in node.name for node in nodes.values())
    if normalizes and not any(node.op_type == "FusedBatchNorm" for node in nodes.values()):
        reports.append("A batch normalization that is no FusedBatchNorm: the fused operation may be faster.")
    if any(node.data_format == "NHWC" and any("gpu" in d for d in node.devices) for node in nodes.values()):
        reports.append("Operations on a GPU have the data_format NHWC: NCHW may be faster there.")
    return reports


_CHECKERS: dict[str, Callable[[Mapping[str, NodeStatistics]], list[str]]] = {
    "ExpensiveOperationChecker": _expensive,
    "AcceleratorUtilizationChecker": _accelerators,
    "OperationChecker": _operations,
}
