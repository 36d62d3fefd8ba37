"""The random numbers of seeded ops, in the very order TensorFlow's CPU kernels give them.

A `RandomStream` is what one op keeps between the runs of a session: each request takes the next stretch of its
Philox stream. The `stateless_*` functions begin a stream of their own for each pair of seeds. Plain distributions
live in `philox`, those that try again until a number passes in `rejection` and `truncated_normal`. An op's two seeds
come from `core.random_seed`.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.random import philox as plain
from headrace.kernels.random import rejection
from headrace.kernels.random.philox import RESERVED_PER_OUTPUT, Array, Philox
from headrace.kernels.random.truncated_normal import MAX_TRIES, SHARED_BATCH, fill_truncated

_UINT64 = 2**64

Shape = Sequence[SupportsInt] | npt.NDArray[Any]


# As many numbers as an op makes ahead at most: 256 KiB of float32.
_AHEAD_NUMBERS = 65536


class _Ahead:
    """The numbers of an op's next requests, while they stay what they were.

    Attributes:
        asked: how the numbers are made, how many a request wants, and their type.
        rows: the numbers of each request.
        place: where in the stream the next of them belongs.
        taken: how many have been given out.
    """

    __slots__ = ("asked", "place", "rows", "taken")

    def __init__(self, asked: tuple[Any, ...], rows: Sequence[Array], place: int) -> None:
        self.asked, self.rows, self.place, self.taken = asked, rows, place, min(1, len(rows))


def _rows(here: Philox, requests: int, make: Callable[..., Array], count: int, dtype: np.dtype[Any]) -> Sequence[Array]:
    """The numbers of `requests` requests for `count` each, the first of which begins at `here`."""
    blocks = plain.blocks_of(count, dtype)
    starts = np.arange(requests, dtype=np.uint64) * np.uint64(count * RESERVED_PER_OUTPUT)
    places = (starts[:, None] + np.arange(blocks, dtype=np.uint64)).reshape(-1)
    made = make(here.words_at(places).reshape(-1), dtype).reshape(requests, -1)
    return list(made[:, :count]) if made.shape[1] == count else [row[:count].copy() for row in made]


class RandomStream:
    """The stream of one op; several threads may draw from it at once.

    Args:
        seed: the op's attribute `seed`, any 64-bit integer.
        seed2: its attribute `seed2`. If both are 0 the stream begins somewhere the system chooses.

    Example:
        >>> stream = RandomStream(87654321, 1)
        >>> stream.uniform([2, 3], "float32").shape, stream.uniform_int([], 0, 10, "int64").dtype
        ((2, 3), dtype('int64'))
    """

    def __init__(self, seed: int, seed2: int) -> None:
        if seed == seed2 == 0:
            seed, seed2 = (int.from_bytes(os.urandom(8), "little") for _ in range(2))
        self._next = Philox(int(seed) % _UINT64, int(seed2) % _UINT64)
        self._lock = threading.Lock()
        self._ahead: _Ahead | None = None
        # Its place as others move it on, in one memory.
        self._words: npt.NDArray[np.uint64]
        self._lent: torch.Tensor | None = None

    def reserve(self, blocks: int) -> Philox:
        """The place of the next `blocks` blocks, which no other request will get.

        Requests of the other methods keep as many blocks as TensorFlow's kernels do, more than they read.
        """
        with self._lock:
            here = self._next
            self._next = here.skip(blocks)
        return here

    def lend(self) -> torch.Tensor:
        """Its place, to be moved on by whoever draws in another way; until `take_back` nobody else does.

        Returns:
            int64 tensor of key, high and position modulo 2**64, the same in each call.
        """
        self._lock.acquire()
        if self._lent is None:
            self._words = np.array([word % _UINT64 for word in self._next], np.uint64)
            self._lent = torch.from_numpy(self._words.view(np.int64))
        else:
            self._words[2] = self._next.position % _UINT64
        return self._lent

    def take_back(self, moved: bool) -> None:
        """Ends what `lend` began.

        Args:
            moved: whether the place is where the next request begins; it stays where it was otherwise.
        """
        if moved:
            key, high, _ = self._next
            self._next = Philox(key, high, int(self._words[2]))
        self._lock.release()

    def _reserve_outputs(self, count: int) -> Philox:
        """The place of a request for `count` numbers. TensorFlow reserves a block where a word was meant."""
        return self.reserve(count * RESERVED_PER_OUTPUT)

    def _drawn(self, draw: Callable[..., Array], make: Callable[..., Array], count: int, dtype: npt.DTypeLike) -> Array:
        """A request for `count` numbers, which `draw` reads from a place and `make` makes of words.

        A small request costs some fifty calls into NumPy however small it is. An op that asks for as many again and
        again, as in the steps of training, is answered from the numbers of many requests made at once.
        """
        if not 0 < count <= _AHEAD_NUMBERS // 4:
            return draw(self._reserve_outputs(count), count, dtype)
        with self._lock:
            here, ahead = self._next, self._ahead
            self._next = here.skip(count * RESERVED_PER_OUTPUT)
            if ahead is not None and ahead.asked == (make, count, dtype):
                if ahead.taken < len(ahead.rows) and ahead.place == here.position:
                    ahead.place = self._next.position
                    ahead.taken += 1
                    # A row goes out once; what it goes to may keep it and write to it.
                    return ahead.rows[ahead.taken - 1]
                # More each time, so that a few requests never make many numbers.
                requests = min(max(2 * len(ahead.rows), 4), _AHEAD_NUMBERS // count)
                rows = _rows(here, requests, make, count, plain.floating(dtype))
                self._ahead = _Ahead((make, count, dtype), rows, self._next.position)
                return rows[0]
            self._ahead = _Ahead((make, count, dtype), (), self._next.position)
        return draw(here, count, dtype)

    def uniform(self, shape: Shape, dtype: npt.DTypeLike) -> Array:
        """Numbers uniform in [0, 1): RandomUniform.

        Args:
            shape: the shape of the result.
            dtype: float16, bfloat16 (of ml_dtypes), float32 or float64.

        Returns:
            array of that shape and type.

        Raises:
            InvalidArgumentError: if `dtype` is no such type, or a size is negative.
        """
        dims, count = _dims(shape)
        return self._drawn(plain.uniform, plain.uniform_from_words, count, dtype).reshape(dims)

    def uniform_int(self, shape: Shape, minval: SupportsInt, maxval: SupportsInt, dtype: npt.DTypeLike) -> Array:
        """Integers of [minval, maxval): RandomUniformInt.

        Args:
            shape: the shape of the result.
            minval: the smallest that may come.
            maxval: the smallest above those.
            dtype: int32 or int64.

        Returns:
            array of that shape and type.

        Raises:
            InvalidArgumentError: if minval >= maxval and the shape is not empty.
        """
        dims, count = _dims(shape)
        return plain.uniform_int(self._reserve_outputs(count), count, minval, maxval, dtype).reshape(dims)

    def standard_normal(self, shape: Shape, dtype: npt.DTypeLike) -> Array:
        """Normal numbers of mean 0 and deviation 1: RandomStandardNormal. Arguments as for `uniform`."""
        dims, count = _dims(shape)
        return self._drawn(plain.standard_normal, plain.normal_from_words, count, dtype).reshape(dims)

    def truncated_normal(self, shape: Shape, dtype: npt.DTypeLike) -> Array:
        """Normal numbers within two deviations of the mean: TruncatedNormal. Arguments as for `uniform`."""
        dims, count = _dims(shape)
        return plain.truncated_normal(self._reserve_outputs(count), count, dtype).reshape(dims)

    def parameterized_truncated_normal(
        self,
        shape: Shape,
        means: npt.ArrayLike,
        stdevs: npt.ArrayLike,
        minvals: npt.ArrayLike,
        maxvals: npt.ArrayLike,
        dtype: npt.DTypeLike,
    ) -> Array:
        """Normal numbers within given bounds: ParameterizedTruncatedNormal.

        Args:
            shape: the shape of the result; the first dimension is the batch.
            means, stdevs, minvals, maxvals: scalars, or vectors with an entry for each of the batch.
            dtype: float16, bfloat16, float32 or float64.

        Returns:
            array of that shape and type. TensorFlow's own order where it runs the op on one thread.

        Raises:
            InvalidArgumentError: if the parameters do not fit the shape, a deviation is not positive, or bounds are
                empty or both infinite.
        """
        dims, count = _dims(shape)
        dtype = plain.floating(dtype)
        if not dims:
            raise InvalidArgumentError(None, None, "Shape passed must not be a scalar")
        parameters = [np.asarray(p, dtype) for p in (means, stdevs, minvals, maxvals)]
        for name, parameter in zip(("means", "stdevs", "minvals", "maxvals"), parameters):
            if parameter.ndim > 1 or parameter.size not in (1, dims[0]):
                message = f"Input {name} should have length 1 or shape[0], got shape: {list(parameter.shape)}"
                raise InvalidArgumentError(None, None, message)
        if not count:
            return np.empty(dims, dtype)
        batches, size = dims[0], count // dims[0]
        if all(p.size == 1 for p in parameters) and parameters[2].ndim == parameters[3].ndim == 0:
            # With nothing to tell the batches apart, TensorFlow cuts its own. It takes a bound given as a vector
            # for something that does, whatever its length.
            size = SHARED_BATCH
            batches = -(-count // size)
        columns = [parameter.reshape(-1) for parameter in parameters]
        here = self.reserve(batches * 2 * MAX_TRIES * (size + 3) // 4)
        out = np.empty(count, dtype)
        for batch in range(batches):
            mean, stdev, minval, maxval = (p[batch if len(p) > 1 else 0] for p in columns)
            part = out[batch * size : (batch + 1) * size]
            here = fill_truncated(here, part, mean, stdev, minval, maxval)
        return out.reshape(dims)

    def shuffle_permutation(self, n: int) -> Array:
        """The order in which RandomShuffle takes the `n` rows of its value.

        R. Durstenfeld, "Algorithm 235: random permutation", CACM 7 (1964).

        TensorFlow draws nothing for a value without elements; callers leave such a value alone.

        Returns:
            int64 array of shape (n,): row i of the result is row permutation[i] of the value.
        """
        if n <= 1:
            return np.arange(n)
        words = self.reserve((n + 2) // 4).words((n + 2) // 4)[: n - 1]
        # Each row changes places with itself or one after it.
        partners = (words % np.arange(n, 1, -1, dtype=np.uint32) + np.arange(n - 1)).tolist()
        order = list(range(n))
        for row, partner in enumerate(partners):
            order[row], order[partner] = order[partner], order[row]
        return np.array(order)

    def multinomial(self, logits: npt.ArrayLike, num_samples: SupportsInt, dtype: npt.DTypeLike) -> Array:
        """Classes drawn with the probabilities softmax(logits): Multinomial, by inverting the distribution function.

        Args:
            logits: array of shape (batch, classes); a class with a logit that is not finite is never drawn.
            num_samples: how many for each of the batch.
            dtype: int32 or int64.

        Returns:
            array of shape (batch, num_samples) and type `dtype`. TensorFlow's own order where it runs the op on one
            thread, as it does small ones.

        Raises:
            InvalidArgumentError: if logits is no matrix or has no classes, or num_samples is negative.
        """
        logits, samples = _checked_logits(logits, num_samples)
        # Two words for a number, and whole blocks for each of the batch.
        return _multinomial(self._reserve_outputs(len(logits) * -(-samples // 4) * 8), logits, samples, dtype)

    def gamma(self, shape: Shape, alpha: npt.ArrayLike) -> Array:
        """Numbers of the gamma distribution of rate 1: RandomGamma.

        Args:
            shape: the shape of the draws made for each alpha.
            alpha: float16, float32 or float64 array of any shape.

        Returns:
            array of shape (*shape, *alpha.shape) and alpha's type.

        Raises:
            InvalidArgumentError: if an alpha is negative or NaN, for which TensorFlow never answers.
        """
        alpha = np.asarray(alpha)
        plain.floating(alpha.dtype)
        if not (alpha >= 0).all():
            raise InvalidArgumentError(None, None, f"alpha must be at least 0, got {alpha[~(alpha >= 0)].flat[0]}")
        return self._for_each(shape, alpha, rejection.gamma).astype(alpha.dtype)

    def poisson(self, shape: Shape, rate: npt.ArrayLike, dtype: npt.DTypeLike) -> Array:
        """Numbers of the Poisson distribution: RandomPoisson and RandomPoissonV2.

        Args:
            shape: the shape of the draws made for each rate.
            rate: array of numbers of any shape.
            dtype: float16, float32, float64, int32 or int64.

        Returns:
            array of shape (*shape, *rate.shape) and type `dtype`.

        Raises:
            InvalidArgumentError: if a rate is not finite or so large that what is drawn does not fit `dtype`, for
                which TensorFlow never answers.
        """
        dtype, rate = np.dtype(dtype), np.asarray(rate)
        highest = float(np.iinfo(dtype).max if dtype.kind == "i" else np.finfo(dtype.name).max)
        if not (rate <= highest).all():
            message = f"rate must be finite and at most {highest:g} for {dtype.name}"
            raise InvalidArgumentError(None, None, f"{message}, got {rate[~(rate <= highest)].flat[0]}")
        return self._for_each(shape, rate, lambda here, rates: rejection.poisson(here, rates, highest)).astype(dtype)

    def _for_each(self, shape: Shape, parameter: Array, draw: Callable[[Philox, Array], Array]) -> Array:
        """Draws once for each of `shape` and each parameter; the draws of one parameter follow each other."""
        dims, samples = _dims(shape)
        count = samples * parameter.size
        flat = np.repeat(parameter.astype(np.float64).reshape(-1), samples)
        drawn = draw(self._reserve_outputs(count), flat)
        return drawn.reshape(parameter.size, samples).T.reshape(dims + parameter.shape)


# ------------------------------------------------------------------------------------------------------- stateless


def stateless_uniform(shape: Shape, seed: npt.ArrayLike, dtype: npt.DTypeLike) -> Array:
    """Numbers uniform in [0, 1), the same for the same seeds: StatelessRandomUniform.

    Args:
        shape: the shape of the result.
        seed: two integers.
        dtype: float16, bfloat16, float32 or float64.

    Returns:
        array of that shape and type.

    Raises:
        InvalidArgumentError: if seed is not two numbers, or `dtype` no such type.

    Example:
        >>> a, b = (stateless_uniform([3], [1, 2], "float32") for _ in range(2))
        >>> bool((a == b).all())
        True
    """
    dims, count = _dims(shape)
    return plain.uniform(scrambled(seed), count, dtype).reshape(dims)


def stateless_uniform_int(
    shape: Shape, seed: npt.ArrayLike, minval: SupportsInt, maxval: SupportsInt, dtype: npt.DTypeLike
) -> Array:
    """Integers of [minval, maxval): StatelessRandomUniformInt. Other arguments as for `stateless_uniform`."""
    dims, count = _dims(shape)
    return plain.uniform_int(scrambled(seed), count, minval, maxval, dtype).reshape(dims)


def stateless_normal(shape: Shape, seed: npt.ArrayLike, dtype: npt.DTypeLike) -> Array:
    """Normal numbers: StatelessRandomNormal. Arguments as for `stateless_uniform`."""
    dims, count = _dims(shape)
    return plain.standard_normal(scrambled(seed), count, dtype).reshape(dims)


def stateless_truncated_normal(shape: Shape, seed: npt.ArrayLike, dtype: npt.DTypeLike) -> Array:
    """Normal numbers within two deviations: StatelessTruncatedNormal. Arguments as for `stateless_uniform`."""
    dims, count = _dims(shape)
    return plain.truncated_normal(scrambled(seed), count, dtype).reshape(dims)


def stateless_multinomial(
    logits: npt.ArrayLike, num_samples: SupportsInt, seed: npt.ArrayLike, dtype: npt.DTypeLike
) -> Array:
    """Classes: StatelessMultinomial. Arguments as for `RandomStream.multinomial`, seed two integers."""
    logits, samples = _checked_logits(logits, num_samples)
    return _multinomial(scrambled(seed), logits, samples, dtype)


def scrambled(seed: npt.ArrayLike) -> Philox:
    """A stream for two seeds. One block under a fixed key spreads them, so that neighbouring seeds will do."""
    pair = np.asarray(seed)
    if pair.shape != (2,):
        raise InvalidArgumentError(None, None, f"seed must have shape [2], not {list(pair.shape)}")
    first, second = (int(value) % _UINT64 for value in pair)
    words = Philox(0x02461E29_3EC8F720, second, first).words(1).tolist()
    return Philox(words[0] | words[1] << 32, words[2] | words[3] << 32)


# ------------------------------------------------------------------------------------- distributions over a stream


def _dims(shape: Shape) -> tuple[tuple[int, ...], int]:
    dims = tuple(int(size) for size in shape)
    if any(size < 0 for size in dims):
        raise InvalidArgumentError(None, None, f"Dimensions must be at least 0, got shape {list(dims)}")
    return dims, math.prod(dims)


def _checked_logits(logits: npt.ArrayLike, num_samples: SupportsInt) -> tuple[Array, int]:
    logits, samples = np.asarray(logits), int(num_samples)
    if logits.ndim != 2:
        raise InvalidArgumentError(None, None, f"logits should be a matrix, got shape {list(logits.shape)}")
    if samples < 0:
        raise InvalidArgumentError(None, None, f"num_samples should be nonnegative, got {samples}")
    if not logits.shape[1]:
        raise InvalidArgumentError(None, None, f"num_classes should be positive, got {logits.shape[1]}")
    return logits.astype(np.float64), samples


def _multinomial(here: Philox, logits: Array, samples: int, dtype: npt.DTypeLike) -> Array:
    drawn = plain.uniform(here, len(logits) * samples, np.float64).reshape(len(logits), samples)
    out = np.empty(drawn.shape, dtype)
    if not out.size:
        return out
    finite = np.isfinite(logits)
    peak = np.max(logits, axis=1, keepdims=True, where=finite, initial=-np.inf)
    # A row without a finite logit has no peak; it draws the class after the last, as TensorFlow's search does.
    weights = np.exp(np.where(finite, logits - np.where(np.isfinite(peak), peak, 0.0), -np.inf))
    cumulative = np.cumsum(weights, axis=1)
    drawn *= cumulative[:, -1:]
    if samples < len(logits):
        for j in range(samples):
            out[:, j] = np.count_nonzero(cumulative <= drawn[:, j : j + 1], axis=1)
    else:
        for row, (steps, numbers) in enumerate(zip(cumulative, drawn)):
            out[row] = np.searchsorted(steps, numbers, side="right")
    return out
