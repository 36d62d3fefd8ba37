"""Tracebacks as somebody reads them whose program failed: his own lines, and not those between them and the error.

What is left out is Headrace's, and what of libraries lies below it. `HEADRACE_TRACEBACK=full` shows everything.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

_OWN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
_PLANS = "<headrace plan"
# Libraries that Headrace calls, whose frames say nothing to a user where it called them.
_LIBRARIES = tuple(f"{os.sep}site-packages{os.sep}{name}{os.sep}" for name in ("absl", "google", "numpy", "torch"))
VARIABLE = "HEADRACE_TRACEBACK"


def is_full() -> bool:
    """Whether the environment asks for tracebacks with everything."""
    return os.environ.get(VARIABLE) == "full"


def shorten(error: BaseException | None) -> int:
    """Leaves out of a traceback, and those of the errors behind it, what is not the user's.

    An error that a kernel met and said in TensorFlow's words is not shown a second time. Where nothing is the user's,
    everything stays.

    Args:
        error: the exception; its traceback is changed.

    Returns:
        how many frames were left out.
    """
    left_out = 0
    seen: set[int] = set()
    pending = [error]
    while pending:
        each = pending.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        kept, gone = _split(each.__traceback__)
        if each.__cause__ is None and each.__context__ is not None and not each.__suppress_context__ and gone:
            inner, ours = _split(each.__context__.__traceback__)
            if ours and not inner:
                each.__suppress_context__ = True
                left_out += ours
        if kept and gone:
            each.__traceback__ = _joined(kept)
            left_out += gone
        pending += [each.__cause__, None if each.__suppress_context__ else each.__context__]
    return left_out


def note(left_out: int) -> str:
    """The line that tells of frames left out."""
    return f"({left_out} line{'s' * (left_out != 1)} of Headrace left out; {VARIABLE}=full shows them.)"


def _split(traceback: TracebackType | None) -> tuple[list[TracebackType], int]:
    """The frames of the user, and how many others there are."""
    kept: list[TracebackType] = []
    gone, below = 0, False
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if filename.startswith((_OWN, _PLANS)):
            below = True
            gone += 1
        elif below and any(library in filename for library in _LIBRARIES):
            gone += 1
        else:
            below = False
            kept.append(traceback)
        traceback = traceback.tb_next
    return kept, gone


def _joined(frames: list[TracebackType]) -> TracebackType | None:
    rebuilt: TracebackType | None = None
    for frame in reversed(frames):
        rebuilt = TracebackType(rebuilt, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return rebuilt


def install() -> None:
    """Shortens what this process prints of uncaught exceptions, and what a notebook shows.

    A program that has a hook of its own keeps it.
    """
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = _hook
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if shell is not None and not shell.custom_exceptions:
            shell.set_custom_exc((Exception,), _show_in_notebook)


def _hook(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    left_out = 0 if is_full() else shorten(error)
    sys.__excepthook__(kind, error, error.__traceback__)
    if left_out and not isinstance(error, KeyboardInterrupt):
        print(note(left_out), file=sys.stderr)


def _show_in_notebook(
    shell: Any, kind: type[BaseException], error: BaseException, traceback: TracebackType, tb_offset: int | None = None
) -> None:
    """What a notebook shows of an exception; `shell` is IPython's."""
    # The first frame is the notebook's own, which it leaves out itself.
    left_out = 0 if is_full() else shorten(error)
    shell.showtraceback((kind, error, error.__traceback__), tb_offset=tb_offset)
    if left_out:
        print(note(left_out), file=sys.stderr)
