"""The screens that were shown before, to go back to and forth again."""

from __future__ import annotations

from typing import Any, NamedTuple

from headrace.debug.cli.menus import MenuItem
from headrace.debug.cli.rich_text import RichTextLines


class NavigationHistoryItem:
    """A screen that was shown.

    Args:
        command: what it was the answer to.
        screen_output: its lines.
        scroll_position: how far it was scrolled.
    """

    def __init__(self, command: str, screen_output: RichTextLines | None, scroll_position: int) -> None:
        self.command = command
        self.screen_output = screen_output
        self.scroll_position = scroll_position


class _Bar(NamedTuple):
    text: str
    segments: list[tuple[int, int, Any]]

    def plus(self, text: str, attribute: Any = None) -> _Bar:
        start = len(self.text)
        added = [] if attribute is None else [(start, start + len(text), attribute)]
        return _Bar(self.text + text, self.segments + added)


class CursesNavigationHistory:
    """The last screens, with a pointer to the one that is shown.

    Args:
        capacity: how many are kept.

    Raises:
        ValueError: if that is not positive.

    Example:
        >>> history = CursesNavigationHistory(10)
        >>> history.add_item("lt", None, 0)
        >>> history.can_go_back()
        False
    """

    BACK_ARROW_TEXT = "<--"
    FORWARD_ARROW_TEXT = "-->"

    def __init__(self, capacity: int) -> None:
        if capacity <= 0:
            raise ValueError(f"In valid capacity value: {capacity} (a positive number is asked for)")
        self._capacity = capacity
        self._items: list[NavigationHistoryItem] = []
        self._pointer = -1

    def add_item(self, command: str, screen_output: RichTextLines | None, scroll_position: int) -> None:
        """Adds a screen after the one that is shown, and shows it; those that came after are forgotten.

        Args:
            command: what it answers.
            screen_output: its lines.
            scroll_position: how far it is scrolled.
        """
        kept = self._items[: self._pointer + 1]
        self._items = [*kept, NavigationHistoryItem(command, screen_output, scroll_position)][-self._capacity :]
        self._pointer = len(self._items) - 1

    def _check(self) -> None:
        if not self._items:
            raise ValueError("Empty navigation history")

    def update_scroll_position(self, new_scroll_position: int) -> None:
        """Notes how far the screen that is shown is scrolled now.

        Raises:
            ValueError: if there is none.
        """
        self._check()
        self._items[self._pointer].scroll_position = new_scroll_position

    def size(self) -> int:
        """How many screens are kept."""
        return len(self._items)

    def pointer(self) -> int:
        """The number of the one that is shown; -1 where there is none."""
        return self._pointer

    def go_back(self) -> NavigationHistoryItem:
        """Shows the one before, if there is one.

        Raises:
            ValueError: if there is no screen at all.
        """
        self._check()
        if self.can_go_back():
            self._pointer -= 1
        return self._items[self._pointer]

    def go_forward(self) -> NavigationHistoryItem:
        """Shows the one after, if there is one.

        Raises:
            ValueError: if there is no screen at all.
        """
        self._check()
        if self.can_go_forward():
            self._pointer += 1
        return self._items[self._pointer]

    def can_go_back(self) -> bool:
        """Whether there is a screen before the one that is shown."""
        return self._pointer >= 1

    def can_go_forward(self) -> bool:
        """Whether there is a screen after the one that is shown."""
        return self._pointer + 1 < len(self._items)

    def render(
        self,
        max_length: int,
        backward_command: str,
        forward_command: str,
        latest_command_attribute: str = "black_on_white",
        old_command_attribute: str = "magenta_on_white",
    ) -> RichTextLines:
        """The bar with the two arrows and the command of the screen that is shown.

        Args:
            max_length: how long it may be; the command is cut.
            backward_command: what the arrow back stands for, where it leads somewhere.
            forward_command: what the other one stands for.
            latest_command_attribute: how the command of the newest screen is drawn.
            old_command_attribute: how that of an older one is drawn, after how far back it is.

        Returns:
            one line.
        """
        back = MenuItem("", backward_command) if self.can_go_back() else None
        forth = MenuItem("", forward_command) if self.can_go_forward() else None
        bar = _Bar("", []).plus("| ").plus(self.BACK_ARROW_TEXT, back).plus(" ").plus(self.FORWARD_ARROW_TEXT, forth)
        if self._items:
            bar = bar.plus(" | ")
            attribute = latest_command_attribute
            behind = len(self._items) - 1 - self._pointer
            if behind:
                attribute = old_command_attribute
                bar = bar.plus(f"({-behind}) ", attribute)
            room = max(0, max_length - len(bar.text))
            command = self._items[self._pointer].command[:room]
            if command:
                bar = bar.plus(command, attribute)
        return RichTextLines(bar.text, font_attr_segs={0: bar.segments} if bar.segments else None)
