"""What all commands of the debugger share: colours, errors, introductions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.operation import Operation
from headrace.core.tensor import Tensor
from headrace.debug.cli.menus import MAIN_MENU_KEY, Menu, MenuItem
from headrace.debug.cli.reading import evaluate_tensor_slice, parse_ranges
from headrace.debug.cli.rich_text import RichLine, RichTextLines, rich_text_lines_from_rich_line_list
from headrace.debug.cli.tensors import HighlightOptions
from headrace.debug.cli.tensors import format_tensor as _formatted
from headrace.debug.values import (
    bytes_to_readable_str,
    get_flattened_names,
    get_graph_element_name,
    time_to_readable_str,
)
from headrace.files import gfile
from headrace.state.variables import Variable

if TYPE_CHECKING:
    from headrace.core.errors import InvalidArgumentError
    from headrace.core.typing import Fetches


__all__ = [
    "RL",
    "bytes_to_readable_str",
    "error",
    "format_tensor",
    "get_error_intro",
    "get_run_short_description",
    "get_run_start_intro",
    "get_tfdbg_logo",
    "numpy_printoptions_from_screen_info",
    "parse_ranges_highlight",
    "time_to_readable_str",
]

RL = RichLine

# From this many elements on, a tensor is not printed in full.
DEFAULT_NDARRAY_DISPLAY_THRESHOLD = 2000

COLOR_BLACK = "black"
COLOR_BLUE = "blue"
COLOR_CYAN = "cyan"
COLOR_GRAY = "gray"
COLOR_GREEN = "green"
COLOR_MAGENTA = "magenta"
COLOR_RED = "red"
COLOR_WHITE = "white"
COLOR_YELLOW = "yellow"

TIME_UNIT_US = "us"
TIME_UNIT_MS = "ms"
TIME_UNIT_S = "s"
TIME_UNITS = [TIME_UNIT_US, TIME_UNIT_MS, TIME_UNIT_S]

_RULE = "=" * 38
_THIN_RULE = "-" * 38


def error(msg: str) -> RichTextLines:
    """What a command says that cannot be carried out."""
    return rich_text_lines_from_rich_line_list([RichLine("ERROR: " + msg, COLOR_RED)])


def parse_ranges_highlight(ranges_string: str) -> HighlightOptions | None:
    """What points out the elements in the ranges of `-r`; None where there are none."""
    if not ranges_string:
        return None
    ranges = parse_ranges(ranges_string)

    def inside(x: np.ndarray) -> np.ndarray:
        found = np.zeros(x.shape, bool)
        for low, high in ranges:
            found |= (x >= low) & (x <= high)
        return found

    return HighlightOptions(inside, description=ranges_string)


def numpy_printoptions_from_screen_info(screen_info: Mapping[str, Any] | None) -> dict[str, Any]:
    """Arguments of `numpy.set_printoptions` for a screen's width."""
    return {"linewidth": screen_info["cols"]} if screen_info and "cols" in screen_info else {}


def format_tensor(
    tensor: np.ndarray,
    tensor_name: str,
    np_printoptions: dict[str, Any],
    print_all: bool = False,
    tensor_slicing: str | None = None,
    highlight_options: HighlightOptions | None = None,
    include_numeric_summary: bool = False,
    write_path: str | None = None,
) -> RichTextLines:
    """The text of a tensor, or of a part of it.

    Args:
        tensor: its value.
        tensor_name: its name.
        np_printoptions: arguments of `numpy.set_printoptions`; "threshold" is set in them.
        print_all: whether to print all elements of a large one.
        tensor_slicing: the part to show, such as "[:, 1]".
        highlight_options: which elements to point out.
        include_numeric_summary: whether to count kinds of elements and give their range.
        write_path: a file to save the value to, with `numpy.save`.
    """
    value = evaluate_tensor_slice(tensor, tensor_slicing) if tensor_slicing else tensor
    message = None
    if write_path:
        with gfile.GFile(write_path, "wb") as file:
            np.save(file, value)
            size = bytes_to_readable_str(file.tell(), True)
        said = RichLine("Saved value to: ") + RichLine(write_path, "bold") + f" ({size})"
        message = rich_text_lines_from_rich_line_list([said, ""])
    np_printoptions["threshold"] = np.size(value) if print_all else DEFAULT_NDARRAY_DISPLAY_THRESHOLD
    return _formatted(
        value,
        tensor_name + (tensor_slicing or ""),
        include_metadata=True,
        include_numeric_summary=include_numeric_summary,
        auxiliary_message=message,
        np_printoptions=np_printoptions,
        highlight_options=highlight_options,
    )


