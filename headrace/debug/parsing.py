"""Reading the debugger's command line."""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:
    from headrace.core.typing import FloatLike


_SLICING = re.compile(r"(.*?)(\[[^\[\]]*\])?")


class CommandError(Exception):
    """A command that cannot be carried out; the text says why."""


class Arguments(argparse.ArgumentParser):
    """The arguments of one command; errors are raised, not printed."""

    def __init__(self, description: str) -> None:
        super().__init__(description=description, usage=argparse.SUPPRESS, add_help=False)

    def error(self, message: str) -> NoReturn:
        """Raises `CommandError`."""
        raise CommandError(message)


def split_command(line: str) -> tuple[list[str], str | None]:
    """The words of a line, and the file that its output goes to.

    Example:
        >>> split_command("pt y:0[0, :] > out.txt")
        (['pt', 'y:0[0,:]'], 'out.txt')
    """
    # What stands in brackets is one word, whatever blanks it holds.
    text = re.sub(r"\[[^\[\]]*\](?=\s|$)|(?<=\s)\[\[.*?\]\]", lambda match: match[0].replace(" ", ""), line)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise CommandError(f"{error}: {line}") from None
    if len(words) > 2 and words[-2] == ">":
        return words[:-2], words[-1]
    if len(words) > 1 and words[-1].startswith(">") and len(words[-1]) > 1 and words[0] != "eval":
        return words[:-1], words[-1][1:]
    return words, None


def parse_tensor_name_with_slicing(text: str) -> tuple[str, str]:
    """The name and the slicing: "y:0[:, 1]" gives ("y:0", "[:, 1]")."""
    match = _SLICING.fullmatch(text)
    if match is None:
        raise CommandError(f"Cannot read the tensor's name {text!r}.")
    return match[1], match[2] or ""


def evaluate_tensor_slice(value: FloatLike | np.ndarray | Sequence[Sequence[float]], slicing: str) -> Any:
    """`value[...]` of a slicing of integers, colons and ellipses.

    Raises:
        CommandError: if the slicing is none, or does not fit.
    """
    if not slicing:
        return value
    if not re.fullmatch(r"\[[-\d:., ]*\]", slicing):
        raise CommandError("Invalid tensor-slicing string.")
    try:
        items = tuple(_index(item.strip()) for item in slicing[1:-1].split(",") if item.strip())
        return np.asarray(value)[items]
    except (IndexError, ValueError) as error:
        raise CommandError(f"Cannot take {slicing} of a tensor of shape {np.shape(value)}: {error}") from error


def _index(item: str) -> Any:
    if item == "...":
        return Ellipsis
    parts = item.split(":")
    if len(parts) == 1:
        return int(item)
    return slice(*(int(part) if part.strip() else None for part in parts))


def parse_ranges(text: str) -> list[tuple[float, float]]:
    """The ranges of `-r`: "0,1", "[0, 1]" or "[[-inf, 0], [1, inf]]".

    Raises:
        CommandError: if they are none.
    """
    quoted = re.sub(r"[-+]?\b(?:inf|nan)\b", lambda match: f"'{match[0]}'", text.strip())
    try:
        found = ast.literal_eval(quoted)
        pairs = [found] if found and not isinstance(found[0], (list, tuple)) else found
        ranges = [(float(low), float(high)) for low, high in pairs]
    except (ValueError, SyntaxError, TypeError) as error:
        raise CommandError(f"Incorrect ranges {text!r}: expected [low, high] or a list of such.") from error
    if any(low > high for low, high in ranges):
        raise CommandError(f"Incorrect ranges {text!r}: the second number must not be smaller than the first.")
    return ranges
