"""Which `tf.*` names a program uses, read from its source, and which of them are missing here."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from types import ModuleType
from typing import Any

from headrace.shim.python2 import parse_source
from headrace.shim.python2_evidence import caught_names

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages", "venv", "env"})
_ROOTS = ("tensorflow", "headrace")


@dataclass(frozen=True)
class Use:
    """One use of a name: its line, `tf.…`, and a word of advice about it, maybe empty."""

    line: int
    name: str
    advice: str = ""


@dataclass
class Report:
    """What a file uses: how many names, and those that are missing, in the order of their lines."""

    used: int = 0
    missing: list[Use] = field(default_factory=list)


def source_files(paths: Iterable[str]) -> list[str]:
    """The files themselves and the `.py` files of the folders, hidden folders and environments left out."""
    files: list[str] = []
    for path in paths:
        if not os.path.isdir(path):
            files.append(path)
            continue
        for folder, below, names in os.walk(path):
            below[:] = sorted(b for b in below if not b.startswith(".") and b not in _SKIPPED_FOLDERS)
            files.extend(os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))
    return files


def check_file(path: str) -> Report:
    """Looks up every `tf.*` name of a source of either Python.

    Args:
        path: the file; it is read, never run.

    Raises:
        SyntaxError: if it is no Python.
        OSError: if it cannot be read.
    """
    with open(path, "rb") as file:
        tree, _ = parse_source(file.read(), path)
    report = Report()
    for line, name in sorted(set(_uses(tree))):
        report.used += 1
        gap = _gap(name)
        if gap is not None:
            report.missing.append(Use(line, f"tf.{gap[0]}", gap[1]))
    # A name and its attributes fail at the same place.
    report.missing = list(dict.fromkeys(report.missing))
    return report


def _uses(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, path without `tf.`) of each use, through imports and assignments of namespaces."""
    search = _Search()
    search.visit(tree)
    # Assignments such as `slim = tf.contrib.slim` may follow the functions that use them.
    search.aliases_known = True
    search.visit(tree)
    yield from search.uses


class _Search(ast.NodeVisitor):
    """Walks a source twice: once for what names stand for, once for their uses."""

    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.uses: list[tuple[int, str]] = []
        self.aliases_known = False
        self._guards = 0

    def _use(self, node: ast.expr | ast.stmt, path: str) -> None:
        if path and self.aliases_known and not self._guards:
            self.uses.append((node.lineno, path))

    def visit_Try(self, node: ast.Try) -> None:
        """What is tried with a handler for its absence may be absent."""
        guarded = bool(caught_names(node) & {"ImportError", "ModuleNotFoundError", "AttributeError"})
        self._guards += guarded
        for statement in node.body:
            self.visit(statement)
        self._guards -= guarded
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def visit_If(self, node: ast.If) -> None:
        """So may what is used where `hasattr` said that it is there."""
        asked = any(isinstance(n, ast.Name) and n.id == "hasattr" for n in ast.walk(node.test))
        self.visit(node.test)
        self._guards += asked
        for statement in node.body:
            self.visit(statement)
        self._guards -= asked
        for statement in node.orelse:
            self.visit(statement)

    def visit_Import(self, node: ast.Import) -> None:
        """`import tensorflow as tf`, `import tensorflow.contrib.slim as slim`."""
        for alias in node.names:
            root, _, path = alias.name.partition(".")
            if root in _ROOTS:
                self.aliases[alias.asname or root] = path if alias.asname else ""
                self._use(node, path)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from tensorflow.contrib import slim`."""
        root, _, path = (node.module or "").partition(".")
        if node.level or root not in _ROOTS:
            return
        for alias in node.names:
            if alias.name == "*":
                self._use(node, path)
                continue
            full = f"{path}.{alias.name}" if path else alias.name
            self.aliases[alias.asname or alias.name] = full
            self._use(node, full)

    def visit_Assign(self, node: ast.Assign) -> None:
        """`slim = tf.contrib.slim`; values that are no namespace or class are followed no further."""
        path = self._path(node.value)
        if path is not None and not self.aliases_known:
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(_find(path)[0], ModuleType):
                    self.aliases[target.id] = path
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """The longest chain is one use."""
        path = self._path(node)
        if path is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Load):
            self._use(node, path)

    def visit_Call(self, node: ast.Call) -> None:
        """`getattr(tf, "name")` is a use as well; with a default it is a question."""
        called = node.func
        if isinstance(called, ast.Name) and called.id == "getattr" and len(node.args) == 2:
            path, name = self._path(node.args[0]), node.args[1]
            if path is not None and isinstance(name, ast.Constant) and isinstance(name.value, str):
                self._use(node, f"{path}.{name.value}" if path else name.value)
        self.generic_visit(node)

    def _path(self, node: ast.AST) -> str | None:
        """What an expression stands for, as a path below `tf`; None if it is no chain of names from there."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id)
        if isinstance(node, ast.Attribute):
            above = self._path(node.value)
            if above is not None:
                return f"{above}.{node.attr}" if above else node.attr
        return None


_NOTHING = object()


@cache
def _find(path: str) -> tuple[Any, str, str]:
    """The object at `path`, or `_NOTHING`; how far the path leads; and why no further."""
    found: Any = importlib.import_module("headrace.compat.v1")
    walked: list[str] = []
    for part in path.split(".") if path else []:
        if not isinstance(found, ModuleType) and not inspect.isclass(found):
            return found, ".".join(walked), ""  # attributes of values are a question for the running program
        walked.append(part)
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError) as error:
            try:
                found = importlib.import_module(f"headrace.{'.'.join(walked)}")
            except ImportError:
                return _NOTHING, ".".join(walked), str(error)
    return found, path, ""


@cache
def _gap(path: str) -> tuple[str, str] | None:
    """The part of `path` that is missing, and advice; None if nothing is."""
    found, reached, reason = _find(path)
    if found is not _NOTHING:
        return None
    if " has no attribute " not in reason:
        return reached, reason
    # The place that such a message ends with is where this module asked.
    return reached, reason.partition("; ")[2].partition(" [")[0]
