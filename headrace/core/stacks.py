"""The stacks of default graphs and sessions, one of each for every thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.core.graph import Graph


class DefaultStack(threading.local):
    """A stack of defaults, one for each thread."""

    def __init__(self) -> None:
        self.items: list[Any] = []

    def innermost(self) -> Any:
        """What this thread opened last and has not closed, or None."""
        return self.items[-1] if self.items else None

    # 1.x's name.
    get_default = innermost

    def reset(self) -> None:
        """Forgets what is open."""
        self.items.clear()

    @contextlib.contextmanager
    def opened(self, item: object) -> Iterator[Any]:
        self.items.append(item)
        try:
            yield item
        finally:
            if not self.items or self.items[-1] is not item:
                raise AssertionError(f"Nesting violated for default stack of {type(item)} objects")
            self.items.pop()


default_graphs = DefaultStack()
default_sessions = DefaultStack()


def session_for(graph: Graph, session: Any, what: str, method: str) -> Any:
    doing = "evaluate" if what == "tensor" else "execute"
    if session is None:
        session = default_sessions.innermost()
        if session is None:
            raise ValueError(
                f"Cannot {doing} {what} using `{method}()`: No default session is registered. Use "
                f"`with sess.as_default():` or pass an explicit session to `{method}(session=sess)`"
            )
        if session.graph is not graph:
            raise ValueError(
                f"Cannot use the default session to {doing} {what}: the {what}'s graph is different from the "
                f"session's graph. Pass an explicit session to `{method}(session=sess)`."
            )
    elif session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session to {doing} {what}: the {what}'s graph is different from the session's graph."
        )
    return session
