"""Hyperparameters that some update ops refuse by their sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.kernels.state.handles import invalid

# By the name of the input: whether a number is right, and what is said of one that is not.
_BOUNDS: dict[str, tuple[Callable[[float], bool], str]] = {
    "lr": (lambda rate: rate > 0, "lr is not a positive scalar"),
    "l1": (lambda strength: strength >= 0, "l1 regularization strength is not a non-negative scalar"),
    "l2": (lambda strength: strength >= 0, "l2 regularization strength is not a non-negative scalar"),
    "l2_shrinkage": (
        lambda strength: strength >= 0,
        "l2 shrinkage regularization strength is not a non-negative scalar",
    ),
    "lr_power": (lambda power: power <= 0, "lr_power is not a non-positive scalar"),
}


def within_bounds(names: Sequence[str], numbers: Callable[[Any], list[Any]]) -> Callable[[Any], list[Any]]:
    """`numbers`, which gives the inputs called `names`, with a check of those that have bounds.

    Raises:
        InvalidArgumentError: by the function that is returned, for a number out of its bounds.
    """
    bounded = [(i, *_BOUNDS[name]) for i, name in enumerate(names) if name in _BOUNDS]

    def checked(rest: Any) -> list[Any]:
        found = numbers(rest)
        for i, fits, message in bounded:
            if not fits(found[i]):
                raise invalid(f"{message}: {found[i]}")
        return found

    return checked
