"""Layers of convolution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers import utils
from headrace.contrib.layers.scoped import (
    NCDHW,
    NCHW,
    NDHWC,
    NHWC,
    WEIGHTS_AND_BIASES,
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
from headrace.layers.classic.convolutional import Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
from headrace.ops.array.tile import tile
from headrace.ops.nn.activations import relu
from headrace.ops.nn.bias import bias_add
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Activation, CollectionNames, InitializerLike, Regularizer, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.modes import _ReuseMode


_OF_RANK = {3: Conv1D, 4: Conv2D, 5: Conv3D}


@add_arg_scope
def convolution(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: Any,
    stride: int = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: int = 1,
    activation_fn: Activation | None = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, bool | float | None] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | None = None,
    conv_dims: int | None = None,
) -> Tensor:
    """activation(convolution of the inputs by weights, plus biases).

    Args:
        inputs: sequences, images or volumes.
        num_outputs: the number of channels of the outputs.
        kernel_size: the size of the filters: an int or one for each spatial axis.
        stride: by how much they move, likewise.
        padding: "SAME" or "VALID".
        data_format: "NWC", "NHWC", "NDHWC", or the same with "NC" first.
        rate: how far apart the elements of filters are; not together with strides.
        activation_fn: a function; None changes nothing.
        normalizer_fn: a function such as `batch_norm` to use instead of biases; `normalizer_params`: its arguments.
        weights_initializer, weights_regularizer, biases_initializer, biases_regularizer: as in `tf.get_variable`;
            without an initializer there are no biases.
        reuse: whether to use the variables of `scope` that are there.
        variables_collections: collections for the variables, or a dict with those of each.
        outputs_collections: collections for the outputs.
        trainable: whether optimizers train the variables.
        scope: the name of the variable scope.
        conv_dims: the number of spatial axes that the inputs must have.

    Returns:
        the outputs, laid out as the inputs.

    Raises:
        ValueError: for another layout or rank, or if the number of channels is not known.

    Example:
        >>> net = tf.contrib.layers.conv2d(images, 64, [3, 3], scope="conv1")
    """
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"):
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with layer_scope(scope, "Conv", inputs, reuse, WEIGHTS_AND_BIASES) as opened:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if conv_dims is not None and rank is None:
            raise TypeError(f"Convolution expects input with rank {conv_dims + 2}, got one of unknown rank: {inputs}")
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank not in _OF_RANK:
            raise ValueError("Convolution not supported for input with rank", rank)
        layer = _OF_RANK[rank](
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if data_format and data_format.startswith("NC") else "channels_last",
            dilation_rate=rate,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            **layer_arguments(opened, inputs, trainable, reuse),
        )
        outputs = _applied(layer, inputs, variables_collections, normalizer_fn, normalizer_params)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


def _applied(
    layer: Any,
    inputs: Tensor,
    variables_collections: Any,
    normalizer_fn: Activation | None,
    normalizer_params: Mapping[str, bool | float | None] | None,
) -> Tensor:
    """What the layer and the normalizer make of the inputs; the variables join their collections."""
    outputs = layer.apply(inputs)
    add_variable_to_collections(layer.kernel, variables_collections, "weights")
    if layer.bias is not None:
        add_variable_to_collections(layer.bias, variables_collections, "biases")
    return outputs if normalizer_fn is None else normalizer_fn(outputs, **(normalizer_params or {}))


@add_arg_scope
def convolution1d(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int,
    stride: int = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: int = 1,
    activation_fn: Activation | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: InitializerLike = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | VariableScope | None = None,
) -> Tensor:
    """`convolution` of sequences, [batch, width, channels]; arguments as there."""
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
        conv_dims=1,
    )


@add_arg_scope
def convolution2d(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int | Sequence[int],
    stride: int = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: int = 1,
    activation_fn: Activation | None = relu,
    normalizer_fn: Activation | None = None,
    normalizer_params: Mapping[str, bool | float | None] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: InitializerLike | None = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> Tensor:
    """`convolution` of images, [batch, height, width, channels]; arguments as there."""
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
        conv_dims=2,
    )


@add_arg_scope
def convolution3d(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int,
    stride: int = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: int = 1,
    activation_fn: Activation = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: InitializerLike = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | VariableScope | None = None,
) -> Tensor:
    """`convolution` of volumes, [batch, depth, height, width, channels]; arguments as there."""
    return convolution(
        inputs,
        num_outputs,
        kernel_size,
        stride,
        padding,
        data_format,
        rate,
        activation_fn,
        normalizer_fn,
        normalizer_params,
        weights_initializer,
        weights_regularizer,
        biases_initializer,
        biases_regularizer,
        reuse,
        variables_collections,
        outputs_collections,
        trainable,
        scope,
        conv_dims=3,
    )


@add_arg_scope
def convolution2d_in_plane(
    inputs: Tensor,
    kernel_size: int | Sequence[int],
    stride: int = 1,
    padding: str = "SAME",
    activation_fn: Activation | None = relu,
    normalizer_fn: Callable[..., Any] | None = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: InitializerLike = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | VariableScope | None = None,
) -> Tensor:
    """activation(convolution of every channel by the same filter, plus biases).

    Args:
        inputs: images, [batch, height, width, channels].
        kernel_size: the size of the filter: an int or two.
        stride: by how much it moves, likewise.
        padding: "SAME" or "VALID".
        others: as in `convolution`.

    Returns:
        images with as many channels.

    Example:
        >>> edges = tf.contrib.layers.conv2d_in_plane(images, [1, 2], weights_initializer=tf.constant_initializer([-1.0, 1.0]))
    """
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as opened:
        dtype = inputs.dtype.base_dtype
        height, width = utils.two_element_tuple(kernel_size)
        stride_h, stride_w = utils.two_element_tuple(stride)
        channels = utils.last_dimension(inputs.shape, min_rank=4)
        weights = parameter(
            "weights",
            [height, width, 1, 1],
            dtype,
            weights_initializer,
            variables_collections,
            trainable,
            weights_regularizer,
        )
        depthwise = tile(weights, [1, 1, channels, 1])
        outputs = depthwise_conv2d(inputs, depthwise, [1, stride_h, stride_w, 1], padding)
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        elif biases_initializer is not None:
            biases = parameter(
                "biases",
                [channels],
                dtype,
                biases_initializer,
                variables_collections,
                trainable,
                biases_regularizer,
            )
            outputs = bias_add(outputs, biases)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def convolution2d_transpose(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int,
    stride: int = 1,
    padding: str = "SAME",
    data_format: str = NHWC,
    activation_fn: Activation = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """activation(transposed convolution of images, plus biases); arguments as in `convolution`."""
    with layer_scope(scope, "Conv2d_transpose", inputs, reuse, WEIGHTS_AND_BIASES) as opened:
        layout = check_data_format(data_format, (NCHW, NHWC))
        inputs = convert_to_tensor(inputs)
        layer = Conv2DTranspose(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=layout,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            **layer_arguments(opened, inputs, trainable, reuse),
        )
        outputs = _applied(layer, inputs, variables_collections, normalizer_fn, normalizer_params)
        return finished(outputs, activation_fn, outputs_collections, opened.name)


@add_arg_scope
def convolution3d_transpose(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int,
    stride: int = 1,
    padding: str = "SAME",
    data_format: str = NDHWC,
    activation_fn: Activation = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """activation(transposed convolution of volumes, plus biases); arguments as in `convolution`."""
    with layer_scope(scope, "Conv3d_transpose", inputs, reuse, WEIGHTS_AND_BIASES) as opened:
        layout = check_data_format(data_format, (NCDHW, NDHWC))
        inputs = convert_to_tensor(inputs)
        layer = Conv3DTranspose(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=layout,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            **layer_arguments(opened, inputs, trainable, reuse),
        )
        outputs = _applied(layer, inputs, variables_collections, normalizer_fn, normalizer_params)
        return finished(outputs, activation_fn, outputs_collections, opened.name)
