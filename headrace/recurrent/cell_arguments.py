"""What the cells share in reading their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import as_dims
from headrace.layers import named

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike


def activation_of(value: str | None) -> Callable[[Any], Any] | None:
    """An activation function by its name; a function stays itself, and what is empty is None.

    Raises:
        ValueError: for a name that is none.
        OperatorNotAllowedInGraphError: for a tensor, which does not say whether it is empty.
    """
    return named.get_activation(value) if value else None


def initializer_of(value: Any) -> Any:
    """An initializer by its name; an object stays itself, a class is called.

    Raises:
        ValueError: for a name that is none.
    """
    return named.get_initializer(value)


def depth_of(shape: ShapeLike) -> int:
    """The last size of an input's shape.

    Raises:
        ValueError: if it is not known.
    """
    dims = as_dims(shape)
    if dims is None or not dims or dims[-1] is None:
        raise ValueError(f"Expected inputs.shape[-1] to be known, saw shape: {shape}")
    return dims[-1]


def config_of(base: dict[str, Any], **arguments: Any) -> dict[str, Any]:
    """A configuration: functions by name, initializers with their own configuration."""
    return {**base, **{key: _described(value) for key, value in arguments.items()}}


def _described(value: Any) -> Any:
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", value) if callable(value) else value
