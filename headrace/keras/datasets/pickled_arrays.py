"""Arrays that data sets keep as pickles, read as data: nothing that a file names is looked up, imported or called.

Of pickle's instructions those are known that lists, dicts, texts, whole numbers and NumPy's arrays are written with.
"""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# More values within one another than such files have.
_MAX_MARKS = 16
_NUMBERS = frozenset({"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"})
# Whole numbers in a row, as lists of words have millions of: read at once.
_RUN = re.compile(rb"(?:K.|M..|J....)+", re.DOTALL)
_IN_RUN = re.compile(rb"[KMJ](?:(?<=K)(.)|(?<=M)(..)|(?<=J)(....))", re.DOTALL)


class _Name(NamedTuple):
    module: str
    name: str


class _Pending:
    """An array, or a type of numbers, before its state is known."""

    def __init__(self, code: str | None = None) -> None:
        self.code, self.order = code, "<"
        self.array: np.ndarray | None = None


def decode(data: bytes) -> Any:
    """What a pickle holds.

    Args:
        data: the pickle.

    Returns:
        lists, dicts, tuples, texts, bytes, whole numbers, None and arrays. Texts of Python 2 are texts where they are
        UTF-8, else bytes.

    Raises:
        ValueError: if it is damaged, holds anything else, or asks for anything to be done.
    """
    return _Decoder(data).value()


