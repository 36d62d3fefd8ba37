"""Strings to numbers and bytes, and back."""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.dtypes import as_dtype
from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed, mapped, to_array, to_tensor
from headrace.kernels.renamed_arguments import first_given
from headrace.kernels.string.numbers import NoNumber, numbers_of
from headrace.native.direct import directly

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, OpView, TensorLike


def _same_shape(op: OpView) -> list[tuple[int | None, ...] | None]:
    return [op.inputs[0].dims]


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


# ---- numbers to strings ----

as_string_op = op(
    "AsString",
    "input: T, *, T: {int8, int16, int32, int64, complex64, complex128, float, double, bool}, precision=-1, "
    "scientific=False, shortest=False, width=-1, fill='' -> output: string",
)
as_string_op.shape(_same_shape)
as_string_op.on_host("input")


@as_string_op.kernel
def as_string_kernel(node):
    format_one = _formatter(node.attrs, node.inputs[0].dtype.base_dtype)
    return lambda value: mapped(lambda item: format_one(item).encode(), to_array(value))


def _formatter(attrs: dict[str, Any], dtype: DType) -> Callable[[Any], str]:
    """The C format that the attributes describe, as a function.

    Raises:
        InvalidArgumentError: if they do not fit together or the type.
    """
    precision, width, fill = attrs["precision"], attrs["width"], attrs["fill"]
    scientific, shortest = attrs["scientific"], attrs["shortest"]
    if not (dtype.is_floating or dtype.is_complex):
        if scientific or shortest:
            raise _invalid(f"scientific and shortest format not supported for datatype {dtype.name}")
        if precision > -1:
            raise _invalid(f"precision not supported for datatype {dtype.name}")
    if len(fill) > 1:
        raise _invalid("Fill string must be one or fewer characters")
    if scientific and shortest:
        raise _invalid("Cannot select both scientific and shortest notation")
    if fill and fill not in " +-0#":
        raise _invalid(f'Fill argument not supported: "{fill}"')
    if dtype.name == "bool":
        return lambda item: "true" if item else "false"
    spec = "%" + fill + (str(width) if width > -1 else "") + (f".{precision}" if precision > -1 else "")
    if dtype.is_integer:
        return lambda item: f"{spec}d" % item
    letter = "e" if scientific else "g" if shortest else "f"
    # C pads what is no number with blanks, never with zeros.
    plain = spec.replace("0", "", 1) if fill == "0" else spec

    def real(number: float) -> str:
        return (spec if np.isfinite(number) else plain) % number

    spec += letter
    plain += letter
    if dtype.is_complex:
        return lambda item: f"({real(item.real)},{real(item.imag)})"
    return real


as_string_op.not_differentiable()
as_string_op.accepts(np.array([1.5, -2.0], np.float32), precision=2)
as_string_op.accepts(np.array([True, False])).accepts(np.array([3, 4], np.int8), width=5, fill="0")


