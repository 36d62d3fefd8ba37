"""The syntax trees of functions that are there already."""

from __future__ import annotations

import ast
import copy
import linecache
import types
from typing import Any


class NoSource(Exception):
    """The source of a function cannot be had; the text says why."""


_files: dict[str, tuple[int, ast.Module]] = {}


def _tree(filename: str) -> ast.Module:
    lines = linecache.getlines(filename)
    if not lines:
        raise NoSource(f"there is no source file {filename}")
    text = "".join(lines)
    known = _files.get(filename)
    if known is not None and known[0] == hash(text):
        return known[1]
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise NoSource(f"{filename} cannot be read: {error}") from None
    _files[filename] = (hash(text), tree)
    return tree


def syntax_of(function: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The syntax tree of a function, a copy; line numbers are those of its file.

    Raises:
        NoSource: if it has none, or several functions may be the one.
    """
    code = function.__code__
    found: list[Any] = [node for node in ast.walk(_tree(code.co_filename)) if _may_be(node, code)]
    if len(found) > 1:
        column = _column(code)
        found = [node for node in found if node.col_offset < column] if column is not None else found
        found = [max(found, key=lambda node: node.col_offset)] if found and column is not None else found
    if len(found) != 1:
        raise NoSource(f"{code.co_filename}:{code.co_firstlineno} holds {len(found)} functions that may be the one")
    made: ast.FunctionDef | ast.Lambda = copy.deepcopy(found[0])
    return made


def _may_be(node: object, code: types.CodeType) -> bool:
    if isinstance(node, ast.Lambda):
        if code.co_name != "<lambda>" or node.lineno != code.co_firstlineno:
            return False
    elif isinstance(node, ast.FunctionDef):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        if node.name != code.co_name or first != code.co_firstlineno:
            return False
    else:
        return False
    return parameters_of(node.args) == code.co_varnames[: len(parameters_of(node.args))]


def parameters_of(arguments: ast.arguments) -> tuple[str, ...]:
    """The names of parameters, in the order in which code objects have them."""
    plain = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return (*plain, *(a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None))


def _column(code: types.CodeType) -> int | None:
    """A column of a lambda's body, where Python keeps it."""
    positions = getattr(code, "co_positions", None)
    if positions is None:
        return None
    columns = [column for line, _, column, _ in positions() if column and line == code.co_firstlineno]
    return min(columns, default=None)
