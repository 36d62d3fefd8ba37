"""What the house keeps to and no linter says: where imports stand, how long things are, what annotations name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "headrace"

# Rooms whose work is finding modules by name: the tables of public names, and the hook for programs' own imports.
FIND_MODULES_BY_NAME = ("api", "shim")
# A program says which modules it wants loaded, lately or for a function of theirs.
IMPORT_WHAT_PROGRAMS_NAME = ("contrib/specs/composable.py", "serve/codecs.py", "util/lazy_loader.py")
# A command of the command line imports what it needs when it is run.
IMPORTS_AS_IT_RUNS = "cli"

IMPORTERS = ("import_module", "__import__")

MAX_INNER_IMPORTS = 10
LONGEST_FUNCTION = 80
LONGEST_MODULE = 500
NAMES_THAT_SAY_NOTHING = ("functions.py", "common.py")

# The share of all annotations that may be `Any` and no more: what attributes of ops and kernels' values are.
MAX_BARE_ANY = 0.15

_IGNORE = re.compile(r"#\s*type:\s*ignore(?:\[[^\]]*\])?(.*)")
_REASON = re.compile(r"#\s*\S")


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements below a node; expressions, which are most of a tree, are left alone."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            pending.extend(getattr(node, part, ()))


@dataclass
class Module:
    """What is looked at of a source file.

    Attributes:
        path: where it lies in the package.
        text: the source.
        by_string: lines that import modules of ours by a string, or what the line does not tell to be of others.
        inner_imports: lines within functions that import modules of ours.
        functions: the name of each function with how many lines it has.
        annotations: of each annotation whether it is `Any` and no more.
    """

    path: str
    text: str
    by_string: list[int] = field(default_factory=list)
    inner_imports: set[int] = field(default_factory=set)
    functions: list[tuple[str, int]] = field(default_factory=list)
    annotations: list[bool] = field(default_factory=list)

    def __post_init__(self) -> None:
        tree = ast.parse(self.text)
        for node in _statements(tree):
            if isinstance(node, ast.AnnAssign):
                self.annotations.append(_is_any(node.annotation))
            elif isinstance(node, Function):
                self.functions.append((node.name, (node.end_lineno or 0) - node.lineno + 1))
                self.annotations += map(_is_any, _annotations(node))
                self.inner_imports |= {inner.lineno for inner in _statements(node) if _imports_ours(inner)}
        if any(name in self.text for name in IMPORTERS):
            self.by_string += [node.lineno for node in ast.walk(tree) if _imports_ours_by_string(node)]

    @property
    def room(self) -> str:
        """The folder it lies in."""
        return self.path.partition("/")[0]


def _annotations(function: Function) -> list[ast.expr]:
    taken = function.args
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
    found = [parameter.annotation for parameter in named if parameter is not None]
    return [annotation for annotation in (*found, function.returns) if annotation is not None]


def _is_any(annotation: ast.expr) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "Any"


def _imports_ours(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or _is_ours(node.module or "")
    return isinstance(node, ast.Import) and any(_is_ours(alias.name) for alias in node.names)


def _imports_ours_by_string(node: ast.AST) -> bool:
    is_import = isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith(IMPORTERS)
    return bool(is_import) and any(name is None or _is_ours(name) for name in _beginnings(node.args[0]))


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE.name


def _beginnings(text: ast.expr) -> list[str | None]:
    """What a string, plain, formatted or one of two, may begin with; None for what is not written there."""
    if isinstance(text, ast.JoinedStr):
        return _beginnings(text.values[0]) if text.values else [""]
    if isinstance(text, ast.BinOp):
        return _beginnings(text.left)
    if isinstance(text, ast.IfExp):
        return [*_beginnings(text.body), *_beginnings(text.orelse)]
    return [text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else None]


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    return [Module(path.relative_to(PACKAGE).as_posix(), path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))]


def test_modules_are_not_imported_by_strings(modules):
    outside = [
        module
        for module in modules
        if module.room not in FIND_MODULES_BY_NAME and module.path not in IMPORT_WHAT_PROGRAMS_NAME
    ]
    assert not [f"{module.path}:{line}" for module in outside for line in module.by_string]


@pytest.mark.parametrize(
    ("call", "is_seen"),
    [
        ('import_module("headrace.plan")', True),
        ('importlib.import_module(f"headrace.{room}")', True),
        ('import_module(f"{_PACKAGE}.plan")', True),
        ('import_module(_PACKAGE + ".plan")', True),
        ('import_module("headrace." + room)', True),
        ('import_module("curses" if plain else name)', True),
        ("__import__(name)", True),
        ('import_module("curses")', False),
        ('import_module(f"tensorboard.compat.proto.{name}")', False),
        ('import_module("numpy.core" if old else "numpy._core")', False),
        ('open("headrace.txt")', False),
    ],
)
def test_an_import_by_string_is_seen(call, is_seen):
    assert bool(Module("plan/values.py", call).by_string) == is_seen


def test_imports_stand_at_the_top(modules):
    outside = [module for module in modules if module.room != IMPORTS_AS_IT_RUNS]
    found = [f"{module.path}:{line}" for module in outside for line in sorted(module.inner_imports)]
    assert len(found) <= MAX_INNER_IMPORTS, found


def test_functions_can_be_seen_at_once(modules):
    functions = [(f"{module.path}:{name}", lines) for module in modules for name, lines in module.functions]
    assert not [(name, lines) for name, lines in functions if lines > LONGEST_FUNCTION]


def test_modules_have_one_purpose(modules):
    assert not [module.path for module in modules if module.text.count("\n") > LONGEST_MODULE]


def test_names_of_modules_say_what_they_are_about(modules):
    assert not [module.path for module in modules if module.path.rpartition("/")[2] in NAMES_THAT_SAY_NOTHING]


def test_what_types_cannot_say_has_a_reason(modules):
    assert not [
        f"{module.path}:{number}"
        for module in modules
        for number, line in enumerate(module.text.splitlines(), 1)
        for rest in _IGNORE.findall(line)
        if not _REASON.search(rest)
    ]


def test_annotations_name_what_they_mean(modules):
    found = [is_any for module in modules for is_any in module.annotations]
    assert sum(found) / len(found) <= MAX_BARE_ANY