class _Decoder:
    """A stack of values, on which each instruction works, and a memo of those that are used again."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        self._stack: list[Any] = []
        self._below: list[list[Any]] = []
        self._memo: dict[int, Any] = {}

    def value(self) -> Any:
        try:
            while (code := self._take(1)) != b".":
                if code in b"KMJ":
                    self._numbers()
                elif code in _STEPS:
                    _STEPS[code](self)
                else:
                    raise ValueError(f"the instruction {code!r} is not of plain data")
            (value,) = self._stack
        except (ValueError, IndexError, KeyError, TypeError, struct.error) as error:
            raise ValueError(f"A pickle of arrays cannot be read before byte {self._at}: {error}") from error
        return _finished(value)

    def _take(self, count: int) -> bytes:
        self._at += count
        if count < 0 or self._at > len(self._data):
            raise ValueError("it ends early")
        return self._data[self._at - count : self._at]

    def _line(self) -> str:
        return self._take(self._data.index(b"\n", self._at) + 1 - self._at)[:-1].decode("ascii")

    def _sized(self, form: str) -> bytes:
        return self._take(self._number(form))

    def _number(self, form: str) -> int:
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _numbers(self) -> None:
        run = _RUN.match(self._data, self._at - 1)
        if run is None:
            raise ValueError("it ends early")
        self._at = run.end()
        whole = int.from_bytes
        for one, two, four in _IN_RUN.findall(run[0]):
            self._stack.append(one[0] if one else whole(two or four, "little", signed=bool(four)))

    def _push(self, value: object) -> None:
        self._stack.append(value)

    def _mark(self) -> None:
        if len(self._below) == _MAX_MARKS:
            raise ValueError("too much in one another")
        self._below.append(self._stack)
        self._stack = []

    def _marked(self) -> list[Any]:
        items, self._stack = self._stack, self._below.pop()
        return items

    def _last(self, count: int) -> tuple[Any, ...]:
        if len(self._stack) < count:
            raise ValueError("a tuple of more than there is")
        items = tuple(self._stack[-count:])
        del self._stack[-count:]
        return items

    def _extend(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not list:
            raise ValueError("items of something else than a list")
        target += [_finished(item) for item in items]

    def _set_items(self, items: list[Any]) -> None:
        target = self._stack[-1]
        if type(target) is not dict or not all(isinstance(key, (str, bytes)) for key in items[::2]):
            raise ValueError("items of something else than a dict of texts")
        target.update(zip(items[::2], map(_finished, items[1::2]), strict=True))

    def _global(self) -> None:
        self._push(_Name(self._line(), self._line()))

    def _stack_global(self) -> None:
        module, name = self._last(2)
        if not (type(module) is str and type(name) is str):
            raise ValueError("a name that is none")
        self._push(_Name(module, name))

    def _reduce(self) -> None:
        function, arguments = self._last(2)
        self._push(_made(function, arguments))

    def _build(self) -> None:
        state, target = self._stack.pop(), self._stack[-1]
        if type(target) is not _Pending or type(state) is not tuple:
            raise ValueError("the state of something else than an array")
        _set_state(target, state)

    def _put(self, index: int) -> None:
        self._memo[index] = self._stack[-1]

    def _get(self, index: int) -> None:
        self._push(self._memo[index])


def _made(function: Any, arguments: Any) -> Any:
    """What those functions give that such files have calls of; none is called."""
    match function, arguments:
        case _Name("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct"), (
            _Name("numpy", "ndarray"),
            (0,),
            _,
        ):
            return _Pending()
        case _Name("numpy", "dtype"), (str() as code, *_) if code in _NUMBERS or code in ("O", "O8", "O4"):
            return _Pending(code[:1] if code[:1] == "O" else code)
        case _Name("_codecs", "encode"), (str() as text, "latin1"):
            return text.encode("latin1")
    raise ValueError(f"a call of {function}")


def _set_state(target: _Pending, state: tuple[Any, ...]) -> None:
    if target.code is not None:
        # Of a type of numbers: a version, the order of bytes, and nothing of use here.
        if state[1] not in ("<", "|", "=", ">"):
            raise ValueError("an order of bytes that is none")
        target.order = state[1]
        return
    _, shape, kind, by_columns, content = state
    if type(kind) is not _Pending or kind.code is None or not _is_shape(shape):
        raise ValueError("the state of an array")
    count = int(np.prod(shape, dtype=object)) if shape else 1
    if kind.code == "O":
        if type(content) is not list or len(content) != count:
            raise ValueError("an array of another size")
        flat = np.empty(count, dtype=object)
        for i, item in enumerate(content):
            flat[i] = item
    else:
        # Python 2 wrote bytes as texts.
        raw = content.encode() if isinstance(content, str) else content
        dtype = np.dtype(("<" if kind.order in "|=" else kind.order) + kind.code)
        if type(raw) is not bytes or len(raw) != count * dtype.itemsize:
            raise ValueError("an array of another size")
        flat = np.frombuffer(raw, dtype).copy()
    target.array = flat.reshape(shape, order="F" if by_columns else "C")


def _is_shape(shape: object) -> bool:
    return type(shape) is tuple and len(shape) <= 8 and all(type(size) is int and 0 <= size < 2**40 for size in shape)


def _finished(value: Any) -> Any:
    if isinstance(value, _Name):
        raise ValueError(f"a reference to {value.module}.{value.name}")
    if not isinstance(value, _Pending):
        return value
    if value.array is None:
        raise ValueError("an array without a state")
    return value.array


def _string(raw: bytes) -> str | bytes:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _whole(line: str) -> int:
    return {"00": False, "01": True}[line] if line in ("00", "01") else int(line)


def _filled(target: Any, fill: Callable[[_Decoder, list[Any]], None]) -> Callable[[_Decoder], None]:
    def step(decoder: _Decoder) -> None:
        items = decoder._marked()
        decoder._push(target())
        fill(decoder, items)

    return step


# The instructions of pickle's protocols 1 to 4, by their codes in the module `pickletools`.
_STEPS: dict[bytes, Callable[[_Decoder], Any]] = {
    b"\x80": lambda d: d._take(1),  # the protocol
    b"\x95": lambda d: d._take(8),  # a frame
    b"(": _Decoder._mark,
    b"N": lambda d: d._push(None),
    b"\x88": lambda d: d._push(True),
    b"\x89": lambda d: d._push(False),
    b"I": lambda d: d._push(_whole(d._line())),
    b"\x8a": lambda d: d._push(int.from_bytes(d._sized("<B"), "little", signed=True)),
    b"U": lambda d: d._push(_string(d._sized("<B"))),
    b"T": lambda d: d._push(_string(d._sized("<i"))),
    b"X": lambda d: d._push(d._sized("<I").decode()),
    b"\x8c": lambda d: d._push(d._sized("<B").decode()),
    b"C": lambda d: d._push(d._sized("<B")),
    b"B": lambda d: d._push(d._sized("<I")),
    b"\x8e": lambda d: d._push(d._sized("<Q")),
    b")": lambda d: d._push(()),
    b"\x85": lambda d: d._push(d._last(1)),
    b"\x86": lambda d: d._push(d._last(2)),
    b"\x87": lambda d: d._push(d._last(3)),
    b"t": lambda d: d._push(tuple(d._marked())),
    b"]": lambda d: d._push([]),
    b"l": _filled(list, _Decoder._extend),
    b"a": lambda d: d._extend([d._stack.pop()]),
    b"e": lambda d: d._extend(d._marked()),
    b"}": lambda d: d._push({}),
    b"d": _filled(dict, _Decoder._set_items),
    b"s": lambda d: d._set_items(list(d._last(2))),
    b"u": lambda d: d._set_items(d._marked()),
    b"c": _Decoder._global,
    b"\x93": _Decoder._stack_global,
    b"R": _Decoder._reduce,
    b"b": _Decoder._build,
    b"q": lambda d: d._put(d._number("<B")),
    b"r": lambda d: d._put(d._number("<I")),
    b"\x94": lambda d: d._put(len(d._memo)),
    b"h": lambda d: d._get(d._number("<B")),
    b"j": lambda d: d._get(d._number("<I")),
}


def read_npz(path: str, *names: str) -> list[np.ndarray]:
    """Arrays of a file of NumPy's, also those of lists.

    Args:
        path: the file.
        *names: the arrays' names in it.

    Raises:
        ValueError: if it is damaged, or an array holds something else than plain data.
        KeyError: if it has no array of that name.
    """
    arrays = []
    with zipfile.ZipFile(path) as archive:
        for name in names:
            with archive.open(f"{name}.npy") as file:
                arrays.append(_read_array(file, f"{name} in {path}"))
    return arrays


def _read_array(file: Any, told: str) -> np.ndarray:
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    version = np.lib.format.read_magic(file)
    if version not in readers:
        raise ValueError(f"{told} is of a version of NumPy's format that is not known: {version}")
    shape, by_columns, dtype = readers[version](file)
    content = file.read()
    if dtype.hasobject:
        array = decode(content)
        if not isinstance(array, np.ndarray) or array.shape != tuple(shape):
            raise ValueError(f"{told} is not the array that its header describes")
        return array
    return np.frombuffer(content, dtype).reshape(shape, order="F" if by_columns else "C").copy()
