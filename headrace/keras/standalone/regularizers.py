"""`keras.regularizers` as Keras 1 had them besides."""

from __future__ import annotations

from typing import Any

from headrace.keras.regularizers import L1L2


def l1l2(l1: float = 0.01, l2: float = 0.01) -> L1L2:
    """The penalty l1 * sum(|w|) + l2 * sum(w**2)."""
    return L1L2(l1=l1, l2=l2)


WeightRegularizer = ActivityRegularizer = L1L2


def activity_l1(l: float = 0.01) -> Any:  # noqa: E741  (its name in Keras 1)
    """The penalty l * sum(|x|) of a layer's outputs."""
    return L1L2(l1=l)


def activity_l2(l: float = 0.01) -> Any:  # noqa: E741  (its name in Keras 1)
    """The penalty l * sum(x**2) of a layer's outputs."""
    return L1L2(l2=l)


def activity_l1l2(l1: float = 0.01, l2: float = 0.01) -> Any:
    """The penalty l1 * sum(|x|) + l2 * sum(x**2) of a layer's outputs."""
    return L1L2(l1=l1, l2=l2)
