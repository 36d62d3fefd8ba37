"""Calls that a source converted from Python 2 sends to `python2_runtime`, which does what Python 2 did.

They are calls of what Python 3 has under the same name with another meaning: built-ins, methods of strings, `pickle`,
`csv`.
"""

from __future__ import annotations

import ast

# Modules of Python 2 and what is imported instead: modules that have today's names and the old ones.
_MODULES = {"string": "headrace.shim.python2_string", "types": "headrace.shim.python2_types", "exceptions": "builtins"}
# Built-ins, and the function of the runtime that is called instead.
_BUILTINS = {"compile": "compiled", "next": "following", "round": "rounded"}
# The position of the file among the arguments of these functions of `pickle`.
_PICKLE_FILE = {"load": 0, "dump": 1}
# Functions of `csv` whose first argument is a file.
_CSV = ("reader", "writer", "DictReader", "DictWriter")


def runtime_name(function: str) -> str:
    """The name under which a converted source knows a function of the runtime."""
    return f"__python2_{function}__"


def call(used: set[str], function: str, node: ast.AST, *arguments: ast.expr) -> ast.Call:
    """A call of a function of the runtime in the place of `node`; `used` notes the function."""
    used.add(function)
    name = ast.copy_location(ast.Name(runtime_name(function), ast.Load()), node)
    return ast.copy_location(ast.Call(name, list(arguments), []), node)


class OldCalls(ast.NodeTransformer):
    """Sends to the runtime what Python 3 has under the same name with another meaning.

    Args:
        used: takes the names of the functions of the runtime that are called.
        defined: what the source defines itself, which is left alone.
    """

    def __init__(self, used: set[str], defined: set[str]) -> None:
        self._used = used
        self._defined = defined
        self._caught: list[str] = []

    def visit_Import(self, node: ast.Import) -> ast.Import:
        """`import string` and `import types` give modules that have the old names too."""
        for alias in node.names:
            if alias.name in _MODULES:
                alias.asname = alias.asname or alias.name
                alias.name = _MODULES[alias.name]
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """So do imports from them."""
        if not node.level and node.module in _MODULES and node.names[0].name != "*":
            node.module = _MODULES[node.module]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        """Within a handler the name of its exception is known."""
        if node.name is None:
            self.generic_visit(node)
            return node
        self._caught.append(node.name)
        self.generic_visit(node)
        self._caught.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """A class whose iterators go on by `next` has it as `__next__` too."""
        self.generic_visit(node)
        names = {method.name for method in node.body if isinstance(method, ast.FunctionDef)}
        if "next" in names and "__next__" not in names:
            last = node.body[-1]
            target = ast.copy_location(ast.Name("__next__", ast.Store()), last)
            value = ast.copy_location(ast.Name("next", ast.Load()), last)
            node.body.append(ast.copy_location(ast.Assign([target], value), last))
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`error.message`, which exceptions have no more, and `iterator.next`, now `__next__`."""
        self.generic_visit(node)
        if node.attr == "message" and self._is_caught(node.value, node.ctx):
            return call(self._used, "message", node, node.value)
        if node.attr == "next" and isinstance(node.ctx, ast.Load):
            return call(self._used, "method_next", node, node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """`error[0]`, the first argument of an exception; today exceptions take no index."""
        self.generic_visit(node)
        if self._is_caught(node.value, node.ctx) and isinstance(node.slice, ast.Constant):
            return call(self._used, "argument", node, node.value, node.slice)
        return node

    def _is_caught(self, value: ast.expr, context: ast.expr_context) -> bool:
        return isinstance(value, ast.Name) and value.id in self._caught and isinstance(context, ast.Load)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Calls of built-ins and of methods."""
        self.generic_visit(node)
        called = node.func
        if isinstance(called, ast.Name) and called.id not in self._defined:
            return self._builtin(called.id, node)
        if isinstance(called, ast.Attribute):
            return self._method(called, node)
        return node

    def _builtin(self, name: str, node: ast.Call) -> ast.expr:
        plain = not any(isinstance(argument, ast.Starred) for argument in node.args)
        if name in ("exec", "eval") and node.args and plain:
            node.args[0] = call(self._used, "compiled", node, node.args[0], _text("<string>", node), _text(name, node))
        elif name in _BUILTINS and not node.keywords:
            return call(self._used, _BUILTINS[name], node, *node.args)
        elif name == "str" and len(node.args) + len(node.keywords) > 1:
            made = call(self._used, "unicode", node, *node.args)
            made.keywords = node.keywords
            return made
        elif name == "map" and len(node.args) > 2 and isinstance(node.args[0], ast.Constant):
            return call(self._used, "map_none", node, *node.args)
        return node

    def _method(self, called: ast.Attribute, node: ast.Call) -> ast.expr:
        owner = called.value.id if isinstance(called.value, ast.Name) else ""
        plain = bool(node.args) and not any(isinstance(argument, ast.Starred) for argument in node.args)
        if owner == "sys" and called.attr == "setdefaultencoding":
            return ast.copy_location(ast.Constant(None), node)
        if owner in ("pickle", "cPickle") and plain and called.attr in ("load", "loads", "dump"):
            at = _PICKLE_FILE.get(called.attr)
            if at is not None and len(node.args) > at:
                node.args[at] = call(self._used, "binary", node, node.args[at])
            if called.attr != "dump" and len(node.args) == 1 and not node.keywords:
                # What Python 2 wrote as strings are bytes, and latin-1 keeps each of them.
                node.keywords.append(ast.copy_location(ast.keyword("encoding", _text("latin1", node)), node))
            return node
        if owner == "csv" and plain and called.attr in _CSV:
            node.args[0] = call(self._used, "text", node, node.args[0])
            return node
        if called.attr == "decode" or (called.attr == "encode" and plain and isinstance(node.args[0], ast.Constant)):
            made = call(self._used, called.attr, node, called.value, *node.args)
            made.keywords = node.keywords
            return made
        if called.attr == "translate" and len(node.args) == 2 and plain and owner != "string":
            return call(self._used, "translate", node, called.value, *node.args)
        return node


def _text(value: str, node: ast.AST) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), node)


class Inlined(ast.NodeTransformer):
    """Makes each name of a function of the runtime an expression that imports the runtime.

    A converted module begins with an import of the functions it calls; an expression given to `eval` has no place for
    one.

    Args:
        runtime: the module that has the functions.
    """

    def __init__(self, runtime: str) -> None:
        self._module = ast.parse(f"__import__({runtime!r}, fromlist=['_'])", mode="eval").body

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """`__python2_divide__` becomes `__import__(…).divide`."""
        if not node.id.startswith("__python2_"):
            return node
        function = node.id.removeprefix("__python2_").removesuffix("__")
        return ast.copy_location(ast.Attribute(self._module, function, ast.Load()), node)
