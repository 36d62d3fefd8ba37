"""The metrics of a model: from what `compile` is given to an object for each output, and their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.config import tf2
from headrace.core import nest
from headrace.keras import losses
from headrace.keras.engine.training_input_checks import check_keys
from headrace.keras.engine.training_losses import masked_weights
from headrace.keras.metrics.base import Metric
from headrace.keras.metrics.means import MeanMetricWrapper
from headrace.keras.metrics.serialization import get as get_metric

if TYPE_CHECKING:
    from headrace.core.typing import FunctionIdentifier, TensorLike

    # A metric, a function of targets and outputs, or the name of one.
    MetricLike = FunctionIdentifier | Metric
    # The metrics of an output, by name.
    NamedMetrics = dict[str, Metric]

# Whether names are kept as `compile` gets them in 1.x's behavior too, as in the stand-alone Keras 2.3.
names_in_full = False

_ACCURACY = ("accuracy", "acc")
_CROSSENTROPY = ("crossentropy", "ce")


def get_metric_name(metric: Any, weighted: bool = False) -> str:
    """The name of a metric in logs; in 1.x' behavior names that stand for several are shortened.

    Args:
        metric: a metric, a function or a name.
        weighted: whether it weighs samples, which names tell.
    """
    if tf2.enabled() or names_in_full:
        if isinstance(metric, str):
            return metric
        metric = get_metric(metric)
        return metric.name if hasattr(metric, "name") else metric.__name__
    prefix = "weighted_" if weighted else ""
    if isinstance(metric, str) and metric in _ACCURACY:
        return f"{prefix}acc"
    if isinstance(metric, str) and metric in _CROSSENTROPY:
        return f"{prefix}ce"
    metric = get_metric(metric)
    return prefix + (metric.name if hasattr(metric, "name") else metric.__name__)


def _kind(output_shape: Sequence[int | None], loss_fn: Any) -> str:
    """Whether an output says "binary", "sparse" classes or "categorical" ones."""
    inner = getattr(loss_fn, "fn", loss_fn)
    if output_shape[-1] == 1 or inner is losses.binary_crossentropy or isinstance(loss_fn, losses.BinaryCrossentropy):
        return "binary"
    if inner is losses.sparse_categorical_crossentropy or isinstance(loss_fn, losses.SparseCategoricalCrossentropy):
        return "sparse"
    return "categorical"


_FUNCTIONS = {
    "accuracy": {
        "binary": "binary_accuracy",
        "sparse": "sparse_categorical_accuracy",
        "categorical": "categorical_accuracy",
    },
    "crossentropy": {
        "binary": "binary_crossentropy",
        "sparse": "sparse_categorical_crossentropy",
        "categorical": "categorical_crossentropy",
    },
}


def get_metric_function(metric: Any, output_shape: Sequence[int | None] | None = None, loss_fn: Any = None) -> Any:
    """The function behind a metric; "accuracy" and "crossentropy" stand for the one that fits output and loss.

    Args:
        metric: a metric, a function or a name.
        output_shape: the shape of the output.
        loss_fn: the loss of the output.
    """
    if not isinstance(metric, str) or metric not in _ACCURACY + _CROSSENTROPY:
        return get_metric(metric)
    family = "accuracy" if metric in _ACCURACY else "crossentropy"
    return get_metric(_FUNCTIONS[family][_kind(output_shape or (None,), loss_fn)])


def _as_metric(metric: Any, output_shape: Any, loss_fn: Any, is_weighted: bool) -> tuple[str, Any]:
    """A metric as an object, with its name."""
    name = get_metric_name(metric, is_weighted)
    function = get_metric_function(metric, output_shape=output_shape, loss_fn=loss_fn)
    # Whether a metric of several values, as the mean of a tensor, comes from Keras or from the program.
    if isinstance(function, Metric):
        return name, function
    made = MeanMetricWrapper(function, name=name)
    return name, made


def collect_per_output_metric_info(
    metrics: Any,
    output_names: Sequence[str],
    output_shapes: Sequence[Any],
    loss_fns: Sequence[Any],
    is_weighted: bool = False,
) -> list[dict[str, Any]]:
    """The metrics of each output, by name.

    Args:
        metrics: a list for all outputs, a list of lists or a dict by outputs.
        output_names, output_shapes, loss_fns: of the outputs.
        is_weighted: whether they weigh samples.

    Raises:
        ValueError: if a list or dict does not fit the outputs; TypeError: if it is neither.
    """
    if not metrics:
        return [{} for _ in output_names]
    if isinstance(metrics, list):
        if any(isinstance(one, (list, tuple)) for one in metrics):
            if len(metrics) != len(output_names):
                raise ValueError(
                    "When passing a list of lists as `metrics`, it should have one entry per model output. The model has "
                    f"{len(output_names)} outputs, but you passed metrics={metrics}"
                )
            nested = [list(one) if isinstance(one, (list, tuple)) else [one] for one in metrics]
        elif len(output_names) > 1:
            # Each output gets objects of its own.
            nested = [[_copy_of(one) for one in metrics] for _ in output_names]
        else:
            nested = [list(metrics)]
    elif isinstance(metrics, Mapping):
        check_keys(metrics, output_names, "metrics")
        nested = [_as_list(metrics.get(name)) for name in output_names]
    else:
        raise TypeError(f"Type of `metrics` argument not understood. Expected a list or dictionary, found: {metrics}")
    return [
        dict(_as_metric(one, shape, loss, is_weighted) for one in of_output)
        for of_output, shape, loss in zip(nested, output_shapes, loss_fns)
    ]


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _copy_of(metric: Any) -> Any:
    if isinstance(metric, Metric):
        return type(metric).from_config(metric.get_config())
    return metric


def call_metric_function(
    metric_fn: Any, y_true: TensorLike | None, y_pred: Any = None, weights: Any = None, mask: Any = None
) -> Any:
    """Gives a metric a batch.

    Args:
        metric_fn: the metric.
        y_true, y_pred: the target and the output.
        weights: of the samples, or None.
        mask: of the output, or None.

    Returns:
        its value after the batch.
    """
    weights = masked_weights(y_pred if y_pred is not None else y_true, mask, weights)
    if y_pred is None:
        return metric_fn(y_true, sample_weight=weights)
    return metric_fn(y_true, y_pred, sample_weight=weights)


def metrics_of_layers(layers: Sequence[Any]) -> list[Any]:
    """The metrics that layers have added, those of models among them included; what models compile is their own."""
    found: list[Any] = []
    for layer in layers:
        if hasattr(layer, "_compile_metric_functions"):
            found.extend(layer._metrics)
            found.extend(metrics_of_layers(layer.layers))
        else:
            found.extend(layer.metrics)
    return found


def unique_metrics(metrics: Sequence[Any]) -> list[Any]:
    """Each metric once, in order."""
    return list({id(metric): metric for metric in nest.flatten(metrics)}.values())
