"""1.x's `tf_export`: decorators that name the public spellings of a symbol, which tables do here."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from headrace.util.decorators import make_decorator, unwrap

T = TypeVar("T")


ESTIMATOR_API_NAME = "estimator"
KERAS_API_NAME = "keras"
TENSORFLOW_API_NAME = "tensorflow"
SUBPACKAGE_NAMESPACES = [ESTIMATOR_API_NAME]


class _Attributes(NamedTuple):
    """What the attributes are called that keep the names of a symbol, and of a module's constants."""

    names: str
    constants: str


_PREFIXES = {TENSORFLOW_API_NAME: "tf", ESTIMATOR_API_NAME: "estimator", KERAS_API_NAME: "keras"}
API_ATTRS = {api: _Attributes(f"_{p}_api_names", f"_{p}_api_constants") for api, p in _PREFIXES.items()}
API_ATTRS_V1 = {api: _Attributes(f"_{p}_api_names_v1", f"_{p}_api_constants_v1") for api, p in _PREFIXES.items()}


class SymbolAlreadyExposedError(Exception):
    """A symbol has public names already."""


class InvalidSymbolNameError(Exception):
    """A public name is outside or inside of a package it should not be."""


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

    _api = TENSORFLOW_API_NAME

    def __init__(
        self,
        *args: str,
        v1: Sequence[str] | None = None,
        overrides: Sequence[Any] = (),
        allow_multiple_exports: bool = True,
        api_name: str | None = None,
    ) -> None:
        self._api = api_name or self._api
        self._names = args
        self._names_v1 = tuple(args if v1 is None else v1)
        self._overrides = overrides
        for name in (*self._names, *self._names_v1):
            package = name.partition(".")[0]
            inside = package if package in SUBPACKAGE_NAMESPACES and "." in name else None
            if self._api in SUBPACKAGE_NAMESPACES and inside != self._api:
                raise InvalidSymbolNameError(f"{name} is not below {self._api}, whose name it is said to be")
            if self._api == TENSORFLOW_API_NAME and inside is not None:
                raise InvalidSymbolNameError(f"{name} is below {inside} and no name of {self._api}")

    def __call__(self, func: T) -> T:
        """Notes the names on `func`, and takes them from what it overrides.

        Raises:
            SymbolAlreadyExposedError: if it has names already.
        """
        for attributes, names in ((API_ATTRS, self._names), (API_ATTRS_V1, self._names_v1)):
            key = attributes[self._api].names
            for overridden in self._overrides:
                vars(unwrap(overridden)[1]).pop(key, None)
            _, symbol = unwrap(func)
            if key in vars(symbol):
                raise SymbolAlreadyExposedError(
                    f"Symbol {symbol.__name__} is already exposed as {getattr(symbol, key)}."
                )
            setattr(symbol, key, names)
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Notes the names of a constant on its module."""
        module = sys.modules[module_name]
        for attributes, names in ((API_ATTRS, self._names), (API_ATTRS_V1, self._names_v1)):
            kept = vars(module).setdefault(attributes[self._api].constants, [])
            kept.append((names, name))


class estimator_export(api_export):
    """`api_export` for the names of estimators."""

    _api = ESTIMATOR_API_NAME


class keras_export(api_export):
    """`api_export` for the names of Keras."""

    _api = KERAS_API_NAME


tf_export: Callable[..., api_export] = api_export


def _noted(symbol: Callable[..., Any], attributes: dict[str, _Attributes], field: str) -> list[Any]:
    return [item for api in _PREFIXES for item in getattr(symbol, getattr(attributes[api], field), ())]


def get_v1_names(symbol: Callable[..., Any]) -> list[str]:
    """The public names of 1.x noted on a symbol."""
    return _noted(symbol, API_ATTRS_V1, "names")


def get_v2_names(symbol: Callable[..., Any]) -> list[str]:
    """The public names of 2.x noted on a symbol."""
    return _noted(symbol, API_ATTRS, "names")


def get_v1_constants(module: Any) -> list[Any]:
    """The constants of a module that have public names in 1.x: pairs of the names and the constant's own."""
    return _noted(module, API_ATTRS_V1, "constants")


def get_v2_constants(module: Any) -> list[Any]:
    """The constants of a module that have public names in 2.x."""
    return _noted(module, API_ATTRS, "constants")


def get_canonical_name(api_names: Sequence[str], deprecated_api_names: Sequence[str]) -> str | None:
    """The first of some names that is not going away, or the first of all; None where there is none."""
    staying = [name for name in api_names if name not in deprecated_api_names]
    return next(iter([*staying, *api_names]), None)


def kwarg_only(f: Any) -> Any:
    """A function like `f` that must be called with keyword arguments."""

    @functools.wraps(f)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if args:
            names = inspect.getfullargspec(f).args
            raise TypeError(
                f"{f.__name__} only takes keyword args (possible keys: {names}). Please pass these args as kwargs."
            )
        return f(**kwargs)

    return make_decorator(f, wrapper)


def get_canonical_name_for_symbol(
    symbol: Callable[..., Any], api_name: str = TENSORFLOW_API_NAME, add_prefix_to_v1_names: bool = False
) -> str | None:
    """The first public name noted on a symbol that is not going away, or None.

    Args:
        symbol: a function or class.
        api_name: whose names.
        add_prefix_to_v1_names: whether a name that 1.x alone has begins with `compat.v1.`.
    """
    _, undecorated = unwrap(symbol)
    going = getattr(undecorated, "_tf_deprecated_api_names", ())
    names = vars(undecorated).get(API_ATTRS[api_name].names, ())
    if canonical := get_canonical_name(names, going):
        return canonical
    canonical = get_canonical_name(vars(undecorated).get(API_ATTRS_V1[api_name].names, ()), going)
    return f"compat.v1.{canonical}" if canonical and add_prefix_to_v1_names else canonical
