"""The debugger's prompt on the whole screen: output that scrolls, searching, history, the Tab key and the mouse."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, get_common_complete_suffix
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History as BufferHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    Float,
    FloatContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType
from prompt_toolkit.utils import is_dumb_terminal

from headrace.debug.history import History

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from headrace.debug.terminal import Terminal

PROMPT = "tfdbg> "
_HINT = "PgUp/PgDn scroll, Tab completes, /text searches, prev and next go through outputs, mouse on|off, help, exit"
_WHEEL_LINES = 3


def is_possible() -> bool:
    """Whether there is a terminal that can be written on freely."""
    return sys.stdin.isatty() and sys.stdout.isatty() and not is_dumb_terminal()


def wrapped(lines: Sequence[str], width: int) -> list[str]:
    """Lines no longer than the screen is wide."""
    shown: list[str] = []
    for line in lines:
        plain = line.expandtabs()
        shown.extend([plain[i : i + width] for i in range(0, len(plain), width)] or [""])
    return shown


class _Commands(Completer):
    """What the Tab key offers."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        before = document.text_before_cursor
        start = before.rfind(" ") + 1
        found = self._terminal.candidates(before[:start].split(), before[start:])
        for word in found:
            # The only one is a whole word.
            yield Completion(f"{word} " if len(found) == 1 else word, start - len(before), display=word)


class _FileHistory(BufferHistory):
    """The commands of all programs, for the keys Up and Down."""

    def __init__(self, kept: History) -> None:
        super().__init__()
        self._kept = kept

    def load_history_strings(self) -> Iterator[str]:
        return reversed(self._kept.commands)

    def store_string(self, string: str) -> None:
        self._kept.add(string)


class _Output(FormattedTextControl):
    """The lines of output, with the mouse on them."""

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen._output_fragments)
        self._screen = screen

    def mouse_handler(self, mouse_event: MouseEvent) -> None:  # type: ignore[override]  # of None or NotImplemented
        if mouse_event.event_type == MouseEventType.SCROLL_UP:
            self._screen._scroll(-_WHEEL_LINES)
        elif mouse_event.event_type == MouseEventType.SCROLL_DOWN:
            self._screen._scroll(_WHEEL_LINES)
        elif mouse_event.event_type == MouseEventType.MOUSE_UP:
            self._screen._click(mouse_event.position.y, mouse_event.position.x)


