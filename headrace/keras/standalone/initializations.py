"""`keras.initializations`: the functions of Keras 1 that made variables of a shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headrace.keras import initializers
from headrace.keras.backend.variables import variable
from headrace.keras.standalone.initializers import _compute_fans

_NAMES = [
    "uniform",
    "normal",
    "lecun_uniform",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "orthogonal",
    "identity",
    "zero",
    "one",
]


def _maker(name: str) -> Callable[..., Any]:
    def make(shape: Sequence[int], name: str | None = None, dim_ordering: str = "tf", **settings: Any) -> Any:
        """A new variable.

        Args:
            shape: its shape.
            name: its name.
            dim_ordering: how kernels are laid out; only "tf" is.
            **settings: of the initializer, such as `scale`.
        """
        if dim_ordering != "tf":
            raise NotImplementedError(f"dim_ordering={dim_ordering!r}: kernels are laid out as TensorFlow's, 'tf'.")
        if "scale" in settings and kind in ("random_uniform", "random_normal"):
            scale = settings.pop("scale")
            settings |= {"minval": -scale, "maxval": scale} if kind == "random_uniform" else {"stddev": scale}
        initializer = initializers.get({"class_name": kind, "config": settings} if settings else kind)
        return variable(initializer(shape=tuple(shape)), name=name)

    kind = _SPELLED.get(name, name)
    make.__name__ = name
    return make


_SPELLED = {"zero": "zeros", "one": "ones", "uniform": "random_uniform", "normal": "random_normal"}
_MAKERS = {name: _maker(name) for name in _NAMES}


def get(identifier: Any, **kwargs: Any) -> Any:
    """The function of a name; functions are given back as they are."""
    if callable(identifier):
        return identifier
    if identifier not in _MAKERS:
        raise ValueError(f"Invalid initialization: {identifier!r}; one of {', '.join(_NAMES)}.")
    return _MAKERS[identifier]


def __getattr__(name: str) -> Any:
    if name not in _MAKERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _MAKERS[name]


def __dir__() -> list[str]:
    return sorted({*_MAKERS, "get"})


def get_fans(shape: Sequence[int], dim_ordering: str = "th") -> tuple[float, float]:
    """The numbers of inputs and outputs of a unit with weights of this shape.

    Args:
        shape: the shape of a matrix or kernel.
        dim_ordering: "tf", or "th" for kernels whose first axes are outputs and inputs.
    """
    if dim_ordering not in ("th", "tf"):
        raise ValueError(f"Invalid dim_ordering: {dim_ordering}")
    return _compute_fans(shape, "channels_first" if dim_ordering == "th" else "channels_last")
