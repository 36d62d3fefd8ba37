"""What is known of each node: from the graph, from traced runs, from logs of the program's own."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from headrace.core.framework_ops import get_stats_for_node_def
from headrace.messages import protos
from headrace.profiler import flops as _flops  # noqa: F401 -- registers the counts
from headrace.profiler.options import TRAINABLE_VARIABLES

if TYPE_CHECKING:
    from headrace.core.graph import Graph


_LINE = re.compile(r"(.*?):(-?[0-9]+):(.*)", re.DOTALL)


@dataclass(slots=True)
class Counts:
    """Amounts that add up."""

    exec_micros: int = 0
    accelerator_exec_micros: int = 0
    cpu_exec_micros: int = 0
    requested_bytes: int = 0
    peak_bytes: int = 0
    residual_bytes: int = 0
    output_bytes: int = 0
    parameters: int = 0
    float_ops: int = 0
    run_count: int = 0
    definition_count: int = 0

    def add(self, other: Counts) -> None:
        """Adds what `other` counts."""
        for name in AMOUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))


AMOUNTS = tuple(Counts.__dataclass_fields__)


@dataclass(slots=True)
class NodeStatistics:
    """What is known of one node.

    Attributes:
        name: its name.
        types: its op type, device, and what logs call it.
        counts: what it costs in a step.
        inputs: the names of the nodes before it.
        shape: of a variable or placeholder, its shape.
        input_shapes: by position.
        trace: the source lines that led to it, outermost first.
        is_gradient: whether that is the trace of the operation it is the gradient of.
        devices: where it ran.
        span: when it began and when it ended in the last run, in microseconds.
        data_format: its attribute of that name, "" where it has none.
    """

    name: str
    op_type: str = ""
    types: list[str] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    inputs: list[str] = field(default_factory=list)
    shape: tuple[int, ...] | None = None
    input_shapes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    trace: list[str] = field(default_factory=list)
    is_gradient: bool = False
    devices: list[str] = field(default_factory=list)
    span: tuple[int, int] | None = None
    data_format: str = ""


def fill_shapes(graph: Graph, run_meta: protos.RunMetadata) -> None:
    """Gives tensors of unknown shape the shape they had in a traced run."""
    for device in run_meta.step_stats.dev_stats:
        for node in device.node_stats:
            try:
                operation = graph.get_operation_by_name(node.node_name)
            except KeyError:
                continue
            if len(node.output) != len(operation.outputs):
                continue
            for tensor, output in zip(operation.outputs, node.output, strict=True):
                sizes = [dim.size for dim in output.tensor_description.shape.dim]
                if tensor.get_shape().is_fully_defined() or min(sizes, default=0) < 0:
                    continue
                if not tensor.get_shape().is_compatible_with(sizes):
                    sys.stderr.write(f"Node {node.node_name} incompatible shapes: {tensor.get_shape()} and {sizes}.\n")
                    continue
                tensor.set_shape(sizes)


def op_log_of(
    graph: Graph, run_meta: protos.RunMetadata | None = None, add_trace: bool = True, add_trainable_var: bool = True
) -> protos.OpLogProto:
    """What the graph itself says of its nodes, as an `OpLogProto`: their flops, types and source lines.

    Args:
        graph: the `tf.Graph`.
        run_meta: the `RunMetadata` of a traced run, whose shapes are taken where the graph knows none.
        add_trace: whether to add source lines.
        add_trainable_var: whether trainable variables get the type "_trainable_variables".
    """
    if run_meta is not None:
        fill_shapes(graph, run_meta)
    log = protos.OpLogProto()
    trainable = set()
    if add_trainable_var:
        trainable = {variable.op.name for variable in graph.get_collection("trainable_variables")}
    texts: dict[str, int] = {"none": 0}
    missing = 0
    for operation in graph.get_operations():
        entry = protos.OpLogEntry(name=operation.name)
        try:
            entry.float_ops = int(get_stats_for_node_def(graph, operation.node_def, "flops").value or 0)
        except ValueError:
            missing += 1
        if add_trace:
            for path, line, function, text in operation.traceback:
                ids = [texts.setdefault(item, len(texts)) if item else 0 for item in (path, function, text)]
                entry.code_def.traces.add(file_id=ids[0], lineno=line, function_id=ids[1], line_id=ids[2])
        if operation.name in trainable:
            entry.types.append(TRAINABLE_VARIABLES)
        if add_trace or entry.float_ops or entry.types:
            log.log_entries.append(entry)
    for text, number in texts.items():
        log.id_to_string[number] = text
    if missing and run_meta is None:
        sys.stderr.write(f"{missing} ops no flops stats due to incomplete shapes.\n")
    return log


def merge_default_with_oplog(
    graph: Graph,
    op_log: protos.OpLogProto | None = None,
    run_meta: protos.RunMetadata | None = None,
    add_trace: bool = True,
    add_trainable_var: bool = True,
) -> protos.OpLogProto:
    """`op_log_of` the graph, with what a log of the program's own adds to it or says otherwise.

    Args:
        op_log: an `OpLogProto`; its flops take the place of those counted here, its types are added.
    """
    found = op_log_of(graph, run_meta, add_trace, add_trainable_var)
    if op_log is None:
        return found
    entries = {entry.name: entry for entry in found.log_entries}
    for entry in op_log.log_entries:
        have = entries.get(entry.name)
        if have is None:
            found.log_entries.add().CopyFrom(entry)
            continue
        if entry.float_ops:
            have.float_ops = entry.float_ops
        have.types.extend(kind for kind in entry.types if kind not in have.types)
        if not have.code_def.traces:
            have.code_def.CopyFrom(entry.code_def)
    for number, text in op_log.id_to_string.items():
        if number not in found.id_to_string:
            found.id_to_string[number] = text
    return found


def node_statistics(graph: Any, op_log: protos.OpLogProto, runs: Iterable[Any]) -> dict[str, NodeStatistics]:
    """What is known of each node.

    Args:
        graph: the `tf.Graph`.
        op_log: what `merge_default_with_oplog` found.
        runs: the `RunMetadata` of the steps to take the mean of; none for counts that need no run.
    """
    nodes: dict[str, NodeStatistics] = {}
    for operation in graph.get_operations():
        node = nodes[operation.name] = NodeStatistics(operation.name, operation.type, [operation.type])
        node.counts.definition_count = 1
        before = [tensor.op.name for tensor in operation.inputs]
        # Those that are only waited for come by name, as in a GraphDef.
        node.inputs = list(dict.fromkeys([*before, *sorted(source.name for source in operation.control_inputs)]))
        layout = operation.attrs.get("data_format")
        node.data_format = layout if isinstance(layout, str) else ""
        dims = operation.attrs.get("shape")
        if isinstance(dims, tuple) and operation.type not in ("Reshape", "Fill"):
            node.shape = tuple(-1 if dim is None else int(dim) for dim in dims)
            if -1 not in node.shape:
                node.counts.parameters = math.prod(node.shape)
        for i, tensor in enumerate(operation.inputs):
            if tensor.dims is not None and None not in tensor.dims:
                node.input_shapes[i] = tuple(tensor.dims)
    strings = dict(op_log.id_to_string.items())
    for entry in op_log.log_entries:
        if entry.name not in nodes:
            continue
        node = nodes[entry.name]
        node.counts.float_ops = entry.float_ops
        node.types.extend(entry.types)
        for trace in entry.code_def.traces:
            path = strings.get(trace.file_id, "none")
            function = strings.get(trace.function_id, "none")
            node.trace.append(f"{path.rpartition('/')[2]}:{trace.lineno}:{function}")
    trace_gradients(nodes)
    add_means(nodes, [counts_of_run(nodes, run) for run in runs])
    return nodes


def parts_of_line(line: str) -> tuple[str, int, str]:
    """A source line of a trace, `path:number:function`, in parts; paths and functions may have colons too."""
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"a source line is path:number:function, got {line!r}")
    return found[1], int(found[2]), found[3]


def trace_gradients(nodes: Mapping[str, NodeStatistics]) -> None:
    """Gives the nodes of gradients the source lines of the operations that they are the gradients of, none without such."""
    forward = {name: node for name, node in nodes.items() if _differentiated(name) is None}
    for name, node in nodes.items():
        source = _differentiated(name)
        if source is not None:
            node.trace, node.is_gradient = forward[source].trace if source in forward else [], True


def _differentiated(name: str) -> str | None:
    """Of a node in `gradients/x_grad/` the name x; None for one that is of no gradient."""
    _, found, rest = name.partition("gradients/")
    source, ends, _ = rest.partition("_grad/")
    return source if found and ends and source else None


def counts_of_run(nodes: dict[str, NodeStatistics], run: Any) -> dict[str, Counts]:
    """What nodes cost in a traced run, a `RunMetadata`, by name; notes with the nodes where they ran."""
    found: dict[str, Counts] = {}
    for device in run.step_stats.dev_stats:
        accelerated = "gpu" in device.device.lower()
        for stats in device.node_stats:
            node = nodes.get(stats.node_name)
            if node is None:
                continue
            name = device.device.lower()
            if name not in node.devices:
                node.devices.append(name)
                node.types.insert(0, name)
            taken = stats.op_end_rel_micros
            begin, end = node.span if stats.node_name in found and node.span else (stats.all_start_micros, 0)
            node.span = min(begin, stats.all_start_micros), max(end, stats.all_start_micros + taken)
            size = sum(o.tensor_description.allocation_description.requested_bytes for o in stats.output)
            found.setdefault(stats.node_name, Counts()).add(
                Counts(
                    exec_micros=taken,
                    accelerator_exec_micros=taken if accelerated else 0,
                    cpu_exec_micros=0 if accelerated else taken,
                    requested_bytes=size,
                    peak_bytes=size,
                    residual_bytes=size,
                    output_bytes=size,
                    run_count=1,
                )
            )
    return found


def add_means(nodes: dict[str, NodeStatistics], runs: Sequence[Mapping[str, Counts]]) -> None:
    """Adds to nodes the mean of what they cost in some runs."""
    totals: dict[str, Counts] = {}
    for run in runs:
        for name, counts in run.items():
            totals.setdefault(name, Counts()).add(counts)
    for name, total in totals.items():
        for amount in AMOUNTS:
            setattr(total, amount, round(getattr(total, amount) / len(runs)))
        nodes[name].counts.add(total)
