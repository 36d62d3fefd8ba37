"""Layers of units: `fully_connected`, its shorthands, and that of 0.x."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
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
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.shapes import shape
from headrace.layers.classic.core import Dense
from headrace.ops.array.join import unstack
from headrace.ops.array.shape import reshape
from headrace.ops.nn.activations import elu as elu_function
from headrace.ops.nn.activations import relu as relu_function
from headrace.ops.nn.activations import relu6 as relu6_function
from headrace.ops.nn.bias import bias_add
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import Activation, CollectionNames, InitializerLike, Regularizer, TensorLike
    from headrace.state.initializers import Constant, Zeros
    from headrace.state.modes import _ReuseMode


@add_arg_scope
def fully_connected(
    inputs: TensorLike,
    num_outputs: int,
    activation_fn: Activation | None = relu_function,
    normalizer_fn: Any = None,
    normalizer_params: Mapping[str, bool | float] | None = None,
    weights_initializer: InitializerLike = XAVIER,
    weights_regularizer: Regularizer | None = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Regularizer | None = None,
    reuse: bool | _ReuseMode | None = None,
    variables_collections: CollectionNames | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: str | None = None,
) -> Tensor:
    """activation(inputs @ weights + biases), over the last axis of the inputs.

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

    Returns:
        a tensor shaped as the inputs, but for the last axis.

    Raises:
        ValueError: if `num_outputs` is no int, or the inputs are of rank below 2 or of an unknown last size.

    Example:
        >>> hidden = tf.contrib.layers.fully_connected(images, 128, scope="hidden")
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of [<class 'int'>], got {type(num_outputs)}.")
    with layer_scope(scope, "fully_connected", inputs, reuse, WEIGHTS_AND_BIASES) as opened:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            units=num_outputs,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            **layer_arguments(opened, inputs, trainable, reuse),
        )
        outputs = layer.apply(inputs)
        add_variable_to_collections(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            add_variable_to_collections(layer.bias, variables_collections, "biases")
        if normalizer_fn is not None:
            outputs = normalizer_fn(outputs, **(normalizer_params or {}))
        return finished(outputs, activation_fn, outputs_collections, opened.name)


def legacy_fully_connected(
    x: TensorLike,
    num_output_units: int,
    activation_fn: Activation | None = None,
    weight_init: Callable[..., Any] | Constant = XAVIER,
    bias_init: Zeros | None = ZEROS,
    name: str | None = None,
    weight_collections: CollectionNames = (GraphKeys.WEIGHTS,),
    bias_collections: CollectionNames = (GraphKeys.BIASES,),
    output_collections: CollectionNames = (GraphKeys.ACTIVATIONS,),
    trainable: bool = True,
    weight_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
) -> Tensor:
    """The `fully_connected` of 0.x: activation(x @ weights + bias).

    Args:
        x: floats of rank 2 or more, the last size known.
        num_output_units: the size of the last axis of the outputs.
        activation_fn: a function; None changes nothing.
        weight_init, bias_init: initializers; without the latter there is no bias.
        name: the name of the variable scope.
        weight_collections, bias_collections, output_collections: further collections for each.
        trainable: whether optimizers train the variables.
        weight_regularizer, bias_regularizer: functions whose values become losses.

    Raises:
        ValueError: if the rank is below 2 or the last size is not known.
    """
    with variable_scope(name, "fully_connected", [x]):
        x = convert_to_tensor(x)
        rank = x.shape.ndims
        if rank is None:
            raise ValueError("dims of x must be known but is None")
        if rank < 2:
            raise ValueError(f"rank of x must be at least 2 not: {rank}")
        num_input_units = x.shape[-1].value
        if num_input_units is None:
            raise ValueError("last dimension of x must be known but is None")
        dtype = x.dtype.base_dtype
        weights = get_variable(
            "weights",
            shape=[num_input_units, num_output_units],
            dtype=dtype,
            initializer=weight_init,
            collections={*(weight_collections or ()), GraphKeys.GLOBAL_VARIABLES},
            regularizer=weight_regularizer,
            trainable=trainable,
        )
        y = matmul(x if rank <= 2 else reshape(x, [-1, num_input_units]), weights)
        if bias_init is not None:
            bias = get_variable(
                "bias",
                shape=[num_output_units],
                dtype=dtype,
                initializer=bias_init,
                collections={*(bias_collections or ()), GraphKeys.GLOBAL_VARIABLES},
                regularizer=bias_regularizer,
                trainable=trainable,
            )
            y = bias_add(y, bias)
        if rank > 2:
            sizes: list[Any] = unstack(shape(x))
            sizes[-1] = num_output_units
            y = reshape(y, stack(sizes))
            y.set_shape([*x.shape.as_list()[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        get_default_graph().add_to_collections([*(output_collections or ()), GraphKeys.ACTIVATIONS], y)
        return y


elu = functools.partial(fully_connected, activation_fn=elu_function)
relu = functools.partial(fully_connected, activation_fn=relu_function)
relu6 = functools.partial(fully_connected, activation_fn=relu6_function)
linear = functools.partial(fully_connected, activation_fn=None)
legacy_relu = functools.partial(legacy_fully_connected, activation_fn=relu_function)
legacy_linear = functools.partial(legacy_fully_connected, activation_fn=None)
