"""Optimizers by name, instance or function."""

from __future__ import annotations

from typing import Any

from headrace.keras.optimizers import adagrad as keras_adagrad
from headrace.keras.optimizers import adam as keras_adam
from headrace.keras.optimizers import ftrl as keras_ftrl
from headrace.keras.optimizers import gradient_descent as keras_descent
from headrace.keras.optimizers import rmsprop as keras_rmsprop
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.optimizers.adagrad import AdagradOptimizer, FtrlOptimizer
from headrace.optimizers.adam import AdamOptimizer
from headrace.optimizers.descent import GradientDescentOptimizer
from headrace.optimizers.optimizer import Optimizer
from headrace.optimizers.rmsprop import RMSPropOptimizer

_BY_NAME: dict[str, type[Any]] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
_KERAS_BY_NAME: dict[str, type[Any]] = {
    "Adagrad": keras_adagrad.Adagrad,
    "Adam": keras_adam.Adam,
    "Ftrl": keras_ftrl.Ftrl,
    "RMSProp": keras_rmsprop.RMSprop,
    "SGD": keras_descent.SGD,
}


def _named(name: str, known: dict[str, type[Any]], learning_rate: float | None) -> Any:
    if name not in known:
        raise ValueError(f"Unsupported optimizer name: {name}. Supported names are: {tuple(sorted(known))}")
    if learning_rate is None:
        if known is _BY_NAME:
            raise ValueError("learning_rate must be specified when opt is string.")
        return known[name]()
    return known[name](learning_rate=learning_rate)


def get_optimizer_instance(optimizer: Any, learning_rate: float | None = None) -> Any:
    """The optimizer that is meant: by its name, by a function without arguments, or itself.

    Args:
        optimizer: "Adagrad", "Adam", "Ftrl", "RMSProp", "SGD"; a function; or a `tf.train.Optimizer`.
        learning_rate: for one that is named.

    Raises:
        ValueError: for another name, a name without a learning rate, or something that is no optimizer.
    """
    if isinstance(optimizer, str):
        return _named(optimizer, _BY_NAME, learning_rate)
    if callable(optimizer):
        optimizer = optimizer()
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"The given object is not an Optimizer instance. Given: {optimizer}")
    return optimizer


def get_optimizer_instance_v2(optimizer: Any, learning_rate: float | None = None) -> Any:
    """As `get_optimizer_instance`, for optimizers of Keras.

    Args:
        optimizer: a name, a function, or a `tf.keras.optimizers.Optimizer`.
        learning_rate: for one that is named.

    Raises:
        ValueError: for another name, or something that is no optimizer of Keras.
    """
    if isinstance(optimizer, str):
        return _named(optimizer, _KERAS_BY_NAME, learning_rate)
    if callable(optimizer):
        optimizer = optimizer()
    if not isinstance(optimizer, OptimizerV2):
        raise ValueError(f"The given object is not a tf.keras.optimizers.Optimizer instance. Given: {optimizer}")
    return optimizer
