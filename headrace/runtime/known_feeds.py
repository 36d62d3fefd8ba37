"""Callables whose last feed is always the same number: it is a constant of their plans, and what it decides is decided.

A layer's branches for training and for use are two ways through one graph. Where the function that trains says once
which it takes, its plan has the one way only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.plan.collect import KnownFeed
from headrace.plan.plan import make_session_plan
from headrace.plan.values import to_torch
from headrace.runtime.session import BaseSession
from headrace.runtime.session_entries import Entry

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Runtime
    from headrace.plan.plan import Plan


@dataclass(frozen=True)
class _PlannerKnowing:
    """Plans for one value of the last feed. Two of one value are equal, so that they find each other's plans."""

    value: bool | float

    def __call__(
        self, fetches: Sequence[Tensor | Operation], feeds: Sequence[Tensor], runtime: Runtime, batch: int = 1
    ) -> Plan:
        dtype = feeds[-1].dtype.base_dtype
        array = np.asarray(self.value, dtype.as_numpy_dtype)
        known = {len(feeds) - 1: KnownFeed(to_torch(array, dtype), array)}
        return make_session_plan(fetches, feeds, runtime, batch, known)


def callable_knowing(
    session: Any, fetches: Sequence[Any], feeds: Sequence[Tensor], fixed: Tensor, value: bool | float
) -> Callable[..., Any] | None:
    """A function of the values of `feeds` that runs `fetches`, with one more feed that is always the same.

    Args:
        session: the session; None is returned for one that is no plain session of this process, or has a time limit.
        fetches: as of `Session.run`.
        feeds: what is fed by each call.
        fixed: the scalar that is always fed the same.
        value: what it is fed.
    """
    if not isinstance(session, BaseSession) or session._engine.elsewhere or not session._settings.plain_steps:
        return None
    planner, graph = _PlannerKnowing(value), session._graph
    entry: Entry | None = None

    def call(*values: Any) -> Any:
        nonlocal entry
        session._check_open()
        found = entry
        if found is None or found.changes != graph._changes:
            feed_dict = dict(zip([*feeds, fixed], [*values, value], strict=True))
            found = entry = session._watched_entry(fetches, feed_dict, planner)
        return session._execute(found, found.function, [*values, value])

    return call
