"""Finds the file that declares an op: `declare("MatMul")` imports `headrace.ops.math.matmul` and no other."""

from __future__ import annotations

import importlib
import threading
from types import ModuleType
from typing import TYPE_CHECKING

from headrace.api.op_table import TYPES

if TYPE_CHECKING:
    from headrace.plan.fusion import Fusion

_PACKAGE = __name__.rpartition(".api.")[0]
_homes: dict[str, str] = {}
_failures: dict[str, Exception] = {}
# Threads of a server plan at the same time. Of two that import a package and a module of it, Python lets one fail.
_importing = threading.RLock()


def home_of(op_type: str) -> str | None:
    """The module, relative to the package, that declares ops of `op_type`; None if none does."""
    if not _homes:
        _homes.update((kind, module) for module, kinds in TYPES.items() for kind in kinds.split())
    return _homes.get(op_type)


def op_types() -> list[str]:
    """The types of all ops that can be declared, the planner's own among them."""
    return sorted(kind for kinds in TYPES.values() for kind in kinds.split())


def declare(op_type: str) -> bool:
    """Imports the module that declares ops of `op_type`; returns whether there is one.

    Raises:
        Exception: what the module raised. A second attempt raises the same: half-imported, the module would only complain
            that its ops are declared twice.
    """
    module = home_of(op_type)
    if module is None:
        return False
    _import(module)
    return True


def declare_all() -> None:
    """Declares every op type.

    Raises:
        Exception: what a module raised, as `declare` says.
    """
    for module in TYPES:
        _import(module)


def fusion(name: str) -> Fusion:
    """The fusion that the file `name` of `headrace.plan.fusions` declares, which is imported now.

    Raises:
        Exception: what the module raised, as `declare` says.
    """
    found: Fusion = _import(f"plan.fusions.{name}").fusion
    return found


def _import(module: str) -> ModuleType:
    if module in _failures:
        raise _failures[module]
    with _importing:
        try:
            return importlib.import_module(f"{_PACKAGE}.{module}")
        except Exception as error:
            _failures[module] = error
            raise
