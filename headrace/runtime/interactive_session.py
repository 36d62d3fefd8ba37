"""The session of shells and notebooks, which is the default one while it is open."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from headrace.core.graph import Graph
from headrace.runtime.session import BaseSession

if TYPE_CHECKING:
    from headrace.messages import protos


class InteractiveSession(BaseSession):
    """A session that is the default one from its creation until `close`, for shells and notebooks."""

    _active_session_count = 0
    # Cells that went wrong leave operations behind.
    _places_whole_graph = False

    def __init__(self, target: str = "", graph: Graph | None = None, config: protos.ConfigProto | None = None) -> None:
        if not config:
            config = None
        elif not hasattr(config, "graph_options"):
            raise AttributeError(f"config must be a tf.ConfigProto, but got {type(config)}")
        super().__init__(target, graph, config)
        if InteractiveSession._active_session_count > 0:
            warnings.warn(
                "An interactive session is already active. This can cause out-of-memory errors in some cases. You must "
                "explicitly call `InteractiveSession.close()` to release resources held by the other session(s).",
                stacklevel=2,
            )
        InteractiveSession._active_session_count += 1
        self._explicitly_closed = False
        self._session_context = self.as_default()
        self._session_context.__enter__()
        self._graph_context: Any = None
        if graph is not None:
            self._graph_context = graph.as_default()
            self._graph_context.__enter__()

    def close(self) -> None:
        """Frees the session's state and stops being the default session.

        Raises:
            AssertionError: if another session has become the default one since, and still is.
        """
        super().close()
        if self._explicitly_closed:
            return
        self._explicitly_closed = True
        InteractiveSession._active_session_count -= 1
        if self._graph_context is not None:
            self._graph_context.__exit__(None, None, None)
        self._session_context.__exit__(None, None, None)
