"""How well predictions fit, on arrays: the few scores of scikit-learn that programs may use without it."""

from __future__ import annotations

from typing import Any

import numpy as np


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """The share of predictions that are right.

    Args:
        y_true: the labels.
        y_pred: the predictions.

    Example:
        >>> accuracy_score([0, 1, 1, 0], [0, 1, 0, 0])
        0.75
    """
    return float(np.mean(np.equal(y_true, y_pred)))


def mean_squared_error(y_true: Any, y_pred: Any) -> float:
    """The mean of the squared differences.

    Args:
        y_true: the labels.
        y_pred: the predictions.

    Raises:
        ValueError: if the two have different shapes.

    Example:
        >>> mean_squared_error([1.0, 2.0], [1.0, 4.0])
        2.0
    """
    labels, predictions = np.squeeze(np.asarray(y_true)), np.squeeze(np.asarray(y_pred))
    if labels.shape != predictions.shape:
        raise ValueError(f"labels of shape {labels.shape} and predictions of shape {predictions.shape} differ")
    return float(np.mean(np.square(labels - predictions)))
