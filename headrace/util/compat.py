"""`tf.compat`: text and bytes, number types, and the date up to which graphs must stay readable."""

from __future__ import annotations

import collections.abc as collections_abc
import contextlib
import datetime
import numbers
import os
from typing import Any

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)

# What 1.15 calls today: what needs a later runtime than this day's is not written to graphs.
_horizon = datetime.date(2019, 8, 21)


def as_bytes(bytes_or_text: bytes | bytearray | str, encoding: str = "utf-8") -> bytes:
    """Bytes of text or bytes.

    Raises:
        TypeError: for anything else.

    Example:
        >>> as_bytes("ä")
        b'\\xc3\\xa4'
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """Text of text or bytes.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any) -> str:
    """Text of anything: bytes are decoded, the rest is `str(value)`."""
    return as_text(value) if isinstance(value, bytes) else str(value)


def path_to_str(path: str | os.PathLike[str]) -> str:
    """The text of a path object; anything else as it is."""
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether graphs may have what runtimes know from this day on: whether the horizon of compatibility is later.

    Args:
        year, month, day: the day.

    Example:
        >>> forward_compatible(2019, 1, 1), forward_compatible(2030, 1, 1)
        (True, False)
    """
    return _horizon > datetime.date(year, month, day)


@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> collections_abc.Iterator[None]:
    """A context in which `forward_compatible` goes by the given day.

    Args:
        year, month, day: the day.
    """
    global _horizon
    old = _horizon
    _horizon = datetime.date(year, month, day)
    try:
        yield
    finally:
        _horizon = old
