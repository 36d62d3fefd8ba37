"""Profiles in files: all that is known of the nodes, step by step, as a `ProfileProto`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from headrace.core.errors import DataLossError
from headrace.messages import protos
from headrace.profiler.statistics import Counts, NodeStatistics, parts_of_line, trace_gradients

# What is stored of the memory that a node takes in a step.
_MEMORY = ("requested_bytes", "peak_bytes", "residual_bytes", "output_bytes")


def profile_proto_of(nodes: Mapping[str, NodeStatistics], steps: Mapping[int, Mapping[str, Counts]]) -> Any:
    """Nodes and what they cost in each step, as a `ProfileProto`.

    Args:
        nodes: what is known of the nodes.
        steps: what `counts_of_run` found of each step.
    """
    profile = protos.ProfileProto(has_trace=True, steps=sorted(steps))
    numbers = {name: number for number, name in enumerate(nodes)}
    texts: dict[str, int] = {}
    for name, node in nodes.items():
        entry = profile.nodes[numbers[name]]
        entry.name, entry.op, entry.id, entry.float_ops = name, node.op_type, numbers[name], node.counts.float_ops
        entry.op_types.extend(node.types)
        entry.canonical_device = ",".join(node.devices)
        entry.shape.extend(() if node.shape is None else node.shape or (1,))
        for i, source in enumerate(source for source in node.inputs if source in numbers):
            entry.inputs[i] = numbers[source]
        for i, dims in node.input_shapes.items():
            entry.input_shapes[i].int64_values.extend(dims)
        if node.data_format:
            entry.attrs["data_format"].s = node.data_format.encode()
        for line in node.trace:
            path, place, function = parts_of_line(line)
            ids = [texts.setdefault(text, len(texts) + 1) for text in (path, function)]
            entry.trace.traces.add(file_id=ids[0], lineno=place, function_id=ids[1])
        for step, counts in steps.items():
            if name in counts:
                _store_counts(entry.execs[step], counts[name], node.devices)
    for text, number in texts.items():
        profile.id_to_string[number] = text
    return profile


def _store_counts(entry: Any, counts: Counts, devices: list[str]) -> None:
    entry.run_count = counts.run_count
    entry.latest_end_micros = counts.exec_micros
    entry.devices.extend(devices)
    for times, taken in (
        (entry.accelerator_execs, counts.accelerator_exec_micros),
        (entry.cpu_execs, counts.cpu_exec_micros),
    ):
        if taken:
            times[devices[0] if devices else ""].times.add(int64_values=[0, taken])
    entry.memory_execs.add(**{name: getattr(counts, name) for name in _MEMORY})


def check_profile(profile: Any, path: str) -> None:
    """Refuses a `ProfileProto` whose parts do not fit together.

    Args:
        profile: the message.
        path: the file that it was read from, for the error.

    Raises:
        DataLossError: if a node takes another that is not there, or a time is no pair of begin and length.
    """
    numbers = set(profile.nodes)
    for number, node in profile.nodes.items():
        missing = sorted(set(node.inputs.values()) - numbers)
        if missing:
            raise DataLossError(
                None, None, f"{path}: node {number}, '{node.name}', takes {missing}, which are not there"
            )
        for step, cost in node.execs.items():
            for times in (*cost.accelerator_execs.values(), *cost.cpu_execs.values()):
                wrong = [len(time.int64_values) for time in times.times if len(time.int64_values) != 2]
                if wrong:
                    raise DataLossError(
                        None,
                        None,
                        f"{path}: a time of node '{node.name}' in step {step} is two numbers, got {wrong[0]}",
                    )


def nodes_of_profile(profile: Any, chosen: int) -> tuple[dict[str, NodeStatistics], list[dict[str, Counts]]]:
    """The nodes of a `ProfileProto`, and what they cost in one step or in each.

    Args:
        profile: the message.
        chosen: the step; -1 for all.
    """
    nodes: dict[str, NodeStatistics] = {}
    texts = dict(profile.id_to_string.items())
    entries = [profile.nodes[number] for number in sorted(profile.nodes)]
    for entry in entries:
        node = nodes[entry.name] = NodeStatistics(entry.name, entry.op, list(entry.op_types))
        node.counts.definition_count = 1
        node.counts.float_ops = entry.float_ops
        node.inputs = [profile.nodes[entry.inputs[i]].name for i in sorted(entry.inputs)]
        if entry.shape:
            node.shape = tuple(entry.shape)
            node.counts.parameters = 0 if -1 in node.shape else math.prod(node.shape)
        node.input_shapes = {i: tuple(dims.int64_values) for i, dims in entry.input_shapes.items()}
        if "data_format" in entry.attrs:
            node.data_format = entry.attrs["data_format"].s.decode(errors="replace")
        node.devices = [device for device in entry.canonical_device.split(",") if device]
        node.trace = [
            f"{texts.get(line.file_id, 'none')}:{line.lineno}:{texts.get(line.function_id, 'none')}"
            for line in entry.trace.traces
        ]
    trace_gradients(nodes)
    steps = [chosen] if chosen >= 0 else list(profile.steps)
    return nodes, [
        {entry.name: _counts_of(entry.execs[step]) for entry in entries if step in entry.execs} for step in steps
    ]


def _counts_of(entry: Any) -> Counts:
    counts = Counts(run_count=entry.run_count)
    counts.accelerator_exec_micros, counts.cpu_exec_micros = (
        sum(time.int64_values[1] for device in times.values() for time in device.times)
        for times in (entry.accelerator_execs, entry.cpu_execs)
    )
    counts.exec_micros = counts.accelerator_exec_micros + counts.cpu_exec_micros
    for memory in entry.memory_execs:
        for name in _MEMORY:
            setattr(counts, name, getattr(counts, name) + getattr(memory, name))
    return counts
