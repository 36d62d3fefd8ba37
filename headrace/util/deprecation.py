"""1.x's `deprecation`: decorators that warn, once a function, of what is going away."""

from __future__ import annotations

import contextlib
import functools
import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.util import tf_logging
from headrace.util.callsite import user_frames
from headrace.util.decorators import make_decorator, validate_callable
from headrace.util.inspection import getcallargs, getfullargspec

if TYPE_CHECKING:
    from tensorboard.compat.proto.graph_pb2 import GraphDef


DeprecatedArgSpec = namedtuple("DeprecatedArgSpec", ["position", "has_ok_value", "ok_value"])

_DEPRECATED = "is deprecated and will be removed %s.\nInstructions for updating:\n%s"

# Off inside `silence`.
_PRINT_DEPRECATION_WARNINGS = True
_PRINTED_WARNING: dict[Any, bool] = {}


class DeprecatedNamesAlreadySet(Exception):
    """`deprecated_endpoints` was applied twice."""


def _checked(date: str | None, instructions: str) -> str:
    """When it goes away, in words."""
    if date is not None and not re.match(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError("Date must be YYYY-MM-DD.")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions!")
    return "in a future version" if date is None else f"after {date}"


def _call_location() -> str:
    frames = user_frames()
    if not frames:
        return "UNKNOWN"
    code, line = frames[0]
    return f"{code.co_filename}:{line}"


def _name(func: Callable[..., Any]) -> str:
    """The name with its class, without the functions it was defined in."""
    return getattr(func, "__qualname__", str(func)).split("<locals>.")[-1]


def _warn(
    key: Callable[..., Any] | type | Sequence[Callable[..., Any] | str], once: bool, text: str, *args: Any
) -> None:
    """Logs where the call is and `text`, whose places `args` fill, as the logging module has it."""
    if not _PRINT_DEPRECATION_WARNINGS or key in _PRINTED_WARNING:
        return
    if once:
        _PRINTED_WARNING[key] = True
    tf_logging.warning(f"From %s: {text}", _call_location(), *args)


def add_notice_to_docstring(
    doc: str | None, instructions: str, no_doc_str: str, suffix_str: str, notice: list[str]
) -> str:
    """A docstring with a notice after its first line.

    Args:
        doc: the docstring; where there is none, `no_doc_str` takes its place.
        instructions: what to do, said after the notice.
        no_doc_str: see `doc`.
        suffix_str: what its first line ends in.
        notice: the lines of the notice.

    Raises:
        ValueError: if there are none.
    """
    if not notice:
        raise ValueError("The `notice` arg must not be empty.")
    return _with_notice(doc, instructions, no_doc_str, suffix_str, notice)


def _with_notice(doc: str | None, instructions: str, empty: str, suffix: str, notice: list[str]) -> str:
    if not doc:
        lines = [empty]
    else:
        first, *rest = doc.splitlines()
        margins = [len(line) - len(line.lstrip()) for line in rest if line.strip()]
        lines = [first.strip() + " " + suffix, *(line[min(margins, default=0) :] for line in rest)]
    notice = ["", "Warning: " + notice[0], *notice[1:], instructions]
    if len(lines) > 1:
        if lines[1].strip():
            notice.append("")
        lines[1:1] = notice
    else:
        lines += notice
    return "\n".join(lines)


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[..., Any]:
    """A decorator of functions that are going away: each logs a warning when it is first called.

    Args:
        date: the day (YYYY-MM-DD) it may be removed, or None.
        instructions: what to use instead.
        warn_once: whether to warn at the first call only.

    Raises:
        ValueError: for a date of another form or without instructions.

    Example:
        >>> @deprecated(None, "Use `new` instead.")
        ... def old(): ...
    """
    when = _checked(date, instructions)

    def wrapper(func: Callable[..., Any]) -> Callable[..., Any]:
        validate_callable(func, "deprecated")

        @functools.wraps(func)
        def warning(*args: Any, **kwargs: Any) -> int | GraphDef:
            text = f"%s (from %s) {_DEPRECATED}"
            _warn(func, warn_once, text, _name(func), func.__module__, when, instructions)
            return func(*args, **kwargs)

        notice = [f"THIS FUNCTION IS DEPRECATED. It will be removed {when}.", "Instructions for updating:"]
        doc = _with_notice(func.__doc__, instructions, "DEPRECATED FUNCTION", "(deprecated)", notice)
        return make_decorator(func, warning, "deprecated", doc)

    return wrapper


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Callable[..., Any] | type, warn_once: bool = True
) -> Any:
    """The same function or class, which warns when it is used under an old name."""

    text = "The name %s is deprecated. Please use %s instead.\n"
    instead = f"Please use {name} instead."
    if isinstance(func_or_class, type):

        class Alias(func_or_class):  # type: ignore[misc, valid-type]  # the base is a class that only a call knows
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                _warn(Alias, warn_once, text, deprecated_name, name)
                super().__init__(*args, **kwargs)

        Alias.__name__, Alias.__qualname__ = func_or_class.__name__, func_or_class.__qualname__
        notice = ["THIS CLASS IS DEPRECATED. It will be removed in a future version. "]
        Alias.__doc__ = _with_notice(func_or_class.__doc__, instead, "DEPRECATED CLASS", "(deprecated)", notice)
        return Alias
    validate_callable(func_or_class, "deprecated")

    @functools.wraps(func_or_class)
    def alias(*args: Any, **kwargs: Any) -> int:
        _warn(alias, warn_once, text, deprecated_name, name)
        return func_or_class(*args, **kwargs)

    notice = ["THIS FUNCTION IS DEPRECATED. It will be removed in a future version.", "Instructions for updating:"]
    doc = _with_notice(func_or_class.__doc__, instead, "DEPRECATED FUNCTION", "(deprecated)", notice)
    return make_decorator(func_or_class, alias, "deprecated", doc)


