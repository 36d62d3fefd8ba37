"""Objects that remember the line of the program that put them where they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, ClassVar


class TraceableObject:
    """An object and the place in a program that it comes from.

    Args:
        obj: the object.
        filename, lineno: the place, where it is known.
    """

    SUCCESS: ClassVar[int] = 0
    HEURISTIC_USED: ClassVar[int] = 1
    FAILURE: ClassVar[int] = 2

    def __init__(self, obj: str | None, filename: str | None = None, lineno: int | None = None) -> None:
        self.obj = obj
        self.filename = filename
        self.lineno = lineno

    def set_filename_and_line_from_caller(self, offset: int = 0) -> int:
        """Takes the place from the stack of calls.

        Args:
            offset: 0 for the caller, 1 for its caller, and so on; the outermost frame where there are fewer.

        Returns:
            `SUCCESS`, or `HEURISTIC_USED` where the stack is not as deep.
        """
        frame = sys._getframe(1)
        while offset > 0 and frame.f_back is not None:
            frame, offset = frame.f_back, offset - 1
        self.filename, self.lineno = frame.f_code.co_filename, frame.f_lineno
        return self.SUCCESS if offset <= 0 else self.HEURISTIC_USED

    def copy_metadata(self) -> TraceableObject:
        """The place without the object."""
        return type(self)(None, self.filename, self.lineno)


class TraceableStack:
    """A stack of objects with their places.

    Args:
        existing_stack: `TraceableObject`s to begin with, the oldest first; the list is copied.
    """

    def __init__(self, existing_stack: list[TraceableObject] | None = None) -> None:
        self._stack = list(existing_stack or ())

    def push_obj(self, obj: Any, offset: int = 0) -> int:
        """Adds `obj` with the place of the caller, or of the `offset`th one above it.

        Returns:
            what `TraceableObject.set_filename_and_line_from_caller` says.
        """
        traced = TraceableObject(obj)
        self._stack.append(traced)
        return traced.set_filename_and_line_from_caller(offset + 1)

    def pop_obj(self) -> Any:
        """Removes the newest object and returns it."""
        return self._stack.pop().obj

    def peek_top_obj(self) -> Any:
        """The newest object."""
        return self._stack[-1].obj

    def peek_objs(self) -> Iterator[Any]:
        """The objects, the newest first."""
        return (traced.obj for traced in reversed(self._stack))

    def peek_traceable_objs(self) -> Iterator[TraceableObject]:
        """The objects with their places, the newest first."""
        return reversed(self._stack)

    def __len__(self) -> int:
        return len(self._stack)

    def copy(self) -> TraceableStack:
        """Another stack of the same objects."""
        return TraceableStack(self._stack)
