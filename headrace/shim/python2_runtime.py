"""What converted Python-2 sources call for things that Python 3 does differently and has no name for."""

from __future__ import annotations

import codecs
import decimal
import io
import itertools
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.shim import python2_string
from headrace.shim.python2 import compile_text

if TYPE_CHECKING:
    from types import CodeType

    import numpy as np

    from headrace.core.typing import TensorLike


def _is_whole(value: TensorLike) -> bool:
    """Whether `/` between two such values floors in Python 2: whole numbers, NumPy's among them."""
    if isinstance(value, int):
        return True
    return getattr(getattr(value, "dtype", None), "kind", None) in ("i", "u", "b")


def divide(left: Any, right: Any) -> Any:
    """`left / right` as Python 2 divides: whole numbers floor, and a class's `__div__` comes first.

    Example:
        >>> divide(7, 2), divide(7, 2.0)
        (3, 3.5)
    """
    if _is_whole(left) and _is_whole(right):
        return left // right
    for method, own, other in (("__div__", left, right), ("__rdiv__", right, left)):
        function = getattr(type(own), method, None)
        if function is not None:
            result = function(own, other)
            if result is not NotImplemented:
                return result
    return left / right


def divide_in_place(left: float | np.ndarray, right: int) -> Any:
    """What `left /= right` assigns, as Python 2 divides; arrays change in place."""
    if _is_whole(left) and _is_whole(right):
        left //= right
        return left
    if getattr(type(left), "__div__", None) is not None and not hasattr(type(left), "__itruediv__"):
        return divide(left, right)
    left /= right
    return left


def divide_item_in_place(container: Any, key: Any, right: Any) -> None:
    """`container[key] /= right`, each part evaluated once."""
    container[key] = divide_in_place(container[key], right)


def divide_attribute_in_place(owner: type, name: str, right: int) -> None:
    """`owner.name /= right`, the owner evaluated once."""
    setattr(owner, name, divide_in_place(getattr(owner, name), right))


def cmp(left: int, right: int) -> int:
    """Python 2's three-way comparison: negative, zero or positive.

    Example:
        >>> cmp(1, 2), cmp("b", "a")
        (-1, 1)
    """
    return (left > right) - (left < right)


file = open


def compiled(source: Any, path: str = "<string>", mode: str = "exec", *rest: Any) -> CodeType:
    """What `exec`, `eval` and `compile` are given, compiled as Python 2; code objects stay what they are.

    Example:
        >>> eval(compiled("7/2", mode="eval"))
        3
    """
    if not isinstance(source, str | bytes):
        return source if not rest and path == "<string>" else compile(source, path, mode, *rest)
    return compile_text(source, path, mode)


def rounded(number: float, digits: int = 0) -> float:
    """`round` as Python 2 rounds: halves away from zero, always to a float.

    Example:
        >>> rounded(2.5), rounded(-0.125, 2)
        (3.0, -0.13)
    """
    value = float(number)
    if not math.isfinite(value) or abs(value) >= 2.0**53:
        return value
    with decimal.localcontext() as context:
        context.prec = 400
        places = decimal.Decimal(1).scaleb(-digits)
        return float(decimal.Decimal(value).quantize(places, decimal.ROUND_HALF_UP))


# Codecs that turn strings into strings.
_CODECS = frozenset({"hex", "base64", "rot13", "rot_13", "string_escape", "zlib", "zip", "bz2"})
_ESCAPES = {"string_escape": "unicode_escape"}


def method_next(iterator: Any) -> Any:
    """`iterator.next`; iterators of today have `__next__` alone.

    Example:
        >>> method_next(iter("ab"))()
        'a'
    """
    return iterator.next if hasattr(iterator, "next") else iterator.__next__


def following(iterator: Any, *default: Any) -> Any:
    """What `next(iterator)` gives, for classes that have the method `next` alone too."""
    if hasattr(iterator, "__next__") or not hasattr(iterator, "next"):
        return next(iterator, *default)
    try:
        return iterator.next()
    except StopIteration:
        if not default:
            raise
        return default[0]


def _through_codec(value: str, codec: str, function: Callable[..., Any]) -> str:
    if codec in ("rot13", "rot_13"):
        return function(value, "rot13")
    if codec in _ESCAPES:
        return value.encode("latin-1").decode("unicode_escape")
    data = value.encode("latin-1") if isinstance(value, str) else value
    result = function(data, codec)
    return result.decode("latin-1") if isinstance(value, str) else result


def decode(value: str, *arguments: Any, **keywords: Any) -> str:
    """`value.decode(...)`; a string is text already.

    Example:
        >>> decode("é", "utf-8"), decode("6162", "hex"), decode(b"a")
        ('é', 'ab', 'a')
    """
    if isinstance(value, str):
        codec = arguments[0] if arguments else keywords.get("encoding", "ascii")
        return _through_codec(value, codec, codecs.decode) if codec in _CODECS else value
    return value.decode(*arguments, **keywords)


def encode(value: str, *arguments: Any, **keywords: Any) -> Any:
    """`value.encode(...)`, also to hex and the like."""
    codec = arguments[0] if arguments else keywords.get("encoding", "ascii")
    if isinstance(value, str | bytes) and codec in _CODECS - set(_ESCAPES):
        return _through_codec(value, codec, codecs.encode)
    return value.encode(*arguments, **keywords)


def translate(value: str, table: Any, deletions: str) -> str:
    """`value.translate(table, deletions)` of a string."""
    if isinstance(value, str):
        return python2_string.translate(value, table, deletions)
    return value.translate(table, deletions)


def message(error: Any) -> str:
    """`error.message`: the only argument of an exception, else nothing."""
    try:
        return error.message
    except AttributeError:
        if not isinstance(error, BaseException):
            raise
        return error.args[0] if len(error.args) == 1 else ""


def argument(error: Any, key: int) -> Any:
    """`error[key]`: an argument of an exception."""
    if isinstance(error, BaseException) and not hasattr(error, "__getitem__"):
        return error.args[key]
    return error[key]


def unicode(value: str = "", *arguments: Any, **keywords: Any) -> str:
    """`unicode(value, encoding, errors)`; a string is text already."""
    return value if isinstance(value, str) else str(value, *arguments, **keywords)


def map_none(_: None, *sequences: Any) -> list[Any]:
    """`map(None, …)`: the elements side by side, None where a sequence has ended."""
    return list(itertools.zip_longest(*sequences))


class _Bytes:
    """The bytes behind a file opened as text; it keeps the file, which would close them with itself."""

    def __init__(self, file: io.TextIOWrapper) -> None:
        self._file = file
        data: Any = file.buffer
        self.write, self.read, self.readline = data.write, data.read, data.readline


def binary(file: Any) -> _Bytes:
    """A file that pickles can be written to and read from, which files opened as text are not."""
    return _Bytes(file) if isinstance(file, io.TextIOWrapper) else file


class _Lines:
    """A binary file as the `csv` module wants it."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode())

    def __iter__(self) -> Iterator[str]:
        return (line.decode() for line in self._file)


def text(file: Any) -> _Lines:
    """A file of lines as `csv` reads and writes them today, which files opened in binary mode are not."""
    return _Lines(file) if isinstance(file, io.BufferedIOBase | io.RawIOBase) else file
