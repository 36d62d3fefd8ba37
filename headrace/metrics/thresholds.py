"""How many predictions are true and false, positive and negative, at each of several thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core.attributes import check_attribute
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_greater_equal, assert_less_equal
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.weights import broadcast_weights
from headrace.kernels import composing
from headrace.metrics.local_variables import aligned, metric_variable
from headrace.state.updates import assign_add

# Short name of a count, the name of its variable, whether the label is positive, whether the prediction is.
_COUNTS = (
    ("tp", "true_positives", True, True),
    ("fn", "false_negatives", True, False),
    ("tn", "true_negatives", False, False),
    ("fp", "false_positives", False, True),
)


def spaced_thresholds(number: int, last: float = 1.0 + 1e-7) -> list[float]:
    """`number` thresholds evenly from 0 to 1, the first one below 0 and the last one at `last`."""
    inner = [(i + 1) * 1.0 / (number - 1) for i in range(number - 2)]
    return [0.0 - 1e-7, *inner, last]


def counts_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    includes: Sequence[str] | None = None,
    check: bool = True,
) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Variables that count right and wrong predictions at each threshold, and what adds a batch to them.

    Args:
        labels: tensor, cast to bool.
        predictions: numbers from 0 to 1 of that shape; those greater than a threshold are positive.
        thresholds: Python numbers.
        weights: what each prediction counts.
        includes: some of "tp", "fn", "tn", "fp"; all by default.
        check: whether predictions outside 0 to 1 are refused.

    Returns:
        (variables, updates), each a dict by those names.

    Raises:
        ValueError: for another name in `includes`, or if shapes do not fit.
        AttributeError: if predictions are checked and no tensor.
        InvalidArgumentError: when run, if a prediction is not from 0 to 1.
    """
    if includes is None:
        includes = [short for short, *_ in _COUNTS]
    for short in includes:
        if all(short != known for known, *_ in _COUNTS):
            raise ValueError(f"Invalid key: {short}.")
    if check:
        check_attribute("predictions", predictions, "dtype")
        message = "predictions must be in [0, 1]"
        predictions = convert_to_tensor(predictions) if not isinstance(predictions, Tensor) else predictions
        checks = [
            assert_greater_equal(predictions, composing.cast(0.0, predictions.dtype), message=message),
            assert_less_equal(predictions, composing.cast(1.0, predictions.dtype), message=message),
        ]
        with control_dependencies(checks):
            predictions = composing.cast(predictions, "float32")
            predictions, labels, weights = aligned(predictions, composing.cast(labels, "bool"), weights)
    else:
        predictions, labels, weights = aligned(predictions, labels, weights)
    number = len(thresholds)
    column = raw.Reshape(predictions, [-1, 1])
    row = raw.Reshape(composing.cast(labels, "bool"), [1, -1])
    size = None if column.dims is None else column.dims[0]
    length = composing.shape(column)[0] if size is None else size
    limits = raw.Tile(
        composing.expand_dims(convert_to_tensor(list(thresholds)), [1]), composing.stack([1, length]), name="Tile"
    )
    positive = raw.Greater(raw.Tile(composing.transpose(column), [number, 1]), limits)
    predicted = {True: positive}
    if {"fn", "tn"} & set(includes):
        predicted[False] = raw.LogicalNot(positive)
    labelled = {True: raw.Tile(row, [number, 1])}
    if {"fp", "tn"} & set(includes):
        labelled[False] = raw.LogicalNot(labelled[True])
    if weights is not None:
        weights = broadcast_weights(composing.cast(weights, "float32"), predictions)
        weights = raw.Tile(raw.Reshape(weights, [1, -1]), [number, 1])
        limits.get_shape().assert_is_compatible_with(weights.get_shape())
    variables, updates = {}, {}
    for short, name, label, prediction in _COUNTS:
        if short not in includes:
            continue
        variable = metric_variable([number], "float32", name=name)
        counted = composing.cast(raw.LogicalAnd(labelled[label], predicted[prediction]), "float32")
        if weights is not None:
            counted = counted * weights
        updates[short] = assign_add(variable, reduce_sum(counted, 1))
        variables[short] = variable
    return variables, updates
