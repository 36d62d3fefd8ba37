"""Traces as files of TensorBoard's profile plugin: `plugins/profile/<time>/local.trace` below a folder of events."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable
from typing import Any

from headrace.files import file_io
from headrace.files.events import EventFile
from headrace.files.paths import as_path
from headrace.messages import protos

_EMPTY = ".profile-empty"
_PICOSECONDS = 1_000_000


def trace_of_steps(step_stats: protos.StepStats) -> Any:
    """The operations of a traced run as a trace: a row for each device, an event for each operation.

    Args:
        step_stats: the `step_stats` of a `RunMetadata`.

    Returns:
        a `Trace` message, whose times count from the first operation.
    """
    trace = protos.Trace()
    start = min(
        (node.all_start_micros for device in step_stats.dev_stats for node in device.node_stats),
        default=0,
    )
    for number, device in enumerate(step_stats.dev_stats, 1):
        _add_device(trace, number, device.device, sorted({node.thread_id for node in device.node_stats}))
        for node in device.node_stats:
            event = trace.trace_events.add(device_id=number, resource_id=node.thread_id, name=node.node_name)
            event.timestamp_ps = (node.all_start_micros - start) * _PICOSECONDS
            event.duration_ps = max(1, node.all_end_rel_micros) * _PICOSECONDS
            event.args["label"] = node.timeline_label
    return trace


def trace_of_calls(name: str, begin: float, end: float, calls: Iterable[tuple[str, float]] = ()) -> Any:
    """A span of time as a trace, with the operations that were done by then within it.

    Args:
        name: what the span is called.
        begin, end: its times in seconds.
        calls: the op types, each with the time by which it was done; how long it took is not told.
    """
    trace = protos.Trace()
    _add_device(trace, 1, "/host:CPU", [0, 1])
    span = trace.trace_events.add(device_id=1, resource_id=0, name=name)
    span.duration_ps = max(1, round((end - begin) * 1e6)) * _PICOSECONDS
    for op_type, done in calls:
        event = trace.trace_events.add(device_id=1, resource_id=1, name=op_type)
        event.timestamp_ps = max(0, round((done - begin) * 1e6)) * _PICOSECONDS
    return trace


def _add_device(trace: Any, number: int, name: str, resources: Iterable[int]) -> None:
    device = trace.devices[number]
    device.name, device.device_id = name, number
    for resource in resources:
        device.resources[resource].name = f"thread {resource}"
        device.resources[resource].resource_id = resource


def write_trace(logdir: str | os.PathLike[str], trace: Any) -> None:
    """Writes a trace where TensorBoard looks for it.

    Args:
        logdir: the folder that TensorBoard is given. It gets a file of events without any if it has none of this kind, by
            which TensorBoard knows that there are profiles.
        trace: a `Trace` message.
    """
    folder = as_path(logdir)
    now = datetime.datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    below = os.path.join(folder, "plugins", "profile", now)
    file_io.recursive_create_dir(below)
    if not any(name.endswith(_EMPTY) for name in file_io.list_directory(folder)):
        EventFile(folder, filename_suffix=_EMPTY).close()
    with file_io.FileIO(os.path.join(below, "local.trace"), "wb") as file:
        file.write(trace.SerializeToString())