class Screen:
    """Talks with the user of a `Terminal` on the whole screen.

    Args:
        terminal: the commands.
        source, target: where keys come from and where it is drawn; the terminal of the process by default.
    """

    def __init__(self, terminal: Terminal, source: Input | None = None, target: Output | None = None) -> None:
        self._terminal = terminal
        self._title = ""
        self._exits: frozenset[str] = frozenset()
        self._outputs: list[tuple[str, list[str]]] = []
        self._shown = -1
        self._top = 0
        self._search: re.Pattern[str] | None = None
        self._notice = ""
        self._mouse = bool(terminal.settings.get("mouse_mode"))
        self._commands = _Commands(terminal)
        self._line = Buffer(
            completer=self._commands,
            history=_FileHistory(History.of(terminal.settings.history_path)),
            enable_history_search=True,
            multiline=False,
            accept_handler=self._accept,
        )
        self.application: Application[bool] = Application(
            layout=self._layout(),
            key_bindings=self._keys(),
            mouse_support=Condition(lambda: self._mouse),
            full_screen=True,
            input=source,
            output=target,
        )

    def _layout(self) -> Layout:
        prompt = Window(BufferControl(self._line, [BeforeInput(PROMPT)]), height=1, wrap_lines=False)
        rows = HSplit(
            [
                Window(FormattedTextControl(lambda: [("bold", self._title_text())]), height=1),
                Window(_Output(self), wrap_lines=False),
                Window(FormattedTextControl(lambda: [("", self._status())]), height=1, style="reverse"),
                prompt,
            ]
        )
        menu = Float(CompletionsMenu(max_height=8, scroll_offset=1), xcursor=True, ycursor=True)
        return Layout(FloatContainer(rows, [menu]), focused_element=prompt)

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        scrolled = {
            "pageup": lambda: -self._page(),
            "pagedown": self._page,
            "home": lambda: -len(self._lines()),
            "end": lambda: len(self._lines()),
        }
        for name, distance in scrolled.items():
            keys.add(name)(lambda event, distance=distance: self._scroll(distance()))
        keys.add("tab")(lambda event: self._complete())

        @keys.add("c-c")
        def clear(event: KeyPressEvent) -> None:
            self._line.reset()

        @keys.add("c-d", filter=Condition(lambda: not self._line.text))
        def leave(event: KeyPressEvent) -> None:
            event.app.exit(result=True)

        return keys

    def _complete(self) -> None:
        """Adds what all candidates have in common; shows them where that is nothing."""
        if self._line.complete_state is not None:
            self._line.complete_next()
            return
        found = list(self._commands.get_completions(self._line.document, CompleteEvent(completion_requested=True)))
        common = get_common_complete_suffix(self._line.document, found)
        if common:
            self._line.insert_text(common)
        elif found:
            self._line.start_completion()

    # ---- the conversation ----

    def talk(self, first: str, title: str, exits: frozenset[str]) -> bool:
        """Reads commands and carries them out, until one raises `Leave`.

        Args:
            first: a command that is carried out unasked.
            title: the line above all.
            exits: the commands that end it.

        Returns:
            True when one of `exits` was given, or there is no more input.
        """
        self._title, self._exits = title, exits
        if first:
            self._execute(first)
        try:
            return self.application.run(in_thread=_is_in_event_loop())
        except EOFError:
            return True

    def _accept(self, line: Buffer) -> bool:
        line.text = line.text.strip()
        # Before it is carried out: it may be the last thing that this screen does.
        line.append_to_history()
        self._carry_out(line.text)
        # Another line begins.
        return False

    def _carry_out(self, line: str) -> None:
        if line in self._exits:
            self.application.exit(result=True)
        elif line:
            try:
                self._execute(line)
            except Exception as error:  # noqa: BLE001 (raised again by `talk`, once the screen is the program's again)
                self.application.exit(exception=error)

    def _execute(self, line: str) -> None:
        words = line.split()
        self._notice = ""
        if line.startswith("/"):
            self._find(line[1:])
        elif words[0] in ("prev", "p", "next", "n") and len(words) == 1:
            self._turn_to(self._shown + (-1 if words[0] in ("prev", "p") else 1))
        elif words[0] in ("mouse", "m"):
            if len(words) > 1 and words[1] in ("on", "off"):
                self._mouse = words[1] == "on"
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
        start = 0 if text else self._top + 1
        found = [i for i, line in enumerate(self._lines()) if self._search.search(line)]
        if not found:
            self._notice = f'No line matches "{self._search.pattern}"'
            return
        self._top = next((i for i in found if i >= start), found[0])
        self._notice = f'{len(found)} line(s) match "{self._search.pattern}"; / goes to the next'

    def _scroll(self, lines: int) -> None:
        self._top = min(max(self._top + lines, 0), max(len(self._lines()) - self._page(), 0))
        self._notice = ""

    def _click(self, row: int, column: int) -> None:
        lines = self._lines()
        number = self._top + row
        command = self._terminal.link(lines[number], column) if number < len(lines) else None
        if command is not None:
            self._line.history.append_string(command)
            self._carry_out(command)

    # ---- what is shown ----

    def _columns(self) -> int:
        return max(self.application.output.get_size().columns, 2)

    def _page(self) -> int:
        """How many lines of output the screen has room for: all but title, status and prompt."""
        return max(self.application.output.get_size().rows - 3, 1)

    def _lines(self) -> list[str]:
        if self._shown < 0:
            return []
        return wrapped(self._outputs[self._shown][1], self._columns())

    def _title_text(self) -> str:
        return f"--- {self._title} ".ljust(self._columns(), "-")

    def _output_fragments(self) -> StyleAndTextTuples:
        lines, page = self._lines(), self._page()
        # The screen may have become larger.
        self._top = min(self._top, max(len(lines) - page, 0))
        fragments: StyleAndTextTuples = []
        for line in lines[self._top : self._top + page]:
            end = 0
            for match in self._search.finditer(line) if self._search is not None else ():
                fragments += [("", line[end : match.start()]), ("reverse", match[0])]
                end = match.end()
            fragments.append(("", line[end:] + "\n"))
        return fragments

    def _status(self) -> str:
        if self._notice:
            return self._notice
        count, page = len(self._lines()), self._page()
        if count <= page:
            return _HINT
        share = 100 * self._top // (count - page)
        return f"lines {self._top + 1}-{min(self._top + page, count)} of {count} ({share}%)  {_HINT}"


def _is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
