"""Patterns for one character of a class, or for a run of them, by Python's expressions.

These take linear time for such patterns too, and one call for all matches in a text. Which characters are of a class is
for RE2 to say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_ESCAPE = rb"\\(?:[!-/:-@\[-`{-~dDsSwWafnrtv]|x[0-7][0-9A-Fa-f])"
# A class, the same for all characters but ASCII's; + after it and parentheses around it, if any.
_FORM = re.compile(
    rb"(\()?(?P<one>\[(?:" + _ESCAPE + rb"|[^\[\]\\\x80-\xff])+\]|" + _ESCAPE + rb")(?P<run>\+?)(?(1)\))"
)
# What tells such classes apart: ASCII's characters, and one that stands for all others.
_PROBES = [*(bytes([code]) for code in range(128)), "é".encode()]


class CharacterClass:
    """A class of characters.

    Args:
        members: whether ASCII's characters are of the class, and whether all others are.
        runs: whether a match is a run of them.
    """

    def __init__(self, members: Sequence[bool], runs: bool) -> None:
        *ascii_members, self._others_too = members
        named = b"".join(re.escape(one) for one, member in zip(_PROBES, ascii_members) if member != self._others_too)
        if self._others_too:
            one = b"[^" + named + b"]" if named else rb"[\s\S]"
        else:
            one = b"[" + named + b"]" if named else b"(?!)"
        self._expression = one + (b"+" if runs else b"")

    def replacer(self, segments: Sequence[bytes | int], everywhere: bool) -> Callable[[bytes], bytes]:
        """What replaces all matches in a text, or the first.

        Args:
            segments: what to put there: texts, and numbers for the match.
            everywhere: whether to replace all matches.

        Returns:
            a function of a text, which raises UnicodeDecodeError if the class has other characters than ASCII's and the
            text is no UTF-8.
        """
        put = b"".join(
            segment.replace(b"\\", rb"\\") if isinstance(segment, bytes) else rb"\g<0>" for segment in segments
        )
        count = 0 if everywhere else 1
        in_bytes = re.compile(self._expression).sub
        if not self._others_too:
            return lambda text: in_bytes(put, text, count)
        put_text, in_text = put.decode(errors="surrogateescape"), re.compile(self._expression.decode()).sub

        def replaced(text: bytes) -> bytes:
            if text.isascii():
                return in_bytes(put, text, count)
            return in_text(put_text, text.decode(), count).encode(errors="surrogateescape")

        return replaced


def character_class(
    pattern: bytes, full_matches: Callable[[bytes, list[bytes]], Sequence[bool]]
) -> CharacterClass | None:
    """The class, or runs of its characters, that a valid pattern stands for; None if it is no such pattern.

    Args:
        pattern: the pattern.
        full_matches: tells of texts whether a pattern matches each.
    """
    form = _FORM.fullmatch(pattern)
    return CharacterClass(full_matches(form["one"], _PROBES), bool(form["run"])) if form else None
