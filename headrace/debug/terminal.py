"""The debugger's prompt: reads commands, finds who carries them out, prints what they say."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from headrace.core.version import VERSION
from headrace.debug import screen
from headrace.debug.history import History
from headrace.debug.parsing import Arguments, CommandError, split_command

if TYPE_CHECKING:
    import argparse
    from types import ModuleType

    from headrace.debug.session_requests import OnRunStartResponse


PROMPT = screen.PROMPT
_EXITS = frozenset({"exit", "quit"})
EXPLICIT_USER_EXIT = "explicit_user_exit"

Handler = Callable[[Any], Sequence[str]]


class Leave(Exception):
    """Raised by a command that ends the prompt.

    Attributes:
        answer: what `Terminal.talk` returns.
    """

    def __init__(self, answer: str | OnRunStartResponse | None) -> None:
        super().__init__()
        self.answer = answer


class Settings:
    """What `config set` changes; kept in a JSON file.

    Args:
        config_file_path: the file; ".tfdbg_config" in the home directory by default.
    """

    _DEFAULTS: ClassVar[dict[str, Any]] = {"graph_recursion_depth": 20, "mouse_mode": True}

    def __init__(self, config_file_path: str | None = None) -> None:
        self._path = config_file_path or os.path.join(os.path.expanduser("~"), ".tfdbg_config")
        self._values = dict(self._DEFAULTS)
        if os.path.isfile(self._path):
            try:
                with open(self._path) as file:
                    found = json.load(file)
            except (OSError, ValueError):
                # Another program's file, or one that was cut off: the defaults do.
                found = {}
            self._values.update({key: found[key] for key in self._DEFAULTS if key in found})

    @property
    def history_path(self) -> str:
        """The file that keeps the commands given, beside that of the settings."""
        return os.path.join(os.path.dirname(self._path), ".tfdbg_history")

    def get(self, name: str) -> Any:
        """A setting's value."""
        return self._values[name]

    def set(self, name: str, text: str) -> None:
        """Changes a setting and writes the file.

        Raises:
            CommandError: if there is no such setting, or it has no such value.
        """
        if name not in self._values:
            raise CommandError(f"There is no setting {name!r}; there are {', '.join(self._values)}.")
        kind = type(self._DEFAULTS[name])
        if kind is bool:
            if text.lower() not in ("true", "yes", "1", "false", "no", "0"):
                raise CommandError(f"{name} is true or false, got {text!r}.")
            self._values[name] = text.lower() in ("true", "yes", "1")
        else:
            try:
                self._values[name] = int(text)
            except ValueError:
                raise CommandError(f"{name} is a whole number, got {text!r}.") from None
        with open(self._path, "w") as file:
            json.dump(self._values, file)

    def lines(self) -> list[str]:
        """All settings, a line each."""
        return ["Command-line configuration:", "", *(f"  {name}: {value}" for name, value in self._values.items())]


class _Command:
    def __init__(self, name: str, handler: Handler, arguments: Arguments, aliases: Sequence[str]) -> None:
        self.name, self.handler, self.arguments, self.aliases = name, handler, arguments, list(aliases)

    def help(self) -> list[str]:
        lines = [self.name]
        if self.aliases:
            lines.append(f"  Aliases: {', '.join(self.aliases)}")
        return [*lines, "", *(f"  {line}".rstrip() for line in self.arguments.format_help().strip().splitlines()), ""]


