"""Convolutions, pooling and biases, in either order of axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.functions.nn.convolution_functions import convolution
from headrace.functions.nn.pooling_functions import avg_pool, avg_pool3d, max_pool, max_pool3d
from headrace.functions.nn.separable_functions import depthwise_conv2d as depthwise
from headrace.functions.nn.separable_functions import separable_conv2d as separable
from headrace.functions.nn.transposed_functions import atrous_conv2d_transpose
from headrace.functions.nn.transposed_functions import conv2d_transpose as transposed_2d
from headrace.functions.nn.transposed_functions import conv3d_transpose as transposed_3d
from headrace.keras.backend.arrays import int_shape, ndim, temporal_padding
from headrace.keras.backend.devices import has_nchw_support
from headrace.keras.backend_config import image_data_format
from headrace.kernels.composing.arranging import stack, transpose
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.shape import reshape
from headrace.ops.nn.bias import bias_add as bias_added

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

    Sizes = int | Sequence[int]

# By the number of spatial axes: the names of the two orders.
_FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


class _Ordered:
    """An input in an order of axes that the device can compute with, and the way back.

    Args:
        x: the input.
        spatial: the number of its spatial axes.
        data_format: the order that was asked for, `image_data_format()` by default.
        channels_last: whether no other order will do.

    Raises:
        ValueError: for an unknown order.
    """

    def __init__(self, x: Any, spatial: int, data_format: str | None, channels_last: bool = False) -> None:
        self.data_format = format_or_default(data_format)
        self.spatial = spatial
        self.moved = self.data_format == "channels_first" and (channels_last or not has_nchw_support())
        first = self.data_format == "channels_first" and not self.moved
        self.format = _FORMATS[spatial][first]
        self.x = transpose(x, (0, *range(2, spatial + 2), 1)) if self.moved else x

    def back(self, made: Tensor) -> Tensor:
        """What was computed, in the order that was asked for."""
        return transpose(made, (0, self.spatial + 1, *range(1, self.spatial + 1))) if self.moved else made

    def everywhere(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Sizes along the spatial axes as sizes along all."""
        return (1, 1, *sizes) if self.format.startswith("NC") else (1, *sizes, 1)


def format_or_default(data_format: str | None) -> str:
    """The order of axes that is meant.

    Raises:
        ValueError: for an unknown one.
    """
    found = image_data_format() if data_format is None else data_format
    if found not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format: {found}")
    return found


def _padding(padding: str) -> str:
    if padding not in ("same", "valid"):
        raise ValueError(f"Invalid padding: {padding}")
    return padding.upper()


def _check_pair(sizes: Any, name: str) -> None:
    if len(sizes) != 2:
        raise ValueError(f"`{name}` must be a tuple of 2 integers.")


def conv1d(
    x: TensorLike,
    kernel: Any,
    strides: int = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: int = 1,
) -> Tensor:
    """A convolution of sequences.

    Args:
        x: sequences of three axes.
        kernel: a tensor (width, channels in, channels out).
        strides: the step.
        padding: "same", "valid" or "causal".
        data_format: the order of the axes, `image_data_format()` by default.
        dilation_rate: the distance of the kernel's elements.

    Raises:
        ValueError: for another padding or order.
    """
    format_or_default(data_format)
    if padding == "causal":
        x = temporal_padding(x, (dilation_rate * (kernel.shape.as_list()[0] - 1), 0))
        padding = "valid"
    padding = _padding(padding)
    return _convolved(x, kernel, 1, strides, padding, data_format, dilation_rate)


def _convolved(
    x: TensorLike, kernel: Any, spatial: int, strides: Any, padding: str, data_format: str | None, rate: Any
) -> Tensor:
    ordered = _Ordered(x, spatial, data_format)
    made = convolution(
        input=ordered.x,
        filter=kernel,
        dilation_rate=(rate,) if isinstance(rate, int) else rate,
        strides=(strides,) if isinstance(strides, int) else strides,
        padding=padding,
        data_format=ordered.format,
    )
    return ordered.back(made)


