"""Sizes, paddings and layouts of convolutions, and which inputs their outputs depend on."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.layers.sizes import conv_output_length as output_length_of
from headrace.layers.sizes import convert_data_format as convert_data_format
from headrace.layers.sizes import normalize_data_format as normalize_data_format
from headrace.layers.sizes import normalize_padding as normalize_padding
from headrace.layers.sizes import normalize_tuple as normalize_tuple
from headrace.layers.sizes import transposed_output_length

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]
    Sizes = Sequence[int]


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How many windows a convolution puts along an axis.

    Args:
        input_length: the length of the axis; None if it is not known.
        filter_size: that of the window.
        padding: "same", "valid", "full" or "causal".
        stride: the step.
        dilation: the distance of the window's elements.
    """
    if input_length is None:
        return None
    _check_padding(padding, "same", "valid", "full", "causal")
    length: int = output_length_of(input_length, filter_size, padding, stride, dilation)
    return length


def _check_padding(padding: str, *known: str) -> None:
    assert padding in known, f"padding: one of {known}, not {padding!r}"


def conv_input_length(output_length: int | None, filter_size: int, padding: str, stride: int) -> int | None:
    """The length of an axis along which a convolution puts so many windows.

    Args:
        output_length: their number; None if it is not known.
        filter_size: the length of a window.
        padding: "same", "valid" or "full".
        stride: the step.
    """
    if output_length is None:
        return None
    _check_padding(padding, "same", "valid", "full")
    beside = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * beside + filter_size


def deconv_output_length(
    input_length: int | None,
    filter_size: int,
    padding: str,
    output_padding: int | None = None,
    stride: int = 0,
    dilation: int = 1,
) -> int | None:
    """The length of what a transposed convolution makes of an axis.

    Args:
        input_length: the length of the axis; None if it is not known.
        filter_size: that of the window.
        padding: "same", "valid" or "full".
        output_padding: what is added at the end; None lets the length follow from the others.
        stride: the step.
        dilation: the distance of the window's elements.
    """
    _check_padding(padding, "same", "valid", "full")
    if input_length is None:
        return None
    length: int = transposed_output_length(input_length, filter_size, padding, output_padding, stride, dilation)
    return length


def convert_kernel(kernel: Array) -> Array:
    """A kernel turned around along its spatial axes: between the conventions of Theano and TensorFlow.

    Raises:
        ValueError: if it has not three to five axes.
    """
    kernel = np.asarray(kernel)
    if not 3 <= kernel.ndim <= 5:
        raise ValueError("Invalid kernel shape:", kernel.shape)
    return np.flip(kernel, tuple(range(kernel.ndim - 2))).copy()


# ---- which inputs an output depends on


def _along_all(input_shape: Sizes, kernel_shape: int | Sizes, strides: int | Sizes) -> tuple[Sizes, Sizes]:
    """Kernel and steps along each axis: one number is for all.

    Raises:
        ValueError: if the numbers of axes differ.
    """
    if isinstance(kernel_shape, int):
        kernel_shape = (kernel_shape,) * len(input_shape)
    if isinstance(strides, int):
        strides = (strides,) * len(input_shape)
    if not len(strides) == len(kernel_shape) == len(input_shape):
        raise ValueError(
            "Number of strides, input and kernel dimensions must all match. "
            f"Received: {len(strides)}, {len(input_shape)}, {len(kernel_shape)}."
        )
    return kernel_shape, strides


def _check_mask_padding(padding: str) -> None:
    if padding not in ("same", "valid"):
        raise NotImplementedError(f'Padding type {padding} not supported. Only "valid" and "same" are implemented.')


def conv_output_shape(input_shape: Sizes, kernel_shape: Sizes, strides: Sizes, padding: str) -> tuple[int, ...]:
    """The spatial sizes of a convolution's output."""
    return tuple(
        # No window is put along an axis without elements.
        output_length_of(length, window, padding, stride) if length else 0
        for length, window, stride in zip(input_shape, kernel_shape, strides)
    )


def conv_connected_inputs(
    input_shape: Sizes, kernel_shape: Sizes, output_position: Sizes, strides: Sizes, padding: str
) -> list[range]:
    """The places along each axis that the window of an output covers."""
    ranges = []
    for length, window, place, stride in zip(input_shape, kernel_shape, output_position, strides):
        left = window // 2
        # Without padding the first window begins at the first place.
        center = place * stride + (left if padding == "valid" else 0)
        ranges.append(range(max(0, center - left), min(length, center + window - left)))
    return ranges


def conv_kernel_mask(input_shape: Sizes, kernel_shape: int | Sizes, strides: int | Sizes, padding: str) -> Array:
    """Which inputs a convolution's outputs depend on.

    Args:
        input_shape: the spatial sizes of the input.
        kernel_shape: those of the kernel.
        strides: the steps.
        padding: "same" or "valid".

    Returns:
        an array of bools (*input sizes, *output sizes).

    Raises:
        NotImplementedError: for another padding; ValueError: if the numbers of axes differ.
    """
    _check_mask_padding(padding)
    kernel_shape, strides = _along_all(input_shape, kernel_shape, strides)
    output_shape = conv_output_shape(input_shape, kernel_shape, strides, padding)
    mask = np.zeros((*input_shape, *output_shape), bool)
    for place in itertools.product(*map(range, output_shape)):
        window = conv_connected_inputs(input_shape, kernel_shape, place, strides, padding)
        covered = tuple(slice(along.start, along.stop) for along in window)
        mask[covered + tuple(place)] = True
    return mask


def conv_kernel_idxs(
    input_shape: Sizes,
    kernel_shape: int | Sizes,
    strides: int | Sizes,
    padding: str,
    filters_in: int,
    filters_out: int,
    data_format: str,
) -> Iterator[tuple[int, int]]:
    """The (output, input) pairs that a convolution connects, as numbers of elements of the flat tensors.

    Args:
        input_shape, kernel_shape, strides, padding: as of `conv_kernel_mask`.
        filters_in, filters_out: the numbers of channels.
        data_format: "channels_first" or "channels_last".

    Raises:
        NotImplementedError: for another padding; ValueError: for another format, or if the numbers of axes differ.
    """
    _check_mask_padding(padding)
    kernel_shape, strides = _along_all(input_shape, kernel_shape, strides)
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            f'Data format {data_format} not recognized. `data_format` must be "channels_first" or "channels_last".'
        )
    first = data_format == "channels_first"
    output_shape = conv_output_shape(input_shape, kernel_shape, strides, padding)

    def number(place: Sizes, sizes: Sizes, channel: int, channels: int) -> int:
        whole: Any = (channel, *place) if first else (*place, channel)
        return int(np.ravel_multi_index(whole, (channels, *sizes) if first else (*sizes, channels)))

    for place in itertools.product(*map(range, output_shape)):
        window = conv_connected_inputs(input_shape, kernel_shape, place, strides, padding)
        for source in itertools.product(*window):
            for channel_in in range(filters_in):
                for channel_out in range(filters_out):
                    yield (
                        number(place, output_shape, channel_out, filters_out),
                        number(source, input_shape, channel_in, filters_in),
                    )
