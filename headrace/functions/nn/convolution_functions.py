"""The public functions over the convolution ops; transposes and separable filters have modules of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.defaults import name_scope
from headrace.core.dims import Dims, is_fully_defined
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape, as_dims
from headrace.core.tensor import Tensor
from headrace.functions.nn.dilated import dilate
from headrace.functions.nn.spatial_arguments import (
    channel_axis,
    flat_format,
    for_every_axis,
    padding_and_explicit_paddings,
    spatial_rank,
    strides_and_rates,
)
from headrace.kernels import composing
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import IntLike, TensorLike, VariableLike


# ---- two dimensions ----


def conv2d(
    input: TensorLike,
    filter: TensorLike | VariableLike | np.ndarray | None = None,
    strides: int | Sequence[int] | None = None,
    padding: str | Sequence[Sequence[int]] | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str | None = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """Slides a filter over images and sums up the products at each place.

    Args:
        input: float16, bfloat16, float32 or float64, of shape [batch, height, width, in_channels] ("NHWC") or [batch,
            in_channels, height, width] ("NCHW").
        filter: of shape [filter_height, filter_width, in_channels, out_channels] and the same type.
        strides: by how much the filter moves: an int, or a list of 1, 2 or 4.
        padding: "SAME" (zeros around, so that the output is as large as the input divided by the strides), "VALID" (none),
            or a list of four pairs (before, after) in the order of the axes of `input`.
        use_cudnn_on_gpu: kept in the graph; has no effect.
        data_format: "NHWC" or "NCHW".
        dilations: how far apart the filter's elements are, like `strides`.
        name: a name for the operation.
        filters: another name of `filter`.

    Returns:
        a tensor of shape [batch, out_height, out_width, out_channels] or [batch, out_channels, out_height, out_width].

    Raises:
        ValueError: if the shapes do not fit, or the filter is larger than the padded images.

    Example:
        >>> tf.nn.conv2d(tf.ones([1, 28, 28, 1]), tf.ones([5, 5, 1, 32]), [1, 1, 1, 1], "SAME").shape
        TensorShape([Dimension(1), Dimension(28), Dimension(28), Dimension(32)])
    """
    filter = first_given("filters", filters, "filter", filter)
    padding, explicit_paddings = padding_and_explicit_paddings(padding)
    data_format = "NHWC" if data_format is None else data_format
    channel = channel_axis(data_format, 2)
    return raw.Conv2D(
        input,
        filter,
        strides=for_every_axis(strides, 2, channel, "strides"),
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=for_every_axis(dilations, 2, channel, "dilations"),
        name=name,
    )


def conv2d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to the filter.

    Args:
        input: the images that were convolved.
        filter_sizes: int32 vector, the shape of the filter.
        out_backprop: the gradient with respect to the output.
        strides, padding, use_cudnn_on_gpu, data_format, dilations: as for `conv2d`, lists of 4.
        name: a name for the operation.

    Returns:
        a tensor of shape `filter_sizes`.
    """
    padding, explicit_paddings = padding_and_explicit_paddings(padding)
    return raw.Conv2DBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def conv2d_backprop_input(
    input_sizes: TensorLike,
    filter: TensorLike | None = None,
    out_backprop: TensorLike | None = None,
    strides: Sequence[int] | None = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to the images.

    Args:
        input_sizes: int32 vector, the shape of the images.
        filter: the filter they were convolved with.
        out_backprop: the gradient with respect to the output.
        strides, padding, use_cudnn_on_gpu, data_format, dilations: as for `conv2d`, lists of 4.
        name: a name for the operation.
        filters: another name of `filter`.

    Returns:
        a tensor of shape `input_sizes`.
    """
    filter = first_given("filters", filters, "filter", filter)
    padding, explicit_paddings = padding_and_explicit_paddings(padding)
    return raw.Conv2DBackpropInput(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


# ---- one dimension ----


def conv1d(
    value: TensorLike | None = None,
    filters: Any = None,
    stride: int | Sequence[int] | None = None,
    padding: str | None = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: TensorLike | None = None,
    dilations: int | Sequence[int] | None = None,
) -> Tensor:
    """Slides a filter over sequences; made of `conv2d` over images of height 1.

    Args:
        value: of shape [batch, width, in_channels] ("NWC") or [batch, in_channels, width] ("NCW").
        filters: of shape [filter_width, in_channels, out_channels].
        stride: by how much the filter moves.
        padding: "SAME" or "VALID".
        use_cudnn_on_gpu: kept in the graph; has no effect.
        data_format: "NWC", the default, or "NCW".
        name: a name for the operation.
        input: another name of `value`.
        dilations: how far apart the filter's elements are.

    Returns:
        a tensor of shape [batch, out_width, out_channels] or [batch, out_channels, out_width].

    Raises:
        ValueError: for another `data_format`.
    """
    value = first_given("input", input, "value", value)
    with name_scope(name, "conv1d", [value, filters]) as scope:
        image_format, axis = flat_format(data_format, older=True)
        channel = channel_axis(image_format, 1)
        strides = [1, *for_every_axis(stride, 1, channel, "stride")]
        rates = [1, *for_every_axis(dilations, 1, channel, "dilations")]
        result = raw.Conv2D(
            expand_dims(value, axis),
            expand_dims(filters, 0),
            strides=strides,
            padding=padding,
            use_cudnn_on_gpu=use_cudnn_on_gpu,
            data_format=image_format,
            dilations=rates,
            name=scope,
        )
        return squeeze(result, [axis])


# ---- three dimensions ----


def conv3d(
    input: TensorLike,
    filter: TensorLike | None = None,
    strides: Sequence[int] | None = None,
    padding: str | None = None,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike | None = None,
) -> Tensor:
    """Slides a filter over volumes.

    Args:
        input: of shape [batch, depth, height, width, in_channels] ("NDHWC") or "NCDHW".
        filter: of shape [depth, height, width, in_channels, out_channels].
        strides: a list of 5.
        padding: "SAME" or "VALID".
        data_format: "NDHWC" or "NCDHW".
        dilations: a list of 5.
        name: a name for the operation.
        filters: another name of `filter`.

    Returns:
        a tensor of rank 5, laid out as `input`.
    """
    return raw.Conv3D(
        input,
        first_given("filters", filters, "filter", filter),
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def conv3d_backprop_filter(
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to the filter.

    Args:
        input: the volumes that were convolved.
        filter_sizes: int32 vector, the shape of the filter.
        out_backprop: the gradient with respect to the output.
        strides, padding, data_format, dilations: as for `conv3d`.
        name: a name for the operation.

    Returns:
        a tensor of shape `filter_sizes`.
    """
    return raw.Conv3DBackpropFilterV2(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


# ---- any number of dimensions ----


def convolution(
    input: TensorLike,
    filter: Tensor | np.ndarray,
    padding: str,
    strides: int | Sequence[int] | None = None,
    dilation_rate: TensorLike | None = None,
    name: str | None = None,
    data_format: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Slides a filter over sequences, images or volumes.

    Args:
        input: of shape [batch] + spatial axes + [in_channels], or with the channels second.
        filter: of shape window + [in_channels, out_channels].
        padding: "SAME" or "VALID".
        strides: an int or one for each spatial axis.
        dilation_rate: how far apart the filter's elements are, like `strides`; not together with strides.
        name: a name for the operation.
        data_format: "NWC", "NHWC", "NDHWC" or the same with "NC" first.
        filters: another name of `filter`.
        dilations: another name of `dilation_rate`.

    Returns:
        a tensor laid out as `input`.

    Raises:
        ValueError: if shapes or arguments do not fit.
    """
    filter = first_given("filters", filters, "filter", filter)
    rates = first_given("dilations", dilations, "dilation_rate", dilation_rate)
    spatial = spatial_rank([_dims_of(input), _dims_of(filter)])
    channel = channel_axis(data_format, spatial)
    strides = for_every_axis(strides, spatial, channel, "strides")
    rates = for_every_axis(rates, spatial, channel, "dilations")
    with name_scope(name, "convolution", [input, filter]) as scope:
        if all(rate == 1 for rate in rates):
            if spatial == 1:
                return conv1d(input, filter, strides, padding, data_format=data_format, name=scope, dilations=rates)
            apply = raw.Conv2D if spatial == 2 else raw.Conv3D
            return apply(
                input,
                filter,
                strides=strides,
                padding=padding,
                data_format=data_format,
                dilations=rates,
                name=scope,
            )
        inner = slice(2, None) if channel == 1 else slice(1, -1)
        return _dilated(input, filter, spatial, channel, padding, strides[inner], rates[inner], data_format, scope)


def _dims_of(value: TensorLike) -> Dims:
    return value.dims if isinstance(value, Tensor) else as_dims(getattr(value, "shape", None))


def _dilated(
    value: TensorLike,
    weights: Tensor | np.ndarray,
    spatial: int,
    channel: int,
    padding: str,
    strides: Sequence[int],
    rates: Sequence[IntLike],
    data_format: str | None,
    scope: str,
) -> Tensor:
    dims, weight_dims = _dims_of(value), _dims_of(weights)
    for what, known in (("input", dims), ("filter", weight_dims)):
        if known is not None and len(known) != spatial + 2:
            raise ValueError(f"{what} tensor must have rank {spatial + 2}")
    if dims is not None and weight_dims is not None:
        size, expected = dims[channel], weight_dims[spatial]
        if size is not None and expected is not None and size != expected:
            raise ValueError(
                f"number of input channels does not match corresponding dimension of filter, {size} != {expected}"
            )
    stride, rate = strides_and_rates(spatial, strides, rates)
    steps = [1, 1, *stride.tolist()] if channel == 1 else [1, *stride.tolist(), 1]

    def convolve(blocks: Tensor, count: int, inner_padding: str) -> Tensor:
        if spatial == 1:
            width_format = data_format or "NWC"
            return conv1d(blocks, weights, int(stride[0]), inner_padding, data_format=width_format, name=scope)
        apply = raw.Conv2D if spatial == 2 else raw.Conv3D
        return apply(blocks, weights, strides=steps, padding=inner_padding, data_format=data_format, name=scope)

    axes = range(2, spatial + 2) if channel == 1 else range(1, spatial + 1)
    shape: Any = TensorShape(weight_dims) if is_fully_defined(weight_dims) else composing.shape(weights)
    channels = None if weight_dims is None else weight_dims[-1]
    return dilate(value, dims, rate, padding, convolve, shape, list(axes), data_format, channels)


def atrous_conv2d(
    value: TensorLike, filters: Tensor | np.ndarray, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """`conv2d` with a filter whose elements are `rate` apart.

    Args:
        value: images, [batch, height, width, in_channels].
        filters: [height, width, in_channels, out_channels].
        rate: the distance between elements; 1 for a plain convolution.
        padding: "SAME" or "VALID".
        name: a name for the operation.

    Returns:
        images, [batch, out_height, out_width, out_channels].
    """
    return convolution(value, filters, padding, dilation_rate=np.broadcast_to(rate, (2,)), name=name)
