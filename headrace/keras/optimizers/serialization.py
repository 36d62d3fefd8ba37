"""Optimizers as arguments and settings name them."""

from __future__ import annotations

from typing import Any

from headrace.keras.backend.sessions import track_tf_optimizer
from headrace.keras.optimizers.adadelta import Adadelta
from headrace.keras.optimizers.adagrad import Adagrad
from headrace.keras.optimizers.adam import Adam
from headrace.keras.optimizers.adamax import Adamax
from headrace.keras.optimizers.ftrl import Ftrl
from headrace.keras.optimizers.gradient_descent import SGD
from headrace.keras.optimizers.nadam import Nadam
from headrace.keras.optimizers.optimizer_v2 import OptimizerV2
from headrace.keras.optimizers.rmsprop import RMSprop
from headrace.keras.optimizers.update_lists import Optimizer, TFOptimizer
from headrace.keras.utils.generic_utils import deserialize_keras_object, serialize_keras_object
from headrace.optimizers.optimizer import Optimizer as TrainOptimizer

_CLASSES: dict[str, Any] = {
    "adadelta": Adadelta,
    "adagrad": Adagrad,
    "adam": Adam,
    "adamax": Adamax,
    "ftrl": Ftrl,
    "nadam": Nadam,
    "rmsprop": RMSprop,
    "sgd": SGD,
}


def serialize(optimizer: Any) -> Any:
    """What stands for an optimizer in settings: a dict of its class and settings."""
    return serialize_keras_object(optimizer)


def deserialize(config: Any, custom_objects: dict[str, Any] | None = None) -> Any:
    """The optimizer that a dict of settings describes.

    Args:
        config: what `serialize` gave.
        custom_objects: names of optimizers of one's own to these.

    Raises:
        ValueError: if there is no such optimizer.
        KeyError: if the dict names no class; TypeError: if it is none.
    """
    # Names of these classes may be written in any case.
    name = config["class_name"]
    if isinstance(name, str) and name.lower() in _CLASSES:
        config = {**config, "class_name": name.lower()}
    return deserialize_keras_object(
        config, module_objects=_CLASSES, custom_objects=custom_objects, printable_module_name="optimizer"
    )


def get(identifier: Any) -> Any:
    """The optimizer that an argument stands for: a name, a dict of settings, or an optimizer itself.

    Args:
        identifier: such a one; optimizers of `tf.train` get a shell that makes them one of Keras'.

    Raises:
        ValueError: for anything else.

    Example:
        >>> tf.keras.optimizers.get("adam")
    """
    if isinstance(identifier, (Optimizer, OptimizerV2)):
        return identifier
    if isinstance(identifier, TrainOptimizer):
        shell = TFOptimizer(identifier)
        track_tf_optimizer(shell)
        return shell
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({"class_name": identifier, "config": {}})
    raise ValueError("Could not interpret optimizer identifier:", identifier)
