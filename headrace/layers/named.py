"""Initializers, regularizers, constraints and activations as layers accept them: objects, functions or names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import slots

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.initializers import Initializer


def linear(x: TensorLike) -> Any:
    """The activation that changes nothing."""
    return x


def _is_object(identifier: object) -> bool:
    """Whether an argument is the object itself rather than what stands for one."""
    return callable(identifier) and not isinstance(identifier, (str, dict))


def get_initializer(identifier: object) -> Any:
    """The initializer an argument stands for: None, a function, an object, its settings, or a name such as "glorot_uniform"."""
    if isinstance(identifier, type):
        return identifier()
    return identifier if identifier is None or _is_object(identifier) else slots.named_initializer(identifier)


def get_activation(identifier: object) -> Callable[..., Any]:
    """The activation an argument stands for: None (linear), a function, or a name such as "relu"."""
    if identifier is None:
        return linear
    return identifier if callable(identifier) else slots.named_activation(identifier)


def get_regularizer(identifier: object) -> Any:
    """The regularizer an argument stands for: None, a function of a variable, its settings, or a name such as "l2"."""
    return identifier if identifier is None or _is_object(identifier) else slots.named_regularizer(identifier)


def get_constraint(identifier: object) -> Any:
    """The constraint an argument stands for: None, a function of a variable, its settings, or a name such as "non_neg"."""
    return identifier if identifier is None or _is_object(identifier) else slots.named_constraint(identifier)


def setting(value: Callable[..., Any] | Initializer | None) -> Any:
    """What stands for an initializer, a function and the like in the settings of a layer.

    Raises:
        ValueError: for a function that has neither settings nor a name.
    """
    if value is None:
        return None
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if callable(value) and not hasattr(value, "__name__"):
        raise ValueError("Cannot serialize", value)
    return getattr(value, "__name__", value)


def settings(layer: Any, attributes: str) -> dict[str, Any]:
    """What stands for these attributes of a layer in its settings."""
    return {attribute: setting(getattr(layer, attribute)) for attribute in attributes.split()}