class Terminal:
    """A prompt with its commands.

    Args:
        settings: what `config` shows and changes.
        ui_type: "curses" for the whole screen where there is one, "readline" for a line.
    """

    def __init__(self, settings: Settings, ui_type: str = "readline") -> None:
        self.settings = settings
        self.ui_type = ui_type
        self._commands: dict[str, _Command] = {}
        self._completions: dict[str, Sequence[str]] = {}
        self.intro: list[str] = []
        arguments = Arguments("Print this help message.")
        arguments.add_argument("command", nargs="?", help="the command to tell about")
        self.register("help", self._help, arguments, ["h"])
        arguments = Arguments("List the commands given so far.")
        arguments.add_argument("-n", type=int, default=100, dest="count", help="how many of the last (default 100)")
        self.register("history", self._history, arguments, ["hist"])
        self.register("version", self._version, Arguments("Print the versions of the libraries."), ["ver"])
        arguments = Arguments("Show or change the settings.")
        arguments.add_argument("action", choices=["set", "show"], nargs="?", default="show")
        arguments.add_argument("name", nargs="?", help="the setting")
        arguments.add_argument("value", nargs="?", help="its new value")
        self.register("config", self._config, arguments, ["cfg"])

    def register(self, name: str, handler: Handler, arguments: Arguments, aliases: Sequence[str] = ()) -> None:
        """Adds a command.

        Args:
            name: the word it begins with.
            handler: takes the parsed arguments, returns the lines to print.
            arguments: its arguments.
            aliases: other words for it.
        """
        command = _Command(name, handler, arguments, aliases)
        for word in (name, *aliases):
            self._commands[word] = command

    def complete(self, words: Sequence[str], candidates: Sequence[str]) -> None:
        """Offers `candidates` to the Tab key after the commands `words`."""
        for word in words:
            self._completions[word] = candidates

    def run_command(self, line: str) -> list[str]:
        """Carries out one line and returns what it has to say.

        Raises:
            Leave: if the command ends the prompt.
        """
        try:
            words, path = split_command(line)
            if not words:
                return []
            command = self._commands.get(words[0])
            if command is None:
                return [f'ERROR: Invalid command prefix "{words[0]}"']
            lines = list(command.handler(command.arguments.parse_args(words[1:])))
        except CommandError as error:
            return [f"ERROR: {error}"]
        except Leave:
            raise
        except Exception as error:  # noqa: BLE001
            # Filters and expressions are the user's: what they raise must not end the program that is being debugged.
            return [f"ERROR: {type(error).__name__}: {error}"]
        if path is None:
            return lines
        with open(os.path.expanduser(path), "w") as file:
            file.write("\n".join(lines) + "\n")
        return [f"Wrote output to {path}"]

    def talk(self, first: str = "", title: str = "") -> Any:
        """Reads and carries out commands until one ends the prompt.

        Args:
            first: a command that is carried out unasked.
            title: a line to print before all.

        Returns:
            the answer of the command that ended it; `EXPLICIT_USER_EXIT` for "exit" and where the input ends.
        """
        if self.ui_type == "curses" and screen.is_possible():
            try:
                screen.Screen(self).talk(first, title, _EXITS)
            except Leave as leave:
                return leave.answer
            return EXPLICIT_USER_EXIT
        if title:
            print(title)
        history = History.of(self.settings.history_path)
        with self._editing(history):
            try:
                if first:
                    self._print(self.run_command(first))
                while True:
                    try:
                        line = input(PROMPT).strip()
                    except EOFError:
                        print()
                        return EXPLICIT_USER_EXIT
                    except KeyboardInterrupt:
                        print()
                        continue
                    if line in _EXITS:
                        return EXPLICIT_USER_EXIT
                    if line:
                        history.add(line)
                    self._print(self.run_command(line))
            except Leave as leave:
                return leave.answer

    @staticmethod
    def _print(lines: Sequence[str]) -> None:
        if lines:
            print("\n".join(lines), end="\n\n")
        sys.stdout.flush()

    @contextlib.contextmanager
    def _editing(self, history: History) -> Any:
        """Line editing, history and the Tab key, where there is a terminal and a library for it."""
        try:
            readline: ModuleType = importlib.import_module("readline")
        except ImportError:
            yield
            return
        old, delimiters = readline.get_completer(), readline.get_completer_delims()
        readline.set_completer(self._completer(readline))
        readline.set_completer_delims("\n ")
        readline.parse_and_bind("tab: complete")
        if not readline.get_current_history_length():
            for line in history.commands:
                readline.add_history(line)
        try:
            yield
        finally:
            readline.set_completer(old)
            readline.set_completer_delims(delimiters)

    def _completer(self, readline: ModuleType) -> Callable[[str, int], str | None]:
        def complete(prefix: str, state: int) -> str | None:
            words = readline.get_line_buffer()[: readline.get_begidx()].split()
            matches = self.candidates(words, prefix)
            return matches[state] if state < len(matches) else None

        return complete

    def candidates(self, words: Sequence[str], prefix: str) -> list[str]:
        """What may stand for `prefix`, a word's beginning, behind the words of a line."""
        known = self._completions.get(words[0], ()) if words else sorted([*self._commands, *_EXITS])
        return [word for word in known if word.startswith(prefix)]

    def link(self, line: str, column: int) -> str | None:
        """The command that a click on a line of output asks for: to print the tensor, or to tell of the node, there."""
        for match in re.finditer(r"[^\s()\[\]\"]+", line):
            if match.start() <= column < match.end():
                word = match[0].rstrip(",.:;")
                for command, given in (("pt", "pt"), ("pf", "pf"), ("ni", "ni -a -d -t")):
                    if word in self._completions.get(command, ()):
                        return f"{given} {word}"
        return None

    @staticmethod
    def width() -> int:
        """How many characters a line of the terminal has."""
        return shutil.get_terminal_size().columns

    # ---- commands ----

    def _history(self, parsed: argparse.Namespace) -> list[str]:
        commands = History.of(self.settings.history_path).commands
        return [f"{i:>5}  {command}" for i, command in list(enumerate(commands, 1))[-parsed.count :]]

    def _help(self, parsed: argparse.Namespace) -> list[str]:
        if parsed.command is not None:
            command = self._commands.get(parsed.command)
            if command is None:
                raise CommandError(f'"{parsed.command}" is not a command; see help.')
            return command.help()
        lines = list(self.intro)
        for command in sorted(set(self._commands.values()), key=lambda item: item.name):
            lines += [*command.help(), ""]
        return [*lines, "exit", "  Aliases: quit", "", "  Leave the program."]

    def _version(self, parsed: argparse.Namespace) -> list[str]:
        import numpy as np
        import torch

        return [
            f"TensorFlow version: {VERSION}",
            f"NumPy version: {np.__version__}",
            f"PyTorch version: {torch.__version__}",
        ]

    def _config(self, parsed: argparse.Namespace) -> list[str]:
        if parsed.action == "set":
            if parsed.value is None:
                raise CommandError("config set takes the name of a setting and its value.")
            self.settings.set(parsed.name, parsed.value)
            return [f"Command-line configuration set: {parsed.name}: {self.settings.get(parsed.name)}"]
        return self.settings.lines()
