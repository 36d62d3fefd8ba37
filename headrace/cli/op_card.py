"""`headrace op TYPE`: what there is to know of one op, and where it is found."""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import headrace
from headrace.api.op_index import op_types
from headrace.api.tables import public_homes
from headrace.core.cases import Case
from headrace.core.registry import OpDecl, find
from headrace.core.signature import function_name, signature_text

_ROOT = Path(headrace.__file__).parent
# From an op to a public name it may be a few functions: `tf.train.AdamOptimizer` calls what calls ApplyAdam.
_STEPS = 3
_MAX_NAMES = 12


class UnknownOp(LookupError):
    """No op of this type is declared."""


def op_card(op_type: str) -> str:
    """What is declared of an op, as lines of `word  value`.

    Args:
        op_type: TensorFlow's name for it, `MatMul`.

    Raises:
        UnknownOp: if there is none, naming those that are spelled like it.
    """
    decl = find(op_type)
    if decl is None:
        close = difflib.get_close_matches(op_type, op_types(), n=3)
        raise UnknownOp(f"No op of type {op_type!r} is declared" + (f"; close: {', '.join(close)}" if close else ""))
    rows = [
        ("signature", signature_text(decl.signature)),
        ("declared", _declaration(decl)),
        ("stateful", "yes: equal ones are not merged" if decl.stateful else "no"),
        ("also", _words(decl)),
        ("shapes", _rule(decl.shape_rule, "not known before it runs")),
        ("kernel", _rule(decl.kernel_rule or decl.binding_rule, "none: the planner replaces it")),
        ("gradient", _gradient(decl)),
        ("fused by", _fusions(op_type) or "nothing"),
        ("cases", _cases(decl)),
        ("reached as", ", ".join(_reached(op_type)) or _raw(decl)),
    ]
    width = max(len(word) for word, _ in rows)
    lines = [op_type, *(f"  {word:{width}}  {value}" for word, value in rows if value)]
    return "\n".join(lines)


def _raw(decl: OpDecl) -> str:
    return "nothing: the planner makes it" if decl.of_the_planner else f"tf.raw_ops.{decl.type}"


def _place(function: Any) -> str:
    """`headrace/ops/math/matmul.py:57`."""
    code = inspect.unwrap(function)
    file = inspect.getsourcefile(code)
    if file is None:
        return str(function)
    return f"{Path(file).relative_to(_ROOT.parent)}:{inspect.getsourcelines(code)[1]}"


def _rule(rule: Callable[..., Any] | None, missing: str) -> str:
    if rule is None:
        return missing
    name = getattr(rule, "__name__", type(rule).__name__)
    return _place(rule) if name == "<lambda>" else f"{name}, {_place(rule)}"


def _gradient(decl: OpDecl) -> str:
    if decl.gradient_rule is not None:
        return _rule(decl.gradient_rule, "")
    return (
        "none: a gradient ends here"
        if decl.differentiable is False
        else "not declared: a gradient that comes is an error"
    )


