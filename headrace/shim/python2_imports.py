"""Converting Python-2 modules of a program as they are imported: those below its own folder, no others."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

from headrace.shim.python2 import compile_source
from headrace.shim.python2_evidence import may_be_python2


class ConvertingLoader(SourceFileLoader):
    """Loads a source of either Python; conversions are not cached, as plain Python reads the cache too."""

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module."""
        path = self.get_filename(fullname)
        data = self.get_data(path)
        if may_be_python2(data):
            return compile_source(data, path)
        try:
            return super().get_code(fullname)
        except SyntaxError:
            pass  # raised again below if it stands, without this one as its context
        return compile_source(data, path)


class ConvertingFinder:
    """Finds modules as Python does, and loads those below `folder` through `ConvertingLoader`.

    Args:
        folder: the program's folder.
    """

    def __init__(self, folder: str) -> None:
        self.folder = os.path.join(os.path.realpath(folder), "")
        self._inside: dict[str, bool] = {}

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """The spec of a module of the program; None for any other."""
        # Only the program's own entries are searched: the rest of sys.path is none of this finder's business.
        if path is None:
            path = [entry for entry in sys.path if self._is_inside(entry or os.getcwd())]
        if not any(self._is_inside(entry) for entry in path):
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is None or spec.origin is None or type(spec.loader) is not SourceFileLoader:
            return None
        if not self._is_inside(spec.origin) or "site-packages" in spec.origin:
            return None
        spec.loader = ConvertingLoader(fullname, spec.origin)
        return spec

    def _is_inside(self, path: str) -> bool:
        # Asked for every import of the program and of its libraries.
        inside = self._inside.get(path)
        if inside is None:
            inside = self._inside[path] = os.path.join(os.path.realpath(path), "").startswith(self.folder)
        return inside


def convert_imports_below(folder: str) -> None:
    """From now on, Python-2 modules of the program in `folder` are converted when they are imported."""
    places = [place for place, finder in enumerate(sys.meta_path) if finder is PathFinder]
    sys.meta_path.insert(places[0] if places else len(sys.meta_path), ConvertingFinder(folder))
