"""The order in which a C++ hash set of the GNU library goes over whole numbers.

TensorFlow's forests split nodes in this order, which numbers the new nodes. A set keeps one list; an element of an empty
bucket comes to its front, another one to the front of its bucket. When there are more elements than buckets, the elements
are put in again, in the order they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

# The numbers of buckets that the library's sets grow through.
_SIZES = (
    13,
    29,
    59,
    127,
    257,
    541,
    1109,
    2357,
    5087,
    10273,
    20753,
    42043,
    85229,
    172933,
    351061,
    712697,
    1447153,
    2938679,
    5967347,
    12117689,
)
# Those of a set that is filled once and begins with two.
FROM_TWO = (
    2,
    7,
    17,
    37,
    79,
    163,
    331,
    673,
    1361,
    2729,
    5471,
    10949,
    21911,
    43853,
    87719,
    175447,
    350899,
    701819,
    1403641,
    2807303,
    5614657,
)

# Those of a map that begins with three, and makes room before its buckets are full.
FROM_THREE = (3, *FROM_TWO[1:])


def _arranged(numbers: Iterable[int], buckets: int) -> list[int]:
    """The list of a set into which numbers were put one after the other."""
    # Buckets in the order of their first element: the later a bucket was begun, the further in front it is.
    groups: dict[int, list[int]] = {}
    for number in numbers:
        groups.setdefault(number % buckets, []).append(number)
    return [number for group in reversed(groups.values()) for number in reversed(group)]


def hash_order(numbers: Iterable[int], sizes: Sequence[int] = _SIZES) -> list[int]:
    """Different whole numbers, in the order of a hash set that they were put into.

    Args:
        numbers: the numbers.
        sizes: the numbers of buckets that the set grows through.

    Example:
        >>> from headrace.kernels.trees.hash_order import hash_order
        >>> hash_order([2, 1, 15])
        [1, 15, 2]
    """
    waiting = list(numbers)
    order: list[int] = []
    for size in sizes:
        count = min(size - len(order), len(waiting))
        order = _arranged([*order, *waiting[:count]], size)
        waiting = waiting[count:]
        if not waiting:
            break
    return order


class HashOrder:
    """The order of a hash map that whole numbers come into and go out of.

    Args:
        sizes: the numbers of buckets that the map grows through.

    Example:
        >>> from headrace.kernels.trees.hash_order import HashOrder
        >>> order = HashOrder()
        >>> for number in (2, 1, 15): order.add(number)
        >>> order.remove(1)
        >>> list(order)
        [15, 2]
    """

    def __init__(self, sizes: Sequence[int] = _SIZES) -> None:
        self._sizes = list(sizes)
        # A ring through `None`, and the numbers of each bucket.
        self._next: dict[int | None, int | None] = {None: None}
        self._before: dict[int | None, int | None] = {None: None}
        self._buckets: dict[int, list[int]] = {}

    def __iter__(self) -> Iterator[int]:
        at = self._next[None]
        while at is not None:
            yield at
            at = self._next[at]

    def add(self, number: int) -> None:
        """Puts a number in.

        Args:
            number: one that is not in yet.
        """
        if len(self._next) >= self._sizes[0]:
            kept = list(self)
            del self._sizes[0]
            self._next, self._before, self._buckets = {None: None}, {None: None}, {}
            for old in kept:
                self._put(old)
        self._put(number)

    def _put(self, number: int) -> None:
        bucket = self._buckets.setdefault(number % self._sizes[0], [])
        before = self._before[bucket[-1]] if bucket else None
        after = self._next[before]
        self._next[before], self._next[number] = number, after
        self._before[after], self._before[number] = number, before
        bucket.append(number)

    def remove(self, number: int) -> None:
        """Takes a number out.

        Args:
            number: one that is in.
        """
        bucket = number % self._sizes[0]
        self._buckets[bucket].remove(number)
        if not self._buckets[bucket]:
            del self._buckets[bucket]
        before, after = self._before.pop(number), self._next.pop(number)
        self._next[before], self._before[after] = after, before
