"""Arrays as text whose lines know which elements they show."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.debug.cli.rich_text import RichTextLines
from headrace.debug.formatting import summary_lines
from headrace.debug.values import InconvertibleTensorProto

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


BEGIN_INDICES_KEY = "i0"
OMITTED_INDICES_KEY = "omitted"
DEFAULT_TENSOR_ELEMENT_HIGHLIGHT_FONT_ATTR = "bold"

_EDGE_ITEMS = 3
_ELEMENT = re.compile(r"(?<![-+0-9eE.])[-+]?([0-9][-+0-9eE.]+|nan|inf|[0-9])(?=\s|,|\])")
_SHAPE = re.compile(r",\s+shape=\([\d, ]*\)\)$")


class HighlightOptions:
    """Which elements to point out.

    Args:
        criterion: from an array to the array of booleans that are true for them.
        description: what they are.
        font_attr: the attribute they get.
    """

    def __init__(
        self,
        criterion: Callable[[Any], Any],
        description: str | None = None,
        font_attr: str = DEFAULT_TENSOR_ELEMENT_HIGHLIGHT_FONT_ATTR,
    ) -> None:
        self.criterion = criterion
        self.description = description
        self.font_attr = font_attr


def format_tensor(
    tensor: TensorLike | None,
    tensor_label: str | None,
    include_metadata: bool = False,
    auxiliary_message: RichTextLines | None = None,
    include_numeric_summary: bool = False,
    np_printoptions: dict[str, Any] | None = None,
    highlight_options: HighlightOptions | None = None,
) -> RichTextLines:
    """The text of a tensor.

    Args:
        tensor: an array; anything else is shown as its `repr`.
        tensor_label: its name, None for no line with it.
        include_metadata: whether to tell its type and shape.
        auxiliary_message: what to say after them.
        include_numeric_summary: whether to count kinds of elements and give their range.
        np_printoptions: arguments of `numpy.set_printoptions`, which hold from then on.
        highlight_options: which elements to point out.

    Returns:
        the text. The notes of its lines are {"i0": the indices of the first element}, or {"omitted": ...} where elements
        are left out; "tensor_metadata" holds the type and the shape.
    """
    text = RichTextLines([])
    if tensor_label is not None:
        text.append(f'Tensor "{tensor_label}":', label_segments(tensor_label))
    if not isinstance(tensor, np.ndarray):
        shown = str(tensor) if isinstance(tensor, InconvertibleTensorProto) else repr(tensor)
        return RichTextLines([*text.lines, *[""][: text.num_lines()], *shown.split("\n")])
    if include_metadata:
        text.extend(RichTextLines([f"  dtype: {tensor.dtype}", f"  shape: {tensor.shape}"]))
    if text.num_lines():
        text.append("")
    if auxiliary_message is not None:
        text.extend(auxiliary_message)
    if include_numeric_summary:
        text.extend(RichTextLines(["Numeric summary:", *summary_lines(tensor), ""]))
    if np_printoptions is not None:
        np.set_printoptions(**np_printoptions)
    # Newer NumPy tells the shape of what it shortens; it stands above.
    lines = _SHAPE.sub(")", repr(tensor)).split("\n")
    notes = {} if tensor.dtype.kind == "S" else notes_of(lines, tensor, (np_printoptions or {}).get("edgeitems"))
    text.extend(RichTextLines(lines, annotations=notes))
    if highlight_options is not None:
        _highlight(text, tensor, highlight_options)
    return text


def numeric_summary(tensor: TensorLike) -> RichTextLines:
    """How many elements of which kind an array has, and the range of the finite ones."""
    return RichTextLines(summary_lines(np.asarray(tensor)))


def label_segments(label: str) -> list[tuple[int, int, str]]:
    """The parts of a title with attributes: the tensor's name, and the debug op behind the last colon."""
    begin = len('Tensor "')
    name, _, suffix = label.rpartition(":")
    if suffix.isdigit() or not name:
        return [(begin, begin + len(label), "bold")]
    # What follows the output's number is the debug op.
    middle = begin + len(name)
    return [(begin, middle, "bold"), (middle + 1, begin + len(label), "yellow")]


