"""Functions of one tensor that are put together by operators: `|`, `**`, `+` and `*`."""

from __future__ import annotations

import importlib
import operator
import re
from collections.abc import Callable as AnyCallable
from collections.abc import Mapping, Sequence
from typing import Any

QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
KEYWORDS = re.compile(r"\b(import|while|def|exec)\b")
_printing = [False]


def check_keywords(spec: str) -> None:
    """Sees that a specification is an expression and no program.

    Raises:
        ValueError: if it has `import`, `while`, `def` or `exec` outside of quotes.
    """
    found = KEYWORDS.search(QUOTED.sub("", spec))
    if found:
        raise ValueError(f"keyword '{found[1]}' found in spec")


def get_positional(
    args: Sequence[Any], kw: Mapping[str, Any], kw_overrides: bool = False
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Positional and named arguments, where a name such as `_1` stands for a position.

    Args:
        args, kw: what was given.
        kw_overrides: whether names come before what stands in their positions.

    Example:
        >>> get_positional([1], {"_1": 2, "rate": 3})
        ([1, 2], {'rate': 3})
    """
    named = {name: value for name, value in kw.items() if not name.startswith("_")}
    if len(named) == len(kw):
        return args, kw
    positions = list(args)
    for name, value in kw.items():
        if name.startswith("_"):
            index = int(name[1:])
            positions += [None] * (index + 1 - len(positions))
            if kw_overrides or positions[index] is None:
                positions[index] = value
    return positions, named


class Composable:
    """Something that makes a tensor of a tensor, by `funcall`.

    `f | g` applies one after the other, `f ** n` the same one n times, `f + g` and `f * g` add and multiply what both make.
    """

    def funcall(self, x: Any) -> Any:
        """What it makes of `x`."""
        raise NotImplementedError(f"{type(self).__name__} has no funcall: say in it what is made of a tensor.")

    def __or__(self, f: Composable) -> Composition:
        return Composition(self, f)

    def __add__(self, g: Composable) -> Operator:
        return Operator(operator.add, self, g)

    def __mul__(self, g: Composable) -> Operator:
        return Operator(operator.mul, self, g)

    def __pow__(self, n: int) -> Composable:
        assert n >= 0
        result: Composable = self if n else Function(lambda x, *_, **__: x)
        for _ in range(n - 1):
            result = Composition(result, self)
        return result


class Callable(Composable):
    """A function of a tensor.

    Args:
        f: the function.
    """

    def __init__(self, f: AnyCallable[[Any], Any]) -> None:
        self.f = f

    def funcall(self, x: Any) -> Any:
        """f(x)."""
        return self.f(x)


class Operator(Composable):
    """An operator between what several functions make.

    Args:
        op: the operator, a function of as many tensors.
        *args: the functions.
    """

    def __init__(self, op: AnyCallable[..., Any], *args: Composable) -> None:
        self.op, self.funs = op, args

    def funcall(self, x: Any) -> Any:
        """op(f(x), g(x), ...)."""
        return self.op(*[f.funcall(x) for f in self.funs])


class Function(Composable):
    """A function whose further arguments are kept: calling it gives one with more of them.

    Args:
        f: takes a tensor first.
        *args, **kw: further arguments. `_0=value` stands for the first of them that was not given.

    Raises:
        ValueError: if `f` cannot be called.
    """

    def __init__(self, f: AnyCallable[..., Any], *args: Any, **kw: Any) -> None:
        if not callable(f):
            raise ValueError(f"{f}: is not callable")
        self.f, self.args, self.kw = f, list(args), kw

    def __call__(self, *args: Any, **kw: Any) -> Function:
        return Function(self.f, *args, *self.args, **{**self.kw, **kw})

    def funcall(self, x: Any) -> Any:
        """f(x) with the arguments that were kept."""
        args, kw = get_positional(self.args, self.kw)
        if _printing[0]:
            print("DEBUG:", self.f, x, args, kw)
        return self.f(x, *args, **kw)


class Composition(Composable):
    """One function after the other.

    Args:
        f: the first.
        g: the second.
    """

    def __init__(self, f: Composable, g: Composable) -> None:
        self.f, self.g = f, g

    def funcall(self, x: Any) -> Any:
        """g(f(x))."""
        return self.g.funcall(self.f.funcall(x))


def External(module_name: str, function_name: str) -> Function:
    """A function of a module, by their names.

    Args:
        module_name: as it is imported.
        function_name: its name there.

    Raises:
        KeyError: if the module has no such function.
    """
    module = importlib.import_module(module_name)
    if not hasattr(module, function_name):
        raise KeyError(function_name)
    return Function(getattr(module, function_name))


def Import(statements: str) -> Function:
    """The function that statements define as `f`.

    Raises:
        ValueError: if they do not.
    """
    defined: dict[str, Any] = {}
    exec(statements, defined)  # noqa: S102  # this is what it is for
    if "f" not in defined:
        raise ValueError(f'failed to define "f": {statements}')
    return Function(defined["f"])


def debug(mode: bool = True) -> None:
    """Whether functions print what they are applied to."""
    _printing[0] = mode
