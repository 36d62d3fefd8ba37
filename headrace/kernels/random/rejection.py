"""Distributions by rejection, many outputs at once: each draws from a stream of its own until a number passes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.kernels.random import philox as plain
from headrace.kernels.random.philox import RESERVED_PER_OUTPUT, Array, Philox

_DOUBLE = np.dtype(np.float64)


class _Substreams:
    """A stream for each output, which reads its blocks as it needs them, and apart from the others."""

    def __init__(self, here: Philox, count: int) -> None:
        self._here = here
        self._next = np.arange(count, dtype=np.uint64) * np.uint64(RESERVED_PER_OUTPUT)

    def words(self, which: Array) -> Array:
        """One block from each of the substreams `which`, uint32 of shape (len(which), 4)."""
        words = self._here.words_at(self._next[which])
        self._next[which] += np.uint64(1)
        return words


class _Pairs:
    """Numbers for outputs that ask one at a time, from blocks that make two; the second of a block goes first."""

    def __init__(self, substreams: _Substreams, count: int, make: Callable[[Array, np.dtype[Any]], Array]) -> None:
        self._substreams = substreams
        self._make = make
        self._kept = np.empty(count)
        self._has_kept = np.zeros(count, bool)

    def read(self, which: Array) -> Array:
        """The next number of each output in `which`, no output twice."""
        has_kept = self._has_kept[which]
        out = self._kept[which]
        empty = which[~has_kept]
        if empty.size:
            pairs = self._make(self._substreams.words(empty).reshape(-1), _DOUBLE).reshape(-1, 2)
            out[~has_kept] = pairs[:, 1]
            self._kept[empty] = pairs[:, 0]
        self._has_kept[which] = ~has_kept
        return out


def gamma(here: Philox, alpha: Array) -> Array:
    """Numbers of the gamma distribution of rate 1.

    G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).

    Args:
        here: the place of the request.
        alpha: float64 vector of parameters, all at least 0.

    Returns:
        a number for each parameter, float64.
    """
    substreams = _Substreams(here, len(alpha))
    uniforms = _Pairs(substreams, len(alpha), plain.uniform_from_words)
    normals = _Pairs(substreams, len(alpha), plain.normal_from_words)
    out = np.empty(len(alpha))
    one = np.flatnonzero(alpha == 1)
    out[one] = -np.log1p(-uniforms.read(one))
    # Below 1 a number is drawn for alpha + 1 and then made smaller.
    small = alpha < 1
    d = alpha + np.where(small, 2 / 3, -1 / 3)
    waiting = np.flatnonzero(alpha != 1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        c = 1 / 3 / np.sqrt(d)
        while waiting.size:
            x = normals.read(waiting)
            v = 1 + c[waiting] * x
            possible = v > 0
            tried, x, v = waiting[possible], x[possible], v[possible]
            v = v * v * v
            u = uniforms.read(tried)
            square = x * x
            accepted = u < 1 - 0.0331 * square * square
            accepted |= np.log(u) < 0.5 * square + d[tried] * (1 - v + np.log(v))
            done = tried[accepted]
            out[done] = d[done] * v[accepted]
            possible[possible] = accepted
            waiting = waiting[~possible]
        below = np.flatnonzero(small)
        out[below] *= uniforms.read(below) ** (1 / alpha[below])
    return out


def poisson(here: Philox, rate: Array, highest: float) -> Array:
    """Numbers of the Poisson distribution.

    Rates below 10 by a product of uniforms (D. Knuth, "The art of computer programming", volume 2, section 3.4.1),
    others by rejection: W. Hörmann, "The transformed rejection method for generating Poisson random variables",
    Insurance: Mathematics and Economics 12 (1993).

    Args:
        here: the place of the request.
        rate: float64 vector of rates, none above `highest`.
        highest: the largest number that may be drawn.

    Returns:
        a number for each rate, float64.
    """
    uniforms = _Pairs(_Substreams(here, len(rate)), len(rate), plain.uniform_from_words)
    out = np.zeros(len(rate))
    waiting = np.flatnonzero(rate < 10)
    product = np.ones(len(rate))
    limit = np.exp(-rate)
    while waiting.size:
        product[waiting] *= uniforms.read(waiting)
        waiting = waiting[product[waiting] > limit[waiting]]
        out[waiting] += 1

    waiting = np.flatnonzero(rate >= 10)
    # Names as in Hörmann's algorithm PTRS.
    while waiting.size:
        mu = rate[waiting]
        b = 0.931 + 2.53 * np.sqrt(mu)
        a = -0.059 + 0.02483 * b
        inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
        u = uniforms.read(waiting) - 0.5
        v = uniforms.read(waiting)
        with np.errstate(divide="ignore"):
            us = 0.5 - np.abs(u)
            k = np.floor((2 * a / us + b) * u + mu + 0.43)
            fits = k <= highest
            accepted = fits & (us >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
            unsure = np.flatnonzero(fits & ~accepted & (k >= 0) & ((us >= 0.013) | (v <= us)))
            s = np.log(v * inverse_alpha / (a / (us * us) + b))[unsure]
        k_unsure = k[unsure]
        log_factorial = np.array([math.lgamma(value + 1) for value in k_unsure.tolist()])
        accepted[unsure] = s <= -mu[unsure] + k_unsure * np.log(mu[unsure]) - log_factorial
        out[waiting[accepted]] = k[accepted]
        waiting = waiting[~accepted]
    return out
