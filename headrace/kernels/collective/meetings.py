"""Where the members of a group meet that are in one process: in several plans, or in several sessions of a server."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence

import torch

from headrace.core.errors import InvalidArgumentError, OpError
from headrace.kernels.collective.call import BROADCAST, Collective, CollectiveAttempt
from headrace.kernels.collective.combining import combined, place_order


class _Meeting:
    """One time that the members of a group meet."""

    def __init__(self) -> None:
        self.parts: list[tuple[Collective, CollectiveAttempt, Sequence[torch.Tensor]]] = []

    def members(self) -> list[str]:
        return [member for collective, _, _ in self.parts for member in collective.members]


class Meetings:
    """Those of a session, or of a server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[Hashable, list[_Meeting]] = {}

    def begin(self, collective: Collective, values: Sequence[torch.Tensor]) -> CollectiveAttempt:
        """Takes part in a collective with the values of the part's members; the attempt ends when all have come."""
        key = (collective.kind, collective.group, collective.instance)
        with self._lock:
            meetings = self._open.setdefault(key, [])
            # Who has come already comes for the next time.
            meeting = next((each for each in meetings if not set(collective.members) & set(each.members())), None)
            if meeting is None:
                meeting = _Meeting()
                meetings.append(meeting)
            attempt = CollectiveAttempt(collective, meeting.members)
            attempt.given_up = lambda: self._leave(key, meeting, attempt)
            meeting.parts.append((collective, attempt, values))
            complete = len(meeting.members()) >= collective.size
            if complete:
                meetings.remove(meeting)
                if not meetings:
                    del self._open[key]
        if complete:
            _hold(meeting, collective)
        return attempt

    def _leave(self, key: Hashable, meeting: _Meeting, attempt: CollectiveAttempt) -> None:
        with self._lock:
            meeting.parts = [part for part in meeting.parts if part[1] is not attempt]
            if not meeting.parts and meeting in self._open.get(key, ()):
                self._open[key].remove(meeting)
                if not self._open[key]:
                    del self._open[key]


def _hold(meeting: _Meeting, collective: Collective) -> None:
    """Computes what comes of a meeting to which all have come."""
    given: dict[str, torch.Tensor] = {}
    value: torch.Tensor | None = None
    error: OpError | None = None
    for part, _, values in meeting.parts:
        senders = [part.members[part.sender]] if part.sender >= 0 else []
        given.update(zip(senders if part.kind == BROADCAST else part.members, values, strict=True))
    try:
        if not given:
            raise InvalidArgumentError(None, None, f"Collective {collective} has no member that sends.")
        value = combined(collective, {member: given[member] for member in sorted(given, key=place_order)})
    except OpError as failure:
        error = failure
    for part, attempt, _ in meeting.parts:
        attempt.end(None if value is None else [value] * len(part.members), error)
