"""Telling a Python-2 source from one that runs today.

A source that Python 3 cannot parse is decided by the conversion: if that makes it parse, it was Python 2.
What is decided here is a source that parses and would fail later, because it uses names that only Python 2
has. Programs written for both versions use them too, behind a guard (`try: xrange` … `except NameError`, `if
sys.version_info[0] < 3`), and are left alone.
"""

from __future__ import annotations

import ast
import os
import re

_NAMES = "basestring cmp execfile file long raw_input reduce reload unichr unicode xrange"
NAMES = frozenset(_NAMES.split())
METHODS = {"has_key": 1, "iteritems": 0, "iterkeys": 0, "itervalues": 0}
_MODULES = (
    "ConfigParser Cookie HTMLParser Queue SocketServer StringIO Tkinter __builtin__ cPickle cStringIO "
    "commands cookielib copy_reg httplib thread urllib2 urlparse"
)
MODULES = frozenset(_MODULES.split())
_ITERTOOLS = frozenset({"imap", "izip", "ifilter", "izip_longest", "ifilterfalse"})
_WORDS = re.compile(
    rb"\b(%s)\b|\bdef\s+next\s*\(|\bprint\s*(>>|$|[;#]|\(.*\)\s*[%%+,\[])"
    % "|".join(sorted({*NAMES, *METHODS, *MODULES, *_ITERTOOLS})).encode(),
    re.MULTILINE,
)
_VERSIONS = re.compile(r"version_info|\bPY2\b|\bPY3\b|python_version")
_BOTH = re.compile(r"version_info|\bPY2\b|\bPY3\b|\bsix\b|python_version|from\s+builtins\s|from\s+past\b")
_GUARDING = frozenset({"NameError", "ImportError", "ModuleNotFoundError", "AttributeError", "Exception"})
_FUTURE = re.compile(r"^from\s+__future__\s+import\s*(\([^)]*\)|(?:[^\n\\]|\\\n)*)", re.MULTILINE)


def may_be_python2(data: bytes) -> bool:
    """Whether a source holds any word worth parsing it for: cheap, and wrong only towards True."""
    return _WORDS.search(data) is not None


def future_imports(text: str) -> set[str]:
    """The features a source imports from `__future__`."""
    return {word for match in _FUTURE.finditer(text) for word in re.findall(r"\w+", match[1])}


def written_for_both(text: str) -> bool:
    """Whether a source asks which Python runs it."""
    return _BOTH.search(text) is not None


def python2_evidence(tree: ast.Module, path: str) -> set[str]:
    """The Python-2 names that a parsed source uses unguarded and does not define; empty if it is Python 3.

    Args:
        tree: the source, parsed by Python 3.
        path: where it came from; a module beside it explains an import.

    Example:
        >>> python2_evidence(ast.parse("for i in xrange(3): pass"), "x.py")
        {'xrange'}
        >>> python2_evidence(ast.parse("xrange = range\\nfor i in xrange(3): pass"), "x.py")
        set()
    """
    search = _Search(os.path.dirname(path))
    search.visit(tree)
    return search.used - search.defined


def caught_names(node: ast.Try) -> set[str]:
    """The exceptions that the handlers of a `try` name."""
    types = [handler.type for handler in node.handlers if handler.type is not None]
    return {name.id for caught in types for name in ast.walk(caught) if isinstance(name, ast.Name)}


