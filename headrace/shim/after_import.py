"""Doing something to a module of somebody else's once it has been imported, without importing it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def after_import(name: str, action: Callable[[Any], None]) -> None:
    """Calls `action` with the module of this name: at once if it has been imported, else when it will have run.

    Args:
        name: the module's full name.
        action: what is done; it may change the module.
    """
    module = sys.modules.get(name)
    if module is not None:
        action(module)
    else:
        sys.meta_path.insert(0, _Waiting(name, action))


class _Waiting(MetaPathFinder):
    """Waits for one module to be imported."""

    def __init__(self, name: str, action: Callable[[Any], None]) -> None:
        self.name, self.action = name, action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own spec, with the action after its module has run."""
        if fullname != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            run = loader.exec_module

            def run_and_act(module: ModuleType) -> None:
                run(module)
                self.action(module)

            loader.exec_module = run_and_act
        return spec
