"""Inception v2 (https://arxiv.org/abs/1502.03167)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import arg_scope
from headrace.contrib.layers.batch_norm import batch_norm
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.pooling import avg_pool2d, max_pool2d
from headrace.contrib.layers.separable import separable_convolution2d
from headrace.contrib.layers.shaping import dropout, softmax
from headrace.contrib.slim.nets.inception_common import inception_scope, logits_of
from headrace.contrib.slim.nets.stages import (
    Mixed,
    Step,
    avg_pool,
    conv,
    max_pool,
    mixed,
    scaling,
    separable,
    truncated_normal,
    up_to,
    window_within,
)
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.modes import _ReuseMode


_AVERAGE, _LARGEST = avg_pool("0a_3x3"), max_pool("0a_3x3")


def _module(
    name: str, one: int, three: tuple[int, int], double: tuple[int, int], after_pool: int, pool: Step = _AVERAGE
) -> Mixed:
    return mixed(
        name,
        [conv("0a_1x1", one)],
        [conv("0a_1x1", three[0], 0.09), conv("0b_3x3", three[1])],
        [conv("0a_1x1", double[0], 0.09), conv("0b_3x3", double[1]), conv("0c_3x3", double[1])],
        [pool, conv("0b_1x1", after_pool, 0.1)],
    )


def _halving(name: str, three: tuple[int, int], double: tuple[int, int]) -> Mixed:
    return mixed(
        name,
        [conv("0a_1x1", three[0], 0.09), conv("1a_3x3", three[1], stride=2)],
        [conv("0a_1x1", double[0], 0.09), conv("0b_3x3", double[1]), conv("1a_3x3", double[1], stride=2)],
        [max_pool("1a_3x3", stride=2)],
    )


_STAGES = [
    max_pool("2a_3x3", stride=2),
    conv("2b_1x1", 64, 0.1),
    conv("2c_3x3", 192),
    max_pool("3a_3x3", stride=2),
    _module("Mixed_3b", 64, (64, 64), (64, 96), 32),
    _module("Mixed_3c", 64, (64, 96), (64, 96), 64),
    _halving("Mixed_4a", (128, 160), (64, 96)),
    _module("Mixed_4b", 224, (64, 96), (96, 128), 128),
    _module("Mixed_4c", 192, (96, 128), (96, 128), 128),
    _module("Mixed_4d", 160, (128, 160), (128, 160), 96),
    _module("Mixed_4e", 96, (128, 192), (160, 192), 96),
    _halving("Mixed_5a", (128, 192), (192, 256)),
    _module("Mixed_5b", 352, (192, 320), (160, 224), 128),
    _module("Mixed_5c", 352, (192, 320), (192, 224), 128, _LARGEST),
]


def inception_v2_base(
    inputs: TensorLike,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: VariableScope | None = None,
) -> tuple[Any, dict[str, Any]]:
    """The network up to a stage.

    Args:
        inputs: images, [batch, height, width, channels].
        final_endpoint: the stage: "Conv2d_1a_7x7", "MaxPool_2a_3x3", ..., "Mixed_5c".
        min_depth: the least number of channels of a layer.
        depth_multiplier: the factor of numbers of channels.
        scope: the name of the variable scope.

    Returns:
        the output of the stage, and those of all by name.

    Raises:
        ValueError: if there is no such stage, or the multiplier is not positive.
    """
    end_points: dict[str, Any] = {}
    scaled = scaling(depth_multiplier, min_depth)
    first = separable(
        "1a_7x7",
        64,
        depth_multiplier=min(int(scaled(64) / 3), 8),
        stride=2,
        weights_initializer=truncated_normal(1.0),
    )
    with (
        variable_scope(scope, "InceptionV2", [inputs]),
        arg_scope([convolution2d, max_pool2d, avg_pool2d, separable_convolution2d], stride=1, padding="SAME"),
    ):
        net, found = up_to(inputs, [first, *_STAGES], final_endpoint, end_points, scaled)
    if not found:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v2(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: bool | _ReuseMode | None = None,
    scope: str = "InceptionV2",
) -> tuple[Any, dict[str, Any]]:
    """The network with its head.

    Args:
        inputs: images of 224 x 224.
        num_classes: the number of classes.
        is_training: a bool or a bool tensor.
        dropout_keep_prob: the share of activations that dropout keeps.
        min_depth, depth_multiplier: as in `inception_v2_base`.
        prediction_fn: what makes predictions of logits.
        spatial_squeeze: whether to give logits as [batch, num_classes].
        reuse: whether to use the variables of `scope` that are there.
        scope: the name of the variable scope.

    Returns:
        the logits, and the outputs of all stages by name.
    """
    scaling(depth_multiplier, min_depth)
    with (
        variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as opened,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v2_base(
            inputs, scope=opened, min_depth=min_depth, depth_multiplier=depth_multiplier
        )
        with variable_scope("Logits"):
            window = window_within(net, [7, 7])
            net = avg_pool2d(net, window, padding="VALID", scope=f"AvgPool_1a_{window[0]}x{window[1]}")
            net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            logits = logits_of(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]  # functions take any attribute


def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> dict[str, dict[str, Callable[..., Any] | dict[str, Any]]]:
    """The arg scope to build the network in.

    Args:
        weight_decay: the factor of the L2 loss of weights.
        batch_norm_var_collection: a collection for the moving averages.
    """
    return inception_scope(weight_decay, batch_norm_var_collection)
