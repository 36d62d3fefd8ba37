"""Hooks that choose the centers of clusters before training, and count its steps."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from headrace.sessions.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunHook

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


class CountStepsHook(SessionRunHook):
    """Counts each step before it is made, so that one that finds no more points counts too.

    Choosing the centers may take all points there are. What the chief saves at the end is saved for a step that is not
    the first one's, and the next training goes on from these centers.

    Args:
        count_op: adds one to the global step.
    """

    def __init__(self, count_op: Any) -> None:
        self._count_op = count_op

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Counts the step."""
        run_context.session.run(self._count_op)
        return None
