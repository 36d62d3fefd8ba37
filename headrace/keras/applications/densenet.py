"""DenseNet121, DenseNet169 and DenseNet201 (Huang et al., "Densely Connected Convolutional Networks", 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.keras.applications.residual import normalized
from headrace.keras.layers.core import Activation
from headrace.keras.layers.cropping import ZeroPadding2D
from headrace.keras.layers.merge import Concatenate
from headrace.layers.convolutional import Conv2D
from headrace.layers.pooling import AveragePooling2D, MaxPooling2D

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/keras-team/keras-applications/releases/download/densenet/"
# How many channels each block adds, and the part of them that is kept between stacks.
_GROWTH = 32
_KEPT = 0.5


def _active(x: Tensor, prefix: str) -> Tensor:
    return Activation("relu", name=f"{prefix}relu")(normalized(x, f"{prefix}bn"))


def _block(x: Tensor, name: str) -> Tensor:
    new = _active(x, f"{name}_0_")
    new = Conv2D(4 * _GROWTH, 1, use_bias=False, name=f"{name}_1_conv")(new)
    new = _active(new, f"{name}_1_")
    new = Conv2D(_GROWTH, 3, padding="same", use_bias=False, name=f"{name}_2_conv")(new)
    return Concatenate(axis=building.channel_axis(), name=f"{name}_concat")([x, new])


def _transition(x: Tensor, name: str) -> Tensor:
    x = _active(x, f"{name}_")
    channels = building.static_shape(x)[building.channel_axis()]
    x = Conv2D(int((channels or 0) * _KEPT), 1, use_bias=False, name=f"{name}_conv")(x)
    return AveragePooling2D(2, strides=2, name=f"{name}_pool")(x)


def _densenet(name: str, blocks: Sequence[int], request: Request, checksums: Sequence[str]) -> Model:
    start = building.input_of(request, building.shape_of_input(request, 224, 32))
    x = ZeroPadding2D(padding=((3, 3), (3, 3)))(start)
    x = Conv2D(64, 7, strides=2, use_bias=False, name="conv1/conv")(x)
    x = _active(x, "conv1/")
    x = ZeroPadding2D(padding=((1, 1), (1, 1)))(x)
    x = MaxPooling2D(3, strides=2, name="pool1")(x)
    for stack, count in enumerate(blocks, 2):
        for i in range(1, count + 1):
            x = _block(x, f"conv{stack}_block{i}")
        if stack <= len(blocks):
            x = _transition(x, f"pool{stack}")
    x = _active(x, "")
    if request.include_top:
        x = building.classified(x, request.classes, "fc1000")
    else:
        x = building.pooled(x, request.pooling, prefix=True)
    file = f"{name}_weights_tf_dim_ordering_tf_kernels"
    files = Weights(_FOLDER, (f"{file}.h5", checksums[0]), (f"{file}_notop.h5", checksums[1]))
    return building.model_of(request, start, x, name, lambda: files)


def DenseNet121(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A densely connected network of 121 layers.

    Args:
        include_top: whether it ends with a dense layer that classifies.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        input_shape: the shape of an image.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    """
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _densenet(
        "densenet121",
        (6, 12, 24, 16),
        request,
        ("9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738"),
    )


def DenseNet169(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A densely connected network of 169 layers.

    Args:
        include_top: whether it ends with a dense layer that classifies.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        input_shape: the shape of an image.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    """
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _densenet(
        "densenet169",
        (6, 12, 32, 32),
        request,
        ("d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b"),
    )


def DenseNet201(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A densely connected network of 201 layers.

    Args:
        include_top: whether it ends with a dense layer that classifies.
        weights: "imagenet" for trained ones, which are fetched; a path; or None for random ones.
        input_tensor: a tensor to begin with.
        input_shape: the shape of an image.
        pooling: without the top: "avg" or "max" over each channel, or None.
        classes: how many classes the top knows.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    """
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _densenet(
        "densenet201",
        (6, 12, 48, 32),
        request,
        ("1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1"),
    )
