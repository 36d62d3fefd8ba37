"""What `ConfigProto`, `RunOptions` and `RunMetadata` mean here."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from headrace.core.device import LOCAL_TASK, DeviceSpec
from headrace.core.dims import element_count
from headrace.core.errors import DeadlineExceededError, InvalidArgumentError
from headrace.core.spans import Span, recorded_spans
from headrace.core.waiting import with_deadline
from headrace.devices.process_settings import settings as process
from headrace.plan.ir import FEED, UNBOUND
from headrace.plan.plan import Plan
from headrace.plan.watched import WatchedPlan, make_watched_plan
from headrace.runtime import watching

if TYPE_CHECKING:
    from headrace.core.typing import Fetches
    from headrace.messages import protos
    from headrace.plan.ir import Node, Value
    from headrace.runtime.cost_graphs import CostModel
    from headrace.runtime.session import BaseSession


def note_precision(config: protos.ConfigProto | None) -> None:
    """Notes that a session is made whose graph is not rewritten in half precision, if it is not."""
    half = bool(process.optimizer_options.get("auto_mixed_precision"))
    if config is not None:
        rewrites = config.graph_options.rewrite_options
        half = rewrites.auto_mixed_precision == rewrites.ON or (half and rewrites.auto_mixed_precision != rewrites.OFF)
    if not half:
        process.full_precision_sessions = True


class Settings:
    """The options of a session, read from a `ConfigProto` (or None)."""

    def __init__(self, config: protos.ConfigProto | None) -> None:
        if config is not None and not hasattr(config, "device_count"):
            raise TypeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        if config is None:
            self._follow_process()
        else:
            self._soft = bool(config.allow_soft_placement)
            self.log_device_placement = bool(config.log_device_placement)
            self.threads = int(config.intra_op_parallelism_threads)
            self.thread_pools = max(1, len(config.session_inter_op_thread_pool))
        # In seconds; 0 is without end.
        self.timeout = max(0, config.operation_timeout_in_ms) / 1000.0 if config is not None else 0.0
        self.device_count = dict(config.device_count) if config is not None else {}
        # What operations cost is measured in one of so many steps, and not in the first few; 0 is never.
        options = None if config is None else config.graph_options
        self.cost_model_every = max(0, options.build_cost_model) if options is not None else 0
        # A device that is missing is an error wherever in the graph it is asked for.
        self.places_whole_graph = options is None or not options.place_pruned_graph
        self.cost_model_after = options.build_cost_model_after if options is not None else 0
        # Whether a step is only run: no time ends it, and what it costs is not measured.
        self.plain_steps = not (self.timeout or self.cost_model_every)

    @property
    def allow_soft_placement(self) -> bool:
        """Whether operations go to another device where theirs is not there."""
        return self._soft

    def _follow_process(self) -> None:
        """Takes the options from what is set for the whole process."""
        self.thread_pools = 1
        self._soft = bool(process.soft_placement)
        self.log_device_placement = bool(process.log_placement)
        self.threads = process.intra_op_threads or 0

    def cpu_count(self) -> int:
        """How many devices the CPU is to this session: as many as it asks for, or those that the process has made."""
        return max(1, self.device_count.get("CPU", process.cpu_count()))

    def take_cpus_of(self, server: protos.ConfigProto | None) -> None:
        """Takes the devices of a server for its CPU in the place of those that the session asks for.

        Args:
            server: the server's `ConfigProto`, or None.
        """
        self.device_count.pop("CPU", None)
        if server is not None and "CPU" in server.device_count:
            self.device_count["CPU"] = server.device_count["CPU"]

    def gpu_count(self) -> int:
        """How many GPUs this session may use."""
        available = process.gpu_count(torch.cuda.device_count() if torch.cuda.is_available() else 0)
        return min(available, self.device_count.get("GPU", available))

    def default_device(self) -> torch.device:
        """Where operations run that no device scope places."""
        return torch.device("cuda:0") if self.gpu_count() else torch.device("cpu")

    def devices(self) -> tuple[str, ...]:
        """The names of the devices: as many names of the one CPU as the configuration asks for, and the GPUs."""
        names = [f"{LOCAL_TASK}/device:CPU:{i}" for i in range(self.cpu_count())]
        names += [f"{LOCAL_TASK}/device:GPU:{i}" for i in range(self.gpu_count())]
        return tuple(names)


class EagerSettings(Settings):
    """Those of eager execution, where operations go to another device unless the process forbids it."""

    @property
    def allow_soft_placement(self) -> bool:
        """Whether operations go to another device where theirs is not there."""
        return process.soft_placement is not False


def run_with_options(
    session: BaseSession,
    fetches: Fetches,
    feed_dict: Mapping[Any, Any] | None,
    options: protos.RunOptions | None,
    run_metadata: protos.RunMetadata | None,
) -> Any:
    """`Session.run` with a `RunOptions` and a `RunMetadata`.

    `options.trace_level` above NO_TRACE fills `run_metadata.step_stats` with the time of each call, for
    `tf.python.client.timeline`; where the session's `graph_options.build_cost_model` measures this step, that is filled too,
    and `run_metadata.cost_graph`. `options.timeout_in_ms`, or else the session's `operation_timeout_in_ms`, ends a step
    that takes longer between two calls or while an operation waits.

    Raises:
        DeadlineExceededError: if the step takes longer than the timeout.
    """
    if options is not None and not hasattr(options, "trace_level"):
        raise AttributeError(f"options must be a tf.RunOptions, but got {type(options)}")
    if run_metadata is not None and not hasattr(run_metadata, "step_stats"):
        raise AttributeError(f"run_metadata must be a tf.RunMetadata, but got {type(run_metadata)}")
    pool = options.inter_op_thread_pool if options is not None else 0
    if not -1 <= pool < session._settings.thread_pools:
        # -1 stands for the thread of the caller.
        raise InvalidArgumentError(None, None, f"Invalid inter_op_thread_pool: {pool}")
    watchers = watching.watchers_of(options) if options is not None else []
    timeout = _timeout_of(session, options)
    # Planning takes time of its own, which counts where it waits for other tasks.
    with with_deadline(time.perf_counter() + timeout if timeout > 0 else None):
        costs = session._cost_models
        model = costs.due(session.graph, fetches, feed_dict) if costs is not None else None
        entry = None if watchers or model is not None else session._entry(fetches, feed_dict)
    if costs is not None and model is not None and run_metadata is None:
        # What is measured counts for later steps, whoever sees it.
        run_metadata = costs.metadata()
    traces = run_metadata is not None and (model is not None or (options is not None and options.trace_level > 0))
    if run_metadata is not None:
        # It tells of this step alone.
        run_metadata.Clear()
    if options is not None and options.output_partition_graphs and run_metadata is not None:
        _add_graph(run_metadata, session, fetches, feed_dict)
    if entry is not None and not traces and timeout <= 0:
        return session._run_entry(entry, entry.function, feed_dict)
    times: list[tuple[int, bool, float, list[Any]]] = []
    deadline = time.perf_counter() + timeout if timeout > 0 else float("inf")
    plan: Plan

    def observe(number: int, after: bool, made: tuple[Any, ...] = ()) -> None:
        now = time.perf_counter()
        if now > deadline and not after:
            raise DeadlineExceededError(
                None,
                None,
                f"The step took longer than timeout_in_ms={timeout * 1000:g} before node {plan.observed_nodes[number].name}",
            )
        times.append((number, after, now, [getattr(value, "shape", None) for value in made]))

    def use(watched: Plan) -> None:
        nonlocal plan
        plan = watched

    start_wall_time, start_time = time.time(), time.perf_counter()
    background: list[Span] = []
    with contextlib.ExitStack() as around:
        around.enter_context(with_deadline(deadline if timeout > 0 else None))
        if traces:
            background = around.enter_context(recorded_spans())
        if entry is None:
            result = watching.run_watched(session, fetches, feed_dict, watchers, observe, use)
        else:
            plan = entry.plan
            observed = plan.observed()
            result = session._run_entry(entry, lambda *feeds: observed(observe, *feeds), feed_dict)
    if traces and run_metadata is not None:
        _fill_step_stats(session, run_metadata, plan, times, start_wall_time - start_time)
        if model is not None:
            _fill_cost_graph(run_metadata, plan, model)
        _add_background_spans(run_metadata, background, start_wall_time - start_time)
    return result


def _timeout_of(session: BaseSession, options: protos.RunOptions | None) -> float:
    """After how many seconds a step ends: as its options say, or else those of the session; 0 is without end."""
    timeout: float = options.timeout_in_ms / 1000.0 if options is not None else 0.0
    return timeout if timeout > 0 else session._settings.timeout


def _fill_cost_graph(run_metadata: protos.RunMetadata, plan: Plan, model: CostModel) -> None:
    """Adds a measured step to what is known of its operations, and tells all that is."""
    assert isinstance(plan, WatchedPlan)
    model.add(run_metadata.step_stats)
    model.fill(run_metadata.cost_graph, plan)


def _add_graph(
    run_metadata: protos.RunMetadata, session: BaseSession, fetches: Fetches, feed_dict: Mapping[Any, Any] | None
) -> None:
    """Adds the part of the graph that runs to `run_metadata.partition_graphs`: one, for all runs in one process."""
    plan = session._watched_entry(fetches, feed_dict, make_watched_plan).plan
    assert isinstance(plan, WatchedPlan)
    run_metadata.partition_graphs.add().CopyFrom(watching.part_of_graph(plan))


def _fill_step_stats(
    session: BaseSession,
    run_metadata: protos.RunMetadata,
    plan: Plan,
    times: list[tuple[int, bool, float, list[Any]]],
    offset: float,
) -> None:
    devices: dict[str, Any] = {}

    def stats_of(node: Node) -> Any:
        name = _device_name(node, session._runtime)
        if name not in devices:
            devices[name] = run_metadata.step_stats.dev_stats.add(device=name)
        return devices[name]

    called = {plan.observed_nodes[number] for number, after, _, _ in times if not after}
    # What a server plans is seen there only.
    for node in [] if session._engine.elsewhere else _given_nodes(plan):
        if node in called:
            continue
        entry = stats_of(node).node_stats.add(node_name=node.name, timeline_label=f"{node.name} = {node.type}()")
        entry.all_start_micros = int(((times[0][2] if times else 0.0) + offset) * 1e6)
        entry.op_end_rel_micros = entry.all_end_rel_micros = 1
        values = [getattr(value.bound, "value", value.bound) for value in node.outputs]
        shapes = [getattr(value, "shape", None) for value in values]
        entry.memory_stats.persistent_memory_size = _add_outputs(entry, node, shapes)
    for (_, before, start, _), (number, after, end, shapes) in itertools.pairwise(times):
        if before or not after:
            # A debugger's plan shows nodes without a call too: they have an end and no beginning.
            continue
        node = plan.observed_nodes[number]
        stats = stats_of(node)
        # What was done for several nodes in one call took each an equal share, as far as can be told.
        names = node.members or (node.name,)
        share = (end - start) / len(names)
        for i, each in enumerate(names):
            entry = stats.node_stats.add(node_name=each)
            entry.all_start_micros = int((start + i * share + offset) * 1e6)
            entry.op_start_rel_micros = 0
            entry.op_end_rel_micros = max(1, round(share * 1e6))
            entry.all_end_rel_micros = entry.op_end_rel_micros
            sources = ", ".join(_tensor_name(value) for value in node.inputs)
            entry.timeline_label = f"{each} = {node.type}({sources})"
        made = _add_outputs(entry, node, shapes)
        if made and not node.decl.may_alias:
            entry.memory.add(allocator_name=_allocator(node), total_bytes=made, peak_bytes=made)
    if not devices:
        # A step of what is fed alone ran somewhere too.
        run_metadata.step_stats.dev_stats.add(device=session.list_devices()[0].name)


def _given_nodes(plan: Plan) -> list[Node]:
    """The nodes whose values are there before the step and go into it: constants and variables."""
    taken = itertools.chain(*(node.inputs for node in plan.observed_nodes), plan.graph.fetches)
    return list(dict.fromkeys(value.node for value in taken if value.bound is not UNBOUND and value.node.type != FEED))


def _allocator(node: Node) -> str:
    return "gpu" if node.device.type == "cuda" else "cpu"


def _device_name(node: Node, runtime: Any) -> str:
    """The full name of the device that a node ran on."""
    kind, number = "GPU" if node.device.type == "cuda" else "CPU", node.device.index or 0
    task: str = runtime.device_names()[0].rpartition("/")[0]
    if kind == "CPU" and node.origin is not None and node.origin.device:
        # The CPU is as many devices as the session was asked for.
        spec = DeviceSpec.from_string(node.origin.device)
        if spec.device_type == "CPU" and f"{task}/device:CPU:{spec.device_index}" in runtime.device_names():
            number = spec.device_index or 0
    part = node.notes.get("part")
    if part is not None:
        # What another task does shows as the call and the wait for it.
        task = runtime.tasks.names[part.task]
    return f"{task}/device:{kind}:{number}"


def _add_outputs(entry: protos.NodeExecStats, node: Node, shapes: list[Any]) -> int:
    """Adds the shapes of a node's results to its statistics, and the bytes they take, which it returns."""
    total = 0
    for value, shape in zip(node.outputs, shapes, strict=True):
        output = entry.output.add(slot=value.index)
        output.tensor_description.dtype = value.dtype.as_datatype_enum
        dims = value.dims if shape is None else tuple(shape)
        # TensorBoard reads the dimensions of a shape that is there; that of a scalar has none.
        output.tensor_description.shape.SetInParent()
        if dims is None:
            output.tensor_description.shape.unknown_rank = True
        for dim in dims or ():
            output.tensor_description.shape.dim.add(size=-1 if dim is None else dim)
        count = element_count(dims)
        if count is not None and value.dtype.torch is not None:
            # What its elements take; how the allocator rounds it is torch's affair.
            allocation = output.tensor_description.allocation_description
            allocation.allocator_name = _allocator(node)
            allocation.requested_bytes = count * value.dtype.size
            total += allocation.requested_bytes
    return total


def _add_background_spans(run_metadata: protos.RunMetadata, spans: list[Span], offset: float) -> None:
    """Adds what other threads did for the input to `run_metadata.step_stats`, as a device of its own."""
    if not spans:
        return
    stats = run_metadata.step_stats.dev_stats.add(device="/host:CPU input")
    threads = {thread: i for i, thread in enumerate(dict.fromkeys(span.thread for span in spans))}
    for span in sorted(spans, key=lambda span: span.start):
        entry = stats.node_stats.add(node_name=span.name, timeline_label=f"{span.name} = {span.name}()")
        entry.thread_id = threads[span.thread]
        entry.all_start_micros = int((span.start + offset) * 1e6)
        entry.op_end_rel_micros = entry.all_end_rel_micros = max(1, round((span.end - span.start) * 1e6))


def _tensor_name(value: Value) -> str:
    """The name of a tensor as 1.x's statistics spell it: without the index of a first output."""
    name = value.node.name
    return name.removesuffix(":0") if not value.index else f"{name}:{value.index}"
