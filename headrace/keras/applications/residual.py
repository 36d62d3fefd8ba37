"""Residual networks (He et al., "Deep Residual Learning for Image Recognition", 2015) and those whose normalization comes
first (He et al., "Identity Mappings in Deep Residual Networks", 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Weights
from headrace.keras.layers.core import Activation
from headrace.keras.layers.cropping import ZeroPadding2D
from headrace.keras.layers.merge import Add
from headrace.layers.convolutional import Conv2D
from headrace.layers.normalization import BatchNormalization
from headrace.layers.pooling import MaxPooling2D

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/keras-team/keras-applications/releases/download/resnet/"
_FILTERS = (64, 128, 256, 512)
_EPSILON = 1.001e-5


def normalized(x: Tensor, name: str) -> Tensor:
    """Batch normalization as these networks have it."""
    return BatchNormalization(axis=building.channel_axis(), epsilon=_EPSILON, name=name)(x)


def _active(x: Tensor, prefix: str) -> Tensor:
    return Activation("relu", name=f"{prefix}_relu")(normalized(x, f"{prefix}_bn"))


def _block(x: Tensor, filters: int, stride: int, widen: bool, name: str) -> Tensor:
    shortcut = x
    if widen:
        shortcut = Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(x)
        shortcut = normalized(shortcut, f"{name}_0_bn")
    x = _active(Conv2D(filters, 1, strides=stride, name=f"{name}_1_conv")(x), f"{name}_1")
    x = _active(Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x), f"{name}_2")
    x = normalized(Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x), f"{name}_3_bn")
    return Activation("relu", name=f"{name}_out")(Add(name=f"{name}_add")([shortcut, x]))


def _block_v2(x: Tensor, filters: int, stride: int, widen: bool, name: str) -> Tensor:
    first = _active(x, f"{name}_preact")
    if widen:
        shortcut = Conv2D(4 * filters, 1, strides=stride, name=f"{name}_0_conv")(first)
    else:
        shortcut = MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = _active(Conv2D(filters, 1, strides=1, use_bias=False, name=f"{name}_1_conv")(first), f"{name}_1")
    x = ZeroPadding2D(padding=((1, 1), (1, 1)), name=f"{name}_2_pad")(x)
    x = _active(Conv2D(filters, 3, strides=stride, use_bias=False, name=f"{name}_2_conv")(x), f"{name}_2")
    x = Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    return Add(name=f"{name}_out")([shortcut, x])


def _stacks(x: Tensor, blocks: Sequence[int], preactivated: bool) -> Tensor:
    for stack, (count, filters) in enumerate(zip(blocks, _FILTERS, strict=True), 2):
        for i in range(1, count + 1):
            name = f"conv{stack}_block{i}"
            if preactivated:
                # The last block of a stack makes the images smaller, but of the last stack.
                stride = 2 if i == count and stack < 5 else 1
                x = _block_v2(x, filters, stride, i == 1, name)
            else:
                stride = 2 if i == 1 and stack > 2 else 1
                x = _block(x, filters, stride, i == 1, name)
    return x


def resnet(name: str, blocks: Sequence[int], preactivated: bool, request: Request, checksums: Sequence[str]) -> Model:
    """A residual network.

    Args:
        name: its name.
        blocks: how many blocks each of its four stacks has.
        preactivated: whether normalization and activation come first.
        request: what the program asks for.
        checksums: of the trained weights with the top and without it.
    """
    start = building.input_of(request, building.shape_of_input(request, 224, 32))
    x = ZeroPadding2D(padding=((3, 3), (3, 3)), name="conv1_pad")(start)
    x = Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if not preactivated:
        x = _active(x, "conv1")
    x = ZeroPadding2D(padding=((1, 1), (1, 1)), name="pool1_pad")(x)
    x = MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    x = _stacks(x, blocks, preactivated)
    if preactivated:
        x = _active(x, "post")
    if request.include_top:
        x = building.classified(x, request.classes, "probs")
    else:
        x = building.pooled(x, request.pooling, prefix=True)
    file = f"{name}_weights_tf_dim_ordering_tf_kernels"
    files = Weights(_FOLDER, (f"{file}.h5", checksums[0]), (f"{file}_notop.h5", checksums[1]))
    return building.model_of(request, start, x, name, lambda: files)
