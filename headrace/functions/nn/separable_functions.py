"""The public functions over convolutions of each channel by itself, and of those followed by one that mixes channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.nn.convolution_functions import conv2d
from headrace.functions.nn.dilated import with_space_to_batch
from headrace.kernels import composing
from headrace.kernels.renamed_arguments import first_given

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def depthwise_conv2d_native(
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str | None = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
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
    input: TensorLike,
    filter_sizes: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
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
    input_sizes: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
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
    input: TensorLike,
    filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Sequence[int] | None = None,
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
        input = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(filter, name="filter_in")
        return _each_channel(input, filter, strides, padding, rate, data_format, scope)


def _each_channel(
    image: Tensor,
    weights: Tensor,
    strides: Sequence[int],
    padding: str,
    rate: Sequence[int] | None,
    data_format: str | None,
    name: str,
) -> Tensor:
    def convolve(blocks: Tensor, count: int, inner_padding: str) -> Tensor:
        return depthwise_conv2d_native(blocks, weights, strides, inner_padding, data_format, name=name)

    return with_space_to_batch(
        image,
        filter_shape=composing.shape(weights),
        dilation_rate=[1, 1] if rate is None else rate,
        padding=padding,
        data_format=data_format,
        op=convolve,
    )


def separable_conv2d(
    input: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Sequence[int],
    padding: str,
    rate: Sequence[int] | None = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution of each channel by itself, and then one that mixes the channels at each place (arXiv:1610.02357).

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
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        shape = pointwise_filter.shape.with_rank(4)
        for axis in (0, 1):
            shape[axis].assert_is_compatible_with(1)
        middle = _each_channel(input, depthwise_filter, strides, padding, rate, data_format, "depthwise")
        return conv2d(middle, pointwise_filter, [1, 1, 1, 1], "VALID", data_format=data_format, name=scope)
