"""The gradient functions of op types as 1.x's `framework.ops` keeps them, for programs that look into its registry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView, MutableMapping
from typing import Any

from headrace.core.registry import REGISTRY, _register_gradient, _registered_gradients, find, raw


class _Entries(MutableMapping[str, dict[str, Any]]):
    """Op type, or name of an override, to a dictionary with the function as "type": None where there is no gradient."""

    def __getitem__(self, name: str) -> dict[str, Any]:
        if name in _registered_gradients:
            return {"type": _registered_gradients[name]}
        decl = find(name)
        if decl is None or decl.differentiable is None:
            raise KeyError(name)
        return {"type": decl.gradient_rule}

    def __setitem__(self, name: str, entry: dict[str, Any]) -> None:
        _registered_gradients[name] = entry["type"]

    def __delitem__(self, name: str) -> None:
        if name in _registered_gradients:
            del _registered_gradients[name]
            return
        decl = find(name)
        if decl is None or decl.differentiable is None:
            raise KeyError(name)
        # So that a program can register another.
        decl.gradient_rule = decl.differentiable = None

    def __iter__(self) -> Iterator[str]:
        for name in dir(raw):
            find(name)
        declared = (name for name, decl in REGISTRY.items() if decl.differentiable is not None)
        return iter(dict.fromkeys((*declared, *_registered_gradients)))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class GradientRegistry:
    """The registry of gradient functions.

    Example:
        >>> from headrace.python.framework import ops
        >>> "GuidedRelu" in ops._gradient_registry._registry
        False
    """

    def __init__(self) -> None:
        self._name = "gradient"
        self._registry = _Entries()

    def register(self, candidate: Any, name: str | None = None) -> None:
        """Registers a gradient function, None for an op without gradient, under `name`, its own name by default.

        Raises:
            KeyError: if the name is taken.
        """
        _register_gradient(name or candidate.__name__, candidate)

    def list(self) -> KeysView[str]:
        """The op types and the names of overrides."""
        return self._registry.keys()

    def lookup(self, name: str | bytes) -> Callable[..., Any] | None:
        """The gradient function of `name`; None where it is declared that there is none.

        Raises:
            LookupError: if there is nothing.
        """
        text = name.decode() if isinstance(name, bytes) else name
        if text not in self._registry:
            raise LookupError(f"gradient registry has no entry for: {text}")
        return self._registry[text]["type"]


_gradient_registry = GradientRegistry()
