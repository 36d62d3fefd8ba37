"""Estimators made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.estimator.estimator import Estimator
from headrace.estimator.mode_keys import ModeKeys
from headrace.estimator.model_fn import EstimatorSpec
from headrace.estimator.run_config import RunConfig
from headrace.util.inspection import fn_args

_TAKEN = {"features", "labels", "predictions", "config"}


def add_metrics(estimator: Estimator, metric_fn: Callable[..., Any]) -> Estimator:
    """An estimator with more metrics, in the place of those of the same name.

    Args:
        estimator: the model.
        metric_fn: of any of `features`, `labels`, `predictions` and `config`; it returns a dict from name to
            (value, update operation), or to a metric object of Keras.

    Raises:
        ValueError: if `metric_fn` takes other arguments.

    Example:
        >>> def more(labels, predictions):
        ...     return {"auc": tf.metrics.auc(labels, predictions["logistic"])}
        >>> estimator = tf.estimator.add_metrics(estimator, more)
    """
    taken = fn_args(metric_fn)
    others = set(taken) - _TAKEN - {"self"}
    if others:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {sorted(others)}")

    def new_model_fn(features: Any, labels: Any, mode: str, config: RunConfig) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        known = {"features": features, "labels": labels, "predictions": spec.predictions, "config": config}
        more = metric_fn(**{name: known[name] for name in taken if name in known}) or {}
        return EstimatorSpec(**{**spec._asdict(), "eval_metric_ops": {**(spec.eval_metric_ops or {}), **more}})

    return Estimator(
        model_fn=new_model_fn,
        model_dir=estimator.model_dir,
        config=estimator.config,
        warm_start_from=estimator._warm_start_settings,
    )
