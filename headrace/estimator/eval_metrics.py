"""The metrics of an evaluation: those of the model function, and the mean of its loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.estimator.model_fn import LOSS_METRIC_KEY, EstimatorSpec, value_and_update
from headrace.metrics.means import mean
from headrace.ops.flow.grouping import group

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.state.variables import Variable


def metrics_of(spec: EstimatorSpec) -> dict[str, Any]:
    """The metrics of a model function, and the mean of its loss."""
    if LOSS_METRIC_KEY in spec.eval_metric_ops:
        raise ValueError(
            f'Metric with name "{LOSS_METRIC_KEY}" is not allowed, because Estimator already defines a default metric '
            "with the same name."
        )
    assert spec.loss is not None  # that of a spec for evaluation is not
    return {**spec.eval_metric_ops, LOSS_METRIC_KEY: mean(spec.loss)}


def update_and_values(metrics: Mapping[str, Any], global_step: Variable) -> tuple[Operation, dict[str, Any]]:
    """The operation that updates all metrics, and their values by name with the global step."""
    pairs = {name: value_and_update(metric) for name, metric in sorted(metrics.items())}
    if GraphKeys.GLOBAL_STEP in pairs:
        raise ValueError(
            "Metric with name `global_step` is not allowed, because Estimator already defines a default metric with the "
            "same name."
        )
    values = {name: value for name, (value, _) in pairs.items()}
    return group(*(update for _, update in pairs.values())), {**values, GraphKeys.GLOBAL_STEP: global_step}
