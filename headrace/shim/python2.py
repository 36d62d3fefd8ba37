"""Python-2 sources as syntax trees of Python 3, with the line numbers of the file as it is.

The syntax is converted by fissix (lib2to3's successor). What a change of syntax cannot express is done on the
tree: `/` between whole numbers floors, and pickles written by Python 2 load. Tracebacks show the user's own
lines: positions in the tree are those of the original text.
"""

from __future__ import annotations

import ast
import difflib
import io
import sys
import tokenize
from functools import cache, lru_cache
from types import CodeType
from typing import Any, cast

from headrace.shim.python2_calls import Inlined, OldCalls, call, runtime_name
from headrace.shim.python2_evidence import future_imports, may_be_python2, python2_evidence, written_for_both

_RUNTIME = "headrace.shim.python2_runtime"
# These change what a source that parses today means: a function `input` there is today's.
_FOR_UNPARSABLE_ONLY = frozenset({"fix_input", "fix_print"})


def parse_source(data: bytes, path: str) -> tuple[ast.Module, bool]:
    """Parses a source of either Python.

    Args:
        data: the file's bytes.
        path: the file, for messages and to see what lies beside it.

    Returns:
        the tree, and whether it was converted from Python 2.

    Raises:
        SyntaxError: Python 3's own, if the source is in neither language.
    """
    try:
        tree = cast(ast.Module, compile(data, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True))
    except SyntaxError as error:
        converted = _converted(data, path, parses=False, print_statement=True)
        if converted is None:
            raise
        print(
            f"headrace: {path} is written in Python 2: converted ({error.msg}, line {error.lineno})",
            file=sys.stderr,
        )
        return converted, True
    if not may_be_python2(data):
        return tree, False
    evidence = python2_evidence(tree, path)
    if not evidence:
        return tree, False
    converted = _converted(data, path, parses=True, print_statement="print statement" in evidence)
    if converted is None:
        return tree, False
    print(f"headrace: {path} is written in Python 2: converted ({', '.join(sorted(evidence))})", file=sys.stderr)
    return converted, True


def compile_source(data: bytes, path: str) -> CodeType:
    """Compiles a source of either Python; see `parse_source`."""
    tree, converted = parse_source(data, path)
    changed = _features_to_the_top(tree) or converted
    return compile(tree if changed else data, path, "exec", dont_inherit=True)


def _features_to_the_top(tree: ast.Module) -> bool:
    """Moves imports from `__future__` to where Python wants them, and says whether there were any further down.

    Cells of a notebook may begin with them, and so they stand in the middle of a script that was made of one.
    """
    is_feature = [isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body]
    start = int(ast.get_docstring(tree, clean=False) is not None)
    count = sum(is_feature)
    if all(is_feature[start : start + count]):
        return False
    features = [node for node, here in zip(tree.body, is_feature, strict=True) if here]
    others = [node for node, here in zip(tree.body, is_feature, strict=True) if not here]
    tree.body[:] = [*others[:start], *features, *others[start:]]
    return True


@lru_cache(maxsize=256)
def compile_text(source: str | bytes, path: str, mode: str) -> CodeType:
    """Compiles what a converted source gives `exec`, `eval` or `compile`.

    Args:
        source: of Python 2, or of both.
        path: where it came from, for messages.
        mode: "exec", "eval" or "single".

    Raises:
        SyntaxError: Python 3's own, if the source is in neither language.
    """
    data = source.encode() if isinstance(source, str) else source
    if mode == "eval":
        data = data.lstrip(b" \t")
    used: set[str] = set()
    tree: ast.Module | None = None
    if b"/" in data or b"round" in data or may_be_python2(data) or not _parses(data, path, mode):
        tree = _tree_of_python3(_decoded(data), path, False, True, used)
    if tree is None:
        return compile(data, path, mode, dont_inherit=True)
    inlined = ast.fix_missing_locations(Inlined(_RUNTIME).visit(tree))
    if mode == "eval":
        if len(inlined.body) != 1 or not isinstance(inlined.body[0], ast.Expr):
            return compile(data, path, mode, dont_inherit=True)
        return compile(ast.Expression(inlined.body[0].value), path, mode, dont_inherit=True)
    return compile(ast.Interactive(inlined.body) if mode == "single" else inlined, path, mode, dont_inherit=True)


