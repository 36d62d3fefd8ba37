"""What a prompt knows: its commands, how words go on, and what was typed before."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headrace.core.version import VERSION
from headrace.debug.cli.rich_text import RichTextLines
from headrace.debug.history import History

HELP_INDENT = "  "


class CommandLineExit(Exception):
    """Ends the prompt.

    Args:
        exit_token: what it hands to the caller.
    """

    def __init__(self, exit_token: str | None = None) -> None:
        super().__init__()
        self._exit_token = exit_token

    @property
    def exit_token(self) -> Any:
        """What it hands to the caller."""
        return self._exit_token


class _Entry:
    def __init__(self, name: str, handler: Callable[..., Any], help_info: str, aliases: Sequence[str]) -> None:
        self.name, self.handler, self.help_info, self.aliases = name, handler, help_info, aliases

    def help(self) -> list[str]:
        lines = [self.name]
        if self.aliases:
            lines.append(f"{HELP_INDENT}Aliases: {', '.join(self.aliases)}")
        return [*lines, "", *(HELP_INDENT + line for line in self.help_info.split("\n"))]


class CommandHandlerRegistry:
    """Commands by name and alias; "help" and "version" are there from the beginning.

    Example:
        >>> registry = CommandHandlerRegistry()
        >>> registry.register_command_handler("echo", lambda argv, screen_info=None: RichTextLines(argv), "Echo.")
        >>> registry.dispatch_command("echo", ["a", "b"]).lines
        ['a', 'b']
    """

    HELP_COMMAND = "help"
    HELP_COMMAND_ALIASES = ("h",)
    VERSION_COMMAND = "version"
    VERSION_COMMAND_ALIASES = ("ver",)

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._words: dict[str, _Entry] = {}
        self._help_intro: RichTextLines | None = None
        self.register_command_handler(
            self.HELP_COMMAND, self._help, "Print this help message.", self.HELP_COMMAND_ALIASES
        )
        self.register_command_handler(
            self.VERSION_COMMAND,
            lambda argv, screen_info=None: get_tensorflow_version_lines(True),
            "Print the versions of TensorFlow and its key dependencies.",
            self.VERSION_COMMAND_ALIASES,
        )

    def register_command_handler(
        self, prefix: str, handler: Callable[..., Any], help_info: str, prefix_aliases: Sequence[str] | None = None
    ) -> None:
        """Adds a command.

        Args:
            prefix: the word it begins with.
            handler: called with the other words and `screen_info`; returns a `RichTextLines` or None.
            help_info: what "help" says about it.
            prefix_aliases: other words for it.

        Raises:
            ValueError: if a word is taken or empty, or an argument something else.
        """
        if not prefix:
            raise ValueError("Empty command prefix")
        if prefix in self._entries:
            raise ValueError(f'A handler is already registered for command prefix "{prefix}"')
        if not callable(handler):
            raise ValueError("handler is not callable")
        if not isinstance(help_info, str):
            raise ValueError("help_info is not a str")
        aliases = list(prefix_aliases or ())
        for alias in aliases:
            if alias in self._words:
                raise ValueError(f'The prefix alias "{alias}" clashes with existing prefixes or aliases.')
        entry = _Entry(prefix, handler, help_info, aliases)
        self._entries[prefix] = entry
        self._words.update(dict.fromkeys([*aliases, prefix], entry))

    def dispatch_command(
        self, prefix: str, argv: Sequence[str], screen_info: dict[str, Any] | None = None
    ) -> RichTextLines | None:
        """Carries out a command.

        Args:
            prefix: its word, or an alias.
            argv: the other words.
            screen_info: of the screen, such as the number of its "cols".

        Returns:
            what it has to say; where it fails, how.

        Raises:
            ValueError: if there is no such command, or it returns something else. CommandLineExit: if it ends the prompt.
        """
        if not prefix:
            raise ValueError("Prefix is empty")
        entry = self._words.get(prefix)
        if entry is None:
            raise ValueError(f'No handler is registered for command prefix "{prefix}"')
        try:
            output = entry.handler(argv, screen_info=screen_info)
        except CommandLineExit:
            raise
        except SystemExit:
            # So argparse ends on arguments that it cannot read.
            return RichTextLines([f"Syntax error for command: {prefix}", f'For help, do "help {prefix}"'])
        except BaseException as error:  # noqa: BLE001
            # Whatever a command raises, the prompt and the program behind it go on.
            said = f"Error occurred during handling of command: {entry.name} {' '.join(argv)}:"
            return RichTextLines([said, f"{type(error)}: {error}", "", *traceback.format_exc().split("\n")])
        if output is not None and not isinstance(output, RichTextLines):
            raise ValueError(
                f"Return value from command handler {entry.handler} is not None or a RichTextLines instance"
            )
        return output

    def is_registered(self, prefix: str) -> bool:
        """Whether there is a command of this word."""
        return prefix in self._words

    def get_help(self, cmd_prefix: str | None = None) -> RichTextLines:
        """What there is to say about a command, or about all."""
        if cmd_prefix:
            entry = self._words.get(cmd_prefix)
            return RichTextLines(entry.help() if entry else [f'Invalid command prefix: "{cmd_prefix}"'])
        text = RichTextLines([])
        if self._help_intro is not None:
            text.extend(self._help_intro)
        for name in sorted(self._entries):
            text.extend(RichTextLines([*self._entries[name].help(), "", ""]))
        return text

    def set_help_intro(self, help_intro: RichTextLines) -> None:
        """Sets what "help" begins with."""
        self._help_intro = help_intro

    def _help(self, argv: Sequence[str], screen_info: dict[str, Any] | None = None) -> RichTextLines:
        if len(argv) > 1:
            return RichTextLines(["ERROR: help takes only 0 or 1 input argument."])
        return self.get_help(*argv)


def get_tensorflow_version_lines(include_dependency_versions: bool = False) -> RichTextLines:
    """The version of TensorFlow that programs see, and that of NumPy if asked for."""
    lines = [f"TensorFlow version: {VERSION}", ""]
    if include_dependency_versions:
        lines += ["Dependency version(s):", f"  numpy: {np.__version__}", ""]
    return RichTextLines(lines)


class TabCompletionRegistry:
    """How words go on, by the word before them."""

    def __init__(self) -> None:
        self._candidates: dict[str, list[str]] = {}

    def register_tab_comp_context(self, context_words: list[str], comp_items: list[str]) -> None:
        """Offers `comp_items` after each of `context_words`.

        Raises:
            TypeError: if either is no list.
        """
        if not isinstance(context_words, list):
            raise TypeError(f"Incorrect type in context_list: Expected list, got {type(context_words)}")
        if not isinstance(comp_items, list):
            raise TypeError(f"Incorrect type in comp_items: Expected list, got {type(comp_items)}")
        shared = sorted(comp_items)
        for word in context_words:
            self._candidates[word] = shared

    def deregister_context(self, context_words: list[str]) -> None:
        """Offers nothing more after `context_words`.

        Raises:
            KeyError: if nothing was offered after one of them.
        """
        for word in context_words:
            if word not in self._candidates:
                raise KeyError(f'Cannot deregister unregistered context word "{word}"')
        for word in context_words:
            del self._candidates[word]

    def _known(self, context_word: str) -> list[str]:
        if context_word not in self._candidates:
            raise KeyError(f'Context word "{context_word}" has not been registered')
        return self._candidates[context_word]

    def extend_comp_items(self, context_word: str, new_comp_items: list[str]) -> None:
        """Offers more after a word, and after those it was registered with.

        Raises:
            KeyError: if nothing was offered after it.
        """
        known = self._known(context_word)
        known.extend(new_comp_items)
        known.sort()

    def remove_comp_items(self, context_word: str, comp_items: list[str]) -> None:
        """Offers less after a word, and after those it was registered with.

        Raises:
            KeyError: if nothing was offered after it. ValueError: if one of the items was not.
        """
        known = self._known(context_word)
        for item in comp_items:
            known.remove(item)

    def get_completions(self, context_word: str, prefix: str) -> tuple[list[str] | None, str | None]:
        """What is offered after a word that begins with `prefix`, and how all of it begins; None where nothing is."""
        if context_word not in self._candidates:
            return None, None
        found = sorted(item for item in self._candidates[context_word] if item.startswith(prefix))
        return found, os.path.commonprefix(found)  # noqa: RUF071 - of words, letter by letter


class CommandHistory:
    """What was typed, kept in a file.

    Args:
        limit: how many commands to keep.
        history_file_path: the file; `.tfdbg_history` in the home directory if not given.
    """

    def __init__(self, limit: int = 100, history_file_path: str | None = None) -> None:
        path = history_file_path or os.path.join(os.path.expanduser("~"), ".tfdbg_history")
        self._history = History(path, limit)

    def add_command(self, command: str) -> None:
        """Adds a command, unless it is the last one again.

        Raises:
            TypeError: if it is no string.
        """
        if not isinstance(command, str):
            raise TypeError("Attempt to enter non-str entry to command history")
        self._history.add(command)

    def most_recent_n(self, n: int) -> list[str]:
        """The last `n` commands."""
        return self._history.commands[-n:]

    def lookup_prefix(self, prefix: str, n: int) -> list[str]:
        """The last `n` commands that begin with `prefix`."""
        return [command for command in self._history.commands if command.startswith(prefix)][-n:]
