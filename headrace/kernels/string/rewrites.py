"""What regular expressions put in the place of matches."""

from __future__ import annotations

import re

# What a rewrite consists of: text, and groups or backslashes.
_PIECE = re.compile(rb"[^\\]+|\\[0-9\\]")


class Rewrite:
    r"""What is put in the place of a match.

    Args:
        rewrite: text, where \1 to \9 stand for the groups, \0 for the whole match and \\ for a backslash.

    Example:
        >>> Rewrite(rb"<\1>").pieces(groups=1)
        [b'<', 1, b'>']
    """

    def __init__(self, rewrite: bytes) -> None:
        # It ends where it is no rewrite.
        self._pieces: list[bytes | int] = []
        at = 0
        while piece := _PIECE.match(rewrite, at):
            text, at = piece[0], piece.end()
            self._pieces.append(text if text[:1] != b"\\" else text[1:] if text[1:] == b"\\" else int(text[1:]))
        self.valid = at == len(rewrite)

    def pieces(self, groups: int) -> list[bytes | int]:
        """The texts and the numbers of groups that follow one another.

        Args:
            groups: how many the pattern has. Others are left out: they are empty, as are those without a match.
        """
        return [piece for piece in self._pieces if isinstance(piece, bytes) or piece <= groups]
