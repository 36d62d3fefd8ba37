"""How candidate samplers draw classes: the distributions, and the order in which they use up a random stream.

A seeded sampler draws what TensorFlow's draws: each run takes the next stretch of the op's Philox stream, word by word.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.files.failures import failures_of
from headrace.kernels.random import philox

# What a run reserves of the stream for each class to be drawn, in blocks of four words.
_BLOCKS_PER_CLASS = 512
# Random words are made for so many runs at once where a run takes few of them: on a core of an AMD EPYC 32 blocks take 42
# microseconds alone and 2 among those of 32 runs, 512 take 55 and 8, 2048 take 81 and 94.
_RUNS_AHEAD = 32
_FEW_BLOCKS = 2048
# Up to so many classes their probabilities are looked up: 4096 of them take 4 microseconds, computing them 11. The largest
# table takes 4 MB and 20 ms.
_FEW_CLASSES = 1 << 20
# Up to so many drawn classes a Python loop is faster than sorting: of 64 it takes 3 microseconds, sorting 5; of 256 10 and 7.
_FEW_DRAWN = 128
_UINT64 = 2**64
_ONE = np.uint64(1023 << 52)


class ClassSampler:
    """A distribution over classes.

    Attributes:
        words: how many 32-bit words one drawn class takes, as long as none is rejected.
        steady: whether none ever is, and what was true before has no influence, so that classes can be drawn ahead.
    """

    words = 2
    steady = False

    def draw(self, words: np.ndarray) -> np.ndarray:
        """The classes (int64) that a stretch of uint32 words stands for."""
        raise NotImplementedError

    def probability(self, classes: np.ndarray) -> np.ndarray:
        """The probabilities (float32) of classes."""
        raise NotImplementedError

    def learn(self, true_classes: np.ndarray) -> None:
        """Takes note of a batch of true classes."""


def _uint64s(words: np.ndarray) -> np.ndarray:
    pairs = words[: len(words) // 2 * 2].reshape(-1, 2).astype(np.uint64)
    return pairs[:, 0] | pairs[:, 1] << np.uint64(32)


def _doubles(words: np.ndarray) -> np.ndarray:
    """Doubles in [0, 1): 20 bits of one word above the 32 of the next."""
    pairs = words[: len(words) // 2 * 2].reshape(-1, 2).astype(np.uint64)
    mantissa = (pairs[:, 0] & np.uint64(0xFFFFF)) << np.uint64(32) | pairs[:, 1]
    return (mantissa | _ONE).view(np.float64) - 1.0


def _unbiased(words: np.ndarray, limit: int, bits: int) -> np.ndarray:
    """Uniform integers below `limit`; the lowest words are rejected where they would make some likelier."""
    if limit & (limit - 1) == 0:
        return (words & words.dtype.type(limit - 1)).astype(np.int64)
    rejected = (2**bits - 1) % limit + 1
    return (words[words >= words.dtype.type(rejected)] % words.dtype.type(limit)).astype(np.int64)


class UniformSampler(ClassSampler):
    """All classes below `limit` alike."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def draw(self, words: np.ndarray) -> np.ndarray:
        """As `ClassSampler.draw`."""
        return _unbiased(_uint64s(words), self._limit, 64)

    def probability(self, classes: np.ndarray) -> np.ndarray:
        """As `ClassSampler.probability`."""
        return np.full(classes.shape, 1.0 / self._limit, np.float32)


class LogUniformSampler(ClassSampler):
    """Class k with probability log((k + 2) / (k + 1)) / log(limit + 1): k is floor(exp(u log(limit + 1))) - 1."""

    steady = True

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._log_range = math.log1p(limit)
        self._table = self._computed(np.arange(limit)) if limit <= _FEW_CLASSES else None

    def draw(self, words: np.ndarray) -> np.ndarray:
        """As `ClassSampler.draw`."""
        return (np.exp(_doubles(words) * self._log_range).astype(np.int64) - 1) % self._limit

    def probability(self, classes: np.ndarray) -> np.ndarray:
        """As `ClassSampler.probability`."""
        table = self._table
        # Negative numbers are large ones without their sign.
        if table is None or not classes.size or classes.view(np.uint64).max() >= self._limit:
            return self._computed(classes)
        return table.take(classes)

    def _computed(self, classes: np.ndarray) -> np.ndarray:
        return (np.log((classes + 2.0) / (classes + 1.0)) / self._log_range).astype(np.float32)


