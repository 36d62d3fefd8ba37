"""The learning phase, names of objects, and starting afresh."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from headrace.core.defaults import get_default_graph, reset_default_graph
from headrace.core.eager import eager_graph, executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.keras.backend.sessions import forget_session
from headrace.layers.context import (
    chosen_phases,
    default_training,
    forget_graph,
    forget_names,
    get_graph,
    names_of_graph,
    symbolic_phase,
)
from headrace.layers.context import learning_phase as learning_phase
from headrace.layers.context import unique_object_name as unique_object_name
from headrace.state.scoping import init_scope, makes_eager_variables


def symbolic_learning_phase() -> Any:
    """The learning phase of the graph that symbolic tensors belong to."""
    return symbolic_phase(get_graph())


def global_learning_phase_is_set() -> bool:
    """Whether a program that executes eagerly has set the learning phase."""
    return makes_eager_variables() and eager_graph() in chosen_phases()


def _phase_for_layers() -> Any:
    return chosen_phases().get(eager_graph()) if global_learning_phase_is_set() else None


def _checked(value: int) -> int:
    if value not in {0, 1}:
        raise ValueError("Expected learning phase to be 0 or 1.")
    return value


def _set(graph: Graph, value: int | None) -> None:
    """Sets the phase of a graph, or with None lets go of it."""
    if value is None:
        chosen_phases().pop(graph, None)
    else:
        chosen_phases()[graph] = value
    if graph.is_eager:
        # Layers that are called eagerly take it for an argument that was given.
        default_training[:] = [] if value is None else [_phase_for_layers]


def set_learning_phase(value: int) -> None:
    """Sets whether layers train that are not told: for the graph, or for all eager execution.

    Args:
        value: 0 to test, 1 to train.

    Raises:
        ValueError: for other values.

    Example:
        >>> tf.keras.backend.set_learning_phase(0)  # before the model is made: it will be used, not trained
    """
    _checked(value)
    with init_scope():
        if executing_eagerly():
            _set(get_default_graph(), value)
        _set(get_graph(), value)


@contextlib.contextmanager
def learning_phase_scope(value: int) -> Iterator[None]:
    """A context in which the learning phase is `value`, 0 or 1.

    Raises:
        ValueError: for other values.
    """
    _checked(value)
    with init_scope():
        graphs = [get_graph(), *([get_default_graph()] if executing_eagerly() else [])]
        before = [chosen_phases().get(graph) for graph in graphs]
    try:
        set_learning_phase(value)
        yield
    finally:
        for graph, known in zip(graphs, before):
            _set(graph, known)


@contextlib.contextmanager
def eager_learning_phase_scope(value: int) -> Iterator[None]:
    """A context in which the learning phase of eager execution is `value`, and that of the graph of symbols as it was."""
    assert makes_eager_variables(), "only for programs that execute eagerly"
    _checked(value)
    graph = eager_graph()
    before = chosen_phases().get(graph)
    try:
        _set(graph, value)
        yield
    finally:
        _set(graph, before)


def get_uid(prefix: str = "") -> int:
    """A number, counting up from 1 for each `prefix` in a graph.

    Args:
        prefix: what the number is for.

    Example:
        >>> tf.keras.backend.get_uid("dense"), tf.keras.backend.get_uid("dense")
        (1, 2)
    """
    with get_graph().as_default():
        counts = names_of_graph()
    counts["", prefix] += 1
    return counts["", prefix]


def get_default_graph_uid_map() -> Any:
    """How many objects of each (namespace, name) the graph has."""
    return names_of_graph()


def reset_uids() -> None:
    """Makes `get_uid` and the names of layers count from the beginning again."""
    forget_names()


def clear_session() -> None:
    """Starts afresh: an empty default graph, no session, names and numbers from the beginning.

    Models made before are of no use afterwards. Call it between models of one process, so that the first is forgotten.
    """
    reset_uids()
    forget_session()
    forget_graph()
    if not isinstance(get_default_graph(), FuncGraph):
        reset_default_graph()
    chosen_phases().clear()
    default_training.clear()
    # 1.15 makes it at once, so that the names after it are these.
    symbolic_learning_phase()
