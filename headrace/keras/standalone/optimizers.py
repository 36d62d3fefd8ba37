"""`keras.optimizers`: the defaults of Keras 2.3, and its names in small letters."""

from __future__ import annotations

from typing import Any

from headrace.keras.optimizers import gradient_descent, serialization
from headrace.keras.optimizers.adadelta import Adadelta as TfAdadelta
from headrace.keras.optimizers.adagrad import Adagrad as TfAdagrad
from headrace.keras.optimizers.adam import Adam as TfAdam
from headrace.keras.optimizers.adamax import Adamax as TfAdamax
from headrace.keras.optimizers.nadam import Nadam as TfNadam
from headrace.keras.optimizers.rmsprop import RMSprop as TfRMSprop
from headrace.keras.optimizers.update_lists import clip_norm as clip_norm
from headrace.keras.standalone.stand_in import stand_in

_DEFAULTS: dict[str, dict[str, object]] = {
    "Adadelta": {"learning_rate": 1.0},
    "Adagrad": {"learning_rate": 0.01, "initial_accumulator_value": 0.0},
    "Adam": {},
    "Adamax": {"learning_rate": 0.002},
    "Nadam": {"learning_rate": 0.002},
    "RMSprop": {},
    "SGD": {},
}
_CLASSES: dict[str, type] = {
    "Adadelta": TfAdadelta,
    "Adagrad": TfAdagrad,
    "Adam": TfAdam,
    "Adamax": TfAdamax,
    "Nadam": TfNadam,
    "RMSprop": TfRMSprop,
    "SGD": gradient_descent.SGD,
}
_SMALL = {name.lower(): name for name in _DEFAULTS}


def __getattr__(name: str) -> Any:
    """An optimizer, made when it is first asked for."""
    public = _SMALL.get(name, name)
    if public not in _DEFAULTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = _CLASSES[public]
    made = stand_in(base, defaults=_DEFAULTS[public], module="keras.optimizers") if _DEFAULTS[public] else base
    globals()[public] = globals()[name] = made
    return made


def __dir__() -> list[str]:
    return sorted({*_DEFAULTS, *_SMALL, "get"})


def get(identifier: Any) -> Any:
    """The optimizer of a name or a configuration; optimizers are given back.

    Args:
        identifier: a name, a dictionary of `serialize`, or an optimizer.
    """
    if isinstance(identifier, str) and identifier.lower() in _SMALL:
        return __getattr__(_SMALL[identifier.lower()])()
    return serialization.get(identifier)


def optimizer_from_config(config: dict[str, Any], custom_objects: dict[str, Any] | None = None) -> Any:
    """The optimizer of a configuration; `deserialize` is its name today.

    Args:
        config: a dictionary of `class_name` and `config`.
        custom_objects: classes of the program's own, by name.
    """
    return serialization.deserialize(config, custom_objects=custom_objects)
