"""JSON as the REST interface reads and writes it: strict in types and shapes, numbers in their shortest form."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import orjson

from headrace.core import errors
from headrace.core.dtypes import DType

# What `json` makes of a text; annotations that say it mean "any of these".
Json = None | bool | int | float | str | list[Any] | dict[str, Any]

_KINDS = {
    type(None): "Null",
    bool: "Bool",
    int: "Number",
    float: "Number",
    str: "String",
    list: "Array",
    dict: "Object",
}
_INTEGERS = {
    name: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for name, bits in (("int32", 32), ("int16", 32), ("int8", 32), ("int64", 64))
} | {"uint8": (-(2**31), 2**31 - 1), "uint16": (0, 2**16 - 1), "uint32": (0, 2**32 - 1), "uint64": (0, 2**64 - 1)}
_SHOWN = 256
# Of arrays of NumPy.
_MOST_DIMENSIONS = 64
_decoder = json.JSONDecoder()


def parse_object(body: bytes) -> dict[str, Any]:
    """The JSON object that a request's body begins with.

    Raises:
        InvalidArgumentError: if it begins with none.
    """
    if not body:
        raise invalid("JSON Parse error: The document is empty")
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = _parse_leniently(body)
    if not isinstance(found, dict):
        raise invalid(f"JSON Value: {shown(found)} Is not object")
    return found


def _parse_leniently(body: bytes) -> Json:
    """What a body begins with, which may have NaN and infinities and be followed by anything; errors as of `parse_object`."""
    try:
        found, _ = _decoder.raw_decode(body.decode("utf-8").lstrip(" \t\r\n"))
        if b"\\u" in body:
            # Half a character, which only an escape can write, is no text.
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise invalid("JSON Parse error: The document is nested too deeply") from None
    except ValueError as error:
        raise invalid(f"JSON Parse error: {error}") from None
    return found


def invalid(text: str) -> errors.InvalidArgumentError:
    """An InvalidArgumentError with this text."""
    return errors.InvalidArgumentError(None, None, text)


def shown(value: Json) -> str:
    """A value as text, cut off where it is long."""
    text = ""
    # Written piece by piece: a body of many megabytes is not written again to show its beginning.
    try:
        for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
            text += piece
            if len(text) > _SHOWN:
                return text[:_SHOWN]
    except RecursionError:
        return text[:_SHOWN]
    return text


def kind_of(value: Json) -> str:
    """The name of a value's kind in JSON."""
    if isinstance(value, bool):
        return str(value)
    return _KINDS[type(value)]


def is_base64(value: Json) -> bool:
    """Whether a value is bytes, written `{"b64": "..."}`."""
    return isinstance(value, dict) and len(value) == 1 and isinstance(value.get("b64"), str)


def base64_bytes(value: Json) -> bytes:
    """The bytes that `{"b64": "..."}` says; InvalidArgumentError if a value is something else."""
    if not isinstance(value, dict) or not is_base64(value):
        raise invalid(f"JSON Value: {shown(value)} not formatted correctly for base64 data")
    # Written without padding too, and over several lines.
    text = "".join(value["b64"].split()).rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise invalid("Unable to base64 decode") from None


def to_array(value: Json, dtype: DType) -> np.ndarray:
    """The array that nested lists stand for.

    Args:
        value: lists of one shape, or a single element.
        dtype: the type of the tensor they are for: numbers are not made of strings, nor integers of fractions.

    Raises:
        InvalidArgumentError: if lists differ in size or depth, or an element does not fit the type.
        UnimplementedError: for types that have no form in JSON.
    """
    level: list[Json] = [value]
    shape: list[int] = []
    while (kinds := set(map(type, level))) == {list}:
        lists: list[list[Json]] = level  # type: ignore[assignment]  # just checked
        sizes = set(map(len, lists))
        if len(sizes) > 1:
            unfit = next(len(item) for item in lists if len(item) != len(lists[0]))
            raise invalid(
                f"Encountered list at unexpected size: {unfit} at level: {len(shape)} expected size: {len(lists[0])}"
            )
        shape.append(len(lists[0]))
        level = list(chain.from_iterable(lists))
    if len(shape) > _MOST_DIMENSIONS:
        raise invalid(f"JSON Value: a list of {len(shape)} dimensions has too many")
    if list in kinds:
        other = next(item for item in level if not isinstance(item, list))
        raise invalid(
            f"JSON Value: {shown(other)} found at incorrect level: {len(shape) + 1} in the JSON DOM, where there are lists "
            "too"
        )
    return _elements(level, kinds, dtype).reshape(shape)


def _elements(items: list[Json], kinds: set[type], dtype: DType) -> np.ndarray:
    name = dtype.name
    if name in ("float32", "float64"):
        _check_kinds(items, kinds, {int, float}, name)
        try:
            # Numbers beyond the type's become infinite, as they do in a conversion of C. At once in the type that is
            # wanted: `astype` lets other threads run, and then waits for them.
            with np.errstate(over="ignore"):
                return np.array(items, dtype.as_numpy_dtype)
        except OverflowError:
            raise invalid(
                f"JSON Value: a number of too many digits is not of expected type: {_type_name(name)}"
            ) from None
    if name in _INTEGERS:
        _check_kinds(items, kinds, {int}, name)
        low, high = _INTEGERS[name]
        wide: list[int] = items  # type: ignore[assignment]  # just checked
        for item in wide if wide and not (low <= min(wide) and max(wide) <= high) else ():
            if not low <= item <= high:
                raise _type_error(item, name)
        return np.array(wide, np.uint64 if name == "uint64" else np.int64).astype(dtype.as_numpy_dtype)
    if name == "bool":
        _check_kinds(items, kinds, {bool}, name)
        return np.array(items, np.bool_)
    if name == "string":
        array = np.empty(len(items), object)
        array[:] = [_string(item) for item in items]
        return array
    raise errors.UnimplementedError(None, None, f"Conversion of JSON Value: {shown(items)} to type: {_type_name(name)}")


