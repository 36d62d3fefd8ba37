"""`arg_scope`: defaults for the arguments of functions, in force for a block of a program.

@add_arg_scope
def conv(x, size, stride=1): ...

with arg_scope([conv], stride=2):
    y = conv(x, 3)            # conv(x, 3, stride=2)
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from headrace.util.decorators import make_decorator

__all__ = [
    "add_arg_scope", "arg_scope", "arg_scope_func_key", "arg_scoped_arguments", "current_arg_scope", "has_arg_scope",
]  # fmt: skip

Scope = dict[str, dict[str, Any]]

_scopes: list[Scope] = [{}]
# The functions that take part, by key, with the names of their arguments that have defaults.
_arguments: dict[str, tuple[str, ...]] = {}


def current_arg_scope() -> Scope:
    """The defaults in force: function key to arguments."""
    return _scopes[-1]


def arg_scope_func_key(op: Callable[..., Any]) -> str:
    """The key of a function in a scope."""
    return getattr(op, "_key_op", str(op))


@contextlib.contextmanager
def arg_scope(
    list_ops_or_scope: int | Sequence[Callable[..., Any]] | Mapping[str, Mapping[str, Any]], **kwargs: Any
) -> Iterator[Scope]:
    """A context in which functions have other defaults.

    Args:
        list_ops_or_scope: a list or tuple of functions decorated with `add_arg_scope`, or a scope that an earlier
            `arg_scope` gave, to be in force again.
        **kwargs: the arguments; values given in a call come first, and inner scopes before outer ones.

    Yields:
        the scope.

    Raises:
        TypeError: if the first argument is neither; ValueError: if a function is not decorated, or if there are
            keyword arguments beside a scope.

    Example:
        >>> with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.relu) as scope:
        ...     net = slim.conv2d(images, 64, [3, 3])
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling a dictionary, kwargs must be empty.")
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(current_arg_scope())
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError(f"{(op.__module__, op.__name__)} is not decorated with @add_arg_scope")
            key = arg_scope_func_key(op)
            scope[key] = {**scope.get(key, {}), **kwargs}
    else:
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    _scopes.append(scope)
    try:
        yield scope
    finally:
        _scopes.pop()


def add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator of functions whose arguments `arg_scope` can set."""
    key = arg_scope_func_key(func)

    def with_scope(*args: Any, **kwargs: Any) -> Any:
        defaults = _scopes[-1].get(key)
        return func(*args, **kwargs) if defaults is None else func(*args, **{**defaults, **kwargs})

    _arguments[key] = _with_defaults(func)
    with_scope._key_op = key  # type: ignore[attr-defined]  # functions take any attribute
    return make_decorator(func, with_scope, "add_arg_scope")


def _with_defaults(func: Callable[..., Any]) -> tuple[str, ...]:
    code = func.__code__
    return code.co_varnames[code.co_argcount - len(func.__defaults__ or ()) : code.co_argcount]


def has_arg_scope(func: Callable[..., Any]) -> bool:
    """Whether a function is decorated with `add_arg_scope`."""
    return arg_scope_func_key(func) in _arguments


def arg_scoped_arguments(func: Callable[..., Any]) -> tuple[str, ...]:
    """The names of the arguments of a decorated function that have defaults.

    Raises:
        AssertionError: if it is not decorated.
    """
    if not has_arg_scope(func):
        raise AssertionError(f"{func} is not decorated with @add_arg_scope")
    return _arguments[arg_scope_func_key(func)]