class LearnedUnigramSampler(ClassSampler):
    """Each class as often as it was true so far, plus once."""

    words = 1

    def __init__(self, limit: int) -> None:
        self._weights = np.ones(limit, np.int64)
        self._ends = np.arange(1, limit + 1)

    def draw(self, words: np.ndarray) -> np.ndarray:
        """As `ClassSampler.draw`."""
        picked = _unbiased(words, int(self._ends[-1]), 32)
        return np.searchsorted(self._ends, picked, side="right")

    def probability(self, classes: np.ndarray) -> np.ndarray:
        """As `ClassSampler.probability`."""
        return self._weights[classes].astype(np.float32) / np.float32(self._ends[-1])

    def learn(self, true_classes: np.ndarray) -> None:
        """As `ClassSampler.learn`."""
        np.add.at(self._weights, true_classes.reshape(-1), 1)
        self._ends = np.cumsum(self._weights)


class FixedUnigramSampler(ClassSampler):
    """Classes by given weights, with the alias method.

    A. Walker, "An efficient method for generating discrete random variables with general distributions", ACM TOMS 3
    (1977); the table as in M. Vose, "A linear algorithm for generating random numbers with a given distribution", IEEE
    Transactions on Software Engineering 17 (1991).
    """

    def __init__(self, weights: np.ndarray) -> None:
        self._weights = weights
        # The sum is kept in float32, class by class, as what the probabilities are divided by.
        self._total = np.float32(0)
        for weight in weights:
            self._total += weight
        self._keep, self._alias = _alias_table(weights)

    def draw(self, words: np.ndarray) -> np.ndarray:
        """As `ClassSampler.draw`."""
        count = len(self._weights)
        pairs = words[: len(words) // 2 * 2].reshape(-1, 2)
        if count & (count - 1) == 0:
            return self._picked(pairs[:, 0], pairs[:, 1] & np.uint32(count - 1))
        rejected = (2**32 - 1) % count + 1
        if (pairs[:, 1] < rejected).any():
            pairs = _pairs_after_rejection(words, rejected)
        return self._picked(pairs[:, 0], pairs[:, 1] % np.uint32(count))

    def _picked(self, chances: np.ndarray, places: np.ndarray) -> np.ndarray:
        chance = (chances & np.uint32(0x7FFFFF) | np.uint32(127 << 23)).view(np.float32) - np.float32(1)
        places = places.astype(np.int64)
        return np.where(chance < self._keep[places], places, self._alias[places])

    def probability(self, classes: np.ndarray) -> np.ndarray:
        """As `ClassSampler.probability`."""
        known = (classes >= 0) & (classes < len(self._weights))
        weights = self._weights[np.where(known, classes, 0)]
        return np.where(known, weights / self._total, np.float32(0)).astype(np.float32)


def _pairs_after_rejection(words: np.ndarray, rejected: int) -> np.ndarray:
    """(chance, place) words, where a place below `rejected` is passed over for the next word."""
    pairs, chance = [], None
    for word in words.tolist():
        if chance is None:
            chance = word
        elif word >= rejected:
            pairs.append((chance, word))
            chance = None
    return np.array(pairs, np.uint32).reshape(-1, 2)


def _alias_table(weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each place the chance to keep it, and the class taken otherwise."""
    count = len(weights)
    total = float(np.sum(weights, dtype=np.float64))
    share = [float(np.float32(weight) * np.float32(count)) / total for weight in weights]
    alias = np.full(count, -1, np.int64)
    low = [i for i, p in enumerate(share) if p < 1.0]
    high = [i for i, p in enumerate(share) if p >= 1.0]
    while low and high:
        small, large = low.pop(), high.pop()
        alias[small] = large
        share[large] -= 1.0 - share[small]
        (low if share[large] < 1.0 else high).append(large)
    keep = np.array(share, np.float32)
    # What rounding leaves over has a share of 1.
    for i in low + high:
        keep[i], alias[i] = 1.0, i
    return keep, alias


class AllSampler(ClassSampler):
    """Every class once."""

    def __init__(self, count: int) -> None:
        self.count = count

    def probability(self, classes: np.ndarray) -> np.ndarray:
        """As `ClassSampler.probability`: certain."""
        return np.ones(classes.shape, np.float32)


class SessionSampler:
    """A sampler and its place in its random stream.

    Args:
        sampler: what is drawn from.
        seed, seed2: the op's seeds; both 0 begin somewhere the system chooses.
    """

    def __init__(self, sampler: ClassSampler, seed: int, seed2: int) -> None:
        if seed == seed2 == 0:
            seed, seed2 = (int.from_bytes(os.urandom(8), "little") for _ in range(2))
        self._sampler = sampler
        self._next = philox.Philox(seed % _UINT64, seed2 % _UINT64)
        # The words of the coming runs, or the classes drawn with them, by the place where they begin.
        self._ahead: dict[Any, np.ndarray] = {}
        self._lock = threading.Lock()

    def sample(self, true_classes: np.ndarray, count: int, unique: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draws `count` classes.

        Args:
            true_classes: int64 [batch, num_true].
            count: how many to draw.
            unique: whether they must differ.

        Returns:
            (classes, expected counts of `true_classes`, expected counts of the classes).
        """
        sampler = self._sampler
        if isinstance(sampler, AllSampler):
            classes = np.arange(count)
            return classes, sampler.probability(true_classes), sampler.probability(classes)
        with self._lock:
            here = self._next
            self._next = here.skip(count * _BLOCKS_PER_CLASS)
            classes, tries = self._drawn(here, count, unique)
            true_counts = _expected(sampler.probability(true_classes), count, tries)
            counts = _expected(sampler.probability(classes), count, tries)
            sampler.learn(true_classes)
        return classes, true_counts, counts

    def _drawn(self, here: object, count: int, unique: bool) -> tuple[np.ndarray, int]:
        """The classes, and how many were drawn until there were enough that differ."""
        blocks = -(-count * self._sampler.words // 4)
        blocks += blocks // 2 if unique else 0
        while True:
            drawn = self._draw(here, blocks, count)
            if not unique:
                if len(drawn) >= count:
                    return drawn[:count], count
            elif len(drawn) <= _FEW_DRAWN:
                listed, tries = drawn.tolist(), count
                different = dict.fromkeys(listed[:count])
                while len(different) < count and tries < len(listed):
                    different[listed[tries]] = None
                    tries += 1
                if len(different) == count:
                    return np.array([*different]), tries
            else:
                first = np.sort(np.unique(drawn, return_index=True)[1])
                if len(first) >= count:
                    return drawn[first[:count]], int(first[count - 1]) + 1
            blocks = 2 * blocks + 1

    def _draw(self, here: Any, blocks: int, count: int) -> np.ndarray:
        """The classes in `blocks` blocks from the place `here` on, where a run that draws `count` classes begins."""
        sampler = self._sampler
        if blocks > _FEW_BLOCKS:
            return sampler.draw(here.words(blocks))
        size = 4 * blocks // sampler.words if sampler.steady else 4 * blocks
        ahead = self._ahead.pop(here, None)
        if ahead is None or len(ahead) < size:
            starts = np.arange(_RUNS_AHEAD, dtype=np.uint64) * np.uint64(count * _BLOCKS_PER_CLASS)
            places = starts[:, None] + np.arange(blocks, dtype=np.uint64)
            words = here.words_at(places.reshape(-1)).reshape(-1)
            rows = (sampler.draw(words) if sampler.steady else words).reshape(_RUNS_AHEAD, -1)
            runs = (here.skip(run * count * _BLOCKS_PER_CLASS) for run in range(_RUNS_AHEAD))
            self._ahead = dict(zip(runs, rows, strict=True))
            ahead = self._ahead.pop(here)
        return ahead[:size] if sampler.steady else sampler.draw(ahead[:size])


def _expected(probability: np.ndarray, count: int, tries: int) -> np.ndarray:
    """How often a class of this probability is expected among `count` drawn in so many tries.

    Where they must differ it is there at most once: with probability 1 - (1 - p)^tries.
    """
    if tries == count:
        return probability * np.float32(count)
    return -np.expm1(np.float32(tries) * np.log1p(-probability))


def weights_in_file(path: str) -> list[float]:
    """The weights in a vocabulary file: the last field, after commas, of each line."""
    # Words may be in any encoding; the weights are digits.
    with failures_of(path), open(path, encoding="utf-8", errors="surrogateescape") as lines:
        return [float(line.rstrip("\n").rsplit(",", 1)[-1]) for line in lines if line.strip()]


def distorted_weights(
    unigrams: Sequence[float], distortion: float, reserved: int, num_shards: int, shard: int
) -> np.ndarray:
    """The float32 weights of the classes of one shard: zeros for the reserved ones, powers of `unigrams` for others."""
    weights = [0.0] * len(range(shard, reserved, num_shards))
    for number, weight in enumerate(unigrams, len(weights)):
        if number % num_shards == shard:
            weights.append(math.pow(float(np.float32(weight)), float(np.float32(distortion))))
    return np.array(weights, np.float32)
