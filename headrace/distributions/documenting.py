"""What distributions of programs use to describe themselves: notes for docstrings, and the arguments they were made with."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any


class AppendDocstring:
    """A decorator that adds a note to a function's docstring.

    Args:
        additional_note: the note.
        kwargs_dict: keyword arguments of the function that its own docstring does not name, to what they are.

    Raises:
        ValueError: if a name holds blanks, or a description more than a line.

    Example:
        >>> @AppendDocstring("Only for positive numbers.")
        ... def root(x):
        ...     "The square root."
    """

    def __init__(self, additional_note: str = "", kwargs_dict: Mapping[str, str] | None = None) -> None:
        self._note = additional_note
        rows = []
        for key, value in sorted((kwargs_dict or {}).items()):
            if any(letter.isspace() for letter in key):
                raise ValueError(f'Parameter name "{key}" contains whitespace.')
            if "\n" in (value := value.lstrip()):
                raise ValueError(f'Parameter description for "{key}" contains newlines.')
            rows.append(f"*  `{key}`: {value}")
        if rows:
            self._note += "\n\n##### `kwargs`:\n\n" + "\n".join(rows)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def noted(*args: Any, **kwargs: Any) -> Any:
            return fn(*args, **kwargs)

        noted.__doc__ = self._note if fn.__doc__ is None else f"{fn.__doc__}\n{self._note}"
        return noted


def parent_frame_arguments() -> dict[str, Any]:
    """The arguments that the function this is called in was called with, by name.

    Raises:
        RuntimeError: outside of a function, or where the interpreter tells nothing of its callers.
    """
    frame = inspect.currentframe()
    caller = None if frame is None else frame.f_back
    if caller is None:
        raise RuntimeError("parent_frame_arguments needs a function that calls it")
    names, _, keywords, values = inspect.getargvalues(caller)
    return {**{name: values[name] for name in names}, **(values[keywords] if keywords else {})}
