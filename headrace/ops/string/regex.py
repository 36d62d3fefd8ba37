"""Regular expressions over the strings of a tensor.

TensorFlow's expressions are RE2's. Python's `re` agrees with it on what patterns of these programs contain, once the
few different spellings are put into Python's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.core.operation import Tensor
from headrace.core.registry import OpDecl, op, raw
from headrace.ops.host_values import boxed, mapped, to_tensor

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_TOKEN = re.compile(r"\\p(?:\{\^?\w+\}|\w)|\\.|\[:\w+:\]|\[\^?\]?|\]|\$|\(\?P?<|.", re.DOTALL)
# What Python's class of letters can say of RE2's general categories.
_CATEGORIES = {"L": r"[^\W\d_]", "N": r"\d", "Lu": "[A-Z]", "Ll": "[a-z]"}


def compiled(pattern: bytes | str) -> re.Pattern[str]:
    """The pattern as Python's.

    Raises:
        InvalidArgumentError: if it is none.
    """
    text = pattern.decode("utf-8", "surrogateescape") if isinstance(pattern, bytes) else pattern
    try:
        return re.compile(_translated(text), re.ASCII)
    except (re.error, RecursionError, OverflowError) as error:
        reason = "missing )" if "unterminated subpattern" in str(error) else str(error)
        raise InvalidArgumentError(None, None, f"Invalid pattern: {text}, error: {reason}: {text}") from None


def _translated(text: str) -> str:
    out: list[str] = []
    inside = False
    multiline = re.match(r"\(\?[a-z]*m", text) is not None
    for token in _TOKEN.findall(text):
        if token.startswith("[:") and inside and token[2:-2] in _CLASSES:
            token = _CLASSES[token[2:-2]]
        elif token.startswith("[") and not inside:
            inside = True
        elif token.startswith("["):
            token = "".join("\\" + c if c == "[" else c for c in token)
        elif token == "]":
            inside = False
        elif token == "$" and not inside and not multiline:
            # Only at the very end, not before a last line break.
            token = r"\Z"
        elif token == r"\z":
            token = r"\Z"
        elif token == r"\C":
            token = r"[\s\S]"
        elif token.startswith(r"\p"):
            name = token[2:].strip("{}")
            if inside or name not in _CATEGORIES:
                raise re.error(f"invalid character class range: {token} (Headrace knows {', '.join(_CATEGORIES)})")
            token = f"(?u:{_CATEGORIES[name]})" if name in ("L", "N") else _CATEGORIES[name]
        elif token == "(?<":
            token = "(?<"
        out.append(token)
    return "".join(out)


def _replacer(rewrite: bytes | str, everywhere: bool) -> Callable[[re.Pattern[str], bytes], bytes]:
    text = rewrite.decode("utf-8", "surrogateescape") if isinstance(rewrite, bytes) else rewrite
    parts = re.split(r"\\([0-9\\])", text)

    def expand(match: re.Match[str]) -> str:
        out = [parts[0]]
        for mark, literal in zip(parts[1::2], parts[2::2], strict=True):
            if mark == "\\":
                out.append("\\")
            elif int(mark) <= match.re.groups:
                out.append(match[int(mark)] or "")
            else:
                # A group that is not there spoils the whole rewrite.
                return ""
            out.append(literal)
        return "".join(out)

    def replace(pattern: re.Pattern[str], item: bytes) -> bytes:
        changed = pattern.sub(expand, item.decode("utf-8", "surrogateescape"), count=0 if everywhere else 1)
        return changed.encode("utf-8", "surrogateescape")

    return replace


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
