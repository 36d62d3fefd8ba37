"""`import keras` gives the stand-alone package of 1.2 to 2.3, as far as it was one with TensorFlow under it.

Its modules are made when they are imported, and a name is looked up in the places of the module's row in
`headrace.shim.keras_modules`. A Keras that is installed is hidden; one that is imported already stays.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

from headrace.api.lazy import ROOT_ALIAS
from headrace.shim.keras_modules import MODULES, PARTS

if TYPE_CHECKING:
    from importlib.abc import Loader
else:
    Loader = object  # importing importlib.abc costs more than all of this module


class KerasModule(ModuleType):
    """A module of the stand-alone package; its names come from the places of its row."""

    def __getattr__(self, name: str) -> object:
        if name == "__all__":
            return [known for known in dir(self) if not known.startswith("_")]
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        path = self.__name__.partition(".")[2]
        if name == "tf" and path.startswith("backend"):
            return importlib.import_module(f"headrace.{ROOT_ALIAS}")  # programs take it from there: `K.tf`
        child = f"{path}.{name}" if path else name
        if child in MODULES:
            return importlib.import_module(f"keras.{child}")
        for place in places(path):
            try:
                value = getattr(place, name)
            except AttributeError:
                continue
            self.__dict__[name] = value
            return value
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}{_advice(self, name)}", name=name)

    def __call__(self, *args: object, **kwargs: object) -> object:
        """The function of the module's own name: `keras.layers.merge` was one in Keras 1, and a module since."""
        leaf = self.__name__.rpartition(".")[2]
        function = getattr(self, leaf, None)
        if not callable(function):
            raise TypeError(f"{self.__name__} is a module, which cannot be called.")
        return function(*args, **kwargs)

    def __dir__(self) -> list[str]:
        path = self.__name__.partition(".")[2]
        names = {name for name in self.__dict__ if not name.startswith("_")}
        for place in places(path):
            names.update(name for name in dir(place) if not name.startswith("_"))
        depth = f"{path}." if path else ""
        names.update(m[len(depth) :].partition(".")[0] for m in MODULES if m.startswith(depth) and m != path)
        names.discard("")
        return sorted(names)


def places(path: str) -> list[ModuleType]:
    """The modules in which the names of `keras.<path>` are looked up, in order."""
    return [importlib.import_module(f"headrace.{place}") for place in MODULES[path].split()]


def _advice(module: ModuleType, name: str) -> str:
    import difflib

    close = difflib.get_close_matches(name, dir(module), n=3, cutoff=0.75)
    return f"; close: {', '.join(close)}" if close else ""


class _KerasLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return KerasModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == "keras":
            # What the package says of itself, and does once when it is imported.
            package = importlib.import_module("headrace.keras.standalone.package")
            module.__dict__["__version__"] = package.__version__
            package.announce()


class _PartLoader(Loader):
    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        first, dot, rest = module.__name__.partition(".")
        sys.modules[module.__name__] = importlib.import_module(f"keras.{PARTS[first]}{dot}{rest}")


class KerasFinder:
    """Makes `keras` and the modules below it ours."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of `keras` or one of its modules; None for other names.

        Raises:
            ModuleNotFoundError: for a module below `keras` that is not here, lest a part of an installed Keras be
                found.
        """
        first, _, rest = fullname.partition(".")
        if first != "keras":
            return None
        if rest not in MODULES:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        return ModuleSpec(fullname, _KerasLoader(), is_package=True)


class KerasPartsFinder:
    """Makes `keras_applications` and `keras_preprocessing` ours where they are not installed; asked last."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of one of these packages or a module below it; None for other names."""
        first, dot, rest = fullname.partition(".")
        if first not in PARTS or f"{PARTS[first]}{dot}{rest}" not in MODULES:
            return None
        return ModuleSpec(fullname, _PartLoader(), is_package=True)


_FINDER = KerasFinder()
_PARTS_FINDER = KerasPartsFinder()


def install_as_keras() -> None:
    """Makes `import keras` give ours in this process, unless another one is imported already.

    Calling it again changes nothing.
    """
    if _FINDER in sys.meta_path or "keras" in sys.modules:
        return
    sys.meta_path.insert(0, _FINDER)
    sys.meta_path.append(_PARTS_FINDER)
