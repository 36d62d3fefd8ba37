"""A lock that many may hold at once as long as they are of one group."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class GroupLock:
    """A lock that the members of one group at a time share.

    Args:
        num_groups: how many groups there are.

    Raises:
        ValueError: if there is none.

    Example:
        >>> lock = GroupLock(num_groups=2)
        >>> with lock.group(0):
        ...     pass  # others of group 0 may be here too, none of group 1
    """

    def __init__(self, num_groups: int = 2) -> None:
        if num_groups < 1:
            raise ValueError(f"num_groups must be a positive integer, got {num_groups}")
        self._changed = threading.Condition(threading.Lock())
        self._holding = [0] * num_groups

    def _check(self, group_id: int) -> None:
        if not 0 <= group_id < len(self._holding):
            raise ValueError(f"group_id={group_id} should be between 0 and num_groups={len(self._holding)}")

    @contextlib.contextmanager
    def _held(self, group_id: int) -> Iterator[None]:
        self.acquire(group_id)
        try:
            yield
        finally:
            self.release(group_id)

    def group(self, group_id: int) -> contextlib.AbstractContextManager[None]:
        """A context in which the lock is held for a group."""
        self._check(group_id)
        return self._held(group_id)

    def acquire(self, group_id: int) -> None:
        """Waits until no other group holds the lock, and holds it."""
        self._check(group_id)
        with self._changed:
            self._changed.wait_for(lambda: sum(self._holding) == self._holding[group_id])
            self._holding[group_id] += 1

    def release(self, group_id: int) -> None:
        """Gives up one hold of a group."""
        self._check(group_id)
        with self._changed:
            self._holding[group_id] -= 1
            if not self._holding[group_id]:
                self._changed.notify_all()
