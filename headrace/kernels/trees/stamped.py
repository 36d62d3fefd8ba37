"""State that changes in rounds: what comes with the stamp of another round than the present one is out of date."""

from __future__ import annotations

import threading
from typing import TypeVar

from headrace.core.errors import InvalidArgumentError, NotFoundError

_Self = TypeVar("_Self", bound="Stamped")


class Stamped:
    """State with a stamp, which is made by an operation of its own.

    Args:
        kind: what it is, for messages.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.is_created = False
        self.stamp = -1
        self.lock = threading.RLock()

    def checked(self: _Self) -> _Self:
        """Itself; NotFoundError where it has not been created."""
        if not self.is_created:
            raise NotFoundError(None, None, f"Resource of the {self.kind} does not exist: create it first.")
        return self

    def is_current(self, stamp: int) -> bool:
        """Whether a stamp is that of the present round."""
        return stamp == self.stamp

    def advance(self, stamp: int, following: int) -> None:
        """Begins the next round; InvalidArgumentError where `stamp` is not that of the present one."""
        if not self.is_current(stamp):
            raise InvalidArgumentError(
                None, None, f"Invalid stamp token of the {self.kind}: got {stamp}, expected {self.stamp}"
            )
        self.stamp = following