class _Search(ast.NodeVisitor):
    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.used: set[str] = set()
        self.defined: set[str] = set()
        self._guards = 0

    def _guarded(self, node: ast.AST) -> None:
        self._guards += 1
        self.generic_visit(node)
        self._guards -= 1

    def _use(self, name: str) -> None:
        if not self._guards:
            self.used.add(name)

    def visit_Try(self, node: ast.Try) -> None:
        """A handler for the error that the wrong Python raises guards all of the statement."""
        if caught_names(node) & _GUARDING or any(h.type is None for h in node.handlers):
            self._guarded(node)
        else:
            self.generic_visit(node)

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        """So does a test of the version."""
        if _VERSIONS.search(ast.unparse(node.test)):
            self._guarded(node)
        else:
            self.generic_visit(node)

    visit_IfExp = visit_If

    def visit_Name(self, node: ast.Name) -> None:
        """Names are used or defined."""
        if not isinstance(node.ctx, ast.Load):
            self.defined.add(node.id)
        elif node.id in NAMES:
            self._use(node.id)

    def visit_arg(self, node: ast.arg) -> None:
        """Parameters define names."""
        self.defined.add(node.arg)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """So do functions and classes, and a method `iteritems` explains its calls."""
        self.defined.add(node.name)
        self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class that gives itself as its iterator and has `next` alone is none today."""
        if _is_old_iterator(node):
            self._use("an iterator's method next")
        self.visit_FunctionDef(node)

    def visit_Import(self, node: ast.Import) -> None:
        """Modules that were renamed, unless a module of that name lies beside the source."""
        for alias in node.names:
            self._module(alias.name)
            self.defined.add((alias.asname or alias.name).partition(".")[0])
            if alias.name in MODULES:
                self.defined.discard(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """The same, and the functions that left `itertools`."""
        if not node.level:
            self._module(node.module or "")
        for alias in node.names:
            if node.module == "itertools" and alias.name in _ITERTOOLS:
                self._use(alias.name)
            else:
                self.defined.add(alias.asname or alias.name)

    def _module(self, name: str) -> None:
        first = name.partition(".")[0]
        beside = os.path.join(self.folder, first)
        if first in MODULES and not os.path.exists(beside + ".py") and not os.path.isdir(beside):
            self._use(first)

    def visit_Call(self, node: ast.Call) -> None:
        """Methods that dictionaries lost."""
        called = node.func
        if isinstance(called, ast.Attribute) and METHODS.get(called.attr) == len(node.args) and not node.keywords:
            self._use(called.attr)
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """`print >>file, x` and a lone `print` parse, as expressions without effect."""
        value = node.value
        first = value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
        if isinstance(first, ast.BinOp) and isinstance(first.op, ast.RShift):
            first = first.left
        if (isinstance(first, ast.Name) and first.id == "print") or _prints_more_than_the_call(value):
            self._use("print statement")
        self.generic_visit(node)


def _is_old_iterator(node: ast.ClassDef) -> bool:
    methods = {method.name: method for method in node.body if isinstance(method, ast.FunctionDef)}
    if any(not (isinstance(base, ast.Name) and base.id == "object") for base in node.bases):
        return False  # which may have `__next__`
    iterates = methods.get("__iter__")
    if iterates is None or "next" not in methods or any(_names_next(statement) for statement in node.body):
        return False
    last = iterates.body[-1]
    itself = iterates.args.args[0].arg if iterates.args.args else ""
    return isinstance(last, ast.Return) and isinstance(last.value, ast.Name) and last.value.id == itself


def _names_next(statement: ast.stmt) -> bool:
    """Whether a statement of a class gives it `__next__`."""
    if isinstance(statement, ast.FunctionDef):
        return statement.name == "__next__"
    return any(isinstance(name, ast.Name) and name.id == "__next__" for name in ast.walk(statement))


def _prints_more_than_the_call(value: ast.expr) -> bool:
    """Whether a statement is like `print ("%d") % 3` or `print ("a"), b`, which print nothing of use as calls."""
    if isinstance(value, ast.Tuple):
        return len(value.elts) > 1 and _is_print(value.elts[0]) and not isinstance(value.elts[1], ast.Call)
    if not isinstance(value, ast.BinOp | ast.Subscript):
        return False
    while isinstance(value, ast.BinOp | ast.Subscript):
        value = value.left if isinstance(value, ast.BinOp) else value.value
    return _is_print(value)


def _is_print(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "print"
