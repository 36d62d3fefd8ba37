"""Inception v3 (https://arxiv.org/abs/1512.00567)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import arg_scope
from headrace.contrib.layers.batch_norm import batch_norm
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.pooling import avg_pool2d, max_pool2d
from headrace.contrib.layers.shaping import dropout, softmax
from headrace.contrib.slim.nets.inception_common import inception_scope, logits_of
from headrace.contrib.slim.nets.stages import (
    Both,
    Mixed,
    avg_pool,
    conv,
    max_pool,
    mixed,
    scaling,
    truncated_normal,
    up_to,
    window_within,
)
from headrace.core.collections import GraphKeys
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.modes import _ReuseMode


_STEM = [
    conv("1a_3x3", 32, stride=2),
    conv("2a_3x3", 32),
    conv("2b_3x3", 64, padding="SAME"),
    max_pool("3a_3x3", stride=2),
    conv("3b_1x1", 80),
    conv("4a_3x3", 192),
    max_pool("5a_3x3", stride=2),
]


def _module_5(name: str, after_pool: int, five: tuple[str, str] = ("0a_1x1", "0b_5x5")) -> Mixed:
    return mixed(
        name,
        [conv("0a_1x1", 64)],
        [conv(five[0], 48), conv(five[1], 64)],
        [conv("0a_1x1", 64), conv("0b_3x3", 96), conv("0c_3x3", 96)],
        [avg_pool("0a_3x3"), conv("0b_1x1", after_pool)],
    )


def _module_6(name: str, inner: int) -> Mixed:
    return mixed(
        name,
        [conv("0a_1x1", 192)],
        [conv("0a_1x1", inner), conv("0b_1x7", inner), conv("0c_7x1", 192)],
        [
            conv("0a_1x1", inner),
            conv("0b_7x1", inner),
            conv("0c_1x7", inner),
            conv("0d_7x1", inner),
            conv("0e_1x7", 192),
        ],
        [avg_pool("0a_3x3"), conv("0b_1x1", 192)],
    )


def _module_7(name: str, second: str) -> Mixed:
    return mixed(
        name,
        [conv("0a_1x1", 320)],
        [conv("0a_1x1", 384), Both((conv("0b_1x3", 384), conv(f"{second}_3x1", 384)))],
        [conv("0a_1x1", 448), conv("0b_3x3", 384), Both((conv("0c_1x3", 384), conv("0d_3x1", 384)))],
        [avg_pool("0a_3x3"), conv("0b_1x1", 192)],
    )


_HALVING: dict[str, Any] = {"stride": 2, "padding": "VALID"}

# Some names are out of line; checkpoints have kept them.
_STAGES = [
    _module_5("Mixed_5b", 32),
    _module_5("Mixed_5c", 64, ("0b_1x1", "Conv_1_0c_5x5")),
    _module_5("Mixed_5d", 64),
    mixed(
        "Mixed_6a",
        [conv("1a_1x1", 384, window=(3, 3), **_HALVING)],
        [conv("0a_1x1", 64), conv("0b_3x3", 96), conv("1a_1x1", 96, window=(3, 3), **_HALVING)],
        [max_pool("1a_3x3", **_HALVING)],
    ),
    _module_6("Mixed_6b", 128),
    _module_6("Mixed_6c", 160),
    _module_6("Mixed_6d", 160),
    _module_6("Mixed_6e", 192),
    mixed(
        "Mixed_7a",
        [conv("0a_1x1", 192), conv("1a_3x3", 320, **_HALVING)],
        [conv("0a_1x1", 192), conv("0b_1x7", 192), conv("0c_7x1", 192), conv("1a_3x3", 192, **_HALVING)],
        [max_pool("1a_3x3", **_HALVING)],
    ),
    _module_7("Mixed_7b", "0b"),
    _module_7("Mixed_7c", "0c"),
]


def inception_v3_base(
    inputs: TensorLike,
    final_endpoint: str = "Mixed_7c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: VariableScope | None = None,
) -> tuple[Any, dict[str, Any]]:
    """The network up to a stage.

    Args:
        inputs: images, [batch, height, width, channels].
        final_endpoint: the stage: "Conv2d_1a_3x3", "Conv2d_2a_3x3", ..., "Mixed_7c".
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
    layers = [convolution2d, max_pool2d, avg_pool2d]
    with variable_scope(scope, "InceptionV3", [inputs]):
        with arg_scope(layers, stride=1, padding="VALID"):
            net, found = up_to(inputs, _STEM, final_endpoint, end_points, scaled)
        if not found:
            with arg_scope(layers, stride=1, padding="SAME"):
                net, found = up_to(net, _STAGES, final_endpoint, end_points, scaled)
    if not found:
        raise ValueError(f"Unknown final endpoint {final_endpoint}")
    return net, end_points


def inception_v3(
    inputs: TensorLike,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: bool | _ReuseMode | None = None,
    scope: str = "InceptionV3",
) -> tuple[Any, dict[str, Any]]:
    """The network with its head and its auxiliary one.

    Args:
        inputs: images of 299 x 299.
        num_classes: the number of classes.
        is_training: a bool or a bool tensor.
        dropout_keep_prob: the share of activations that dropout keeps.
        min_depth, depth_multiplier: as in `inception_v3_base`.
        prediction_fn: what makes predictions of logits.
        spatial_squeeze: whether to give logits as [batch, num_classes].
        reuse: whether to use the variables of `scope` that are there.
        scope: the name of the variable scope.

    Returns:
        the logits, and the outputs of all stages by name, "AuxLogits" among them.
    """
    scaled = scaling(depth_multiplier, min_depth)
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as opened,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v3_base(
            inputs, scope=opened, min_depth=min_depth, depth_multiplier=depth_multiplier
        )
        with (
            arg_scope([convolution2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"),
            variable_scope("AuxLogits"),
        ):
            aux = avg_pool2d(end_points["Mixed_6e"], [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
            aux = convolution2d(aux, scaled(128), [1, 1], scope="Conv2d_1b_1x1")
            window = window_within(aux, [5, 5])
            aux = convolution2d(
                aux,
                scaled(768),
                window,
                weights_initializer=truncated_normal(0.01),
                padding="VALID",
                scope=f"Conv2d_2a_{window[0]}x{window[1]}",
            )
            end_points["AuxLogits"] = logits_of(
                aux, num_classes, "Conv2d_2b_1x1", spatial_squeeze, weights_initializer=truncated_normal(0.001)
            )
        with variable_scope("Logits"):
            window = window_within(net, [8, 8])
            net = avg_pool2d(net, window, padding="VALID", scope=f"AvgPool_1a_{window[0]}x{window[1]}")
            net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            end_points["PreLogits"] = net
            logits = logits_of(net, num_classes, "Conv2d_1c_1x1", spatial_squeeze)
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v3.default_image_size = 299  # type: ignore[attr-defined]  # functions take any attribute


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: CollectionNames = GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> dict[str, dict[str, Callable[..., Any] | dict[str, Any]]]:
    """The arg scope to build the network in.

    Args:
        weight_decay: the factor of the L2 loss of weights.
        batch_norm_var_collection: a collection for the moving averages.
        batch_norm_decay, batch_norm_epsilon, updates_collections, use_fused_batchnorm: arguments of `batch_norm`.
    """
    return inception_scope(
        weight_decay,
        batch_norm_var_collection,
        decay=batch_norm_decay,
        epsilon=batch_norm_epsilon,
        updates_collections=updates_collections,
        fused=use_fused_batchnorm,
    )
