"""Jumps out of statements - return, break, continue - as flags and branches, so that each block runs to its end."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Sequence
from typing import Any

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
LOOPS = (ast.For, ast.While, ast.AsyncFor)
# What comes behind a branch that may return is written into both branches, up to this many nodes.
_COPIED_NODES = 200


class Names:
    """Makes names that nothing else in a function has.

    Args:
        used: the names there are.
    """

    def __init__(self, used: set[str]) -> None:
        self._used = used

    def new(self, wish: str) -> str:
        """A name that begins like `wish`."""
        for number in itertools.count():
            name = f"{wish}_{number}" if number else wish
            if name not in self._used:
                self._used.add(name)
                return name
        raise AssertionError


def name_of(name: str) -> ast.Name:
    """The variable, read."""
    return ast.Name(name, ast.Load())


def assigned(name: str, value: ast.expr, like: ast.AST) -> ast.stmt:
    """`name = value`, at the place of `like`."""
    made = ast.Assign([ast.Name(name, ast.Store())], value)
    return ast.fix_missing_locations(ast.copy_location(made, like))


def branch(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], like: ast.AST) -> ast.stmt:
    """`if test: body else: orelse`, at the place of `like`."""
    made = ast.If(test, body or [ast.Pass()], orelse)
    return ast.fix_missing_locations(ast.copy_location(made, like))


def negated(test: ast.expr) -> ast.expr:
    """`not test`."""
    return ast.UnaryOp(ast.Not(), test)


def inside(node: ast.AST, kind: Any, stop: tuple[type, ...] = SCOPES) -> bool:
    """Whether there is a node of a kind in another, nested scopes (and what else is in `stop`) left out."""
    if isinstance(node, kind):
        return True
    return any(inside(child, kind, stop) for child in ast.iter_child_nodes(node) if not isinstance(child, stop))


def any_inside(nodes: Sequence[ast.AST], kind: type, stop: tuple[type, ...] = SCOPES) -> bool:
    """`inside` for statements."""
    return any(inside(node, kind, stop) for node in nodes if not isinstance(node, stop))


class _Jumps:
    """Lowers one kind of jump in a block.

    A block either never ends early, may do so, or always does. What stands behind a branch that always does goes into the
    other branch, so that no flag is asked and no variable is left open.
    """

    def block(self, statements: Sequence[ast.stmt]) -> tuple[list[ast.stmt], bool, bool]:
        """A block without jumps, whether it may end early, and whether it always does."""
        out: list[ast.stmt] = []
        for i, statement in enumerate(statements):
            rest = list(statements[i + 1 :])
            jump = self.jump(statement)
            if jump is not None:
                return [*out, *jump], True, True
            if isinstance(statement, (ast.Raise, ast.Return, ast.Break, ast.Continue)):
                return [*out, statement], False, True
            if isinstance(statement, SCOPES) or not self.has_jump(statement):
                out.append(statement)
            elif isinstance(statement, ast.If):
                return self._branched(out, statement, rest)
            else:
                always = self.compound(statement)
                out.append(statement)
                if not always and rest:
                    out.extend(self.guarded(rest, statement))
                elif not always:
                    out.extend(self.after(statement))
                return out, True, always
        return out, False, False

    def _branched(
        self, out: list[ast.stmt], statement: ast.If, rest: list[ast.stmt]
    ) -> tuple[list[ast.stmt], bool, bool]:
        body, may_body, always_body = self.block(copy.deepcopy(statement.body))
        orelse, may_orelse, always_orelse = self.block(copy.deepcopy(statement.orelse))
        if rest and not (always_body and always_orelse):
            small = sum(1 for node in rest for _ in ast.walk(node)) <= _COPIED_NODES
            if always_body:
                orelse, may_orelse, always_orelse = self.block([*statement.orelse, *rest])
            elif always_orelse:
                body, may_body, always_body = self.block([*statement.body, *rest])
            elif small:
                body, may_body, always_body = self.block([*copy.deepcopy(statement.body), *copy.deepcopy(rest)])
                orelse, may_orelse, always_orelse = self.block([*statement.orelse, *rest])
            else:
                out.append(branch(statement.test, body, orelse, statement))
                return [*out, *self.guarded(rest, statement)], True, False
        out.append(branch(statement.test, body, orelse, statement))
        return out, may_body or may_orelse, always_body and always_orelse

    def parts(self, statement: ast.stmt) -> bool:
        """Lowers the blocks of a with, try or match statement; whether it always ends early."""
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            statement.body, _, always = self.block(statement.body)
            return always
        if isinstance(statement, ast.Try) or type(statement).__name__ == "TryStar":
            tried: Any = statement
            may = any_inside(tried.body, self.kinds, self.stop)
            tried.body, _, _ = self.block(tried.body)
            for handler in tried.handlers:
                handler.body, _, _ = self.block(handler.body)
            tried.orelse, _, _ = self.block(tried.orelse)
            if may and tried.orelse:
                tried.orelse = [branch(self.going_on(), tried.orelse, [], statement)]
            tried.finalbody, _, _ = self.block(tried.finalbody)
        elif isinstance(statement, ast.Match):
            for case in statement.cases:
                case.body, _, _ = self.block(case.body)
        return False

    kinds: Any
    stop: tuple[type, ...]

    def has_jump(self, statement: ast.stmt) -> bool:
        """Whether there is such a jump in a statement."""
        return inside(statement, self.kinds, self.stop)

    def jump(self, statement: ast.stmt) -> list[ast.stmt] | None:
        """What stands for a jump, None for another statement."""
        raise NotImplementedError

    def compound(self, statement: ast.stmt) -> bool:
        """Lowers a statement with blocks that is not an if; whether it always ends early."""
        return self.parts(statement)

    def going_on(self) -> ast.expr:
        """Whether there was no jump."""
        raise NotImplementedError

    def guarded(self, rest: list[ast.stmt], like: ast.stmt) -> list[ast.stmt]:
        """What stands behind a statement that may end early."""
        body, _, _ = self.block(rest)
        return [branch(self.going_on(), body, [], like)]

    def after(self, like: ast.stmt) -> list[ast.stmt]:
        """What follows a statement that may end early where nothing stands behind it."""
        return []


class _Returns(_Jumps):
    kinds = ast.Return
    stop = SCOPES

    def __init__(self, done: str, value: str) -> None:
        self._done, self._value = done, value
        self._loops = 0

    def jump(self, statement: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(statement, ast.Return):
            return None
        made = [
            assigned(self._done, ast.Constant(True), statement),
            assigned(self._value, statement.value or ast.Constant(None), statement),
        ]
        return [*made, ast.copy_location(ast.Break(), statement)] if self._loops else made

    def compound(self, statement: ast.stmt) -> bool:
        if not isinstance(statement, LOOPS):
            return self.parts(statement)
        self._loops += 1
        statement.body, _, _ = self.block(statement.body)
        self._loops -= 1
        statement.orelse, _, _ = self.block(statement.orelse)
        return False

    def going_on(self) -> ast.expr:
        return negated(name_of(self._done))

    def guarded(self, rest: list[ast.stmt], like: ast.stmt) -> list[ast.stmt]:
        body, _, _ = self.block(rest)
        out: list[ast.stmt] = [ast.copy_location(ast.Break(), like)] if self._loops else []
        return [branch(self.going_on(), body, out, like)]

    def after(self, like: ast.stmt) -> list[ast.stmt]:
        return [branch(name_of(self._done), [ast.copy_location(ast.Break(), like)], [], like)] if self._loops else []


def lower_returns(function: ast.FunctionDef, names: Names) -> str | None:
    """Gives a function one return, at its end, unless it is so already.

    Returns:
        the variable that holds what it returns, if there is one.
    """
    nested = [s for s in function.body if not isinstance(s, (ast.Return, *SCOPES))]
    if not any_inside(nested, ast.Return):
        return None
    done, value = names.new("do_return_"), names.new("retval_")
    body, _, _ = _Returns(done, value).block(function.body)
    first = function.body[0]
    start = [assigned(done, ast.Constant(False), first), assigned(value, called("no_return"), first)]
    end = ast.Return(called("returned", name_of(value)))
    function.body = [*start, *body, ast.fix_missing_locations(ast.copy_location(end, function.body[-1]))]
    return value


def called(operator: str, *arguments: ast.expr) -> ast.expr:
    """`ag__.operator(*arguments)`."""
    return ast.Call(ast.Attribute(name_of("ag__"), operator, ast.Load()), list(arguments), [])


class _LoopJumps(_Jumps):
    kinds = (ast.Break, ast.Continue)
    stop = (*SCOPES, *LOOPS)

    def __init__(self, broken: str | None, continued: str | None) -> None:
        self._broken, self._continued = broken, continued

    def jump(self, statement: ast.stmt) -> list[ast.stmt] | None:
        if isinstance(statement, ast.Break):
            assert self._broken is not None
            return [assigned(self._broken, ast.Constant(True), statement)]
        if isinstance(statement, ast.Continue):
            assert self._continued is not None
            return [assigned(self._continued, ast.Constant(True), statement)]
        return None

    def going_on(self) -> ast.expr:
        tests = [negated(name_of(name)) for name in (self._broken, self._continued) if name is not None]
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def lower_loops(statements: list[ast.stmt], names: Names) -> list[ast.stmt]:
    """Takes break, continue and else out of the loops of a block; inner loops first.

    A `for` loop that may be left gets an attribute `broken`, the name of its flag.
    """
    out: list[ast.stmt] = []
    for statement in statements:
        if isinstance(statement, SCOPES):
            out.append(statement)
            continue
        _each_block(statement, lambda block: lower_loops(block, names))
        if not isinstance(statement, (ast.For, ast.While)):
            out.append(statement)
            continue
        stop = (*SCOPES, *LOOPS)
        broken = names.new("break_") if any_inside(statement.body, ast.Break, stop) else None
        continued = names.new("continue_") if any_inside(statement.body, ast.Continue, stop) else None
        if broken or continued:
            statement.body, _, _ = _LoopJumps(broken, continued).block(statement.body)
        if continued:
            statement.body.insert(0, assigned(continued, ast.Constant(False), statement))
        orelse, statement.orelse = statement.orelse, []
        if broken:
            out.append(assigned(broken, ast.Constant(False), statement))
            if isinstance(statement, ast.While):
                test = ast.BoolOp(ast.And(), [negated(name_of(broken)), statement.test])
                statement.test = ast.fix_missing_locations(ast.copy_location(test, statement.test))
            else:
                statement.broken = broken  # type: ignore[attr-defined]  # a mark of ours, which `ast` knows nothing of
        out.append(statement)
        if orelse and broken:
            out.append(branch(negated(name_of(broken)), orelse, [], statement))
        else:
            out.extend(orelse)
    return out


def _each_block(statement: ast.stmt, change: Callable[[list[ast.stmt]], list[ast.stmt]]) -> None:
    parts: list[Any] = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    for part in parts:
        for field in ("body", "orelse", "finalbody"):
            block = getattr(part, field, None)
            if isinstance(block, list) and block:
                setattr(part, field, change(block))
