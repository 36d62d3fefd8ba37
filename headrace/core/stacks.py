"""The stacks of default graphs and sessions, one of each for every thread."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class DefaultStack(threading.local):
    """A stack of defaults, one for each thread."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.enforce_nesting = True

    @contextlib.contextmanager
    def opened(self, item: Any) -> Iterator[Any]:
        self.items.append(item)
        try:
            yield item
        finally:
            if self.enforce_nesting:
                if not self.items or self.items[-1] is not item:
                    raise AssertionError(f"Nesting violated for default stack of {type(item)} objects")
                self.items.pop()
            elif item in self.items:
                self.items.remove(item)


default_graphs = DefaultStack()
default_sessions = DefaultStack()
