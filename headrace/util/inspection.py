"""Looking into functions through their decorators: 1.x's `tf_inspect` and `function_utils`."""

from __future__ import annotations

import functools
import inspect
from collections import namedtuple
from collections.abc import Callable
from inspect import (
    FullArgSpec,
    currentframe,
    getdoc,
    getframeinfo,
    getmembers,
    getmodule,
    getmro,
    isbuiltin,
    isclass,
    isframe,
    isfunction,
    isgenerator,
    isgeneratorfunction,
    ismethod,
    ismodule,
    isroutine,
    stack,
)
from typing import Any

from headrace.util.decorators import unwrap

__all__ = [
    "ArgSpec", "FullArgSpec", "currentframe", "fn_args", "get_func_code", "get_func_name", "getargspec", "getcallargs",
    "getdoc", "getfile", "getframeinfo", "getfullargspec", "getmembers", "getmodule", "getmro", "getsource",
    "getsourcefile", "getsourcelines", "has_kwargs", "isbuiltin", "isclass", "isframe", "isfunction", "isgenerator",
    "isgeneratorfunction", "ismethod", "ismodule", "isroutine", "stack",
]  # fmt: skip

# Python dropped its own in 3.11.
ArgSpec = namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])


def _full(spec: Any) -> FullArgSpec:
    if isinstance(spec, FullArgSpec):
        return spec
    return FullArgSpec(spec.args, spec.varargs, spec.keywords, spec.defaults, [], None, {})


def _spec_of(target: Callable[..., Any]) -> FullArgSpec:
    """A function's own signature; of a public function that of 1.x, which knew no wrappers there and no annotations."""
    if not inspect.isfunction(target) or (target.__module__ or "").partition(".")[0] != "headrace":
        return inspect.getfullargspec(target)
    return inspect.getfullargspec(inspect.unwrap(target))._replace(annotations={})


def getfullargspec(obj: Callable[..., Any]) -> FullArgSpec:
    """The signature of a function: what the outermost decorator says, else the function's own."""
    decorators, target = unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            return _full(decorator.decorator_argspec)
    return _spec_of(target)


def getargspec(obj: Callable[..., Any]) -> ArgSpec:
    """The positional part of a signature as an `ArgSpec`; a class or object counts as what a call of it calls.

    Raises:
        ValueError: if a partial gives a default to an argument before one that has none.
    """
    if isinstance(obj, functools.partial):
        return _partial_argspec(obj)
    decorators, target = unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            return decorator.decorator_argspec
    if isinstance(target, type):
        target = target.__init__  # type: ignore[misc]  # of the class, not of an instance
    elif not inspect.isroutine(target):
        target = type(target).__call__
    spec = _spec_of(target)
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def _partial_argspec(obj: functools.partial[Any]) -> ArgSpec:
    spec = getargspec(obj.func)
    args = list(spec.args)
    first_default = len(args) - len(spec.defaults or ())
    defaults = dict(zip(args[first_default:], spec.defaults or ()))
    args = args[len(obj.args) :]
    for key, value in obj.keywords.items():
        if key in args:
            defaults[key] = value
        elif not spec.keywords:
            raise ValueError("Function does not have **kwargs parameter, but contains an unknown partial keyword.")
    with_default = [arg for arg in args if arg in defaults]
    if not with_default:
        return ArgSpec(args, spec.varargs, spec.keywords, None)
    after = args[args.index(with_default[0]) :]
    if with_default != after:
        missing = [arg for arg in after if arg not in defaults]
        raise ValueError(
            f"Some arguments {missing} do not have default value, but they are positioned after those with default "
            "values. This can not be expressed with ArgSpec."
        )
    return ArgSpec(args, spec.varargs, spec.keywords, tuple(defaults[arg] for arg in after))


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """The arguments by name that a call `f(*positional, **named)` binds; `f` comes first."""
    func, *positional = func_and_positional
    spec = getfullargspec(func)
    bound = dict(named)
    if inspect.ismethod(func) and func.__self__:
        positional.insert(0, func.__self__)
    bound.update(zip([arg for arg in spec.args if arg not in bound], positional))
    if spec.defaults:
        for arg, value in zip(spec.args[-len(spec.defaults) :], spec.defaults):
            bound.setdefault(arg, value)
    for arg, value in (spec.kwonlydefaults or {}).items():
        bound.setdefault(arg, value)
    return bound


def getfile(object: Any) -> str:
    """The file in which something was defined."""
    target = unwrap(object)[1]
    if "__file__" in getattr(target, "f_globals", ()):
        return target.f_globals["__file__"]
    return inspect.getfile(target)


def getsource(object: Callable[..., Any]) -> str:
    """The source text of something, decorators looked through."""
    return inspect.getsource(unwrap(object)[1])


def getsourcefile(object: Any) -> str | None:
    """The source file of something, decorators looked through."""
    return inspect.getsourcefile(unwrap(object)[1])


def getsourcelines(object: Any) -> tuple[list[str], int]:
    """The source lines of something and the number of the first, decorators looked through."""
    return inspect.getsourcelines(unwrap(object)[1])


# ---- function_utils ----


def _call_of(fn: Any) -> Callable[..., Any]:
    """The method behind an object that can be called."""
    return fn.__call__ if inspect.ismethod(getattr(fn, "__call__", None)) else fn  # noqa: B004


def fn_args(fn: Any) -> tuple[str, ...]:
    """The names of the arguments that a call of `fn` may give by position, without `self`.

    Example:
        >>> fn_args(lambda features, labels: None)
        ('features', 'labels')
    """
    if isinstance(fn, functools.partial):
        return tuple(arg for arg in fn_args(fn.func)[len(fn.args) :] if arg not in fn.keywords)
    fn = _call_of(fn)
    args = getfullargspec(fn).args
    if inspect.ismethod(unwrap(fn)[1]) and args:
        args = args[1:]
    return tuple(args)


def has_kwargs(fn: Any) -> bool:
    """Whether `fn` takes any keyword argument.

    Raises:
        TypeError: if it cannot be called.
    """
    if isinstance(fn, functools.partial):
        fn = fn.func
    if not callable(fn):
        raise TypeError(f"fn should be a function-like object, but is of type {type(fn)}.")
    return getfullargspec(_call_of(fn)).varkw is not None


def get_func_name(func: Callable[..., Any]) -> str:
    """The name of a function, `Class.name` of a method, the type of another callable.

    Raises:
        ValueError: if it cannot be called.
    """
    target = unwrap(func)[1]
    if not callable(target):
        raise ValueError("Argument must be callable")
    if inspect.isfunction(target):
        return target.__name__
    if inspect.ismethod(target):
        return f"{type(target.__self__).__name__}.{target.__func__.__name__}"
    return str(type(target))


def get_func_code(func: Callable[..., Any]) -> Any:
    """The code object of a function, method or callable object; None where it has none.

    Raises:
        ValueError: if it cannot be called.
    """
    target = unwrap(func)[1]
    if not callable(target):
        raise ValueError("Argument must be callable")
    if not (inspect.isfunction(target) or inspect.ismethod(target)):
        target = target.__call__
    return getattr(target, "__code__", None)
