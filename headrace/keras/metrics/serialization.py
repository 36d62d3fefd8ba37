"""Metrics as arguments and settings name them."""

from __future__ import annotations

import inspect
from typing import Any

from headrace.core import nest
from headrace.keras import loss_functions
from headrace.keras.metrics import accuracies, base, confusion, curves, loss_means, means
from headrace.keras.metrics.base import Metric
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object

_FUNCTIONS = (loss_functions.__name__, accuracies.__name__)


def _is_metric(name: str, value: object) -> bool:
    if inspect.isclass(value):
        return issubclass(value, Metric)
    return inspect.isfunction(value) and value.__module__ in _FUNCTIONS and not name.startswith("_")


# By name, and nothing else of the modules, since files of models hold such names; functions come before the classes of
# other spellings.
_BY_NAME: dict[str, Any] = {
    name: value
    for module in (loss_functions, base, means, accuracies, loss_means, confusion, curves)
    for name, value in vars(module).items()
    if _is_metric(name, value)
}


def serialize(metric: Any) -> Any:
    """What stands for a metric in settings: the name of a function, a dict of an object's class and settings."""
    return serialize_keras_object(metric)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The metric that a name or a dict of settings stands for.

    Args:
        config: what `serialize` gave.
        custom_objects: names of metrics of one's own to these.

    Raises:
        ValueError: if there is no such metric.
    """
    return deserialize_keras_object(
        config, module_objects=_BY_NAME, custom_objects=custom_objects, printable_module_name="metric function"
    )


def get(identifier: Any) -> Any:
    """The metric that an argument stands for: a name, a dict of settings, or a function or metric itself.

    Raises:
        ValueError: for anything else.

    Example:
        >>> tf.keras.metrics.get("mse")
    """
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize(str(identifier))
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret metric function identifier: {identifier}")


def clone_metric(metric: Any) -> Any:
    """Another metric like one; functions as they are."""
    return type(metric).from_config(metric.get_config()) if isinstance(metric, Metric) else metric


def clone_metrics(metrics: Any) -> Any:
    """Other metrics like those of a structure."""
    return nest.map_structure(clone_metric, metrics)
