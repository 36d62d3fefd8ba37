"""Menus: captions that stand for commands."""

from __future__ import annotations

from typing import Any

from headrace.debug.cli.rich_text import RichTextLines, Segment

# Where a text's notes hold the menu to show with it.
MAIN_MENU_KEY = "mm:"


class MenuItem:
    """A caption and what it stands for.

    Args:
        caption: what is shown.
        content: what it stands for, a command as a rule.
        enabled: whether it can be chosen.
    """

    def __init__(self, caption: str | None, content: str | None, enabled: bool = True) -> None:
        self._caption = caption
        self._content = content
        self._enabled = enabled

    @property
    def caption(self) -> str | None:
        """What is shown."""
        return self._caption

    @property
    def content(self) -> Any:
        """What it stands for."""
        return self._content

    def is_enabled(self) -> bool:
        """Whether it can be chosen."""
        return self._enabled

    def disable(self) -> None:
        """Takes it from what can be chosen."""
        self._enabled = False

    def enable(self) -> None:
        """Lets it be chosen."""
        self._enabled = True


class Menu:
    """Items in a row.

    Args:
        name: its name.
    """

    def __init__(self, name: str | None = None) -> None:
        self._name = name
        self._items: list[MenuItem] = []

    def append(self, item: MenuItem) -> None:
        """Adds an item at the end."""
        self._items.append(item)

    def insert(self, index: int, item: MenuItem) -> None:
        """Adds an item at a place."""
        self._items.insert(index, item)

    def num_items(self) -> int:
        """How many items there are."""
        return len(self._items)

    def captions(self) -> list[str | None]:
        """What is shown of them."""
        return [item.caption for item in self._items]

    def caption_to_item(self, caption: str) -> MenuItem:
        """The first item with a caption.

        Raises:
            LookupError: if there is none.
        """
        for item in self._items:
            if item.caption == caption:
                return item
        raise LookupError(f'There is no menu item with the caption "{caption}"')

    def format_as_single_line(
        self,
        prefix: str | None = None,
        divider: str = " | ",
        enabled_item_attrs: str | None = None,
        disabled_item_attrs: str | None = None,
    ) -> RichTextLines:
        """The captions in one line.

        Args:
            prefix: what stands before them.
            divider: what stands behind each.
            enabled_item_attrs: an attribute, or several, of those that can be chosen; each has itself as one as well.
            disabled_item_attrs: the same of the others.
        """
        line = prefix or ""
        segments: list[Segment] = []
        for item in self._items:
            begin = len(line)
            line += item.caption or ""
            attributes = _listed(enabled_item_attrs if item.is_enabled() else disabled_item_attrs)
            if item.is_enabled():
                attributes = [item, *attributes]
            if attributes:
                segments.append((begin, len(line), attributes))
            line += divider
        return RichTextLines(line, font_attr_segs={0: segments})


def _listed(attributes: str | None) -> list[Any]:
    if attributes is None:
        return []
    return attributes if isinstance(attributes, list) else [attributes]
