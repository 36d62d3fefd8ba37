"""Public modules made of tables: `tf.nn` exists because `api/nn.py` lists its names.

`serve` gives a package the root table and installs a finder, so that `import headrace.contrib.slim` finds its
table too. A name is imported from its home when it is first used and is an ordinary attribute from then on.
Where the package has a folder of the same path (`headrace/train/`), the public module is that package as
well, so implementation modules below it are imported as usual; they never hide a public name that is spelled
like the module.

The tables are described in `headrace.api.tables`.
"""

from __future__ import annotations

import contextlib
import importlib
import pkgutil
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any

from headrace.api import internal_paths
from headrace.api.tables import Table, importable, read_table
from headrace.util.collector import without_collections

if TYPE_CHECKING:
    from importlib.abc import Loader

    from headrace.api.replacing import Replacements
else:
    Loader = object  # importing importlib.abc would be a third of what `import headrace` costs

ROOT_ALIAS = "compat.v1"
_importing = threading.RLock()
# Names of Headrace's own, which are no part of TensorFlow, and where they lie.
_OWN = {
    "load_ipython_extension": "notebook.extension.load_ipython_extension",
    "serve": "serve",
    "torch": "torch",
    "unload_ipython_extension": "notebook.extension.unload_ipython_extension",
}


def _import_name(module: ModuleType) -> str:
    """The name by which a module is imported; `__name__` may be the one that TensorFlow gave it."""
    return module.__name__ if module.__spec__ is None else module.__spec__.name


