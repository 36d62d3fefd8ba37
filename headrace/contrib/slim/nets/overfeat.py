"""OverFeat (https://arxiv.org/abs/1312.6229)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import arg_scope
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.pooling import max_pool2d
from headrace.contrib.slim.nets.plain import collected, collecting, head, plain_scope
from headrace.contrib.slim.nets.stages import truncated_normal
from headrace.state.initializers import Constant, Zeros

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def overfeat_arg_scope(weight_decay: float = 0.0005) -> dict[str, dict[str, str | Callable[..., Any] | Zeros]]:
    """The arg scope to build the network in; `weight_decay` is the factor of the L2 loss of weights."""
    return plain_scope(weight_decay, Zeros())


def overfeat(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "overfeat",
) -> tuple[Any, Any]:
    """The network.

    Args:
        inputs: images of 231 x 231.
        num_classes: the number of classes.
        is_training: a bool or a bool tensor.
        dropout_keep_prob: the share of activations that dropout keeps.
        spatial_squeeze: whether to give logits as [batch, num_classes].
        scope: the name of the variable scope.

    Returns:
        the logits, and the outputs of all layers by name.
    """
    with collecting(scope, "overfeat", inputs, "name") as (opened, collection):
        net = convolution2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
        net = max_pool2d(net, [2, 2], scope="pool1")
        net = convolution2d(net, 256, [5, 5], padding="VALID", scope="conv2")
        net = max_pool2d(net, [2, 2], scope="pool2")
        net = convolution2d(net, 512, [3, 3], scope="conv3")
        net = convolution2d(net, 1024, [3, 3], scope="conv4")
        net = convolution2d(net, 1024, [3, 3], scope="conv5")
        net = max_pool2d(net, [2, 2], scope="pool5")
        with arg_scope([convolution2d], weights_initializer=truncated_normal(0.005), biases_initializer=Constant(0.1)):
            net = head(
                net,
                (3072, 4096),
                [6, 6],
                num_classes,
                is_training,
                dropout_keep_prob,
                biases_initializer=Zeros(),
            )
        return collected(net, collection, opened.name, spatial_squeeze)
