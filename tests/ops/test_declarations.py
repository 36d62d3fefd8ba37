"""Every op type is found by searching for it: `"ResourceApplyAdam"` stands, whole and in quotes, where it is declared."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

# Notes for each op type at which line of which module the module itself was when it was declared, however deep in
# functions. It runs in a process of its own, since here most modules are imported already.
NOTE_PLACES = """
import json, sys
from headrace.api import op_index
from headrace.core import registry

assert not registry.REGISTRY
places, declare = {}, registry.op

def noted(op_type, *args, **kwargs):
    frame = sys._getframe(1)
    while frame.f_code.co_name != "<module>":
        frame = frame.f_back
    places[op_type] = frame.f_code.co_filename, frame.f_lineno
    return declare(op_type, *args, **kwargs)

registry.op = noted
op_index.declare_all()
assert set(places) == set(registry.REGISTRY)
json.dump(places, sys.stdout)
"""


def statement_at(module: ast.Module, line: int) -> ast.stmt:
    """The statement of the module's body that has the line; a function has the lines of its decorators."""
    for statement in module.body:
        decorators = getattr(statement, "decorator_list", [])
        first = min([statement.lineno, *(decorator.lineno for decorator in decorators)])
        if first <= line <= (statement.end_lineno or first):
            return statement
    raise ValueError(f"no statement at line {line}")


def whole_strings(tree: ast.AST) -> set[str]:
    """The strings in `tree`, but for the parts of f-strings."""
    if isinstance(tree, ast.JoinedStr):
        return set()
    own = {tree.value} if isinstance(tree, ast.Constant) and isinstance(tree.value, str) else set()
    return own.union(*(whole_strings(child) for child in ast.iter_child_nodes(tree)))


def named_by(statement: ast.stmt, module: ast.Module) -> set[str]:
    """The strings in a statement and in the tables that it uses by name."""
    used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    tables = [
        other
        for other in module.body
        if isinstance(other, (ast.Assign, ast.AnnAssign))
        for target in (other.targets if isinstance(other, ast.Assign) else [other.target])
        if isinstance(target, ast.Name) and target.id in used
    ]
    return whole_strings(statement).union(*map(whole_strings, tables))


def test_every_op_type_is_in_quotes_where_it_is_declared():
    done = subprocess.run([sys.executable, "-c", NOTE_PLACES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    places: dict[str, tuple[str, int]] = json.loads(done.stdout)
    texts = {file: Path(file).read_text() for file, _ in places.values()}
    modules = {file: ast.parse(text) for file, text in texts.items()}
    composed = [
        f"{op_type} at {file}:{line}"
        for op_type, (file, line) in places.items()
        if f'"{op_type}"' not in texts[file]
        or op_type not in named_by(statement_at(modules[file], line), modules[file])
    ]
    assert not composed, "op types that nobody finds by searching for them:\n" + "\n".join(composed)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('add = op("Add", "x: T, y: T -> z: T")', True),
        ('first, second = declare_pair("Add", "AddV2")', True),
        ('TYPES = {"Add": torch.add}\nfor op_type, compute in TYPES.items():\n    declare(op_type, compute)', True),
        ('@declares("Add")\ndef add(x, y):\n    return x + y', True),
        ('for prefix in ("", "Sparse"):\n    op(f"{prefix}Add", "x: T, y: T -> z: T")', False),
        ('op("A" + "dd", "x: T, y: T -> z: T")', False),
        ('names = ["Add"]\nop(add_type(), "x: T, y: T -> z: T")', False),
    ],
)
def test_a_composed_type_is_told_from_a_written_one(text, found):
    module = ast.parse(text)
    last = module.body[-1]
    line = last.decorator_list[0].lineno if isinstance(last, ast.FunctionDef) else last.lineno
    assert ("Add" in named_by(statement_at(module, line), module)) == found
