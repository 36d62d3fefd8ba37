"""Writes `headrace-stubs/`: what type checkers and editors know of the public names, which the package makes when they are used.

    python tools/make_stubs.py            # writes them
    python tools/make_stubs.py --check    # says what is not as it would be written

Each public module becomes a `.pyi` file that imports its names from the modules that implement them, so that signatures,
types and docstrings are those of the code. Functions that are made while the package is imported, such as those of the
element-wise operations, are written out. Where a public module has the path of the module that implements it, that source
says it all and there is no stub, or, where a few names come from elsewhere, the stub repeats what it defines.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import headrace
from headrace.api.lazy import Finder, finder

FOLDER = Path(__file__).resolve().parent.parent / "headrace-stubs"
_HEAD = "# Made by tools/make_stubs.py.\n"
_OWN = ("install_as_tensorflow",)
_VERSIONS = ("__version__", "__headrace_version__")


def stub_of(served: Finder, path: str) -> str | None:
    """The text of one public module's stub; None where the source of the module of this path says it all."""
    table = served.table(path)
    lines = _lines(served, path)
    children = table.children() if table is not None else set()
    itself = f"from {_full(path)} import "
    own = {name for name, line in lines.items() if line.startswith(itself) and name not in children} if path else set()
    repeated = ""
    if own:
        known = _static_names(served._place(path))
        if known.issuperset(lines):
            return None
        repeated = _repeated()[path]
        lines = {name: "" if name in own else line for name, line in lines.items()}
    text = "".join(lines.values())
    typing = [word for word, sign in (("Any", ": Any"), ("overload", "@overload")) if sign in text]
    head = _HEAD + (f"from typing import {', '.join(typing)}\n\n" if typing else "\n") + repeated
    written = "".join(line for line in lines.values() if line.startswith(("def ", "@overload")))
    signatures = " ".join(re.findall(r"^def .*$", written, flags=re.MULTILINE))
    head += "".join(
        f"from {home} import {kind}\n" for kind, home in _TYPES.items() if re.search(rf"\b{kind}\b", signatures)
    )
    # What is imported under another name is a module's own only where this says so.
    names = [name for name, line in lines.items() if line or name in own]
    if not path:
        head += "".join(f"from headrace.shim import {name} as {name}\n" for name in _OWN)
        head += "".join(f"{name}: str\n" for name in _VERSIONS)
        names += [*_OWN, *_VERSIONS]
    if path == "compat":
        head += "from headrace.compat import v1 as v1\n"
        names.append("v1")
    head += f"__all__ = {sorted(names)!r}\n"
    return head + "".join(line for line in lines.values() if line)


def _lines(served: Finder, path: str) -> dict[str, str]:
    """The names of a public module, and what states each; nothing for names that cannot be stated."""
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
    return lines


@cache
def _repeated() -> dict[str, str]:
    """What stubgen says of the modules that have the path of a public module."""
    root = Path(headrace.__file__).parent
    files = {path: _file(path) for path in finder().public_modules() if path}
    with tempfile.TemporaryDirectory() as folder:
        given = [str(file.relative_to(root.parent)) for file in files.values() if file is not None]
        command = [str(Path(sys.executable).with_name("stubgen")), "--parse-only", "--include-docstrings", "--quiet"]
        subprocess.run([*command, "--output", folder, *given], cwd=root.parent, check=True)
        return {
            path: (Path(folder) / file.relative_to(root.parent)).with_suffix(".pyi").read_text(encoding="utf-8")
            for path, file in files.items()
            if file is not None
        }


def _line(served: Finder, path: str, name: str, child: str | None, home: tuple[str, str] | None = None) -> str:
    table = served.table(path)
    if home is None and table is not None:
        home = table.homes.get(name)
    value = getattr(served._place(home[0]), home[1], None) if home and home[0] else served.resolve(path, name)
    if isinstance(value, ModuleType):
        if child is not None and value.__name__ == _full(child):
            return f"from {_full(path)} import {name} as {name}\n"
        parent, _, leaf = value.__name__.rpartition(".")
        return f"from {parent} import {leaf} as {name}\n" if parent else f"import {leaf} as {name}\n"
    if home is None:
        return f"{name}: Any\n"
    module, attribute = home
    if served.table(module) is not None and not _is_file(module):
        # Another public module has it under this name.
        return f"from {_full(module)} import {attribute} as {name}\n"
    return _imported(path, served._place(module), module, attribute, name, value)


