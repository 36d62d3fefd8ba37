"""The layer that adds biases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers.scoped import NCHW, NHWC, ZEROS, check_data_format, finished, parameter
from headrace.core.convert import convert_to_tensor
from headrace.ops.nn import bias
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Activation, CollectionNames, InitializerLike, Regularizer, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.modes import _ReuseMode


@add_arg_scope
def bias_add(
    inputs: TensorLike,
    activation_fn: Activation | None = None,
    initializer: InitializerLike = ZEROS,
    regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | Mapping[str, Any] | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    data_format: str = NHWC,
    scope: str | VariableScope | None = None,
) -> Tensor:
    """activation(inputs + biases), one for each channel.

    Args:
        inputs: a tensor of a known number of channels.
        activation_fn: a function; None changes nothing.
        initializer, regularizer: as in `tf.get_variable`.
        reuse: whether to use the variables of `scope` that are there.
        variables_collections, outputs_collections: collections for the biases, the outputs.
        trainable: whether optimizers train the biases.
        data_format: "NHWC" or "NCHW", the latter for images only.
        scope: the name of the variable scope.

    Raises:
        ValueError: for another layout, or if the rank or the number of channels is not known.
    """
    check_data_format(data_format)
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as opened:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if rank != 4 and data_format == NCHW:
            raise ValueError("Data format NCHW only supports 4D Tensor")
        channels = inputs.shape[1 if data_format == NCHW else -1].value
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = parameter(
            "biases", [channels], inputs.dtype.base_dtype, initializer, variables_collections, trainable, regularizer
        )
        outputs = bias.bias_add(inputs, biases, data_format=data_format)
        return finished(outputs, activation_fn, outputs_collections, opened.name)
