"""Results that say so when nothing was done with them: 1.x's `tf_should_use`."""

from __future__ import annotations

import traceback
import weakref
from typing import Any

from headrace.util import tf_logging
from headrace.util.callsite import extract, user_frames
from headrace.util.decorators import must_use_result_or_fatal, should_use_result


def _complain(what: str, site: str, fatal: bool) -> None:
    say = tf_logging.fatal if fatal else tf_logging.error
    say(f"==================================\nObject was never used (type {what}).\nIt was created in:\n{site}")


class _Watched:
    """Stands for a result until something of it is used.

    Args:
        value: the result.
        fatal: whether the complaint is a fatal one.
    """

    def __init__(self, value: Any, fatal: bool) -> None:
        site = "".join(traceback.format_list(extract(user_frames())))
        object.__setattr__(self, "_value", value)
        complaint = weakref.finalize(self, _complain, f"{type(value)}", site, fatal)
        complaint.atexit = False
        object.__setattr__(self, "_complaint", complaint)

    def __getattribute__(self, name: str) -> Any:
        if name in ("_value", "_complaint"):
            return object.__getattribute__(self, name)
        self._complaint.detach()
        if name == "mark_used":
            return lambda *args, **kwargs: None
        return getattr(self._value, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._complaint.detach()
        setattr(self._value, name, value)


def _add_should_use_warning(x: Any, fatal_error: bool = False) -> Any:
    """Something that stands for `x` and complains when it goes away unused; None stays None."""
    return x if x is None else _Watched(x, fatal_error)


__all__ = ["must_use_result_or_fatal", "should_use_result"]
