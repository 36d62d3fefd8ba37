"""Which tensors a run is to show: filling `RunOptions.debug_options`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.core.graph import Graph
    from headrace.core.tensor import Tensor
    from headrace.messages import protos


def add_debug_tensor_watch(
    run_options: protos.RunOptions,
    node_name: str,
    output_slot: int = 0,
    debug_ops: str | Sequence[str] = "DebugIdentity",
    debug_urls: str | Sequence[str] | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
) -> None:
    """Asks for one tensor in a `RunOptions`.

    Args:
        run_options: a `RunOptions`, added to.
        node_name: the operation.
        output_slot: which of its outputs.
        debug_ops: what to make of it: "DebugIdentity" (itself), "DebugNanCount", "DebugNumericSummary".
        debug_urls: where to write it: "file:///tmp/dump".
        tolerate_debug_op_creation_failures: as in 1.x; no creation fails here.
        global_step: the step, for those who read the dump.
    """
    watch = run_options.debug_options.debug_tensor_watch_opts.add(
        node_name=node_name,
        output_slot=output_slot,
        tolerate_debug_op_creation_failures=tolerate_debug_op_creation_failures,
    )
    watch.debug_ops.extend([debug_ops] if isinstance(debug_ops, str) else debug_ops)
    watch.debug_urls.extend([debug_urls] if isinstance(debug_urls, str) else debug_urls or ())
    run_options.debug_options.global_step = global_step


def watch_graph(
    run_options: protos.RunOptions,
    graph: Graph,
    debug_ops: str | Sequence[str] = "DebugIdentity",
    debug_urls: str | Sequence[str] | None = None,
    node_name_regex_whitelist: str | None = None,
    op_type_regex_whitelist: str | None = None,
    tensor_dtype_regex_whitelist: str | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
    reset_disk_byte_usage: bool = False,
) -> None:
    """Asks for all tensors of a graph, or for those whose node, op type and dtype match regular expressions.

    Args:
        run_options: a `RunOptions`, added to.
        graph: the `tf.Graph`.
        debug_ops, debug_urls, tolerate_debug_op_creation_failures, global_step: see `add_debug_tensor_watch`.
        node_name_regex_whitelist, op_type_regex_whitelist, tensor_dtype_regex_whitelist: what must match, from its
            beginning.
        reset_disk_byte_usage: whether the disk space used counts from 0 again.

    Raises:
        ValueError: if there are no debug ops or URLs.

    Example:
        >>> from headrace.python import debug as tf_debug
        >>> options, metadata = tf.RunOptions(output_partition_graphs=True), tf.RunMetadata()
        >>> tf_debug.watch_graph(options, sess.graph, debug_urls=[f"file://{os.getcwd()}/dump"])
        >>> value = sess.run(loss, options=options, run_metadata=metadata)
        >>> dump = tf_debug.DebugDumpDir("dump", partition_graphs=metadata.partition_graphs)
        >>> "loss" in dump.nodes()
        True
    """

    def chosen(tensor: Tensor) -> bool:
        return all(
            pattern is None or re.match(pattern, text) is not None
            for pattern, text in (
                (node_name_regex_whitelist, tensor.op.name),
                (op_type_regex_whitelist, tensor.op.type),
                (tensor_dtype_regex_whitelist, tensor.dtype.name),
            )
        )

    everything = not (node_name_regex_whitelist or op_type_regex_whitelist or tensor_dtype_regex_whitelist)
    _watch(
        run_options,
        graph,
        chosen,
        everything,
        debug_ops,
        debug_urls,
        tolerate_debug_op_creation_failures,
        global_step,
        reset_disk_byte_usage,
    )


def watch_graph_with_blacklists(
    run_options: protos.RunOptions,
    graph: Graph,
    debug_ops: str | Sequence[str] = "DebugIdentity",
    debug_urls: str | Sequence[str] | None = None,
    node_name_regex_blacklist: str | None = None,
    op_type_regex_blacklist: str | None = None,
    tensor_dtype_regex_blacklist: str | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
    reset_disk_byte_usage: bool = False,
) -> None:
    """Asks for all tensors of a graph but those whose node, op type or dtype matches a regular expression.

    Args:
        node_name_regex_blacklist, op_type_regex_blacklist, tensor_dtype_regex_blacklist: what must not match.
        run_options, graph, debug_ops, debug_urls, tolerate_debug_op_creation_failures, global_step,
            reset_disk_byte_usage: see `watch_graph`.

    Raises:
        ValueError: if there are no debug ops or URLs.
    """

    def chosen(tensor: Tensor) -> bool:
        return not any(
            pattern is not None and re.match(pattern, text) is not None
            for pattern, text in (
                (node_name_regex_blacklist, tensor.op.name),
                (op_type_regex_blacklist, tensor.op.type),
                (tensor_dtype_regex_blacklist, tensor.dtype.name),
            )
        )

    everything = not (node_name_regex_blacklist or op_type_regex_blacklist or tensor_dtype_regex_blacklist)
    _watch(
        run_options,
        graph,
        chosen,
        everything,
        debug_ops,
        debug_urls,
        tolerate_debug_op_creation_failures,
        global_step,
        reset_disk_byte_usage,
    )


def watch_graph_with_denylists(
    run_options: protos.RunOptions,
    graph: Graph,
    debug_ops: str | Sequence[str] = "DebugIdentity",
    debug_urls: str | Sequence[str] | None = None,
    node_name_regex_denylist: str | None = None,
    op_type_regex_denylist: str | None = None,
    tensor_dtype_regex_denylist: str | None = None,
    tolerate_debug_op_creation_failures: bool = False,
    global_step: int = -1,
    reset_disk_byte_usage: bool = False,
) -> None:
    """`watch_graph_with_blacklists` under its later name."""
    watch_graph_with_blacklists(
        run_options,
        graph,
        debug_ops,
        debug_urls,
        node_name_regex_denylist,
        op_type_regex_denylist,
        tensor_dtype_regex_denylist,
        tolerate_debug_op_creation_failures,
        global_step,
        reset_disk_byte_usage,
    )


def _watch(
    run_options: protos.RunOptions,
    graph: Graph,
    chosen: Callable[[Any], bool],
    everything: bool,
    debug_ops: str | Sequence[str],
    debug_urls: str | Sequence[str] | None,
    tolerate: bool,
    global_step: int,
    reset_disk_byte_usage: bool,
) -> None:
    if not debug_ops:
        raise ValueError("debug_ops must not be empty or None.")
    if not debug_urls:
        raise ValueError("debug_urls must not be empty or None.")
    for operation in graph.get_operations():
        for tensor in operation.outputs:
            if chosen(tensor):
                add_debug_tensor_watch(
                    run_options, operation.name, tensor.value_index, debug_ops, debug_urls, tolerate, global_step
                )
    if everything:
        add_debug_tensor_watch(run_options, "*", -1, debug_ops, debug_urls, tolerate, global_step)
    run_options.debug_options.reset_disk_byte_usage = reset_disk_byte_usage
