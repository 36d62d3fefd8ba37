"""The public functions over the convolution ops."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.graph import name_scope
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.core.shapes import Dims, TensorShape, as_dims, is_fully_defined
from headrace.ops import composing
from headrace.ops.array.join import concat
from headrace.ops.array.shape import expand_dims, squeeze
from headrace.ops.array.space import batch_to_space, space_to_batch
from headrace.ops.composing import first_given
from headrace.ops.nn.dilated import dilate, with_space_to_batch
from headrace.ops.nn.spatial_arguments import (
    channel_axis,
    for_every_axis,
    padding_and_amounts,
    spatial_rank,
    strides_and_rates,
)

# ---- two dimensions ----


def conv2d(
    input: Any,  # noqa: A002 (1.x name)
    filter: Any = None,  # noqa: A002 (1.x name)
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
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
    filter = first_given("filters", filters, "filter", filter)  # noqa: A001
    padding, amounts = padding_and_amounts(padding)
    data_format = "NHWC" if data_format is None else data_format
    channel = channel_axis(data_format, 2)
    return raw.Conv2D(
        input,
        filter,
        strides=for_every_axis(strides, 2, channel, "strides"),
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=amounts,
        data_format=data_format,
        dilations=for_every_axis(dilations, 2, channel, "dilations"),
        name=name,
    )


def conv2d_backprop_filter(
    input: Any,  # noqa: A002 (1.x name)
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
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
    padding, amounts = padding_and_amounts(padding)
    return raw.Conv2DBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=amounts,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,  # noqa: A002 (1.x name)
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
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
    filter = first_given("filters", filters, "filter", filter)  # noqa: A001
    padding, amounts = padding_and_amounts(padding)
    return raw.Conv2DBackpropInput(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=amounts,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,  # noqa: A002 (1.x name)
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,  # noqa: A002 (1.x name)
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of `conv2d`: its gradient with respect to the images, as an operation of its own.

    Args:
        value: of shape [batch, height, width, in_channels], or "NCHW".
        filter: of shape [height, width, out_channels, in_channels].
        output_shape: int32 vector, the shape of the output.
        strides, padding, data_format, dilations: as for the `conv2d` it transposes.
        name: a name for the operation.
        input: another name of `value`.
        filters: another name of `filter`.

    Returns:
        a tensor of shape `output_shape`.
    """
    value = first_given("input", input, "value", value)
    filter = first_given("filters", filters, "filter", filter)  # noqa: A001
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        return _transposed(2, value, filter, output_shape, strides, padding, data_format or "NHWC", dilations, scope)


def _transposed(
    spatial: int,
    value: Any,
    weights: Any,
    output_shape: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    scope: str,
) -> Tensor:
    channel = channel_axis(data_format, spatial)
    apply = raw.Conv2DBackpropInput if spatial == 2 else raw.Conv3DBackpropInputV2
    return apply(
        output_shape,
        weights,
        value,
        strides=for_every_axis(strides, spatial, channel, "strides"),
        padding=padding,
        data_format=data_format,
        dilations=for_every_axis(dilations, spatial, channel, "dilations"),
        name=scope,
    )


# ---- one dimension ----


def _flat_format(data_format: str | None, older: bool) -> tuple[str, int]:
    """The format of the image of height 1 that a sequence becomes, and the axis to add for that."""
    if data_format in (None, "NWC") or (older and data_format == "NHWC"):
        return "NHWC", 1
    if data_format == "NCW" or (older and data_format == "NCHW"):
        return "NCHW", 2
    raise ValueError('data_format must be "NWC" or "NCW".')


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,  # noqa: A002 (1.x name)
    dilations: Any = None,
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
        image_format, axis = _flat_format(data_format, older=True)
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


