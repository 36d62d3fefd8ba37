"""The tests that trees of `tf.contrib.tensor_forest` send examples to the left by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.messages import forest_protos

# As in `InequalityTest.Type`; the last one is that of columns whose values only are the same or not.
LESS_OR_EQUAL, LESS_THAN, GREATER_OR_EQUAL, GREATER_THAN, MATCHES = range(5)
_COMPARE: dict[int, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    LESS_OR_EQUAL: np.less_equal,
    LESS_THAN: np.less,
    GREATER_OR_EQUAL: np.greater_equal,
    GREATER_THAN: np.greater,
    MATCHES: np.equal,
}
_MATCHING_TYPE = "type.googleapis.com/tensorflow.decision_trees.MatchingValuesTest"


def goes_left(values: np.ndarray, thresholds: np.ndarray, tests: np.ndarray, strict: bool | None) -> np.ndarray:
    """Whether values go to the left.

    Args:
        values: the values.
        thresholds: what they are compared with.
        tests: the test of each.
        strict: whether all tests are `LESS_THAN` (True) or `LESS_OR_EQUAL` (False); None where they are not the same.
    """
    if strict is not None:
        return np.asarray(values < thresholds if strict else values <= thresholds)
    found = np.zeros(values.shape, bool)
    for test, compare in _COMPARE.items():
        is_this = tests == test
        if is_this.any():
            found |= is_this & compare(values, thresholds)
    return found


def fill_test(split: forest_protos.BinaryNode, feature: int, threshold: float, test: int) -> None:
    """Writes a test into a message.

    Args:
        split: the message.
        feature: the column.
        threshold: what its value is compared with.
        test: how.
    """
    if test == MATCHES:
        matching = forest_protos.MatchingValuesTest()
        matching.feature_id.id.value = str(feature)
        matching.value.add(float_value=threshold)
        split.custom_left_child_test.type_url = _MATCHING_TYPE
        split.custom_left_child_test.value = matching.SerializeToString()
        return
    inequality = split.inequality_left_child_test
    inequality.feature_id.id.value = str(feature)
    inequality.threshold.float_value = threshold
    inequality.type = test


def read_test(split: forest_protos.BinaryNode) -> tuple[int, float, int]:
    """The column, what its value is compared with, and how.

    Args:
        split: a message that `fill_test` has written, or 1.15.

    Raises:
        InvalidArgumentError: if the test is one that neither makes.
        NotImplementedError: for sums of columns, and for tests for several values or for none of them.
    """
    if split.HasField("inequality_left_child_test"):
        inequality = split.inequality_left_child_test
        if inequality.HasField("oblique"):
            raise NotImplementedError(
                "Splits by sums of columns are not supported: use splits by a column (feature_id)."
            )
        return int(inequality.feature_id.id.value), inequality.threshold.float_value, inequality.type
    custom = split.custom_left_child_test
    if custom.type_url != _MATCHING_TYPE:
        raise InvalidArgumentError(
            None, None, f"Unknown test of a split: expected an inequality, got {custom.type_url!r}"
        )
    matching = forest_protos.MatchingValuesTest.FromString(custom.value)
    if matching.inverse or len(matching.value) != 1:
        raise NotImplementedError("Splits by several values, or by none of them, are not supported: use one value.")
    return int(matching.feature_id.id.value), matching.value[0].float_value, MATCHES
