"""Reading what commands are given: words, redirections, slices, intervals of sizes and times."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.debug.parsing import CommandError, parse_tensor_name_with_slicing
from headrace.debug.parsing import evaluate_tensor_slice as _taken

if TYPE_CHECKING:
    import numpy as np


__all__ = [
    "Interval",
    "evaluate_tensor_slice",
    "extract_output_file_path",
    "get_print_tensor_argparser",
    "parse_command",
    "parse_indices",
    "parse_memory_interval",
    "parse_ranges",
    "parse_readable_size_str",
    "parse_readable_time_str",
    "parse_tensor_name_with_slicing",
    "parse_time_interval",
    "validate_slicing_string",
]

# A word: what is not blank, whole brackets and quotations with the blanks in them.
_WORD = re.compile(r"""(?:\[[^\]]*\]|"[^"]*"|'[^']*'|\S)+""")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
_SIZES = {"k": 1024, "M": 1024**2, "G": 1024**3}
_TIMES = {"us": 1.0, "ms": 1e3, "s": 1e6}


@dataclass(eq=True)
class Interval:
    """What lies between two values.

    Attributes:
        start: the smaller one.
        start_included: whether it belongs to the interval.
        end: the larger one.
        end_included: whether it belongs to the interval.
    """

    start: Any
    start_included: bool
    end: Any
    end_included: bool

    def contains(self, value: int) -> bool:
        """Whether a value lies in the interval."""
        above = value >= self.start if self.start_included else value > self.start
        below = value <= self.end if self.end_included else value < self.end
        return bool(above and below)


def parse_command(command: str) -> list[str]:
    """The words of a command; quotation marks around a whole word go.

    Example:
        >>> parse_command('pt x:0[0, 1] "a b"')
        ['pt', 'x:0[0, 1]', 'a b']
    """
    words = _WORD.findall(command.strip())
    if len(words) == 1:
        return words
    return [word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word for word in words]


def extract_output_file_path(args: list[str]) -> tuple[list[str], str | None]:
    """The words without a redirection at their end, and the file that it names.

    A comparison such as ">100ms" after an option, or "a>=b", is no redirection.

    Raises:
        SyntaxError: if a redirection names no file.
    """
    if not args:
        return args, None
    *before, last = args
    if last.endswith(">"):
        raise SyntaxError("Redirect file path is empty")
    if last.startswith(">"):
        is_value = before and before[-1].startswith("-") and _is_interval(last)
        return (args, None) if is_value else (before, last[1:])
    if before and before[-1] == ">":
        return before[:-1], last
    if last.count(">") == 1:
        word, _, path = last.partition(">")
        return (args, None) if word.endswith("=") else ([*before, word], path)
    if before and before[-1].endswith(">"):
        return [*before[:-1], before[-1][:-1]], last
    return args, None


def _is_interval(text: str) -> bool:
    try:
        _interval(text)
    except ValueError:
        return False
    return True


def validate_slicing_string(slicing_string: str) -> bool:
    """Whether a text is a slicing of integers and colons."""
    return re.fullmatch(r"\[[\d,\s:]+\]", slicing_string) is not None


def evaluate_tensor_slice(tensor: np.ndarray, tensor_slicing: str) -> Any:
    """`tensor[...]` of a slicing of integers and colons.

    Raises:
        ValueError: if the slicing is none.
    """
    if not validate_slicing_string(tensor_slicing):
        raise ValueError("Invalid tensor-slicing string.")
    try:
        return _taken(tensor, tensor_slicing)
    except CommandError as error:
        raise error.__cause__ or ValueError(str(error)) from None


def parse_indices(indices_string: str) -> list[int]:
    """The integers of "[1, 2]" or "1,2"."""
    text = re.sub(r"\s+", "", indices_string)
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return [int(item) for item in text.split(",")]


def parse_ranges(range_string: str) -> list[list[float]]:
    """The ranges of "[0, 1]" or "[[-inf, 0], [1, inf]]"; an infinity is the largest finite number.

    Raises:
        ValueError: if they are none.
    """
    text = range_string.strip().replace("inf", repr(sys.float_info.max))
    if not text:
        return []
    found = ast.literal_eval(text)
    ranges = [found] if isinstance(found, list) and not isinstance(found[0], list) else found
    for item in ranges:
        if len(item) != 2:
            raise ValueError("Incorrect number of elements in range")
        for which, bound in zip(("1st", "2nd"), item, strict=True):
            if not isinstance(bound, (int, float)):
                raise ValueError(f"Incorrect type in the {which} element of range: {type(bound)}")
    return list(ranges)


