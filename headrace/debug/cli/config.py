"""The settings of the command line under the name and with the methods of 1.15."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from headrace.debug.cli.rich_text import RichLine, RichTextLines, rich_text_lines_from_rich_line_list
from headrace.debug.terminal import Settings

_BOOLS = {
    **dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True),
    **dict.fromkeys(("0", "false", "f", "no", "n", "off"), False),
}


class CLIConfig(Settings):
    """What `config set` changes; kept in a JSON file.

    Args:
        config_file_path: the file; ".tfdbg_config" in the home directory by default.
    """

    def __init__(self, config_file_path: str | None = None) -> None:
        super().__init__(config_file_path)
        self._callbacks: dict[str, Callable[[Any], Any]] = {}
        self._save()

    def _save(self) -> None:
        try:
            with open(self._path, "w") as file:
                json.dump(self._values, file)
        except OSError:
            # A home that cannot be written to: the settings are those of this program only.
            return

    def _check(self, name: str) -> None:
        if name not in self._values:
            raise KeyError(f"{name} is not a valid property name.")

    def get(self, name: str) -> Any:
        """A setting's value.

        Raises:
            KeyError: if there is no such setting.
        """
        self._check(name)
        return self._values[name]

    def set(self, name: str, text: int | str) -> None:
        """Changes a setting, writes the file and calls who wants to know.

        Raises:
            KeyError: if there is no such setting. ValueError: if it has no such value.
        """
        self._check(name)
        if not isinstance(self._values[name], bool):
            value: int = int(text)
        elif isinstance(text, str):
            if text.lower() not in _BOOLS:
                raise ValueError(f"Invalid string value for bool type: {text}")
            value = _BOOLS[text.lower()]
        else:
            value = bool(text)
        self._values[name] = value
        self._save()
        if name in self._callbacks:
            self._callbacks[name](self._values)

    def set_callback(self, property_name: str, callback: Callable[[Any], Any]) -> None:
        """Has `callback` called with all settings when one has changed.

        Raises:
            KeyError: if there is no such setting. TypeError: if `callback` cannot be called.
        """
        self._check(property_name)
        if not callable(callback):
            raise TypeError("The callback object provided is not callable.")
        self._callbacks[property_name] = callback

    def summarize(self, highlight: str | None = None) -> RichTextLines:
        """All settings, a line each, one of them in bold."""
        lines = [RichLine("Command-line configuration:", "bold"), RichLine("")]
        for name, value in self._values.items():
            weight = "bold" if name == highlight else None
            lines.append(RichLine("  ") + RichLine(name, ["underline", weight]) + ": " + RichLine(str(value), weight))
        return rich_text_lines_from_rich_line_list(lines)
