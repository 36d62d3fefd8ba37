"""The commands given so far, in a file from one program to the next."""

from __future__ import annotations

import os
from typing import ClassVar

_LIMIT = 500


class History:
    """The last commands, the newest at the end.

    Args:
        path: the file they are kept in.
        limit: how many of them are kept.
    """

    _known: ClassVar[dict[str, History]] = {}

    def __init__(self, path: str, limit: int = _LIMIT) -> None:
        self._path = path
        self._limit = limit
        self.commands: list[str] = []
        if os.path.isfile(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                self.commands = [line for line in file.read().splitlines() if line][-limit:]

    @classmethod
    def of(cls, path: str) -> History:
        """That of a file."""
        if path not in cls._known:
            cls._known[path] = cls(path)
        return cls._known[path]

    def add(self, command: str) -> None:
        """Adds a command, in the file too."""
        if self.commands and self.commands[-1] == command:
            return
        self.commands = [*self.commands, command][-self._limit :]
        try:
            with open(self._path, "w", encoding="utf-8") as file:
                file.write("\n".join(self.commands) + "\n")
        except OSError:
            # A home that cannot be written to: the history is that of this program only.
            return
