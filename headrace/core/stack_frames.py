"""The stack of calls as 1.x's `tf_stack` shows it: frames that can be left out or mapped to other lines."""

from __future__ import annotations

import collections
import linecache
import sys
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from typing_extensions import Self

if TYPE_CHECKING:
    from types import FrameType


TB_FILENAME = 0
TB_LINENO = 1
TB_FUNCNAME = 2
TB_CODEDICT = 3


class StackFrame(NamedTuple):
    """One call: where it stands, in which function, with which globals, and where that function begins."""

    filename: str
    lineno: int
    name: str
    globals: dict[str, Any]
    func_start_lineno: int


class StackTraceTransform:
    """What changes the stacks extracted in this thread while it is entered."""

    parent: Any = None
    _open: ClassVar[collections.defaultdict[int, list[Any]]]

    def __enter__(self) -> Self:
        self.reset()
        stack = self._open[threading.get_ident()]
        self.parent = stack[-1] if stack else None
        stack.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        stack = self._open[threading.get_ident()]
        if stack.pop() is not self:
            raise AssertionError("Concurrent access?")

    def reset(self) -> None:
        """Forgets what was computed."""


class StackTraceMapper(StackTraceTransform):
    """Says of places in sources that were made where they come from."""

    _open: ClassVar[collections.defaultdict[int, list[Any]]] = collections.defaultdict(list)

    def get_effective_source_map(self) -> dict[tuple[str, int], tuple[str, int, str]]:
        """From (file, line) to (file, line, function name)."""
        raise NotImplementedError("subclasses need to override this")


class StackTraceFilter(StackTraceTransform):
    """Leaves the frames of some files out."""

    _open: ClassVar[collections.defaultdict[int, list[Any]]] = collections.defaultdict(list)

    def get_filtered_filenames(self) -> Iterable[str]:
        """The files whose frames are left out."""
        raise NotImplementedError("subclasses need to override this")


class CurrentModuleFilter(StackTraceFilter):
    """Leaves the frames of the module out that makes it."""

    def __init__(self) -> None:
        self._filename = sys._getframe(1).f_code.co_filename

    def get_filtered_filenames(self) -> frozenset[str]:
        """The module's file, and those that the filters around it leave out."""
        outer = () if self.parent is None else self.parent.get_filtered_filenames()
        return frozenset([self._filename, *outer])


def extract_stack(limit: int = -1) -> list[StackFrame]:
    """The calls that led here, the innermost last, this function not among them.

    Args:
        limit: how many frames at most, the innermost ones; -1 for all.
    """
    thread = threading.get_ident()
    mappers, filters = StackTraceMapper._open.get(thread), StackTraceFilter._open.get(thread)
    mapped = mappers[-1].get_effective_source_map() if mappers else {}
    hidden = filters[-1].get_filtered_filenames() if filters else ()
    rows: list[StackFrame] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and len(rows) != limit:
        code = frame.f_code
        place = (code.co_filename, frame.f_lineno, code.co_name)
        filename, line, name = mapped.get(place[:2], place)
        if filename not in hidden:
            rows.append(StackFrame(filename, line, name, frame.f_globals, code.co_firstlineno))
        frame = frame.f_back
    return rows[::-1]


def convert_stack(stack: Iterable[StackFrame], include_func_start_lineno: bool = False) -> tuple[tuple[Any, ...], ...]:
    """Frames as (filename, line, function, source), the form that `Operation.traceback` has.

    Args:
        stack: the frames.
        include_func_start_lineno: whether the line where the function begins is added to each row.
    """
    rows: list[tuple[Any, ...]] = []
    for frame in stack:
        source = linecache.getline(frame.filename, frame.lineno, frame.globals).strip() or None
        row = (frame.filename, frame.lineno, frame.name, source)
        rows.append((*row, frame.func_start_lineno) if include_func_start_lineno else row)
    return tuple(rows)
