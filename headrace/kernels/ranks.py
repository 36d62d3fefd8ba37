"""Ranks of inputs, asked for beside the rule for the shapes of outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.dims import Dims

if TYPE_CHECKING:
    from headrace.core.typing import OpView


# A rank; the least and the most there may be, None for any number; or None where the rank does not matter.
Rank = int | tuple[int, int | None] | None


def check_rank(dims: Dims, rank: Rank) -> None:
    """Raises ValueError where `dims` are known to be of another rank."""
    if dims is None or rank is None:
        return
    count = len(dims)
    if isinstance(rank, int):
        if count != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {count}")
        return
    least, most = rank
    if count < least:
        raise ValueError(f"Shape must be at least rank {least} but is rank {count}")
    if most is not None and count > most:
        raise ValueError(f"Shape must be at most rank {most} but is rank {count}")


def ranked(*ranks: Rank) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator for shape rules: refuses inputs of other ranks first.

    Args:
        *ranks: a rank for each input, from the first on; those that are left out may have any.

    Example:
        >>> from headrace.core.registry import op
        >>> pick_op = op("PickRows", "matrix: float, rows: int32 -> picked: float")
        >>> @pick_op.shape
        ... @ranked(2, 1)
        ... def pick_shape(op):
        ...     return [(op.inputs[1].dims[0], op.inputs[0].dims[1])]
    """

    def decorate(rule: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(rule)
        def checked(op: OpView) -> list[tuple[int | None, ...] | None]:
            for value, rank in zip(op.inputs, ranks):
                check_rank(value.dims, rank)
            return rule(op)

        return checked

    return decorate
