"""Where the protocol buffer messages of TensorFlow's own packages are looked up, by full name.

The ops that read and write messages lie below the rooms that define message classes; these add a finder here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["add_finder", "find"]

_finders: list[Callable[[str], Any]] = []


def add_finder(finder: Callable[[str], Any]) -> None:
    """Adds a function from the full name of a message type to its descriptor, or None."""
    _finders.append(finder)


def find(name: str) -> Any:
    """The descriptor of a message type by the first finder that knows it, or None."""
    for finder in _finders:
        found = finder(name)
        if found is not None:
            return found
    return None
