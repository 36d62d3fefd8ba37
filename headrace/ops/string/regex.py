"""Regular expressions, RE2's, over the strings of a tensor."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.operation import Tensor
from headrace.core.registry import OpDecl, op, raw
from headrace.ops.host_values import boxed, mapped, to_tensor
from headrace.ops.string.re2 import compiled, may_match_nothing

# What a rewrite consists of: text, and groups or backslashes.
_PIECE = re.compile(r"[^\\]+|\\[0-9\\]")


def _pieces(rewrite: str) -> list[str | int]:
    """The texts and the numbers of the groups that a rewrite puts together; it ends where it is none."""
    found: list[str | int] = []
    at = 0
    while piece := _PIECE.match(rewrite, at):
        text, at = piece[0], piece.end()
        found.append(text if text[0] != "\\" else text[1] if text[1] == "\\" else int(text[1]))
    return found


def _replacer(rewrite: bytes | str, everywhere: bool) -> Callable[[re.Pattern[str], bytes], bytes]:
    pieces = _pieces(rewrite.decode("utf-8", "surrogateescape") if isinstance(rewrite, bytes) else rewrite)
    plain = all(isinstance(piece, str) for piece in pieces)
    literal = "".join(map(str, pieces)) if plain else ""

    def expanded(match: re.Match[str]) -> str:
        groups = match.re.groups
        return "".join(
            piece if isinstance(piece, str) else (match[piece] or "") if piece <= groups else "" for piece in pieces
        )

    def replace(pattern: re.Pattern[str], item: bytes) -> bytes:
        text = item.decode("utf-8", "surrogateescape")
        put = (lambda match: literal) if plain else expanded
        if not everywhere or not may_match_nothing(pattern):
            changed = pattern.sub(put, text, count=0 if everywhere else 1)
        else:
            changed = _one_by_one(pattern, put, text)
        return changed.encode("utf-8", "surrogateescape")

    return replace


def _one_by_one(pattern: re.Pattern[str], put: Callable[[re.Match[str]], str], text: str) -> str:
    """The text with all matches replaced, in RE2's way: nothing is no match right behind another match."""
    out: list[str] = []
    at, end = 0, -1
    while at <= len(text) and (match := pattern.search(text, at)) is not None:
        out.append(text[at : match.start()])
        if match.start() == match.end() == end:
            out.append(text[match.start() : match.start() + 1])
            at = match.start() + 1
        else:
            out.append(put(match))
            at = end = match.end()
    return "".join([*out, text[at:]])


def _same_shape(op: Any) -> Any:
    return [op.inputs[0].dims]


static_replace_op = op(
    "StaticRegexReplace", "input: string, *, pattern: string, rewrite: string, replace_global=True -> output: string"
)
static_replace_op.shape(_same_shape)


@static_replace_op.kernel
def static_replace_kernel(node):
    pattern = compiled(node.attrs["pattern"])
    replace = _replacer(node.attrs["rewrite"], node.attrs["replace_global"])
    return lambda text: mapped(lambda item: replace(pattern, item), boxed(text))


replace_op = op(
    "RegexReplace", "input: string, pattern: string, rewrite: string, *, replace_global=True -> output: string"
)


def _with_scalars(decl: OpDecl) -> None:
    @decl.shape
    def regex_shape(op):
        for tensor in op.inputs[1:]:
            if tensor.dims:
                raise ValueError(f"Shape must be rank 0 but is rank {len(tensor.dims)}")
        return [op.inputs[0].dims]


_with_scalars(replace_op)


@replace_op.kernel
def replace_kernel(node):
    everywhere = node.attrs["replace_global"]

    def run(text, pattern, rewrite):
        expression = compiled(boxed(pattern)[()])
        replace = _replacer(boxed(rewrite)[()], everywhere)
        return mapped(lambda item: replace(expression, item), boxed(text))

    return run


static_match_op = op("StaticRegexFullMatch", "input: string, *, pattern: string -> output: bool")
static_match_op.shape(_same_shape)
match_op = op("RegexFullMatch", "input: string, pattern: string -> output: bool")
_with_scalars(match_op)


def _matches(pattern: re.Pattern[str], text: Any) -> Any:
    def match(item: bytes) -> bool:
        return pattern.fullmatch(item.decode("utf-8", "surrogateescape")) is not None

    return to_tensor(mapped(match, boxed(text), dtype=np.bool_))


@static_match_op.kernel
def static_match_kernel(node):
    pattern = compiled(node.attrs["pattern"])
    return lambda text: _matches(pattern, text)


@match_op.kernel
def match_kernel(node):
    return lambda text, pattern: _matches(compiled(boxed(pattern)[()]), text)


for _decl in (static_replace_op, replace_op, static_match_op, match_op):
    _decl.on_host(outputs=True)
replace_op.not_differentiable()
static_replace_op.accepts(np.array([b"abc"], object), pattern="b", rewrite="x")
replace_op.accepts(np.array([b"abc"], object), b"b", b"x")
static_match_op.accepts(np.array([b"abc"], object), pattern="a.c")
match_op.accepts(np.array([b"abc"], object), b"a.c")


def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Tensor:
    r"""Each string with what matches `pattern` replaced.

    Args:
        input: string tensor.
        pattern: a regular expression, a string or a string scalar.
        rewrite: what to put there; \1 to \9 stand for the groups, \0 for the whole match.
        replace_global: whether to replace all matches or only the first.
        name: a name for the operation.

    Raises:
        InvalidArgumentError: at run time, if the pattern is none.

    Example:
        >>> tf.Session().run(tf.regex_replace("abc", "b(.)", r"<\1>"))
        b'a<c>'
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return raw.StaticRegexReplace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return raw.RegexReplace(input, pattern, rewrite, replace_global=replace_global, name=name)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether `pattern`, a string or a string scalar, matches the whole of each string."""
    if isinstance(pattern, (str, bytes)):
        return raw.StaticRegexFullMatch(input, pattern=pattern, name=name)
    return raw.RegexFullMatch(input, pattern, name=name)
