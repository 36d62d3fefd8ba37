"""Inception v1, "GoogLeNet" (https://arxiv.org/abs/1409.4842)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import arg_scope
from headrace.contrib.layers.batch_norm import batch_norm
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.pooling import avg_pool2d, max_pool2d
from headrace.contrib.layers.shaping import dropout, softmax
from headrace.contrib.slim.nets.inception_common import inception_scope, logits_of
from headrace.contrib.slim.nets.stages import Mixed, conv, max_pool, mixed, truncated_normal, up_to
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.modes import _ReuseMode


def _module(name: str, *depths: int, third: str = "0b") -> Mixed:
    one, before_three, three, before_five, five, after_pool = depths
    return mixed(
        name,
        [conv("0a_1x1", one)],
        [conv("0a_1x1", before_three), conv("0b_3x3", three)],
        [conv("0a_1x1", before_five), conv(f"{third}_3x3", five)],
        [max_pool("0a_3x3"), conv("0b_1x1", after_pool)],
    )


_STAGES = [
    conv("1a_7x7", 64, stride=2),
    max_pool("2a_3x3", stride=2),
    conv("2b_1x1", 64),
    conv("2c_3x3", 192),
    max_pool("3a_3x3", stride=2),
    _module("Mixed_3b", 64, 96, 128, 16, 32, 32),
    _module("Mixed_3c", 128, 128, 192, 32, 96, 64),
    max_pool("4a_3x3", stride=2),
    _module("Mixed_4b", 192, 96, 208, 16, 48, 64),
    _module("Mixed_4c", 160, 112, 224, 24, 64, 64),
    _module("Mixed_4d", 128, 128, 256, 24, 64, 64),
    _module("Mixed_4e", 112, 144, 288, 32, 64, 64),
    _module("Mixed_4f", 256, 160, 320, 32, 128, 128),
    max_pool("5a_2x2", stride=2),
    # Its third branch has a name out of line, which checkpoints have kept.
    _module("Mixed_5b", 256, 160, 320, 32, 128, 128, third="0a"),
    _module("Mixed_5c", 384, 192, 384, 48, 128, 128),
]


def inception_v1_base(
    inputs: TensorLike, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> tuple[Any, dict[str, Any]]:
    """The network up to a stage.

    Args:
        inputs: images, [batch, height, width, channels].
        final_endpoint: the stage: "Conv2d_1a_7x7", "MaxPool_2a_3x3", ..., "Mixed_5c".
        scope: the name of the variable scope.

    Returns:
        the output of the stage, and those of all by name.

    Raises:
        ValueError: if there is no such stage.
    """
    end_points: dict[str, Any] = {}
    with (
        variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope([convolution2d, fully_connected], weights_initializer=truncated_normal(0.01)),
        arg_scope([convolution2d, max_pool2d], stride=1, padding="SAME"),
    ):
        net, found = up_to(inputs, _STAGES, final_endpoint, end_points)
    if not found:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v1(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: bool | _ReuseMode | None = None,
    scope: str = "InceptionV1",
) -> tuple[Any, dict[str, Any]]:
    """The network with its head.

    Args:
        inputs: images of 224 x 224.
        num_classes: the number of classes.
        is_training: a bool or a bool tensor.
        dropout_keep_prob: the share of activations that dropout keeps.
        prediction_fn: what makes predictions of logits.
        spatial_squeeze: whether to give logits as [batch, num_classes].
        reuse: whether to use the variables of `scope` that are there.
        scope: the name of the variable scope.

    Returns:
        the logits, and the outputs of all stages by name.

    Example:
        >>> images = tf.zeros([2, 224, 224, 3])
        >>> with slim.arg_scope(slim.nets.inception.inception_v1_arg_scope()):
        ...     logits, end_points = slim.nets.inception.inception_v1(images, is_training=False)
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as opened,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v1_base(inputs, scope=opened)
        with variable_scope("Logits"):
            net = avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = logits_of(net, num_classes, "Conv2d_0c_1x1", spatial_squeeze)
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]  # functions take any attribute


def inception_v1_arg_scope(
    weight_decay: float = 0.00004, use_batch_norm: bool = True, batch_norm_var_collection: str = "moving_vars"
) -> dict[str, dict[str, Callable[..., Any] | dict[str, Any]]]:
    """The arg scope to build the network in.

    Args:
        weight_decay: the factor of the L2 loss of weights.
        use_batch_norm: whether there is batch normalization.
        batch_norm_var_collection: a collection for the moving averages.
    """
    return inception_scope(weight_decay, batch_norm_var_collection, use_batch_norm)
