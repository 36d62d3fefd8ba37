"""What leaves sum up of their examples: the weights of classes, or numbers and their squares; and their messages."""

from __future__ import annotations

import numpy as np

from headrace.messages import forest_protos


def moments(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight, the values and their squares, of each example.

    Args:
        labels: of shape [examples, outputs].
        weights: a weight for each.
    """
    weighted = labels * weights[:, None]
    return np.concatenate((weights[:, None], weighted, weighted * labels), 1).astype(np.float32)


def variances(left: np.ndarray, right: np.ndarray, outputs: int) -> np.ndarray:
    """The variances of both sides of candidates, added up one output after the other.

    Args:
        left: the sums of moments on the left sides, of shape [candidates, moments].
        right: those on the right sides.
        outputs: how many numbers an example has.
    """
    found = np.zeros(len(left), np.float32)
    with np.errstate(divide="ignore", invalid="ignore"):
        for output in range(1, 1 + outputs):
            for side in (left, right):
                mean = side[:, output] / side[:, 0]
                found = found + (side[:, output + outputs] / side[:, 0] - mean * mean)
    return found


def fill_sums(
    message: forest_protos.LeafStat, sums: np.ndarray, is_regression: bool, seen: np.ndarray | None = None
) -> None:
    """Writes sums into a message.

    Args:
        message: the message.
        sums: the weights of classes, or sums of moments.
        is_regression: whether they are moments.
        seen: the classes that are written, where not all are.
    """
    if is_regression:
        message.weight_sum = float(sums[0])
        outputs = len(sums) // 2
        for value in sums[1 : 1 + outputs].tolist():
            message.regression.mean_output.value.add(float_value=value)
        for value in sums[1 + outputs :].tolist():
            message.regression.mean_output_squares.value.add(float_value=value)
    elif seen is None:
        for value in sums.tolist():
            message.classification.dense_counts.value.add(float_value=value)
    else:
        counts = message.classification.sparse_counts
        counts.SetInParent()
        for label in np.flatnonzero(seen).tolist():
            counts.sparse_value[label].float_value = float(sums[label])


def read_sums(message: forest_protos.LeafStat, width: int, is_regression: bool) -> np.ndarray:
    """What `fill_sums` has written.

    Args:
        message: the message.
        width: how many sums there are.
        is_regression: whether they are moments.
    """
    sums = np.zeros(width, np.float32)
    if is_regression:
        regression = message.regression
        values = [message.weight_sum, *(value.float_value for value in regression.mean_output.value)]
        values += [value.float_value for value in regression.mean_output_squares.value]
    else:
        values = [value.float_value for value in message.classification.dense_counts.value]
        for label, value in message.classification.sparse_counts.sparse_value.items():
            sums[label] = value.float_value
    sums[: len(values)] = values
    return sums
