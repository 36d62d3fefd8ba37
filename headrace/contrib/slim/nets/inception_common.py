"""What the inception networks share: their arg scope and their head."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import arg_scope
from headrace.contrib.layers.batch_norm import batch_norm
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.initializers import variance_scaling_initializer
from headrace.contrib.layers.regularizers import l2_regularizer
from headrace.core.collections import GraphKeys
from headrace.kernels.composing.shapes import squeeze
from headrace.ops.nn.activations import relu

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def inception_scope(
    weight_decay: float,
    collection: str,
    normalized: bool = True,
    decay: float = 0.9997,
    epsilon: float = 0.001,
    **more: Any,
) -> dict[str, dict[str, Callable[..., Any] | dict[str, Any]]]:
    """The arg scope of an inception network.

    Args:
        weight_decay: the factor of the L2 loss of weights.
        collection: a collection for the moving averages.
        normalized: whether there is batch normalization.
        decay, epsilon, **more: its arguments.
    """
    parameters = {
        "decay": decay,
        "epsilon": epsilon,
        "updates_collections": GraphKeys.UPDATE_OPS,
        **more,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [collection],
            "moving_variance": [collection],
        },
    }
    with (
        arg_scope([convolution2d, fully_connected], weights_regularizer=l2_regularizer(weight_decay)),
        arg_scope(
            [convolution2d],
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm if normalized else None,
            normalizer_params=parameters if normalized else {},
        ) as scope,
    ):
        return scope


def logits_of(net: TensorLike, num_classes: int, scope: str, spatial_squeeze: bool, **options: Any) -> Tensor:
    """The last layer: a 1x1 convolution without activation, as [batch, num_classes] if that is wanted."""
    logits = convolution2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=scope, **options)
    return squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits
