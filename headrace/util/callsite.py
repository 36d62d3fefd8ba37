"""Where in the user's program something was made: the frames outside this package, cheaply."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
from types import CodeType, FrameType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# Of code by its identity, which it keeps as long as it is kept here: Python hashes code by all that is in it.
_INTERNAL: dict[int, bool] = {}
_CLASSIFIED_CODE: list[CodeType] = []

Frames = tuple[tuple[CodeType, int], ...]


def _is_internal(code: CodeType) -> bool:
    internal = code.co_filename.startswith((_PACKAGE, "<frozen", "<headrace"))
    _INTERNAL[id(code)] = internal
    _CLASSIFIED_CODE.append(code)
    return internal


def user_frames(skip: int = 1) -> Frames:
    """The frames of the user's program that led here, innermost first, as (code, line) pairs."""
    frames = []
    frame: FrameType | None = sys._getframe(skip)
    while frame is not None:
        code = frame.f_code
        internal = _INTERNAL.get(id(code))
        if internal is None:
            internal = _is_internal(code)
        if not internal:
            frames.append((code, frame.f_lineno))
        frame = frame.f_back
    return tuple(frames)


def innermost() -> tuple[str | None, int | None]:
    """The file and the line of the user's innermost frame; None where there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        internal = _INTERNAL.get(id(code))
        if internal is None:
            internal = _is_internal(code)
        if not internal and code.co_filename != contextlib.__file__:
            return code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None, None


def describe(frames: Frames) -> str | None:
    """`train.py:41: y = tf.matmul(x, w)` for the innermost user frame; None when there is none."""
    if not frames:
        return None
    code, line = frames[0]
    source = linecache.getline(code.co_filename, line).strip()
    where = f"{os.path.basename(code.co_filename)}:{line}"
    return f"{where}: {source}" if source else where


def extract(frames: Frames) -> list[tuple[str, int, str, str | None]]:
    """Outermost-first (filename, line, function, source) rows, the form `Operation.traceback` has in 1.x."""
    rows = []
    for code, line in reversed(frames):
        source = linecache.getline(code.co_filename, line).strip() or None
        rows.append((code.co_filename, line, code.co_name, source))
    return rows
