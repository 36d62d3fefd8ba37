"""A hook that chooses the centers of clusters before training."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from headrace.sessions.session_run_hook import SessionRunHook

if TYPE_CHECKING:
    from headrace.core.typing import SessionLike
    from headrace.sessions.coordinator import Coordinator

_SECONDS_BETWEEN_LOOKS = 1.0


class InitializeClustersHook(SessionRunHook):
    """Chooses the centers before the first step; workers wait for the chief to do so.

    Args:
        init_op: adds centers.
        is_initialized: whether there are enough, a tensor or variable.
        is_chief: whether this is the chief.
    """

    def __init__(self, init_op: Any, is_initialized: Any, is_chief: bool) -> None:
        self._init_op, self._is_initialized, self._is_chief = init_op, is_initialized, is_chief

    def after_create_session(self, session: SessionLike, coord: Coordinator) -> None:
        """Adds centers until there are enough."""
        while not session.run(self._is_initialized):
            if self._is_chief:
                session.run(self._init_op)
            else:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
