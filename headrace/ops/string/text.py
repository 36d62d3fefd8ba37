"""Lengths, cases, cuts: ops on each string of a tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dims import broadcast_dims
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import OpDecl, op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed, mapped, to_tensor

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import TensorLike


_WHITESPACE = b" \t\n\v\f\r"


def _same_shape(op: Any) -> list[tuple[int | None, ...]]:
    return [op.inputs[0].dims]


length_op = op("StringLength", "input: string, *, unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE' -> output: int32")
length_op.on_host(outputs=True)
length_op.shape(_same_shape)


@length_op.kernel
def length_kernel(node):
    measure = len if node.attrs["unit"] == "BYTE" else _characters
    return lambda text: to_tensor(mapped(measure, boxed(text), dtype=np.int32))


def _characters(text: bytes) -> int:
    """How many UTF-8 characters begin in `text`."""
    return sum(byte & 0xC0 != 0x80 for byte in text)


length_op.accepts(np.array([b"a", b""], object))


def _declare_case(op_type: str, of_bytes: Callable[[bytes], bytes], of_text: Callable[[str], str]) -> OpDecl:
    decl = op(op_type, "input: string, *, encoding='' -> output: string")
    decl.shape(_same_shape)

    @decl.kernel
    def case_kernel(node):
        encoding = node.attrs["encoding"]
        if encoding not in ("", "utf-8"):
            raise InvalidArgumentError(None, None, f"only utf-8 or '' (no encoding) is supported, received {encoding}")

        def change(text: bytes) -> bytes:
            return of_text(text.decode("utf-8", "replace")).encode()

        function = change if encoding else of_bytes
        return lambda text: mapped(function, boxed(text))

    return decl.accepts(np.array([b"aB"], object))


# Without an encoding only ASCII letters change.
_declare_case("StringLower", bytes.lower, str.lower)
_declare_case("StringUpper", bytes.upper, str.upper)

strip_op = op("StringStrip", "input: string -> output: string")
strip_op.shape(_same_shape)


@strip_op.kernel
def strip_kernel(node):
    return lambda text: mapped(lambda item: item.strip(_WHITESPACE), boxed(text))


strip_op.accepts(np.array([b" a "], object))

substr_op = op(
    "Substr", "input: string, pos: T, len: T, *, T: index, unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE' -> output: string"
).on_host("pos", "len")


@substr_op.shape
def substr_shape(op):
    text, pos, length = (tensor.dims for tensor in op.inputs)
    if pos is not None and length is not None:
        if len(pos) != len(length):
            raise ValueError(f"pos and len must have the same rank: {len(pos)} vs. {len(length)}")
        for a, b in zip(pos, length, strict=True):
            if a is not None and b is not None and a != b:
                raise ValueError(f"pos and len must have the same shape: {a} vs. {b}")
    try:
        return [broadcast_dims(text, pos)]
    except ValueError:
        for a, b in zip(reversed(text or ()), reversed(pos or ()), strict=False):
            if a is not None and b is not None and a != b and 1 not in (a, b):
                raise ValueError(f"Dimensions must be equal, but are {a} and {b}") from None
        raise


@substr_op.kernel
def substr_kernel(node):
    cut = _cut_bytes if node.attrs["unit"] == "BYTE" else _cut_characters

    def substr(text, pos, length):
        arrays = np.broadcast_arrays(boxed(text), pos.numpy(), length.numpy())
        out = np.empty(arrays[0].shape, object)
        flat = out.reshape(-1)
        for i, items in enumerate(zip(*[array.reshape(-1).tolist() for array in arrays], strict=True)):
            part = cut(*items)
            if part is None:
                raise InvalidArgumentError(
                    None, None, f"pos {items[1]} out of range for string b'{_shown(items[0])}' at index {i}"
                )
            flat[i] = part
        return out

    return substr


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


def _cut_bytes(text: bytes | str, pos: int, length: int) -> Any:
    """`length` items from `pos` on, which may count from the end; None if it is out of range."""
    if not -len(text) <= pos <= len(text):
        return None
    start = pos + len(text) if pos < 0 else pos
    # A negative length is taken for the largest unsigned one.
    return text[start:] if length < 0 else text[start : start + length]


def _cut_characters(text: bytes, pos: int, length: int) -> Any:
    part = _cut_bytes(text.decode("utf-8", "surrogateescape"), pos, length)
    return None if part is None else part.encode("utf-8", "surrogateescape")


substr_op.accepts(np.array([b"hello"], object), 1, 3)


def string_length(input: TensorLike | CompositeTensor, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """The length of each string.

    Args:
        input: string tensor.
        name: a name for the operation.
        unit: "BYTE", or "UTF8_CHAR" to count characters.

    Returns:
        int32 tensor of the same shape.
    """
    return raw.StringLength(input, unit=unit, name=name)


def string_lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Each string in lower case: its ASCII letters, or, with encoding "utf-8", all of them."""
    return raw.StringLower(input, encoding=encoding, name=name)


def string_upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Each string in upper case: its ASCII letters, or, with encoding "utf-8", all of them."""
    return raw.StringUpper(input, encoding=encoding, name=name)


def string_strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Each string without the whitespace at its ends."""
    return raw.StringStrip(input, name=name)


def substr(
    input: TensorLike | CompositeTensor, pos: TensorLike, len: TensorLike, name: str | None = None, unit: str = "BYTE"
) -> Tensor:
    """A part of each string.

    Args:
        input: string tensor.
        pos: int32 or int64, where to begin; negative positions count from the end. Broadcasts against `input`.
        len: like `pos`, how much to take at most.
        name: a name for the operation.
        unit: "BYTE", or "UTF8_CHAR" to count characters.

    Raises:
        InvalidArgumentError: at run time, if a position is out of range.

    Example:
        >>> tf.Session().run(tf.substr(["hello", "world"], 1, 3))
        array([b'ell', b'orl'], dtype=object)
    """
    return raw.Substr(input, pos, len, unit=unit, name=name)
