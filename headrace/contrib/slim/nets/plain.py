"""What AlexNet, OverFeat and VGG share: convolutions and pools in a row, and a head of convolutions."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import arg_scope
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.pooling import max_pool2d
from headrace.contrib.layers.regularizers import l2_regularizer
from headrace.contrib.layers.shaping import dropout
from headrace.contrib.layers.utils import convert_collection_to_dict
from headrace.kernels.composing.shapes import squeeze
from headrace.ops.nn.activations import relu
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, TensorLike
    from headrace.state.initializers import Initializer


def plain_scope(
    weight_decay: float, biases_initializer: InitializerLike, pool_padding: str | None = "VALID"
) -> dict[str, dict[str, str | Callable[..., Any] | Initializer]]:
    """The arg scope of such a network.

    Args:
        weight_decay: the factor of the L2 loss of weights.
        biases_initializer: the initializer of biases.
        pool_padding: the padding of pools; None leaves the default.
    """
    with (
        arg_scope(
            [convolution2d, fully_connected],
            activation_fn=relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=biases_initializer,
        ),
        arg_scope([convolution2d], padding="SAME") as scope,
    ):
        if pool_padding is None:
            return scope
        with arg_scope([max_pool2d], padding=pool_padding) as scope:
            return scope


@contextlib.contextmanager
def collecting(scope: str, name: str, inputs: TensorLike, end_points: str) -> Iterator[Any]:
    """The variable scope of a network whose outputs join a collection; `end_points` is how that is called."""
    with variable_scope(scope, name, [inputs]) as opened:
        own = opened.original_name_scope if end_points == "original" else opened.name
        collection = f"{own}_end_points"
        with arg_scope([convolution2d, fully_connected, max_pool2d], outputs_collections=collection):
            yield opened, collection


def head(
    net: TensorLike,
    widths: tuple[int, int],
    window: list[int],
    num_classes: int,
    is_training: bool,
    keep: float,
    **last: Any,
) -> Tensor:
    """The layers "fc6" to "fc8", with dropout between them."""
    net = convolution2d(net, widths[0], window, padding="VALID", scope="fc6")
    net = dropout(net, keep, is_training=is_training, scope="dropout6")
    net = convolution2d(net, widths[1], [1, 1], scope="fc7")
    net = dropout(net, keep, is_training=is_training, scope="dropout7")
    return convolution2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="fc8", **last)


def collected(net: TensorLike, collection: str, scope_name: str, spatial_squeeze: bool) -> tuple[Any, Any]:
    """The logits, as [batch, num_classes] if that is wanted, and the outputs by name."""
    end_points = convert_collection_to_dict(collection)
    if spatial_squeeze:
        net = squeeze(net, [1, 2], name="fc8/squeezed")
        end_points[f"{scope_name}/fc8"] = net
    return net, end_points
