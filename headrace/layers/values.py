"""Reading and setting the values of variables through the session in force."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from headrace.core.defaults import get_default_graph, get_default_session
from headrace.core.graph import Graph
from headrace.runtime.session import Session

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike


_sessions: weakref.WeakKeyDictionary[Graph, Session] = weakref.WeakKeyDictionary()


def get_session() -> Any:
    """The default session, else one of its own for the default graph."""
    session = get_default_session()
    if session is not None:
        return session
    graph = get_default_graph()
    if graph not in _sessions:
        _sessions[graph] = Session(graph=graph)
    return _sessions[graph]


def initialized(session: SessionLike, variables: list[Any]) -> None:
    """Initializes those of `variables` that have no value in `session`; each is looked at once."""
    waiting = [variable for variable in variables if not getattr(variable, "_keras_initialized", False)]
    if not waiting:
        return
    found = session.run([variable.is_initialized() for variable in waiting])
    missing = [variable.initializer for variable, has in zip(waiting, found) if not has]
    if missing:
        session.run(missing)
    for variable in waiting:
        variable._keras_initialized = True


def get_values(variables: list[Any]) -> list[Any]:
    """The values of variables; those that have none are initialized first."""
    if not variables:
        return []
    session = get_session()
    initialized(session, variables)
    return session.run([variable.value() for variable in variables])


def set_values(pairs: list[tuple[Any, Any]]) -> None:
    """Gives variables values."""
    session = get_session()
    for variable, value in pairs:
        variable.load(value, session)
