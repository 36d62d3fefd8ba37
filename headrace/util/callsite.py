"""Where in the user's program something was made: the frames outside this package, cheaply."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
from types import CodeType, FrameType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
# What runs the cells of a notebook: its frame and those that called it are not the program's.
_SHELL = os.path.join("IPython", "core", "interactiveshell.py")
_USER, _INTERNAL, _BELOW = 0, 1, 2
# Of code by its identity, which it keeps as long as it is kept here: Python hashes code by all that is in it.
_KINDS: dict[int, int] = {}
_CLASSIFIED_CODE: list[CodeType] = []

Frames = tuple[tuple[CodeType, int], ...]


def _kind_of(code: CodeType) -> int:
    name = code.co_filename
    if name.startswith((_PACKAGE, "<frozen", "<headrace")):
        kind = _INTERNAL
    else:
        kind = _BELOW if name.endswith(_SHELL) else _USER
    _KINDS[id(code)] = kind
    _CLASSIFIED_CODE.append(code)
    return kind


def user_frames(skip: int = 1) -> Frames:
    """The frames of the user's program that led here, innermost first, as (code, line) pairs."""
    frames = []
    frame: FrameType | None = sys._getframe(skip)
    while frame is not None:
        code = frame.f_code
        kind = _KINDS.get(id(code))
        if kind is None:
            kind = _kind_of(code)
        if kind == _USER:
            frames.append((code, frame.f_lineno))
        elif kind == _BELOW:
            break
        frame = frame.f_back
    return tuple(frames)


def innermost() -> tuple[str | None, int | None]:
    """The file and the line of the user's innermost frame; None where there is none."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        kind = _KINDS.get(id(code))
        if kind is None:
            kind = _kind_of(code)
        if kind == _USER and code.co_filename != contextlib.__file__:
            return code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None, None


def shown_name(filename: str) -> str:
    """What a reader calls a file: in a notebook a cell is `In[4]`, and not the file that stands for it."""
    if "IPython" not in sys.modules:
        return filename
    shell = sys.modules["IPython"].get_ipython()
    cell = None if shell is None else shell.compile.format_code_name(filename)
    return cell[1] if cell else filename


def describe(frames: Frames) -> str | None:
    """`train.py:41: y = tf.matmul(x, w)` for the innermost user frame; None when there is none."""
    if not frames:
        return None
    code, line = frames[0]
    source = linecache.getline(code.co_filename, line).strip()
    where = f"{os.path.basename(shown_name(code.co_filename))}:{line}"
    return f"{where}: {source}" if source else where


def extract(frames: Frames) -> list[tuple[str, int, str, str | None]]:
    """Outermost-first (filename, line, function, source) rows, the form `Operation.traceback` has in 1.x."""
    rows = []
    for code, line in reversed(frames):
        source = linecache.getline(code.co_filename, line).strip() or None
        rows.append((code.co_filename, line, code.co_name, source))
    return rows
