"""Numbers of binomial distributions, one after the other from one stream: each begins at a block of its own."""

from __future__ import annotations

import numpy as np

from headrace.kernels.random.philox import Array, Philox, uniform_from_words

_DOUBLE = np.dtype(np.float64)
# From so many expected successes on, numbers come of transformed pairs, some of which are refused.
_MANY = 10
# Of Stirling's series for ln k!, what is left behind its first terms.
_TAILS = np.array(
    [
        *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211),
        *(0.0138761288230707, 0.0118967099458917, 0.0104112652619720, 0.00925546218271273, 0.00833056343336287),
    ]
)


def binomial(here: Philox, per_row: int, counts: Array, probs: Array) -> Array:
    """Rows of numbers of successes.

    Args:
        here: where the stream is.
        per_row: how many numbers a row has.
        counts: how many trials, of each row.
        probs: how likely a success is, of each row; of the type in which 1.15 reckons whether many are expected.

    Returns:
        a float64 array of shape (rows, per_row); NaN where a probability is none.
    """
    rows = np.empty((len(counts), per_row))
    for row, count, prob in zip(rows, counts, probs, strict=True):
        if float(count) <= 0 or prob <= 0:
            row[:] = 0
        elif prob >= 1:
            row[:] = count
        elif np.isnan(prob):
            row[:] = np.nan
        else:
            failures = prob > 0.5
            rarer = prob.dtype.type(1) - prob if failures else prob
            draw = _transformed if count * rarer >= _MANY else _inverted
            used = draw(here, row, float(count), float(rarer))
            here = here.skip(used)
            if failures:
                row[:] = float(count) - row
    return rows


def _pairs(here: Philox, blocks: int) -> Array:
    """Two uniform numbers of each block, the second of which goes first."""
    return uniform_from_words(here.words(blocks), _DOUBLE).reshape(-1, 2)[:, ::-1]


def _inverted(here: Philox, row: Array, count: float, prob: float) -> int:
    """Fills a row by how many waits for a success fit into the trials; returns how many blocks that took."""
    done = used = 0
    while done < len(row):
        blocks = int((len(row) - done) * (count * prob + 3) / 2) + 64
        with np.errstate(divide="ignore"):
            waits = np.ceil(np.log(_pairs(here.skip(used), blocks).reshape(-1)) / np.log1p(-prob))
        # A wait beyond the trials ends a number, however long it is.
        ends = np.cumsum(np.minimum(waits, count + 1))
        before = np.concatenate([[0.0], ends[1:-1:2]])
        # For a number that begins at this block, the wait that no longer fits.
        last = np.searchsorted(ends, before + count, side="right").tolist()
        block = 0
        while done < len(row) and block < blocks and last[block] < 2 * blocks:
            row[done] = last[block] - 2 * block
            done += 1
            block = last[block] // 2 + 1
        used += block
    return used


def _transformed(here: Philox, row: Array, count: float, prob: float) -> int:
    """Fills a row by the transformed rejection of Hörmann (1993); returns how many blocks that took."""
    deviation = np.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    odds, mode = prob / (1 - prob), np.floor((count + 1) * prob)
    done = used = 0
    while done < len(row):
        blocks = int((len(row) - done) * 1.5) + 16
        pairs = _pairs(here.skip(used), blocks)
        u, v = pairs[:, 0] - 0.5, pairs[:, 1]
        edge = 0.5 - np.abs(u)
        with np.errstate(all="ignore"):
            k = np.floor((2 * a / edge + b) * u + count * prob + 0.5)
            bound = (
                (mode + 0.5) * np.log((mode + 1) / (odds * (count - mode + 1)))
                + (count + 1) * np.log((count - mode + 1) / (count - k + 1))
                + (k + 0.5) * np.log(odds * (count - k + 1) / (k + 1))
                + (_tail(mode) + _tail(count - mode) - _tail(k) - _tail(count - k))
            )
            ratio = np.log(v * ((2.83 + 5.1 / b) * deviation) / (a / (edge * edge) + b))
            passes = (edge >= 0.07) & (v <= 0.92 - 4.2 / b)
            passes |= (k >= 0) & (k <= count) & (ratio <= bound)
        found = np.flatnonzero(passes)[: len(row) - done]
        row[done : done + len(found)] = k[found]
        done += len(found)
        used += int(found[-1]) + 1 if done == len(row) else blocks
    return used


def _tail(k: Array) -> Array:
    square = (k + 1) * (k + 1)
    series = (1 / 12 - (1 / 360 + 1 / 1260 / square) / square) / (k + 1)
    return np.where(k <= 9, _TAILS[np.clip(np.nan_to_num(k), 0, 9).astype(int)], series)
