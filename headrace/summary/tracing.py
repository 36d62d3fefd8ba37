"""`tf.compat.v2.summary.trace_on`: the graphs of the functions that eager execution calls, written as a summary."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import device, get_default_graph
from headrace.core.eager import eager_graph, executing_eagerly
from headrace.core.framework_ops import inside_function
from headrace.core.registry import CALLS
from headrace.core.tensor import Tensor
from headrace.messages import protos
from headrace.ops.array.constant import constant
from headrace.summary.summary_v2 import plugin_metadata, summary_scope, write
from headrace.summary.trace_files import trace_of_calls, write_trace
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_VERSION = b"1"


class _Trace:
    """What is collected between `trace_on` and `trace_export`: each function that was called, once.

    Args:
        graph: whether the functions are collected.
        profiler: whether it is noted when operations were done.
    """

    def __init__(self, graph: bool, profiler: bool) -> None:
        self.functions: dict[str, Any] = {}
        self.graph, self.profiler = graph, profiler
        self.begin = time.time()
        self.calls: list[tuple[str, float]] = []

    def note(self, op_type: str, inputs: TensorLike, attrs: Any, outputs: Any, name: Any) -> None:
        """Notes the function of a call; called after each eager operation."""
        del inputs, outputs, name
        if self.profiler:
            self.calls.append((op_type, time.time()))
        if op_type not in CALLS:
            return
        function = dict(zip(attrs[::2], attrs[1::2], strict=True))["f"]
        self.functions.setdefault(str(function), get_default_graph()._functions.get(function))

    def run_metadata(self) -> Any:
        """The bodies of the functions, as a `RunMetadata` message."""
        message = protos.RunMetadata()
        for function in self.functions.values():
            if function is not None:
                body = function.graph.as_graph_def(add_shapes=True)
                message.function_graphs.add(pre_optimization_graph=body)
        return message


_lock = threading.Lock()
_trace: _Trace | None = None


def trace_on(graph: bool = True, profiler: bool = False) -> None:
    """Begins to collect the graphs of functions that are called eagerly; does nothing but warn elsewhere.

    Args:
        graph: whether graphs are collected.
        profiler: whether to note when operations were done, for TensorBoard's profiles; graphs are collected too then.

    Example:
        >>> tf.enable_eager_execution()
        >>> double = tf.function(lambda x: 2 * x)
        >>> tf.compat.v2.summary.trace_on()
        >>> four = double(2)
        >>> with tf.compat.v2.summary.create_file_writer("logs").as_default():
        ...     tf.compat.v2.summary.trace_export("double", step=0)
    """
    global _trace
    if inside_function():
        tf_logging.warn("Cannot enable trace inside a tf.function.")
        return
    if not executing_eagerly():
        tf_logging.warn("Must enable trace in eager mode.")
        return
    with _lock:
        if _trace is not None:
            tf_logging.warn("Trace already enabled")
            return
        _trace = _Trace(graph, profiler)
        if graph or profiler:
            whole = eager_graph()
            whole.callbacks = (*whole.callbacks, _trace.note)


def trace_export(name: str, step: Tensor | None = None, profiler_outdir: str | None = None) -> None:
    """Ends what `trace_on` began and writes what was collected; does nothing but warn where nothing runs eagerly.

    Args:
        name: the tag, with the scopes around it.
        step: an int64 number; that of `set_step` by default.
        profiler_outdir: the folder, as TensorBoard is given it, for the times that `trace_on(profiler=True)` noted.

    Raises:
        ValueError: if nothing was begun, there is a writer but no step, or there are times and no folder.
    """
    if inside_function():
        tf_logging.warn("Cannot export trace inside a tf.function.")
        return
    if not executing_eagerly():
        tf_logging.warn("Can only export trace while executing eagerly.")
        return
    with _lock:
        trace = _trace
    if trace is None:
        raise ValueError("Must enable trace before export.")
    if trace.profiler and profiler_outdir is None:
        raise ValueError("trace_export needs profiler_outdir, the folder for what trace_on(profiler=True) noted.")
    # What is written here is no part of what is traced.
    trace_off()
    write_summary = run_metadata_graphs if trace.graph and not trace.profiler else run_metadata
    write_summary(name, trace.run_metadata(), step)
    if trace.profiler and profiler_outdir is not None:
        write_trace(profiler_outdir, trace_of_calls(name, trace.begin, time.time(), trace.calls))


def trace_off() -> None:
    """Ends what `trace_on` began, and forgets it."""
    global _trace
    with _lock:
        trace, _trace = _trace, None
    if trace is not None:
        whole = eager_graph()
        whole.callbacks = tuple(callback for callback in whole.callbacks if callback != trace.note)


def _write_text(name: str, default_name: str, plugin: str, data: Any, step: Any, text: Callable[[], Any]) -> Tensor:
    with summary_scope(name, default_name, [data, step]) as (tag, _):
        with device("cpu:0"):
            tensor = constant(text())
        return write(tag, tensor, step, plugin_metadata(plugin, _VERSION))


def run_metadata(name: str, data: Any, step: Tensor | None = None) -> Tensor:
    """Writes a `RunMetadata`, for TensorBoard's graphs.

    Args:
        name: the tag, with the scopes around it.
        data: a `tf.RunMetadata`.
        step: an int64 number; that of `set_step` by default.

    Returns:
        a bool tensor, shape []: whether it was written.

    Raises:
        ValueError: if there is a writer but no step.
    """
    return _write_text(name, "graph_run_metadata_summary", "graph_run_metadata", data, step, data.SerializeToString)


def run_metadata_graphs(name: str, data: Any, step: Tensor | None = None) -> Tensor:
    """As `run_metadata`, only the graphs that the message has."""
    graphs = protos.RunMetadata(function_graphs=data.function_graphs, partition_graphs=data.partition_graphs)
    return _write_text(
        name, "graph_run_metadata_graph_summary", "graph_run_metadata_graph", data, step, graphs.SerializeToString
    )


def keras_model(name: str, data: Any, step: Tensor | None = None) -> Any:
    """Writes the layers of a Keras model, for TensorBoard's graphs.

    Args:
        name: the tag, with the scopes around it.
        data: the model; one that has no JSON form is passed over with a warning.
        step: an int64 number; that of `set_step` by default.

    Returns:
        a bool tensor, shape [], whether it was written; False for a model without a JSON form.

    Raises:
        ValueError: if there is a writer but no step.
    """
    try:
        described = data.to_json()
    except (AttributeError, NotImplementedError, TypeError, ValueError) as error:
        tf_logging.warn("Model failed to serialize as JSON. Ignoring... %s", error)
        return False
    return _write_text(name, "graph_keras_model", "graph_keras_model", data, step, lambda: described)
