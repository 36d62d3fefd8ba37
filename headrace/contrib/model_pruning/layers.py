"""The layers of `tf.contrib.layers` with masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers.scoped import (
    WEIGHTS_AND_BIASES,
    XAVIER,
    ZEROS,
    add_variable_to_collections,
    finished,
    layer_arguments,
    layer_scope,
)
from headrace.contrib.model_pruning.core_layers import MaskedConv2D, MaskedFullyConnected
from headrace.core.convert import convert_to_tensor
from headrace.ops.nn.activations import relu

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Activation, CollectionNames, InitializerLike, Regularizer, TensorLike
    from headrace.state.modes import _ReuseMode


def _applied(
    layer: MaskedConv2D | MaskedFullyConnected,
    inputs: Tensor,
    variables_collections: Sequence[str] | None,
    normalizer_fn: Activation | None,
    normalizer_params: Mapping[str, Any] | None,
    activation_fn: Activation,
    outputs_collections: CollectionNames | None,
    scope_name: str,
) -> Tensor:
    outputs = layer.apply(inputs)
    add_variable_to_collections(layer.kernel, variables_collections, "weights")
    if layer.bias is not None:
        add_variable_to_collections(layer.bias, variables_collections, "biases")
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return finished(outputs, activation_fn, outputs_collections, scope_name)


@add_arg_scope
def masked_convolution(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: int | Sequence[int],
    stride: int = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: int = 1,
    activation_fn: Activation = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: Any = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> Tensor:
    """A convolution whose weights have a mask; arguments and result as in `tf.contrib.layers.conv2d`.

    Args:
        inputs: images, of rank 4.
        num_outputs: the number of channels of the outputs.
        kernel_size: the size of the filters: an int or one for each spatial axis.
        stride: by how much they move, likewise.
        padding: "SAME" or "VALID".
        data_format: "NHWC" or "NCHW".
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

    Raises:
        ValueError: for another layout or rank.

    Example:
        >>> net = tf.contrib.model_pruning.masked_conv2d(images, 64, [3, 3], scope="conv1")
    """
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"):
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with layer_scope(scope, "Conv", inputs, reuse, WEIGHTS_AND_BIASES) as opened:
        inputs = convert_to_tensor(inputs)
        if inputs.shape.ndims != 4:
            raise ValueError("Sparse Convolution not supported for input with rank", inputs.shape.ndims)
        if data_format not in (None, "NHWC", "NCHW"):
            raise ValueError("Unsupported data format", data_format)
        layer = MaskedConv2D(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first" if data_format == "NCHW" else "channels_last",
            dilation_rate=rate,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            **layer_arguments(opened, inputs, trainable, reuse),
        )
        return _applied(
            layer,
            inputs,
            variables_collections,
            normalizer_fn,
            normalizer_params,
            activation_fn,
            outputs_collections,
            opened.name,
        )


masked_conv2d = masked_convolution


@add_arg_scope
def masked_fully_connected(
    inputs: TensorLike,
    num_outputs: int,
    activation_fn: Activation = relu,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, Any] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """A layer of units whose weights have a mask; arguments and result as in `tf.contrib.layers.fully_connected`.

    Args:
        inputs: floats of rank 2 or more, the last size known.
        num_outputs: the size of the last axis of the outputs.
        activation_fn: a function; None changes nothing.
        normalizer_fn: a function such as `batch_norm` to use instead of biases; `normalizer_params`: its arguments.
        weights_initializer, weights_regularizer, biases_initializer, biases_regularizer: as in `tf.get_variable`;
            without an initializer there are no biases.
        reuse: whether to use the variables of `scope` that are there.
        variables_collections: collections for the variables, or a dict with those of each.
        outputs_collections: collections for the outputs.
        trainable: whether optimizers train the variables.
        scope: the name of the variable scope.

    Raises:
        ValueError: if `num_outputs` is no int, or the inputs are of rank below 2 or of an unknown last size.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs should be int or long, got {num_outputs}.")
    with layer_scope(scope, "fully_connected", inputs, reuse, WEIGHTS_AND_BIASES) as opened:
        inputs = convert_to_tensor(inputs)
        layer = MaskedFullyConnected(
            units=num_outputs,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            **layer_arguments(opened, inputs, trainable, reuse),
        )
        return _applied(
            layer,
            inputs,
            variables_collections,
            normalizer_fn,
            normalizer_params,
            activation_fn,
            outputs_collections,
            opened.name,
        )
