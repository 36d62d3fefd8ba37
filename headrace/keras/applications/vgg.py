"""VGG16 and VGG19 (Simonyan and Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition", 2014)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.layers.convolutional import Conv2D
from headrace.layers.core import Dense, Flatten
from headrace.layers.pooling import MaxPooling2D

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/fchollet/deep-learning-models/releases/download/v0.1/"
_FILTERS = (64, 128, 256, 512, 512)
_HIDDEN = 4096


def _vgg(name: str, convolutions: tuple[int, ...], request: Request, weights: Weights) -> Model:
    start = building.input_of(request, building.shape_of_input(request, 224, 32))
    x = start
    for block, (count, filters) in enumerate(zip(convolutions, _FILTERS, strict=True), 1):
        for i in range(1, count + 1):
            x = Conv2D(filters, (3, 3), activation="relu", padding="same", name=f"block{block}_conv{i}")(x)
        x = MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
    if request.include_top:
        x = Flatten(name="flatten")(x)
        x = Dense(_HIDDEN, activation="relu", name="fc1")(x)
        x = Dense(_HIDDEN, activation="relu", name="fc2")(x)
        x = Dense(request.classes, activation="softmax", name="predictions")(x)
    else:
        x = building.pooled(x, request.pooling)
    return building.model_of(request, start, x, name, lambda: weights)


def VGG16(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """VGG16: 13 convolutions and 3 dense layers.

    Args:
        include_top: whether it ends with dense layers that classify.
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
    files = Weights(
        _FOLDER,
        ("vgg16_weights_tf_dim_ordering_tf_kernels.h5", "64373286793e3c8b2b4e3219cbf3544b"),
        ("vgg16_weights_tf_dim_ordering_tf_kernels_notop.h5", "6d6bbae143d832006294945121d1f1fc"),
    )
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _vgg("vgg16", (2, 2, 3, 3, 3), request, files)


def VGG19(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """VGG19: 16 convolutions and 3 dense layers.

    Args:
        include_top, weights, input_tensor, input_shape, pooling, classes: as for `VGG16`.

    Returns:
        a `Model`.

    Raises:
        ValueError: for weights that are not there and shapes that it cannot have.
    """
    files = Weights(
        _FOLDER,
        ("vgg19_weights_tf_dim_ordering_tf_kernels.h5", "cbe5617147190e668d6c5d5026f83318"),
        ("vgg19_weights_tf_dim_ordering_tf_kernels_notop.h5", "253f8cb515780f3b799900260a226db6"),
    )
    request = Request(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _vgg("vgg19", (2, 2, 4, 4, 4), request, files)
