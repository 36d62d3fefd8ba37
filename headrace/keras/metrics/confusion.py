"""Metrics of right and wrong predictions at one or several thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.functions.confusion import confusion_matrix
from headrace.functions.math.reduction import reduce_sum
from headrace.keras.backend.sessions import batch_set_value
from headrace.keras.metrics.base import Metric
from headrace.keras.utils.generic_utils import to_list
from headrace.keras.utils.metrics_utils import (
    NEG_INF,
    ConfusionMatrix,
    parse_init_thresholds,
    update_confusion_matrix_variables,
)
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div_no_nan

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike

    # Counts and the attributes that hold their variables.
    Counts = tuple[tuple[ConfusionMatrix, str], ...]


class CountingMetric(Metric):
    """A metric of counts at thresholds, a variable of one element a threshold for each."""

    thresholds: Any
    _counts: Counts
    top_k: int | None = None
    class_id: int | None = None

    def _make_counts(self, counts: Counts) -> None:
        """Makes a variable for each of some counts, which are attributes of these names."""
        self._counts = counts
        for _, name in counts:
            setattr(self, name, self.add_weight(name, shape=(len(self.thresholds),), initializer="zeros"))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch.

        Args:
            y_true: labels, cast to bool.
            y_pred: predictions from 0 to 1.
            sample_weight: what each counts.

        Returns:
            the operation that does so.
        """
        return update_confusion_matrix_variables(
            {key: getattr(self, name) for key, name in self._counts},
            y_true,
            y_pred,
            thresholds=self.thresholds,
            top_k=self.top_k,
            class_id=self.class_id,
            sample_weight=sample_weight,
        )

    def reset_states(self) -> None:
        """Sets its variables to 0."""
        number = len(to_list(self.thresholds))
        batch_set_value([(variable, np.zeros((number,))) for variable in self.variables])

    def _one_or_all(self, values: Any) -> Any:
        return values[0] if len(self.thresholds) == 1 else values


