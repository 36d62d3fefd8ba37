"""The end of the process: no thread may be inside of a kernel when the interpreter goes.

Python ends the daemon threads that are left by unwinding them where they ask for the interpreter again. A thread that does
so in the middle of a torch call takes the process down with "terminate called without an active exception". So whoever
runs steps stands still from here on, and the end waits a moment for the calls that are under way.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
import time
from types import FrameType

# Whether the process is about to end.
in_progress = False

# How long the end waits, in seconds: for calls, and for threads that were then asked to end between two calls.
_PATIENCE = 1.0
_MORE_PATIENCE = 1.0
_PAUSE = 0.002

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def park_thread() -> None:
    """Keeps the calling thread from computing while the process ends; the main thread goes on."""
    if threading.current_thread() is not threading.main_thread():
        _wait_forever()


def _wait_forever() -> None:
    threading.Event().wait()


def _computes(frame: FrameType | None) -> bool:
    """Whether a thread with this innermost frame may be inside of a kernel."""
    if frame is None or frame.f_code is _wait_forever.__code__:
        return False
    name = frame.f_code.co_filename
    if name == threading.__file__:
        # It waits.
        return False
    if name.startswith(_PACKAGE):
        return not frame.f_code.co_name.startswith("wait_")
    if name.startswith("<headrace"):
        return True
    # Functions of the program called from a step stand still when they return; torch's own may be called from one.
    return f"{os.sep}torch{os.sep}" in name


def _computing() -> list[int]:
    me = threading.get_ident()
    return [ident for ident, frame in sys._current_frames().items() if ident != me and _computes(frame)]


def _wait_for_calls(patience: float) -> list[int]:
    until = time.monotonic() + patience
    while (left := _computing()) and time.monotonic() < until:
        time.sleep(_PAUSE)
    return left


@atexit.register
def _begin() -> None:
    global in_progress
    in_progress = True
    for ident in _wait_for_calls(_PATIENCE):
        # A long step: it ends before its next call.
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(SystemExit))
    _wait_for_calls(_MORE_PATIENCE)
