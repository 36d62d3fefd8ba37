"""Running outputs of graphs some steps, from a checkpoint or from their initializers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headrace.checkpoints.saver import Saver
from headrace.core.collections import GraphKeys
from headrace.core.defaults import get_collection
from headrace.core.graph import Graph
from headrace.core.tensor import Tensor
from headrace.lookup.tables import tables_initializer
from headrace.ops.flow.grouping import group
from headrace.runtime.session import Session
from headrace.sessions.coordinator import Coordinator
from headrace.sessions.queue_runner import start_queue_runners
from headrace.state.collecting import global_variables, global_variables_initializer, local_variables_initializer
from headrace.summary.writer import FileWriterCache


def _graph_of(outputs: Mapping[str, Any]) -> Graph:
    """The graph of tensors.

    Raises:
        ValueError: for no tensors, or those of several graphs.
    """
    graphs = {id(value.graph): value.graph for value in outputs.values() if isinstance(value, Tensor) or hasattr(
        value, "graph")}  # fmt: skip
    if len(graphs) != 1:
        raise ValueError(f"output_dict must hold tensors of one graph, got {sorted(outputs)} of {len(graphs)} graphs.")
    return next(iter(graphs.values()))


def run_feeds_iter(
    output_dict: Mapping[str, Any], feed_dicts: Iterable[Any], restore_checkpoint_path: str | None = None
) -> Iterator[dict[str, Any]]:
    """The values of outputs for one feed after the other.

    Args:
        output_dict: tensors by name.
        feed_dicts: what is fed at each step; None for nothing.
        restore_checkpoint_path: the checkpoint to start from; by default variables are initialized.

    Yields:
        values by name.

    Raises:
        ValueError: if there are no outputs.
    """
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}.")
    graph = _graph_of(output_dict)
    with graph.as_default():
        started = group(local_variables_initializer(), tables_initializer())
        with Session(graph=graph) as session:
            session.run(started)
            if restore_checkpoint_path:
                savers = get_collection(GraphKeys.SAVERS)
                (savers[0] if savers else Saver()).restore(session, restore_checkpoint_path)
            elif global_variables():
                session.run(global_variables_initializer())
            coordinator = Coordinator()
            threads = start_queue_runners(session, coord=coordinator)
            try:
                for feed in feed_dicts:
                    yield session.run(dict(output_dict), feed)
            finally:
                coordinator.request_stop()
                coordinator.join(threads, stop_grace_period_secs=120)


def run_feeds(
    output_dict: Mapping[str, Any], feed_dicts: Iterable[Any], restore_checkpoint_path: str | None = None
) -> list[dict[str, Any]]:
    """A list of what `run_feeds_iter` yields; arguments as there."""
    return list(run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path))


def run_n(
    output_dict: Mapping[str, Any],
    feed_dict: Mapping[Any, Any] | None = None,
    restore_checkpoint_path: str | None = None,
    n: int = 1,
) -> list[dict[str, Any]]:
    """The values of outputs, some times.

    Args:
        output_dict: tensors by name.
        feed_dict: what is fed.
        restore_checkpoint_path: see `run_feeds_iter`.
        n: how often.

    Returns:
        a list of values by name.

    Example:
        >>> tf.contrib.learn.run_n({"x": tf.constant(2) * 3}, n=2)
        [{'x': 6}, {'x': 6}]
    """
    return run_feeds(output_dict, [feed_dict] * n, restore_checkpoint_path)


def infer(
    restore_checkpoint_path: str | None, output_dict: Mapping[str, Any], feed_dict: Mapping[Any, Any] | None = None
) -> dict[str, Any]:
    """The values of outputs, once.

    Args:
        restore_checkpoint_path: see `run_feeds_iter`.
        output_dict: tensors by name.
        feed_dict: what is fed.
    """
    return run_n(output_dict, feed_dict, restore_checkpoint_path)[0]


def get_summary_writer(logdir: str) -> Any:
    """The writer of a folder, the same one at each call.

    Args:
        logdir: the folder.

    Returns:
        a `tf.summary.FileWriter`.
    """
    return FileWriterCache.get(logdir)


def clear_summary_writers() -> None:
    """Closes the writers of `get_summary_writer` and forgets them."""
    FileWriterCache.clear()
