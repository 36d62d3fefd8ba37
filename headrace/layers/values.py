"""Reading and setting the values of variables through the session in force."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.dtypes import as_dtype
from headrace.core.eager import eager_mode
from headrace.core.graph import Graph
from headrace.ops.array.constant import placeholder
from headrace.ops.flow.grouping import group
from headrace.runtime.session import Session
from headrace.state.scoping import makes_eager_variables
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


# How long a worker waits before it looks again whether variables have their values.
_WAIT_SECONDS = 0.1


class OfGraph:
    """What is kept for the layers of a graph.

    Attributes:
        session: the one that their variables live in where no other is the default.
        strategy: the distribution strategy whose models it has; its sessions are set up for that.
        waiting: variables of layers that no session has been asked about yet.
        optimizers: those whose variables join these when they are made.
        of_strategy: whether the session was made as a distribution strategy asks for.
        waits: whether another worker initializes variables.
    """

    def __init__(self) -> None:
        self.session: Any = None
        self.strategy: Any = None
        self.waiting: list[Any] = []
        self.optimizers: list[Any] = []
        self.of_strategy = False
        self.waits = False


def of_graph(graph: Graph) -> OfGraph:
    """What is kept for the layers of `graph`, on the graph: a session holds it."""
    kept = graph.__dict__.get("_of_layers")
    if kept is None:
        kept = graph.__dict__["_of_layers"] = OfGraph()
    return kept


def track_variable(variable: Any) -> None:
    """Lets `get_session` of Keras' backend initialize a variable."""
    graph = getattr(variable, "graph", None) or get_default_graph()
    if not graph.is_eager:
        of_graph(graph).waiting.append(variable)


# What gives the session of a graph that has none yet, in place of a plain one: where Keras is used, it knows of strategies.
_providers: list[Callable[[], Any]] = []


def register_provider(provide: Callable[[], Any]) -> None:
    """Lets a function give the session of the default graph where there is none."""
    _providers[:] = [provide]


def get_session() -> Any:
    """The default session, else one of its own for the default graph."""
    session = get_default_session()
    if session is not None:
        return session
    graph = get_default_graph()
    kept = of_graph(graph)
    if kept.session is None and _providers:
        return _providers[0]()
    if kept.session is None:
        kept.session = Session(graph=graph)
    return kept.session


def initialized(session: SessionLike, variables: list[Any]) -> None:
    """Initializes those of `variables` that have no value in `session`; each is looked at once."""
    waiting = [variable for variable in variables if not getattr(variable, "_keras_initialized", False)]
    if not waiting:
        return
    with session.graph.as_default():
        found = session.run([variable.is_initialized() for variable in waiting])
    missing = [variable.initializer for variable, has in zip(waiting, found) if not has]
    if missing:
        with session.graph.as_default():
            initializer = group(*missing, name="init")
        session.run(initializer)
    for variable in waiting:
        variable._keras_initialized = True


def wait_until_initialized(session: SessionLike, variables: list[Any]) -> None:
    """Waits until another worker has given variables their values."""
    with session.graph.as_default():
        there = [variable.is_initialized() for variable in variables]
    while there and not all(session.run(there)):
        tf_logging.log_first_n(
            tf_logging.INFO, "Waiting for the chief worker to initialize %d variables.", 1, len(there)
        )
        time.sleep(_WAIT_SECONDS)


def get_values(variables: list[Any]) -> list[Any]:
    """The values of variables; those that have none are initialized first."""
    if not variables:
        return []
    if makes_eager_variables():
        return [variable.numpy() for variable in variables]
    session = get_session()
    initialized(session, variables)
    return session.run(list(variables))


def assignment(x: Any, rank: int) -> tuple[Any, Any]:
    """The operation that assigns to a variable what is fed, and the tensor to feed; made once a variable.

    Args:
        x: the variable.
        rank: that of the values; their sizes are free, as a variable whose shape is not checked may change it.
    """
    known = getattr(x, "_assign_placeholder", None)
    if known is None:
        fed = placeholder(as_dtype(x.dtype).base_dtype, shape=[None] * rank)
        x._assign_placeholder, x._assign_op = fed, x.assign(fed)
        return x._assign_op, fed
    return x._assign_op, known


def set_values(pairs: list[tuple[Any, Any]]) -> None:
    """Gives variables values, in one step."""
    if makes_eager_variables():
        with eager_mode():
            for variable, value in pairs:
                variable.assign(value)
        return
    if not pairs:
        return
    session = get_session()
    # First: what is initialized later would lose these values.
    initialized(session, [variable for variable, _ in pairs])
    feeds, operations = {}, []
    with session.graph.as_default():
        for variable, value in pairs:
            array = np.asarray(value, dtype=as_dtype(variable.dtype).base_dtype.as_numpy_dtype)
            operation, fed = assignment(variable, array.ndim)
            operations.append(operation)
            feeds[fed] = array
    session.run(operations, feeds)
