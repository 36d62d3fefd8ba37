"""Residual networks of the second kind, which normalize before they convolve (https://arxiv.org/abs/1603.05027)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope
from headrace.contrib.layers.batch_norm import batch_norm
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.utils import collect_named_outputs, last_dimension
from headrace.contrib.slim.nets.resnet_utils import (
    Block,
    bottleneck_block,
    conv2d_same,
    residual_network,
    resnet_arg_scope,
    subsample,
)
from headrace.ops.nn.activations import relu
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.current_scope import VariableScope
    from headrace.state.modes import _ReuseMode


__all__ = [
    "bottleneck", "resnet_arg_scope", "resnet_v2", "resnet_v2_101", "resnet_v2_152", "resnet_v2_200",
    "resnet_v2_50", "resnet_v2_block",
]  # fmt: skip


@add_arg_scope
def bottleneck(
    inputs: Tensor,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: CollectionNames | None = None,
    scope: str | VariableScope | None = None,
) -> Any:
    """A unit: three convolutions, the middle one with fewer channels, beside a shortcut.

    Args:
        inputs: images.
        depth: the number of channels of the outputs.
        depth_bottleneck: that of the middle.
        stride: by how much the outputs are smaller.
        rate: how far apart the elements of the middle filters are.
        outputs_collections: collections for the outputs.
        scope: the name of the variable scope.
    """
    plain = {"normalizer_fn": None, "activation_fn": None}
    with variable_scope(scope, "bottleneck_v2", [inputs]) as opened:
        depth_in = last_dimension(inputs.shape, min_rank=4)
        activated = batch_norm(inputs, activation_fn=relu, scope="preact")
        if depth == depth_in:
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = convolution2d(activated, depth, [1, 1], stride=stride, scope="shortcut", **plain)
        residual = convolution2d(activated, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = convolution2d(residual, depth, [1, 1], stride=1, scope="conv3", **plain)
        return collect_named_outputs(outputs_collections, opened.name, shortcut + residual)


def resnet_v2(
    inputs: TensorLike,
    blocks: Sequence[Block],
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: bool | _ReuseMode | None = None,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any]:
    """A residual network of any blocks.

    Args:
        inputs: images.
        blocks: a list of `resnet_utils.Block`.
        num_classes: the number of classes; None leaves the last layer out.
        is_training: a bool or a bool tensor.
        global_pool: whether to take the mean over the image before the last layer.
        output_stride: by how much the outputs are smaller than the images at most; None for no bound.
        include_root_block: whether to begin with a convolution and a pool.
        reuse: whether to use the variables of `scope` that are there.
        scope: the name of the variable scope.

    Returns:
        the logits [batch, 1, 1, num_classes], or the last outputs, and the outputs of all units by name.

    Raises:
        ValueError: if `output_stride` cannot be reached.
    """
    return residual_network(
        "resnet_v2",
        bottleneck,
        inputs,
        blocks,
        num_classes,
        is_training,
        global_pool,
        output_stride,
        include_root_block,
        reuse,
        scope,
        preactivated=True,
    )


resnet_v2.default_image_size = 224  # type: ignore[attr-defined]  # functions take any attribute


def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """A block of `num_units` units of 4 * `base_depth` channels, the last of which strides."""
    return bottleneck_block(bottleneck, scope, base_depth, num_units, stride)


def _blocks(*units: int) -> list[Block]:
    return [
        resnet_v2_block(f"block{i + 1}", base_depth=64 * 2**i, num_units=count, stride=1 if i == 3 else 2)
        for i, count in enumerate(units)
    ]


def resnet_v2_50(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | _ReuseMode | None = None,
    scope: Any = "resnet_v2_50",
) -> tuple[Any, Any]:
    """The network with 50 layers of weights; arguments as in `resnet_v2`."""
    return resnet_v2(
        inputs, _blocks(3, 4, 6, 3), num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope
    )


def resnet_v2_101(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | _ReuseMode | None = None,
    scope: Any = "resnet_v2_101",
) -> tuple[Any, Any]:
    """The network with 101 layers of weights; arguments as in `resnet_v2`."""
    return resnet_v2(
        inputs, _blocks(3, 4, 23, 3), num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope
    )


def resnet_v2_152(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | _ReuseMode | None = None,
    scope: Any = "resnet_v2_152",
) -> tuple[Any, Any]:
    """The network with 152 layers of weights; arguments as in `resnet_v2`."""
    return resnet_v2(
        inputs, _blocks(3, 8, 36, 3), num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope
    )


def resnet_v2_200(
    inputs: TensorLike,
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | _ReuseMode | None = None,
    scope: Any = "resnet_v2_200",
) -> tuple[Any, Any]:
    """The network with 200 layers of weights; arguments as in `resnet_v2`."""
    return resnet_v2(
        inputs, _blocks(3, 24, 36, 3), num_classes, is_training, global_pool, output_stride, reuse=reuse, scope=scope
    )