def deprecated_endpoints(*args: str) -> Callable[..., Any]:
    """A decorator that notes which public names of a function are old ones."""

    def wrapper(func: Any) -> Any:
        if "_tf_deprecated_api_names" in func.__dict__:
            raise DeprecatedNamesAlreadySet(
                f"Cannot set deprecated names for {func.__name__} to {args}. "
                f"Deprecated names are already set to {func._tf_deprecated_api_names}."
            )
        func._tf_deprecated_api_names = args
        return func

    return wrapper


def _same(a: int, b: int) -> bool:
    if a is b:
        return True
    try:
        equal = a == b
    except TypeError:
        return False
    return equal if isinstance(equal, bool) else False


def _argument_wrapper(
    func: Callable[..., Any], when: str, instructions: str, warn_once: bool, used: Callable[..., list[str]], doc: str
) -> Callable[..., Any]:
    @functools.wraps(func)
    def warning(*args: Any, **kwargs: Any) -> tuple[int, ...]:
        if _PRINT_DEPRECATION_WARNINGS:
            for what in used(args, kwargs):
                name, _, value = what.partition("=")
                text = f"calling %s (from %s) with {'%s=%s' if value else '%s'} {_DEPRECATED}"
                said = (name, value) if value else (name,)
                _warn((func, what), warn_once, text, _name(func), func.__module__, *said, when, instructions)
        return func(*args, **kwargs)

    return make_decorator(func, warning, "deprecated", doc)


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[..., Any]:
    """A decorator of functions some of whose arguments are going away: giving one of them logs a warning.

    Args:
        date: the day (YYYY-MM-DD) they may be removed, or None.
        instructions: what to use instead.
        *deprecated_arg_names_or_tuples: names, or (name, value that is still fine).
        warn_once: whether to warn of each argument once only.

    Raises:
        ValueError: if no argument is named or the function has none of that name.
    """
    when = _checked(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    if kwargs and list(kwargs) != ["warn_once"]:
        kwargs.pop("warn_once", None)
        raise ValueError(f"Illegal argument to deprecated_args: {kwargs}")
    fine = {
        item[0] if isinstance(item, tuple) else item: item[1:] if isinstance(item, tuple) else ()
        for item in deprecated_arg_names_or_tuples
    }

    def wrapper(func: Callable[..., Any]) -> Callable[..., Any]:
        validate_callable(func, "deprecated_args")
        spec = getfullargspec(func)
        known = [*spec.args, spec.varargs, spec.varkw]
        missing = [name for name in fine if name not in known]
        if missing:
            raise ValueError(
                "The following deprecated arguments are not present in the function signature: "
                f"{missing}. Found next arguments: {known}."
            )

        def used(args: tuple[Any, ...], named: dict[str, Any]) -> list[str]:
            bound = getcallargs(func, *args, **named)
            found = []
            for name, values in fine.items():
                if name == spec.varargs:
                    given = len(args) > len(spec.args)
                elif name == spec.varkw:
                    given = bool(named)
                else:
                    given = name in named or spec.args.index(name) < len(args)
                    given = given and not (values and _same(bound[name], values[0]))
                if given:
                    found.append(name)
            return found

        notice = [
            f"SOME ARGUMENTS ARE DEPRECATED: `({', '.join(sorted(fine))})`. They will be removed {when}.",
            "Instructions for updating:",
        ]
        doc = _with_notice(
            func.__doc__, instructions, "DEPRECATED FUNCTION ARGUMENTS", "(deprecated arguments)", notice
        )
        return _argument_wrapper(func, when, instructions, kwargs.get("warn_once", True), used, doc)

    return wrapper


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[..., Any]:
    """A decorator of functions for which some values of arguments are going away: giving one logs a warning.

    Args:
        date: the day (YYYY-MM-DD) they may be removed, or None.
        instructions: what to use instead.
        warn_once: whether to warn of each argument once only.
        **deprecated_kwargs: the arguments with their old values.

    Raises:
        ValueError: if no value is given.
    """
    when = _checked(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def wrapper(func: Callable[..., Any]) -> Callable[..., Any]:
        validate_callable(func, "deprecated_arg_values")

        def used(args: tuple[Any, ...], named: dict[str, Any]) -> list[str]:
            bound = getcallargs(func, *args, **named)
            return [f"{k}={v}" for k, v in deprecated_kwargs.items() if k in bound and _same(bound[k], v)]

        values = ", ".join(f"{key}={value!r}" for key, value in sorted(deprecated_kwargs.items()))
        notice = [
            f"SOME ARGUMENT VALUES ARE DEPRECATED: `({values})`. They will be removed {when}.",
            "Instructions for updating:",
        ]
        doc = _with_notice(
            func.__doc__, instructions, "DEPRECATED FUNCTION ARGUMENT VALUES", "(deprecated argument values)", notice
        )
        return _argument_wrapper(func, when, instructions, warn_once, used, doc)

    return wrapper


def deprecated_argument_lookup(new_name: str, new_value: int | None, old_name: str, old_value: int | None) -> Any:
    """The value of an argument that has an old name too.

    Raises:
        ValueError: if both names were used.
    """
    if old_value is not None:
        if new_value is not None:
            raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'")
        return old_value
    return new_value


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """A docstring with an argument renamed."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(f"{old_argument}:", f"{new_argument}:")


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A context in which no deprecation is logged."""
    global _PRINT_DEPRECATION_WARNINGS
    old = _PRINT_DEPRECATION_WARNINGS
    _PRINT_DEPRECATION_WARNINGS = False
    try:
        yield
    finally:
        _PRINT_DEPRECATION_WARNINGS = old


class HiddenTfApiAttribute(property):
    """An attribute that raises AttributeError with the given text."""

    def __init__(self, deprecation_message: str) -> None:
        def hidden(_: Any) -> Any:
            raise AttributeError(deprecation_message)

        super().__init__(hidden)


hide_attribute_from_api = HiddenTfApiAttribute
HIDDEN_ATTRIBUTE = HiddenTfApiAttribute("This attribute has been deprecated.")
