"""The prompts of 1.15's debugger as objects: commands are registered with one, and it reads, carries out and prints."""

from __future__ import annotations

import argparse
import contextlib
import importlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from headrace.core.errors import OpError
from headrace.debug.cli.config import CLIConfig
from headrace.debug.cli.reading import extract_output_file_path, parse_command
from headrace.debug.cli.registries import CommandHandlerRegistry, CommandLineExit, TabCompletionRegistry
from headrace.debug.cli.rich_text import RichTextLines
from headrace.debug.terminal import EXPLICIT_USER_EXIT, PROMPT

SUPPORTED_UI_TYPES = ["curses", "readline"]


class BaseUI:
    """A prompt with its commands, without what reads and prints.

    Args:
        on_ui_exit: called when it ends.
        config: its settings; those in the home directory by default.
    """

    CLI_PROMPT = PROMPT
    CLI_EXIT_COMMANDS: ClassVar[list[str]] = ["exit", "quit"]
    ERROR_MESSAGE_PREFIX = "ERROR: "
    INFO_MESSAGE_PREFIX = "INFO: "

    def __init__(self, on_ui_exit: Callable[[], Any] | None = None, config: CLIConfig | None = None) -> None:
        self._on_ui_exit = on_ui_exit
        self._config = config or CLIConfig()
        self._command_handler_registry = CommandHandlerRegistry()
        self._tab_completion_registry = TabCompletionRegistry()
        self._tab_completion_registry.register_tab_comp_context([""], [])
        parser = argparse.ArgumentParser(description="config command", usage=argparse.SUPPRESS)
        commands = parser.add_subparsers(dest="action")
        setting = commands.add_parser("set")
        setting.add_argument("property_name", help="the setting")
        setting.add_argument("property_value", help="its new value")
        commands.add_parser("show")
        self._config_argparser = parser
        self._command_handler_registry.register_command_handler(
            "config", self._config_command_handler, parser.format_help(), prefix_aliases=["cfg"]
        )

    @property
    def config(self) -> CLIConfig:
        """Its settings."""
        return self._config

    def set_help_intro(self, help_intro: RichTextLines) -> None:
        """Sets what "help" begins with."""
        self._command_handler_registry.set_help_intro(help_intro)

    def register_command_handler(
        self, prefix: str, handler: Callable[..., Any], help_info: str, prefix_aliases: Sequence[str] | None = None
    ) -> None:
        """Adds a command, and offers its words to the Tab key.

        Args:
            prefix, handler, help_info, prefix_aliases: as of `CommandHandlerRegistry.register_command_handler`.

        Raises:
            ValueError: if a word is taken or empty, or an argument something else.
        """
        self._command_handler_registry.register_command_handler(prefix, handler, help_info, prefix_aliases)
        self._tab_completion_registry.extend_comp_items("", [prefix, *(prefix_aliases or ())])

    def register_tab_comp_context(self, *args: Any, **kwargs: Any) -> None:
        """Offers words to the Tab key after others: `TabCompletionRegistry.register_tab_comp_context`."""
        self._tab_completion_registry.register_tab_comp_context(*args, **kwargs)

    def run_ui(
        self,
        init_command: str | None = None,
        title: str | None = None,
        title_color: str | None = None,
        enable_mouse_on_start: bool = True,
    ) -> Any:
        """Reads and carries out commands until one ends the prompt.

        Args:
            init_command: a command that is carried out unasked.
            title: a line to print before all.
            title_color, enable_mouse_on_start: of prompts on whole screens.

        Returns:
            the token of the command that ended it.

        Raises:
            NotImplementedError: always; those that read and print do it.
        """
        raise NotImplementedError(f"{type(self).__name__} does not read commands: use ReadlineUI.")

    def _parse_command(self, command: str) -> tuple[str, list[str], str | None]:
        words = parse_command(command.strip())
        if not words:
            return "", [], None
        arguments, path = extract_output_file_path(words[1:])
        return words[0], arguments, path

    def _analyze_tab_complete_input(self, text: str) -> tuple[str, str, str]:
        """What the word to complete stands after, its beginning, and all of the line before it."""
        text = text.lstrip()
        before, space, prefix = text.rpartition(" ")
        return before.partition(" ")[0], prefix, before + space

    def _config_command_handler(self, args: Sequence[str], screen_info: Any = None) -> RichTextLines:
        """What "config" does."""
        parsed = self._config_argparser.parse_args(list(args))
        if parsed.action != "set":
            return self._config.summarize()
        self._config.set(parsed.property_name, parsed.property_value)
        return self._config.summarize(highlight=parsed.property_name)


