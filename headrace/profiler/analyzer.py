"""`tf.profiler`: profiles of a graph and of its traced runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.core import errors
from headrace.core.defaults import get_default_graph
from headrace.files import file_io
from headrace.files.paths import as_path
from headrace.messages import protos
from headrace.profiler.advice import ALL_ADVICE, advice_on
from headrace.profiler.options import Options, ProfileOptionBuilder
from headrace.profiler.pprof import write_pprof
from headrace.profiler.report import graph_node_proto, multi_graph_node_proto, report_of, text_of
from headrace.profiler.statistics import (
    NodeStatistics,
    add_means,
    counts_of_run,
    fill_shapes,
    merge_default_with_oplog,
    node_statistics,
)
from headrace.profiler.stored import check_profile, nodes_of_profile, profile_proto_of
from headrace.profiler.timeline import Timeline
from headrace.profiler.views import VIEWS, filled

if TYPE_CHECKING:
    from headrace.core.graph import Graph


_OUTPUTS = ("stdout", "none", "file", "timeline", "pprof")


class Profiler:
    """Profiles a graph over several traced steps.

    Args:
        graph: the `tf.Graph`; the default graph by default.
        op_log: an `OpLogProto` with types and flops of the program's own.

    Example:
        >>> metadata = tf.RunMetadata()
        >>> trace = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        >>> value = sess.run(loss, options=trace, run_metadata=metadata)
        >>> profiler = tf.profiler.Profiler(sess.graph)
        >>> profiler.add_step(0, metadata)
        >>> options = tf.profiler.ProfileOptionBuilder.trainable_variables_parameter()
        >>> options["output"] = "none"
        >>> profiler.profile_name_scope(options).total_parameters
        6
    """

    # A profile that was read from a file serves the profilers that are made, by `__new__`, without a graph.
    _read: ClassVar[Any] = None
    _graph: Any = None

    def __init__(self, graph: Graph | None = None, op_log: protos.OpLogProto | None = None) -> None:
        self._graph = get_default_graph() if graph is None else graph
        self._own_log = op_log
        self._op_log = merge_default_with_oplog(self._graph, op_log)
        self._steps: dict[int, Any] = {}

    def add_step(self, step: int, run_meta: protos.RunMetadata) -> None:
        """Adds a traced step: its number and `RunMetadata`."""
        self.add_step_of(self._graph, step, run_meta)

    def add_step_of(self, graph: Graph, step: int, run_meta: protos.RunMetadata) -> None:
        """Adds a traced step of another graph, which is the profiled one from then on."""
        self._graph = graph
        fill_shapes(self._graph, run_meta)
        self._op_log = merge_default_with_oplog(self._graph, self._own_log, run_meta)
        self._steps[step] = run_meta

    def profile_python(self, options: Options) -> Any:
        """By source line: a `MultiGraphNodeProto`."""
        return self._profile("code", options)

    def profile_operations(self, options: Options) -> Any:
        """By op type: a `MultiGraphNodeProto`."""
        return self._profile("op", options)

    def profile_name_scope(self, options: Options) -> Any:
        """By name scope: a `GraphNodeProto`."""
        return self._profile("scope", options)

    def profile_graph(self, options: Options) -> Any:
        """By what takes what: a `GraphNodeProto`."""
        return self._profile("graph", options)

    def advise(self, options: Mapping[str, Any] | None = None) -> Any:
        """What stands out in the steps, as an `AdviceProto`; it is printed too.

        Args:
            options: the names of the checkers to run, with options of theirs (there are none).
        """
        return advice_on(self._nodes(-1), ALL_ADVICE if options is None else options)

    def serialize_to_string(self) -> bytes:
        """The profile as the bytes of a `ProfileProto`."""
        if self._graph is None:
            return bytes(self._from_file().SerializeToString())
        nodes = node_statistics(self._graph, self._op_log, ())
        steps = {step: counts_of_run(nodes, run) for step, run in self._steps.items()}
        return bytes(profile_proto_of(nodes, steps).SerializeToString())

    def _from_file(self) -> Any:
        """The profile that `ProfilerFromFile` has read, for a profiler that was made without a graph."""
        if Profiler._read is None:
            raise errors.FailedPreconditionError(
                None, None, "This profiler has neither a graph nor a profile that was read by ProfilerFromFile."
            )
        return Profiler._read

    def _nodes(self, step: int) -> dict[str, NodeStatistics]:
        steps = self._steps if self._graph is not None else self._from_file().steps
        if step >= 0 and step not in steps:
            raise errors.InvalidArgumentError(None, None, f"step {step} was not added; there are {sorted(steps)}")
        if self._graph is None:
            nodes, counted = nodes_of_profile(self._from_file(), step)
            add_means(nodes, counted)
            return nodes
        runs = [self._steps[step]] if step >= 0 else list(self._steps.values())
        return node_statistics(self._graph, self._op_log, runs)

    def _profile(self, view: str, options: Options) -> Any:
        options = filled(options)
        step = options.get("step", -1)
        kind, path = _output(options)
        root = VIEWS[view](self._nodes(step), options)
        if kind == "timeline":
            self._write_timeline(path, step)
        elif kind == "pprof":
            refusal = write_pprof(path, root, view, options)
            if refusal is not None:
                sys.stderr.write(f"{refusal}\n")
        elif kind == "file":
            with open(path, "w") as file:
                file.write(text_of(root, view, options))
        elif kind == "stdout":
            sys.stdout.write(report_of(root, view, options))
            sys.stdout.flush()
        return graph_node_proto(root) if view in ("scope", "graph") else multi_graph_node_proto(root, view == "op")

    def _write_timeline(self, path: str, step: int) -> None:
        chosen = step if step >= 0 else max(self._steps, default=None)
        if chosen is None:
            raise errors.InvalidArgumentError(None, None, "A timeline needs a traced run: pass its run_meta.")
        with open(f"{path}_{chosen}", "w") as file:
            file.write(Timeline(self._steps[chosen].step_stats).generate_chrome_trace_format(show_memory=True))


def _output(options: Options) -> tuple[str, str]:
    """Where the report goes: the kind and the path.

    Raises:
        InvalidArgumentError: for anything unknown.
    """
    text = options.get("output", "stdout")
    if options.get("dump_to_file"):
        return "file", options["dump_to_file"]
    kind, _, rest = text.partition(":")
    path = rest.removeprefix("outfile=")
    if kind not in _OUTPUTS or (kind in ("file", "timeline", "pprof") and not path):
        raise errors.InvalidArgumentError(None, None, f"Unknown output option: {text}")
    return kind, path


def ProfilerFromFile(path: str | bytes) -> None:
    """Reads a profile, as `serialize_to_string` wrote it, for profilers that are made without a graph.

    Args:
        path: the file.

    Raises:
        NotFoundError: if there is no such file; DataLossError: if it is not a whole profile.
    """
    from google.protobuf.message import DecodeError

    name = as_path(path)
    if not file_io.file_exists(name):
        raise errors.NotFoundError(None, None, f"{name}; No such file or directory")
    profile = protos.ProfileProto()
    try:
        with file_io.FileIO(name, "rb") as file:
            profile.ParseFromString(file.read())
    except DecodeError:
        raise errors.DataLossError(None, None, f"{name} is not a profile") from None
    check_profile(profile, name)
    Profiler._read = profile


def DeleteProfiler() -> None:
    """Forgets what `ProfilerFromFile` read."""
    Profiler._read = None


def profile(
    graph: Graph | None = None,
    run_meta: protos.RunMetadata | None = None,
    op_log: protos.OpLogProto | None = None,
    cmd: str = "scope",
    options: Options | None = None,
) -> Any:
    """Profiles a graph, and one traced run of it where there is one.

    Args:
        graph: the `tf.Graph`; the default graph by default.
        run_meta: the `RunMetadata` of a run with FULL_TRACE: times, memory, and shapes the graph does not know.
        op_log: an `OpLogProto` with types and flops of the program's own.
        cmd: "scope", "graph", "op" or "code".
        options: from `tf.profiler.ProfileOptionBuilder`; the parameters of trainable variables by default.

    Returns:
        a `GraphNodeProto` ("scope", "graph") or `MultiGraphNodeProto` ("op", "code"), with what was counted in fields such
        as `total_float_ops` and `total_parameters`.

    Raises:
        InvalidArgumentError: if there is no such `cmd`.

    Example:
        >>> with tf.Graph().as_default() as graph:
        ...     product = tf.matmul(tf.ones([4, 3]), tf.ones([3, 2]))
        >>> options = tf.profiler.ProfileOptionBuilder.float_operation()
        >>> options["output"] = "none"
        >>> tf.profiler.profile(graph, options=options).total_float_ops
        48
    """
    if cmd not in VIEWS:
        raise errors.InvalidArgumentError(None, None, f"unknown cmd: {cmd}")
    profiler = _profiler(graph, run_meta, op_log)
    return profiler._profile(cmd, options or ProfileOptionBuilder.trainable_variables_parameter())


def advise(
    graph: Graph | None = None, run_meta: protos.RunMetadata | None = None, options: Mapping[str, Any] | None = None
) -> Any:
    """What stands out in a traced run, as an `AdviceProto`; it is printed too.

    Args:
        graph: the `tf.Graph`; the default graph by default.
        run_meta: the `RunMetadata` of a run with FULL_TRACE.
        options: the names of the checkers to run; all by default.
    """
    return _profiler(graph, run_meta, None).advise(options or None)


def _profiler(graph: Graph | None, run_meta: protos.RunMetadata | None, op_log: protos.OpLogProto | None) -> Profiler:
    if graph is None:
        graph = get_default_graph()
    if run_meta is not None:
        fill_shapes(graph, run_meta)
    profiler = Profiler(graph, op_log)
    if run_meta is not None:
        profiler._steps[0] = run_meta
    return profiler


def write_op_log(
    graph: Graph, log_dir: str, op_log: Any = None, run_meta: protos.RunMetadata | None = None, add_trace: bool = True
) -> None:
    """Writes what is known of a graph's nodes to the file "tfprof_log" in a folder.

    Args:
        graph: the `tf.Graph`; the default graph where it is None.
        log_dir: the folder.
        op_log: an `OpLogProto` with types and flops of the program's own.
        run_meta: the `RunMetadata` of a traced run, for shapes that the graph does not know.
        add_trace: whether to add source lines.
    """
    found = merge_default_with_oplog(get_default_graph() if graph is None else graph, op_log, run_meta, add_trace)
    with open(os.path.join(log_dir, "tfprof_log"), "wb") as file:
        file.write(found.SerializeToString())