def _source(module: str) -> tuple[Path, str]:
    path = _ROOT.joinpath(*module.split(".")[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file, file.read_text(encoding="utf-8")


def _declaration(decl: OpDecl) -> str:
    """The line that names the type."""
    file, text = _source(decl.module)
    for number, line in enumerate(text.splitlines(), 1):
        if f'"{decl.type}"' in line:
            return f"{file.relative_to(_ROOT.parent)}:{number}"
    return str(file.relative_to(_ROOT.parent))


def _words(decl: OpDecl) -> str:
    """The words of the declaration that say something else than an op says that declares none."""
    inputs = [arg.name for arg in decl.signature.inputs]
    said = []
    for word, places in (("reads", decl.reads_state), ("writes", decl.writes_state), ("keeps", decl.kept_inputs)):
        if places:
            said.append(f"{word} {', '.join(inputs[i] for i in places)}")
    if decl.host_inputs:
        said.append(f"{', '.join(sorted(decl.host_inputs))} on the host")
    for word, holds in (
        ("outputs on the host", decl.host_outputs),
        ("may alias its inputs", decl.may_alias),
        ("fresh outputs", bool(decl.fresh_outputs)),
        ("runs even for a control edge", decl.must_run),
        ("may wait", decl.may_wait),
        ("writes files", decl.file_rule is not None),
        ("calls Python", decl.runs_python),
        ("of the planner: graphs from elsewhere cannot have it", decl.of_the_planner),
    ):
        if holds:
            said.append(word)
    return "; ".join(said)


def _cases(decl: OpDecl) -> str:
    if not decl.cases:
        return f"none: {decl.why_no_case or 'not declared'}"
    accepted = [case for case in decl.cases if case.error is None]
    counted = f"{len(accepted)} that work, {len(decl.cases) - len(accepted)} that do not"
    return f"{counted}; {_example(decl, accepted[0])}" if accepted else counted


def _example(decl: OpDecl, case: Case) -> str:
    words = [_short(item) for item in case.args] + [f"{name}={_short(value)}" for name, value in case.attrs.items()]
    return f"{decl.type}({', '.join(words)})"


def _short(value: Any) -> str:
    text = re.sub(r"\s+", " ", repr(value))
    return text if len(text) <= 40 else f"{text[:37]}…"


# ---- what fuses it


def _fusions(op_type: str) -> str:
    found = []
    for file in sorted((_ROOT / "plan" / "fusions").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        if f'"{op_type}"' in text:
            title = (ast.get_docstring(ast.parse(text)) or "").split("\n")[0]
            found.append(f"{file.relative_to(_ROOT.parent)}: {title}")
    return "; ".join(found)


# ---- where programs reach it


@dataclass(frozen=True)
class _Definition:
    """A function or class of a module, and what it mentions: names of its own module, and of others."""

    module: str
    name: str
    mentions: frozenset[tuple[str, str]]
    ops: frozenset[str]


def _reached(op_type: str) -> list[str]:
    """The public names whose functions add such operations, the nearest first."""
    users = _users()
    homes: dict[tuple[str, str], list[str]] = {}
    for public, home in public_homes("headrace.api"):
        homes.setdefault(home, []).append(public)
    found: dict[str, None] = {}
    if op_type.startswith("_"):
        return []
    reached = {(d.module, d.name) for d in _definitions() if op_type in d.ops}
    seen = set(reached)
    for step in range(_STEPS):
        for place in sorted(reached):
            for public in sorted(homes.get(place, ()), key=lambda name: (name.count("."), name)):
                found.setdefault(f"tf.{public}")
        if found and step:
            break
        reached = {user for place in reached for user in users.get(place, ())} - seen
        seen |= reached
    # What is named like the op is what one looks for.
    names = sorted(found, key=lambda name: name.rpartition(".")[2] != function_name(op_type))
    return [*names[:_MAX_NAMES], "…"] if len(names) > _MAX_NAMES else names


@functools.cache
def _users() -> dict[tuple[str, str], set[tuple[str, str]]]:
    users: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for definition in _definitions():
        for mentioned in definition.mentions:
            users.setdefault(mentioned, set()).add((definition.module, definition.name))
    return users


@functools.cache
def _definitions() -> list[_Definition]:
    """Every function and class of the rooms that programs reach ops through."""
    found: list[_Definition] = []
    for file in sorted(_ROOT.rglob("*.py")):
        room = file.relative_to(_ROOT).parts[0]
        if room not in ("api", "cli", "core", "files", "messages", "plan", "runtime", "shim", "util"):
            found += _defined_in(file)
    return found


def _defined_in(file: Path) -> Iterator[_Definition]:
    module = ".".join(file.relative_to(_ROOT).with_suffix("").parts).removesuffix(".__init__")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imported: dict[str, tuple[str, str]] = {}
    declared: dict[str, set[str]] = {}
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("headrace."):
            for alias in statement.names:
                imported[alias.asname or alias.name] = ((statement.module or "").removeprefix("headrace."), alias.name)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            # What a declaration is assigned to stands for its op, and a function made of one mentions it.
            types = {
                n.value for n in ast.walk(statement.value) if isinstance(n, ast.Constant) and isinstance(n.value, str)
            }
            names = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
            declared[statement.targets[0].id] = types.union(*(declared.get(name, ()) for name in names))
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            if any(_is_rule(decorator) for decorator in statement.decorator_list):
                continue
            name = statement.name
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
        else:
            continue
        yield _definition(module, name, statement, imported, declared)


def _composed(node: ast.AST) -> set[str]:
    """The op types whose names are put together: `getattr(raw, f"Segment{kind}")`, and the kind of an optimizer's update."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and len(node.args) > 1
    ):
        name = node.args[1]
        if isinstance(name, ast.JoinedStr):
            parts = [
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[A-Za-z0-9]+" for part in name.values
            ]
            if any(isinstance(part, ast.Constant) for part in name.values):
                return {op_type for op_type in op_types() if re.fullmatch("".join(parts), op_type)}
    if isinstance(node, ast.FunctionDef) and node.name == "_kind":
        kinds = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
        return {op_type for op_type in op_types() if op_type.partition("Apply")[2] in kinds}
    return set()


def _is_rule(decorator: ast.expr) -> bool:
    """Whether a decorator attaches a rule to a declaration: what a gradient adds is not what its op is reached by."""
    return isinstance(decorator, ast.Attribute) and decorator.attr in ("gradient", "kernel", "shape", "binding")


def _definition(
    module: str,
    name: str,
    statement: ast.stmt,
    imported: dict[str, tuple[str, str]],
    declared: dict[str, set[str]],
) -> _Definition:
    mentions: set[tuple[str, str]] = set()
    ops: set[str] = set()
    for node in ast.walk(statement):
        ops |= _composed(node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "raw":
                ops.add(node.attr)
            elif node.value.id in imported:
                mentions.add((".".join(imported[node.value.id]), node.attr))
        elif isinstance(node, ast.Name):
            ops |= declared.get(node.id, set())
            mentions.add(imported.get(node.id, (module, node.id)))
    return _Definition(module, name, frozenset(mentions), frozenset(ops))
