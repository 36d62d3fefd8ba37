"""Xception (Chollet, "Xception: Deep Learning with Depthwise Separable Convolutions", 2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.keras.layers.core import Activation
from headrace.keras.layers.merge import Add
from headrace.layers.convolutional import Conv2D
from headrace.layers.normalization import BatchNormalization
from headrace.layers.pooling import MaxPooling2D
from headrace.layers.separable import SeparableConv2D

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/fchollet/deep-learning-models/releases/download/v0.4/"
_FILE = "xception_weights_tf_dim_ordering_tf_kernels"
# The width of the middle of the network.
_MIDDLE = 728


def _active(x: Tensor, name: str) -> Tensor:
    return Activation("relu", name=f"{name}_act")(x)


def _normalized(x: Tensor, name: str | None) -> Tensor:
    return BatchNormalization(axis=building.channel_axis(), name=name and f"{name}_bn")(x)


def _separable(x: Tensor, filters: int, name: str) -> Tensor:
    x = SeparableConv2D(filters, (3, 3), padding="same", use_bias=False, name=name)(x)
    return _normalized(x, name)


def _narrowing(x: Tensor, block: int, filters: Sequence[int], active_first: bool = True) -> Tensor:
    """Two convolutions and a pooling, beside a convolution of the input."""
    residual = Conv2D(filters[-1], (1, 1), strides=(2, 2), padding="same", use_bias=False)(x)
    residual = _normalized(residual, None)
    for i, width in enumerate(filters, 1):
        name = f"block{block}_sepconv{i}"
        if i > 1 or active_first:
            x = _active(x, name)
        x = _separable(x, width, name)
    x = MaxPooling2D((3, 3), strides=(2, 2), padding="same", name=f"block{block}_pool")(x)
    return Add()([x, residual])


def _middle(x: Tensor, block: int) -> Tensor:
    residual = x
    for i in range(1, 4):
        name = f"block{block}_sepconv{i}"
        x = _separable(_active(x, name), _MIDDLE, name)
    return Add()([x, residual])


def Xception(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """Xception: 36 convolutions, most of them separable.

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
    return _xception(request)


def _xception(request: Request) -> Model:
    start = building.input_of(request, building.shape_of_input(request, 299, 71))
    x = Conv2D(32, (3, 3), strides=(2, 2), use_bias=False, name="block1_conv1")(start)
    x = _active(_normalized(x, "block1_conv1"), "block1_conv1")
    x = Conv2D(64, (3, 3), use_bias=False, name="block1_conv2")(x)
    x = _active(_normalized(x, "block1_conv2"), "block1_conv2")
    x = _narrowing(x, 2, (128, 128), active_first=False)
    x = _narrowing(x, 3, (256, 256))
    x = _narrowing(x, 4, (_MIDDLE, _MIDDLE))
    for block in range(5, 13):
        x = _middle(x, block)
    x = _narrowing(x, 13, (_MIDDLE, 1024))
    for i, filters in enumerate((1536, 2048), 1):
        name = f"block14_sepconv{i}"
        x = _active(_separable(x, filters, name), name)
    if request.include_top:
        x = building.classified(x, request.classes)
    else:
        x = building.pooled(x, request.pooling)
    files = Weights(
        _FOLDER,
        (f"{_FILE}.h5", "0a58e3b7378bc2990ea3b43d5981f1f6"),
        (f"{_FILE}_notop.h5", "b0042744bf5b25fce3cb969f33bebb97"),
    )
    return building.model_of(request, start, x, "xception", lambda: files)
