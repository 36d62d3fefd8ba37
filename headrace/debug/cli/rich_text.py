"""Lines of text in which parts have attributes, such as colours, and lines have notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from headrace.files import gfile

# From where to where a part of a line goes, and its attribute or list of attributes.
Segment = tuple[int, int, Any]

# Notes that are about all lines: which ones a search has found, and which one to show first.
REGEX_MATCH_LINES_KEY = "regex_match_lines"
INIT_SCROLL_POS_KEY = "init_scroll_pos"


class RichLine:
    """One line, put together from parts with attributes.

    Args:
        text: the text.
        font_attr: the attribute of all of it.

    Attributes:
        text: the text.
        font_attr_segs: its parts that have attributes.

    Example:
        >>> (RichLine("see ") + RichLine("help", "bold")).font_attr_segs
        [(4, 8, 'bold')]
    """

    def __init__(self, text: str = "", font_attr: Any = None) -> None:
        self.text = text
        self.font_attr_segs: list[Segment] = [(0, len(text), font_attr)] if font_attr else []

    def __add__(self, other: RichLine | str) -> RichLine:
        if isinstance(other, str):
            other = RichLine(other)
        if not isinstance(other, RichLine):
            raise TypeError(f"{other!r} cannot be concatenated with a RichLine")
        joined = RichLine(self.text + other.text)
        shift = len(self.text)
        moved = [(start + shift, end + shift, attribute) for start, end, attribute in other.font_attr_segs]
        joined.font_attr_segs = [*self.font_attr_segs, *moved]
        return joined

    def __len__(self) -> int:
        return len(self.text)


class RichTextLines:
    """Several lines, as commands give them.

    Args:
        lines: the lines, or the only one.
        font_attr_segs: for the numbers of lines, their parts with attributes.
        annotations: for the numbers of lines, or other keys, whatever there is to say.

    Raises:
        ValueError: if `lines` is something else.
    """

    def __init__(
        self,
        lines: list[str] | str,
        font_attr_segs: dict[int, list[Segment]] | None = None,
        annotations: dict[Any, Any] | None = None,
    ) -> None:
        if not isinstance(lines, (list, str)):
            raise ValueError(f"Unexpected type in lines: {type(lines)}")
        self._lines = [lines] if isinstance(lines, str) else lines
        self._font_attr_segs = font_attr_segs or {}
        self._annotations = annotations or {}

    @property
    def lines(self) -> list[str]:
        """The plain lines."""
        return self._lines

    @property
    def font_attr_segs(self) -> dict[int, list[Segment]]:
        """For the numbers of lines, their parts with attributes."""
        return self._font_attr_segs

    @property
    def annotations(self) -> dict[Any, Any]:
        """For the numbers of lines, or other keys, whatever there is to say."""
        return self._annotations

    def num_lines(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def slice(self, begin: int, end: int) -> RichTextLines:
        """The lines from `begin` to before `end`; notes that are not about single lines stay.

        Raises:
            ValueError: if either is negative.
        """
        if begin < 0 or end < 0:
            raise ValueError("Encountered negative index.")
        inside = range(begin, end)
        segments = {row - begin: found for row, found in self._font_attr_segs.items() if row in inside}
        notes = {key: note for key, note in self._annotations.items() if not isinstance(key, int)}
        notes.update(
            (key - begin, note) for key, note in self._annotations.items() if isinstance(key, int) and key in inside
        )
        return RichTextLines(self._lines[begin:end], segments, notes)

    def extend(self, other: RichTextLines) -> None:
        """Adds the lines of another text behind; its notes win over those under the same key."""
        shift = len(self._lines)
        self._lines.extend(other.lines)
        self._font_attr_segs.update(_shifted(other.font_attr_segs, shift))
        self._annotations.update(_shifted(other.annotations, shift))

    def append(self, line: str, font_attr_segs: list[Segment] | None = None) -> None:
        """Adds a line behind."""
        self._lines.append(line)
        if font_attr_segs:
            self._font_attr_segs[len(self._lines) - 1] = font_attr_segs

    def append_rich_line(self, rich_line: RichLine) -> None:
        """Adds a line behind."""
        self.append(rich_line.text, rich_line.font_attr_segs)

    def prepend(self, line: list[str] | str, font_attr_segs: list[Segment] | None = None) -> None:
        """Adds a line, or several, in front."""
        front = RichTextLines(line)
        shift = front.num_lines()
        self._lines = [*front.lines, *self._lines]
        self._font_attr_segs = _shifted(self._font_attr_segs, shift)
        self._annotations = _shifted(self._annotations, shift)
        if font_attr_segs:
            self._font_attr_segs[0] = font_attr_segs

    def write_to_file(self, file_path: str) -> None:
        """Writes the plain lines to a file."""
        with gfile.GFile(file_path, "w") as file:
            file.write("".join(line + "\n" for line in self._lines))


def _shifted(entries: Mapping[Any, Any], by: int) -> dict[Any, Any]:
    return {key + by if isinstance(key, int) else key: value for key, value in entries.items()}


def rich_text_lines_from_rich_line_list(
    rich_text_list: Iterable[RichLine | str], annotations: dict[Any, Any] | None = None
) -> RichTextLines:
    """The text of a list of lines, plain ones and others."""
    text = RichTextLines([], annotations=annotations)
    for line in rich_text_list:
        if isinstance(line, RichLine):
            text.append_rich_line(line)
        else:
            text.append(line)
    return text


def regex_find(orig_screen_output: RichTextLines, regex: str, font_attr: str) -> RichTextLines:
    """The text with all that a regular expression finds given an attribute.

    Returns:
        a new text, with the numbers of the lines that hold any under `REGEX_MATCH_LINES_KEY` of its notes.

    Raises:
        ValueError: if `regex` is no regular expression.
    """
    try:
        pattern = re.compile(regex)
    except re.error as error:
        raise ValueError(f'Invalid regular expression: "{regex}"') from error
    segments = {row: list(found) for row, found in orig_screen_output.font_attr_segs.items()}
    rows = []
    for row, line in enumerate(orig_screen_output.lines):
        found = [(match.start(), match.end(), font_attr) for match in pattern.finditer(line)]
        if found:
            rows.append(row)
            segments[row] = sorted([*segments.get(row, ()), *found], key=lambda segment: segment[0])
    notes = orig_screen_output.annotations
    notes[REGEX_MATCH_LINES_KEY] = rows
    return RichTextLines(orig_screen_output.lines, segments, notes)


def wrap_rich_text_lines(inp: RichTextLines, cols: int) -> tuple[RichTextLines, list[int]]:
    """The text with no line longer than `cols`.

    Returns:
        the text, and for each line of the old one its number in the new one.

    Raises:
        ValueError: if the arguments are something else.
    """
    if not isinstance(inp, RichTextLines):
        raise ValueError("Invalid type of input screen_output")
    if not isinstance(cols, int):
        raise ValueError("Invalid type of input cols")
    out = RichTextLines([], annotations={k: v for k, v in inp.annotations.items() if not isinstance(k, int)})
    firsts = []
    for row, line in enumerate(inp.lines):
        firsts.append(out.num_lines())
        if row in inp.annotations:
            out.annotations[out.num_lines()] = inp.annotations[row]
        for begin in range(0, len(line), cols) if len(line) > cols else [0]:
            end = min(begin + cols, len(line))
            inside = [
                (max(start, begin) - begin, min(stop, end) - begin, attribute)
                for start, stop, attribute in inp.font_attr_segs.get(row, ())
                if max(start, begin) < min(stop, end)
            ]
            out.append(line[begin:end], inside)
    return out, firsts