def conv2d(
    x: TensorLike,
    kernel: Any,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """A convolution of images.

    Args:
        x: images of four axes.
        kernel: a tensor (height, width, channels in, channels out).
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        dilation_rate: the distances of the kernel's elements.

    Raises:
        ValueError: for another padding or order.
    """
    return _convolved(x, kernel, 2, strides, _padding(padding), data_format, dilation_rate)


def conv3d(
    x: TensorLike,
    kernel: Any,
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1, 1),
) -> Tensor:
    """A convolution of volumes.

    Args:
        x: volumes of five axes.
        kernel: a tensor (depth, height, width, channels in, channels out).
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        dilation_rate: the distances of the kernel's elements.

    Raises:
        ValueError: for another padding or order.
    """
    return _convolved(x, kernel, 3, strides, _padding(padding), data_format, dilation_rate)


def _output_sizes(ordered: _Ordered, output_shape: Any) -> Any:
    if ordered.moved:
        output_shape = (output_shape[0], *output_shape[2:], output_shape[1])
    if output_shape[0] is None:
        output_shape = (shape(ordered.x)[0], *output_shape[1:])
    return stack(list(output_shape)) if isinstance(output_shape, (tuple, list)) else output_shape


def conv2d_transpose(
    x: TensorLike,
    kernel: Any,
    output_shape: Any,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """The transpose of a convolution of images, which makes them larger.

    Args:
        x: images of four axes.
        kernel: a tensor (height, width, channels out, channels in).
        output_shape: the shape of the result.
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        dilation_rate: the distances of the kernel's elements, the same along both axes.

    Raises:
        ValueError: for another padding or order.
    """
    plain = tuple(dilation_rate) == (1, 1)
    ordered = _Ordered(x, 2, data_format, channels_last=not plain)
    sizes = _output_sizes(ordered, output_shape)
    padding = _padding(padding)
    if plain:
        made = transposed_2d(
            ordered.x, kernel, sizes, ordered.everywhere(strides), padding=padding, data_format=ordered.format
        )
    else:
        assert dilation_rate[0] == dilation_rate[1], "dilation_rate: the same along both axes"
        made = atrous_conv2d_transpose(ordered.x, kernel, sizes, rate=dilation_rate[0], padding=padding)
    return ordered.back(made)


def conv3d_transpose(
    x: TensorLike,
    kernel: Any,
    output_shape: Any,
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
) -> Tensor:
    """The transpose of a convolution of volumes, which makes them larger.

    Args:
        x: volumes of five axes.
        kernel: a tensor (depth, height, width, channels out, channels in).
        output_shape: the shape of the result.
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.

    Raises:
        ValueError: for another padding or order.
    """
    ordered = _Ordered(x, 3, data_format)
    sizes = _output_sizes(ordered, output_shape)
    made = transposed_3d(
        ordered.x, kernel, sizes, ordered.everywhere(strides), padding=_padding(padding), data_format=ordered.format
    )
    return ordered.back(made)


def separable_conv1d(
    x: TensorLike,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Sizes = 1,
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sizes = 1,
) -> Tensor:
    """A convolution of sequences, each channel by itself, then one over channels.

    Args:
        x: sequences of three axes.
        depthwise_kernel: a tensor (width, channels in, multiplier).
        pointwise_kernel: a tensor (1, channels in * multiplier, channels out).
        strides: the step.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        dilation_rate: the distance of the kernel's elements.

    Raises:
        ValueError: for another padding or order.
    """
    steps = (strides,) if isinstance(strides, int) else tuple(strides)
    rates = (dilation_rate,) if isinstance(dilation_rate, int) else tuple(dilation_rate)
    ordered = _Ordered(x, 1, data_format)
    first = ordered.format.startswith("NC")
    axis = 2 if first else 1
    made = separable(
        expand_dims(ordered.x, axis),
        expand_dims(depthwise_kernel, 0),
        expand_dims(pointwise_kernel, 0),
        strides=ordered.everywhere(steps * 2),
        padding=_padding(padding),
        rate=(1, *rates),
        data_format="NCHW" if first else "NHWC",
    )
    return ordered.back(squeeze(made, [axis]))


def separable_conv2d(
    x: TensorLike,
    depthwise_kernel: Any,
    pointwise_kernel: Any,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """A convolution of images, each channel by itself, then one over channels.

    Args:
        x: images of four axes.
        depthwise_kernel: a tensor (height, width, channels in, multiplier).
        pointwise_kernel: a tensor (1, 1, channels in * multiplier, channels out).
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        dilation_rate: the distances of the kernel's elements.

    Raises:
        ValueError: for another padding or order, or other than two steps.
    """
    format_or_default(data_format)
    _check_pair(strides, "strides")
    ordered = _Ordered(x, 2, data_format)
    made = separable(
        ordered.x,
        depthwise_kernel,
        pointwise_kernel,
        strides=ordered.everywhere(strides),
        padding=_padding(padding),
        rate=dilation_rate,
        data_format=ordered.format,
    )
    return ordered.back(made)


def depthwise_conv2d(
    x: TensorLike,
    depthwise_kernel: Any,
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    dilation_rate: Sequence[int] = (1, 1),
) -> Tensor:
    """A convolution of images, each channel by itself.

    Args:
        x: images of four axes.
        depthwise_kernel: a tensor (height, width, channels in, multiplier).
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        dilation_rate: the distances of the kernel's elements.

    Raises:
        ValueError: for another padding or order.
    """
    ordered = _Ordered(x, 2, data_format)
    made = depthwise(
        ordered.x,
        depthwise_kernel,
        strides=ordered.everywhere(strides),
        padding=_padding(padding),
        rate=dilation_rate,
        data_format=ordered.format,
    )
    return ordered.back(made)


def pool2d(
    x: TensorLike,
    pool_size: Sequence[int],
    strides: Sequence[int] = (1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The maximum or mean of windows of images.

    Args:
        x: images of four axes.
        pool_size: the sizes of a window.
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        pool_mode: "max" or "avg".

    Raises:
        ValueError: for another padding, order or mode, or other than two sizes or steps.
    """
    format_or_default(data_format)
    _check_pair(pool_size, "pool_size")
    _check_pair(strides, "strides")
    return _pooled(x, 2, pool_size, strides, padding, data_format, pool_mode)


def pool3d(
    x: TensorLike,
    pool_size: Sequence[int],
    strides: Sequence[int] = (1, 1, 1),
    padding: str = "valid",
    data_format: str | None = None,
    pool_mode: str = "max",
) -> Tensor:
    """The maximum or mean of windows of volumes.

    Args:
        x: volumes of five axes.
        pool_size: the sizes of a window.
        strides: the steps.
        padding: "same" or "valid".
        data_format: the order of the axes, `image_data_format()` by default.
        pool_mode: "max" or "avg".

    Raises:
        ValueError: for another padding, order or mode.
    """
    return _pooled(x, 3, pool_size, strides, padding, data_format, pool_mode)


def _pooled(
    x: TensorLike,
    spatial: int,
    pool_size: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str | None,
    pool_mode: str,
) -> Tensor:
    ordered = _Ordered(x, spatial, data_format)
    padding = _padding(padding)
    if pool_mode not in ("max", "avg"):
        raise ValueError(f"Invalid pooling mode: {pool_mode}")
    pool: Any
    if spatial == 2:
        pool = max_pool if pool_mode == "max" else avg_pool
    else:
        pool = max_pool3d if pool_mode == "max" else avg_pool3d
    made = pool(
        ordered.x,
        ordered.everywhere(pool_size),
        ordered.everywhere(strides),
        padding=padding,
        data_format=ordered.format,
    )
    return ordered.back(made)


def bias_add(x: Any, bias: Any, data_format: str | None = None) -> Tensor:
    """A tensor with a bias added to each sample.

    Args:
        x: the tensor.
        bias: a vector with an element a channel, or a tensor in the shape of a sample, channels last.
        data_format: the order of the axes of `x`, `image_data_format()` by default.

    Raises:
        ValueError: if the bias has another number of axes, or the order is unknown.
    """
    first = format_or_default(data_format) == "channels_first"
    sizes = int_shape(bias) or ()
    rank = ndim(x) or 0
    if len(sizes) not in (1, rank - 1):
        raise ValueError(f"Unexpected bias dimensions {len(sizes)}, expect to be 1 or {rank} dimensions")
    if rank not in (3, 4, 5):
        return bias_added(x, bias)
    if len(sizes) == 1:
        if rank == 4 and (not first or has_nchw_support()):
            return bias_added(x, bias, data_format="NCHW" if first else "NHWC")
        ones = (1,) * (rank - 2)
        return x + reshape(bias, (1, *sizes, *ones) if first else (1, *ones, *sizes))
    return x + reshape(bias, (1, sizes[-1], *sizes[:-1]) if first else (1, *sizes))
