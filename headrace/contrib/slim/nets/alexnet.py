"""AlexNet in its second form (https://arxiv.org/abs/1404.5997)."""

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


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> dict[str, dict[str, str | Callable[..., Any] | Constant]]:
    """The arg scope to build the network in; `weight_decay` is the factor of the L2 loss of weights."""
    return plain_scope(weight_decay, Constant(0.1))


def alexnet_v2(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "alexnet_v2",
) -> tuple[Any, Any]:
    """The network.

    Args:
        inputs: images of 224 x 224.
        num_classes: the number of classes.
        is_training: a bool or a bool tensor.
        dropout_keep_prob: the share of activations that dropout keeps.
        spatial_squeeze: whether to give logits as [batch, num_classes].
        scope: the name of the variable scope.

    Returns:
        the logits, and the outputs of all layers by name.

    Example:
        >>> images = tf.zeros([2, 224, 224, 3])
        >>> with slim.arg_scope(slim.nets.alexnet.alexnet_v2_arg_scope()):
        ...     logits, end_points = slim.nets.alexnet.alexnet_v2(images)
    """
    with collecting(scope, "alexnet_v2", inputs, "original") as (opened, collection):
        net = convolution2d(inputs, 64, [11, 11], 4, padding="VALID", scope="conv1")
        net = max_pool2d(net, [3, 3], 2, scope="pool1")
        net = convolution2d(net, 192, [5, 5], scope="conv2")
        net = max_pool2d(net, [3, 3], 2, scope="pool2")
        net = convolution2d(net, 384, [3, 3], scope="conv3")
        net = convolution2d(net, 384, [3, 3], scope="conv4")
        net = convolution2d(net, 256, [3, 3], scope="conv5")
        net = max_pool2d(net, [3, 3], 2, scope="pool5")
        with arg_scope([convolution2d], weights_initializer=truncated_normal(0.005), biases_initializer=Constant(0.1)):
            net = head(
                net,
                (4096, 4096),
                [5, 5],
                num_classes,
                is_training,
                dropout_keep_prob,
                biases_initializer=Zeros(),
            )
        return collected(net, collection, opened.name, spatial_squeeze)


alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]  # functions take any attribute
