"""Padding that mirrors what it surrounds."""

from __future__ import annotations

from headrace.kernels.array.arguments import invalid


def mirrored_sources(size: int, before: int, after: int, edge: int) -> list[int]:
    """For each place along a padded axis, the place its element comes from; `edge` is 1 where the border is not repeated."""
    if before > size - edge or after > size - edge:
        limit, fault = ("less than", "not less than") if edge else ("no greater than", "greater than")
        raise invalid(f"paddings must be {limit} the dimension size: {before}, {after} {fault} {size}")
    left = range(before - 1 + edge, edge - 1, -1)
    right = range(size - 1 - edge, size - 1 - edge - after, -1)
    return [*left, *range(size), *right]
