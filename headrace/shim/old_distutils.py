"""What programs used of `distutils`, which Python had until 3.11: versions that compare, words for yes and no, and a search."""

from __future__ import annotations

import functools
import re
import shutil

_PARTS = re.compile(r"(\d+ | [a-z]+ | \.)", re.VERBOSE)
_STRICT = re.compile(r"(\d+)\.(\d+)(?:\.(\d+))?(?:([ab])(\d+))?")


@functools.total_ordering
class LooseVersion:
    """A version of any form, which compares part by part.

    Args:
        vstring: such as "1.15.5" or "2.0rc1".

    Example:
        >>> LooseVersion("1.4.0") < LooseVersion("1.12.0")
        True
    """

    def __init__(self, vstring: str | None = None) -> None:
        self.vstring = ""
        self.version: list[int | str | tuple[str, int]] = []
        if vstring:
            self.parse(vstring)

    def parse(self, vstring: str) -> None:
        """Takes a version over."""
        self.vstring = vstring
        parts = [part for part in _PARTS.split(vstring) if part and part != "."]
        self.version = [int(part) if part.isdigit() else part for part in parts]

    def _compared(self, other: object) -> LooseVersion:
        return (
            type(self)(other) if isinstance(other, str) else other if isinstance(other, LooseVersion) else type(self)()
        )

    def __eq__(self, other: object) -> bool:
        return self.version == self._compared(other).version

    def __lt__(self, other: object) -> bool:
        return self.version < self._compared(other).version  # type: ignore[operator]  # words against numbers: TypeError, as it was

    __hash__ = None  # type: ignore[assignment]  # equal to texts, as it was

    def __str__(self) -> str:
        return self.vstring

    def __repr__(self) -> str:
        return f"{type(self).__name__} ('{self}')"


class StrictVersion(LooseVersion):
    """A version of two or three numbers, and a letter and number where it is not final.

    Raises:
        ValueError: if it has another form.
    """

    def parse(self, vstring: str) -> None:
        """Takes a version over."""
        match = _STRICT.fullmatch(vstring)
        if match is None:
            raise ValueError(f"invalid version number '{vstring}'")
        major, minor, patch, letter, number = match.groups()
        self.vstring = vstring
        # What is not final comes before what is.
        self.version = [int(major), int(minor), int(patch or 0), (letter or "c", int(number or 0))]


def strtobool(val: str) -> int:
    """1 for a word that means yes, 0 for one that means no.

    Raises:
        ValueError: for other words.
    """
    word = val.lower()
    if word in ("y", "yes", "t", "true", "on", "1"):
        return 1
    if word in ("n", "no", "f", "false", "off", "0"):
        return 0
    raise ValueError(f"invalid truth value {val!r}")


def find_executable(executable: str, path: str | None = None) -> str | None:
    """Where a program lies in the search path, or None."""
    return shutil.which(executable, path=path)