def _parses(data: bytes, path: str, mode: str) -> bool:
    try:
        compile(data, path, mode, ast.PyCF_ONLY_AST, dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _converted(data: bytes, path: str, parses: bool, print_statement: bool) -> ast.Module | None:
    """The tree of a Python-2 source; None if it is not one."""
    used: set[str] = set()
    tree = _tree_of_python3(_decoded(data), path, parses, print_statement, used)
    if tree is not None:
        _import_runtime(tree, used)
        ast.fix_missing_locations(tree)
    return tree


def _tree_of_python3(
    original: str, path: str, parses: bool, print_statement: bool, used: set[str]
) -> ast.Module | None:
    """The converted tree, at the positions of `original`; `used` takes the functions of the runtime that it calls."""
    text = _to_python3(original, path, parses, print_statement)
    if text is None:
        return None
    try:
        tree = ast.parse(text, path)
    except SyntaxError:
        return None
    features = future_imports(original)
    if "division" not in features and not (parses and written_for_both(original)):
        tree = _ClassicDivision(used).visit(tree)
    defined = _defined(tree)
    tree = OldCalls(used, defined).visit(tree)
    used |= _builtins_used(tree) - defined
    _restore_positions(tree, text.splitlines(), original.splitlines())
    return tree


def _decoded(data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@cache
def _refactoring_tool(print_statement: bool, leave_out: frozenset[str]) -> Any:
    from fissix import refactor

    # The names of the module `types` stay: ours has them. Calls of `next` with arguments and `it.next()[0]` are more
    # than `fix_next` knows: `OldCalls` does it.
    leave_out |= {"fix_types", "fix_next"}
    fixers = [
        name for name in refactor.get_fixers_from_package("fissix.fixes") if name.rpartition(".")[2] not in leave_out
    ]
    return refactor.RefactoringTool(fixers, {"print_function": not print_statement})


def _to_python3(text: str, path: str, parses: bool, print_statement: bool) -> str | None:
    from fissix.pgen2.parse import ParseError
    from fissix.pgen2.tokenize import TokenError

    text = _without_tabs(text) + ("" if text.endswith("\n") else "\n")
    leave_out = set()
    if parses:
        leave_out = set(_FOR_UNPARSABLE_ONLY)
        if print_statement:
            leave_out.discard("fix_print")
    for statement in (True, False) if print_statement else (False,):
        tool = _refactoring_tool(statement, frozenset(leave_out if statement else {*leave_out, "fix_print"}))
        try:
            return str(tool.refactor_string(text, path))
        except (ParseError, TokenError, IndentationError):
            continue
    return None


def _without_tabs(text: str) -> str:
    """Indentation as Python 2 saw it, a tab reaching to the next column of eight; strings stay."""
    if "\t" not in text:
        return text
    from fissix.pgen2 import token
    from fissix.pgen2.tokenize import TokenError, generate_tokens

    inside_strings: set[int] = set()
    try:
        for kind, _, (first, _), (last, _), _ in generate_tokens(io.StringIO(text).readline):
            if kind == token.STRING:
                inside_strings.update(range(first + 1, last + 1))
    except (TokenError, IndentationError):
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if number not in inside_strings:
            body = line.lstrip(" \t")
            lines[number - 1] = line[: len(line) - len(body)].expandtabs(8) + body
    return "\n".join(lines)


class _ClassicDivision(ast.NodeTransformer):
    """Makes every `/` a call of `python2_runtime.divide`, and notes the functions it calls."""

    def __init__(self, used: set[str]) -> None:
        self._used = used

    def _call(self, function: str, node: ast.AST, *arguments: ast.expr) -> ast.Call:
        return call(self._used, function, node, *arguments)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or _is_fraction(node.left) or _is_fraction(node.right):
            return node
        return self._call("divide", node, node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        target = node.target
        if not isinstance(node.op, ast.Div) or _is_fraction(node.value):
            return node
        if isinstance(target, ast.Name):
            read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
            value = self._call("divide_in_place", node, read, node.value)
            return ast.copy_location(ast.Assign([target], value), node)
        if isinstance(target, ast.Attribute):
            name = ast.copy_location(ast.Constant(target.attr), target)
            call = self._call("divide_attribute_in_place", node, target.value, name, node.value)
        else:
            call = self._call("divide_item_in_place", node, target.value, _as_value(target.slice), node.value)
        return ast.copy_location(ast.Expr(call), node)


def _is_fraction(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float | complex)


def _as_value(index: ast.expr) -> ast.expr:
    """An index as an expression of its own: `1:n` becomes `slice(1, n, None)`."""
    if isinstance(index, ast.Slice):
        parts = [
            part or ast.copy_location(ast.Constant(None), index) for part in (index.lower, index.upper, index.step)
        ]
        return ast.copy_location(ast.Call(ast.copy_location(ast.Name("slice", ast.Load()), index), parts, []), index)
    if isinstance(index, ast.Tuple):
        return ast.copy_location(ast.Tuple([_as_value(part) for part in index.elts], ast.Load()), index)
    return index


def _builtins_used(tree: ast.Module) -> set[str]:
    """Python-2 built-ins without a converter that the source uses."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("cmp", "file")}


def _defined(tree: ast.Module) -> set[str]:
    """All names that a source gives a value anywhere."""
    defined: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            defined.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.alias):
            defined.add(node.asname or node.name)
        elif isinstance(node, ast.arg):
            defined.add(node.arg)
    return defined


def _import_runtime(tree: ast.Module, names: set[str]) -> None:
    """Imports what the converted source calls, below its docstring and `__future__` imports."""
    if not names:
        return
    aliases = [ast.alias(n, n if n in ("cmp", "file") else runtime_name(n)) for n in sorted(names)]
    at = 0
    for statement in tree.body:
        docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if not docstring and not future:
            break
        at += 1
    tree.body.insert(at, ast.ImportFrom(_RUNTIME, aliases, 0))


def _restore_positions(tree: ast.Module, converted: list[str], original: list[str]) -> None:
    """Gives the nodes of a converted text the positions they had in the original one.

    Columns of a changed line are unknown; its nodes span the whole line, for which tracebacks print no
    carets.
    """
    lines = [0] * (len(converted) + 2)
    changed = [True] * (len(converted) + 2)
    matcher = difflib.SequenceMatcher(None, converted, original, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        for i in range(i1, i2):
            last = max(j2 - 1, 0) if j2 > j1 else max(j1 - 1, 0)
            lines[i + 1] = min(j1 + i - i1, last) + 1
            changed[i + 1] = tag != "equal"
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.excepthandler | ast.arg | ast.keyword | ast.alias | ast.pattern):
            first, last = node.lineno, node.end_lineno or node.lineno
            node.lineno, node.end_lineno = lines[first], max(lines[last], lines[first])
            if changed[first] or changed[last]:
                top, bottom = original[node.lineno - 1], original[node.end_lineno - 1]
                node.col_offset = len(top) - len(top.lstrip())
                node.end_col_offset = max(len(bottom.encode()), node.col_offset)
