"""The layer of separable convolution."""

from __future__ import annotations

from typing import Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers import utils
from headrace.contrib.layers.scoped import (
    NHWC,
    XAVIER,
    ZEROS,
    add_variable_to_collections,
    check_data_format,
    finished,
    layer_scope,
    parameter,
)
from headrace.core.convert import convert_to_tensor
from headrace.layers.classic.convolutional import SeparableConv2D
from headrace.ops.nn.activations import relu
from headrace.ops.nn.bias import bias_add
from headrace.ops.nn.separable_functions import depthwise_conv2d

_NAMES = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = NHWC,
    rate: Any = 1,
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
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
        if num_outputs is not None:
            layer = SeparableConv2D(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=layout,
                dilation_rate=utils.two_element_tuple(rate),
                activation=None,
                depth_multiplier=depth_multiplier,
                use_bias=not normalizer_fn and biases_initializer,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=weights_initializer if pointwise_initializer is None else pointwise_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                activity_regularizer=None,
                trainable=trainable,
                name=opened.name,
                dtype=inputs.dtype.base_dtype,
                _scope=opened,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs)
            add_variable_to_collections(layer.depthwise_kernel, variables_collections, "weights")
            add_variable_to_collections(layer.pointwise_kernel, variables_collections, "weights")
            if layer.bias is not None:
                add_variable_to_collections(layer.bias, variables_collections, "biases")
            if normalizer_fn is not None:
                outputs = normalizer_fn(outputs, **(normalizer_params or {}))
            return finished(outputs, activation_fn, outputs_collections, opened.name)
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
        return finished(outputs, activation_fn, outputs_collections, opened.name)
