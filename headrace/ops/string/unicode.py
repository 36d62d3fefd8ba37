"""Text in Unicode's encodings: as code points and back, from one encoding to another, and the scripts of characters."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.host_values import boxed, mapped
from headrace.kernels.string.scripts import runs

if TYPE_CHECKING:
    from headrace.core.composite_types import CompositeTensor
    from headrace.core.typing import TensorLike
    from headrace.messages.node_def import EncodedText


_OPTIONS = (
    "errors: {'strict', 'replace', 'ignore'} = 'replace', replacement_char=65533, replace_control_characters=False"
)
_LAST = 0x10FFFF
_LAST_CONTROL = 0x1F
_MARKS = {
    "utf-16": (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE),
    "utf-32": (codecs.BOM_UTF32_BE, codecs.BOM_UTF32_LE),
}
_WINDOWS = {f"cp{number}" for number in range(1250, 1259)}
_UNITS = {"utf-8": 1, "utf-16-be": 2, "utf-32-be": 4}

decode_op = op(
    "UnicodeDecode",
    f"input: string, *, input_encoding: string, {_OPTIONS}, Tsplits: index = int64 -> row_splits: Tsplits, "
    "char_values: int32",
)
decode_with_offsets_op = op(
    "UnicodeDecodeWithOffsets",
    f"input: string, *, input_encoding: string, {_OPTIONS}, Tsplits: index = int64 -> row_splits: Tsplits, "
    "char_values: int32, char_to_byte_starts: int64",
)
transcode_op = op(
    "UnicodeTranscode",
    "input: string, *, input_encoding: string, output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}, "
    f"{_OPTIONS} -> output: string",
)
encode_op = op(
    "UnicodeEncode",
    "input_values: int32, input_splits: Tsplits, *, errors: {'ignore', 'replace', 'strict'} = 'replace', "
    "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}, replacement_char=65533, Tsplits: index = int64 -> "
    "output: string",
)
script_op = op("UnicodeScript", "input: int32 -> output: int32")


def _invalid(message: str) -> InvalidArgumentError:
    return InvalidArgumentError(None, None, message)


def _replacement(attrs: Mapping[str, Any]) -> int:
    code = int(attrs["replacement_char"])
    if not 0 <= code <= _LAST:
        raise _invalid("replacement_char out of unicode codepoint range")
    return code


def _codec(name: str | EncodedText) -> str:
    text = name.decode() if isinstance(name, bytes) else name
    try:
        return codecs.lookup(text).name
    except LookupError:
        raise _invalid(f"Could not create converter for input encoding: {text}") from None


def _width(text: str, encoding: str) -> list[int]:
    """How many bytes each character takes."""
    unit = _UNITS.get(encoding)
    if unit == 4:
        return [4] * len(text)
    if unit == 2:
        return [4 if ord(c) > 0xFFFF else 2 for c in text]
    return [len(c.encode(encoding)) for c in text]


def _reader(attrs: Mapping[str, Any]) -> Callable[[bytes], tuple[list[int], list[int]]]:
    """A function from bytes to code points and where each begins."""
    errors, control = attrs["errors"], attrs["replace_control_characters"]
    errors = errors.decode() if isinstance(errors, bytes) else errors
    replacement, encoding = _replacement(attrs), _codec(attrs["input_encoding"])

    def read(data: bytes) -> tuple[list[int], list[int]]:
        codes: list[int] = []
        begins: list[int] = []

        def wrong(place: int) -> None:
            if errors == "strict":
                raise _invalid("Invalid formatting on input string")
            if errors == "replace":
                codes.append(replacement)
                begins.append(place)

        def take_byte(byte: int, place: int) -> None:
            codes.append(byte)
            begins.append(place)

        def take(text: str, place: int) -> None:
            for char, width in zip(text, _width(text, encoding), strict=True):
                if control and ord(char) <= _LAST_CONTROL:
                    wrong(place)
                else:
                    codes.append(ord(char))
                    begins.append(place)
                place += width

        # Without a mark of their order the bytes of a unit come as ICU has them.
        spelling = f"{encoding}-be" if encoding in _MARKS and not data.startswith(_MARKS[encoding]) else encoding
        place = 0
        while place < len(data):
            rest = data[place:]
            try:
                take(rest.decode(spelling), place)
                break
            except UnicodeDecodeError as error:
                take(rest[: error.start].decode(spelling), place)
                if encoding in _WINDOWS and rest[error.start] < 0xA0:
                    # A byte that Windows gave no character is a control character to ICU.
                    take_byte(rest[error.start], place + error.start)
                else:
                    wrong(place + error.start)
                place += max(error.end, error.start + 1)
        return codes, begins

    return read


@decode_op.shape
@decode_with_offsets_op.shape
def decode_shape(op):
    dims = op.inputs[0].dims
    count = None
    if dims is not None and None not in dims:
        count = int(np.prod(dims)) + 1
    return [(count,), (None,), (None,)][: len(op.outputs)]


@decode_op.kernel
def decode_kernel(node):
    decode = decode_with_offsets_kernel(node)
    return lambda text: decode(text)[:2]


@decode_with_offsets_op.kernel
def decode_with_offsets_kernel(node):
    read = _reader(node.attrs)
    splits_type = node.attrs["Tsplits"].torch

    def decode(text):
        rows = [read(item) for item in boxed(text).reshape(-1).tolist()]
        splits = np.cumsum([0, *(len(codes) for codes, _ in rows)])
        values = np.array([code for codes, _ in rows for code in codes], np.int32)
        offsets = torch.tensor([place for _, begins in rows for place in begins], dtype=torch.int64)
        return torch.from_numpy(splits).to(splits_type), torch.from_numpy(values), offsets

    return decode


@transcode_op.shape
def transcode_shape(op):
    return [op.inputs[0].dims]


@transcode_op.kernel
def transcode_kernel(node):
    read, write = _reader(node.attrs), _writer(node.attrs["output_encoding"])
    return lambda text: mapped(lambda item: write(read(item)[0]), boxed(text))


def _writer(encoding: str) -> Callable[[list[int]], bytes]:
    name = _codec(encoding)

    def write(codes: list[int]) -> bytes:
        units = "".join(map(chr, codes)).encode("utf-16-be", "surrogatepass")
        if name == "utf-16-be":
            return units
        # Surrogates side by side are one character; single ones are none.
        return units.decode("utf-16-be", "replace").encode(name)

    return write


@encode_op.shape
def encode_shape(op):
    values, splits = (tensor.dims for tensor in op.inputs)
    for dims in (values, splits):
        if dims is not None and len(dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    return [(None if splits is None or splits[0] is None else splits[0] - 1,)]


@encode_op.kernel
def encode_kernel(node):
    errors = node.attrs["errors"]
    errors = errors.decode() if isinstance(errors, bytes) else errors
    replacement, write = _replacement(node.attrs), _writer(node.attrs["output_encoding"])

    def known(codes: list[int]) -> list[int]:
        if all(0 <= code <= _LAST for code in codes):
            return codes
        if errors == "strict":
            raise _invalid("Code point value out of valid Unicode range.")
        kept = [
            code if 0 <= code <= _LAST else replacement for code in codes if errors == "replace" or 0 <= code <= _LAST
        ]
        return kept

    def encode(values, splits):
        codes, bounds = values.tolist(), splits.tolist()
        if any(not 0 <= bound <= len(codes) for bound in bounds):
            raise _invalid(f"Values in input_splits must be between 0 and {len(codes)}")
        out = np.empty(max(len(bounds) - 1, 0), object)
        out[:] = [write(known(codes[i:j])) for i, j in itertools.pairwise(bounds)]
        return out

    return encode


@script_op.shape
def script_shape(op):
    return [op.inputs[0].dims]


@script_op.kernel
def script_kernel(node):
    starts, numbers = runs()

    def script(codes):
        array = codes.numpy()
        found = numbers[np.maximum(np.searchsorted(starts, array, side="right") - 1, 0)]
        return torch.from_numpy(np.where((array < 0) | (array > _LAST), np.int32(-1), found).astype(np.int32))

    return script


decode_op.on_host(outputs=True).accepts(np.array([b"a\xc3\xa9", b"\xff"], object), input_encoding="UTF-8")
decode_op.rejects(np.array([b"a"], object), input_encoding="no such", error=InvalidArgumentError, match="converter")
decode_with_offsets_op.on_host(outputs=True).accepts(np.array([b"a\xc3\xa9"], object), input_encoding="UTF-8")
transcode_op.accepts(np.array([b"a\xc3\xa9"], object), input_encoding="UTF-8", output_encoding="UTF-16-BE")
encode_op.on_host("input_values", "input_splits").accepts(
    np.array([97, 233], np.int32), np.array([0, 1, 2], np.int64), output_encoding="UTF-8"
)
script_op.on_host("input", outputs=True).accepts(np.array([97, 233, -1], np.int32))


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    """Text from one encoding in another.

    Args:
        input: string tensor.
        input_encoding: the encoding it is in, one of Python's.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what becomes of what is no text: "replace", "ignore", or "strict" for an error.
        replacement_char: the code point that replaces it.
        replace_control_characters: whether the control characters up to 31 count as no text.
        name: a name for the operation.

    Returns:
        a string tensor of the same shape.

    Raises:
        InvalidArgumentError: when it is run: for an encoding there is not, or errors that are not to be replaced.

    Example:
        >>> tf.Session().run(tf.strings.unicode_transcode("a", "UTF-8", "UTF-16-BE"))
        b'\\x00a'
    """
    return raw.UnicodeTranscode(
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )


def unicode_script(input: TensorLike | CompositeTensor, name: str | None = None) -> Tensor:
    """The script of each character, as ICU numbers them; -1 for what is no code point.

    Args:
        input: int32 tensor of code points.
        name: a name for the operation.

    Returns:
        an int32 tensor of the same shape.

    Example:
        >>> tf.Session().run(tf.strings.unicode_script([ord("a"), ord("я")]))
        array([25,  8], dtype=int32)
    """
    return raw.UnicodeScript(input, name=name)
