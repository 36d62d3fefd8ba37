"""Functions and classes that only a TPU can do justice to: each use says so, and what to do instead."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any, NoReturn


def _signature(parameters: str) -> inspect.Signature:
    """The signature that is written so: "a, b=None"."""
    made = []
    for text in filter(None, parameters.split(", ")):
        name, _, default = text.partition("=")
        value = ast.literal_eval(default) if default else inspect.Parameter.empty
        made.append(inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value))
    return inspect.Signature(made)


def refused(name: str, parameters: str, advice: str) -> Callable[..., NoReturn]:
    """A function that raises NotImplementedError.

    Args:
        name: its public name, below `tf`.
        parameters: what it takes, as in "a, b=None".
        advice: what to do instead.
    """
    signature = _signature(parameters)

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        signature.bind(*args, **kwargs)
        raise NotImplementedError(f"tf.{name}: there are no TPUs in Headrace; {advice}.")

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = f"Is for TPUs: {advice}.\n\n    Raises:\n        NotImplementedError: always.\n    "
    refuse.__signature__ = signature  # type: ignore[attr-defined]  # functions take attributes
    return refuse


def refused_class(name: str, parameters: str, advice: str, constructor: str = "__init__") -> type[Any]:
    """A class that cannot be made.

    Args:
        name, parameters, advice: as of `refused`.
        constructor: which method has the parameters; "__new__" for classes that are tuples in 1.x.
    """
    function = refused(name, parameters, advice)

    def refuse(first: object, *args: Any, **kwargs: Any) -> None:
        function(*args, **kwargs)

    first = "cls" if constructor == "__new__" else "self"
    given = inspect.Parameter(first, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    refuse.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # functions take attributes
        [given, *inspect.signature(function).parameters.values()]
    )
    return type(function.__name__, (), {constructor: refuse, "__doc__": function.__doc__})