def get_tfdbg_logo() -> RichTextLines:
    """The name of the debugger in large letters."""
    letters = [
        "TTTTTT FFFF DDD  BBBB   GGG ",
        "  TT   F    D  D B   B G    ",
        "  TT   FFF  D  D BBBB  G  GG",
        "  TT   F    D  D B   B G   G",
        "  TT   F    DDD  BBBB   GGG ",
    ]
    return RichTextLines(["", *letters, ""])


def _advice(command: str, description: str, link: bool = False) -> RichTextLines:
    attribute: str | list[str | MenuItem] = [MenuItem("", command), "bold"] if link else "bold"
    return rich_text_lines_from_rich_line_list(
        [RichLine("  ") + RichLine(command, attribute) + ":", "    " + description]
    )


def get_run_start_intro(
    run_call_count: int,
    fetches: Fetches,
    feed_dict: Mapping[Any, Any] | None,
    tensor_filters: Mapping[str, Any] | None,
    is_callable_runner: bool = False,
) -> RichTextLines:
    """What the debugger shows before a run.

    Args:
        run_call_count: the number of the run.
        fetches: what is fetched.
        feed_dict: what is fed.
        tensor_filters: the filters there are, by name.
        is_callable_runner: whether the run is a call of what `Session.make_callable` returned.
    """
    out = RichTextLines(_RULE)
    if is_callable_runner:
        out.append("Running a runner returned by Session.make_callable()")
    else:
        fetched = [f"  {name}" for name in get_flattened_names(fetches)]
        out.extend(
            RichTextLines([f"Session.run() call #{run_call_count}:", "", "Fetch(es):", *fetched, "", "Feed dict:"])
        )
        for name in map(get_graph_element_name, feed_dict or ()):
            # Names of fed values may hold blanks.
            out.append_rich_line(RichLine("  ") + RichLine(name, MenuItem(None, f"pf '{name}'")))
        if not feed_dict:
            out.append("  (Empty)")
    out.extend(RichTextLines([_RULE, "", "Select one of the following commands to proceed ---->"]))
    out.extend(_advice("run", "Execute the run() call with debug tensor-watching", True))
    out.extend(_advice("run -n", "Execute the run() call without debug tensor-watching", True))
    out.extend(
        _advice(
            "run -t <T>",
            "Execute run() calls (T - 1) times without debugging, then execute run() once more with debugging and drop "
            "back to the CLI",
        )
    )
    out.extend(
        _advice(
            "run -f <filter_name>",
            "Keep executing run() calls until a dumped tensor passes a given, registered filter (conditional breakpoint "
            "mode)",
        )
    )
    out.append("    Registered filter(s):")
    for name in tensor_filters or ():
        out.append_rich_line(RichLine("        * ") + RichLine(name, MenuItem("", f"run -f {name}")))
    if not tensor_filters:
        out.append("        (None)")
    out.append("")
    out.append_rich_line(RichLine("For more details, see ") + RichLine("help.", MenuItem("", "help")) + ".")
    out.append("")
    menu = Menu()
    for command in ("run", "exit"):
        menu.append(MenuItem(command, command))
    out.annotations[MAIN_MENU_KEY] = menu
    return out


def get_run_short_description(
    run_call_count: int, fetches: Fetches, feed_dict: Mapping[Any, Any] | None, is_callable_runner: bool = False
) -> str:
    """A run in a few words: "run #2: 1 fetch (loss:0); 1 feed (x:0)"."""
    if is_callable_runner:
        return "runner from make_callable()"
    names = get_flattened_names(fetches)
    fetched = f"{len(names)} fetch{'es' if len(names) > 1 else ''}"
    if isinstance(fetches, (Tensor, Operation, Variable)):
        fetched += f" ({names[0]})"
    fed = f"{len(feed_dict or ())} feed{'' if len(feed_dict or ()) == 1 else 's'}"
    if feed_dict and len(feed_dict) == 1:
        fed += f" ({get_graph_element_name(next(iter(feed_dict)))})"
    return f"run #{run_call_count}: {fetched}; {fed}"


def get_error_intro(tf_error: InvalidArgumentError) -> RichTextLines:
    """What the debugger shows after a run that failed."""
    name = getattr(getattr(tf_error, "op", None), "name", None)
    out = rich_text_lines_from_rich_line_list(
        [_THIN_RULE, RichLine("!!! An error occurred during the run !!!", "blink"), ""]
    )
    if name is None:
        out.append("WARNING: Cannot determine the name of the op that caused the error.")
    else:
        out.append("You may use the following commands to debug:")
        out.extend(_advice(f"ni -a -d -t {name}", "Inspect information about the failing op.", True))
        out.extend(_advice(f"li -r {name}", "List inputs to the failing op, recursively.", True))
        out.extend(_advice("lt", "List all tensors dumped during the failing run() call.", True))
    lines = ["", f"Op name:    {name}", f"Error type: {type(tf_error)}", "", "Details:", str(tf_error)]
    out.extend(RichTextLines([*lines, "", _THIN_RULE, ""]))
    return out
