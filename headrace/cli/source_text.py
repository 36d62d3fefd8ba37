"""The definitions of a module, read from its text: what each mentions, and which operations it makes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# A module below the package, and a name in it: `("ops.math.matmul", "matmul")`, `("…queues", "QueueBase.dequeue")`. Without
# a module it is an attribute of something of which nothing is known: `("", "dequeue")`.
Place = tuple[str, str]
_Function = ast.FunctionDef | ast.AsyncFunctionDef
# Calls whose texts are of op types that are looked for, not made.
_COLLECTING = frozenset({"frozenset", "set", "tuple", "list", "dict", "made", "accepts", "rejects"})

# Of `f"{op_type}V2"` too many types would be.
_TELLING = 4


@dataclass(frozen=True)
class Definition:
    """A function, method, class or assignment of a module.

    Attributes:
        place: where it is.
        lines: its lines.
        mentions: the places it mentions.
        ops: the types of `raw.MatMul`, and of what is assigned from a call with the type.
        texts: what stands for op types in calls such as `self._op("QueueDequeue")`.
        patterns: the types that it puts together, as regular expressions.
        kinds: what it says its op type ends in after `Apply`.
        is_rule: whether it belongs to a declaration: what a gradient rule makes is not what its op is reached by.
    """

    place: Place
    lines: range
    mentions: frozenset[Place]
    ops: frozenset[str]
    texts: frozenset[str]
    patterns: frozenset[str]
    kinds: frozenset[str]
    is_rule: bool


@dataclass
class SourceModule:
    """What the text of a module says.

    Attributes:
        name: its name below the package.
        imported: names of other modules of ours in it, to their places.
        definitions: what it defines.
        bases: the classes that a class of it derives from.
        methods: the methods of its classes.
        renamed: names that are other names of its own, to those.
        registered: its classes that their base is told of by keywords: calling that may make one of them.
    """

    name: str
    imported: dict[str, Place] = field(default_factory=dict)
    definitions: list[Definition] = field(default_factory=list)
    bases: dict[str, list[Place]] = field(default_factory=dict)
    methods: dict[str, set[str]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    registered: set[str] = field(default_factory=set)


def defined_in(name: str, text: str) -> SourceModule:
    """Reads a module.

    Args:
        name: its name below the package.
        text: its text.

    Example:
        >>> module = defined_in("ops.math.sum", "def total(x):\\n    return raw.Sum(x, 0)")
        >>> sorted(module.definitions[0].ops)
        ['Sum']
    """
    module = SourceModule(name)
    tree = ast.parse(text)
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("headrace."):
            for alias in statement.names:
                place = (statement.module or "").removeprefix("headrace."), alias.name
                module.imported[alias.asname or alias.name] = place
    for statement in tree.body:
        module.definitions += _defined_by(module, statement)
    return module


def _defined_by(module: SourceModule, statement: ast.stmt) -> Iterator[Definition]:
    if isinstance(statement, _Function):
        yield _definition(module, statement.name, statement)
    elif isinstance(statement, ast.ClassDef):
        inner = [each for each in statement.body if isinstance(each, _Function)]
        own = statement.name
        module.bases[own] = [_place_of(module, base) for base in statement.bases]
        module.methods[own] = {each.name for each in inner}
        if statement.keywords and all(keyword.arg != "metaclass" for keyword in statement.keywords):
            module.registered.add(own)
        for each in inner:
            yield _definition(module, f"{own}.{each.name}", each, own)
        rest = ast.Module([each for each in statement.body if not isinstance(each, _Function)], [])
        bases = ast.Module([ast.Expr(base) for base in statement.bases], [])
        yield _definition(module, own, rest, own, lines=_lines(statement), also=bases)
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                if isinstance(statement.value, ast.Name):
                    module.renamed[target.id] = statement.value.id
                yield _definition(module, target.id, statement)


def _place_of(module: SourceModule, node: ast.expr) -> Place:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in module.imported:
        return ".".join(module.imported[node.value.id]), node.attr
    name = ast.unparse(node)
    return module.imported.get(name, (module.name, name))


def _lines(node: ast.stmt) -> range:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
    return range(first, (node.end_lineno or node.lineno) + 1)


def _definition(
    module: SourceModule,
    name: str,
    node: ast.stmt | ast.Module,
    owner: str | None = None,
    lines: range | None = None,
    also: ast.Module | None = None,
) -> Definition:
    mentions: set[Place] = set()
    ops: set[str] = set()
    texts: set[str] = set()
    patterns: set[str] = set()
    for each in [*ast.walk(node), *(ast.walk(also) if also else ())]:
        if isinstance(each, ast.Attribute):
            if isinstance(each.value, ast.Name) and each.value.id == "raw":
                ops.add(each.attr)
            else:
                mentions.add(_mentioned(module, each, owner))
        elif isinstance(each, ast.Name):
            mentions.add(module.imported.get(each.id, (module.name, each.id)))
        elif isinstance(each, ast.Call):
            pattern = _composed(each)
            if pattern is not None:
                patterns.add(pattern)
            texts |= _texts_of(each, isinstance(node, ast.Assign))
    kinds = set()
    if name.endswith("._kind"):
        kinds = {
            each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
        }
    is_rule = isinstance(node, _Function) and any(_is_rule(decorator) for decorator in node.decorator_list)
    if lines is None:
        assert isinstance(node, ast.stmt)
        lines = _lines(node)
    return Definition(
        (module.name, name),
        lines,
        frozenset(mentions),
        frozenset(ops),
        frozenset(texts),
        frozenset(patterns),
        frozenset(kinds),
        is_rule,
    )


def _mentioned(module: SourceModule, node: ast.Attribute, owner: str | None) -> Place:
    if isinstance(node.value, ast.Name):
        name = node.value.id
        if owner is not None and name in ("self", "cls"):
            return module.name, f"{owner}.{node.attr}"
        if name in module.imported:
            return ".".join(module.imported[name]), node.attr
    return "", node.attr


def _texts_of(call: ast.Call, assigned: bool) -> set[str]:
    """The texts that a call takes for op types: the first argument, or any of a declaration that is assigned."""
    callee = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if assigned and callee not in _COLLECTING:
        given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg != "name")]
    elif callee.endswith("_op") and len(call.args) == 1:
        given = call.args
    else:
        given = []
    return {each.value for each in given if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def _composed(call: ast.Call) -> str | None:
    """The op types whose names are put together, as a regular expression: those of `getattr(raw, f"Segment{kind}")`."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) > 1):
        return None
    name = call.args[1]
    if not isinstance(name, ast.JoinedStr):
        return None
    known = [str(part.value) if isinstance(part, ast.Constant) else "" for part in name.values]
    if not any(len(text) >= _TELLING for text in known):
        return None
    return "".join(re.escape(text) if text else "[A-Z]?[a-z0-9]+" for text in known)


def _is_rule(decorator: ast.expr) -> bool:
    """Whether a decorator attaches a rule to a declaration: `@add.gradient`, `@both("gradient", *decls)`."""
    rules = ("gradient", "kernel", "shape", "binding")
    if isinstance(decorator, ast.Call):
        first = decorator.args[0] if decorator.args else None
        return _is_rule(decorator.func) or (isinstance(first, ast.Constant) and first.value in rules)
    return isinstance(decorator, ast.Attribute) and decorator.attr in rules
