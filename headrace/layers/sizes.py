"""The sizes, paddings and layouts that layers over space take as arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


default_data_format = ["channels_last"]


def normalize_data_format(value: str | None) -> str:
    """The layout: "channels_last" or "channels_first"; the default one for None.

    Raises:
        ValueError: for another.
    """
    layout = (default_data_format[-1] if value is None else value).lower()
    if layout not in ("channels_first", "channels_last"):
        raise ValueError(
            f'The `data_format` argument must be one of "channels_first", "channels_last". Received: {value}'
        )
    return layout


def normalize_padding(value: str) -> str:
    """The padding in lower case: "valid", "same" or "causal"; a list as it is.

    Raises:
        ValueError: for another.
    """
    if isinstance(value, (list, tuple)):
        return value
    padding = value.lower()
    if padding not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be a list/tuple or one of "valid", "same" (or "causal", only for `Conv1D). '
            f"Received: {padding}"
        )
    return padding


def normalize_tuple(value: int | Sequence[int], n: int, name: str) -> tuple[int, ...]:
    """A tuple of `n` ints: that many times `value`, if it is one.

    Raises:
        ValueError: if it is neither.
    """
    if isinstance(value, int):
        return (value,) * n
    wrong = f"The `{name}` argument must be a tuple of {n} integers. Received: {value}"
    try:
        found = tuple(value)
    except TypeError:
        raise ValueError(wrong) from None
    if len(found) != n:
        raise ValueError(wrong)
    for single in found:
        try:
            int(single)
        except (TypeError, ValueError):
            raise ValueError(f"{wrong} including element {single} of type {type(single)}") from None
    return found


def convert_data_format(data_format: str, ndim: int) -> str:
    """The name that operations have for a layout of rank `ndim`.

    Raises:
        ValueError: for another layout or rank.
    """
    if ndim not in (3, 4, 5):
        raise ValueError("Input rank not supported:", ndim)
    spatial = "DHW"[5 - ndim :] if ndim != 3 else "W"
    if data_format == "channels_last":
        return f"N{spatial}C"
    if data_format == "channels_first":
        return f"NC{spatial}"
    raise ValueError("Invalid data_format:", data_format)


def _require_word(padding: Any, *words: str) -> None:
    """Raises TypeError for a list of paddings, whose windows no word tells, and AssertionError for another word."""
    if isinstance(padding, list):
        raise TypeError(f"unhashable type: 'list': padding must be one of {words} to tell a length, got {padding!r}")
    if padding not in words:
        raise AssertionError(f"padding must be one of {words}, got {padding!r}")


def conv_output_length(length: Any, window: int, padding: str, stride: int, dilation: int = 1) -> Any:
    """How many windows fit along an axis; None if its length is not known."""
    if length is None:
        return None
    _require_word(padding, "valid", "same", "full", "causal")
    effective_size = window + (window - 1) * (dilation - 1)
    if padding == "valid":
        length = length - effective_size + 1
    elif padding == "full":
        length = length + effective_size - 1
    return (length + stride - 1) // stride


def conv_input_length(output_length: int | None, filter_size: int, padding: str, stride: int) -> int | None:
    """The length of an axis along which so many windows fit; None if their number is not known."""
    if output_length is None:
        return None
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length: int, filter_size: int, padding: str, stride: int) -> int:
    """The length of what a transposed convolution makes of an axis by default."""
    return transposed_output_length(input_length, filter_size, padding, stride=stride)


def transposed_output_length(
    length: int | Tensor,
    window: int,
    padding: str,
    output_padding: int | None = None,
    stride: int = 0,
    dilation: int = 1,
) -> Any:
    """The length of what a transposed convolution makes of an axis; a tensor's if `length` is one."""
    _require_word(padding, "valid", "same", "full")
    if length is None:
        return None
    window = window + (window - 1) * (dilation - 1)
    if output_padding is not None:
        pad = {"same": window // 2, "valid": 0, "full": window - 1}[padding]
        return (length - 1) * stride + window - 2 * pad + output_padding
    if padding == "valid":
        return length * stride + max(window - stride, 0)
    if padding == "full":
        return length * stride - (stride + window - 2)
    return length * stride
