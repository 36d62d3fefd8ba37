"""Convolutions whose kernel is another one at each place."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.backend.arrays import concatenate, int_shape, permute_dimensions
from headrace.keras.backend.convolution import format_or_default
from headrace.keras.backend.products import batch_dot
from headrace.ops.array.shape import reshape

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def local_conv(
    inputs: Any,
    kernel: Any,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    output_shape: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """A convolution whose kernel is another one at each place.

    Args:
        inputs: tensors of a batch axis, an axis of channels and one or more others.
        kernel: a tensor (places, size of a patch, channels out).
        kernel_size: the sizes of a patch.
        strides: the steps.
        output_shape: the number of places along each axis.
        data_format: the order of the axes, `image_data_format()` by default.

    Raises:
        ValueError: for an unknown order.
    """
    first = format_or_default(data_format) == "channels_first"
    _, patch_size, channels = int_shape(kernel) or (None, None, None)
    axes = list(range(len(output_shape)))
    patches = []
    for place in itertools.product(*(range(size) for size in output_shape)):
        window = [slice(place[d] * strides[d], place[d] * strides[d] + kernel_size[d]) for d in axes]
        every = slice(None)
        part = inputs[(every, every, *window) if first else (every, *window, every)]
        patches.append(reshape(part, (1, -1, patch_size)))
    made = batch_dot(concatenate(patches, axis=0), kernel)
    made = reshape(made, (*output_shape, -1, channels))
    rank = len(axes)
    return permute_dimensions(made, [rank, rank + 1, *axes] if first else [rank, *axes, rank + 1])


def local_conv1d(
    inputs: Any, kernel: Any, kernel_size: Sequence[int], strides: Sequence[int], data_format: str | None = None
) -> Tensor:
    """`local_conv` of sequences: the number of places is that of the kernel."""
    return local_conv(inputs, kernel, kernel_size, strides, (int(kernel.shape.as_list()[0]),), data_format)


def local_conv2d(
    inputs: Any,
    kernel: Any,
    kernel_size: Sequence[int],
    strides: Sequence[int],
    output_shape: Sequence[int],
    data_format: str | None = None,
) -> Tensor:
    """`local_conv` of images."""
    return local_conv(inputs, kernel, kernel_size, strides, output_shape, data_format)
