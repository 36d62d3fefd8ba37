"""Pickles of plain data, read as data: nothing that a file names is looked up, imported or called.

Objects are read as their attributes under the name of their class. Of pickle's instructions those are known that the
processors of vocabularies are written with, in its protocols 0 to 4.
"""

from __future__ import annotations

import pickle
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Nested


# More objects, lists and dicts than a processor has, and more of them within one another.
_MAX_OBJECTS = 64
_MAX_MARKS = 16
_NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8")
_ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|.?)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\", b"'": b"'", b'"': b'"'}


@dataclass(frozen=True, slots=True)
class Name:
    """What a pickle calls a class or a function."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(eq=False, slots=True)
class Record:
    """An object: the name of its class, and its attributes."""

    kind: Name
    attributes: dict[Any, Any] = field(default_factory=dict)


def decode(data: bytes) -> Any:
    """What a pickle holds.

    Returns:
        a text, bytes, a number, None, a tuple, list or dict of these, a `Record` for an object, or a `Name`.

    Raises:
        pickle.UnpicklingError: if it is damaged, holds anything else, or asks for anything to be done.

    Example:
        >>> decode(pickle.dumps({"a": 1}))
        {'a': 1}
    """
    return _Decoder(data).value()


def is_plain(value: object) -> bool:
    """Whether a value is a text, bytes, a number of at most 64 bits, None, or a tuple of texts.

    Of other numbers and tuples there are many with one hash, which make a dict slow.
    """
    if type(value) is int:
        return -(2**63) <= value < 2**63
    if type(value) is tuple:
        return all(type(item) in (str, bytes) for item in value)
    return type(value) in (str, bytes, float, bool, type(None))


class _Decoder:
    """A stack of values, on which each instruction works, and a memo of those that are used again."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        self._stack: list[Any] = []
        # The stacks below the marks.
        self._below: list[list[Any]] = []
        self._memo: dict[int, Any] = {}
        self._objects = 0

    def value(self) -> Any:
        try:
            while (code := self.take(1)) != pickle.STOP:
                if code not in _STEPS:
                    raise _not_plain(f"the instruction {code!r} at byte {self._at - 1}")
                _STEPS[code](self)
            (value,) = self._stack
        except (ValueError, IndexError) as error:
            raise pickle.UnpicklingError(f"The pickle is damaged before byte {self._at}: {error}") from error
        return value

    def take(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise pickle.UnpicklingError(f"The pickle ends early, after {len(self._data)} bytes.")
        return self._data[self._at - count : self._at]

    def line(self) -> bytes:
        return self.take(self._data.index(b"\n", self._at) + 1 - self._at)[:-1]

    def number(self, form: str) -> int:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def push(self, value: object) -> None:
        if isinstance(value, (Record, dict, list)):
            self._objects += 1
            if self._objects > _MAX_OBJECTS:
                raise _not_plain(f"more than {_MAX_OBJECTS} objects")
        self._stack.append(value)

    def pop(self, kind: type) -> Any:
        value = self._stack.pop()
        if type(value) is not kind:
            raise _not_plain(f"{_told(value)} in the place of a {kind.__name__.lower()}")
        return value

    def last(self, count: int) -> list[Any]:
        if len(self._stack) < count:
            raise IndexError("a tuple of more than there is")
        items = self._stack[-count:]
        del self._stack[-count:]
        return items

    def mark(self) -> None:
        if len(self._below) == _MAX_MARKS:
            raise _not_plain("too much in one another")
        self._below.append(self._stack)
        self._stack = []

    def marked(self) -> list[Any]:
        items, self._stack = self._stack, self._below.pop()
        return items

    def remember(self, index: int) -> None:
        self._memo[index] = self._stack[-1]

    def memoize(self) -> None:
        self.remember(len(self._memo))

    def recall(self, index: int) -> None:
        if index not in self._memo:
            raise ValueError(f"there is no value {index}")
        self._stack.append(self._memo[index])

    def push_tuple(self, items: list[Any]) -> None:
        for item in items:
            if type(item) is tuple or not (isinstance(item, (Name, np.dtype)) or is_plain(item)):
                raise _not_plain(f"{_told(item)} in a tuple")
        self.push(tuple(items))

    def append(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not list:
            raise _not_plain(f"{_told(target)} in the place of a list")
        for item in items:
            if not is_plain(item):
                raise _not_plain(f"{_told(item)} in a list")
        target += items

    def set_items(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not dict:
            raise _not_plain(f"{_told(target)} in the place of a dict")
        for key in items[::2]:
            if not is_plain(key):
                raise _not_plain(f"{_told(key)} as a key")
        target.update(zip(items[::2], items[1::2], strict=True))

    def push_filled(self, target: Nested[Tensor], fill: Callable[[list[Any]], None]) -> None:
        items = self.marked()
        self.push(target)
        fill(items)

    def create(self) -> None:
        arguments, kind = self.pop(tuple), self.pop(Name)
        if arguments:
            raise _not_plain(f"an object of {kind} that is made of something")
        self.push(Record(kind))

    def reduce(self) -> None:
        arguments, function = self.pop(tuple), self.pop(Name)
        self.push(_reduced(function, arguments))

    def build(self) -> None:
        state, target = self._stack.pop(), self._stack[-1]
        if type(target) is Record and type(state) is dict:
            target.attributes.update(state)
            return
        # What a type of numbers has: a version, the order of bytes, and nothing of use here.
        if not (isinstance(target, np.dtype) and type(state) is tuple and type(state[1]) is str and state[1] in "<|="):
            raise _not_plain(f"{_told(state)} as the state of {_told(target)}")


def _not_plain(what: str) -> pickle.UnpicklingError:
    return pickle.UnpicklingError(f"The pickle is not of plain data: it has {what}.")


def _told(value: object) -> str:
    if isinstance(value, Name):
        return str(value)
    return "a number of more than 64 bits" if type(value) is int else f"a {type(value).__name__.lower()}"


def _reduced(function: Name, arguments: tuple[Any, ...]) -> Any:
    """What those functions return that such files have calls of; none is called."""
    match function, arguments:
        case Name("collections", "defaultdict"), () | (Name(),):
            return {}
        case Name("copy_reg" | "copyreg", "_reconstructor"), (Name() as kind, Name(name="object"), None):
            return Record(kind)
        case Name("_codecs", "encode"), (str() as text, str("latin1")):
            return text.encode("latin1")
        case Name("__builtin__" | "builtins", "bytes"), ():
            return b""
        case Name("numpy", "dtype"), (str() as code, *_) if code in _NUMBERS:
            return np.dtype("<" + code)
        case Name("numpy.core.multiarray" | "numpy._core.multiarray", "scalar"), (
            np.dtype() as dtype,
            bytes() | str() as raw,
        ):
            (number,) = np.frombuffer(raw.encode() if isinstance(raw, str) else raw, dtype).tolist()
            return number
    raise _not_plain(f"a call of {function}")


def _string(raw: bytes) -> str | bytes:
    """What Python 2 wrote: a text, if it can be one."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _quoted(line: bytes) -> str | bytes:
    if len(line) < 2 or line[:1] not in (b"'", b'"') or line[:1] != line[-1:]:
        raise ValueError("a text without quotation marks")
    return _string(_ESCAPE.sub(_unescaped, line[1:-1]))


def _unescaped(match: re.Match[bytes]) -> bytes:
    if match[1][:1] == b"x" and len(match[1]) == 3:
        return bytes([int(match[1][1:], 16)])
    if match[1] not in _ESCAPED:
        raise ValueError(f"an escape sequence that no text has: {match[0]!r}")
    return _ESCAPED[match[1]]


def _whole(line: bytes) -> int:
    return {b"00": False, b"01": True}[line] if line in (b"00", b"01") else int(line.removesuffix(b"L"))


def _global(decoder: _Decoder) -> None:
    module, name = decoder.line().decode(), decoder.line().decode()
    decoder.push(Name(module, name))


def _stack_global(decoder: _Decoder) -> None:
    name, module = decoder.pop(str), decoder.pop(str)
    decoder.push(Name(module, name))


_STEPS: dict[bytes, Callable[[_Decoder], Any]] = {
    pickle.PROTO: lambda d: d.take(1),
    pickle.FRAME: lambda d: d.take(8),
    pickle.MARK: _Decoder.mark,
    # Numbers and None.
    pickle.NONE: lambda d: d.push(None),
    pickle.NEWTRUE: lambda d: d.push(True),
    pickle.NEWFALSE: lambda d: d.push(False),
    pickle.INT: lambda d: d.push(_whole(d.line())),
    pickle.LONG: lambda d: d.push(_whole(d.line())),
    pickle.LONG1: lambda d: d.push(int.from_bytes(d.take(d.number("B")), "little", signed=True)),
    pickle.BININT: lambda d: d.push(d.number("i")),
    pickle.BININT1: lambda d: d.push(d.number("B")),
    pickle.BININT2: lambda d: d.push(d.number("H")),
    pickle.FLOAT: lambda d: d.push(float(d.line())),
    pickle.BINFLOAT: lambda d: d.push(struct.unpack(">d", d.take(8))[0]),
    # Texts and bytes.
    pickle.STRING: lambda d: d.push(_quoted(d.line())),
    pickle.BINSTRING: lambda d: d.push(_string(d.take(d.number("I")))),
    pickle.SHORT_BINSTRING: lambda d: d.push(_string(d.take(d.number("B")))),
    pickle.UNICODE: lambda d: d.push(d.line().decode("raw-unicode-escape")),
    pickle.BINUNICODE: lambda d: d.push(d.take(d.number("I")).decode("utf-8", "surrogatepass")),
    pickle.SHORT_BINUNICODE: lambda d: d.push(d.take(d.number("B")).decode("utf-8", "surrogatepass")),
    pickle.BINBYTES: lambda d: d.push(d.take(d.number("I"))),
    pickle.SHORT_BINBYTES: lambda d: d.push(d.take(d.number("B"))),
    # Tuples, lists, dicts.
    pickle.EMPTY_TUPLE: lambda d: d.push(()),
    pickle.TUPLE1: lambda d: d.push_tuple(d.last(1)),
    pickle.TUPLE2: lambda d: d.push_tuple(d.last(2)),
    pickle.TUPLE3: lambda d: d.push_tuple(d.last(3)),
    pickle.TUPLE: lambda d: d.push_tuple(d.marked()),
    pickle.EMPTY_LIST: lambda d: d.push([]),
    pickle.LIST: lambda d: d.push_filled([], d.append),
    pickle.APPEND: lambda d: d.append(d.last(1)),
    pickle.APPENDS: lambda d: d.append(d.marked()),
    pickle.EMPTY_DICT: lambda d: d.push({}),
    pickle.DICT: lambda d: d.push_filled({}, d.set_items),
    pickle.SETITEM: lambda d: d.set_items(d.last(2)),
    pickle.SETITEMS: lambda d: d.set_items(d.marked()),
    # Objects.
    pickle.GLOBAL: _global,
    pickle.STACK_GLOBAL: _stack_global,
    pickle.NEWOBJ: _Decoder.create,
    pickle.REDUCE: _Decoder.reduce,
    pickle.BUILD: _Decoder.build,
    # Values used again.
    pickle.PUT: lambda d: d.remember(_whole(d.line())),
    pickle.BINPUT: lambda d: d.remember(d.number("B")),
    pickle.LONG_BINPUT: lambda d: d.remember(d.number("I")),
    pickle.MEMOIZE: _Decoder.memoize,
    pickle.GET: lambda d: d.recall(_whole(d.line())),
    pickle.BINGET: lambda d: d.recall(d.number("B")),
    pickle.LONG_BINGET: lambda d: d.recall(d.number("I")),
}
