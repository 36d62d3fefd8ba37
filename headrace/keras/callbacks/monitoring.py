"""Which way a number in the logs gets better."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headrace.util import tf_logging

Comparison = Callable[[float, float], bool]


def comparison_of(callback: str, mode: str, monitor: str, *, fmeasure: bool = False) -> Comparison:
    """`np.greater` if more is better, else `np.less`.

    Args:
        callback: the name of the callback's class, for the warning.
        mode: "min", "max", or "auto" to go by the name. Any other gives a warning and is taken for "auto".
        monitor: the number's name.
        fmeasure: whether names that begin with "fmeasure" are of numbers of which more is better.
    """
    if mode not in ("auto", "min", "max"):
        tf_logging.warning("%s mode %s is unknown, fallback to auto mode.", callback, mode)
        mode = "auto"
    if mode == "auto":
        mode = "max" if "acc" in monitor or (fmeasure and monitor.startswith("fmeasure")) else "min"
    return np.greater if mode == "max" else np.less


def worst(comparison: Comparison) -> float:
    """The number that every other is better than."""
    return -np.inf if comparison is np.greater else np.inf
