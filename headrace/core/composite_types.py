"""Values made of several tensors that say themselves how sessions fetch and feed them and which functions take them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike


F = TypeVar("F", bound=Callable[..., Any])


class Dispatching:
    """A value that public functions of tensors may be given: what they do then is what `_dispatch` says."""

    def _dispatch(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What `function` gives for arguments of which this value is one."""
        raise NotImplementedError


class CompositeTensor(Dispatching):
    """A value in a graph that is made of several tensors."""

    shape: Any

    def _fetched(self) -> tuple[list[Any], Callable[[list[Any]], Any]]:
        """The tensors to fetch, and a function from their values to the whole's."""
        raise NotImplementedError

    def _part_dims(self, dims: ShapeLike) -> list[Any]:
        """What is known of the shapes of its tensors, in the order of `nest`, from what is known of the whole's."""
        raise NotImplementedError

    def _fed(self, value: Any) -> list[tuple[Any, Any]]:
        """The tensors to feed and what is fed for each, of a value fed for the whole."""
        raise NotImplementedError


def _first_composite(values: Any) -> Dispatching | None:
    for value in values:
        if isinstance(value, Dispatching):
            return value
        if type(value) in (list, tuple):
            for item in value:
                if isinstance(item, Dispatching):
                    return item
    return None


def dispatched(function: F) -> F:
    """`function` made to ask the first composite value among its arguments, or in a list among them, what to do."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        composite = _first_composite(args)
        if composite is None and kwargs:
            composite = _first_composite(kwargs.values())
        if composite is None:
            return function(*args, **kwargs)
        return composite._dispatch(function, args, kwargs)

    return call  # type: ignore[return-value]  # it has the signature of the function


class TakingComposites:
    """The functions of a module, each `dispatched` when it is first asked for."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        function = dispatched(getattr(self._module, name))
        setattr(self, name, function)
        return function
