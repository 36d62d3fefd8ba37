"""The times of a traced step as a trace that chrome://tracing and Perfetto draw.

The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (Trace Event Format).
"""

from __future__ import annotations

import json
import re
from collections import namedtuple
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.messages import protos


AllocationMaximum = namedtuple("AllocationMaximum", ["timestamp", "num_bytes", "tensors"])
StepStatsAnalysis = namedtuple("StepStatsAnalysis", ["chrome_trace", "allocator_maximums"])

# Written so that long labels which are none take no longer: nothing can be read in two ways.
_LABEL = re.compile(r"(.*) = ([^=()]*)\(([^()]*)\)")

Event = dict[str, Any]


class ChromeTrace:
    """Events under way to a trace; `format_to_string` gives the JSON text."""

    def __init__(self) -> None:
        self._names: list[Event] = []
        self._events: list[Event] = []

    def name_process(self, pid: int, name: str) -> None:
        """Gives a row group its title."""
        self._names.append({"name": "process_name", "ph": "M", "pid": pid, "args": {"name": name}})

    def emit(self, ph: str, category: str, name: str, pid: int, tid: int, timestamp: int, **more: Any) -> None:
        """Adds an event of phase `ph` at a time in microseconds."""
        self._events.append({"ph": ph, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": timestamp, **more})

    def format_to_string(self, pretty: bool = False) -> str:
        """The trace as JSON."""
        trace = {"traceEvents": self._names + self._events}
        return json.dumps(trace, indent=4) if pretty else json.dumps(trace, separators=(",", ":"))


class _TensorLifetime:
    """A tensor of the step: where and when it was made, and when it was last used."""

    def __init__(self, number: int, pid: int, made: int, allocator: str, num_bytes: int) -> None:
        self.number, self.pid, self.made, self.last_use = number, pid, made, made
        self.allocator, self.num_bytes = allocator, num_bytes
        # Where the arrow to a consumer begins: (time, process, thread).
        self.flow = (0, 0, 0)


class Timeline:
    """A step's `StepStats`, to be drawn.

    Args:
        step_stats: the `step_stats` of a `RunMetadata` that a run with FULL_TRACE has filled.
        graph: the graph that was run, for callers of 1.x; the statistics say all that is drawn.

    Example:
        >>> metadata = tf.RunMetadata()
        >>> options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        >>> value = sess.run(loss, options=options, run_metadata=metadata)
        >>> trace = Timeline(metadata.step_stats).generate_chrome_trace_format()
        >>> with open("timeline.json", "w") as file:
        ...     print(trace, file=file)
    """

    def __init__(self, step_stats: protos.StepStats, graph: Any = None) -> None:
        self._step_stats = step_stats
        self._graph = graph

    def generate_chrome_trace_format(self, show_dataflow: bool = True, show_memory: bool = False) -> str:
        """The trace as JSON text.

        Args:
            show_dataflow: whether to draw arrows from where tensors are made to where they are used.
            show_memory: whether to draw tensors and the memory they take.
        """
        return self.analyze_step_stats(show_dataflow, show_memory).chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(self, show_dataflow: bool = True, show_memory: bool = True) -> StepStatsAnalysis:
        """The trace and, where memory is shown, the most memory each allocator gave out at a time.

        Returns:
            (chrome_trace, allocator_maximums: allocator name to `AllocationMaximum`).
        """
        trace = ChromeTrace()
        trace.name_process(0, "Allocators")
        devices = []
        for i, device in enumerate(self._step_stats.dev_stats):
            compute, tensors = 1 + 2 * i, 2 + 2 * i
            trace.name_process(compute, f"{device.device} Compute")
            trace.name_process(tensors, f"{device.device} Tensors")
            devices.append((device, compute, tensors, _lanes(device.node_stats)))
        produced = _produced(devices)
        if show_memory:
            _show_tensors(trace, devices, produced)
        for device, pid, _, lanes in devices:
            for node, lane in zip(device.node_stats, lanes):
                _show_node(trace, device.device, node, pid, lane, produced, show_dataflow)
        return StepStatsAnalysis(trace, _show_allocators(trace, produced) if show_memory else {})


def _lanes(nodes: Any) -> list[int]:
    """A row for each node, so that those that ran at the same time lie below one another."""
    ends = [0]
    lanes = []
    for node in nodes:
        start = node.all_start_micros
        lane = next((i for i, end in enumerate(ends) if start > end), len(ends))
        if lane == len(ends):
            ends.append(0)
        ends[lane] = start + node.all_end_rel_micros
        node.thread_id = lane
        lanes.append(lane)
    return lanes


def _span(node: protos.NodeExecStats) -> tuple[int, int]:
    return node.all_start_micros, node.all_start_micros + node.all_end_rel_micros


def _output_name(node: protos.NodeExecStats, index: int) -> str:
    return f"{node.node_name}:{index}" if index else node.node_name


def _produced(devices: list[Any]) -> dict[str, _TensorLifetime]:
    found: dict[str, _TensorLifetime] = {}
    for device, compute, tensors, lanes in devices:
        for node, lane in zip(device.node_stats, lanes):
            start, end = _span(node)
            for i, output in enumerate(node.output):
                allocation = output.tensor_description.allocation_description
                tensor = _TensorLifetime(
                    len(found), tensors, start, allocation.allocator_name, allocation.requested_bytes
                )
                tensor.last_use, tensor.flow = end, (end, compute, lane)
                found[_output_name(node, i)] = tensor
    return found


def _show_tensors(trace: ChromeTrace, devices: list[Any], produced: dict[str, _TensorLifetime]) -> None:
    for device, _, tensors, lanes in devices:
        for node, lane in zip(device.node_stats, lanes):
            start, end = _span(node)
            for i, output in enumerate(node.output):
                name = _output_name(node, i)
                number = produced[name].number
                text = str(output.tensor_description).replace('"', "")
                trace.emit("N", "Tensor", name, tensors, lane, start, id=number)
                snapshot = {"snapshot": {"tensor_description": text}}
                trace.emit("O", "Tensor", name, tensors, lane, end - 1, id=number, args=snapshot)


def _parts(device: str, node: protos.NodeExecStats) -> tuple[str, str, list[str]]:
    """The node's name, its op type, and the names of its inputs."""
    if "/stream:" in device or "/memcpy" in device:
        name, _, op = node.node_name.partition(":")
        return name, op or "unknown", []
    if node.node_name == "RecvTensor":
        return node.node_name, node.node_name, []
    label = _LABEL.match(node.timeline_label)
    if label is None:
        return node.node_name, "unknown", []
    return node.node_name, label[2], label[3].split(", ") if label[3] else []


def _show_node(
    trace: ChromeTrace,
    device: str,
    node: protos.NodeExecStats,
    pid: int,
    lane: int,
    produced: dict[str, _TensorLifetime],
    show_dataflow: bool,
) -> None:
    start, end = _span(node)
    name, op, inputs = _parts(device, node)
    args = {"name": name, "op": op} | {f"input{i}": source for i, source in enumerate(inputs)}
    trace.emit("X", "Op", op, pid, lane, start, dur=node.all_end_rel_micros, args=args)
    for i, source in enumerate(inputs):
        tensor = produced.get(source)
        if tensor is None:
            continue
        tensor.last_use = max(tensor.last_use, end - 1)
        made, made_pid, made_lane = tensor.flow
        # Along one row the order says it; arrows between rows are worth drawing.
        if show_dataflow and (made_pid, made_lane) != (pid, lane):
            edge = f"{source}>{node.node_name}:{i}"
            trace.emit("s", "DataFlow", source, made_pid, made_lane, made, id=edge)
            trace.emit("t", "DataFlow", source, pid, lane, start, id=edge)


def _show_allocators(trace: ChromeTrace, produced: dict[str, _TensorLifetime]) -> dict[str, AllocationMaximum]:
    changes: dict[str, list[tuple[int, int, str]]] = {}
    for name, tensor in produced.items():
        trace.emit("D", "Tensor", name, tensor.pid, 0, tensor.last_use, id=tensor.number)
        series = changes.setdefault(tensor.allocator, [])
        series.append((tensor.made, tensor.num_bytes, name))
        series.append((tensor.last_use, -tensor.num_bytes, name))
    maximums = {}
    for allocator, series in changes.items():
        total, alive = 0, set()
        most = AllocationMaximum(0, 0, set())
        for timestamp, num_bytes, name in sorted(series):
            total += num_bytes
            if num_bytes < 0:
                alive.discard(name)
            else:
                alive.add(name)
            if total > most.num_bytes:
                most = AllocationMaximum(timestamp, total, set(alive))
            trace.emit("C", "Memory", allocator, 0, 0, timestamp, args={allocator: total})
        maximums[allocator] = most
    return maximums
