"""The order in which a C++ hash set of the GNU library goes over whole numbers.

TensorFlow's forests split nodes in this order, which numbers the new nodes. A set keeps one list; an element of an empty
bucket comes to its front, another one to the front of its bucket. When there are more elements than buckets, the elements
are put in again, in the order they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
# Those of a map that begins with two.
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
