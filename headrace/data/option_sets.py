"""Sets of named settings, each of a type; what is not set has a default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class OptionsBase:
    """A set of settings: a class whose attributes are made by `create_option`.

    Example:
        >>> class Reading(OptionsBase):
        ...     threads = create_option("threads", int, "How many threads read.", lambda: 1)
    """

    _options: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_options", {})

    def __setattr__(self, name: str, value: int | str | OptionsBase) -> None:
        if not hasattr(self, name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        names = set(self._options) | set(other._options)
        return all(getattr(self, name) == getattr(other, name) for name in names)

    __hash__ = None  # type: ignore[assignment]  # options change


def _nothing() -> None:
    return None


def create_option(name: str, ty: type, docstring: str, default_factory: Callable[[], Any] = _nothing) -> Any:
    """A setting, for the body of a class.

    Args:
        name: of the attribute that it is assigned to.
        ty: the type of its values, or several.
        docstring: what it says.
        default_factory: makes the value of sets in which it has not been set.

    Raises (when it is set):
        TypeError: for a value of another type.
    """

    def read(options: OptionsBase) -> Any:
        if name not in options._options:
            options._options[name] = default_factory()
        return options._options[name]

    def write(options: OptionsBase, value: int | str | OptionsBase) -> None:
        if not isinstance(value, ty):
            raise TypeError(f'Property "{name}" must be of type {ty}, got: {value!r} (type: {type(value)!r})')
        options._options[name] = value

    return property(read, write, None, docstring)


def merge_options(*options_list: Any) -> Any:
    """A set with all that is set in sets of one type.

    Raises:
        ValueError: without sets, or if two of them have set something to different values.
        TypeError: if they are no sets of one type.
    """
    if not options_list:
        raise ValueError("At least one options should be provided")
    kind = type(options_list[0])
    for options in options_list:
        if not isinstance(options, kind):
            raise TypeError(f"Incompatible options type: {type(options)!r} vs {kind!r}")
    if not isinstance(options_list[0], OptionsBase):
        raise TypeError("The inputs should inherit from `OptionsBase`")
    result, defaults = kind(), kind()
    for options in options_list:
        for name in options._options:
            mine, theirs, preset = getattr(result, name), getattr(options, name), getattr(defaults, name)
            if theirs == preset:
                continue
            if mine == preset:
                setattr(result, name, theirs)
            elif isinstance(mine, OptionsBase):
                setattr(result, name, merge_options(mine, theirs))
            elif mine != theirs:
                raise ValueError(f"Cannot merge incompatible values ({mine!r} and {theirs!r}) of option: {name}")
    return result
