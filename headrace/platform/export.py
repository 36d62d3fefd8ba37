"""1.x's `tf_export`: decorators that name the public spellings of a symbol, which tables do here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class api_export:
    """A decorator that notes on a symbol the public names it goes by, and changes nothing else.

    Args:
        *args: the public names in both versions.
        v1: the names in 1.x, where they differ.
        allow_multiple_exports: accepted as 1.x's own sources give it; one symbol may be named repeatedly here.

    Example:
        >>> @tf_export("math.double", v1=["math.double", "double"])
        ... def double(x): return x + x
        >>> double._tf_api_names_v1
        ('math.double', 'double')
    """

    _prefix = "tf"

    def __init__(self, *args: str, v1: Any = None, allow_multiple_exports: bool = True, **kwargs: Any) -> None:
        unknown = set(kwargs) - {"overrides", "api_name"}
        if unknown:
            raise TypeError(f"tf_export: unknown arguments {sorted(unknown)}")
        self._names = args
        self._names_v1 = tuple(args if v1 is None else v1)

    def __call__(self, func: T) -> T:
        """Notes the names on `func`."""
        setattr(func, f"_{self._prefix}_api_names", self._names)
        setattr(func, f"_{self._prefix}_api_names_v1", self._names_v1)
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Constants cannot carry notes; there is nothing to do."""


class estimator_export(api_export):
    """`api_export` for the names of estimators."""

    _prefix = "estimator"


class keras_export(api_export):
    """`api_export` for the names of Keras."""

    _prefix = "keras"


tf_export: Callable[..., api_export] = api_export


def get_v1_names(symbol: Any) -> list[str]:
    """The public names of 1.x noted on a symbol."""
    return [
        *getattr(symbol, "_tf_api_names_v1", ()),
        *getattr(symbol, "_estimator_api_names_v1", ()),
        *getattr(symbol, "_keras_api_names_v1", ()),
    ]


def get_canonical_name_for_symbol(symbol: Any, api_name: str = "tensorflow") -> str | None:
    """The first public name noted on a symbol, or None."""
    prefix = {"tensorflow": "tf"}.get(api_name, api_name)
    names = getattr(symbol, f"_{prefix}_api_names", ()) or getattr(symbol, f"_{prefix}_api_names_v1", ())
    return names[0] if names else None
