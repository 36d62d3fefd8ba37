"""Variables, attributes and items, which may have no value yet."""

from __future__ import annotations

from collections.abc import MutableMapping, MutableSequence
from typing import TYPE_CHECKING, Any

from headrace.autograph.special import NoReturn_, Undefined

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def no_return() -> NoReturn_:
    """Stands for what a function returns, until it returns."""
    return NoReturn_()


def returned(value: object) -> Any:
    """What a function returns.

    Raises:
        UnboundLocalError: if it is a variable without a value.
    """
    if isinstance(value, NoReturn_):
        return None
    if isinstance(value, Undefined):
        value._refuse()
    return value


def attribute(owner: Any, name: str) -> Any:
    """An attribute, perhaps one that is not there yet."""
    return getattr(owner, name, None) if hasattr(owner, name) else Undefined(name)


def set_attribute(owner: Any, name: str, value: TensorLike) -> None:
    """Sets an attribute back to what it was, which may be that it was not there."""
    if not isinstance(value, Undefined):
        if getattr(owner, name, Undefined) is not value:
            setattr(owner, name, value)
    elif hasattr(owner, name):
        delattr(owner, name)


def item(owner: Any, key: Any) -> Any:
    """An item of a list or dict, perhaps one that is not there yet; None for what else may be written by a key."""
    if isinstance(owner, MutableMapping):
        return owner[key] if key in owner else Undefined(str(key))
    return owner[key] if _is_place(owner, key) else None


def set_item(owner: Any, key: Any, value: TensorLike) -> None:
    """Sets an item of a list or dict back to what it was, which may be that it was not there."""
    if isinstance(owner, MutableMapping):
        if isinstance(value, Undefined):
            owner.pop(key, None)
        elif owner.get(key, Undefined) is not value:
            owner[key] = value
    elif _is_place(owner, key) and owner[key] is not value:
        owner[key] = value


def _is_place(owner: Any, key: Any) -> bool:
    return isinstance(owner, MutableSequence) and isinstance(key, int) and -len(owner) <= key < len(owner)
