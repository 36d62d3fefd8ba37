"""The random numbers of seeded ops, in the very order TensorFlow's CPU kernels give them.

A `RandomStream` is what one op keeps between the runs of a session: each request takes the next stretch of its
Philox stream. The `stateless_*` functions begin a stream of their own for each pair of seeds. Plain distributions
live in `philox`; here are those that try again until a number passes, and those that depend on tensors. An op's two
seeds come from `core.random_seed`.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, SupportsInt

import numpy as np
import numpy.typing as npt

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.random import philox as plain
from headrace.kernels.random.philox import RESERVED_PER_OUTPUT, Array, Philox

_UINT64 = 2**64
_DOUBLE = np.dtype(np.float64)

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

    def reserve(self, blocks: int) -> Philox:
        """The place of the next `blocks` blocks, which no other request will get.

        Requests of the other methods keep as many blocks as TensorFlow's kernels do, more than they read.
        """
        with self._lock:
            here = self._next
            self._next = here.skip(blocks)
        return here

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
            size = _TRUNCATED_BATCH
            batches = -(-count // size)
        columns = [parameter.reshape(-1) for parameter in parameters]
        here = self.reserve(batches * 2 * _TRUNCATED_TRIES * (size + 3) // 4)
        out = np.empty(count, dtype)
        for batch in range(batches):
            mean, stdev, minval, maxval = (p[batch if len(p) > 1 else 0] for p in columns)
            part = out[batch * size : (batch + 1) * size]
            here = _fill_truncated(here, part, mean, stdev, minval, maxval)
        return out.reshape(dims)

    def shuffle_permutation(self, n: int) -> Array:
        """The order in which RandomShuffle takes the `n` rows of its value.

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
        """Classes drawn with the probabilities softmax(logits): Multinomial.

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

        By rejection: G. Marsaglia, W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000).

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
        return self._for_each(shape, alpha, _gamma).astype(alpha.dtype)

    def poisson(self, shape: Shape, rate: npt.ArrayLike, dtype: npt.DTypeLike) -> Array:
        """Numbers of the Poisson distribution: RandomPoisson and RandomPoissonV2.

        Rates below 10 by D. Knuth's product of uniforms, others by rejection: W. Hörmann, "The transformed rejection
        method for generating Poisson random variables", Insurance: Mathematics and Economics 12 (1993).

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
        return self._for_each(shape, rate, lambda here, rates: _poisson(here, rates, highest)).astype(dtype)

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


def _gamma(here: Philox, alpha: Array) -> Array:
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


def _poisson(here: Philox, rate: Array, highest: float) -> Array:
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


# ----------------------------------------------------------------------------------- normal numbers between bounds

_TRUNCATED_BATCH = 100
_TRUNCATED_TRIES = 1000
# With a bound this far on the other side of the mean, plain normal numbers are accepted often enough.
_PLAIN_NORMAL_FROM = 1.3


def _fill_truncated(
    here: Philox,
    out: Array,
    mean: np.floating[Any],
    stdev: np.floating[Any],
    minval: np.floating[Any],
    maxval: np.floating[Any],
) -> Philox:
    """Fills `out` with normal numbers between bounds and returns the place after the last block used.

    The rejection schemes for the tails: C. Robert, "Simulation of truncated normal variables", Statistics and
    Computing 5 (1995). All arithmetic is that of the output's type.
    """
    t = out.dtype.type
    if not (stdev > 0 and minval < maxval and (np.isfinite(minval) or np.isfinite(maxval))):
        raise InvalidArgumentError(None, None, "Invalid parameters")
    if maxval < mean or minval == -np.inf:
        # Mirrored, so that the bound nearer the mean, or the finite one, is the lower one.
        minval, maxval, stdev = maxval, minval, -stdev
    low, high = (minval - mean) / stdev, (maxval - mean) / stdev
    root = np.sqrt(low * low + t(4))
    cutoff = t(2) * np.exp(t(0.5) + low * (low - root) / t(4)) / (low + root)
    # A scheme reads blocks of numbers and makes, of so many in a row, an array of candidates.
    width = plain.outputs_per_block(out.dtype)
    make, stride, candidates = plain.uniform_from_words, 1, width
    if (low < -_PLAIN_NORMAL_FROM and high >= 0) or (high > _PLAIN_NORMAL_FROM and low <= 0):
        make = plain.normal_from_words

        def judge(x: Array) -> tuple[Array, Array]:
            return x, (x >= low) & (x <= high)

    elif high - low < cutoff:
        stride = 2
        peak = t(0) if low < 0 else low * low

        def judge(x: Array) -> tuple[Array, Array]:
            places, tries = x.reshape(-1, 2, width).transpose(1, 0, 2)
            z = places * (high - low) + low
            return z.reshape(-1), (tries <= np.exp((peak - z * z) / t(2))).reshape(-1)

    else:
        candidates = width // 2
        alpha = (low + root) / t(2)

        def judge(x: Array) -> tuple[Array, Array]:
            z = -np.log(x[0::2]) / alpha + low
            distance = alpha - z if low < alpha else low - alpha
            return z, (x[1::2] <= np.exp(-distance * distance / t(2))) & (z < high)

    filled = rejected = 0
    while filled < len(out):
        steps = -(-(len(out) - filled) // candidates)
        with np.errstate(divide="ignore", over="ignore"):
            z, accepted = judge(make(here.words(steps * stride), out.dtype))
        index = np.arange(len(z))
        run = index - np.maximum.accumulate(np.where(accepted, index, -1 - rejected))
        if make is plain.uniform_from_words:
            # After so many tries a number is taken as it is.
            accepted |= (run > 0) & (run % _TRUNCATED_TRIES == 0)
        elif (run > _TRUNCATED_TRIES).any():
            message = "TruncatedNormal randn rejection sampler exceeded maximum iterations"
            raise InvalidArgumentError(None, None, message)
        taken = np.flatnonzero(accepted)[: len(out) - filled]
        out[filled : filled + len(taken)] = z[taken] * stdev + mean
        filled += len(taken)
        rejected = int(run[-1])
        # What is left of the blocks that gave the last number is dropped.
        used = int(taken[-1]) // candidates + 1 if filled == len(out) else steps
        here = here.skip(used * stride)
    return here
