"""The surroundings in which variables are made: out of control flow, and through the creators in force."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from headrace.core.defaults import get_default_graph, global_graph
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.stacks import default_graphs

_CREATORS = ("__variable_creators",)


@contextlib.contextmanager
def init_scope() -> Iterator[None]:
    """A context in which operations are made outside of all functions, branches and loops and wait for nothing.

    The name scope stays, and so do the device scopes of the innermost function, branch or loop that has some; with eager
    execution it is the device that the innermost of them names. Initial values are made in it, so that they do not come to
    depend on where in the program the variable was first asked for.

    Example:
        >>> with tf.control_dependencies([loss]), tf.init_scope():
        ...     start = tf.constant(0)  # does not wait for `loss`
        >>> start.op.control_inputs
        []
    """
    graph = get_default_graph()
    scope = graph.get_name_scope()
    devices = graph._scopes.devices
    for around in _enclosing(graph):
        graph, devices = around, devices or around._scopes.devices
    if graph.is_eager:
        devices = _named_device(graph, devices)
    with (
        graph.as_default(),
        graph.name_scope(scope + "/" if scope else ""),
        graph.control_dependencies(None),
        graph._under_device_scopes(devices),
    ):
        yield


def _enclosing(graph: Graph) -> Iterator[Graph]:
    """The graphs around one that is the body of a function, up to the first that is none.

    One that a program only declares to be a body lies in the graph in which it was entered.
    """
    entered = list(default_graphs.items)
    while graph.building_function:
        if isinstance(graph, FuncGraph):
            graph = graph.outer_graph
        else:
            while entered and entered.pop() is not graph:
                pass
            graph = entered[-1] if entered else global_graph()
        yield graph


def outside_of_bodies() -> AbstractContextManager[None]:
    """`init_scope` in a branch or a loop; elsewhere a context that changes nothing."""
    in_body = get_default_graph()._get_control_flow_context() is not None
    return init_scope() if in_body else contextlib.nullcontext()


def _named_device(graph: Graph, devices: list[Any]) -> list[Any]:
    """The scope of the eager graph for the innermost device that scopes name; functions of operations name none."""
    for scope in reversed(devices):
        if scope is None:
            break
        if scope.named is not None:
            return [graph._device_scope(scope.named)]
    return []


def name_from_scope_name(name: str) -> str:
    """The name of the operation that stands for a name scope: without the slash at its end."""
    return name[:-1] if name.endswith("/") else name


def makes_eager_variables() -> bool:
    """Whether variables made here are eager ones."""
    # A function traced while executing eagerly makes its variables outside of it.
    graph = get_default_graph()
    *_, graph = graph, *_enclosing(graph)
    return graph.is_eager


class _Creators(threading.local):
    def __init__(self) -> None:
        self.stack: list[Callable[..., Any]] = []


def creators_of(graph: Graph) -> _Creators:
    """The variable creators in force in `graph` for this thread, outermost first."""
    kept = graph.get_collection_ref(_CREATORS)
    if not kept:
        kept.append(_Creators())
    return kept[0]


@contextlib.contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any], graph: Graph | None = None) -> Iterator[None]:
    """A context in which `variable_creator` makes, or passes on the making of, every variable.

    Args:
        variable_creator: called as `f(next_creator, **kwargs)` with the arguments of `tf.Variable` by keyword; returns
            a variable, usually that of `next_creator(**kwargs)`.
        graph: the graph it is for; the default graph if None.

    Raises:
        RuntimeError: where it is left before one that was entered after it.

    Example:
        >>> def on_cpu(next_creator, **kwargs):
        ...     with tf.device("/cpu:0"):
        ...         return next_creator(**kwargs)
        >>> with tf.variable_creator_scope(on_cpu):
        ...     v = tf.Variable(1.0)
    """
    creators = creators_of(get_default_graph() if graph is None else graph)
    outer = creators.stack
    inner = creators.stack = [*outer, variable_creator]
    try:
        yield
    finally:
        if creators.stack is not inner:
            raise RuntimeError("Exiting variable_creator_scope without proper nesting.")
        creators.stack = outer