def _imported(path: str, place: Any, module: str, attribute: str, name: str, value: Any) -> str:
    if not isinstance(place, ModuleType):
        return f"{name}: Any\n"
    if _is_made(value, place):
        path_there, name_there = _written.setdefault(value, (path, name))
        if path_there != path:
            return f"from {_full(path_there)} import {name_there} as {name}\n"
        return _written_out(name, value) if name_there == name else f"{name} = {name_there}\n"
    if attribute in _static_names(place):
        return f"from {_full(module)} import {attribute} as {name}\n"
    defined = inspect.getmodule(value)
    if defined is not None and attribute in _static_names(defined):
        return f"from {defined.__name__} import {attribute} as {name}\n"
    return f"{name}: Any\n"


# What annotations of functions that are written out may name, and where it is.
_TYPES = {
    "Tensor": "headrace.core.tensor",
    "SparseTensor": "headrace.core.composite",
    "TensorLike": "headrace.core.typing",
    "CompositeTensor": "headrace.core.composite_types",
}
_PLAIN = {"bool", "int", "float", "str", "None", "object"}
_EITHER = "TensorLike | SparseTensor"


# Functions that are written out, and where: other modules have them from there.
_written: dict[Any, tuple[str, str]] = {}


def _is_made(value: Any, place: ModuleType) -> bool:
    """Whether this is a function that no `def` of its name states, but whose types are known."""
    if not inspect.isfunction(value) or value.__annotations__.get("return") not in ("Tensor", "Tensor | SparseTensor"):
        return False
    sources = (inspect.getmodule(value.__code__) or place, place)
    return not any(value.__name__ in _functions(source) for source in sources)


def _written_out(name: str, value: Any) -> str:
    """The definition of a function: its parameters, what it gives, and its docstring."""
    text = inspect.cleandoc(value.__doc__ or "").replace("\n", "\n    ").replace("\n    \n", "\n\n")
    body = f'    """{text}\n    """\n'
    if value.__annotations__.get("x") != _EITHER:
        return f"def {name}({_parameters(value, {})}) -> Tensor:\n{body}"
    forms = (("SparseTensor", "SparseTensor"), ("TensorLike", "Tensor"))
    (first, second) = (f"@overload\ndef {name}({_parameters(value, {'x': x})}) -> {y}:" for x, y in forms)
    return f"{first}\n{body}{second} ...\n"


def _parameters(function: Callable[..., Any], instead: dict[str, str]) -> str:
    """The parameters of a function as a definition states them; types that are not known stay out."""
    parts = []
    for parameter in inspect.signature(function).parameters.values():
        kind = instead.get(parameter.name, function.__annotations__.get(parameter.name, ""))
        known = bool(kind) and set(re.findall(r"[\w.]+", kind)) <= {*_TYPES, *_PLAIN}
        default = "" if parameter.default is parameter.empty else " = ..." if known else "=..."
        parts.append(f"{parameter.name}: {kind}{default}" if known else f"{parameter.name}{default}")
    return ", ".join(parts)


_defined: dict[str, set[str]] = {}


def _functions(module: ModuleType) -> set[str]:
    """The names of the functions that a module's source defines at its top."""
    if module.__name__ not in _defined:
        source = getattr(module, "__file__", None)
        tree = ast.parse(Path(source).read_text()) if source and source.endswith(".py") else ast.Module([], [])
        _defined[module.__name__] = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return _defined[module.__name__]


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


def _file(module: str) -> Path | None:
    """The source of a module of the package, by its path below the package; None where there is none."""
    place = Path(headrace.__file__).parent / module.replace(".", "/")
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)


def _is_file(module: str) -> bool:
    return _file(module) is not None


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
        text = stub_of(served, module)
        if text is not None:
            made[place / "__init__.pyi" if is_package else place.with_suffix(".pyi")] = text
    (named,) = re.findall(r"^__all__ = .*\n", made[Path("__init__.pyi")], flags=re.MULTILINE)
    made[Path("compat/v1.pyi")] = f"{_HEAD}\nfrom headrace import *\n\n{named}"
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
