"""Metrics of curves: the area under one, and one rate where another has a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.functions.math.reduction import reduce_sum
from headrace.keras.backend_config import epsilon
from headrace.keras.metrics.confusion import ALL_COUNTS, CountingMetric
from headrace.keras.utils.metrics_utils import AUCCurve, AUCSummationMethod
from headrace.metrics.curves import interpolated_area
from headrace.ops.math.cast import cast
from headrace.ops.math.division import div_no_nan

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


def _between(number: int) -> list[float]:
    """The thresholds between 0 and 1 that make with these `number` at even distances."""
    return [(i + 1) * 1.0 / (number - 1) for i in range(number - 2)]


class _FourCounts(CountingMetric):
    """All counts at all thresholds."""

    true_positives: Any
    true_negatives: Any
    false_positives: Any
    false_negatives: Any


class SensitivitySpecificityBase(_FourCounts):
    """One of two rates at the threshold where the other is nearest to a value.

    Args:
        value: that value.
        num_thresholds: how many thresholds, evenly from 0 to 1.
        name, dtype: as in `Metric`.

    Raises:
        ValueError: if there are to be none.
    """

    def __init__(
        self, value: float, num_thresholds: int = 200, name: str | None = None, dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        if num_thresholds <= 0:
            raise ValueError("`num_thresholds` must be > 0.")
        self.value = value
        self.num_thresholds = num_thresholds
        self.thresholds = [0.5] if num_thresholds == 1 else [0.0, *_between(num_thresholds), 1.0]
        self._make_counts(ALL_COUNTS)

    def _nearest(self, rates: Tensor) -> Tensor:
        """The number of the threshold where a rate is nearest to the value."""
        return cast(raw.ArgMin(raw.Abs(rates - self.value), 0), "int32")


class SensitivityAtSpecificity(SensitivitySpecificityBase):
    """The share of positive labels whose predictions are positive, where a share of the negative ones are right.

    Args:
        specificity: that share of negative labels, from 0 to 1.
        num_thresholds: how many thresholds, evenly from 0 to 1.
        name, dtype: as in `Metric`.

    Raises:
        ValueError: if an argument is out of bounds.
    """

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if specificity < 0 or specificity > 1:
            raise ValueError("`specificity` must be in the range [0, 1].")
        self.specificity = specificity
        super().__init__(specificity, num_thresholds=num_thresholds, name=name, dtype=dtype)

    def result(self) -> Any:
        """The rate so far."""
        at = self._nearest(div_no_nan(self.true_negatives, self.true_negatives + self.false_positives))
        return div_no_nan(self.true_positives[at], self.true_positives[at] + self.false_negatives[at])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {**super().get_config(), "num_thresholds": self.num_thresholds, "specificity": self.specificity}


class SpecificityAtSensitivity(SensitivitySpecificityBase):
    """The share of negative labels whose predictions are negative, where a share of the positive ones are right.

    Args:
        sensitivity: that share of positive labels, from 0 to 1.
        num_thresholds: how many thresholds, evenly from 0 to 1.
        name, dtype: as in `Metric`.

    Raises:
        ValueError: if an argument is out of bounds.
    """

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:
        if sensitivity < 0 or sensitivity > 1:
            raise ValueError("`sensitivity` must be in the range [0, 1].")
        self.sensitivity = sensitivity
        super().__init__(sensitivity, num_thresholds=num_thresholds, name=name, dtype=dtype)

    def result(self) -> Any:
        """The rate so far."""
        at = self._nearest(div_no_nan(self.true_positives, self.true_positives + self.false_negatives))
        return div_no_nan(self.true_negatives[at], self.true_negatives[at] + self.false_positives[at])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {**super().get_config(), "num_thresholds": self.num_thresholds, "sensitivity": self.sensitivity}


class AUC(_FourCounts):
    """The area under a curve, approximated by its points at some thresholds.

    Davis and Goadrich, "The relationship between precision-recall and ROC curves", ICML 2006, for the interpolation of PR.

    Args:
        num_thresholds: how many thresholds, evenly from 0 to 1.
        curve: "ROC" or "PR".
        summation_method: "interpolation", "minoring" or "majoring".
        name, dtype: as in `Metric`.
        thresholds: the thresholds between 0 and 1 instead.

    Raises:
        ValueError: for another curve or method, or fewer than two thresholds.

    Example:
        >>> tf.keras.metrics.AUC(num_thresholds=3)([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: str | AUCCurve = "ROC",
        summation_method: str | AUCSummationMethod = "interpolation",
        name: str | None = None,
        dtype: DTypeLike | None = None,
        thresholds: Sequence[float] | None = None,
    ) -> None:
        if thresholds is None:
            if num_thresholds <= 1:
                raise ValueError("`num_thresholds` must be > 1.")
            between = _between(num_thresholds)
        else:
            between = sorted(thresholds)
        self.curve = curve if isinstance(curve, AUCCurve) else AUCCurve.from_str(curve)
        self.summation_method = (
            summation_method
            if isinstance(summation_method, AUCSummationMethod)
            else AUCSummationMethod.from_str(summation_method)
        )
        super().__init__(name=name, dtype=dtype)
        self.num_thresholds = len(between) + 2
        self.thresholds = [0.0 - epsilon(), *between, 1.0 + epsilon()]
        self._make_counts(ALL_COUNTS)

    def interpolate_pr_auc(self) -> Any:
        """The area under the PR curve, where the counts between two points are taken to change linearly."""
        counts = {
            "tp": self.true_positives,
            "fp": self.false_positives,
            "tn": self.true_negatives,
            "fn": self.false_negatives,
        }
        return interpolated_area(counts, self.num_thresholds - 1)

    def result(self) -> Any:
        """The area so far."""
        if self.curve is AUCCurve.PR and self.summation_method is AUCSummationMethod.INTERPOLATION:
            return self.interpolate_pr_auc()
        recall = div_no_nan(self.true_positives, self.true_positives + self.false_negatives)
        if self.curve is AUCCurve.ROC:
            x, y = div_no_nan(self.false_positives, self.false_positives + self.true_negatives), recall
        else:
            x, y = recall, div_no_nan(self.true_positives, self.true_positives + self.false_positives)
        last = self.num_thresholds - 1
        if self.summation_method is AUCSummationMethod.INTERPOLATION:
            heights = (y[:last] + y[1:]) / 2.0
        elif self.summation_method is AUCSummationMethod.MINORING:
            heights = raw.Minimum(y[:last], y[1:])
        else:
            heights = raw.Maximum(y[:last], y[1:])
        return reduce_sum(raw.Mul(x[:last] - x[1:], heights), name=self.name)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such metric with."""
        return {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve.value,
            "summation_method": self.summation_method.value,
            # Without the ends, which the constructor adds.
            "thresholds": self.thresholds[1:-1],
        }
