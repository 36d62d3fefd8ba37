"""Tensors as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.debug.parsing import evaluate_tensor_slice, parse_ranges
from headrace.debug.values import InconvertibleTensorProto, bytes_to_readable_str

if TYPE_CHECKING:
    from headrace.core.typing import FloatLike


_THRESHOLD = 2000


def saved_to(path: str, value: Any) -> list[str]:
    """Saves a value to a file as `numpy.save` does, if there is a path, and says so."""
    if not path:
        return []
    with open(path, "wb") as file:
        np.save(file, value)
        size = file.tell()
    return [f"Saved value to: {path} ({bytes_to_readable_str(size, True)})", ""]


def format_tensor(
    tensor: FloatLike | np.ndarray | Sequence[Sequence[float]],
    label: str,
    print_all: bool = False,
    slicing: str = "",
    ranges: str = "",
    numeric_summary: bool = False,
    write_path: str = "",
    width: int = 80,
) -> list[str]:
    """The lines that show a tensor.

    Args:
        tensor: an array, or what stands for one that cannot be shown.
        label: what to call it.
        print_all: whether to print all elements of a large one.
        slicing: the part to show, such as "[0, :]".
        ranges: ranges of values to point out (see `parse_ranges`).
        numeric_summary: whether to count kinds of elements and give their range.
        write_path: a file to save the array to, as `numpy.save` does.
        width: how long lines may be.
    """
    if isinstance(tensor, InconvertibleTensorProto):
        return [f'Tensor "{label}":', "", *str(tensor).splitlines()]
    value = np.asarray(evaluate_tensor_slice(tensor, slicing))
    head = f'Tensor "{label}{slicing}":'
    marked = np.zeros(value.shape, bool)
    if ranges:
        for low, high in parse_ranges(ranges):
            marked |= (value >= low) & (value <= high)
        share = 100.0 * marked.sum() / value.size if value.size else 0.0
        head += f" Highlighted({ranges}): {int(marked.sum())} of {value.size} element(s) ({share:.2f}%)"
    dtype = "object" if value.dtype.kind == "O" else value.dtype.name
    lines = [head, f"  dtype: {dtype}", f"  shape: {value.shape}", ""]
    lines += saved_to(write_path, value)
    if numeric_summary:
        lines += ["Numeric summary:", *summary_lines(value), ""]
    options: dict[str, Any] = {"linewidth": width, "threshold": max(value.size, 1) if print_all else _THRESHOLD}
    with np.printoptions(**options):
        lines += repr(value).splitlines() if value.ndim else [repr(value.item() if dtype == "object" else value[()])]
    if marked.any() and marked.size > 1:
        found = np.argwhere(marked)
        lines += ["", "Highlighted element(s) at:"]
        lines += [f"  {tuple(int(i) for i in index)}: {value[tuple(index)]}" for index in found[:20]]
        if len(found) > 20:
            lines.append(f"  ... {len(found) - 20} more")
    return lines


def summary_lines(value: np.ndarray) -> list[str]:
    """Counts of kinds of elements, and the range of the finite ones, as small tables."""
    if value.size == 0:
        return ["No numeric summary available due to empty tensor."]
    if value.dtype.kind == "b":
        counts = {"False": int((~value).sum()), "True": int(value.sum())}
        return _table({**{name: count for name, count in counts.items() if count}, "total": value.size})
    if value.dtype.kind not in "fiu":
        return [f"No numeric summary available due to tensor dtype: {value.dtype}."]
    numbers = value.ravel()
    inexact = numbers.dtype.kind == "f"
    finite = numbers[np.isfinite(numbers)] if inexact else numbers
    counts = {
        "nan": int(np.isnan(numbers).sum()) if inexact else 0,
        "-inf": int(np.isneginf(numbers).sum()) if inexact else 0,
        "-": int((finite < 0).sum()),
        "0": int((finite == 0).sum()),
        "+": int((finite > 0).sum()),
        "+inf": int(np.isposinf(numbers).sum()) if inexact else 0,
    }
    lines = _table({**{name: count for name, count in counts.items() if count}, "total": value.size})
    if finite.size:
        moments = {"min": finite.min(), "max": finite.max(), "mean": finite.mean(), "std": finite.std()}
        lines += _table(moments)
    return lines


def _table(cells: dict[str, Any]) -> list[str]:
    """Two lines: names over values, columns of one width; the total stands apart."""
    texts = {name: str(value) for name, value in cells.items()}
    total = texts.pop("total", None)
    width = 1 + max((max(len(name), len(text)) for name, text in texts.items()), default=0)
    rows = ["".join(f"{text:>{width}}" for text in row) for row in (texts, texts.values())]
    if total is None:
        return [f"|{row} |" for row in rows]
    width = max(len("total") + 1, len(total))
    return [f"|{row} |{text:>{width}} |" for row, text in zip(rows, ("total", total), strict=True)]