def conv1d_transpose(
    input: Any,  # noqa: A002 (1.x name)
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`.

    Args:
        input: of shape [batch, width, in_channels], or "NCW".
        filters: of shape [filter_width, out_channels, in_channels].
        output_shape: int32 vector, the shape of the output.
        strides, padding, data_format, dilations: as for the `conv1d` it transposes.
        name: a name for the operation.

    Returns:
        a tensor of shape `output_shape`.
    """
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        image_format, axis = _flat_format(data_format, older=False)
        channel = channel_axis(image_format, 1)
        steps = [1, *for_every_axis(strides, 1, channel, "stride")]
        rates = [1, *for_every_axis(dilations, 1, channel, "dilations")]
        image, image_filters = expand_dims(input, axis), expand_dims(filters, 0)
        sizes = output_shape if isinstance(output_shape, Tensor) else list(output_shape)
        result = raw.Conv2DBackpropInput(
            concat([sizes[:axis], [1], sizes[axis:]], 0),
            image_filters,
            image,
            strides=steps,
            padding=padding,
            data_format=image_format,
            dilations=rates,
            name=scope,
        )
        return squeeze(result, axis)


# ---- three dimensions ----


def conv3d(
    input: Any,  # noqa: A002 (1.x name)
    filter: Any = None,  # noqa: A002 (1.x name)
    strides: Any = None,
    padding: str | None = None,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
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
    input: Any,  # noqa: A002 (1.x name)
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
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


def conv3d_transpose(
    value: Any,
    filter: Any = None,  # noqa: A002 (1.x name)
    output_shape: Any = None,
    strides: Any = None,
    padding: str = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: Any = None,  # noqa: A002 (1.x name)
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of `conv3d`.

    Args:
        value: of shape [batch, depth, height, width, in_channels], or "NCDHW".
        filter: of shape [depth, height, width, out_channels, in_channels].
        output_shape: int32 vector, the shape of the output.
        strides, padding, data_format, dilations: as for the `conv3d` it transposes.
        name: a name for the operation.
        input: another name of `value`.
        filters: another name of `filter`.

    Returns:
        a tensor of shape `output_shape`.
    """
    filter = first_given("filters", filters, "filter", filter)  # noqa: A001
    value = first_given("input", input, "value", value)
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        return _transposed(3, value, filter, output_shape, strides, padding, data_format or "NDHWC", dilations, scope)


# ---- any number of dimensions ----


def conv_transpose(
    input: Any,  # noqa: A002 (1.x name)
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of a convolution over one, two or three dimensions.

    Args:
        input: of rank 3, 4 or 5.
        filters: spatial axes, out_channels, in_channels.
        output_shape: int32 vector, the shape of the output.
        strides, padding, data_format, dilations: as for the convolution it transposes.
        name: a name for the operation.

    Returns:
        a tensor of shape `output_shape`.

    Raises:
        ValueError: if the length of `output_shape` is not 3, 4 or 5.
    """
    with name_scope(name, "conv_transpose", [input, output_shape]) as scope:
        if isinstance(output_shape, Tensor):
            spatial = int(output_shape.shape[0]) - 2
        elif isinstance(output_shape, Sized):
            spatial = len(output_shape) - 2
        else:
            raise ValueError("output_shape must be a tensor or sized collection.")
        if spatial == 1:
            return conv1d_transpose(
                input, filters, output_shape, strides, padding, data_format, dilations, scope
            )
        if spatial not in (2, 3):
            raise ValueError(f"output_shape must be of length 3, 4 or 5 but was {spatial + 2}.")
        plain = "NHWC" if spatial == 2 else "NDHWC"
        return _transposed(
            spatial, input, filters, output_shape, strides, padding, data_format or plain, dilations, scope
        )


def convolution(
    input: Any,  # noqa: A002 (1.x name)
    filter: Any,  # noqa: A002 (1.x name)
    padding: str,
    strides: Any = None,
    dilation_rate: Any = None,
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
    filter = first_given("filters", filters, "filter", filter)  # noqa: A001
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


def _dims_of(value: Any) -> Dims:
    return value.dims if isinstance(value, Tensor) else as_dims(getattr(value, "shape", None))


def _dilated(
    value: Any,
    weights: Any,
    spatial: int,
    channel: int,
    padding: str,
    strides: Any,
    rates: Any,
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
                "number of input channels does not match corresponding dimension of filter, "
                f"{size} != {expected}"
            )
    stride, rate = strides_and_rates(spatial, strides, rates)
    steps = [1, 1, *stride.tolist()] if channel == 1 else [1, *stride.tolist(), 1]

    def convolve(dealt: Any, count: int, inner_padding: str) -> Tensor:
        if spatial == 1:
            width_format = data_format or "NWC"
            return conv1d(dealt, weights, int(stride[0]), inner_padding, data_format=width_format, name=scope)
        apply = raw.Conv2D if spatial == 2 else raw.Conv3D
        return apply(dealt, weights, strides=steps, padding=inner_padding, data_format=data_format, name=scope)

    axes = range(2, spatial + 2) if channel == 1 else range(1, spatial + 1)
    shape: Any = TensorShape(weight_dims) if is_fully_defined(weight_dims) else composing.shape(weights)
    channels = None if weight_dims is None else weight_dims[-1]
    return dilate(value, dims, rate, padding, convolve, shape, list(axes), data_format, channels)


def atrous_conv2d(value: Any, filters: Any, rate: int, padding: str, name: str | None = None) -> Tensor:
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


def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """The transpose of `atrous_conv2d`.

    Args:
        value: [batch, height, width, in_channels].
        filters: [height, width, out_channels, in_channels].
        output_shape: int32 vector of 4.
        rate: the distance between the filter's elements.
        padding: "SAME" or "VALID".
        name: a name for the operation.

    Returns:
        a tensor of shape `output_shape`.

    Raises:
        ValueError: if channels or `output_shape` do not fit, or for a rate below 1 or another padding.
    """
    with name_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]):
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        given, wanted = value.shape[3], filters.shape[3]
        if not given.is_compatible_with(wanted):
            raise ValueError(
                f"value's input channels does not match filters' input channels, {given} != {wanted}"
            )
        if rate < 1:
            raise ValueError(f"rate {rate} cannot be less than one")
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, [1, 1, 1, 1], padding)
        sizes = convert_to_tensor(output_shape, name="output_shape")
        if not sizes.shape.is_compatible_with([4]):
            raise ValueError(f"output_shape must have shape (4,), got {sizes.shape}")
        if not isinstance(output_shape, Tensor):
            output_shape = list(output_shape)
            if not filters.shape[2].is_compatible_with(output_shape[3]):
                raise ValueError(
                    "output_shape does not match filter's output channels, "
                    f"{output_shape[3]} != {filters.shape[2]}"
                )
        top, bottom, left, right = _spread_paddings(filters, rate, padding)
        height = output_shape[1] + top + bottom
        width = output_shape[2] + left + right
        more_height = (rate - height % rate) % rate
        more_width = (rate - width % rate) % rate
        value = space_to_batch(value, [[0, more_height], [0, more_width]], block_size=rate)
        value = raw.Conv2DBackpropInput(
            [
                rate * rate * output_shape[0],
                (height + more_height) // rate,
                (width + more_width) // rate,
                output_shape[3],
            ],
            filters,
            value,
            strides=[1, 1, 1, 1],
            padding="VALID",
            data_format="NHWC",
        )
        return batch_to_space(value, [[top, bottom + more_height], [left, right + more_width]], block_size=rate)


def _spread_paddings(filters: Tensor, rate: int, padding: str) -> tuple[Any, Any, Any, Any]:
    if padding == "VALID":
        return 0, 0, 0, 0
    if padding != "SAME":
        raise ValueError(f"padding must be either VALID or SAME: {padding}")
    shape: Any = filters.dims if filters.dims is not None and None not in filters.dims else composing.shape(filters)
    height, width = shape[0], shape[1]
    high = height + (height - 1) * (rate - 1)
    wide = width + (width - 1) * (rate - 1)
    more_height, more_width = high - 1, wide - 1
    top = more_height // 2
    bottom = more_height - top
    left = more_width // 2
    return top, bottom, left, more_width - left


# ---- channels by themselves ----


def depthwise_conv2d_native(
    input: Any,  # noqa: A002 (1.x name)
    filter: Any,  # noqa: A002 (1.x name)
    strides: Any,
    padding: str,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """Slides filters over each channel by itself.

    Args:
        input: [batch, height, width, in_channels], or "NCHW".
        filter: [height, width, in_channels, multiplier]: so many filters for each channel.
        strides: a list of 4.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
        dilations: a list of 4.
        name: a name for the operation.

    Returns:
        a tensor with in_channels * multiplier channels.
    """
    return raw.DepthwiseConv2dNative(
        input,
        filter,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def depthwise_conv2d_native_backprop_filter(
    input: Any,  # noqa: A002 (1.x name)
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to the filter, of shape `filter_sizes`."""
    return raw.DepthwiseConv2dNativeBackpropFilter(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def depthwise_conv2d_native_backprop_input(
    input_sizes: Any,
    filter: Any,  # noqa: A002 (1.x name)
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to the images, of shape `input_sizes`."""
    return raw.DepthwiseConv2dNativeBackpropInput(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def depthwise_conv2d(
    input: Any,  # noqa: A002 (1.x name)
    filter: Any,  # noqa: A002 (1.x name)
    strides: Any,
    padding: str,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Slides filters, which may be dilated, over each channel by itself.

    Args:
        input: [batch, height, width, in_channels], or "NCHW".
        filter: [height, width, in_channels, multiplier].
        strides: a list of 4.
        padding: "SAME" or "VALID".
        rate: how far apart the filter's elements are, two ints; not together with strides.
        name: a name for the operation.
        data_format: "NHWC", the default, or "NCHW".
        dilations: another name of `rate`.

    Returns:
        a tensor with in_channels * multiplier channels.
    """
    rate = first_given("dilations", dilations, "rate", rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")  # noqa: A001
        filter = convert_to_tensor(filter, name="filter_in")  # noqa: A001
        return _each_channel(input, filter, strides, padding, rate, data_format, scope)


def _each_channel(
    image: Tensor, weights: Tensor, strides: Any, padding: str, rate: Any, data_format: str | None, name: str
) -> Tensor:
    def convolve(dealt: Any, count: int, inner_padding: str) -> Tensor:
        return depthwise_conv2d_native(dealt, weights, strides, inner_padding, data_format, name=name)

    return with_space_to_batch(
        image,
        filter_shape=composing.shape(weights),
        dilation_rate=[1, 1] if rate is None else rate,
        padding=padding,
        data_format=data_format,
        op=convolve,
    )


def separable_conv2d(
    input: Any,  # noqa: A002 (1.x name)
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: str,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution of each channel by itself, and then one that mixes the channels at each place.

    Args:
        input: [batch, height, width, in_channels], or "NCHW".
        depthwise_filter: [height, width, in_channels, multiplier].
        pointwise_filter: [1, 1, in_channels * multiplier, out_channels].
        strides: a list of 4, for the first.
        padding: "SAME" or "VALID".
        rate: two ints, how far apart the elements of `depthwise_filter` are.
        name: a name for the operation.
        data_format: "NHWC", the default, or "NCHW".
        dilations: another name of `rate`.

    Returns:
        a tensor with out_channels channels.
    """
    rate = first_given("dilations", dilations, "rate", rate)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")  # noqa: A001
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        shape = pointwise_filter.shape.with_rank(4)
        for axis in (0, 1):
            shape[axis].assert_is_compatible_with(1)
        middle = _each_channel(input, depthwise_filter, strides, padding, rate, data_format, "depthwise")
        return conv2d(middle, pointwise_filter, [1, 1, 1, 1], "VALID", data_format=data_format, name=scope)
