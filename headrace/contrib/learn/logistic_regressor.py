"""`LogisticRegressor`: an estimator of probabilities, with the metrics of two classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.target_columns import ProblemType, get_default_binary_metrics_for_eval
from headrace.contrib.learn.estimator import Estimator
from headrace.contrib.learn.metric_key import MetricKey
from headrace.contrib.learn.metric_spec import ModeKeys, PredictionKey
from headrace.contrib.learn.model_outputs import ModelFnOps
from headrace.metrics.legacy_names import streaming_auc
from headrace.metrics.means import mean
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.estimator.run_config import RunConfig

__all__ = ["LogisticRegressor"]


def _metrics(labels: Any, predictions: Any, thresholds: Sequence[float]) -> dict[str, Any]:
    """The metrics of probabilities."""
    labels = cast(labels, "float32")
    found: dict[str, Any] = {
        MetricKey.PREDICTION_MEAN: mean(predictions),
        MetricKey.LABEL_MEAN: mean(labels),
        MetricKey.ACCURACY_BASELINE: mean(labels),
        MetricKey.AUC: streaming_auc(predictions, labels),
    }
    by_name = get_default_binary_metrics_for_eval(thresholds)
    wanted = {
        key % threshold
        for threshold in thresholds
        for key in (MetricKey.ACCURACY_MEAN, MetricKey.PRECISION_MEAN, MetricKey.RECALL_MEAN)
    }
    found.update({name: metric(predictions, labels) for name, metric in by_name.items() if name in wanted})
    return found


def LogisticRegressor(  # TensorFlow's name
    model_fn: Callable[..., Any],
    thresholds: Sequence[float] | None = None,
    model_dir: str | None = None,
    config: RunConfig | None = None,
    feature_engineering_fn: Callable[..., Any] | None = None,
) -> Estimator:
    """An estimator of probabilities.

    Args:
        model_fn: as of `Estimator`; its predictions are probabilities, its labels 0 or 1.
        thresholds: probabilities at which to measure accuracy, precision and recall; 0.5 by default.
        model_dir: the folder of checkpoints and summaries.
        config: a `RunConfig`.
        feature_engineering_fn: of features and labels; returns others, which the model function gets.

    Returns:
        an `Estimator`.
    """

    def with_metrics(features: Any, labels: Any, mode: str) -> ModelFnOps:
        predictions, loss, train_op = model_fn(features, labels, mode)
        metrics = _metrics(labels, predictions, thresholds or (0.5,)) if mode == ModeKeys.EVAL else None
        outputs = {PredictionKey.PROBABILITIES: predictions}
        alternatives: Any = {None: (ProblemType.LOGISTIC_REGRESSION, outputs)}
        return ModelFnOps(mode, predictions, loss, train_op, metrics, alternatives)

    return Estimator(with_metrics, model_dir, config, None, feature_engineering_fn)
