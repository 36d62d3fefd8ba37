"""Numbers and sums within groups of elements, in the order of the elements."""

from __future__ import annotations

import numpy as np

from headrace.kernels.trees.hash_order import FROM_TWO, hash_order


def number_within(groups: np.ndarray) -> np.ndarray:
    """For each element, how many of its group come before it.

    Args:
        groups: the group of each.

    Example:
        >>> from headrace.kernels.trees.forest_groups import number_within
        >>> number_within(np.array([3, 5, 3, 3])).tolist()
        [0, 0, 1, 2]
    """
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))) if len(groups) else np.zeros(0, int)
    lengths = np.diff(np.append(starts, len(groups)))
    number = np.empty(len(groups), np.int64)
    number[order] = np.arange(len(groups)) - np.repeat(starts, lengths)
    return number


def sums_within(groups: np.ndarray, values: np.ndarray, starts: np.ndarray | None = None) -> np.ndarray:
    """For each element, the sum of the values of its group up to it, added up one after the other.

    Args:
        groups: the group of each.
        values: what is added up.
        starts: for each element, the sum that its group begins with; 0 where it is None.

    Example:
        >>> from headrace.kernels.trees.forest_groups import sums_within
        >>> sums_within(np.array([3, 5, 3]), np.array([1.0, 2.0, 4.0])).tolist()
        [1.0, 2.0, 5.0]
    """
    order = np.argsort(groups, kind="stable")
    sums = np.empty(len(groups), values.dtype)
    for places in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        first = starts[places[:1]] if starts is not None else np.zeros(min(1, len(places)), values.dtype)
        sums[places] = np.cumsum(np.concatenate((first, values[places])), dtype=values.dtype)[1:]
    return sums


def taken(leaves: np.ndarray, table: np.ndarray, collates: bool) -> np.ndarray:
    """The examples whose leaves have a row, in the order in which they are taken.

    Args:
        leaves: the leaf each of them is in.
        table: the row of each leaf, -1 where it has none.
        collates: whether the examples of a leaf are taken together, one leaf after the other.
    """
    known = np.flatnonzero(table[leaves] >= 0)
    if not collates or not len(known):
        return known
    # The leaves in the order of a hash map.
    _, first = np.unique(leaves[known], return_index=True)
    place = {leaf: at for at, leaf in enumerate(hash_order(leaves[known][np.sort(first)].tolist(), FROM_TWO))}
    return known[np.argsort([place[leaf] for leaf in leaves[known].tolist()], kind="stable")]
