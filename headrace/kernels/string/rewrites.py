"""What regular expressions put in the place of matches."""

from __future__ import annotations

import re

# What a rewrite consists of: text, and groups or backslashes.
_SEGMENT = re.compile(rb"[^\\]+|\\[0-9\\]")


class Rewrite:
    r"""What is put in the place of a match.

    Args:
        rewrite: text, where \1 to \9 stand for the groups, \0 for the whole match and \\ for a backslash.

    Example:
        >>> Rewrite(rb"<\1>").segments(groups=1)
        [b'<', 1, b'>']
    """

    def __init__(self, rewrite: bytes) -> None:
        # It ends where it is no rewrite.
        self._segments: list[bytes | int] = []
        at = 0
        while segment := _SEGMENT.match(rewrite, at):
            text, at = segment[0], segment.end()
            self._segments.append(text if text[:1] != b"\\" else text[1:] if text[1:] == b"\\" else int(text[1:]))
        self.valid = at == len(rewrite)

    def segments(self, groups: int) -> list[bytes | int]:
        """The texts and the numbers of groups that follow one another.

        Args:
            groups: how many the pattern has. Others are left out: they are empty, as are those without a match.
        """
        return [segment for segment in self._segments if isinstance(segment, bytes) or segment <= groups]
