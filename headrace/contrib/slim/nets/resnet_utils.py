"""What the residual networks share: blocks of units, strides and rates, and their arg scope."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.framework.arg_scope import add_arg_scope, arg_scope
from headrace.contrib.layers.batch_norm import batch_norm
from headrace.contrib.layers.convolution import convolution2d
from headrace.contrib.layers.initializers import variance_scaling_initializer
from headrace.contrib.layers.pooling import max_pool2d
from headrace.contrib.layers.regularizers import l2_regularizer
from headrace.contrib.layers.shaping import softmax
from headrace.contrib.layers.utils import collect_named_outputs, convert_collection_to_dict
from headrace.core.collections import GraphKeys
from headrace.functions.math.reduction import reduce_mean
from headrace.ops.array.pad import pad
from headrace.ops.nn.activations import relu
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import CollectionNames, TensorLike
    from headrace.state.modes import _ReuseMode


class Block(namedtuple("Block", ["scope", "unit_fn", "args"])):
    """Units of a residual network: their scope, the function that makes one, and a dict of arguments for each."""


def subsample(inputs: TensorLike, factor: int, scope: str | None = None) -> Any:
    """Every `factor`-th point along both axes of images."""
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: TensorLike, num_outputs: int, kernel_size: int, stride: int, rate: int = 1, scope: str | None = None
) -> Tensor:
    """`conv2d` whose "SAME" padding does not depend on the size of the images, also when it strides.

    Args:
        inputs: images.
        num_outputs: the number of channels of the outputs.
        kernel_size: the size of the filters, an int.
        stride: by how much they move.
        rate: how far apart their elements are.
        scope: the name of the variable scope.
    """
    if stride != 1:
        total = kernel_size + (kernel_size - 1) * (rate - 1) - 1
        before = total // 2
        inputs = pad(inputs, [[0, 0], [before, total - before], [before, total - before], [0, 0]])
    return convolution2d(
        inputs,
        num_outputs,
        kernel_size,
        stride=stride,
        rate=rate,
        padding="SAME" if stride == 1 else "VALID",
        scope=scope,
    )


@add_arg_scope
def stack_blocks_dense(
    net: Tensor, blocks: Sequence[Block], output_stride: Any = None, outputs_collections: CollectionNames | None = None
) -> Any:
    """Blocks one after another.

    Args:
        net: images.
        blocks: a list of `Block`.
        output_stride: by how much the outputs are smaller than `net` at most: what would go beyond is dilated instead.
        outputs_collections: collections for the outputs of the blocks.

    Raises:
        ValueError: if the units cannot give that stride.
    """
    current, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as opened:
            for i, unit in enumerate(block.args):
                if output_stride is not None and current > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{i + 1}", values=[net]):
                    if output_stride is not None and current == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        current *= unit.get("stride", 1)
            net = collect_named_outputs(outputs_collections, opened.name, net)
    if output_stride is not None and current != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> dict[str, dict[str, Any]]:
    """The arg scope to build the networks in.

    Args:
        weight_decay: the factor of the L2 loss of weights.
        batch_norm_decay, batch_norm_epsilon, batch_norm_scale: arguments of `batch_norm`.
    """
    parameters = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    with (
        arg_scope(
            [convolution2d],
            weights_regularizer=l2_regularizer(weight_decay),
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm,
            normalizer_params=parameters,
        ),
        arg_scope([batch_norm], **parameters),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope


def bottleneck_block(unit_fn: Callable[..., Any], scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """A block of bottleneck units, the last of which strides."""
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    return Block(scope, unit_fn, [{**unit, "stride": 1}] * (num_units - 1) + [{**unit, "stride": stride}])


def residual_network(
    name: str,
    unit_fn: Callable[..., Any],
    inputs: TensorLike,
    blocks: Sequence[Block],
    num_classes: int | None,
    is_training: bool,
    global_pool: bool,
    output_stride: Any,
    include_root_block: bool,
    reuse: bool | _ReuseMode | None,
    scope: Any,
    preactivated: bool,
) -> tuple[Any, Any]:
    """A residual network; `preactivated` ones normalize before convolutions, and once more at the end."""
    with variable_scope(scope, name, [inputs], reuse=reuse) as opened:
        collection = f"{opened.original_name_scope}_end_points"
        with (
            arg_scope([convolution2d, unit_fn, stack_blocks_dense], outputs_collections=collection),
            arg_scope([batch_norm], is_training=is_training),
        ):
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4 != 0:
                        raise ValueError("The output_stride needs to be a multiple of 4.")
                    output_stride /= 4
                # The units of the second kind normalize and activate what they get themselves.
                plain = {"activation_fn": None, "normalizer_fn": None} if preactivated else {}
                with arg_scope([convolution2d], **plain):
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, output_stride)
            if preactivated:
                net = batch_norm(net, activation_fn=relu, scope="postnorm")
            if global_pool:
                net = reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = convolution2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope="logits")
            end_points = convert_collection_to_dict(collection)
            if num_classes is not None:
                end_points["predictions"] = softmax(net, scope="predictions")
            return net, end_points
