"""Functions of strings whose results are ragged: characters, parts and n-grams of each string."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.ragged.layout import expand_dims
from headrace.functions.ragged.math import reduced
from headrace.functions.ragged.tensor import RaggedTensor, convert_to_tensor_or_ragged_tensor
from headrace.kernels import composing, renamed_arguments
from headrace.ops.string.joining import reduce_join as dense_reduce_join
from headrace.ops.string.segments import unsorted_segment_join

if TYPE_CHECKING:
    from headrace.core.typing import AxisLike, TensorLike


_REPLACEMENT = 65533


def rows_of_sparse(indices: Tensor, values: Tensor, shape: Tensor) -> RaggedTensor:
    """The rows of a sparse matrix without gaps."""
    return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0], validate=False)


def bytes_split(input: TensorLike | RaggedTensor, name: str | None = None) -> Any:
    """The bytes of each string.

    Args:
        input: string tensor or ragged tensor of known rank.
        name: a name for the operations.

    Returns:
        a `RaggedTensor` of one more dimension; a vector for a single string.

    Raises:
        ValueError: if the rank is not known.

    Example:
        >>> tf.Session().run(tf.strings.bytes_split(["hi", "a"])).to_list()
        [[b'h', b'i'], [b'a']]
    """
    with name_scope(name, "StringsByteSplit"):
        text = convert_to_tensor_or_ragged_tensor(input, name="input")
        if isinstance(text, RaggedTensor):
            return text.with_flat_values(bytes_split(text.flat_values))
        if text.dims is None:
            raise ValueError("input must have a statically-known rank.")
        if not text.dims:
            return bytes_split(composing.expand_dims(text, 0))[0]
        if len(text.dims) == 1:
            return rows_of_sparse(*raw.StringSplit(text, "", skip_empty=False))
        return bytes_split(RaggedTensor.from_tensor(text))


def split_rows(input: TensorLike | RaggedTensor, sep: TensorLike | None, maxsplit: int) -> Any:
    """The parts of each string as rows; a vector for a single string."""
    text = convert_to_tensor_or_ragged_tensor(input, "string", name="input")
    if isinstance(text, RaggedTensor):
        return text.with_flat_values(split_rows(text.flat_values, sep, maxsplit))
    if text.dims is not None and not text.dims:
        return split_rows(composing.expand_dims(text, 0), sep, maxsplit)[0]
    if text.dims is None or len(text.dims) == 1:
        mark = convert_to_tensor("" if sep is None else sep, "string")
        return rows_of_sparse(*raw.StringSplitV2(text, mark, maxsplit=maxsplit))
    return split_rows(RaggedTensor.from_tensor(text), sep, maxsplit)


def reduce_join(
    inputs: RaggedTensor,
    axis: int | None = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """`tf.strings.reduce_join` of ragged strings.

    Raises:
        ValueError: if dimensions are to be kept.
    """
    if renamed_arguments.first_given("keepdims", keepdims, "keep_dims", keep_dims):
        raise ValueError("keepdims=True is not supported for RaggedTensors.")
    axis = renamed_arguments.first_given("axis", axis, "reduction_indices", reduction_indices)

    def whole(text: TensorLike, axis: AxisLike, name: str | None) -> Tensor:
        return dense_reduce_join(text, axis, separator=separator, name=name)

    def of_segments(text: Tensor, ids: Tensor, count: Tensor) -> Tensor:
        return unsorted_segment_join(text, ids, count, separator)

    rows = convert_to_tensor_or_ragged_tensor(inputs)
    return reduced(whole, of_segments, rows, axis, name or "RaggedSegmentJoin")


def ngrams(
    data: str | RaggedTensor | Sequence[str | Sequence[str]],
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: int | str | Sequence[str] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """The runs of `ngram_width` neighbouring strings of each row, joined.

    Args:
        data: string tensor or ragged tensor whose rows they are made of.
        ngram_width: how many strings a run has, or a list of such numbers.
        separator: what to put between the strings.
        pad_values: a string put before and after each row, or a pair of those put before and after.
        padding_width: how often; at most, and by default, one less than `ngram_width`.
        preserve_short_sequences: whether a row too short for any run is a run itself.
        name: a name for the operations.

    Returns:
        a `RaggedTensor` of the rank of `data`, a tensor if that is one.

    Raises:
        ValueError: for a width below 1, padding without its value, or data of no or unknown rank.
        TypeError: for padding that is no text.

    Example:
        >>> tf.Session().run(tf.strings.ngrams(["a", "b", "c"], 2))
        array([b'a b', b'b c'], dtype=object)
    """
    with name_scope(name, "StringNGrams"):
        left, right = _paddings(pad_values)
        if padding_width is not None and padding_width < 1:
            raise ValueError("padding_width must be greater than 0.")
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        widths: list[Any] = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
        if any(width < 1 for width in widths):
            raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
        pad = 0 if pad_values is None else -1 if padding_width is None else padding_width

        def of_rows(rows: RaggedTensor) -> RaggedTensor:
            if rows.ragged_rank > 1:
                return rows.with_values(of_rows(rows.values))
            values, splits = raw.StringNGrams(
                rows.flat_values,
                rows.row_splits,
                separator=separator,
                ngram_widths=widths,
                left_pad=left,
                right_pad=right,
                pad_width=pad,
                preserve_short_sequences=preserve_short_sequences,
            )
            return RaggedTensor.from_row_splits(values, splits, validate=False)

        text = convert_to_tensor_or_ragged_tensor(data, "string", name="data")
        if isinstance(text, RaggedTensor):
            return of_rows(text)
        if text.dims is None:
            raise ValueError("Rank of data must be known.")
        if not text.dims:
            raise ValueError("Data must have rank>0")
        if len(text.dims) == 1:
            return of_rows(RaggedTensor.from_row_starts(text, [0], validate=False))[0]
        made = of_rows(RaggedTensor.from_tensor(text, ragged_rank=len(text.dims) - 1))
        return raw.Reshape(made.flat_values, composing.concat([composing.shape(text)[:-1], [-1]], 0))


def _paddings(values: int | str | Sequence[str] | None) -> tuple[Any, Any]:
    if values is None:
        return "", ""
    left, right = values[:2] if isinstance(values, (list, tuple)) else (values, values)
    if not isinstance(left, (str, bytes)) or not isinstance(right, (str, bytes)):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return left, right


# ---- characters ----


def unicode_encode(
    input: TensorLike | RaggedTensor,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """The strings of rows of code points.

    Args:
        input: int32 tensor or ragged tensor [..., characters] of known rank.
        output_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".
        errors: what becomes of what is no code point: "replace", "ignore", or "strict" for an error.
        replacement_char: the code point that replaces it.
        name: a name for the operations.

    Returns:
        strings of one dimension less.

    Raises:
        ValueError: if the rank is 0 or not known. InvalidArgumentError: when it is run, for strict errors.

    Example:
        >>> tf.Session().run(tf.strings.unicode_encode([104, 105], "UTF-8"))
        b'hi'
    """
    with name_scope(name, "UnicodeEncode"):
        codes = convert_to_tensor_or_ragged_tensor(input)
        rank: int = codes.shape.ndims
        if rank is None:
            raise ValueError("Rank of input_tensor must be statically known.")
        if rank == 0:
            raise ValueError("input_tensor's rank must be at least 1.")

        def again(part: Tensor | RaggedTensor) -> Tensor:
            return unicode_encode(part, output_encoding, errors, replacement_char)

        if isinstance(codes, RaggedTensor):
            if len(codes.flat_values.shape) > 1:
                return codes.with_flat_values(again(codes.flat_values))
            if codes.ragged_rank > 1:
                return codes.with_values(again(codes.values))
            return raw.UnicodeEncode(
                codes.values,
                codes.row_splits,
                output_encoding=output_encoding,
                errors=errors,
                replacement_char=replacement_char,
            )
        if rank == 2:
            return again(RaggedTensor.from_tensor(codes))
        shape = composing.shape(codes)
        rows = raw.Reshape(codes, composing.concat([[-1], shape[-1:]], 0))
        rows.set_shape([None, codes.dims[-1]])
        result = raw.Reshape(again(rows), shape[:-1])
        result.set_shape(codes.dims[:-1])
        return result


def _decoded(input: TensorLike | RaggedTensor, options: dict[str, Any], with_offsets: bool) -> list[Any]:
    """The code points of each string and, if asked for, where they begin."""
    text = convert_to_tensor_or_ragged_tensor(input, name="input")
    rank: int | None = text.shape.ndims
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank > 1:
        if not isinstance(text, RaggedTensor):
            text = RaggedTensor.from_tensor(text, ragged_rank=rank - 1)
        elif text.ragged_rank < rank - 1:
            levels = rank - text.ragged_rank - 1
            text = text.with_flat_values(RaggedTensor.from_tensor(text.flat_values, ragged_rank=levels))
    flat = raw.Reshape(text.flat_values if isinstance(text, RaggedTensor) else text, [-1])
    splits, *made = (raw.UnicodeDecodeWithOffsets if with_offsets else raw.UnicodeDecode)(flat, **options)
    if rank == 0:
        return made
    rows = [RaggedTensor.from_row_splits(values, splits, validate=False) for values in made]
    return [text.with_flat_values(item) for item in rows] if rank > 1 else rows


def _options(encoding: str, errors: str, replacement: int, control: bool) -> dict[str, Any]:
    return {
        "input_encoding": encoding,
        "errors": errors,
        "replacement_char": replacement,
        "replace_control_characters": control,
    }


def unicode_decode(
    input: TensorLike | RaggedTensor,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string.

    Args:
        input: string tensor or ragged tensor of known rank.
        input_encoding: the encoding it is in, one of Python's.
        errors: what becomes of what is no text: "replace", "ignore", or "strict" for an error.
        replacement_char: the code point that replaces it.
        replace_control_characters: whether the control characters up to 31 count as no text.
        name: a name for the operations.

    Returns:
        an int32 `RaggedTensor` of one more dimension; a vector for a single string.

    Raises:
        ValueError: if the rank is not known. InvalidArgumentError: when it is run: for an encoding there is not, or
            strict errors.

    Example:
        >>> tf.Session().run(tf.strings.unicode_decode(["hi", "a"], "UTF-8")).to_list()
        [[104, 105], [97]]
    """
    with name_scope(name, "UnicodeDecode"):
        options = _options(input_encoding, errors, replacement_char, replace_control_characters)
        return _decoded(input, options, False)[0]


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The code points of each string, and at which byte each begins.

    Args:
        input, input_encoding, errors, replacement_char, replace_control_characters, name: as for `unicode_decode`.

    Returns:
        the code points as of `unicode_decode`, and as many int64 offsets.

    Raises:
        ValueError, InvalidArgumentError: as `unicode_decode`.
    """
    with name_scope(name, "UnicodeDecodeWithOffsets"):
        options = _options(input_encoding, errors, replacement_char, replace_control_characters)
        codes, offsets = _decoded(input, options, True)
        return codes, offsets


def _characters(codes: Tensor | RaggedTensor, encoding: str, errors: str, replacement: int) -> Tensor | RaggedTensor:
    return unicode_encode(expand_dims(codes, -1), encoding, errors, replacement)


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """The characters of each string, as strings.

    Args:
        input, errors, replacement_char, name: as for `unicode_decode`.
        input_encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE", which the characters are in too.

    Returns:
        a string `RaggedTensor` of one more dimension; a vector for a single string.

    Raises:
        ValueError, InvalidArgumentError: as `unicode_decode`.

    Example:
        >>> tf.Session().run(tf.strings.unicode_split(["hi"], "UTF-8")).to_list()
        [[b'h', b'i']]
    """
    with name_scope(name, "UnicodeSplit"):
        codes = _decoded(input, _options(input_encoding, errors, replacement_char, False), False)[0]
        return _characters(codes, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The characters of each string, as strings, and at which byte each begins.

    Args:
        input, input_encoding, errors, replacement_char, name: as for `unicode_split`.

    Returns:
        the characters as of `unicode_split`, and as many int64 offsets.

    Raises:
        ValueError, InvalidArgumentError: as `unicode_decode`.
    """
    with name_scope(name, "UnicodeSplitWithOffsets"):
        codes, offsets = _decoded(input, _options(input_encoding, errors, replacement_char, False), True)
        return _characters(codes, input_encoding, errors, replacement_char), offsets
