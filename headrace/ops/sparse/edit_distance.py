"""Levenshtein's distance of the sequences along the last axis of two sparse tensors."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.composite import SparseTensor, SparseTensorValue
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, rank_is
from headrace.kernels.host_values import to_array, to_tensor

if TYPE_CHECKING:
    import torch

# The sequences of one side, each with the place it belongs to.
Sequences = list[tuple[tuple[int, ...], list[Any]]]

edit_distance_op = (
    op(
        "EditDistance",
        "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, "
        "truth_values: T, truth_shape: int64, *, normalize=True -> output: float",
    )
    .on_host(
        "hypothesis_indices", "hypothesis_values", "hypothesis_shape", "truth_indices", "truth_values", "truth_shape",
        outputs=True,
    )
    .not_differentiable()
)  # fmt: skip


@edit_distance_op.shape
def edit_distance_shape(op):
    for place, rank in ((0, 2), (1, 1), (2, 1), (3, 2), (4, 1), (5, 1)):
        rank_is(op.inputs[place].dims, rank)
    sizes = [op.constant(place) for place in (2, 5)]
    if sizes[0] is None or sizes[1] is None:
        return [None]
    if len(sizes[0]) != len(sizes[1]):
        raise ValueError(
            f"Num elements of hypothesis_shape does not match truth_shape: {len(sizes[0])} vs. {len(sizes[1])}"
        )
    return [tuple(np.maximum(*sizes)[:-1].tolist())]


def _distance(one: list[Any], other: list[Any]) -> int:
    """The least number of insertions, deletions and substitutions that make `one` of `other`.

    A column of the table of distances is two numbers with a bit a row, for where it rises and falls: H. Hyyrö, "A
    bit-vector algorithm for computing Levenshtein and Damerau edit distances", Nordic Journal of Computing 10 (2003).
    """
    if not one:
        return len(other)
    places: dict[Any, int] = {}
    for i, item in enumerate(one):
        places[item] = places.get(item, 0) | 1 << i
    all_rows, last_row = (1 << len(one)) - 1, 1 << (len(one) - 1)
    rises, falls, distance = all_rows, 0, len(one)
    for item in other:
        equal = places.get(item, 0)
        # Where the diagonal does not rise; where the row rises and falls.
        level = (((equal & rises) + rises) ^ rises) | equal | falls
        row_rises = falls | (all_rows & ~(level | rises))
        row_falls = level & rises
        if row_rises & last_row:
            distance += 1
        elif row_falls & last_row:
            distance -= 1
        row_rises = row_rises << 1 | 1
        rises = (row_falls << 1 | ~(level | row_rises)) & all_rows
        falls = row_rises & level & all_rows
    return distance


def _sequences(name: str, indices: torch.Tensor, values: torch.Tensor, shape: np.ndarray) -> Sequences:
    """The sequences with the places they belong to, in the order of the indices: elements of one that follow each other."""
    indices, values = to_array(indices), to_array(values)
    if indices.ndim != 2 or values.ndim != 1 or len(indices) != len(values) or indices.shape[1] != len(shape):
        raise invalid(f"{name} is not a valid SparseTensor: its indices, values and shape do not fit together.")
    if len(indices) and ((indices < 0).any() or (indices >= shape).any()):
        raise invalid(f"{name} is not a valid SparseTensor: an index is out of bounds of {shape.tolist()}.")
    pairs = zip(map(tuple, indices[:, :-1].tolist()), values.tolist(), strict=True)
    return [
        (place, [value for _, value in group]) for place, group in itertools.groupby(pairs, key=operator.itemgetter(0))
    ]


def _side_by_side(
    hypotheses: Sequences, truths: Sequences
) -> Iterator[tuple[tuple[int, ...], list[Any], list[Any] | None]]:
    """The sequences of both sides by place, as two sorted lists are merged; those that are out of order find no partner."""
    i = j = 0
    while i < len(hypotheses) or j < len(truths):
        if j == len(truths) or (i < len(hypotheses) and hypotheses[i][0] < truths[j][0]):
            yield (*hypotheses[i], None)
            i += 1
        elif i == len(hypotheses) or truths[j][0] < hypotheses[i][0]:
            yield truths[j][0], [], truths[j][1]
            j += 1
        else:
            yield (*hypotheses[i], truths[j][1])
            i, j = i + 1, j + 1


@edit_distance_op.kernel
def edit_distance_kernel(node):
    normalize = node.attrs["normalize"]

    def distances(h_indices, h_values, h_shape, t_indices, t_values, t_shape):
        shapes = [to_array(shape) for shape in (h_shape, t_shape)]
        if len(shapes[0]) != len(shapes[1]):
            raise invalid(
                f"Expected hypothesis_shape and truth_shape to have the same rank, got {shapes[0].tolist()} and "
                f"{shapes[1].tolist()}"
            )
        if len(shapes[0]) < 2:
            raise invalid(f"Input SparseTensors must have rank at least 2, but truth_shape rank is: {len(shapes[1])}")
        hypotheses = _sequences("hypothesis", h_indices, h_values, shapes[0])
        truths = _sequences("truth", t_indices, t_values, shapes[1])
        output = np.zeros(np.maximum(shapes[0], shapes[1])[:-1], np.float32)
        for place, hypothesis, truth in _side_by_side(hypotheses, truths):
            if truth is None:
                # Nothing to normalize by.
                output[place] = math.inf if normalize else len(hypothesis)
                continue
            distance = _distance(hypothesis, truth)
            output[place] = distance / len(truth) if normalize else distance
        return to_tensor(output)

    return distances


_truth = (
    np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int64),
    np.array([1, 2, 3, 4], np.int32),
    np.array([2, 2], np.int64),
)
_guess = (
    np.array([[0, 0], [1, 0], [1, 1], [1, 2]], np.int64),
    np.array([1, 4, 3, 4], np.int32),
    np.array([2, 3], np.int64),
)
edit_distance_op.accepts(*_guess, *_truth).accepts(*_guess, *_truth, normalize=False)
edit_distance_op.rejects(*_guess, *_truth[:2], np.array([2, 2, 1], np.int64), error=ValueError)


def edit_distance(hypothesis: Any, truth: SparseTensor, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """Levenshtein's distance of sequences.

    Args:
        hypothesis: SparseTensor whose last axis are sequences.
        truth: SparseTensor of that type and rank.
        normalize: divide by the lengths of the true sequences.
        name: a name for the operation.

    Returns:
        a float32 tensor of the shape without the last axis; infinite where there is no truth to normalize by.

    Raises:
        TypeError: if one is no SparseTensor.
        InvalidArgumentError: when run, if the ranks differ.

    Example:
        >>> hypothesis = tf.SparseTensor([[0, 0], [0, 1]], [1, 2], [1, 2])
        >>> truth = tf.SparseTensor([[0, 0], [0, 1]], [1, 3], [1, 2])
        >>> sess.run(tf.edit_distance(hypothesis, truth))
        array([0.5], dtype=float32)
    """
    for argument, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(value, (SparseTensor, SparseTensorValue)):
            raise TypeError(f"{argument} must be a SparseTensor.")
    return raw.EditDistance(
        hypothesis.indices,
        hypothesis.values,
        hypothesis.dense_shape,
        truth.indices,
        truth.values,
        truth.dense_shape,
        normalize=normalize,
        name=name,
    )
