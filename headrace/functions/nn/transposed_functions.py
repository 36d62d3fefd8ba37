"""The public functions over transposed convolutions, which go from what a convolution gives to what it takes."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.nn.spatial_arguments import channel_axis, flat_format, for_every_axis
from headrace.kernels import composing
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.kernels.renamed_arguments import first_given
from headrace.ops.array.space import batch_to_space, space_to_batch

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def conv1d_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Sequence[int],
    strides: int,
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
        image_format, axis = flat_format(data_format, older=False)
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


def conv2d_transpose(
    value: TensorLike | None = None,
    filter: TensorLike | None = None,
    output_shape: Any = None,
    strides: int | Sequence[int] | None = None,
    padding: str = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: TensorLike | None = None,
    filters: TensorLike | None = None,
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
    filter = first_given("filters", filters, "filter", filter)
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        return _transposed(2, value, filter, output_shape, strides, padding, data_format or "NHWC", dilations, scope)


def _transposed(
    spatial: int,
    value: TensorLike,
    weights: TensorLike,
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


def conv3d_transpose(
    value: TensorLike,
    filter: TensorLike | None = None,
    output_shape: TensorLike | Sequence[int] | None = None,
    strides: int | Sequence[int] | None = None,
    padding: str = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: Any = None,
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
    filter = first_given("filters", filters, "filter", filter)
    value = first_given("input", input, "value", value)
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        return _transposed(3, value, filter, output_shape, strides, padding, data_format or "NDHWC", dilations, scope)


def conv_transpose(
    input: TensorLike,
    filters: TensorLike,
    output_shape: Sequence[int],
    strides: int,
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
            return conv1d_transpose(input, filters, output_shape, strides, padding, data_format, dilations, scope)
        if spatial not in (2, 3):
            raise ValueError(f"output_shape must be of length 3, 4 or 5 but was {spatial + 2}.")
        plain = "NHWC" if spatial == 2 else "NDHWC"
        return _transposed(
            spatial, input, filters, output_shape, strides, padding, data_format or plain, dilations, scope
        )


def atrous_conv2d_transpose(
    value: TensorLike, filters: TensorLike, output_shape: Any, rate: int, padding: str, name: str | None = None
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
        in_channels, expected = value.shape[3], filters.shape[3]
        if not in_channels.is_compatible_with(expected):
            raise ValueError(
                f"value's input channels does not match filters' input channels, {in_channels} != {expected}"
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
                    f"output_shape does not match filter's output channels, {output_shape[3]} != {filters.shape[2]}"
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
