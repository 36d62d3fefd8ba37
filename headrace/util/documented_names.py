"""Modules that show only the names their docstrings mention as `@@name`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

_MENTIONED = re.compile(r"^@@(\w+)$", re.MULTILINE)
_hidden: dict[str, tuple[ModuleType, Any]] = {}


def make_all(module_name: str, doc_string_modules: Sequence[ModuleType] | None = None) -> list[str]:
    """The names in a module that docstrings mention.

    Args:
        module_name: the module, which has been imported.
        doc_string_modules: whose docstrings; the module's own by default.
    """
    module = sys.modules[module_name]
    sources = [module] if doc_string_modules is None else doc_string_modules
    mentioned = {name for source in sources for name in _MENTIONED.findall(source.__doc__ or "")}
    return [name for name in dir(module) if name in mentioned]


def remove_undocumented(
    module_name: str,
    allowed_exception_list: Iterable[str] | None = None,
    doc_string_modules: Sequence[ModuleType] | None = None,
) -> None:
    """Takes the public names out of a module that docstrings do not mention.

    Args:
        module_name, doc_string_modules: as in `make_all`.
        allowed_exception_list: names that stay all the same.
    """
    module = sys.modules[module_name]
    staying = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in dir(module):
        if not name.startswith("_") and name not in staying:
            _hidden[f"{module_name}.{name}"] = (module, getattr(module, name))
            delattr(module, name)


def reveal_undocumented(symbol_name: str, target_module: ModuleType | None = None) -> None:
    """Puts back a name that `remove_undocumented` took out.

    Args:
        symbol_name: the module's name and the name in it, with a dot between.
        target_module: the module that gets it, the one it was in by default.

    Raises:
        LookupError: if it was not taken out.
    """
    if symbol_name not in _hidden:
        raise LookupError(f"Symbol {symbol_name} is not a hidden symbol")
    module, value = _hidden[symbol_name]
    setattr(target_module or module, symbol_name.rpartition(".")[2], value)