def notes_of(lines: Sequence[str], tensor: np.ndarray, edge_items: int | None) -> dict[Any, Any]:
    """What is noted of the lines of an array: which element each begins with, what is left out, type and shape."""
    notes: dict[Any, Any] = {"tensor_metadata": {"dtype": tensor.dtype, "shape": tensor.shape}}
    if tensor.ndim == 0:
        return notes
    at = [0] * tensor.ndim
    # The axis whose brackets are open, counted from 1.
    axis = 0
    for row, raw in enumerate(lines):
        line = raw.strip()
        if not line:
            continue
        if line in ("...", "...,"):
            notes[row] = {OMITTED_INDICES_KEY: list(at)}
            at[axis - 1] = tensor.shape[axis - 1] - (edge_items or _EDGE_ITEMS)
            continue
        notes[row] = {BEGIN_INDICES_KEY: list(at)}
        closed = line.count("]")
        axis += line.count("[") - closed
        if closed == 0:
            at[axis - 1] += line[line.rfind("[") + 1 :].count(",")
        elif axis > 0:
            at[axis - 1] += 1
            at[axis:] = [0] * (tensor.ndim - axis)
    return notes


def _highlight(text: RichTextLines, tensor: np.ndarray, options: HighlightOptions) -> None:
    found = [[int(i) for i in index] for index in np.argwhere(options.criterion(tensor))]
    described = f"({options.description})" if options.description else ""
    share = 100.0 * len(found) / tensor.size if tensor.size else 0.0
    text.lines[0] += f" Highlighted{described}: {len(found)} of {tensor.size} element(s) ({share:.2f}%)"
    if not found or not tensor.ndim:
        return
    for omitted, row, begin, end in zip(*locate_tensor_element(text, found), strict=True):
        if not omitted and begin is not None and end is not None:
            text.font_attr_segs.setdefault(row, []).append((begin, end, options.font_attr))


def locate_tensor_element(formatted: RichTextLines, indices: Any) -> tuple[Any, Any, Any, Any]:
    """Where in the text of a tensor an element stands.

    Args:
        formatted: what `format_tensor` returned.
        indices: the element's indices, or a list of such, in ascending order.

    Returns:
        whether it is left out, the row, and the columns from which and to before which it stands, None where that is not
        known; of each a list if several were asked for.

    Raises:
        AttributeError: if the text knows nothing of a tensor. ValueError: if the indices do not fit it.
    """
    if "tensor_metadata" not in formatted.annotations:
        raise AttributeError("tensor_metadata is not available in annotations.")
    several = isinstance(indices[0], list)
    indices_list = indices if several else [indices]
    _check_indices(indices_list, formatted.annotations["tensor_metadata"]["shape"])
    rows = sorted(row for row in formatted.annotations if isinstance(row, int))
    begins = [next(iter(formatted.annotations[row].values())) for row in rows]
    places = []
    for index in indices_list:
        number = max(i for i, begin in enumerate(begins) if begin <= index)
        row = rows[number]
        omitted = OMITTED_INDICES_KEY in formatted.annotations[row]
        columns = _columns(formatted.lines[row], index[-1] - begins[number][-1])
        places.append((omitted, row, *columns))
    if not several:
        return places[0]
    omitted_, rows_, starts, ends = (list(column) for column in zip(*places, strict=True))
    return omitted_, rows_, starts, ends


def _check_indices(indices_list: Sequence[list[int]], shape: tuple[int, ...]) -> None:
    for position, index in enumerate(indices_list):
        if len(index) != len(shape):
            raise ValueError(f"Dimensions mismatch: requested: {len(index)}; actual: {len(shape)}")
        if any(i >= size for i, size in zip(index, shape, strict=True)):
            raise ValueError("Indices exceed tensor dimensions.")
        if any(i < 0 for i in index):
            raise ValueError("Indices contain negative value(s).")
        if position and index < indices_list[position - 1]:
            raise ValueError("Input indices sets are not in ascending order.")


def _columns(line: str, number: int) -> tuple[int | None, int | None]:
    """Where in a line its element of that number stands; what comes behind an ellipsis cannot be counted."""
    shown = line.partition("...")[0]
    found = [match.span() for match in _ELEMENT.finditer(line) if match.end() <= len(shown)]
    return found[number] if number < len(found) else (None, None)
