"""RE2's regular expressions, which are TensorFlow's, as Python's.

What both have they mostly spell alike; a pattern is read token by token, so that what RE2 lacks is refused, what Python
lacks is written out, and what they take differently (digits, words, spaces, ends of lines) means what RE2 means.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable

from headrace.core.errors import InvalidArgumentError
from headrace.ops.string.scripts import runs

_LAST = 0x10FFFF
_PERL = {"d": "0-9", "s": r"\t\n\f\r ", "w": "0-9A-Za-z_"}
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_ESCAPES = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
# The scripts by the numbers that ICU gives them, as far as texts are told apart by them.
_SCRIPTS = {
    "Arabic": 2,
    "Armenian": 3,
    "Bengali": 4,
    "Common": 0,
    "Cyrillic": 8,
    "Devanagari": 10,
    "Ethiopic": 11,
    "Georgian": 12,
    "Greek": 14,
    "Gujarati": 15,
    "Gurmukhi": 16,
    "Han": 17,
    "Hangul": 18,
    "Hebrew": 19,
    "Hiragana": 20,
    "Inherited": 1,
    "Kannada": 21,
    "Katakana": 22,
    "Khmer": 23,
    "Lao": 24,
    "Latin": 25,
    "Malayalam": 26,
    "Mongolian": 27,
    "Myanmar": 28,
    "Sinhala": 33,
    "Syriac": 34,
    "Tamil": 35,
    "Telugu": 36,
    "Thai": 38,
    "Tibetan": 39,
}
# Matches no character.
_NOTHING = "(?!)"
# Bytes that are no UTF-8, as they are decoded: they are no characters.
_BROKEN = r"\udc80-\udcff"
_MOST_REPEATS = 1000
_REPEAT = re.compile(r"\{(\d+)(,?)(\d*)\}")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_POSIX_CLASS = re.compile(r"\[:(\^?)(\w+):\]", re.ASCII)
_PROPERTY = re.compile(r"\\[pP](?:\{(\^?)(\w+)\}|([A-Z]))", re.ASCII)
_NUMBER = re.compile(r"\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2}|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\})")
_NAMED = re.compile(r"\(\?P<(\w+)>", re.ASCII)


class _Refused(Exception):
    """RE2 has no such pattern."""


def compiled(pattern: bytes | str) -> re.Pattern[str]:
    """The pattern as Python's.

    Raises:
        InvalidArgumentError: if it is none.
    """
    return _compiled(pattern.decode("utf-8", "surrogateescape") if isinstance(pattern, bytes) else pattern)


@functools.lru_cache(maxsize=256)
def may_match_nothing(pattern: re.Pattern[str]) -> bool:
    """Whether a pattern of Python may match between two characters of some text."""
    # All that it asks for is there in the empty text as well, but for the edges of words.
    return pattern.search("") is not None or r"(?a:\b)" in pattern.pattern or r"(?a:\B)" in pattern.pattern


@functools.lru_cache(maxsize=256)
def _compiled(text: str) -> re.Pattern[str]:
    try:
        return re.compile(_Reader(text).translated())
    except (_Refused, re.error, RecursionError, OverflowError) as error:
        raise InvalidArgumentError(None, None, f"Invalid pattern: {text}, error: {error}") from None


def _character(code: int) -> str:
    return re.escape(chr(code)) if code != 0x5E else r"\^"


def _ranges(codes: Iterable[int]) -> str:
    """Ascending code points as what stands in a class."""
    out, first, last = [], -2, -2
    for code in codes:
        if code != last + 1:
            if first >= 0:
                out.append(_range(first, last))
            first = code
        last = code
    if first >= 0:
        out.append(_range(first, last))
    return "".join(out)


def _range(first: int, last: int) -> str:
    return _character(first) if first == last else f"{_character(first)}-{_character(last)}"


@functools.lru_cache(maxsize=64)
def _property(name: str, negated: bool) -> str:
    """The characters of a general category or a script."""
    if name == "Any":
        return "" if negated else _range(0, _LAST)
    if name in _SCRIPTS:
        starts, scripts = (part.tolist() for part in runs())
        ends = [*starts[1:], _LAST + 1]
        chosen = [(scripts[i] == _SCRIPTS[name]) != negated for i in range(len(starts))]
        return "".join(_range(starts[i], ends[i] - 1) for i in range(len(starts)) if chosen[i])
    if not re.fullmatch("[A-Z][a-z]?", name) or name[0] not in "CLMNPSZ":
        raise _Refused(f"invalid character class range: \\p{{{name}}}")
    chosen = [run for run in _category_runs() if run[2].startswith(name) != negated]
    return "".join(_range(first, last) for first, last, _ in chosen)


@functools.cache
def _category_runs() -> list[tuple[int, int, str]]:
    """The first and last code points of all runs of a general category, and the category."""
    found: list[tuple[int, int, str]] = []
    for begin, end in ((0, 0x3FFFF), (0xE0000, 0xE0FFF)):
        first = begin
        for category, group in itertools.groupby(map(unicodedata.category, map(chr, range(begin, end + 1)))):
            count = len(list(group))
            found.append((first, first + count - 1, category))
            first += count
    # Nothing is assigned in the planes between, and the last two are for private use.
    return [*found, (0x40000, 0xDFFFF, "Cn"), (0xE1000, 0xEFFFF, "Cn"), (0xF0000, _LAST, "Co")]


@functools.lru_cache(maxsize=32)
def _all_but(inside: str) -> str:
    """The class of what a class of ASCII characters leaves out."""
    other = re.compile(f"[^{inside}]")
    left = _ranges(code for code in range(0x80) if other.match(chr(code)))
    return rf"{left}\x80-\ud7ff\ue000-{chr(_LAST)}"


class _Reader:
    """Reads a pattern of RE2 and writes it as one of Python.

    Args:
        text: the pattern.
    """

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._out: list[str] = []
        # The flags outside of each open group.
        self._groups: list[frozenset[str]] = []
        self._flags: frozenset[str] = frozenset()
        # Whether what was written last can be repeated, and the repetition that it is.
        self._repeatable, self._repeated = False, ""

    def translated(self) -> str:
        """The pattern of Python.

        Raises:
            _Refused: for what RE2 refuses.
        """
        while self._at < len(self._text):
            self._token()
        if self._groups:
            raise _Refused(f"missing ): {self._text}")
        return "".join(self._out)

    def _token(self) -> None:
        c = self._text[self._at]
        if c in "*+?" or (c == "{" and _REPEAT.match(self._text, self._at)):
            self._repetition()
            return
        self._repeated = ""
        if c == "(":
            self._open()
        elif c == ")":
            if not self._groups:
                raise _Refused(f"missing ): {self._text}")
            self._flags = self._groups.pop()
            self._put(")", 1)
        elif c == "|":
            self._put("|", 1, repeatable=False)
        elif c == "[":
            self._class()
        elif c == "\\":
            self._escape()
        elif c == ".":
            self._put(f"[^{_BROKEN}]" if "s" in self._flags else rf"[^\n{_BROKEN}]", 1)
        elif c == "^":
            self._put("(?m:^)" if "m" in self._flags else r"\A", 1)
        elif c == "$":
            # Without flags only at the very end, not before a last line break.
            self._put("(?m:$)" if "m" in self._flags else r"\Z", 1)
        else:
            self._put(self._cased(re.escape(c)), 1)

    def _cased(self, text: str) -> str:
        """Characters of the pattern as the flags have them."""
        return f"(?i:{text})" if "i" in self._flags else text

    def _put(self, text: str, taken: int, repeatable: bool = True) -> None:
        self._out.append(text)
        self._at += taken
        self._repeatable = repeatable

    def _repetition(self) -> None:
        found = _REPEAT.match(self._text, self._at)
        mark = found[0] if found else self._text[self._at]
        if found:
            least, most = int(found[1]), int(found[3] or found[1])
            if max(least, most) > _MOST_REPEATS or least > most or (found[3] and not found[2]):
                raise _Refused(f"invalid repetition size: {mark}")
        if not self._repeatable:
            raise _Refused(f"no argument for repetition operator: {mark}")
        lazy = self._text.startswith("?", self._at + len(mark))
        if self._repeated:
            raise _Refused(f"bad repetition operator: {self._repeated}{mark}")
        self._repeated = mark + ("?" if lazy else "")
        self._put(mark + ("?" if lazy != ("U" in self._flags) else ""), len(self._repeated))

    def _open(self) -> None:
        if named := _NAMED.match(self._text, self._at):
            # Rewrites know groups by their numbers only.
            self._enter("(", len(named[0]))
        elif not self._text.startswith("(?", self._at):
            self._enter("(", 1)
        elif flags := _FLAGS.match(self._text, self._at):
            if flags[3] == ":":
                self._enter("(?:", len(flags[0]))
            else:
                self._put("", len(flags[0]), repeatable=False)
            self._flags = self._flags.union(flags[1]).difference(flags[2] or "")
        elif self._text.startswith("(?P<", self._at):
            raise _Refused(
                f"invalid named capture group: {self._text[self._at : self._text.find('>', self._at) + 1 or None]}"
            )
        else:
            raise _Refused(f"invalid perl operator: {self._text[self._at : self._at + 3]}")

    def _enter(self, text: str, taken: int) -> None:
        self._groups.append(self._flags)
        self._put(text, taken, repeatable=False)

    def _class(self) -> None:
        start = self._at
        self._at += 1
        negated = self._text.startswith("^", self._at)
        self._at += negated
        parts: list[str] = []
        first = True
        while first or not self._text.startswith("]", self._at):
            if self._at >= len(self._text):
                raise _Refused(f"missing ]: {self._text[start:]}")
            first = False
            parts.append(self._class_part())
        inside = "".join(parts)
        if not inside:
            self._put(f"[^{_BROKEN}]" if negated else _NOTHING, 1)
        else:
            self._put(self._cased(f"[^{inside}{_BROKEN}]" if negated else f"[{inside}]"), 1)

    def _class_part(self) -> str:
        text = self._text
        if posix := _POSIX_CLASS.match(text, self._at):
            if posix[2] not in _POSIX:
                raise _Refused(f"invalid character class range: {posix[0]}")
            self._at += len(posix[0])
            return _all_but(_POSIX[posix[2]]) if posix[1] else _POSIX[posix[2]]
        if text[self._at] == "\\" and (whole := self._whole_class()) is not None:
            return whole
        begin = self._at
        low = high = self._class_character()
        if text.startswith("-", self._at) and not text.startswith("-]", self._at) and self._at + 1 < len(text):
            self._at += 1
            high = self._class_character()
            if high < low:
                raise _Refused(f"invalid character class range: {text[begin : self._at]}")
        return _range(low, high)

    def _class_character(self) -> int:
        if self._text[self._at] == "\\":
            return self._escaped()
        self._at += 1
        return ord(self._text[self._at - 1])

    def _whole_class(self) -> str | None:
        """What an escape for several characters stands for in a class, once it is read; None for another escape."""
        kind = self._text[self._at + 1 : self._at + 2]
        if kind and kind.lower() in _PERL:
            self._at += 2
            return _PERL[kind] if kind in _PERL else _all_but(_PERL[kind.lower()])
        if kind in ("p", "P"):
            found = _PROPERTY.match(self._text, self._at)
            if not found:
                raise _Refused(f"invalid character class range: {self._text[self._at : self._at + 3]}")
            self._at += len(found[0])
            return _property(found[2] or found[3], (kind == "P") != bool(found[1]))
        return None

    def _escape(self) -> None:
        text, kind = self._text, self._text[self._at + 1 : self._at + 2]
        if kind in ("b", "B"):
            self._put(rf"(?a:\{kind})", 2)
        elif kind == "A":
            self._put(r"\A", 2)
        elif kind == "z":
            self._put(r"\Z", 2)
        elif kind == "C":
            self._put(r"[\s\S]", 2)
        elif kind == "Q":
            end = text.find(r"\E", self._at + 2)
            literal = text[self._at + 2 :] if end < 0 else text[self._at + 2 : end]
            self._put(re.escape(literal), len(literal) + (2 if end < 0 else 4), repeatable=bool(literal))
        else:
            whole = self._whole_class()
            if whole is None:
                self._put(self._cased(re.escape(chr(self._escaped()))), 0)
            else:
                self._put(f"[{whole}]" if whole else _NOTHING, 0)

    def _escaped(self) -> int:
        """The character that an escape stands for."""
        text, at = self._text, self._at
        if at + 1 >= len(text):
            raise _Refused("trailing \\")
        kind = text[at + 1]
        found = _NUMBER.match(text, at)
        if found:
            self._at += len(found[0])
            digits = found[0].lstrip("\\x").strip("{}")
            code = int(digits, 16 if found[0][1] == "x" else 8)
            if code > _LAST:
                raise _Refused(f"invalid escape sequence: {found[0]}")
            return code
        self._at += 2
        if kind in _ESCAPES:
            return _ESCAPES[kind]
        if ord(kind) < 0x80 and not kind.isalnum():
            return ord(kind)
        raise _Refused(f"invalid escape sequence: \\{kind}")
