"""RE2's regular expressions, which are TensorFlow's, over many strings at once.

RE2 takes time linear in a text, whatever the pattern; patterns may come with a graph. A call of it from Python costs more
than it takes to match a short string: where pattern and strings allow that, the strings are lines of one text.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

import numpy as np
from re2 import _re2  # the functions around it make two Python objects for each match

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.string.character_class import CharacterClass, character_class
from headrace.kernels.string.rewrites import Rewrite

_ANYWHERE, _WHOLE = _re2.RE2.Anchor.UNANCHORED, _re2.RE2.Anchor.ANCHOR_BOTH
# How many strings become lines of one text: fewer are not worth it, more would make the text large.
_MIN_CHUNK, _MAX_CHUNK = 5, 4096
# A pattern that matches nothing but itself.
_LITERAL = re.compile(rb"[^\\.^$*+?{}()|\[\]]+")
# What asks for the ends of the text rather than of the line, matches any byte, or quotes what follows the pattern.
_NOT_FOR_LINES = re.compile(rb"\\[AzCQ]|\(\?[isU-]*m")


class Pattern:
    """A regular expression.

    Args:
        pattern: its text.

    Raises:
        InvalidArgumentError: if RE2 has no such pattern.

    Example:
        >>> Pattern(b"a+").full_matches([b"aaa", b"b"])
        array([ True, False])
    """

    def __init__(self, pattern: bytes) -> None:
        self._text = pattern
        # Only where groups are captured are their names looked at.
        self._capturing = _automaton(pattern, captures=True)
        if not self._capturing.ok():
            text, error = (part.decode(errors="backslashreplace") for part in (pattern, self._capturing.error()))
            # The RE2 of TensorFlow 1 had one word for either parenthesis.
            error = error.replace("unexpected ): ", "missing ): ", 1)
            raise InvalidArgumentError(None, None, f"Invalid pattern: {text}, error: {error}")

    def full_matches(self, texts: Sequence[bytes]) -> np.ndarray:
        """Whether the pattern matches the whole of each text: bool [n]."""
        out = np.zeros(len(texts), np.bool_)
        for begin, chunk, lines in _chunks(texts):
            if lines is None or self._runs_of_lines is None:
                match = self._plain.Match
                out[begin : begin + len(chunk)] = [match(_WHOLE, text, 0, len(text))[0][0] == 0 for text in chunk]
                continue
            lines += b"\n"
            ends = np.flatnonzero(np.frombuffer(lines, np.uint8) == ord("\n")) + 1
            for first, last in ends.searchsorted(_spans(self._runs_of_lines, lines), "right").tolist():
                out[begin + first : begin + last] = True
        return out

    def replaced(self, texts: Sequence[bytes], rewrite: Rewrite, everywhere: bool = True) -> Sequence[bytes]:
        """Each text with all matches, or only the first one, replaced.

        Of an invalid rewrite RE2 puts what comes before the mistake in the place of each of all matches, and does not
        replace the first one only.
        """
        if not everywhere and not rewrite.valid:
            return texts
        segments = rewrite.segments(self._capturing.NumberOfCapturingGroups())
        literal = b"".join(segment for segment in segments if isinstance(segment, bytes))
        last_group = max((segment for segment in segments if isinstance(segment, int)), default=-1)
        if last_group < 0 and _LITERAL.fullmatch(self._text):
            count = -1 if everywhere else 1
            return [text.replace(self._text, literal, count) for text in texts]
        if self._class is not None:
            replaced = self._class.replacer(segments, everywhere)
            try:
                return [replaced(text) for text in texts]
            except UnicodeDecodeError:
                pass  # RE2 knows what in it are characters.
        alone = self._capturing if last_group > 0 else self._plain
        out: list[bytes] = []
        for _, chunk, lines in _chunks(texts):
            in_lines = self._capturing_in_lines if last_group > 0 else self._plain_in_lines
            if lines is None or in_lines is None or b"\n" in literal:
                out += [_replaced(alone, text, segments, everywhere, line_by_line=False) for text in chunk]
            else:
                out += _replaced(in_lines, lines, segments, everywhere, line_by_line=True).split(b"\n")
        return out

    @functools.cached_property
    def _class(self) -> CharacterClass | None:
        return character_class(self._text, lambda pattern, texts: Pattern(pattern).full_matches(texts).tolist())

    # Automata of one use each, made when first needed; those of lines are None where lines will not do.

    @functools.cached_property
    def _plain(self) -> _re2.RE2:
        return _automaton(self._text)

    @functools.cached_property
    def _plain_in_lines(self) -> _re2.RE2 | None:
        return self._of_lines(self._text)

    @functools.cached_property
    def _capturing_in_lines(self) -> _re2.RE2 | None:
        return self._of_lines(self._text, captures=True)

    @functools.cached_property
    def _runs_of_lines(self) -> _re2.RE2 | None:
        """Matches all lines that follow one another and match, each with the byte that ends it."""
        return self._of_lines(rb"(?:^(?:" + self._text + rb")$\C)+")

    def _of_lines(self, pattern: bytes, captures: bool = False) -> _re2.RE2 | None:
        if _NOT_FOR_LINES.search(self._text):
            return None
        automaton = _automaton(b"(?m)" + pattern, captures, in_lines=True)
        return automaton if automaton.ok() else None


@functools.lru_cache(maxsize=16)
def cached_pattern(pattern: bytes) -> Pattern:
    """The pattern, which is kept for as long as it is one of the last few."""
    return Pattern(pattern)


def _automaton(pattern: bytes, captures: bool = False, in_lines: bool = False) -> _re2.RE2:
    options = _re2.RE2.Options()
    options.log_errors = False
    options.never_capture = not captures
    options.never_nl = in_lines
    return _re2.RE2(pattern, options)


def _chunks(texts: Sequence[bytes]) -> Iterator[tuple[int, Sequence[bytes], bytes | None]]:
    """Where each part of the texts begins, the part, and its texts as lines, or None where they are no such lines."""
    for begin in range(0, len(texts), _MAX_CHUNK):
        chunk = texts[begin : begin + _MAX_CHUNK]
        lines = b"\n".join(chunk) if len(chunk) >= _MIN_CHUNK else None
        yield begin, chunk, None if lines is None or lines.count(b"\n") >= len(chunk) else lines


def _spans(automaton: _re2.RE2, text: bytes) -> np.ndarray:
    """Where the matches, none of them empty, begin and end: int64 [n, 2]."""
    match, at, size = automaton.Match, 0, len(text)
    found: list[tuple[int, int]] = []
    while (span := match(_ANYWHERE, text, at, size)[0])[0] >= 0:
        found.append(span)
        at = span[1]
    return np.array(found, np.int64).reshape(-1, 2)


def _replaced(
    automaton: _re2.RE2, text: bytes, segments: Sequence[bytes | int], everywhere: bool, line_by_line: bool
) -> bytes:
    """The text with all matches replaced, or with the first one, or the first one of each line."""
    match, size = automaton.Match, len(text)
    out: list[bytes] = []
    copied = at = 0
    last = -1
    while at <= size:
        spans = match(_ANYWHERE, text, at, size)
        begin, end = spans[0]
        if begin < 0:
            break
        if begin == end == last:
            # Nothing is no match right behind a match.
            at += _character_size(text, at)
            continue
        out.append(text[copied:begin])
        for segment in segments:
            if isinstance(segment, bytes):
                out.append(segment)
            else:
                first, after = spans[segment]
                out.append(text[first:after])
        copied = last = at = end
        if not everywhere:
            at = (line_by_line and text.find(b"\n", end) + 1) or size + 1
    out.append(text[copied:])
    return b"".join(out)


def _character_size(text: bytes, at: int) -> int:
    """How many bytes of UTF-8 the character there has; 1 where there is none."""
    first_byte = text[at] if at < len(text) else 0
    size = 1 + (first_byte >= 0xC0) + (first_byte >= 0xE0) + (first_byte >= 0xF0)
    try:
        text[at : at + size].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return 1
    return size
