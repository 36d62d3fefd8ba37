"""Functions that compute sizes from tensors: compiled from trees of a few known forms, never from text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

import torch

# A number; ("size", argument, axis), ("count", argument) or ("item", argument, place); (sign, first, second).
Expression = int | tuple[Any, ...]

_SIGNS: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult}


def size_function(
    expressions: Sequence[Expression], arguments: int, dtype: torch.dtype, number: bool
) -> Callable[..., torch.Tensor]:
    """A function of `arguments` tensors that returns what the expressions make of their sizes and items.

    Args:
        expressions: one an element of the result, see `Expression`.
        arguments: how many tensors the function takes.
        dtype: `torch.int32` or `torch.int64`, into whose range sums and products are brought, as such tensors' are.
        number: whether the result is the only element by itself, not a vector.

    Raises:
        ValueError: for an expression of another form.

    Example:
        >>> rows_twice = size_function([("*", ("size", 0, 0), 2)], 1, torch.int32, number=True)
        >>> rows_twice(torch.zeros(3, 4))
        tensor(6, dtype=torch.int32)
    """
    bits = 32 if dtype == torch.int32 else 64
    half, whole = 1 << bits - 1, 1 << bits
    parts = [_element(expression, arguments) for expression in expressions]
    value: ast.expr = parts[0] if number else ast.Tuple(parts, ast.Load())
    call = ast.Call(_name("tensor"), [value], [ast.keyword("dtype", _name("dtype"))])
    names = [ast.arg(f"a{i}") for i in range(arguments)]
    signature = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    code = _compiled(ast.Lambda(signature, call))
    known = {"tensor": torch.tensor, "dtype": dtype, "wrapped": lambda n: (n + half) % whole - half}
    function: Callable[..., torch.Tensor] = eval(code, known)  # noqa: S307  no text: a tree made here
    return function


def _compiled(function: ast.Lambda) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Expression(function)), "<sizes>", "eval")


def _name(text: str) -> ast.Name:
    return ast.Name(text, ast.Load())


def _element(expression: Expression, arguments: int) -> ast.expr:
    made = _expression(expression, arguments)
    return ast.Call(_name("wrapped"), [made], []) if isinstance(made, ast.BinOp) else made


def _expression(expression: Expression, arguments: int) -> ast.expr:
    if isinstance(expression, int):
        return ast.Constant(int(expression))
    kind, *rest = expression
    if kind in _SIGNS and len(rest) == 2:
        first, second = (_expression(part, arguments) for part in rest)
        return ast.BinOp(first, _SIGNS[kind](), second)
    if not all(isinstance(number, int) for number in rest) or not 0 <= rest[0] < arguments:
        raise ValueError(f"Not an expression of sizes: {expression!r}")
    tensor = _name(f"a{rest[0]}")
    if kind == "count" and len(rest) == 1:
        return ast.Call(ast.Attribute(tensor, "numel", ast.Load()), [], [])
    if kind == "size" and len(rest) == 2:
        return _item(ast.Attribute(tensor, "shape", ast.Load()), rest[1])
    if kind == "item" and len(rest) == 2:
        return ast.Call(ast.Attribute(_item(tensor, rest[1]), "item", ast.Load()), [], [])
    raise ValueError(f"Not an expression of sizes: {expression!r}")


def _item(of: ast.expr, place: int) -> ast.expr:
    return ast.Subscript(of, ast.Constant(place), ast.Load())