class _ConfusionMatrixConditionCount(CountingMetric):
    """One count at each threshold; its variable is `accumulator`."""

    def __init__(
        self,
        confusion_matrix_cond: ConfusionMatrix,
        thresholds: Any = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self._confusion_matrix_cond = confusion_matrix_cond
        self.init_thresholds = thresholds
        self.thresholds = parse_init_thresholds(thresholds, default_threshold=0.5)
        self._make_counts(((confusion_matrix_cond, "accumulator"),))

    def result(self) -> Any:
        """The count so far, of one threshold a scalar."""
        return self._one_or_all(convert_to_tensor(self.accumulator))  # type: ignore[attr-defined]  # set by _make_counts

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {**super().get_config(), "thresholds": self.init_thresholds}


class FalsePositives(_ConfusionMatrixConditionCount):
    """How many predictions are positive, though their labels are not.

    Args:
        thresholds: a number from 0 to 1 or several; 0.5 by default.
        name, dtype: as in `Metric`.
    """

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(ConfusionMatrix.FALSE_POSITIVES, thresholds=thresholds, name=name, dtype=dtype)


class FalseNegatives(_ConfusionMatrixConditionCount):
    """How many predictions are negative, though their labels are positive.

    Args:
        thresholds: a number from 0 to 1 or several; 0.5 by default.
        name, dtype: as in `Metric`.
    """

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(ConfusionMatrix.FALSE_NEGATIVES, thresholds=thresholds, name=name, dtype=dtype)


class TrueNegatives(_ConfusionMatrixConditionCount):
    """How many predictions are negative, as their labels are.

    Args:
        thresholds: a number from 0 to 1 or several; 0.5 by default.
        name, dtype: as in `Metric`.
    """

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(ConfusionMatrix.TRUE_NEGATIVES, thresholds=thresholds, name=name, dtype=dtype)


class TruePositives(_ConfusionMatrixConditionCount):
    """How many predictions are positive, as their labels are.

    Args:
        thresholds: a number from 0 to 1 or several; 0.5 by default.
        name, dtype: as in `Metric`.
    """

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(ConfusionMatrix.TRUE_POSITIVES, thresholds=thresholds, name=name, dtype=dtype)


class _Share(CountingMetric):
    """The share of true positives among two counts."""

    _COUNTS: Counts = ()

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        # Those that are among the largest are positive, however small.
        self.thresholds = parse_init_thresholds(thresholds, default_threshold=0.5 if top_k is None else NEG_INF)
        self._make_counts(self._COUNTS)

    def result(self) -> Any:
        """The share so far, of one threshold a scalar."""
        right, other = (getattr(self, name) for _, name in self._counts)
        return self._one_or_all(div_no_nan(right, right + other))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {
            **super().get_config(),
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }


class Precision(_Share):
    """The share of the positive predictions whose labels are positive.

    Args:
        thresholds: a number from 0 to 1 or several; by default 0.5, and with `top_k` below all.
        top_k: count only the so many largest predictions along the last dimension as positive.
        class_id: count only this place of the last dimension.
        name, dtype: as in `Metric`.

    Example:
        >>> tf.keras.metrics.Precision()([0, 1, 1, 1], [1, 0, 1, 1])
    """

    _COUNTS = ((ConfusionMatrix.TRUE_POSITIVES, "true_positives"), (ConfusionMatrix.FALSE_POSITIVES, "false_positives"))


class Recall(_Share):
    """The share of the positive labels whose predictions are positive.

    Args:
        thresholds: a number from 0 to 1 or several; by default 0.5, and with `top_k` below all.
        top_k: count only the so many largest predictions along the last dimension as positive.
        class_id: count only this place of the last dimension.
        name, dtype: as in `Metric`.

    Example:
        >>> tf.keras.metrics.Recall()([0, 1, 1, 1], [1, 0, 1, 1])
    """

    _COUNTS = ((ConfusionMatrix.TRUE_POSITIVES, "true_positives"), (ConfusionMatrix.FALSE_NEGATIVES, "false_negatives"))


ALL_COUNTS = (
    (ConfusionMatrix.TRUE_POSITIVES, "true_positives"),
    (ConfusionMatrix.TRUE_NEGATIVES, "true_negatives"),
    (ConfusionMatrix.FALSE_POSITIVES, "false_positives"),
    (ConfusionMatrix.FALSE_NEGATIVES, "false_negatives"),
)


class MeanIoU(Metric):
    """The mean over classes of the size of intersections over that of unions of labels and predictions.

    Args:
        num_classes: the number of classes.
        name, dtype: as in `Metric`.

    Example:
        >>> tf.keras.metrics.MeanIoU(num_classes=2)([0, 0, 1, 1], [0, 1, 0, 1])
    """

    def __init__(self, num_classes: int, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        # Double, so that large counts stay exact.
        self.total_cm = self.add_weight(
            "total_confusion_matrix", shape=(num_classes, num_classes), initializer="zeros", dtype="float64"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch of labels and predictions, numbers of classes, with a weight for each."""
        y_true, y_pred = cast(y_true, self._dtype), cast(y_pred, self._dtype)
        y_true, y_pred = _flat(y_true), _flat(y_pred)
        if sample_weight is not None:
            sample_weight = _flat(cast(sample_weight, self._dtype))
        counted = confusion_matrix(y_true, y_pred, self.num_classes, weights=sample_weight, dtype="float64")
        return self.total_cm.assign_add(counted)

    def result(self) -> Any:
        """The mean so far, over classes that labels or predictions have."""
        rows = cast(reduce_sum(self.total_cm, axis=0), self._dtype)
        columns = cast(reduce_sum(self.total_cm, axis=1), self._dtype)
        right = cast(raw.MatrixDiagPart(self.total_cm), self._dtype)
        union = rows + columns - right
        present = reduce_sum(cast(raw.NotEqual(union, 0), self._dtype))
        return div_no_nan(reduce_sum(div_no_nan(right, union), name="mean_iou"), present)

    def reset_states(self) -> None:
        """Sets its variable to 0."""
        batch_set_value([(self.total_cm, np.zeros((self.num_classes, self.num_classes)))])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {**super().get_config(), "num_classes": self.num_classes}


def _flat(tensor: Tensor) -> Tensor:
    return raw.Reshape(tensor, [-1]) if tensor.dims is None or len(tensor.dims) > 1 else tensor
