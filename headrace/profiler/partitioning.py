"""Sorting that leaves equal items where TensorFlow's profiler leaves them: by quicksort's partitions, then by insertion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

_Item = TypeVar("_Item")

# Parts of no more items are left to insertion.
_SHORT = 16


def partitioned_sort(items: list[_Item], key: Callable[[_Item], float]) -> list[_Item]:
    """The items, the smallest key first; equal ones in the order that introsort (Musser 1997) leaves them in.

    Up to 16 items stay in their order where their keys are equal. More are parted around the median of the second, the
    middle and the last, again and again, which exchanges equal ones; reports of profiles show that order.

    Args:
        items: what to sort; it is left as it is.
        key: takes an item, returns what it is sorted by.
    """
    pairs = [(key(item), item) for item in items]
    parts = [(0, len(pairs), 2 * max(len(pairs), 1).bit_length() - 2)]
    while parts:
        first, last, depth = parts.pop()
        # Where halves are bad again and again, the heap that would take over is left out: ties are all that it moves.
        while last - first > _SHORT and depth > 0:
            depth -= 1
            cut = _part(pairs, first, last)
            parts.append((cut, last, depth))
            last = cut
    return [item for _, item in sorted(pairs, key=lambda pair: pair[0])]


def _part(pairs: list[tuple[float, _Item]], first: int, last: int) -> int:
    """Parts the items around a pivot, which goes first; returns where the larger ones begin."""
    _median_to(pairs, first, (first + 1, first + (last - first) // 2, last - 1))
    pivot = pairs[first][0]
    low, high = first + 1, last
    while True:
        while pairs[low][0] < pivot:
            low += 1
        high -= 1
        while pivot < pairs[high][0]:
            high -= 1
        if low >= high:
            return low
        pairs[low], pairs[high] = pairs[high], pairs[low]
        low += 1


def _median_to(pairs: list[tuple[float, _Item]], place: int, of: tuple[int, int, int]) -> None:
    """Exchanges the item at `place` with the median of three; of equal ones the one that fewest comparisons find."""
    a, b, c = of
    if pairs[a][0] < pairs[b][0]:
        chosen = b if pairs[b][0] < pairs[c][0] else c if pairs[a][0] < pairs[c][0] else a
    else:
        chosen = a if pairs[a][0] < pairs[c][0] else c if pairs[b][0] < pairs[c][0] else b
    pairs[place], pairs[chosen] = pairs[chosen], pairs[place]
