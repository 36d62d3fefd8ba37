"""VGG (https://arxiv.org/abs/1409.1556)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.combining import repeat
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.pooling import max_pool2d
from headrace.contrib.slim.nets.plain import collected, collecting, head, plain_scope
from headrace.state.initializers import Zeros

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_DEPTHS = (64, 128, 256, 512, 512)


def vgg_arg_scope(weight_decay: float = 0.0005) -> dict[str, dict[str, str | Callable[..., Any] | Zeros]]:
    """The arg scope to build the networks in; `weight_decay` is the factor of the L2 loss of weights."""
    return plain_scope(weight_decay, Zeros(), pool_padding=None)


def _vgg(
    name: str,
    repetitions: tuple[int, ...],
    inputs: TensorLike,
    num_classes: int,
    is_training: bool,
    keep: float,
    squeezed: bool,
    scope: str,
) -> tuple[Any, Any]:
    with collecting(scope, name, inputs, "name" if name == "vgg_19" else "original") as (opened, collection):
        net = inputs
        for i, (times, depth) in enumerate(zip(repetitions, _DEPTHS), 1):
            net = repeat(net, times, convolution2d, depth, [3, 3], scope=f"conv{i}")
            net = max_pool2d(net, [2, 2], scope=f"pool{i}")
        net = head(net, (4096, 4096), [7, 7], num_classes, is_training, keep)
        return collected(net, collection, opened.name, squeezed)


def vgg_a(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_a",
) -> tuple[Any, Any]:
    """The network with 11 layers of weights; arguments as in `vgg_16`."""
    return _vgg("vgg_a", (1, 1, 2, 2, 2), inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope)


def vgg_16(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_16",
) -> tuple[Any, Any]:
    """The network with 16 layers of weights.

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
        >>> with slim.arg_scope(slim.nets.vgg.vgg_arg_scope()):
        ...     logits, end_points = slim.nets.vgg.vgg_16(images, num_classes=10, is_training=True)
    """
    return _vgg("vgg_16", (2, 2, 3, 3, 3), inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope)


def vgg_19(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_19",
) -> tuple[Any, Any]:
    """The network with 19 layers of weights; arguments as in `vgg_16`."""
    return _vgg("vgg_19", (2, 2, 4, 4, 4), inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze, scope)


for _network in (vgg_a, vgg_16, vgg_19):
    _network.default_image_size = 224  # type: ignore[attr-defined]  # functions take any attribute

# The letters of the paper.
vgg_d = vgg_16
vgg_e = vgg_19