class Namespace(ModuleType):
    """A public module whose names come from a table."""

    def __getattr__(self, name: str) -> Any:
        finder, path = _served(self)
        if name == "__all__":
            return internal_paths.starred(path, finder.public_names(path))
        if name.startswith("__") and not name.endswith("version__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)
        # Two threads that import modules which need each other would get them half made.
        try:
            with _importing:
                value = without_collections(finder.resolve, path, name)
        except AttributeError as error:
            if self._is_imported_from(sys._getframe(1)) and f"{_import_name(self)}.{name}" not in sys.modules:
                # Python would say only that it cannot import the name.
                raise ImportError(f"cannot import name {name!r}: {error}", name=self.__name__) from None
            raise
        # Set past __setattr__, which would take a public module for an implementation module.
        if value.__class__ is not bool:  # a flag changes
            self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # Importing an implementation module makes it an attribute of its parent; a public name comes first.
        if isinstance(value, ModuleType) and _import_name(value) == f"{_import_name(self)}.{name}":
            finder, path = _served(self)
            table = finder.table(path)
            if table is not None and (name in table.homes or finder.place_before_module(path, name) is not None):
                return
        elif not isinstance(value, ModuleType) and not name.startswith("__"):
            finder, path = _served(self)
            if path.startswith("python."):
                finder.replace(path, name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        finder, path = _served(self)
        if finder.replaced is not None:
            finder.replaced.undo(path, name)
        super().__delattr__(name)

    def _is_imported_from(self, frame: FrameType) -> bool:
        """Whether a frame takes a name of this module by `from module import name`."""
        from opcode import opmap

        if frame.f_code.co_filename.startswith("<frozen"):
            # Python looks for a module of that name next, below the name that 1.x's modules have in TensorFlow.
            return frame.f_code.co_name == "_handle_fromlist" and self.__name__ != _import_name(self)
        return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]

    def __advice__(self, name: str) -> str | None:
        """What to do about a name that is not here, or None."""
        finder, path = _served(self)
        return finder.absent_name_advice(path, name)

    def __dir__(self) -> list[str]:
        finder, path = _served(self)
        special = [name for name in self.__dict__ if name.startswith("__")]
        return sorted({*special, *finder.public_names(path)})


class RootView(ModuleType):
    """The root under another name: everything of the root, with 1.15's version as `__version__`."""

    def __getattr__(self, name: str) -> Any:
        root = self.__dict__["__root__"]
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module 'tensorflow' has no attribute {name!r}", name=name)
        value = root.__all__ if name == "__all__" else getattr(root, name)
        self.__dict__[name] = value
        return value

    def __dir__(self) -> list[str]:
        special = [name for name in self.__dict__ if name.startswith("__")]
        return sorted({*special, *(name for name in dir(self.__dict__["__root__"]) if not name.startswith("__"))})


def _served(module: ModuleType) -> tuple[Finder, str]:
    served: tuple[Finder, str] = module.__dict__["__served__"]
    return served


class Finder:
    """Finds the public modules of a package: by table, by spelling, by internal path.

    Args:
        package: the package they belong to; its tables are in the package's `api`.
    """

    def __init__(self, package: str) -> None:
        self.package = package
        self._folder = f"{package}.api"
        self._first: set[str] | None = None
        self._tables: dict[str, Table | None] = {}
        self._supported: set[tuple[str, str]] | None = None
        self._declaration: type | tuple[Any, ...] | None = None
        # What programs have put in the place of names of internal modules, None where nothing was.
        self.replaced: Replacements | None = None
        self._dispatched: dict[tuple[str, str], Any] = {}
        # What stands for an object of today, by the identity of that, which is kept with it.
        self._former: dict[int, tuple[Any, Any]] = {}

    def table(self, path: str) -> Table | None:
        """The table of the public module at `path` ("" is the root), or None."""
        if path not in self._tables:
            table = read_table(self._folder, path) if self._may_have_table(path) else None
            self._tables[path] = table or self._internal(path)
        return self._tables[path]

    def _may_have_table(self, path: str) -> bool:
        """Spares implementation modules the search for a table: what stands first decides most of them."""
        if self._first is None:
            api = importlib.import_module(self._folder)
            listed = {entry.name for entry in pkgutil.iter_modules(api.__path__)}
            root = read_table(self._folder, "")
            self._first = listed | set(root.nested if root is not None else ())
        return not path or path.partition(".")[0] in self._first

    def _internal(self, path: str) -> Table | None:
        """The table of one of 1.x's internal modules: wherever its names are looked up."""
        searched = internal_paths.searched(path)
        if searched is None:
            return None
        found = tuple(s for s in searched if s == "." or importable(f"{self.package}.{s}"))
        if searched and not [s for s in found if s != "."] and searched != (".",):
            return None
        return Table(every=found)

    def public_names(self, path: str) -> list[str]:
        """The names of the public module at `path`, its public submodules among them."""
        table = self.table(path)
        names: set[str] = set()
        if table is not None:
            names = {*table.homes, *table.children(), *internal_paths.children(path)}
            for source in table.every:
                names.update(n for n in dir(self._place(source)) if not n.startswith("_"))
        # 1.15 does not list in what its modules lie, though it can be imported.
        names.discard("python" if path.startswith("contrib.") else "")
        return sorted(names)

    def public_modules(self) -> list[str]:
        """The paths of all public modules, "" for the root."""
        found = {"": None}
        pending = [""]
        while pending:
            path = pending.pop()
            table = self.table(path)
            for name in () if table is None else sorted({*table.homes, *table.children()}):
                child = f"{path}.{name}" if path else name
                # Modules of TensorFlow's own tree are there by name only; what they hold is public elsewhere.
                if child not in found and not internal_paths.is_module(child) and self.table(child) is not None:
                    found[child] = None
                    pending.append(child)
        return sorted(found)

    def resolve(self, path: str, name: str) -> Any:
        """The object a public name stands for.

        Raises:
            AttributeError: if there is none, naming close spellings and the user's line.
        """
        value = self._found(path, name)
        if self.replaced is not None:
            value = self.replaced.original(value)
        return self._former[id(value)][1] if id(value) in self._former else value

    def stand_for(self, today: Any, former: Any) -> None:
        """Lets another object stand for one wherever programs find it, under all its names; the first one said stays."""
        if id(today) in self._former or any(each[1] is today for each in self._former.values()):
            return
        self._former[id(today)] = today, former
        for module in [module for module in sys.modules.values() if isinstance(module, Namespace | RootView)]:
            for name, value in list(module.__dict__.items()):
                if value is today:
                    module.__dict__[name] = former

    def _found(self, path: str, name: str) -> Any:
        table = self.table(path)
        child = f"{path}.{name}" if path else name
        if table is not None and name in table.homes:
            module, attribute = table.homes[name]
            home = self._place(module)
            if home is not sys.modules.get(self._full(path)) or attribute in home.__dict__ or attribute != name:
                if attribute not in home.__dict__ and hasattr(home, "__path__"):
                    inside = f"{home.__name__}.{attribute}"
                    if importable(inside):  # the row names a module, which may not have been imported yet
                        return importlib.import_module(inside)
                return self._taking_composites(module, attribute, getattr(home, attribute), (path, name))
        elif other := internal_paths.spelled(path, name):
            return getattr(self._place(other[0] or "."), other[1])
        else:
            sources = () if table is None else table.every
            if (place := self.place_before_module(path, name)) is not None:
                return getattr(place, name)
            if self._is_public_module(child):
                return importlib.import_module(self._full(child))
            for source in sources:
                # A function that 1.x wrote hides the op of the same name.
                if source == "api.gen_ops" != sources[0] and (value := self._version(path, name, sources)) is not None:
                    return value
                try:
                    value = self._callable(getattr(self._place(source), name))
                    return self.resolve("", name) if self._is_root(name, value) else value
                except AttributeError:
                    continue
            if (value := self._version(path, name, sources)) is not None:
                return value
            if imported := internal_paths.sibling(path, name):
                return importlib.import_module(self._full(imported))
        if child in _OWN:
            return self._place(_OWN[child])
        raise AttributeError(self._absent(path, name), name=name)

    def place_before_module(self, path: str, name: str) -> Any:
        """Where a name is that comes before a module of the same name, or None.

        Below 1.x's internal contrib folders any path may be a module, so names come first there.
        """
        table = self.table(path)
        if table is None or not internal_paths.is_contrib(path) or internal_paths.is_module(f"{path}.{name}"):
            return None
        places = (self._place(source) for source in table.every if source != ".")
        return next((place for place in places if name in dir(place)), None)

    def _is_root(self, name: str, value: object) -> bool:
        """Whether a function found elsewhere is the one of the root, which takes composite tensors too."""
        root = self.table("")
        home = root.homes.get(name) if root is not None else None
        return home is not None and callable(value) and getattr(self._place(home[0]), home[1], None) is value

    def _taking_composites(self, module: str, attribute: str, value: object, public: tuple[str, str]) -> Any:
        """A function that takes ragged tensors or linear operators as well, made so once; any other value as it is."""
        if self._supported is None:
            rows = [f"{self.package}.functions.{family}.supported" for family in ("ragged", "linalg")]
            found = [importlib.import_module(row).SUPPORTED for row in rows if importable(row)]
            self._supported = {key for supported in found for key in supported}
        if (module, attribute) not in self._supported:
            return value
        if (module, attribute) not in self._dispatched:
            dispatched = importlib.import_module(f"{self.package}.core.composite_types").dispatched
            function = dispatched(value)
            # Where pickle finds it, as part of what a program saves.
            function.__module__, function.__qualname__ = self._full(public[0]), public[1]
            self._dispatched[module, attribute] = function
        return self._dispatched[module, attribute]

    def _version(self, path: str, name: str, sources: tuple[str, ...]) -> Callable[..., Any] | type | None:
        """What a name of an internal module that ends in a version means, or None."""
        for module, plain in internal_paths.versions(path, name, sources):
            try:
                return getattr(importlib.import_module(self._full(module) if module else self.package), plain)
            except (AttributeError, ImportError):
                continue
        return None

    def replace(self, path: str, name: str, value: Any) -> None:
        """Sets a name in the implementation module behind an internal one, as tests do that put others in the place of
        its functions."""
        if self.replaced is None:
            self.replaced = importlib.import_module(f"{__package__}.replacing").Replacements(self.package)
        table = self.table(path)
        places = [self._place(source) for source in (() if table is None else table.every) if source != "."]
        with contextlib.suppress(AttributeError):
            places.append(sys.modules.get(getattr(self.resolve(path, name), "__module__", None) or ""))
        self.replaced.put(path, name, value, places)

    def _callable(self, value: object) -> Any:
        """A declared op found in an implementation module as the function of 1.x's generated modules."""
        if self._declaration is None:
            registry = f"{self.package}.core.registry"
            self._declaration = importlib.import_module(registry).OpDecl if importable(registry) else ()
        if not isinstance(value, self._declaration):
            return value
        return importlib.import_module(f"{self.package}.api.gen_ops").OpFunction(value)

    def _is_public_module(self, path: str) -> bool:
        return path == ROOT_ALIAS or self.table(path) is not None or internal_paths.message_module(path) is not None

    def _full(self, path: str) -> str:
        return f"{self.package}.{path}" if path else self.package

    def _place(self, source: str) -> Any:
        """The module, or the object in a module, that a row names."""
        if source in ("", "."):
            return sys.modules[self.package]
        full = self._full(source)
        if full in sys.modules:
            return sys.modules[full]
        module, _, attribute = full.rpartition(".")
        try:
            return importlib.import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
            return getattr(importlib.import_module(module), attribute)

    def _absent(self, path: str, name: str) -> str:
        from headrace.util.callsite import describe, user_frames

        spelled = f"tensorflow.{path}" if path else "tensorflow"
        text = f"module {spelled!r} has no attribute {name!r}"
        if sys._getframe(3).f_code.co_filename.startswith("<frozen"):
            return text  # a probe of Python's own: nobody reads the rest
        advice = self.absent_name_advice(path, name)
        where = describe(user_frames())
        return text + (f"; {advice}" if advice else "") + (f" [{where}]" if where else "")

    def absent_name_advice(self, path: str, name: str) -> str | None:
        """What to do about a name that is not there: the table's own word, or close spellings, or None."""
        import difflib

        table = self.table(path)
        if table is not None and name in table.absent:
            return table.absent[name]
        close = difflib.get_close_matches(name, self.public_names(path), n=3, cutoff=0.75)
        told = [f"close: {', '.join(close)}" if close else None, internal_paths.advice(path)]
        return "; ".join(filter(None, told)) or None

    # The finder itself, as Python's import system knows it.

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a public module; None for anything else."""
        if not fullname.startswith(f"{self.package}."):
            return None
        relative = fullname[len(self.package) + 1 :]
        if relative.startswith("api.") or relative == "api":
            return None
        if relative == ROOT_ALIAS:
            return ModuleSpec(fullname, _RootViewLoader(self.package), is_package=True)
        if relative.startswith(f"{ROOT_ALIAS}."):
            return alias_spec(fullname, f"{self.package}{relative[len(ROOT_ALIAS) :]}")
        if messages := internal_paths.message_module(relative):
            return alias_spec(fullname, messages)
        if self.table(relative) is not None:
            return self._namespace_spec(fullname, relative, path)
        parent, _, leaf = relative.rpartition(".")
        above = self.table(parent)
        if above is not None and leaf in above.homes and PathFinder.find_spec(fullname, path) is None:
            # A public module may have a second spelling, which `import` must find as well.
            module, attribute = above.homes[leaf]
            value = getattr(self._place(module), attribute, None)
            if isinstance(value, Namespace):
                return alias_spec(fullname, _import_name(value))
        above_it = sys.modules.get(f"{self.package}.{parent}")
        if isinstance(above_it, Namespace) and _import_name(above_it) != f"{self.package}.{parent}":
            # What lies below a second spelling lies below the first.
            return alias_spec(fullname, f"{_import_name(above_it)}.{leaf}")
        return None

    def _namespace_spec(self, fullname: str, relative: str, path: Sequence[str] | None) -> ModuleSpec | None:
        physical = PathFinder.find_spec(fullname, path)
        if physical is not None and internal_paths.searched(relative) is not None:
            return None  # an implementation module at the path of one of 1.x's internal modules is itself
        inner = physical.loader if physical is not None and physical.origin is not None else None
        spec = ModuleSpec(fullname, _NamespaceLoader(self, relative, inner), is_package=True)
        if physical is not None:
            spec.submodule_search_locations = physical.submodule_search_locations or []
            if physical.origin is not None:
                spec.origin, spec.has_location, spec.cached = physical.origin, True, physical.cached
        return spec


class _NamespaceLoader(Loader):
    """Makes a `Namespace`, and runs the package of the same path in it where there is one."""

    def __init__(self, finder: Finder, path: str, inner: Any) -> None:
        self._finder, self._path, self._inner = finder, path, inner

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = Namespace(spec.name)
        module.__dict__["__served__"] = (self._finder, self._path)
        return module

    def exec_module(self, module: ModuleType) -> None:
        if self._inner is not None:
            self._inner.exec_module(module)
        if self._path.startswith("python."):
            # A module of TensorFlow's own tree goes by the name it has there.
            module.__dict__["__name__"] = f"tensorflow.{self._path}"
        table = self._finder.table(self._path)
        if table is not None and table.whole:
            for name in table.homes:
                getattr(module, name)
        if self._path in internal_paths.WITH_EFFECT:
            importlib.import_module(self._finder._full(internal_paths.WITH_EFFECT[self._path]))

    def get_source(self, fullname: str) -> str | None:
        """The source of the package of the same path, for tracebacks."""
        return self._inner.get_source(fullname) if self._inner is not None else None


class _RootViewLoader(Loader):
    def __init__(self, package: str) -> None:
        self._package = package

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        view = RootView("tensorflow")
        root = sys.modules[self._package]
        view.__dict__.update(__root__=root, __doc__=root.__doc__, __file__=root.__file__, __package__="tensorflow")
        return view

    def exec_module(self, module: ModuleType) -> None:
        # `tf.__version__` and its kin are the only names of the root that start with underscores.
        for name, value in vars(importlib.import_module("headrace.core.version")).items():
            if name in ("__version__", "__git_version__", "__compiler_version__"):
                module.__dict__[name] = value


class _AliasLoader(Loader):
    """Makes a module name stand for the module object of another name."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # What stands in sys.modules once this returns is what the import statement gets.
        sys.modules[module.__name__] = importlib.import_module(self._target)


def alias_spec(fullname: str, target: str) -> ModuleSpec:
    """The spec of a module that is the very module `target`."""
    return ModuleSpec(fullname, _AliasLoader(target), is_package=True)


def finder() -> Finder:
    """What serves the public modules of this package."""
    return next(found for found in sys.meta_path if isinstance(found, Finder))


def serve(package: str) -> None:
    """Makes `package` the root of its tables' names and lets its public modules be imported.

    Called by the package's own `__init__`; calling it again (a reload) changes nothing.

    Args:
        package: name of the package, whose tables are in its `api`.
    """
    module = sys.modules[package]
    if "__served__" in module.__dict__:
        return
    finder = Finder(package)
    module.__dict__["__served__"] = (finder, "")
    module.__class__ = Namespace
    sys.meta_path.insert(0, finder)
