"""`keras.utils.np_utils` as Keras 1 had it besides: losses and a metric of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from headrace.core.typing import ArrayLike

# Probabilities are kept so far from 0 and 1.
_NEAR = 1e-15


def binary_logloss(p: ArrayLike, y: ArrayLike) -> float:
    """The mean log loss of probabilities.

    Args:
        p: the probabilities of 1.
        y: labels of 0 and 1.
    """
    chance, label = np.clip(np.asarray(p, float), _NEAR, 1 - _NEAR), np.asarray(y, float)
    return float(-np.mean(label * np.log(chance) + (1 - label) * np.log(1 - chance)))


def multiclass_logloss(P: ArrayLike, Y: ArrayLike) -> float:
    """The mean log loss of rows of probabilities.

    Args:
        P: a row of probabilities for each sample.
        Y: the classes.
    """
    rows, classes = np.asarray(P, float), np.asarray(Y).astype(int).reshape(-1)
    return float(np.mean([-np.log(row[label]) for row, label in zip(rows, classes)]))


def accuracy(p: ArrayLike, y: ArrayLike) -> float:
    """The share of predictions that are right."""
    return float(np.mean(np.asarray(p) == np.asarray(y)))
