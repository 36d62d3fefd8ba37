"""The search of connectionist temporal classification that the runner has, beside its programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

import headrace.native.program  # noqa: F401  it tells the runner what arrays are
from headrace.native.loading import runner, why_not

# Of each sequence, the labels of a path and its log probability, best first.
Paths = list[list[tuple[list[int], float]]]


def best_prefixes(scores: npt.NDArray[Any], times: Sequence[int], width: int, paths: int, merges: bool) -> Paths | None:
    """The likeliest label sequences.

    Args:
        scores: dense floats of shape (time, batch, classes), the last class blank.
        times: how many times of each sequence count.
        width: how many prefixes are kept.
        paths: how many of them are wanted.
        merges: whether equal labels that follow one another in the result are made one.

    Returns:
        for each sequence its paths; None where there is no runner, or where a score is no number.
    """
    if why_not():
        return None
    found: Paths | None = runner().ctc_beams(scores, times, width, paths, merges)
    return found
