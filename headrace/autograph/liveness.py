"""What statements read and write, and which variables are live at a place."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from headrace.autograph.lowering import SCOPES

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def reads(nodes: Iterable[ast.AST] | ast.AST | None) -> set[str]:
    """The variables that are read, in nested functions too."""
    if nodes is None:
        return set()
    found: set[str] = set()
    for node in [nodes] if isinstance(nodes, ast.AST) else nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Store):
                found.add(inner.id)
            elif isinstance(inner, ast.AugAssign) and isinstance(inner.target, ast.Name):
                found.add(inner.target.id)
    return found


def captured(nodes: Iterable[ast.AST]) -> Counter[str]:
    """The variables that nested functions read, by the number of these: they may be called at any time."""
    found: Counter[str] = Counter()
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, SCOPES):
                found.update(reads(inner))
    return found


def writes(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that are written in this scope; not those of `except ... as`, which end with the handler."""
    found: set[str] = set()
    for node in nodes:
        _collect(node, found)
    return found


def _collect(node: ast.AST, found: set[str]) -> None:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        found.add(node.name)
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, _COMPREHENSIONS):
        for inner in ast.walk(node):
            if isinstance(inner, ast.NamedExpr) and isinstance(inner.target, ast.Name):
                found.add(inner.target.id)
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        found.add(node.id)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
        found.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        found.add(node.rest)
    for child in ast.iter_child_nodes(node):
        _collect(child, found)


def part_writes(nodes: Iterable[ast.AST], items: bool = False) -> list[str]:
    """What is written in this scope of objects that are not: attributes, such as "self.count".

    Args:
        nodes: the statements.
        items: whether items by names or constants count as well, such as "found['count']" and "rows[last]".
    """
    found: dict[str, set[str]] = {}

    def collect(node: ast.AST) -> None:
        if isinstance(node, SCOPES):
            return
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            names = _names_of_part(node, items)
            if names is not None:
                found[ast.unparse(node)] = names
        for child in ast.iter_child_nodes(node):
            collect(child)

    statements = list(nodes)
    for statement in statements:
        collect(statement)
    changed = writes(statements)
    return sorted(text for text, names in found.items() if not names & changed)


def _names_of_part(node: ast.expr, items: bool) -> set[str] | None:
    """The variable that a chain of attributes and items begins with, and those that stand in it; None for other chains."""
    names: set[str] = set()
    while isinstance(node, ast.Attribute) or (items and isinstance(node, ast.Subscript)):
        if isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Name):
                names.add(node.slice.id)
            elif not isinstance(node.slice, ast.Constant):
                return None
        node = node.value
    return names | {node.id} if isinstance(node, ast.Name) else None


def live_before(statements: Sequence[ast.stmt], after: set[str]) -> set[str]:
    """The variables live before a block, given those live after it."""
    live = set(after)
    for statement in reversed(statements):
        live = _before(statement, live)
    return live


def _before(statement: ast.stmt, after: set[str]) -> set[str]:
    if isinstance(statement, ast.If):
        return reads(statement.test) | live_before(statement.body, after) | live_before(statement.orelse, after)
    if isinstance(statement, (ast.While, ast.For)):
        return live_in_loop(statement, after) | reads(getattr(statement, "iter", None))
    if isinstance(statement, (ast.With, ast.AsyncWith)):
        live = live_before(statement.body, after)
        for item in reversed(statement.items):
            live = (live - writes([item.optional_vars] if item.optional_vars else [])) | reads(item.context_expr)
            live |= reads(item.optional_vars)
        return live
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets: list[Any] = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if statement.value is None:
            return after
        return (after - writes(targets)) | reads(statement)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (after - {statement.name}) | reads(statement)
    if isinstance(statement, (ast.Return, ast.Raise)):
        return reads(statement)
    # Statements whose parts may or may not run: nothing is surely written.
    return after | reads(statement)


def live_in_loop(statement: ast.While | ast.For, after: set[str]) -> set[str]:
    """The variables live before each iteration of a loop, or after it."""
    flag = getattr(statement, "broken", None)
    head = {flag} if flag else set()
    head |= reads(statement.test) if isinstance(statement, ast.While) else set()
    live = after | head
    while True:
        turn = live_before(statement.body, live)
        if isinstance(statement, ast.For):
            turn = (turn - writes([statement.target])) | reads(statement.target)
        more = live | turn | head
        if more == live:
            return live
        live = more
