"""Values as text for people: what Assert, Print and StringFormat write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headrace.kernels.host_values import to_array

if TYPE_CHECKING:
    import torch


_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def summary(value: np.ndarray | torch.Tensor, limit: int) -> str:
    """A value as Assert and Print write it: `1 2 3...`, `[1 2][3...]...`, without the outermost brackets.

    Args:
        value: a kernel's value.
        limit: how many elements are written at most; all if negative.
    """
    array = to_array(value)
    items = _Items(array, "")
    if limit < 0 or limit > array.size:
        limit = array.size
    if array.ndim == 0 or not items.known:
        return " ".join(items[i] for i in range(limit)) + "..." * (array.size > limit)
    out: list[str] = []
    _write_first(array.shape, 0, 0, limit, items, out)
    return "".join(out) + "..." * (array.size > limit)


def _write_first(shape: tuple[int, ...], axis: int, start: int, limit: int, items: _Items, out: list[str]) -> int:
    """Writes the elements from number `start` on until `limit`; returns the number of the next."""
    if start >= limit:
        return start
    if axis == len(shape) - 1:
        count = min(shape[axis], limit - start)
        out.append(" ".join(items[i] for i in range(start, start + count)))
        if count < shape[axis] and axis:
            out.append("...")
        return start + count
    for _ in range(shape[axis]):
        if start >= limit:
            break
        out.append("[")
        start = _write_first(shape, axis + 1, start, limit, items, out)
        out.append("]")
    return start


def layout(value: np.ndarray | torch.Tensor, ends: int) -> str:
    """A value as StringFormat writes it: nested brackets with line breaks, strings in quotes.

    Args:
        value: a kernel's value.
        ends: how many entries are written at each end of a dimension; all if negative.
    """
    array = to_array(value)
    items = _Items(array, '"')
    if ends < 0 or ends > array.size:
        ends = array.size
    if not items.known:
        return "[" + " ".join(items[i] for i in range(ends)) + "..." * (array.size > ends) + "]"
    if array.ndim == 0:
        return items[0] if ends else "..."
    return _laid_out(array.shape, 0, 0, ends, items)


def _laid_out(shape: tuple[int, ...], axis: int, start: int, ends: int, items: _Items) -> str:
    depth = len(shape) - axis
    if depth == 0:
        return items[start]
    between = " " if depth == 1 else "\n" * (depth - 1) + " " * (axis + 1)
    count = shape[axis]
    step = int(np.prod(shape[axis + 1 :], dtype=np.int64))
    indices = [*range(min(ends, count)), *range(max(ends, count - ends), count)]
    parts = [_laid_out(shape, axis + 1, start + i * step, ends, items) for i in indices]
    if count > 2 * ends:
        parts.insert(ends, "...")
        if ends == 0:
            parts.insert(0, "")
    return "[" + between.join(parts) + "]"


class _Items:
    """The elements as text, by their number."""

    def __init__(self, array: np.ndarray, quote: str) -> None:
        self._flat = array.reshape(-1)
        self._quote = quote
        kind = array.dtype.kind
        self.known = kind in "fiubO" or array.dtype.name == "bfloat16"

    def __getitem__(self, index: int) -> str:
        item = self._flat[index]
        if not self.known:
            return "?"
        if isinstance(item, bytes):
            return self._quote + escaped(item) + self._quote
        if isinstance(item, str):
            return self._quote + escaped(item.encode()) + self._quote
        if item.dtype.kind in "iub":
            return str(int(item))
        return float_text(float(item), item.dtype.itemsize)


def float_text(number: float, width: int) -> str:
    """The shortest of six or nine digits (fifteen or seventeen for eight bytes) that reads back as `number`."""
    few, many, kind = (15, 17, np.float64) if width == 8 else (6, 9, np.float32)
    if number != number:
        return "nan"
    text = f"{number:.{few}g}"
    return text if kind(text) == kind(number) else f"{number:.{many}g}"


def escaped(text: bytes) -> str:
    """Bytes as C would write them in a string."""
    return "".join(_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in text)
