"""`tf.logging`: the logger "tensorflow", writing `INFO:tensorflow:message` lines to stderr."""

from __future__ import annotations

import logging as _logging
import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

DEBUG = _logging.DEBUG
INFO = _logging.INFO
WARN = _logging.WARN
ERROR = _logging.ERROR
FATAL = _logging.FATAL

_lock = threading.Lock()
_logger: _logging.Logger | None = None
_counts: dict[Any, int] = {}

_PREFIXES = {FATAL: "F", ERROR: "E", WARN: "W", INFO: "I", DEBUG: "D"}


def _get_logger() -> _logging.Logger:
    """The logger, given a handler once unless the program has configured logging itself."""
    global _logger
    if _logger is None:
        with _lock:
            logger = _logging.getLogger("tensorflow")
            if not _of_program(_logging.getLogger().handlers) and not logger.handlers:
                handler = _logging.StreamHandler(sys.stderr)
                handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT, None))
                logger.addHandler(handler)
                logger.propagate = False
            _logger = logger
    return _logger


def _of_program(handlers: list[_logging.Handler]) -> list[_logging.Handler]:
    """Handlers but for the one of absl, which `tf.app.run` gives the root logger."""
    absl = sys.modules.get("absl.logging")
    return [handler for handler in handlers if absl is None or not isinstance(handler, absl.ABSLHandler)]


def _of_caller(options: dict[str, Any]) -> dict[str, Any]:
    """Options of a message whose place is that of the call of a function here."""
    return {**options, "stacklevel": options.get("stacklevel", 1) + 1}


def log(level: int, msg: object, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at `level`."""
    _get_logger().log(level, msg, *args, **_of_caller(kwargs))


def debug(msg: object, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at DEBUG."""
    _get_logger().debug(msg, *args, **_of_caller(kwargs))


def info(msg: object, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at INFO."""
    _get_logger().info(msg, *args, **_of_caller(kwargs))


def warning(msg: object, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at WARN."""
    _get_logger().warning(msg, *args, **_of_caller(kwargs))


warn = warning


def error(msg: object, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at ERROR."""
    _get_logger().error(msg, *args, **_of_caller(kwargs))


def fatal(msg: object, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at FATAL; the program goes on."""
    _get_logger().fatal(msg, *args, **_of_caller(kwargs))


def vlog(level: int, msg: object, *args: Any, **kwargs: Any) -> None:
    """Logs `msg % args` at the numeric `level`."""
    _get_logger().log(level, msg, *args, **_of_caller(kwargs))


def get_verbosity() -> int:
    """The level below which messages are dropped."""
    return _get_logger().getEffectiveLevel()


def set_verbosity(v: int | str) -> None:
    """Sets the level below which messages are dropped: a number or a name such as "INFO"."""
    _get_logger().setLevel(v)


def flush() -> None:
    """Writes out what is buffered."""
    for handler in _get_logger().handlers:
        handler.flush()


def get_logger() -> _logging.Logger:
    """The logger itself."""
    return _get_logger()


def google2_log_prefix(level: int, timestamp: float | None = None, file_and_line: tuple[str, int] | None = None) -> str:
    """How a line of a log begins that Google's own logging writes.

    Args:
        level: the level, whose first letter comes first.
        timestamp: the time, now by default.
        file_and_line: the place; that of the caller by default.
    """
    now = time.time() if timestamp is None else timestamp
    filename, line = file_and_line or _caller()
    letter = _PREFIXES.get(level, "I")
    day = time.strftime("%m%d %H:%M:%S", time.localtime(now))
    thread = threading.get_ident() & 0xFFFFFFFF
    return f"{letter}{day}.{int(now % 1 * 1e6):06d} {thread:5d} {os.path.basename(filename)}:{line}] "


def log_if(level: int, msg: object, condition: bool, *args: Any) -> None:
    """Logs `msg % args` at `level` if `condition` holds."""
    if condition:
        log(level, msg, *args)


def _next_count(token: Sequence[str | int]) -> int:
    count = _counts.get(token, -1) + 1
    _counts[token] = count
    return count


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def log_every_n(level: int, msg: object, n: int, *args: Any) -> None:
    """Logs `msg % args` at `level` the first time this line is reached and every `n` times after."""
    log_if(level, msg, not (_next_count((*_caller(), "every")) % n), *args)


def log_first_n(level: int, msg: object, n: int, *args: Any) -> None:
    """Logs `msg % args` at `level` the first `n` times this line is reached."""
    log_if(level, msg, _next_count((*_caller(), "first")) < n, *args)


def TaskLevelStatusMessage(msg: str) -> None:
    """Logs `msg` at ERROR."""
    error(msg)
