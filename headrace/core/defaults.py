"""The default graph and session, and the functions that act on them: scopes, dependencies, devices, collections."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.stacks import DefaultStack, default_graphs, default_sessions
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from headrace.core.device import DeviceSpecV2
    from headrace.core.typing import TensorLike


class _OwnGraph(threading.local):
    """The graph of a thread that has entered none: each thread has its own."""

    graph: Graph | None = None


_own = _OwnGraph()
# Eager execution, where it is on, is what happens in all threads.
_eager: Graph | None = None


def get_default_graph() -> Graph:
    """The innermost graph entered with `as_default` in this thread, or the thread's own."""
    return default_graphs.items[-1] if default_graphs.items else global_graph()


def global_graph() -> Graph:
    """What operations are added to outside of all graphs: the thread's own graph, or eager execution."""
    if _eager is not None:
        return _eager
    if _own.graph is None:
        _own.graph = Graph()
    return _own.graph


def plain_graph() -> Graph:
    """The default graph, or while executing eagerly the one that would be if nothing did."""
    for graph in reversed(default_graphs.items):
        if not graph.is_eager:
            return graph
    if _own.graph is None:
        _own.graph = Graph()
    return _own.graph


def set_global_graph(graph: Graph) -> None:
    """Puts `graph` in the place of the thread's own; eager execution in that of every thread's."""
    global _eager
    if graph.is_eager:
        _eager = graph
    else:
        _eager, _own.graph = None, graph


def reset_default_graph() -> None:
    """Replaces the thread's default graph by an empty one.

    Raises:
        AssertionError: inside a `with graph.as_default()` block.
    """
    if _eager is not None and not default_graphs.items:
        # It keeps no operations.
        _eager._collections.clear()
        _own.graph = None
        return
    if default_graphs.items:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting "
            "and create a new graph."
        )
    _own.graph = Graph()


def get_default_session() -> Any:
    """The innermost default session of this thread, or None."""
    return default_sessions.innermost()


def default_session_stack() -> DefaultStack:
    """The stack that `Session.as_default` pushes to."""
    return default_sessions


def graph_of_inputs(op_input_list: Iterable[Any], graph: Graph | None = None) -> Graph:
    """The graph all of `op_input_list` belong to, or the default graph when none is a graph element.

    Raises:
        ValueError: if they are of different graphs.
    """
    default = get_default_graph()
    if default.building_function:
        # What comes from outside is captured.
        return default
    if default.is_eager and not any(isinstance(value, Tensor) and value._is_graph_tensor for value in op_input_list):
        return default
    found: Any = None
    for value in op_input_list:
        element = value
        if not isinstance(value, (Tensor, Operation)):
            convert = getattr(value, "_as_graph_element", None)
            if convert is None:
                continue
            element = convert()
        if not isinstance(element, (Tensor, Operation)):
            continue
        if isinstance(element, Tensor) and not element._is_graph_tensor:
            if graph is not None and graph.building_function:
                continue
            waiting = [t for t in op_input_list if isinstance(t, Tensor) and t._is_graph_tensor]
            if waiting and waiting[0].graph.building_function:
                # A symbolic tensor of layers, while executing eagerly: what has a value is captured by its graph.
                continue
            if default.is_eager:
                raise TypeError(
                    'An op outside of the function building code is being passed a "Graph" tensor. Graph tensors have no value '
                    f"where operations run eagerly: {waiting}"
                )
            raise RuntimeError("Attempting to capture an EagerTensor without building a function.")
        if graph is None:
            graph, found = element.graph, element
        elif element.graph is not graph:
            if found is None:
                raise ValueError(f"{element} is not from the passed-in graph.")
            raise ValueError(f"{element} must be from the same graph as {found}.")
    return graph if graph is not None else default


class name_scope:
    """A context manager for the body of a function that makes operations: `with tf.name_scope(name, "MyOp", [x]) as s:`.

    Args:
        name: the name the caller gave, or None.
        default_name: the name to use when `name` is None.
        values: tensors the function takes; they decide the graph and are checked to be of one graph.

    Raises:
        TypeError: if `name` is neither a string nor empty; eagerly AttributeError.
        ValueError: in a graph, if neither `name` nor `default_name` is given but `values` is.
    """

    def __init__(self, name: str | None, default_name: str | None = None, values: Iterable[Any] | None = None) -> None:
        if not (name is None or isinstance(name, (str, bytes))):
            # TensorFlow asks whether there is a name first, which tensors and arrays do not say. What is empty is the root.
            if name:
                if get_default_graph().is_eager:
                    raise AttributeError(f"name_scope: a name is a string, got {name!r}.")
                raise TypeError(f"name for name_scope must be a string, got {name!r}.")
            name = ""
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f"`default_name` type ({type(default_name)}) is not a string type. You likely meant to pass this into "
                "the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._given = name
        self._values = values
        self._default_name = default_name
        self._exits: Any = None

    @property
    def name(self) -> str | None:
        """The name asked for."""
        return self._name

    def __enter__(self) -> str:
        default = get_default_graph()
        if self._name is None and self._values is not None and not default.is_eager:
            raise ValueError(
                f"At least one of name ({self._given}) and default_name ({self._default_name}) must be provided."
            )
        values = self._values
        if default.is_eager and not (values and any(isinstance(v, Tensor) and v._is_graph_tensor for v in values)):
            self._exits = default.name_scope_now(self._name)
            return self._exits.scope
        self._exits = contextlib.ExitStack()
        graph = graph_of_inputs(values) if values is not None else default
        if default.is_eager and graph is not default and not graph.holds_layers:
            # What runs in the scope refuses the tensors.
            self._exits = default.name_scope_now(self._name)
            return self._exits.scope
        if graph is not default:
            self._exits.enter_context(graph.as_default())
        try:
            return self._exits.enter_context(graph.name_scope(self._name))
        except BaseException:
            self._exits.close()
            raise

    def __exit__(self, *exc: Any) -> None:
        self._exits.__exit__(*exc)


def control_dependencies(control_inputs: Iterable[Any] | None) -> AbstractContextManager[object]:
    """`Graph.control_dependencies` of the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function: str | Callable[..., Any] | DeviceSpecV2 | None) -> AbstractContextManager[Any]:
    """`Graph.device` of the default graph."""
    return get_default_graph().device(device_name_or_function)


def device_v2(device_name: Callable[..., Any] | DeviceSpecV2) -> AbstractContextManager[Any]:
    """`device`, as TensorFlow 2 has it.

    Raises:
        RuntimeError: if `device_name` is a function.
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    return device(device_name)


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[Any]:
    """`Graph.colocate_with` of the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> AbstractContextManager[object]:
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def add_to_collection(name: str, value: object) -> None:
    """Appends `value` to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Sequence[str], value: TensorLike | Operation) -> None:
    """Appends `value` to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """A copy of a collection of the default graph, filtered by the regular expression `scope`."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: str) -> list[Any]:
    """The list of a collection of the default graph itself."""
    return get_default_graph().get_collection_ref(key)


def get_all_collection_keys() -> list[Any]:
    """The names of the default graph's collections."""
    return get_default_graph().get_all_collection_keys()


def op_scope(values: Iterable[Any], name: str | None, default_name: str | None = None) -> name_scope:
    """The 0.x spelling of `name_scope`, with `values` first."""
    return name_scope(name, default_name, values)
