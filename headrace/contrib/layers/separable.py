"""The layer of separable convolution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers import utils
from headrace.contrib.layers.scoped import (
    NHWC,
    XAVIER,
    ZEROS,
    add_variable_to_collections,
    check_data_format,
    finished,
    layer_arguments,
    layer_scope,
    parameter,
)
from headrace.core.convert import convert_to_tensor
from headrace.functions.nn.separable_functions import depthwise_conv2d
from headrace.layers.classic.convolutional import SeparableConv2D
from headrace.ops.nn.activations import relu
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Activation, CollectionNames, InitializerLike, Regularizer, TensorLike
    from headrace.state.modes import _ReuseMode


_NAMES = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}


@add_arg_scope
def separable_convolution2d(
    inputs: TensorLike,
    num_outputs: int | None,
    kernel_size: int | Sequence[int],
    depth_multiplier: int = 1,
    stride: int = 1,
    padding: str = "SAME",
    data_format: str = NHWC,
    rate: int = 1,
    activation_fn: Activation | None = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, bool | float] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    pointwise_initializer: InitializerLike | None = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: Any = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> Tensor:
    """activation(convolution of each channel by itself, then of the channels at each place, plus biases).

    Args:
        inputs: images.
        num_outputs: the number of channels of the outputs; None leaves the second step out.
        kernel_size: the size of the filters: an int or two.
        depth_multiplier: how many channels the first step makes of each.
        stride: by how much the filters move, an int or two.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
        rate: how far apart the elements of filters are, an int or two.
        pointwise_initializer: for the second step; that of the first by default.
        others: as in `convolution`.

    Returns:
        images.

    Example:
        >>> net = tf.contrib.layers.separable_conv2d(images, 64, [3, 3], depth_multiplier=1)
    """
    layout = check_data_format(data_format)
    with layer_scope(scope, "SeparableConv2d", inputs, reuse, _NAMES) as opened:
        inputs = convert_to_tensor(inputs)
        if num_outputs is None:
            outputs = _of_each_channel(
                *(inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate),
                *(normalizer_fn, normalizer_params, weights_initializer, weights_regularizer),
                *(biases_initializer, biases_regularizer, variables_collections, trainable),
            )
            return finished(outputs, activation_fn, outputs_collections, opened.name)
        layer = SeparableConv2D(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=layout,
            dilation_rate=utils.two_element_tuple(rate),
            depth_multiplier=depth_multiplier,
            use_bias=not normalizer_fn and biases_initializer,
            depthwise_initializer=weights_initializer,
            pointwise_initializer=weights_initializer if pointwise_initializer is None else pointwise_initializer,
            bias_initializer=biases_initializer,
            depthwise_regularizer=weights_regularizer,
            pointwise_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            **layer_arguments(opened, inputs, trainable, reuse),
        )
        outputs = _applied(layer, inputs, variables_collections, normalizer_fn, normalizer_params)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


def _applied(
    layer: Any,
    inputs: TensorLike,
    variables_collections: Any,
    normalizer_fn: Callable[..., Any] | None,
    normalizer_params: Mapping[str, Any] | None,
) -> Any:
    """What the layer and the normalizer make of the inputs; the variables join their collections."""
    outputs = layer.apply(inputs)
    add_variable_to_collections(layer.depthwise_kernel, variables_collections, "weights")
    add_variable_to_collections(layer.pointwise_kernel, variables_collections, "weights")
    if layer.bias is not None:
        add_variable_to_collections(layer.bias, variables_collections, "biases")
    return outputs if normalizer_fn is None else normalizer_fn(outputs, **(normalizer_params or {}))


def _of_each_channel(
    inputs: Tensor,
    kernel_size: Any,
    depth_multiplier: int,
    stride: int,
    padding: str,
    data_format: str,
    rate: int,
    normalizer_fn: Callable[..., Any] | None,
    normalizer_params: Mapping[str, Any] | None,
    weights_initializer: InitializerLike,
    weights_regularizer: Regularizer,
    biases_initializer: InitializerLike,
    biases_regularizer: Regularizer,
    variables_collections: Any,
    trainable: bool,
) -> Any:
    """The first step alone: the convolution of each channel by itself."""
    layout = check_data_format(data_format)
    dtype = inputs.dtype.base_dtype
    height, width = utils.two_element_tuple(kernel_size)
    stride_h, stride_w = utils.two_element_tuple(stride)
    channels = utils.channel_dimension(inputs.shape, layout, min_rank=4)
    weights = parameter(
        "depthwise_weights",
        [height, width, channels, depth_multiplier],
        dtype,
        weights_initializer,
        utils.get_variable_collections(variables_collections, "weights"),
        trainable,
        weights_regularizer,
    )
    strides = [1, 1, stride_h, stride_w] if layout == "channels_first" else [1, stride_h, stride_w, 1]
    outputs = depthwise_conv2d(
        inputs, weights, strides, padding, rate=utils.two_element_tuple(rate), data_format=data_format
    )
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    elif biases_initializer is not None:
        biases = parameter(
            "biases",
            [depth_multiplier * channels],
            dtype,
            biases_initializer,
            variables_collections,
            trainable,
            biases_regularizer,
        )
        outputs = bias_add(outputs, biases, data_format=data_format)
    return outputs
