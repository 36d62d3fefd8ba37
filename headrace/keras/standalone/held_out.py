"""What training is validated with, for callbacks: before TensorFlow 1.14 each had it as its `validation_data`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.keras.callbacks.base import Callback

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


def show_validation_data(model: Model, arguments: Mapping[str, Any]) -> None:
    """Gives the callbacks of a training the arrays that validate it, as their attribute `validation_data`.

    Args:
        model: the model, which knows the order of inputs and targets in dictionaries.
        arguments: what `fit` or `fit_generator` was called with, by name.
    """
    callbacks = arguments.get("callbacks") or ()
    arrays = _held_out(model, arguments) if callbacks else None
    if arrays is not None:
        for callback in [callbacks] if isinstance(callbacks, Callback) else callbacks:
            callback.validation_data = arrays


def _held_out(model: Model, arguments: Mapping[str, Any]) -> list[Any] | None:
    """Inputs, targets and weights of samples one after the other; None where they are not arrays."""
    data, split = arguments.get("validation_data"), arguments.get("validation_split")
    if isinstance(data, (tuple, list)) and len(data) in (2, 3):
        x, y, weights = (*data, None)[:3]
        inputs, targets = _in_order(x, model.input_names), _in_order(y, model.output_names)
        rows = slice(None)
    elif split and arguments.get("x") is not None:
        inputs = _in_order(arguments["x"], model.input_names)
        targets, weights = _in_order(arguments.get("y"), model.output_names), arguments.get("sample_weight")
        rows = (
            slice(int(len(inputs[0]) * (1.0 - split)), None) if inputs and hasattr(inputs[0], "__len__") else slice(0)
        )
    else:
        return None
    if not all(isinstance(value, np.ndarray) for value in (*inputs, *targets)):
        return None
    held = [_in_columns(value[rows]) for value in (*inputs, *targets)]
    given = _in_order(weights, model.output_names) or [np.ones(len(value)) for value in targets]
    return [*held, *(np.asarray(value)[rows] if weights is not None else value[rows] for value in given)]


def _in_order(values: Any, names: Sequence[str]) -> list[Any]:
    if values is None:
        return []
    if isinstance(values, Mapping):
        return [values[name] for name in names if name in values]
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _in_columns(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """One number a sample as a column, which is how models take it."""
    return array[:, np.newaxis] if array.ndim == 1 else array
