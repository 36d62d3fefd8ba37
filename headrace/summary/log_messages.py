"""Log messages that go to event files too: 1.x's `tensorboard_logging`."""

from __future__ import annotations

import time
from typing import Any

from headrace.messages import protos
from headrace.util import tf_logging

DEBUG, INFO, WARN, ERROR, FATAL = "DEBUG", "INFO", "WARN", "ERROR", "FATAL"

# The level in the logging module and that of the message.
_LEVELS = {
    DEBUG: (tf_logging.DEBUG, 10),
    INFO: (tf_logging.INFO, 20),
    WARN: (tf_logging.WARN, 30),
    ERROR: (tf_logging.ERROR, 40),
    FATAL: (tf_logging.FATAL, 50),
}
_NOT_SET = object()
_verbosity = WARN
_writer: Any = _NOT_SET


def _known(level: str) -> str:
    if level not in _LEVELS:
        raise ValueError(f"Level {level} is not a valid tensorboard_logging level")
    return level


def get_verbosity() -> str:
    """The level below which messages do not go to the event file."""
    return _verbosity


def set_verbosity(verbosity: str) -> None:
    """Sets the level below which messages do not go to the event file.

    Raises:
        ValueError: if there is no such level.
    """
    global _verbosity
    _verbosity = _known(verbosity)


def set_summary_writer(summary_writer: Any) -> None:
    """Says which `FileWriter` takes the messages; None for the log alone."""
    global _writer
    _writer = summary_writer


def _clear_summary_writer() -> None:
    set_summary_writer(_NOT_SET)


def log(level: str, message: str, *args: Any) -> None:
    """Logs a message, and writes it to the event file where its level is high enough.

    Args:
        level: `DEBUG`, `INFO`, `WARN`, `ERROR` or `FATAL`.
        message: the text, with places for `args` as `%` has them.
        *args: what is put there.

    Raises:
        RuntimeError: before `set_summary_writer`; ValueError: if there is no such level.
    """
    if _writer is _NOT_SET:
        raise RuntimeError("Must call set_summary_writer before doing any logging from tensorboard_logging")
    platform_level, number = _LEVELS[_known(level)]
    if _writer and number >= _LEVELS[_verbosity][1]:
        text = protos.LogMessage(level=number, message=message % args)
        _writer.add_event(protos.Event(wall_time=time.time(), log_message=text))
    tf_logging.log(platform_level, message, *args)


def debug(message: str, *args: Any) -> None:
    """`log` at `DEBUG`."""
    log(DEBUG, message, *args)


def info(message: str, *args: Any) -> None:
    """`log` at `INFO`."""
    log(INFO, message, *args)


def warn(message: str, *args: Any) -> None:
    """`log` at `WARN`."""
    log(WARN, message, *args)


def error(message: str, *args: Any) -> None:
    """`log` at `ERROR`."""
    log(ERROR, message, *args)


def fatal(message: str, *args: Any) -> None:
    """`log` at `FATAL`."""
    log(FATAL, message, *args)
