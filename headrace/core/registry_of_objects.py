"""A registry of objects by name, as 1.x's `framework.registry` has it."""

from __future__ import annotations

from collections.abc import Callable, KeysView
from typing import Any

from headrace.core.stack_frames import StackFrame, extract_stack


def previous_registration(candidate: Callable[..., Any] | type | None) -> str:
    """Where what is registered already comes from, in the words of TensorFlow's complaint about a second one."""
    code = getattr(candidate, "__code__", None)
    place = repr(candidate) if code is None else f"{code.co_name} {code.co_filename}:{code.co_firstlineno}"
    return f"(Previous registration was in {place})"


class Registry:
    """Objects by name.

    Args:
        name: what they are, for messages.

    Example:
        >>> classes = Registry("model")
        >>> classes.register(dict, "plain")
        >>> classes.lookup("plain")
        <class 'dict'>
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._registry: dict[str, tuple[Any, StackFrame]] = {}

    def register(self, candidate: Any, name: str | None = None) -> None:
        """Adds `candidate` under `name`, its own name by default.

        Raises:
            KeyError: if the name is taken.
        """
        name = name or candidate.__name__
        if name in self._registry:
            place = self._registry[name][1]
            raise KeyError(
                f"Registering two {self._name} with name '{name}'! "
                f"(Previous registration was in {place.name} {place.filename}:{place.lineno})"
            )
        stack = extract_stack(limit=3)
        self._registry[name] = (candidate, stack[min(2, len(stack) - 1)])

    def list(self) -> KeysView[str]:
        """The names."""
        return self._registry.keys()

    def lookup(self, name: str | bytes) -> Any:
        """The object called `name`.

        Raises:
            LookupError: if there is none.
        """
        text = name.decode() if isinstance(name, bytes) else name
        if text not in self._registry:
            raise LookupError(f"{self._name} registry has no entry for: {text}")
        return self._registry[text][0]
