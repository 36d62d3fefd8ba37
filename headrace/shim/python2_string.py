"""`string` as Python 2 had it: the functions that became methods of strings."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

letters = string.ascii_letters
lowercase = string.ascii_lowercase
uppercase = string.ascii_uppercase
atoi, atol, atof = int, int, float
index_error = atoi_error = atof_error = atol_error = ValueError

# Called as functions with the string first, these are the methods themselves.
_METHODS = "capitalize center count expandtabs find index ljust lower lstrip rfind rindex rjust rsplit rstrip split "
_METHODS += "splitlines strip swapcase upper"
_FUNCTIONS = {name: getattr(str, name) for name in _METHODS.split()}
splitfields = str.split


def join(words: Sequence[str], sep: str = " ") -> str:
    """The words with `sep` between them."""
    return sep.join(words)


joinfields = join


def replace(s: str, old: str, new: str, maxreplace: int = -1) -> str:
    """`s` with the first `maxreplace` places of `old` replaced; all of them by default."""
    return s.replace(old, new, maxreplace)


def zfill(x: Any, width: int) -> str:
    """A number or its text with zeros in front."""
    return (x if isinstance(x, str) else repr(x)).zfill(width)


def maketrans(fromstr: str, tostr: str) -> str:
    """A table for `translate`: 256 characters, those of `fromstr` replaced by those of `tostr`.

    Raises:
        ValueError: if the two are not of one length.
    """
    if len(fromstr) != len(tostr):
        raise ValueError("maketrans arguments must have same length")
    table = [chr(code) for code in range(256)]
    for old, new in zip(fromstr, tostr, strict=True):
        table[ord(old)] = new
    return "".join(table)


def translate(s: str, table: str | None, deletions: str = "") -> str:
    """`s` without the characters of `deletions`, the others looked up in `table`.

    Example:
        >>> translate("a.b", None, ".")
        'ab'
    """
    kept = s.translate(dict.fromkeys(map(ord, deletions)))
    return kept if table is None else "".join(table[ord(c)] if ord(c) < len(table) else c for c in kept)


def __getattr__(name: str) -> Any:
    """The methods as functions, and what today's module still has."""
    return _FUNCTIONS[name] if name in _FUNCTIONS else getattr(string, name)
