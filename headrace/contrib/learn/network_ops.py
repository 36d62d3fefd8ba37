"""The layers of `tf.contrib.learn.ops` before release 0.10, and of the `skflow` package before it.

They know whether a model is being trained from the collection "IS_TRAINING", which `TensorFlowEstimator` fills. Without it
they act as in training.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.batch_norm import batch_norm as normalized
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection, get_collection, name_scope
from headrace.functions.nn import convolution_functions
from headrace.functions.nn import dropout as dropouts
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.ops.array import split
from headrace.ops.nn.activations import relu
from headrace.ops.nn.bias import bias_add, xw_plus_b
from headrace.state.initializers import Zeros
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike

IS_TRAINING = "IS_TRAINING"
DROPOUTS = "dropouts"
_Activation = Callable[[Any], Any]


def is_training() -> bool:
    """Whether the model that is being built is to be trained."""
    said = get_collection(IS_TRAINING)
    return bool(said[-1]) if said else True


def dropout(tensor_in: TensorLike, prob: TensorLike, name: str | None = None) -> Tensor:
    """Keeps some of the numbers in training, all of them otherwise.

    Args:
        tensor_in: the numbers.
        prob: the share to keep.
        name: a name for the operations.
    """
    with name_scope(name, "dropout", [tensor_in]):
        tensor = convert_to_tensor(tensor_in)
        if not is_training():
            return tensor
        kept = convert_to_tensor(prob)
        add_to_collection(DROPOUTS, kept)
        return dropouts.dropout(tensor, keep_prob=kept)


def dnn(
    tensor_in: TensorLike,
    hidden_units: Sequence[int],
    activation: _Activation | None = relu,
    dropout: float | None = None,
    keep_prob: float | None = None,
) -> Tensor:
    """Fully connected layers, one after the other.

    Args:
        tensor_in: [batch, size].
        hidden_units: the sizes of the layers.
        activation: the function after each of them, or None.
        dropout: the share of each layer's numbers that training leaves out.
        keep_prob: the share that it keeps, as skflow called it.

    Raises:
        ValueError: if both shares are given.

    Example:
        >>> hidden = tf.contrib.learn.ops.dnn(tf.ones([2, 4]), [10, 20], dropout=0.1)
    """
    if dropout is not None:
        if keep_prob is not None:
            raise ValueError(f"Give dropout or keep_prob, not both: got {dropout} and {keep_prob}.")
        keep_prob = 1.0 - dropout
    tensor = convert_to_tensor(tensor_in)
    with variable_scope("dnn"):
        for number, units in enumerate(hidden_units):
            with variable_scope(f"layer{number}"):
                weights = get_variable("weights", [tensor.shape[-1].value, units], tensor.dtype)
                bias = get_variable("bias", [units], tensor.dtype, Zeros())
                tensor = xw_plus_b(tensor, weights, bias)
                tensor = tensor if activation is None else activation(tensor)
                tensor = tensor if keep_prob is None else _dropped(tensor, keep_prob)
    return tensor


# Within `dnn` its name is a number's.
_dropped = dropout


def batch_normalize(
    tensor_in: TensorLike,
    epsilon: float = 1e-5,
    convnet: bool = False,
    decay: float = 0.9,
    scale_after_normalization: bool = True,
) -> Tensor:
    """Batch normalization (https://arxiv.org/abs/1502.03167), with moving averages outside of training.

    Args:
        tensor_in: [batch, size], or [batch, height, width, channels] for `convnet`.
        epsilon: added to the variance.
        convnet: whether these are images, whose places count as examples.
        decay: what the moving averages keep of their old value.
        scale_after_normalization: whether there are factors besides the added numbers.

    Raises:
        ValueError: if the rank is not that of `convnet`.
    """
    tensor = convert_to_tensor(tensor_in)
    if tensor.shape.ndims not in (None, 4 if convnet else 2):
        raise ValueError(f"Expected a tensor of rank {4 if convnet else 2} with convnet={convnet}, got {tensor.shape}.")
    return normalized(
        tensor,
        decay=decay,
        scale=scale_after_normalization,
        epsilon=epsilon,
        updates_collections=None,
        is_training=is_training(),
        scope="batch_norm",
    )


def conv2d(
    tensor_in: TensorLike,
    n_filters: int,
    filter_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: str = "SAME",
    bias: bool = True,
    activation: _Activation | None = None,
    batch_norm: bool = False,
) -> Tensor:
    """A convolution of images, with variables of its own.

    Args:
        tensor_in: [batch, height, width, channels].
        n_filters: how many channels come out.
        filter_shape: height and width of the filters.
        strides: one for each axis; of one by default.
        padding: "SAME" or "VALID".
        bias: whether a number is added to each channel.
        activation: a function of the result.
        batch_norm: whether it is normalized before that.

    Example:
        >>> net = tf.contrib.learn.ops.conv2d(tf.ones([1, 8, 8, 3]), 16, [3, 3], activation=tf.nn.relu)
    """
    tensor = convert_to_tensor(tensor_in)
    with variable_scope("convolution"):
        shape = [*filter_shape, tensor.shape[-1].value, n_filters]
        filters = get_variable("filters", shape, tensor.dtype)
        net = convolution_functions.conv2d(tensor, filters, strides=list(strides or [1, 1, 1, 1]), padding=padding)
        if bias:
            net = bias_add(net, get_variable("bias", [n_filters], tensor.dtype))
        if batch_norm:
            net = batch_normalize(net, convnet=True)
        return net if activation is None else activation(net)


def split_squeeze(dim: int, num_split: int, tensor_in: TensorLike) -> list[Tensor]:
    """A list of the parts along an axis, without it.

    Args:
        dim: the axis.
        num_split: its size.
        tensor_in: the tensor.

    Example:
        >>> steps = tf.contrib.learn.ops.split_squeeze(1, 3, tf.ones([2, 3, 4]))
    """
    return [squeeze(part, axis=[dim]) for part in split.split(tensor_in, num_split, axis=dim)]


def expand_concat(dim: int, inputs: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """Tensors side by side along a new axis.

    Args:
        dim: where the axis is.
        inputs: the tensors.
        name: a name for the operations.
    """
    with name_scope(name, "expand_concat", list(inputs)):
        return concat([expand_dims(convert_to_tensor(each), dim) for each in inputs], dim)