class ReadlineUI(BaseUI):
    """A prompt that reads and prints lines.

    Args:
        on_ui_exit: called when it ends.
        config: its settings; those in the home directory by default.

    Example:
        >>> from headrace.debug.cli.config import CLIConfig
        >>> from headrace.debug.cli.prompts import ReadlineUI
        >>> from headrace.debug.cli.rich_text import RichTextLines
        >>> prompt = ReadlineUI(config=CLIConfig("settings.json"))
        >>> prompt.register_command_handler("greet", lambda words, screen_info=None: RichTextLines(["Hello."]), "Greet.")
        >>> prompt._dispatch_command("greet")
        Hello.
    """

    def __init__(self, on_ui_exit: Callable[[], Any] | None = None, config: CLIConfig | None = None) -> None:
        super().__init__(on_ui_exit, config)
        self._init_input()

    def _init_input(self) -> None:
        with contextlib.suppress(ImportError):  # some systems have no such library: lines are read without it
            readline: Any = importlib.import_module("readline")
            readline.set_completer_delims("\n")
            readline.set_completer(self._readline_complete)
            readline.parse_and_bind("tab: complete")

    def _readline_complete(self, text: str, state: int) -> str | None:
        context, prefix, before = self._analyze_tab_complete_input(text)
        found, _ = self._tab_completion_registry.get_completions(context, prefix)
        return before + found[state] if found and state < len(found) else None

    def run_ui(
        self,
        init_command: str | None = None,
        title: str | None = None,
        title_color: str | None = None,
        enable_mouse_on_start: bool = True,
    ) -> Any:
        """Reads and carries out commands until one ends the prompt.

        Args:
            init_command: a command that is carried out unasked.
            title: a line to print before all.
            title_color, enable_mouse_on_start: nothing here.

        Returns:
            the token of the command that ended it; `EXPLICIT_USER_EXIT` of "exit" and "quit".
        """
        if title is not None:
            print(title)
        if init_command is not None:
            self._dispatch_command(init_command)
        token = self._ui_loop()
        if self._on_ui_exit:
            self._on_ui_exit()
        return token

    def _ui_loop(self) -> Any:
        while True:
            token = self._dispatch_command(self._get_user_command())
            if token is not None:
                return token

    def _get_user_command(self) -> str:
        print()
        return input(self.CLI_PROMPT).strip()

    def _dispatch_command(self, command: str) -> Any:
        """Carries out a line; the token of a command that ends the prompt, None of others."""
        if command in self.CLI_EXIT_COMMANDS:
            return EXPLICIT_USER_EXIT
        try:
            prefix, arguments, path = self._parse_command(command)
        except SyntaxError as error:
            print(str(error))
            return None
        if self._command_handler_registry.is_registered(prefix):
            try:
                output = self._command_handler_registry.dispatch_command(prefix, arguments)
            except CommandLineExit as leaving:
                return leaving.exit_token
        else:
            output = RichTextLines([f'{self.ERROR_MESSAGE_PREFIX}Invalid command prefix "{prefix}"'])
        if output is not None:
            self._display_output(output)
            if path is not None:
                self._write(output, path)
        return None

    def _write(self, output: RichTextLines, path: str) -> None:
        try:
            output.write_to_file(path)
            print(f"Wrote output to {path}")
        except (OSError, OpError) as error:
            print(f"Failed to write output to {path}: {error}")

    def _display_output(self, screen_output: RichTextLines) -> None:
        for line in screen_output.lines:
            print(line)


def get_ui(
    ui_type: str,
    on_ui_exit: Callable[[], Any] | None = None,
    available_ui_types: Sequence[str] | None = None,
    config: CLIConfig | None = None,
) -> BaseUI:
    """A prompt.

    Args:
        ui_type: "readline", or "curses", for which lines are read too: what has the whole screen is
            `LocalCLIDebugWrapperSession`'s own.
        on_ui_exit: called when it ends.
        available_ui_types: the kinds that may be chosen; both by default.
        config: its settings.

    Raises:
        ValueError: for another kind, or one that is not available.
    """
    available = SUPPORTED_UI_TYPES if available_ui_types is None else list(available_ui_types)
    if ui_type not in SUPPORTED_UI_TYPES or ui_type not in available:
        raise ValueError(f"Invalid ui_type: {ui_type!r}; there are {', '.join(available)}.")
    return ReadlineUI(on_ui_exit, config)


__all__ = ["SUPPORTED_UI_TYPES", "BaseUI", "ReadlineUI", "get_ui"]
