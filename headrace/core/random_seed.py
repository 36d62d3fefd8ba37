"""The seeds of random ops, out of what a program sets for the graph and for the op."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headrace.core.defaults import get_default_graph

DEFAULT_GRAPH_SEED = 87654321

_LARGEST_SEED = 2**31 - 1


class _Missing(threading.local):
    """What draws the seeds of ops that are given none; nothing does by default."""

    draw: Callable[[], int] | None = None


_missing = _Missing()


@contextmanager
def missing_seeds(draw: Callable[[], int]) -> Iterator[None]:
    """A context in which ops that are given no seed have one that a function draws, in this thread."""
    outer, _missing.draw = _missing.draw, draw
    try:
        yield
    finally:
        _missing.draw = outer


def combine_seeds(graph_seed: int | None, op_seed: int | None, last_op_id: int) -> tuple[int | None, int | None]:
    """The attributes `seed` and `seed2` of an op, out of the graph's seed and the op's own.

    Args:
        graph_seed: what set_random_seed set, None if it was not called.
        op_seed: the `seed` argument of the function that makes the op, None if not given.
        last_op_id: the id of the op made last in the graph, which stands in for a missing op seed.

    Returns:
        the two seeds, both None if neither was set: the op is then seeded differently in each session. Never (0, 0),
        which kernels take for the same.

    Example:
        >>> combine_seeds(None, 5, 12), combine_seeds(1234, None, 12), combine_seeds(0, 0, 12)
        ((87654321, 5), (1234, 12), (0, 2147483647))
    """
    if graph_seed is None and op_seed is None:
        return None, None
    if graph_seed is None:
        graph_seed = DEFAULT_GRAPH_SEED
    if op_seed is None:
        op_seed = last_op_id
    seeds = graph_seed % _LARGEST_SEED, op_seed % _LARGEST_SEED
    return (0, _LARGEST_SEED) if seeds == (0, 0) else seeds


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds for an op that is about to be made in the default graph.

    Args:
        op_seed: the op's own seed, None if it has none.

    Returns:
        (seed, seed2); (None, None) if neither the graph nor the op is seeded.

    Example:
        >>> tf.set_random_seed(1234)
        >>> tf.get_seed(5)
        (1234, 5)
    """
    graph = get_default_graph()
    if op_seed is None and _missing.draw is not None:
        op_seed = _missing.draw()
    if graph.is_eager:
        # No operation was made before that could stand in: each draws a seed of its own.
        return combine_seeds(graph.seed, op_seed, graph.next_op_seed() or 0 if op_seed is None else op_seed)
    if op_seed is None:
        graph._seed_used = True
    return combine_seeds(graph.seed, op_seed, graph._last_id)


def set_seed(seed: int) -> None:
    """`set_random_seed` by the name of TensorFlow 2."""
    set_random_seed(seed)


def set_random_seed(seed: int | None) -> None:
    """Sets the seed of the default graph; random ops made after it repeat their numbers in every session.

    Args:
        seed: an integer.

    Example:
        >>> tf.set_random_seed(1234)
        >>> x = tf.random_uniform([1])
    """
    get_default_graph().seed = seed
