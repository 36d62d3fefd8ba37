"""Functions that others may take over for arguments of their types: 1.x's `util.dispatch`."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

from headrace.util.decorators import make_decorator

DISPATCH_ATTR = "_tf_dispatchers"


class OpDispatcher:
    """What may take over calls of a function; a base class that takes none."""

    # What `handle` returns for arguments that it leaves to others.
    NOT_SUPPORTED = object()

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result for some arguments, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Lets this take over calls of `op`.

        Raises:
            AssertionError: if `op` was not made with `add_dispatch_support` or `add_dispatch_list`.
        """
        if not hasattr(op, DISPATCH_ATTR):
            raise AssertionError(f"Dispatching not enabled for {op}")
        getattr(op, DISPATCH_ATTR).append(self)


def dispatch(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What the first dispatcher of `op` that handles these arguments gives, or `OpDispatcher.NOT_SUPPORTED`."""
    for dispatcher in getattr(op, DISPATCH_ATTR):
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


class _OfTypes(OpDispatcher):
    """Takes over calls with an argument, or an element of one, of some types."""

    def __init__(self, function: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function = function
        self._types = types

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for value in itertools.chain(args, kwargs.values()):
            items = value if isinstance(value, (list, tuple)) else ()
            if isinstance(value, self._types) or any(isinstance(item, self._types) for item in items):
                return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch_for_types(op: Callable[..., Any], *types: type) -> Callable[[Any], Any]:
    """A decorator of functions that take `op`'s place where an argument, or an element of one, is of some types.

    Raises:
        AssertionError: where the signatures differ, or `op` is not dispatched.

    Example:
        >>> class Square:
        ...     side = 3.0
        >>> @add_dispatch_support
        ... def area(shape, name=None):
        ...     raise TypeError(f"no shape: {shape}")
        >>> @dispatch_for_types(area, Square)
        ... def square_area(shape, name=None):
        ...     return shape.side**2
        >>> area(Square())
        9.0
    """

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.getfullargspec(function)[:4] != inspect.getfullargspec(inspect.unwrap(op))[:4]:
            raise AssertionError(
                "The decorated function's signature must exactly match the signature of the overridden op."
            )
        _OfTypes(function, types).register(op)
        return function

    return decorator


def add_dispatch_list(target: Callable[..., Any]) -> Callable[..., Any]:
    """Lets dispatchers be registered for `target`, which calls `dispatch` itself.

    Raises:
        AssertionError: if they can be already.
    """
    if hasattr(target, DISPATCH_ATTR):
        raise AssertionError(f"{target} already has a dispatch list")
    setattr(target, DISPATCH_ATTR, [])
    return target


def add_dispatch_support(target: Callable[..., Any]) -> Callable[..., Any]:
    """A function that asks dispatchers where `target` fails with a TypeError or ValueError."""

    @functools.wraps(target)
    def wrapper(*args: Any, **kwargs: Any) -> int | str:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            result = dispatch(wrapper, *args, **kwargs)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    return make_decorator(target, add_dispatch_list(wrapper))
