"""Regular expressions, RE2's, over the strings of a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed, to_tensor
from headrace.kernels.string.patterns import Pattern, cached_pattern
from headrace.kernels.string.rewrites import Rewrite

if TYPE_CHECKING:
    import torch

    from headrace.core.typing import TensorLike


def _texts(value: np.ndarray) -> list[bytes]:
    return boxed(value).reshape(-1).tolist()


def _bytes(value: bytes | str) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _scalar(name: str, value: np.ndarray) -> bytes:
    array = boxed(value)
    if array.ndim:
        sizes = ",".join(map(str, array.shape))
        raise InvalidArgumentError(None, None, f"{name} must be scalar, but received [{sizes}]")
    return array.item()


def _replaced(pattern: Pattern, text: np.ndarray, rewrite: Rewrite, everywhere: bool) -> np.ndarray:
    out = np.empty(boxed(text).shape, object)
    out.reshape(-1)[:] = pattern.replaced(_texts(text), rewrite, everywhere)
    return out


def _matches(pattern: Pattern, text: np.ndarray) -> torch.Tensor:
    return to_tensor(pattern.full_matches(_texts(text)).reshape(boxed(text).shape))


def _same_shape(op: Any) -> list[tuple[int, ...] | None]:
    return [op.inputs[0].dims]


static_replace_op = op(
    "StaticRegexReplace", "input: string, *, pattern: string, rewrite: string, replace_global=True -> output: string"
)
static_replace_op.shape(_same_shape)


@static_replace_op.kernel
def static_replace_kernel(node):
    pattern, rewrite = Pattern(_bytes(node.attrs["pattern"])), Rewrite(_bytes(node.attrs["rewrite"]))
    everywhere = node.attrs["replace_global"]
    return lambda text: _replaced(pattern, text, rewrite, everywhere)


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
        expression = cached_pattern(_scalar("Pattern", pattern))
        return _replaced(expression, text, Rewrite(_scalar("Rewrite", rewrite)), everywhere)

    return run


static_match_op = op("StaticRegexFullMatch", "input: string, *, pattern: string -> output: bool")
static_match_op.shape(_same_shape)
match_op = op("RegexFullMatch", "input: string, pattern: string -> output: bool")
_with_scalars(match_op)


@static_match_op.kernel
def static_match_kernel(node):
    pattern = Pattern(_bytes(node.attrs["pattern"]))
    return lambda text: _matches(pattern, text)


@match_op.kernel
def match_kernel(node):
    return lambda text, pattern: _matches(cached_pattern(_scalar("Pattern", pattern)), text)


for _decl in (static_replace_op, replace_op, static_match_op, match_op):
    _decl.on_host(outputs=True)
replace_op.not_differentiable()
static_replace_op.accepts(np.array([b"abc"], object), pattern="b", rewrite="x")
replace_op.accepts(np.array([b"abc"], object), b"b", b"x")
static_match_op.accepts(np.array([b"abc"], object), pattern="a.c")
match_op.accepts(np.array([b"abc"], object), b"a.c")


def regex_replace(
    input: TensorLike, pattern: TensorLike, rewrite: TensorLike, replace_global: bool = True, name: str | None = None
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


def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether `pattern`, a string or a string scalar, matches the whole of each string."""
    if isinstance(pattern, (str, bytes)):
        return raw.StaticRegexFullMatch(input, pattern=pattern, name=name)
    return raw.RegexFullMatch(input, pattern, name=name)
