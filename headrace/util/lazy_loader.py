"""1.x's `lazy_loader`: a module that is imported when it is first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from headrace.util import tf_logging


class LazyLoader(ModuleType):
    """Stands for a module until something is looked up in it.

    Args:
        local_name: the name it has in the importing module.
        parent_module_globals: that module's `globals()`.
        name: the module to import.
        warning: logged once when it is imported.

    Example:
        >>> ffmpeg = LazyLoader("ffmpeg", globals(), "package.ffmpeg")
    """

    def __init__(
        self, local_name: str, parent_module_globals: dict[str, Any], name: str, warning: str | None = None
    ) -> None:
        self._local_name, self._globals, self._warning = local_name, parent_module_globals, warning
        super().__init__(name)

    def _load(self) -> ModuleType:
        module = importlib.import_module(self.__name__)
        self._globals[self._local_name] = module
        if self._warning:
            tf_logging.warning(self._warning)
            self._warning = None
        # Later lookups find the names here directly.
        self.__dict__.update(module.__dict__)
        return module

    def __getattr__(self, item: str) -> Callable[..., Any]:
        return getattr(self._load(), item)

    def __dir__(self) -> list[str]:
        return dir(self._load())
