"""Functions rewritten: their control flow and calls go through operators, which look at the values."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headrace.autograph.liveness import captured, live_before, live_in_loop, part_writes, reads, writes
from headrace.autograph.lowering import SCOPES, Names, called, inside, lower_loops, lower_returns, name_of
from headrace.autograph.source import parameters_of

# What looks at the frame it is called from.
_OF_THE_FRAME = frozenset({"locals", "globals", "vars", "dir", "eval", "exec", "super", "__import__", "breakpoint"})


class Unsupported(Exception):
    """A function that is not rewritten; the text says why."""


def rewrite(
    node: ast.FunctionDef | ast.Lambda,
    plain_call: Callable[[ast.expr], bool],
    directive: Callable[[ast.expr], bool],
    owner: str | None = None,
    equality: bool = False,
    assertions: bool = False,
) -> ast.FunctionDef:
    """The rewritten function; it uses a variable `ag__`, the operators.

    Args:
        node: the function's syntax tree, which is changed.
        plain_call: whether what is called may be called as it is.
        directive: whether what is called is `set_loop_options`.
        owner: the class whose method it is, for names that begin with two underscores.
        equality: whether `==` and `!=` go through operators.
        assertions: whether `assert` does; otherwise it is Python's, which takes no tensor of a graph.

    Raises:
        Unsupported: for generators and coroutines.
    """
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        made = ast.FunctionDef("lambda_", node.args, body, [], None)
        function = ast.fix_missing_locations(ast.copy_location(made, node))
    else:
        function = node
    function.decorator_list = []
    if owner is not None:
        _Mangled(owner).visit(function)
    names = Names({inner.id for inner in ast.walk(function) if isinstance(inner, ast.Name)} | {"ag__"})
    _Rewriter(names, plain_call, directive, equality, assertions).function(function)
    # The defaults are those of the function that there is.
    arguments = function.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [default and ast.Constant(None) for default in arguments.kw_defaults]
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    function.returns = None
    return ast.fix_missing_locations(function)


class _Mangled(ast.NodeTransformer):
    """Private names of a class, as Python's compiler would write them."""

    def __init__(self, owner: str) -> None:
        self._owner = owner.lstrip("_")

    def _name(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and self._owner
        return f"_{self._owner}{name}" if private else name

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = self._name(node.attr)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._name(node.id)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


class _Scope:
    """A function that is being rewritten."""

    def __init__(self, function: ast.FunctionDef, returned: str | None) -> None:
        self.returned = returned
        parameters = set(parameters_of(function.args))
        self.outer: dict[str, str] = {}
        for inner in _own_nodes(function.body):
            if isinstance(inner, (ast.Global, ast.Nonlocal)):
                kind = "global" if isinstance(inner, ast.Global) else "nonlocal"
                self.outer.update(dict.fromkeys(inner.names, kind))
        self.locals = (writes(function.body) | parameters) - set(self.outer)
        self.parameters = parameters
        self.first = next(iter(parameters_of(function.args)), None)
        # Nested functions may read these whenever they are called.
        self.captured = captured(function.body)


def _own_nodes(statements: Sequence[ast.AST]) -> list[ast.AST]:
    found: list[ast.AST] = []
    for statement in statements:
        found.append(statement)
        if not isinstance(statement, SCOPES):
            found.extend(_own_nodes(list(ast.iter_child_nodes(statement))))
    return found


class _Rewriter(ast.NodeTransformer):
    def __init__(
        self,
        names: Names,
        plain_call: Callable[[ast.expr], bool],
        directive: Callable[[ast.expr], bool],
        equality: bool,
        assertions: bool,
    ) -> None:
        self._names = names
        self._plain_call = plain_call
        self._directive = directive
        self._equality = equality
        self._assertions = assertions
        self._scope: _Scope

    # ---- functions ----

    def function(self, function: ast.FunctionDef) -> None:
        """Rewrites a function in place."""
        for inner in _own_nodes(function.body):
            if isinstance(inner, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)):
                raise Unsupported("generators and coroutines are called as they are")
        returned = lower_returns(function, self._names)
        function.body = lower_loops(function.body, self._names)
        outer = getattr(self, "_scope", None)
        self._scope = scope = _Scope(function, returned)
        changed = _changed_in_blocks(function.body) - scope.parameters - set(scope.outer)
        body = self.block(function.body, set())
        start: list[ast.stmt] = [
            ast.Assign([ast.Name(name, ast.Store())], called("Undefined", ast.Constant(name)))
            for name in sorted(changed)
        ]
        head = 1 if _is_docstring(body[0]) else 0
        while head < len(body) and isinstance(body[head], (ast.Global, ast.Nonlocal)):
            head += 1
        for statement in start:
            ast.copy_location(statement, function)
            ast.fix_missing_locations(statement)
        function.body = [*body[:head], *start, *body[head:]]
        if outer is not None:
            self._scope = outer

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        node.args.kw_defaults = [default and self.visit(default) for default in node.args.kw_defaults]
        if any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in _own_nodes(node.body)):
            return node
        self.function(node)
        node.decorator_list.append(ast.copy_location(ast.Attribute(name_of("ag__"), "rewritten", ast.Load()), node))
        ast.fix_missing_locations(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    # ---- blocks ----

    def block(self, statements: Sequence[ast.stmt], after: set[str]) -> list[ast.stmt]:
        """Rewrites a block, after which the variables in `after` are live."""
        out: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            live = live_before(statements[i + 1 :], after)
            if isinstance(statement, ast.If):
                out.extend(self._if(statement, live))
            elif isinstance(statement, ast.While):
                out.extend(self._while(statement, live))
            elif isinstance(statement, ast.For):
                out.extend(self._for(statement, live))
            elif isinstance(statement, ast.With):
                for item in statement.items:
                    item.context_expr = self.visit(item.context_expr)
                statement.body = self.block(statement.body, live)
                out.append(statement)
            elif isinstance(statement, ast.Try) or type(statement).__name__ == "TryStar":
                self._try(statement, live)
                out.append(statement)
            elif isinstance(statement, ast.Match):
                statement.subject = self.visit(statement.subject)
                for case in statement.cases:
                    case.body = self.block(case.body, live)
                out.append(statement)
            else:
                made = self.visit(statement)
                out.extend(made if isinstance(made, list) else [made])
        return out or [ast.Pass()]

    def _try(self, statement: Any, live: set[str]) -> None:
        # Any part may follow any other.
        live_in_body = live | reads(statement)
        statement.body = self.block(statement.body, live_in_body)
        for handler in statement.handlers:
            handler.body = self.block(handler.body, live_in_body)
        if statement.orelse:
            statement.orelse = self.block(statement.orelse, live_in_body)
        if statement.finalbody:
            statement.finalbody = self.block(statement.finalbody, live)

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name):
            node.value = _at(called("returned", node.value), node)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        if not self._assertions:
            return self.generic_visit(node)
        message = node.msg or ast.Constant(None)
        test = _thunk(self.visit(node.test))
        # Python's own where there is nothing to stage keeps its text and traceback.
        return _at(ast.Expr(called("assert_", test, _thunk(self.visit(message)))), node)

    # ---- control flow ----

    def _state(
        self, statements: Sequence[ast.AST], wanted_before: set[str], wanted_after: set[str], items: bool = False
    ) -> _State:
        changed = writes(statements)
        after = sorted(name for name in changed if name in wanted_after)
        before = sorted(name for name in changed if name in wanted_before and name not in after)
        parts = part_writes(statements, items)
        declared = {name: self._scope.outer.get(name, "nonlocal") for name in sorted(changed)}
        return _State([*after, *parts], before, declared, self._names)

    def _captured_outside(self, block: Sequence[ast.stmt]) -> set[str]:
        """What functions of other places read whenever they are called; those that a block defines belong to it."""
        return set(self._scope.captured - captured(block))

    def _if(self, statement: ast.If, after: set[str]) -> list[ast.stmt]:
        both = [*statement.body, *statement.orelse]
        before = live_before(statement.body, after) | live_before(statement.orelse, after)
        state = self._state(both, before, after | self._captured_outside(both), items=True)
        test = self.visit(statement.test)
        body = state.define("if_body", self.block(statement.body, after))
        orelse = state.define("else_body", self.block(statement.orelse, after))
        call = called(
            "if_stmt", test, name_of(body.name), name_of(orelse.name), *state.accessors(), state.described(),
            ast.Constant(state.live_count),
        )  # fmt: skip
        return [_at(made, statement) for made in (*state.definitions(statement), body, orelse, ast.Expr(call))]

    def _while(self, statement: ast.While, after: set[str]) -> list[ast.stmt]:
        live = live_in_loop(statement, after)
        test_writes: list[ast.AST] = [statement.test] if inside(statement.test, ast.NamedExpr) else []
        options = self._options(statement)
        state = self._state([*statement.body, *test_writes], live, live | self._captured_outside(statement.body))
        test_body: list[ast.stmt] = [ast.Return(self.visit(statement.test))]
        test = state.define("loop_test", test_body)
        body = state.define("loop_body", self.block(statement.body, live))
        call = called(
            "while_stmt", name_of(test.name), name_of(body.name), *state.accessors(), state.described(), options
        )
        return [_at(made, statement) for made in (*state.definitions(statement), test, body, ast.Expr(call))]

    def _for(self, statement: ast.For, after: set[str]) -> list[ast.stmt]:
        live = live_in_loop(statement, after)
        options = self._options(statement)
        target: ast.stmt = ast.Assign([statement.target], ast.Name("item__", ast.Load()))
        wanted = live | self._captured_outside(statement.body)
        state = self._state([target, *statement.body], live - writes([target]), wanted)
        iterated = self.visit(statement.iter)
        inner: list[ast.stmt] = [target, *self.block(statement.body, live)]
        body = state.define("loop_body", inner, "item__")
        broken = getattr(statement, "broken", None)
        test: ast.expr = ast.Constant(None)
        if broken is not None:
            test = _thunk(called("not_", name_of(broken)))
        call = called("for_stmt", iterated, test, name_of(body.name), *state.accessors(), state.described(), options)
        return [_at(made, statement) for made in (*state.definitions(statement), body, ast.Expr(call))]

    def _options(self, statement: ast.While | ast.For) -> ast.expr:
        """The options that the loop's body begins with, as a function of nothing, or None."""
        found: ast.expr = ast.Constant(None)
        kept: list[ast.stmt] = []
        for inner in statement.body:
            value = inner.value if isinstance(inner, ast.Expr) else None
            if isinstance(value, ast.Call) and self._directive(value.func):
                found = _thunk(value)
            else:
                kept.append(inner)
        statement.body = kept or [ast.copy_location(ast.Pass(), statement)]
        return found

    # ---- expressions ----

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        if inside(node.body, (ast.Yield, ast.YieldFrom, ast.Await)):
            return node
        self.generic_visit(node)
        return _at(called("rewritten", node), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        if inside(node, (ast.NamedExpr, ast.Yield, ast.Await)):
            return node
        values = [self.visit(value) for value in node.values]
        operator = "and_" if isinstance(node.op, ast.And) else "or_"
        made = values[-1]
        for value in reversed(values[:-1]):
            made = called(operator, _thunk(value), _thunk(made))
        return _at(made, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _at(called("not_", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        if inside(node, (ast.NamedExpr, ast.Yield, ast.Await)):
            return node
        self.generic_visit(node)
        return _at(called("if_exp", node.test, _thunk(node.body), _thunk(node.orelse)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) > 1:
            if inside(node, (ast.NamedExpr, ast.Yield, ast.Await)):
                return node
            return self._chain(node)
        if self._equality and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            operator = "eq" if isinstance(node.ops[0], ast.Eq) else "not_eq"
            return _at(called(operator, node.left, node.comparators[0]), node)
        return node

    def _chain(self, node: ast.Compare) -> ast.AST:
        """`a < b < c`, whose parts are each computed once."""
        operators = [_COMPARED[type(operator)] for operator in node.ops]
        if self._equality:
            operators = [{"==": "eq", "!=": "ne"}.get(operator, operator) for operator in operators]
        values = [node.left, *[_thunk(value) for value in node.comparators]]
        names = ast.Constant(" ".join(operators).replace("is not", "is_not").replace("not in", "not_in"))
        return _at(called("compared", names, *values), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        self.generic_visit(node)
        if isinstance(function, ast.Name) and function.id in _OF_THE_FRAME:
            if function.id == "super" and not node.args and self._scope.first is not None:
                node.args = [name_of("__class__"), name_of(self._scope.first)]
                return _at(node, node)
            return node
        if self._plain_call(function) or (isinstance(function, ast.Attribute) and _is_operator(function)):
            return node
        positional = ast.Tuple(node.args, ast.Load())
        named: ast.expr = ast.Constant(None)
        if node.keywords:
            keys: list[ast.expr | None] = [k.arg and ast.Constant(k.arg) for k in node.keywords]  # type: ignore[misc]  # an argument's name is not empty
            named = ast.Dict(keys, [keyword.value for keyword in node.keywords])
        return _at(called("call", node.func, positional, named), node)


_COMPARED: Mapping[type, str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


def _is_operator(function: ast.Attribute) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id == "ag__"


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _changed_in_blocks(statements: Sequence[ast.stmt]) -> set[str]:
    """The variables that are written inside control flow, which becomes functions."""
    found: set[str] = set()
    for node in _own_nodes(statements):
        if isinstance(node, (ast.If, ast.While, ast.For)):
            found |= writes([node])
    return found


def _thunk(value: ast.expr) -> ast.expr:
    """`lambda: value`."""
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(empty, value)


def _at(node: Any, like: ast.AST) -> Any:
    """A new node at the place of an old one, with all that has no place yet."""
    if not hasattr(node, "lineno"):
        ast.copy_location(node, like)
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and getattr(inner, "lineno", None) is None:
            ast.copy_location(inner, like)
    return node


class _State:
    """The variables that a control flow statement changes, as far as they are live, and how it gets at them.

    Args:
        after: those live after it, and attributes and items.
        before: others, which it reads.
        declared: all that it writes, with the kind of their declaration.
        names: where new names come from.
    """

    def __init__(self, after: list[str], before: list[str], declared: dict[str, str], names: Names) -> None:
        self._items = [*after, *before]
        self.live_count = len(after)
        self._declared = declared
        self._names = names
        self._get, self._set = names.new("get_state"), names.new("set_state")

    def _declarations(self) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for kind, node in (("nonlocal", ast.Nonlocal), ("global", ast.Global)):
            chosen = [name for name, given in self._declared.items() if given == kind]
            if chosen:
                made.append(node(chosen))
        return made

    def define(self, wish: str, body: Sequence[ast.stmt], *parameters: str) -> ast.FunctionDef:
        """A function of the block, which changes the variables outside."""
        arguments = [ast.arg(name) for name in parameters]
        made = ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.FunctionDef(self._names.new(wish), made, [*self._declarations(), *body], [], None)

    def accessors(self) -> tuple[ast.expr, ast.expr]:
        """The names of the functions that give and set the state."""
        return name_of(self._get), name_of(self._set)

    def described(self) -> ast.expr:
        """The names of the state's parts."""
        return ast.Tuple([ast.Constant(item) for item in self._items], ast.Load())

    def definitions(self, like: ast.AST) -> list[ast.stmt]:
        """The definitions of the functions that give and set the state."""
        values, setters = [], []
        for i, item in enumerate(self._items):
            part = f"values__[{i}]"
            place = ast.parse(item, mode="eval").body
            if isinstance(place, ast.Attribute):
                owner = f"{ast.unparse(place.value)}, {place.attr!r}"
                values.append(f"ag__.attribute({owner})")
                setters.append(f"ag__.set_attribute({owner}, {part})")
            elif isinstance(place, ast.Subscript):
                owner = f"{ast.unparse(place.value)}, {ast.unparse(place.slice)}"
                values.append(f"ag__.item({owner})")
                setters.append(f"ag__.set_item({owner}, {part})")
            else:
                values.append(item)
                setters.append(f"{item} = {part}")
        text = f"def {self._get}():\n    return [{', '.join(values)}]\n"
        text += f"def {self._set}(values__):\n    pass\n" + "".join(f"    {line}\n" for line in setters)
        get, put = ast.parse(text).body
        assert isinstance(put, ast.FunctionDef)
        put.body = [*self._declarations(), *put.body]
        for node in (get, put):
            for inner in ast.walk(node):
                if "lineno" in inner._attributes:
                    ast.copy_location(inner, like)
        return [get, put]


def function_of(tree: ast.FunctionDef, original: types.FunctionType) -> types.CodeType:
    """Compiles a rewritten function; its free variables are those of the original, and `ag__`."""
    free = dict.fromkeys((*original.__code__.co_freevars, "ag__", "__class__"))
    lines = "".join(f"    {name} = None\n" for name in free)
    if tree.name not in free:
        # The function's own name is the module's in its body, whatever a decorator has made of it there.
        lines = f"    global {tree.name}\n{lines}"
    module = ast.parse(f"def factory__():\n{lines}    pass\n")
    factory = module.body[0]
    assert isinstance(factory, ast.FunctionDef)
    factory.body[-1] = tree
    factory.body.append(ast.copy_location(ast.Return(name_of(tree.name)), tree))
    ast.fix_missing_locations(module)
    compiled = compile(module, original.__code__.co_filename, "exec")
    inner = next(c for c in compiled.co_consts if isinstance(c, types.CodeType))
    return next(c for c in inner.co_consts if isinstance(c, types.CodeType) and c.co_name == tree.name)
