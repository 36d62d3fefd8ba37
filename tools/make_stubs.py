"""Writes `headrace-stubs/`: what type checkers and editors know of the public names, which the package makes when they are used.

    python tools/make_stubs.py            # writes them
    python tools/make_stubs.py --check    # says what is not as it would be written

Each public module becomes a `.pyi` file that imports its names from the modules that implement them, so that signatures,
types and docstrings are those of the code.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import headrace
from headrace.api.lazy import Finder, finder

FOLDER = Path(__file__).resolve().parent.parent / "headrace-stubs"
_HEAD = "# Made by tools/make_stubs.py.\n"
_OWN = ("install_as_tensorflow",)


def stub_of(served: Finder, path: str) -> str:
    """The text of one public module's stub."""
    table = served.table(path)
    lines: dict[str, str] = {}
    for name in sorted({*table.homes, *table.children()} if table is not None else ()):
        child = f"{path}.{name}" if path else name
        lines[name] = _line(served, path, name, child)
    # What is looked up in whole modules is named one by one, too.
    for source in table.every if table is not None else ():
        if source == ".":
            continue
        for name in dir(served._place(source)):
            if not name.startswith("_") and name not in lines:
                lines[name] = _line(served, path, name, None, (source, name))
    typed = any(": Any" in line for line in lines.values())
    head = _HEAD + ("from typing import Any\n\n" if typed else "\n")
    if not path:
        own = "".join(f"from headrace.shim import {name} as {name}\n" for name in _OWN)
        head += f"{own}__version__: str\n__headrace_version__: str\n"
    return head + "".join(line for line in lines.values() if line)


def _line(served: Finder, path: str, name: str, child: str | None, home: tuple[str, str] | None = None) -> str:
    table = served.table(path)
    if home is None and table is not None:
        home = table.homes.get(name)
    value = getattr(served._place(home[0]), home[1], None) if home and home[0] else served.resolve(path, name)
    if isinstance(value, ModuleType):
        if child is not None and served.table(child) is not None:
            return f"from {_full(path)} import {name} as {name}\n"
        parent, _, leaf = value.__name__.rpartition(".")
        return f"from {parent} import {leaf} as {name}\n" if parent else f"import {leaf} as {name}\n"
    if home is None:
        return f"{name}: Any\n"
    module, attribute = home
    if served.table(module) is not None and not _is_file(module):
        # Another public module has it under this name.
        return f"from {_full(module)} import {attribute} as {name}\n"
    return _imported(served._place(module), module, attribute, name, value)


def _imported(place: Any, module: str, attribute: str, name: str, value: Any) -> str:
    if not isinstance(place, ModuleType):
        return f"{name}: Any\n"
    if attribute in _static_names(place):
        return f"from {_full(module)} import {attribute} as {name}\n"
    defined = inspect.getmodule(value)
    if defined is not None and attribute in _static_names(defined):
        return f"from {defined.__name__} import {attribute} as {name}\n"
    return f"{name}: Any\n"


_names: dict[str, set[str]] = {}


def _static_names(module: ModuleType) -> set[str]:
    """The names that a module's source states."""
    if module.__name__ not in _names:
        found: set[str] = set()
        source = getattr(module, "__file__", None)
        tree = ast.parse(Path(source).read_text()) if source and source.endswith(".py") else ast.Module([], [])
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                found.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        _names[module.__name__] = found
    return _names[module.__name__]


def _is_file(module: str) -> bool:
    root = Path(headrace.__file__).parent / module.replace(".", "/")
    return root.with_suffix(".py").is_file() or (root / "__init__.py").is_file()


def _full(path: str) -> str:
    return f"headrace.{path}" if path else "headrace"


def stubs() -> dict[Path, str]:
    """All files, by their paths below the folder."""
    served = finder()
    modules = served.public_modules()
    packages = {module.rpartition(".")[0] for module in modules if module}
    made = {Path("py.typed"): "partial\n"}
    for module in modules:
        place = Path(module.replace(".", "/"))
        folder = Path(headrace.__file__).parent / place
        is_package = not module or module in packages or folder.is_dir()
        made[place / "__init__.pyi" if is_package else place.with_suffix(".pyi")] = stub_of(served, module)
    return made


def main() -> None:
    """Writes or checks the stubs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file would be another one")
    check = parser.parse_args().check
    wanted = stubs()
    present = {path.relative_to(FOLDER): path.read_text() for path in FOLDER.rglob("*") if path.is_file()}
    if check:
        wrong = sorted(str(path) for path in {*wanted, *present} if wanted.get(path) != present.get(path))
        if wrong:
            sys.exit(f"Run `make stubs`: {len(wrong)} stubs are not as they would be made: {', '.join(wrong[:5])}")
        return
    for path in present.keys() - wanted.keys():
        (FOLDER / path).unlink()
    for path, text in wanted.items():
        if present.get(path) != text:
            (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
            (FOLDER / path).write_text(text)
    print(f"{len(wanted)} files in {FOLDER}")


if __name__ == "__main__":
    main()
