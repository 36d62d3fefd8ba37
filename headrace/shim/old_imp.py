"""`imp`, which Python had until 3.11: modules found and loaded by hand."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import tokenize
from collections.abc import Sequence
from types import ModuleType
from typing import IO

PY_SOURCE, PY_COMPILED, C_EXTENSION, PKG_DIRECTORY, C_BUILTIN, PY_FROZEN = 1, 2, 3, 5, 6, 7
_KINDS = {PY_SOURCE: "r", PY_COMPILED: "rb", C_EXTENSION: "rb"}

Description = tuple[str, str, int]


def new_module(name: str) -> ModuleType:
    """An empty module that is in no list of modules."""
    return ModuleType(name)


def get_suffixes() -> list[Description]:
    """The endings of files that are modules, the mode to open them in, and their kinds."""
    endings = {
        C_EXTENSION: importlib.machinery.EXTENSION_SUFFIXES,
        PY_SOURCE: importlib.machinery.SOURCE_SUFFIXES,
        PY_COMPILED: importlib.machinery.BYTECODE_SUFFIXES,
    }
    return [(ending, _KINDS[kind], kind) for kind, found in endings.items() for ending in found]


def load_source(name: str, pathname: str, file: IO[str] | None = None) -> ModuleType:
    """Runs a source file as the module of a name, anew if there is one.

    Raises:
        FileNotFoundError: if there is no such file.
    """
    loader = importlib.machinery.SourceFileLoader(name, pathname)
    return _load(name, importlib.util.spec_from_file_location(name, pathname, loader=loader))


def load_compiled(name: str, pathname: str, file: IO[bytes] | None = None) -> ModuleType:
    """Runs a compiled file as the module of a name."""
    loader = importlib.machinery.SourcelessFileLoader(name, pathname)
    return _load(name, importlib.util.spec_from_file_location(name, pathname, loader=loader))


def load_dynamic(name: str, path: str, file: IO[bytes] | None = None) -> ModuleType:
    """Loads an extension module."""
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    return _load(name, importlib.machinery.ModuleSpec(name, loader, origin=path))


def load_package(name: str, path: str) -> ModuleType:
    """Loads the package in a folder."""
    init = os.path.join(path, "__init__.py")
    return _load(name, importlib.util.spec_from_file_location(name, init, submodule_search_locations=[path]))


def _load(name: str, spec: importlib.machinery.ModuleSpec | None) -> ModuleType:
    if spec is None or spec.loader is None:
        raise ImportError(f"No module named {name!r}", name=name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules[name]


def find_module(name: str, path: Sequence[str] | None = None) -> tuple[IO[str] | IO[bytes] | None, str, Description]:
    """Where a module lies: its open file, path and description, as `load_module` takes them.

    Args:
        name: its name, without dots.
        path: the folders to search; `sys.path` by default.

    Raises:
        ImportError: if there is none.
    """
    if path is None and name in sys.builtin_module_names:
        return None, "", ("", "", C_BUILTIN)
    for folder in sys.path if path is None else path:
        package = os.path.join(folder, name)
        if os.path.isfile(os.path.join(package, "__init__.py")):
            return None, package, ("", "", PKG_DIRECTORY)
        for ending, mode, kind in get_suffixes():
            found = package + ending
            if os.path.isfile(found):
                return (tokenize.open(found) if kind == PY_SOURCE else open(found, mode)), found, (ending, mode, kind)
    raise ImportError(f"No module named {name!r}", name=name)


def load_module(name: str, file: IO[str] | IO[bytes] | None, filename: str, details: Description) -> ModuleType:
    """Loads what `find_module` found.

    Raises:
        ImportError: if it is of a kind that is not known.
    """
    kind = details[2]
    if kind == PY_SOURCE:
        return load_source(name, filename)
    if kind == PY_COMPILED:
        return load_compiled(name, filename)
    if kind == C_EXTENSION:
        return load_dynamic(name, filename)
    if kind == PKG_DIRECTORY:
        return load_package(name, filename)
    if kind in (C_BUILTIN, PY_FROZEN):
        return importlib.import_module(name)
    raise ImportError(f"Don't know how to import {name} (type code {kind})", name=name)


def reload(module: ModuleType) -> ModuleType:
    """Runs a module anew."""
    return importlib.reload(module)


def cache_from_source(path: str, debug_override: bool | None = None) -> str:
    """Where the compiled file of a source file is kept."""
    return importlib.util.cache_from_source(path, debug_override)


def get_tag() -> str | None:
    """What compiled files of this Python have in their names."""
    return sys.implementation.cache_tag