def _interval(text: str) -> Interval:
    """The interval of "[a, b)", "<b", "<=b", ">a" or ">=a", its ends as text, None where there is none."""
    text = text.strip()
    compared = re.match(r"[<>]=?", text)
    if compared:
        value = text[compared.end() :].strip()
        if not _NUMBER.match(value):
            raise ValueError(f"Invalid value string after {compared[0]} in '{text}'")
        included = compared[0].endswith("=")
        return Interval(None, False, value, included) if text[0] == "<" else Interval(value, included, None, False)
    if text[:1] not in ("[", "(") or text[-1:] not in ("]", ")"):
        raise ValueError(f"Invalid interval format: {text}. Valid formats are: [min, max], (min, max), <max, >min")
    ends = [item.strip() for item in text[1:-1].split(",")]
    if len(ends) != 2:
        raise ValueError(
            f"Incorrect interval format: {text}. Interval should specify two values: [min, max] or (min, max)."
        )
    for which, end in zip(("first", "second"), ends, strict=True):
        if not _NUMBER.match(end):
            raise ValueError(f"Invalid {which} item in interval: '{end}'")
    return Interval(ends[0], text[0] == "[", ends[1], text[-1] == "]")


def _measured(text: str, read: Callable[[str], int], complaint: str) -> Interval:
    found = _interval(text)
    start = read(found.start) if found.start else 0
    end = read(found.end) if found.end else float("inf")
    if start > end:
        raise ValueError(f"Invalid interval {text}. {complaint}")
    return Interval(start, found.start_included, end, found.end_included)


def parse_memory_interval(interval_str: str) -> Interval:
    """An interval of sizes, such as "[10kB, 20kB]" or "<100M", in bytes.

    Raises:
        ValueError: if it is none.
    """
    return _measured(
        interval_str, parse_readable_size_str, "Start of interval must be less than or equal to end of interval."
    )


def parse_time_interval(interval_str: str) -> Interval:
    """An interval of times, such as "[10us, 20us]" or ">100ms", in microseconds.

    Raises:
        ValueError: if it is none.
    """
    return _measured(interval_str, parse_readable_time_str, "Start must be before end of interval.")


def parse_readable_size_str(size_str: str) -> int:
    """The bytes of "1023", "1.1kB", "24 MB" or "100 G".

    Raises:
        ValueError: if it is no size.
    """
    text = size_str.strip().removesuffix("B")
    if text.isdigit():
        return int(text)
    if text[-1:] not in _SIZES or not text:
        raise ValueError(f'Failed to parsed human-readable byte size str: "{text}"')
    return int(float(text[:-1]) * _SIZES[text[-1]])


def parse_readable_time_str(time_str: str) -> int:
    """The microseconds of "100", "100us", "8ms" or "5s".

    Raises:
        ValueError: if it is no time, or a negative one.
    """
    text = time_str.strip()
    unit = next((unit for unit in _TIMES if text.endswith(unit)), "")
    value = float(text.removesuffix(unit))
    if value < 0:
        raise ValueError(f"Invalid time {text.removesuffix(unit)}. Time value must be positive.")
    return int(value * _TIMES.get(unit, 1.0))


def get_print_tensor_argparser(description: str) -> argparse.ArgumentParser:
    """The arguments of commands that print a tensor."""
    parser = argparse.ArgumentParser(description=description, usage=argparse.SUPPRESS)
    add_print_tensor_arguments(parser)
    return parser


def add_print_tensor_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds to `parser` what commands that print a tensor take."""
    parser.add_argument("tensor_name", help="name of the tensor, perhaps with a slicing: hidden/MatMul:0[1, :]")
    parser.add_argument("-n", "--number", type=int, default=-1, help="which dump, from 0, of a tensor with several")
    parser.add_argument(
        "-r",
        "--ranges",
        default="",
        help="ranges of values to point out: -r 0,1e-8, -r [-0.1,0.1], -r [[-inf,-1],[1,inf]]",
    )
    parser.add_argument("-a", "--all", dest="print_all", action="store_true", help="print all elements")
    parser.add_argument(
        "-s", "--numeric_summary", "--numpy_summary", dest="numeric_summary", action="store_true",
        help="count kinds of elements and give their range",
    )  # fmt: skip
    parser.add_argument("-w", "--write_path", default="", help="file to save the array to, with numpy.save()")
