"""Sequences of arrays and numbers as arrays, by the rules that hold eagerly: graphs take no arrays in lists."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from headrace.core.dtypes import DType, string
from headrace.core.values import encoded, leaves_of

_INT32, _INT64 = np.iinfo(np.int32), np.iinfo(np.int64)
# What is taken for a type that is asked for, by NumPy's letters for kinds of numbers; texts are "U".
_INTEGERS, _NUMBERS = frozenset("iu"), frozenset("iuf")


def of_sequence(values: list[Any] | tuple[Any, ...], dtype: DType | None) -> np.ndarray:
    """A list of arrays and numbers as an array.

    Args:
        values: a list or tuple of arrays, numbers, texts and of such lists.
        dtype: the type wanted; by default that of the first element if it is a float of NumPy's, float32 for other floats,
            and int32 for integers if it holds them all.

    Raises:
        TypeError: for elements that the type does not take.
        ValueError: if the elements are of different shapes, or of kinds that do not go together.
    """
    leaves = list(leaves_of(values))
    kinds = {kind for leaf in leaves for kind in _kinds(leaf)}
    if dtype is string or (dtype is None and kinds == {"U"}):
        if not kinds <= {"U"}:
            raise TypeError("a text is asked for")
        texts = np.array(values).astype(object)
        return encoded(texts.reshape(-1)).reshape(texts.shape)
    array = np.array(values)
    if array.dtype == object:
        # Objects that stand for integers, such as sizes, among them.
        numbers = [item if isinstance(item, (float, complex)) else operator.index(item) for item in array.reshape(-1)]
        array = np.array([bool(item) for item in numbers] if kinds == {"b"} else numbers).reshape(array.shape)
    if array.dtype.kind == "f" and kinds <= _INTEGERS:
        # NumPy has no type for signed and unsigned integers of 64 bits.
        array = np.array(values, object)
    if not array.size:
        # What is empty has nothing inside whose size could be asked for.
        array = array.reshape(array.shape[: array.shape.index(0) + 1])
    if dtype is not None:
        if not kinds <= _taken_for(dtype):
            raise TypeError("another type is asked for")
        return array.astype(dtype.as_numpy_dtype)
    return array.astype(_type_of(array, leaves, kinds))


def _type_of(array: np.ndarray, leaves: list[Any], kinds: set[str]) -> Any:
    if not kinds:
        return np.float32
    if kinds in ({"b"}, {"c"}):
        return bool if kinds == {"b"} else np.complex128
    if kinds <= _INTEGERS:
        least, most = array.min(), array.max()
        if most > _INT64.max:
            raise ValueError("an integer is out of range")
        return np.int32 if _INT32.min <= least and most <= _INT32.max else np.int64
    if not kinds <= _NUMBERS:
        raise ValueError("the types are mixed")
    first = next(leaf for leaf in leaves if np.size(leaf))
    found = getattr(first, "dtype", None)
    return found if found in (np.float16, np.float32, np.float64) else np.float32


def _taken_for(dtype: DType) -> frozenset[str]:
    if dtype.is_floating:
        return _NUMBERS
    if dtype.is_integer:
        return _INTEGERS
    return _NUMBERS | {"c"} if dtype.is_complex else frozenset("b" if dtype.is_bool else "")


def _kinds(leaf: Any) -> Iterator[str]:
    """The kinds of the elements of an array or of a number.

    Raises:
        TypeError: for what is neither.
    """
    if isinstance(leaf, (np.ndarray, np.generic)):
        kind = leaf.dtype.kind
        if kind == "O":
            for item in leaf.reshape(-1).tolist():
                yield from _kinds(item)
        elif kind not in "biufcSU":
            raise TypeError(f"{leaf.dtype} is no type of numbers")
        elif leaf.size:
            yield "U" if kind == "S" else kind
    elif isinstance(leaf, (str, bytes)):
        yield "U"
    elif isinstance(leaf, bool):
        yield "b"
    elif isinstance(leaf, (float, complex)):
        yield "f" if isinstance(leaf, float) else "c"
    elif hasattr(leaf, "__index__") and not hasattr(leaf, "dtype"):  # a tensor is no number of a list
        yield "i"
    else:
        raise TypeError(f"{type(leaf)} is no number")
