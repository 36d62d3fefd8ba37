"""Decorators that remember what they decorate: 1.x's `tf_decorator`, `tf_contextlib` and `keyword_args`."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any


class TFDecorator:
    """What is known of a decorated function, kept on it as `_tf_decorator`.

    Args:
        decorator_name: the decorator.
        target: what it decorates.
        decorator_doc: the docstring of the decorated function; that of `target` by default.
        decorator_argspec: its signature, where it is not that of `target`.
    """

    def __init__(
        self, decorator_name: str, target: Any, decorator_doc: str = "", decorator_argspec: Any = None
    ) -> None:
        self.decorated_target = target
        self._name = decorator_name
        self._doc = decorator_doc
        self._argspec = decorator_argspec
        for attribute in ("__name__", "__qualname__"):
            if hasattr(target, attribute):
                setattr(self, attribute, getattr(target, attribute))
        self.__doc__ = decorator_doc or getattr(target, "__doc__", None) or ""

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self.decorated_target.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)

    @property
    def _decorated_target(self) -> Any:
        # What the class kept it as in 1.x, which other libraries read.
        return self.decorated_target

    @property
    def decorator_name(self) -> str:
        """The decorator."""
        return self._name

    @property
    def decorator_doc(self) -> str:
        """The docstring it gives."""
        return self._doc

    @property
    def decorator_argspec(self) -> Any:
        """The signature it gives, or None."""
        return self._argspec


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Any,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """Marks `decorator_func` as decorating `target`, and gives it the names and attributes of `target`.

    Args:
        target: the function decorated.
        decorator_func: what is called in its place.
        decorator_name: the decorator; the calling function by default.
        decorator_doc: its docstring; that of `target` by default.
        decorator_argspec: its signature; that of `target` by default.

    Returns:
        `decorator_func`.
    """
    if decorator_name is None:
        decorator_name = sys._getframe(1).f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for attribute in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, attribute):
            setattr(decorator_func, attribute, getattr(target, attribute))
    for key, value in getattr(target, "__dict__", {}).items():
        decorator_func.__dict__.setdefault(key, value)
    if hasattr(target, "__doc__"):
        decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = target
    # Tells after `rewrap` what was there before.
    decorator_func.__original_wrapped__ = target
    return decorator_func


def _decorator_of(obj: Callable[..., Any]) -> TFDecorator | None:
    if isinstance(obj, TFDecorator):
        return obj
    decorator = getattr(obj, "_tf_decorator", None)
    return decorator if isinstance(decorator, TFDecorator) else None


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The decorators around a function, outermost first, and the function itself."""
    decorators: list[TFDecorator] = []
    current = maybe_tf_decorator
    while (decorator := _decorator_of(current)) is not None:
        decorators.append(decorator)
        current = decorator.decorated_target
    return decorators, current


def rewrap(decorator_func: Any, previous_target: Callable[..., Any], new_target: Any) -> Callable[..., Any]:
    """Puts `new_target` in the place of `previous_target` inside the decorators of `decorator_func`.

    Returns:
        `decorator_func`, or `new_target` where there is no decorator.
    """
    innermost, current = None, decorator_func
    while (decorator := _decorator_of(current)) is not None:
        innermost = current
        if decorator.decorated_target is previous_target:
            break
        current = decorator.decorated_target
    if innermost is None:
        return new_target
    found = _decorator_of(innermost)
    if found is not None:
        found.decorated_target = new_target
    getattr(innermost, "__func__", innermost).__wrapped__ = new_target
    return decorator_func


def contextmanager(target: Callable[..., Any]) -> Callable[..., Any]:
    """`contextlib.contextmanager` whose signature can be inspected."""
    return make_decorator(target, contextlib.contextmanager(target), "contextmanager")


def validate_callable(func: Callable[..., Any], decorator_name: str) -> None:
    """Checks that a decorator is applied to a function.

    Raises:
        ValueError: if `func` cannot be called.
    """
    if not hasattr(func, "__call__"):  # noqa: B004 (a class of the old kind may be callable through __getattr__)
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears before @{decorator_name}:\n\n"
            f"@property\n@{decorator_name}\ndef method(...)"
        )


def keyword_args_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of functions that must be called with keyword arguments.

    The function raises ValueError when it is called with others.
    """
    validate_callable(func, "keyword_args_only")

    @functools.wraps(func)
    def by_keyword(*args: Any, **kwargs: Any) -> int:
        if args:
            raise ValueError(f"Must use keyword args to call {func.__name__}.")
        return func(**kwargs)

    return by_keyword


def should_use_result(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function whose result is lost work when it is dropped; the function itself."""
    return fn


must_use_result_or_fatal = should_use_result


def get_qualified_name(function: Any) -> str:
    """The name of a function, with its class."""
    name: str = getattr(function, "__qualname__", None) or function.__name__
    return name.split("<locals>.")[-1]


class classproperty:
    """A property of the class.

    Example:
        >>> class Model:
        ...     @classproperty
        ...     def label(cls): return cls.__name__.lower()
        >>> Model.label
        'model'
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self._func = func

    def __get__(self, owner_self: Any, owner_cls: Any) -> Any:
        return self._func(owner_cls)
