"""The numbers that byte strings write, as TensorFlow reads them: many at once, or one after the other where one is odd."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

_BLANKS = r"[ \t\n\v\f\r]*"
# No more digits than the numbers have, nor two ways to read them: texts may be long.
_INTEGER = re.compile(f"{_BLANKS}(-?)0*([0-9]{{1,19}}){_BLANKS}".encode())
_FLOAT = re.compile(
    rf"{_BLANKS}([+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf|nan)){_BLANKS}".encode(), re.IGNORECASE
)
_HEXADECIMAL = re.compile(
    rf"{_BLANKS}([+-]?0x(?=[0-9a-f])0*(?:[1-9a-f][0-9a-f]{{0,254}})?){_BLANKS}".encode(), re.IGNORECASE
)

# A text of these alone that Python reads as a number is one for TensorFlow too.
_PLAIN_INTEGER = b"0123456789- "
_PLAIN_FLOAT = b"0123456789+-.eE "


class NoNumber(ValueError):
    """A text that is no number of the type, at `index`."""

    def __init__(self, text: bytes, index: int) -> None:
        super().__init__(text)
        self.text = text
        self.index = index


def numbers_of(dtype: np.dtype) -> Callable[[Sequence[bytes]], np.ndarray]:
    """The function that reads a list of texts as an array of type float32, float64, int32 or int64; it raises NoNumber."""
    return _integers_of(dtype) if dtype.kind == "i" else _floats_of(dtype)


def _integers_of(dtype: np.dtype) -> Callable[[Sequence[bytes]], np.ndarray]:
    bounds = np.iinfo(dtype)
    least, most = int(bounds.min), int(bounds.max)

    def parse(text: bytes, index: int) -> int:
        found = _INTEGER.fullmatch(text)
        if found is not None:
            number = int(found[1] + found[2])
            if least <= number <= most:
                return number
        raise NoNumber(text, index)

    def parse_all(texts: Sequence[bytes]) -> np.ndarray:
        if not b"".join(texts).translate(None, _PLAIN_INTEGER):
            try:
                numbers = np.array(list(map(int, texts)), np.int64)
            except (ValueError, OverflowError):
                pass
            else:
                if dtype.itemsize == 8 or not len(numbers) or (numbers.min() >= least and numbers.max() <= most):
                    return numbers.astype(dtype, copy=False)
        return np.array([parse(text, i) for i, text in enumerate(texts)], dtype)

    return parse_all


def _floats_of(dtype: np.dtype) -> Callable[[Sequence[bytes]], np.ndarray]:
    # TensorFlow runs with denormal numbers flushed to zero.
    tiny = np.finfo(dtype).tiny if dtype == np.float32 else 0.0

    def parse(text: bytes, index: int) -> float:
        found = _FLOAT.fullmatch(text)
        if found is not None:
            return float(found[1])
        found = _HEXADECIMAL.fullmatch(text)
        if found is not None:
            return float(int(found[1], 16))
        raise NoNumber(text, index)

    def parse_all(texts: Sequence[bytes]) -> np.ndarray:
        numbers: np.ndarray | None = None
        if not b"".join(texts).translate(None, _PLAIN_FLOAT):
            try:
                numbers = np.array(list(map(float, texts)), np.float64)
            except ValueError:
                numbers = None
        if numbers is None:
            numbers = np.array([parse(text, i) for i, text in enumerate(texts)], np.float64)
        if tiny:
            small = np.abs(numbers) < tiny
            if small.any():
                numbers[small] *= 0.0  # The sign stays.
        with np.errstate(over="ignore"):
            return numbers.astype(dtype, copy=False)

    return parse_all


def plain_numbers_of(dtype: np.dtype) -> Callable[[Sequence[bytes]], np.ndarray | None]:
    """As `numbers_of`, for a few texts; the function returns None where a text is not a plain number within bounds."""
    if dtype.kind == "i":
        bounds = np.iinfo(dtype)
        convert, letters, least, most = int, _PLAIN_INTEGER, int(bounds.min), int(bounds.max)
    else:
        limits = np.finfo(dtype)
        convert, letters, least, most = float, _PLAIN_FLOAT, -float(limits.max), float(limits.max)  # type: ignore[assignment]  # the names stand for numbers of either kind
    tiny = float(np.finfo(dtype).tiny) if dtype == np.float32 else 0.0

    def parse(texts: Sequence[bytes]) -> np.ndarray | None:
        if b"".join(texts).translate(None, letters):
            return None
        try:
            numbers = [convert(text) for text in texts]
        except ValueError:
            return None
        for number in numbers:
            if not least <= number <= most or (-tiny < number < tiny and number):
                return None
        return np.array(numbers, dtype)

    return parse
