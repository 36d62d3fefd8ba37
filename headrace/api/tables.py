"""Reading the tables of public names.

A table is a module of `headrace.api` at the path of the public module it describes (`api/nn.py` is `tf.nn`,
`api/tf.py` is the root). It may define:

- `HOMES`: implementation module, relative to the package, to the names defined there, separated by blanks.
- `SPELLED`: a second or older spelling to its home, `{"sub": "ops.math.arithmetic.subtract"}`. The home may be a
  public module as well.
- `NESTED`: the `HOMES` of small public modules below this one, `{"rnn_cell": {"layers.cells": "GRUCell"}}`.
- `EVERY`: modules or objects in which a name without a row is looked up, in order, separated by blanks.
- `ABSENT`: names 1.x had that are not here, to a word of advice.
- `WHOLE`: whether all names are there as soon as the module is, for programs that say `tf.logging.__dict__["INFO"]`.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType

ROWS = ("HOMES", "SPELLED", "NESTED", "EVERY", "ABSENT", "WHOLE")
# The modules beside the tables that are none, whatever they define.
MACHINERY = frozenset(
    {
        *(
            "gen_ops",
            "internal_contrib",
            "internal_estimators",
            "internal_modules",
            "internal_names",
            "internal_paths",
            "lazy",
            "op_index",
            "op_table",
            "tables",
            "v2_arguments",
        ),
        "wiring",
    }
)

_FOLDER = __name__.rpartition(".")[0]


class Table:
    """What one public module offers.

    Args:
        homes: name to (implementation module, name there).
        nested: the `HOMES` of public modules below this one.
        every: where names without a home are looked up.
        absent: advice about names that are not here.
        module: the dotted name of the table itself, None for one without a module of its own.
        whole: whether the names of `homes` are looked up when the module is made, for programs that look into its
            `__dict__`.
    """

    def __init__(
        self,
        homes: dict[str, tuple[str, str]] | None = None,
        nested: Mapping[str, Mapping[str, str]] | None = None,
        every: tuple[str, ...] = (),
        absent: Mapping[str, str] | None = None,
        module: str | None = None,
        whole: bool = False,
    ) -> None:
        self.homes, self.nested, self.every = homes or {}, nested or {}, every
        self.absent, self.module, self.whole = absent or {}, module, whole

    def children(self) -> set[str]:
        """The names of the public modules below this one that have a table."""
        names = set(self.nested)
        if self.module is None:
            return names
        # The root's table is a module beside the others, so what lies beside it lies below the root.
        folder = self.module.removesuffix(".tf") if self.module.endswith(".api.tf") else self.module
        package = importlib.import_module(folder)
        for entry in pkgutil.iter_modules(getattr(package, "__path__", [])):
            if entry.name != "tf" and is_table(importlib.import_module(f"{folder}.{entry.name}")):
                names.add(entry.name)
        return names


def is_table(module: ModuleType) -> bool:
    """Whether a module of the tables' folder describes a public module; a folder of tables does by itself."""
    parent, _, leaf = module.__name__.rpartition(".")
    if leaf in MACHINERY and parent == _FOLDER:
        return False
    return hasattr(module, "__path__") or not vars(module).keys().isdisjoint(ROWS)


def homes_of(rows: Mapping[str, str], spelled: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """The homes of all names of a table: name to (module, name there).

    Raises:
        ValueError: if a name has two homes.
    """
    homes: dict[str, tuple[str, str]] = {}
    for module, names in rows.items():
        for name in names.split():
            if name in homes:
                raise ValueError(f"{name!r} has two homes: {homes[name][0]} and {module}.")
            homes[name] = (module, name)
    for name, target in spelled.items():
        if name in homes:
            raise ValueError(f"{name!r} has a home, {homes[name][0]}, and is a spelling of {target} too.")
        module, _, attribute = target.rpartition(".")
        homes[name] = (module, attribute)
    return homes


def read_table(folder: str, path: str) -> Table | None:
    """The table of the public module at `path` ("" is the root) in the package `folder`, or None."""
    parent, _, leaf = path.rpartition(".")
    module = _import_if_there(f"{folder}.{path or 'tf'}") if path != "tf" else None
    if module is not None and is_table(module):
        homes = homes_of(getattr(module, "HOMES", {}), getattr(module, "SPELLED", {}))
        every = tuple(getattr(module, "EVERY", "").split())
        absent, whole = getattr(module, "ABSENT", {}), getattr(module, "WHOLE", False)
        return Table(homes, getattr(module, "NESTED", {}), every, absent, module.__name__, whole)
    above = read_table(folder, parent) if path else None
    if above is not None and leaf in above.nested:
        return Table(homes_of(above.nested[leaf], {}))
    return None


def public_homes(folder: str, path: str = "") -> Iterator[tuple[str, tuple[str, str]]]:
    """Every public name with a home of its own: its dotted spelling, and (implementation module, name there).

    Args:
        folder: the package of the tables.
        path: the public module to begin at; "" is the root.
    """
    table = read_table(folder, path)
    if table is None:
        return
    prefix = f"{path}." if path else ""
    for name, home in table.homes.items():
        yield f"{prefix}{name}", home
    for child in sorted(table.children()):
        yield from public_homes(folder, f"{prefix}{child}")


def importable(name: str) -> bool:
    """Whether a module of this name can be found, without importing it."""
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError as error:
        # A parent is missing or is not a package; anything else missing is an error of the parent's own.
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            return False
        raise


def _import_if_there(name: str) -> ModuleType | None:
    return importlib.import_module(name) if importable(name) else None