def _string(item: Json) -> bytes:
    if isinstance(item, str):
        try:
            return item.encode("utf-8")
        except UnicodeEncodeError:
            raise invalid("JSON Parse error: The surrogate pair in string is invalid.") from None
    if isinstance(item, dict):
        return base64_bytes(item)
    raise _type_error(item, "string")


def _check_kinds(items: Iterable[Json], kinds: set[type], allowed: set[type], name: str) -> None:
    if kinds <= allowed:
        return
    raise _type_error(next(item for item in items if type(item) not in allowed), name)


def _type_error(item: Json, name: str) -> errors.InvalidArgumentError:
    return invalid(f"JSON Value: {shown(item)} Type: {kind_of(item)} is not of expected type: {_type_name(name)}")


def _type_name(name: str) -> str:
    return {"float32": "float", "float64": "double"}.get(name, name)


# ---- writing ----


def element_texts(array: np.ndarray, as_base64: bool = False) -> list[str]:
    """The elements of an array as JSON, one text each.

    Floats are written in six digits where these say the same number, otherwise in as many as any number needs.

    Args:
        array: the values.
        as_base64: whether strings are written `{"b64": "..."}`.

    Raises:
        InvalidArgumentError: for types that have no form in JSON.
    """
    flat = array.reshape(-1)
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize in (4, 8):
        return _float_texts(flat)
    if kind in "iu":
        return [str(item) for item in flat.tolist()]
    if kind == "b":
        return ["true" if item else "false" for item in flat.tolist()]
    if kind in "OSU":
        items = [item if isinstance(item, bytes) else str(item).encode() for item in flat.tolist()]
        if as_base64:
            return [f'{{"b64": "{base64.b64encode(item).decode()}"}}' for item in items]
        return [json.dumps(item.decode("utf-8", "surrogateescape"), ensure_ascii=False) for item in items]
    raise invalid(f"Failed to write JSON value for tensor type: {array.dtype.name}")


def _float_texts(flat: np.ndarray) -> list[str]:
    digits = 9 if flat.dtype.itemsize == 4 else 17
    numbers = flat.tolist()
    short = [f"{number:g}" for number in numbers]
    read_back = np.array(short, np.float64)
    with np.errstate(over="ignore"):
        same = (read_back.astype(flat.dtype) == flat).tolist()
    texts = []
    for number, text, exact in zip(numbers, short, same):
        if not exact:
            if number != number:
                texts.append("NaN")
                continue
            text = f"{number:.{digits}g}"
        if "." not in text and "e" not in text:
            text = {"inf": "Infinity", "-inf": "-Infinity"}.get(text) or text + ".0"
        texts.append(text)
    return texts


def nested_texts(texts: list[str], shape: Sequence[int]) -> list[str]:
    """Elements joined to lists: a text for each index of the first dimension; of a scalar, its own."""
    if 0 in shape[1:]:
        # No element tells how many empty lists there are.
        return [json.dumps(row) for row in np.empty(tuple(shape)).tolist()]
    for size in reversed(shape[1:]):
        texts = [f"[{', '.join(texts[start : start + size])}]" for start in range(0, len(texts), size)]
    return texts


def array_text(array: np.ndarray, as_base64: bool = False) -> str:
    """An array as JSON; errors as of `element_texts`."""
    texts = nested_texts(element_texts(array, as_base64), array.shape)
    return f"[{', '.join(texts)}]" if array.ndim else texts[0]


def predictions_text(outputs: Mapping[str, np.ndarray]) -> str:
    """Outputs as rows: `{"predictions": [...]}`.

    Raises:
        InvalidArgumentError: if there are none, or their first dimensions differ.
    """
    if not outputs:
        raise invalid("Cannot convert empty tensor map to JSON")
    batch = -1
    columns: dict[str, list[str]] = {}
    for name, array in outputs.items():
        if array.ndim == 0:
            raise invalid(f"Tensor name: {name} has no shape information ")
        if batch not in (-1, len(array)):
            raise invalid(f"Tensor name: {name} has inconsistent batch size: {len(array)} expecting: {batch}")
        batch = len(array)
        columns[name] = nested_texts(element_texts(array, name.endswith("_bytes")), array.shape)
    if len(columns) == 1:
        (rows,) = columns.values()
        return f'{{\n    "predictions": [{", ".join(rows)}\n    ]\n}}'
    keys = [json.dumps(name) for name in columns]
    lines = [",\n".join(f"            {key}: {text}" for key, text in zip(keys, row)) for row in zip(*columns.values())]
    body = ", ".join(f"{{\n{line}\n        }}" for line in lines)
    return f'{{\n    "predictions": [\n        {body}\n    ]\n}}'


def outputs_text(outputs: Mapping[str, np.ndarray]) -> str:
    """Outputs as columns: `{"outputs": ...}`; errors as of `element_texts`."""
    if not outputs:
        raise invalid("Cannot convert empty tensor map to JSON")
    texts = {name: array_text(array, name.endswith("_bytes")) for name, array in outputs.items()}
    if len(texts) == 1:
        (text,) = texts.values()
        return f'{{\n    "outputs": {text}\n}}'
    body = ",\n".join(f"        {json.dumps(name)}: {text}" for name, text in texts.items())
    return f'{{\n    "outputs": {{\n{body}\n    }}\n}}'