def as_string(
    input: TensorLike | CompositeTensor,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Each number as a string.

    Args:
        input: tensor of numbers or bools.
        precision: how many digits after the point (of floating numbers); -1 for six.
        scientific: whether to write an exponent.
        shortest: whether to write an exponent where that is shorter.
        width: the least width, reached by padding.
        fill: what to pad with: "" or " ", "0", "+" or "-".
        name: a name for the operation.

    Raises:
        InvalidArgumentError: at run time, if the arguments do not fit the type.

    Example:
        >>> tf.Session().run(tf.as_string([3.14159, 2.0], precision=2))
        array([b'3.14', b'2.00'], dtype=object)
    """
    return raw.AsString(
        input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name
    )


# ---- strings to numbers ----

to_number_op = op(
    "StringToNumber", "string_tensor: string, *, out_type: {float, double, int32, int64} = float -> output: out_type"
)
to_number_op.on_host(outputs=True)
# The runner's numbers of the types.
_KINDS = {"float32": 0, "float64": 1, "int32": 2, "int64": 3}
to_number_op.shape(_same_shape)


@to_number_op.kernel
def to_number_kernel(node):
    dtype = node.attrs["out_type"]
    parse_all = numbers_of(np.dtype(dtype.as_numpy_dtype))

    def convert(text):
        array = boxed(text)
        try:
            return to_tensor(parse_all(array.reshape(-1).tolist()).reshape(array.shape))
        except NoNumber as error:
            raise _invalid(f"StringToNumberOp could not correctly convert string: {_shown(error.text)}") from None

    return directly("numbers_of_texts", convert, _KINDS[dtype.name])


def _shown(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


to_number_op.not_differentiable()
to_number_op.accepts(np.array([b"1.5", b" 2"], object)).accepts(np.array([b"7"], object), out_type="int64")


def string_to_number(
    string_tensor: TensorLike | None = None,
    out_type: DTypeLike = "float32",
    name: str | None = None,
    input: Sequence[TensorLike] | None = None,
) -> Tensor:
    """The number that each string writes.

    Args:
        string_tensor: string tensor.
        out_type: float32, float64, int32 or int64.
        name: a name for the operation.
        input: the later name of `string_tensor`.

    Returns:
        a tensor of the same shape.

    Raises:
        InvalidArgumentError: at run time, for a string that is no number or does not fit the type.

    Example:
        >>> tf.Session().run(tf.string_to_number(["1.5", "2"]))
        array([1.5, 2. ], dtype=float32)
    """
    text = first_given("input", input, "string_tensor", string_tensor)
    return raw.StringToNumber(text, out_type=as_dtype(out_type), name=name)


# ---- the bytes of strings ----

decode_raw_op = op(
    "DecodeRaw",
    "bytes: string, *, out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, "
    "bool}, little_endian=True -> output: out_type",
)


decode_raw_op.on_host(outputs=True)


@decode_raw_op.shape
def decode_raw_shape(op):
    dims = op.inputs[0].dims
    return [None if dims is None else (*dims, None)]


_C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


@decode_raw_op.kernel
def decode_raw_kernel(node):
    dtype = node.attrs["out_type"]
    numpy_type = np.dtype(dtype.as_numpy_dtype)
    swapped = (sys.byteorder == "little") != node.attrs["little_endian"]
    item_type = numpy_type.newbyteorder() if swapped else numpy_type

    def decode(text):
        array = boxed(text)
        items = array.reshape(-1).tolist()
        if not items:
            return to_tensor(np.empty((*array.shape, 0), numpy_type))
        size = len(items[0])
        for item in items:
            if len(item) != size:
                raise _invalid(
                    "DecodeRaw requires input strings to all be the same size, but element 1 has size "
                    f"{size} != {len(item)}"
                )
        if size % numpy_type.itemsize:
            raise _invalid(
                f"Input to DecodeRaw has length {size} that is not a multiple of {numpy_type.itemsize}, the size of "
                f"{_C_NAMES.get(dtype.name, dtype.name)}"
            )
        numbers = np.frombuffer(b"".join(items), item_type).astype(numpy_type)
        return to_tensor(numbers.reshape(*array.shape, size // numpy_type.itemsize))

    return decode


decode_raw_op.not_differentiable()
decode_raw_op.accepts(np.array([b"abcd", b"efgh"], object), out_type="int16")


def decode_raw(
    input_bytes: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
    fixed_length: TensorLike | None = None,
) -> Tensor:
    """The bytes of each string as numbers.

    Args:
        input_bytes: string tensor; all strings are of one length.
        out_type: the type of the numbers.
        little_endian: whether their least byte stands first.
        name: a name for the operation.
        bytes: the older name of `input_bytes`.
        fixed_length: how many bytes of each string are taken; what is shorter ends with zeros.

    Returns:
        a tensor with one more dimension, of the numbers of a string.

    Raises:
        InvalidArgumentError: at run time, if the lengths differ or are no multiple of the size of a number.

    Example:
        >>> sess.run(tf.decode_raw(tf.constant(b"abc"), tf.uint8))
        array([97, 98, 99], dtype=uint8)
    """
    text = first_given("input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw() missing 1 positional argument: 'out_type'")
    if fixed_length is not None:
        return raw.DecodePaddedRaw(
            text, fixed_length, out_type=as_dtype(out_type), little_endian=little_endian, name=name
        )
    return raw.DecodeRaw(text, out_type=as_dtype(out_type), little_endian=little_endian, name=name)


padded_raw_op = op(
    "DecodePaddedRaw",
    "input_bytes: string, fixed_length: int32, *, out_type: {half, float, double, int32, uint16, uint8, int16, int8, "
    "int64}, little_endian=True -> output: out_type",
)
padded_raw_op.on_host("fixed_length", outputs=True).not_differentiable()


@padded_raw_op.shape
def padded_raw_shape(op):
    dims, length = op.inputs[0].dims, op.constant(1)
    if length is not None and np.ndim(length):
        raise ValueError(f"Input must be scalar but has rank {np.ndim(length)}")
    size = op.attrs["out_type"].size
    if length is not None and int(length) % size:
        raise ValueError(f"fixed_length ({int(length)}) must be a multiple of the size of out_type ({size})")
    if dims is None:
        return [None]
    return [(*dims, None if length is None else int(length) // size)]


@padded_raw_op.kernel
def padded_raw_kernel(node):
    dtype = node.attrs["out_type"]
    numpy_type = np.dtype(dtype.as_numpy_dtype)
    swapped = (sys.byteorder == "little") != node.attrs["little_endian"]
    item_type = numpy_type.newbyteorder() if swapped else numpy_type

    def decode(text, fixed_length):
        length = int(fixed_length)
        if length <= 0 or length % numpy_type.itemsize:
            raise _invalid(
                f"fixed_length ({length}) must be a multiple of the size of out_type ({numpy_type.itemsize})"
            )
        array = boxed(text)
        # What is too long is cut, what is too short ends with zeros.
        joined = b"".join([item[:length].ljust(length, b"\0") for item in array.reshape(-1).tolist()])
        return to_tensor(np.frombuffer(joined, item_type).astype(numpy_type).reshape(*array.shape, -1))

    return decode


padded_raw_op.accepts(np.array([b"abc", b"defgh"], object), np.array(4, np.int32), out_type="uint8")
padded_raw_op.accepts(
    np.array([b"abc", b"defgh"], object),
    np.array(4, np.int32),
    out_type="int16",
    differs="1.15 writes rows after the first of wider types where they do not belong",
)


# ---- base 64 ----

encode_base64_op = op("EncodeBase64", "input: string, *, pad=False -> output: string")
decode_base64_op = op("DecodeBase64", "input: string -> output: string")
encode_base64_op.shape(_same_shape)
decode_base64_op.shape(_same_shape)


@encode_base64_op.kernel
def encode_base64_kernel(node):
    if node.attrs["pad"]:
        return lambda text: mapped(base64.urlsafe_b64encode, boxed(text))
    return lambda text: mapped(lambda item: base64.urlsafe_b64encode(item).rstrip(b"="), boxed(text))


@decode_base64_op.kernel
def decode_base64_kernel(node):
    return lambda text: mapped(_decoded, boxed(text))


def _decoded(text: bytes) -> bytes:
    if len(text) % 4 == 1:
        raise _invalid("Base64 string length cannot be 1 modulo 4.")
    # Padding only ends a group of four.
    if len(text) % 4 == 0 and text.endswith(b"="):
        text = text[:-2] if text.endswith(b"==") else text[:-1]
    if _UNSAFE.search(text):
        raise _invalid("Invalid character found in base64.")
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


_UNSAFE = re.compile(rb"[^A-Za-z0-9_-]")

encode_base64_op.not_differentiable()
decode_base64_op.not_differentiable()
encode_base64_op.accepts(np.array([b"a", b"abc"], object))
decode_base64_op.accepts(np.array([b"YQ", b"YWJj"], object))


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Tensor:
    """Each string in the web-safe base 64 alphabet, with '=' at the end if `pad`."""
    return raw.EncodeBase64(input, pad=pad, name=name)


def decode_base64(input: TensorLike, name: str | None = None) -> Tensor:
    """The bytes that each string writes in web-safe base 64, padded or not; InvalidArgumentError for others."""
    return raw.DecodeBase64(input, name=name)
