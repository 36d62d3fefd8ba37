"""The debugger's prompt on the whole screen: output that scrolls, searching, history, the Tab key and the mouse."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.debug.history import History

if TYPE_CHECKING:
    from types import ModuleType

    from headrace.debug.history import Recall
    from headrace.debug.terminal import Terminal

PROMPT = "tfdbg> "
_HINT = "PgUp/PgDn scroll, Tab completes, /text searches, prev and next go through outputs, mouse on|off, help, exit"
_WHEEL_LINES = 3


def is_possible() -> bool:
    """Whether there is a terminal that can be written on freely."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        curses: ModuleType = importlib.import_module("curses")
    except ImportError:
        return False
    try:
        curses.setupterm(os.environ.get("TERM", "unknown"), sys.stdout.fileno())
    except curses.error:
        return False
    return bool(curses.tigetstr("cup"))


class CommandLine:
    """The line being typed.

    Attributes:
        text: what there is.
        at: where the cursor stands in it.
    """

    def __init__(self) -> None:
        self.text, self.at = "", 0

    def set(self, text: str) -> None:
        """Replaces the line; the cursor goes behind it."""
        self.text, self.at = text, len(text)

    def insert(self, text: str) -> None:
        """Puts text where the cursor stands."""
        self.text = self.text[: self.at] + text + self.text[self.at :]
        self.at += len(text)

    def delete(self, before: int, behind: int) -> None:
        """Takes away characters before and behind the cursor."""
        start = max(0, self.at - before)
        self.text = self.text[:start] + self.text[self.at + behind :]
        self.at = start

    def move(self, to: int) -> None:
        """Puts the cursor somewhere in the line."""
        self.at = min(max(to, 0), len(self.text))


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Lines no longer than the screen is wide."""
    shown: list[str] = []
    for line in lines:
        plain = line.expandtabs()
        shown.extend([plain[i : i + width] for i in range(0, len(plain), width)] or [""])
    return shown


class Screen:
    """Talks with the user of a `Terminal` on the whole screen.

    Args:
        terminal: the commands.
        curses: the module `curses`, or what stands for it.
    """

    def __init__(self, terminal: Terminal, curses: Any = None) -> None:
        self._terminal = terminal
        self._curses: Any = curses or importlib.import_module("curses")
        self._window: Any = None
        self._title = ""
        self._outputs: list[tuple[str, list[str]]] = []
        self._shown = -1
        self._top = 0
        self._search: re.Pattern[str] | None = None
        self._notice = ""
        self._line = CommandLine()
        self._history = History.of(terminal.settings.history_path)
        self._mouse = bool(terminal.settings.get("mouse_mode"))

    # ---- the conversation ----

    def talk(self, first: str, title: str, exits: frozenset[str]) -> bool:
        """Reads commands and carries them out, until one raises `Leave`.

        Args:
            first: a command that is carried out unasked.
            title: the line above all.
            exits: the commands that end it.

        Returns:
            True when one of `exits` was given.
        """
        self._title = title
        with self._opened() as window:
            self._window = window
            if first:
                self._execute(first, remember=False)
            while True:
                self._draw()
                line = self._read_line()
                if line in exits:
                    return True
                if line:
                    self._execute(line)

    @contextlib.contextmanager
    def _opened(self) -> Any:
        curses = self._curses
        window = curses.initscr()
        try:
            curses.noecho()
            curses.cbreak()
            window.keypad(True)
            self._follow_mouse_mode()
            yield window
        finally:
            window.keypad(False)
            curses.mousemask(0)
            curses.nocbreak()
            curses.echo()
            curses.endwin()

    def _follow_mouse_mode(self) -> None:
        self._curses.mousemask(self._curses.ALL_MOUSE_EVENTS if self._mouse else 0)

    def _execute(self, line: str, remember: bool = True) -> None:
        if remember:
            self._history.add(line)
        words = line.split()
        self._notice = ""
        if line.startswith("/"):
            self._find(line[1:])
        elif words[0] in ("prev", "p", "next", "n") and len(words) == 1:
            self._turn_to(self._shown + (-1 if words[0] in ("prev", "p") else 1))
        elif words[0] in ("mouse", "m"):
            if len(words) > 1 and words[1] in ("on", "off"):
                self._mouse = words[1] == "on"
                self._follow_mouse_mode()
            self._notice = f"Mouse mode: {'on' if self._mouse else 'off'}"
        else:
            answer = self._terminal.run_command(line)
            self._mouse = self._mouse and bool(self._terminal.settings.get("mouse_mode"))
            del self._outputs[self._shown + 1 :]
            self._outputs.append((line, answer))
            self._search = None
            self._turn_to(len(self._outputs) - 1)

    def _turn_to(self, number: int) -> None:
        if 0 <= number < len(self._outputs):
            self._shown, self._top = number, 0
        else:
            self._notice = "There is no further output in this direction."

    def _find(self, text: str) -> None:
        """Goes on to the next line that matches; to the first of a new pattern."""
        if text:
            try:
                self._search = re.compile(text)
            except re.error as error:
                self._notice = f"ERROR: Invalid regular expression: {error}"
                return
        if self._search is None:
            self._notice = "/text searches in the output"
            return
        lines = self._lines()
        start = 0 if text else self._top + 1
        found = [i for i, line in enumerate(lines) if self._search.search(line)]
        if not found:
            self._notice = f'No line matches "{self._search.pattern}"'
            return
        self._top = next((i for i in found if i >= start), found[0])
        self._notice = f'{len(found)} line(s) match "{self._search.pattern}"; / goes to the next'

    # ---- drawing ----

    def _size(self) -> tuple[int, int]:
        rows, columns = self._window.getmaxyx()
        return rows, max(columns, 2)

    def _page(self) -> int:
        """How many lines of output the screen has room for: all but title, status and prompt."""
        return max(self._size()[0] - 3, 1)

    def _lines(self) -> list[str]:
        if self._shown < 0:
            return []
        return wrapped(self._outputs[self._shown][1], self._size()[1] - 1)

    def _put(self, row: int, text: str, attribute: int = 0) -> None:
        rows, columns = self._size()
        if 0 <= row < rows:
            # The last cell of the last row cannot be written without scrolling the screen.
            self._window.addnstr(row, 0, text.replace("\0", " "), columns - 1, attribute)

    def _draw(self) -> None:
        curses, window = self._curses, self._window
        rows, columns = self._size()
        # The whole screen: what other threads of the program have printed goes.
        window.clear()
        self._put(0, f"--- {self._title} ".ljust(columns - 1, "-"), curses.A_BOLD)
        lines, page = self._lines(), self._page()
        self._top = min(max(self._top, 0), max(len(lines) - page, 0))
        for row, line in enumerate(lines[self._top : self._top + page], 1):
            self._put(row, line)
            if self._search is not None:
                for match in self._search.finditer(line):
                    if match[0]:
                        window.addnstr(row, match.start(), match[0], columns - 1 - match.start(), curses.A_REVERSE)
        self._put(rows - 2, self._status(len(lines), page).ljust(columns - 1), curses.A_REVERSE)
        self._draw_line()

    def _status(self, count: int, page: int) -> str:
        if self._notice:
            return self._notice
        if count <= page:
            return _HINT
        share = 100 * self._top // (count - page)
        return f"lines {self._top + 1}-{min(self._top + page, count)} of {count} ({share}%)  {_HINT}"

    def _draw_line(self) -> None:
        rows, columns = self._size()
        room = columns - 1 - len(PROMPT)
        start = max(0, self._line.at - room + 1)
        self._window.move(rows - 1, 0)
        self._window.clrtoeol()
        self._put(rows - 1, PROMPT + self._line.text[start : start + max(room, 1)])
        self._window.move(rows - 1, min(len(PROMPT) + self._line.at - start, columns - 1))
        self._window.refresh()

    # ---- reading ----

    def _read_line(self) -> str:
        self._line.set("")
        recalled = self._history.recall()
        while True:
            self._draw_line()
            try:
                key = self._window.get_wch()
            except KeyboardInterrupt:
                self._line.set("")
                continue
            except self._curses.error:
                # The size of the screen changed, or there is no more input.
                if not sys.stdin.isatty():
                    return "exit"
                continue
            if key in ("\n", "\r", self._curses.KEY_ENTER):
                return self._line.text.strip()
            if key == "\x04" and not self._line.text:
                return "exit"
            command = self._press(key, recalled)
            if command is not None:
                return command

    def _press(self, key: int | str, recalled: Recall) -> str | None:
        """Does what a key asks for; returns a command where the mouse gave one."""
        curses, line = self._curses, self._line
        ends = {curses.KEY_LEFT: line.at - 1, curses.KEY_RIGHT: line.at + 1, "\x01": 0, "\x05": len(line.text)}
        rubbed = {
            curses.KEY_BACKSPACE: (1, 0), "\x7f": (1, 0), "\b": (1, 0), curses.KEY_DC: (0, 1),
            "\x15": (line.at, 0), "\x0b": (0, len(line.text)),
        }  # fmt: skip
        page = self._page()
        scrolled = {
            curses.KEY_NPAGE: self._top + page, curses.KEY_PPAGE: self._top - page, curses.KEY_HOME: 0,
            curses.KEY_END: len(self._lines()),
        }  # fmt: skip
        if key in ends:
            line.move(ends[key])
        elif key in rubbed:
            line.delete(*rubbed[key])
        elif key in scrolled:
            self._scroll(scrolled[key])
        elif key in (curses.KEY_UP, curses.KEY_DOWN):
            line.set(recalled.step(line.text, -1 if key == curses.KEY_UP else 1))
        elif key == "\t":
            self._complete()
        elif key == curses.KEY_RESIZE:
            self._draw()
        elif key == curses.KEY_MOUSE:
            return self._clicked()
        elif isinstance(key, str) and key.isprintable():
            line.insert(key)
        return None

    def _scroll(self, top: int) -> None:
        self._top = top
        self._notice = ""
        self._draw()

    def _complete(self) -> None:
        """Adds what all candidates for the word before the cursor have in common, and shows them."""
        before = self._line.text[: self._line.at]
        start = before.rfind(" ") + 1
        candidates = self._terminal.candidates(before[:start].split(), before[start:])
        if not candidates:
            return
        low, high = min(candidates), max(candidates)
        same = next((i for i, (a, b) in enumerate(zip(low, high)) if a != b), min(len(low), len(high)))
        common = low[:same]
        self._line.insert(common[len(before) - start :])
        if len(candidates) == 1:
            self._line.insert(" ")
        else:
            self._notice = "  ".join(candidates)
        self._draw()

    def _clicked(self) -> str | None:
        curses = self._curses
        try:
            _, column, row, _, buttons = curses.getmouse()
        except curses.error:
            return None
        if buttons & getattr(curses, "BUTTON4_PRESSED", 0):
            self._scroll(self._top - _WHEEL_LINES)
        elif buttons & getattr(curses, "BUTTON5_PRESSED", 0):
            self._scroll(self._top + _WHEEL_LINES)
        elif buttons & (curses.BUTTON1_CLICKED | curses.BUTTON1_RELEASED):
            lines = self._lines()
            number = self._top + row - 1
            if 1 <= row <= self._page() and number < len(lines):
                return self._terminal.link(lines[number], column)
        return None
