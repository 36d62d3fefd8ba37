"""Arguments under the names they had in earlier versions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


F = TypeVar("F", bound=Callable[..., Any])


def first_given(new_name: str, new: object, old_name: str, old: object) -> Any:
    """An argument given under its new or its old name.

    Raises:
        ValueError: if it is given under both.
    """
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
    return old


def renamed(**names: str) -> Callable[[F], F]:
    """A decorator that lets keyword arguments be given under the names they had before version 1.0.

    Args:
        names: old name to the name of today.
    """

    def decorated(function: F) -> F:
        @functools.wraps(function)
        def called(*args: Any, **keywords: Any) -> Tensor | list[Tensor]:
            for old in keywords.keys() & names.keys():
                keywords[names[old]] = keywords.pop(old)
            return function(*args, **keywords)

        return called  # type: ignore[return-value]  # `wraps` keeps the signature, which its type does not tell

    return decorated
