"""Random numbers for parameters: uniform (U), uniform in their logarithms (L), normal (N); floats (f) and integers (i)."""

from __future__ import annotations

import math
import random


def Uf(lo: float = 0.0, hi: float = 1.0) -> float:
    """A number between two."""
    return random.uniform(lo, hi)


def Ui(lo: int, hi: int) -> int:
    """An integer from `lo` to `hi`, both of them included."""
    return random.randint(lo, hi)


def Lf(lo: float, hi: float) -> float:
    """A number between two, whose logarithm is uniformly distributed."""
    return math.exp(random.uniform(math.log(lo), math.log(hi)))


def Li(lo: int, hi: int) -> int:
    """An integer from `lo` to `hi`, whose logarithm is about uniformly distributed."""
    # A little less than the next integer, which must not come.
    return math.floor(Lf(lo, hi + 1 - 1e-5))


def Nt(mu: float, sigma: float, limit: float = 3.0) -> float:
    """A normally distributed number, which is moved to `limit` deviations from the mean where it is farther."""
    return min(max(random.gauss(mu, sigma), mu - limit * sigma), mu + limit * sigma)
