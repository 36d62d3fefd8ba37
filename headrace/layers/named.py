"""Initializers, regularizers, constraints and activations as layers accept them: objects, functions or names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.state import initializers

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.state.initializers import Initializer


_INITIALIZERS: dict[str, Callable[[], Any]] = {
    "zeros": initializers.Zeros,
    "ones": initializers.Ones,
    "constant": initializers.Constant,
    "uniform": lambda: initializers.RandomUniform(-0.05, 0.05),
    "random_uniform": lambda: initializers.RandomUniform(-0.05, 0.05),
    "normal": lambda: initializers.RandomNormal(0.0, 0.05),
    "random_normal": lambda: initializers.RandomNormal(0.0, 0.05),
    "truncated_normal": lambda: initializers.TruncatedNormal(0.0, 0.05),
    "identity": initializers.Identity,
    "orthogonal": initializers.Orthogonal,
    "glorot_uniform": initializers.GlorotUniform,
    "glorot_normal": initializers.GlorotNormal,
    "lecun_normal": initializers.lecun_normal,
    "lecun_uniform": initializers.lecun_uniform,
    "he_normal": initializers.he_normal,
    "he_uniform": initializers.he_uniform,
}

# Finders of the objects that other names and serialized settings stand for; an upper room adds its own.
finders: dict[str, list[Callable[[Any], Any]]] = {
    "initializer": [],
    "regularizer": [],
    "constraint": [],
    "activation": [],
}


def linear(x: TensorLike) -> Any:
    """The activation that changes nothing."""
    return x


def _activation(kind: str) -> Callable[[Any], Any]:
    def activation(x: Tensor) -> Tensor:
        return getattr(raw, kind)(x)

    activation.__name__ = kind.lower()
    return activation


_ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "linear": linear,
    **{
        kind.lower(): _activation(kind)
        for kind in ("Relu", "Sigmoid", "Tanh", "Softplus", "Softsign", "Elu", "Selu", "Exp")
    },
    "softmax": _activation("Softmax"),
}


def _found(kind: str, identifier: object) -> Any:
    for find in finders[kind]:
        found = find(identifier)
        if found is not None:
            return found
    if kind == "activation":
        if isinstance(identifier, (str, dict)):
            raise ValueError(f"Unknown activation function: {identifier}")
        raise TypeError(f"Could not interpret activation function identifier: {identifier!r}")
    raise ValueError(f"Could not interpret {kind} identifier: {identifier}")


def get_initializer(identifier: object) -> Any:
    """The initializer an argument stands for: None, a function, an object, its settings, or a name such as "glorot_uniform"."""
    if identifier is None or callable(identifier):
        return identifier() if isinstance(identifier, type) else identifier
    if isinstance(identifier, str):
        if identifier in _INITIALIZERS:
            return _INITIALIZERS[identifier]()
        by_class = getattr(initializers, identifier, None)
        if isinstance(by_class, type):
            return by_class()
    if isinstance(identifier, dict) and {"class_name", "config"} <= identifier.keys():
        by_class = getattr(initializers, str(identifier["class_name"]), None)
        if isinstance(by_class, type):
            return by_class(**identifier["config"])
    return _found("initializer", identifier)


def get_activation(identifier: object) -> Callable[..., Any]:
    """The activation an argument stands for: None (linear), a function, or a name such as "relu"."""
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    if isinstance(identifier, str) and identifier in _ACTIVATIONS:
        return _ACTIVATIONS[identifier]
    return _found("activation", identifier)


def get_regularizer(identifier: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """The regularizer an argument stands for: None or a function of a variable."""
    return identifier if identifier is None or callable(identifier) else _found("regularizer", identifier)


def get_constraint(identifier: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """The constraint an argument stands for: None or a function of a variable."""
    return identifier if identifier is None or callable(identifier) else _found("constraint", identifier)


def setting(value: Callable[..., Any] | Initializer | None) -> Any:
    """What stands for an initializer, a function and the like in the settings of a layer."""
    if value is None:
        return None
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", value)


def settings(layer: Any, attributes: str) -> dict[str, Any]:
    """What stands for these attributes of a layer in its settings."""
    return {attribute: setting(getattr(layer, attribute)) for attribute in attributes.split()}
