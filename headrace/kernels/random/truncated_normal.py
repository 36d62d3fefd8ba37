"""Normal numbers between bounds that tensors give."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.kernels.random import philox as plain
from headrace.kernels.random.philox import Array, Philox

# Numbers with the same bounds are drawn in batches of so many.
SHARED_BATCH = 100
# After so many tries one after the other a scheme stops.
MAX_TRIES = 1000
# With a bound this far on the other side of the mean, plain normal numbers are accepted often enough.
_PLAIN_NORMAL_FROM = 1.3


def _by_float(function: np.ufunc, x: Any) -> Any:
    """A function of halves as of floats, which is TensorFlow's; some processors have another of their own."""
    return function(x.astype(np.float32)).astype(np.float16) if x.dtype == np.float16 else function(x)


def fill_truncated(
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
    cutoff = t(2) * _by_float(np.exp, t(0.5) + low * (low - root) / t(4)) / (low + root)
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
            return z.reshape(-1), (tries <= _by_float(np.exp, (peak - z * z) / t(2))).reshape(-1)

    else:
        candidates = width // 2
        alpha = (low + root) / t(2)

        def judge(x: Array) -> tuple[Array, Array]:
            z = -_by_float(np.log, x[0::2]) / alpha + low
            distance = alpha - z if low < alpha else low - alpha
            return z, (x[1::2] <= _by_float(np.exp, -distance * distance / t(2))) & (z < high)

    filled = rejected = 0
    while filled < len(out):
        steps = -(-(len(out) - filled) // candidates)
        with np.errstate(divide="ignore", over="ignore"):
            z, accepted = judge(make(here.words(steps * stride), out.dtype))
        index = np.arange(len(z))
        run = index - np.maximum.accumulate(np.where(accepted, index, -1 - rejected))
        if make is plain.uniform_from_words:
            # After so many tries a number is taken as it is.
            accepted |= (run > 0) & (run % MAX_TRIES == 0)
        elif (run > MAX_TRIES).any():
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
