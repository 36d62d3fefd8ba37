"""InceptionResNetV2 (Szegedy et al., "Inception-v4, Inception-ResNet and the Impact of Residual Connections on Learning",
2016)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.keras.applications.inception import conv, joined, narrowed, pooled_then, stem
from headrace.keras.layers.core import Activation
from headrace.keras.layers.lambda_layer import Lambda
from headrace.layers.convolutional import Conv2D

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/fchollet/deep-learning-models/releases/download/v0.7/"
_FILE = "inception_resnet_v2_weights_tf_dim_ordering_tf_kernels"


def _residual(x: Tensor, branches: Sequence[Tensor], scale: float, name: str, active: bool = True) -> Tensor:
    """An image with what branches make of it added, scaled down."""
    mixed = joined(branches, f"{name}_mixed")
    channels = building.static_shape(x)[building.channel_axis()] or 0
    up = Conv2D(channels, 1, padding="same", name=f"{name}_conv")(mixed)
    x = Lambda(
        lambda inputs, scale: inputs[0] + inputs[1] * scale,
        output_shape=building.static_shape(x)[1:],
        arguments={"scale": scale},
        name=name,
    )([x, up])
    return Activation("relu", name=f"{name}_ac")(x) if active else x


def _block_35(x: Tensor, name: str) -> Tensor:
    one = conv(x, 32, 1)
    three = conv(conv(x, 32, 1), 32, 3)
    double = conv(conv(conv(x, 32, 1), 48, 3), 64, 3)
    return _residual(x, [one, three, double], 0.17, name)


def _block_17(x: Tensor, name: str) -> Tensor:
    one = conv(x, 192, 1)
    seven = conv(conv(conv(x, 128, 1), 160, (1, 7)), 192, (7, 1))
    return _residual(x, [one, seven], 0.1, name)


def _block_8(x: Tensor, name: str, scale: float = 0.2, active: bool = True) -> Tensor:
    one = conv(x, 192, 1)
    three = conv(conv(conv(x, 192, 1), 224, (1, 3)), 256, (3, 1))
    return _residual(x, [one, three], scale, name, active)


def _first(x: Tensor) -> Tensor:
    one = conv(x, 96, 1)
    five = conv(conv(x, 48, 1), 64, 5)
    double = conv(conv(conv(x, 64, 1), 96, 3), 96, 3)
    return joined([one, five, double, pooled_then(x, 64)], "mixed_5b")


def _to_17(x: Tensor) -> Tensor:
    three = conv(x, 384, 3, strides=2, padding="valid")
    double = conv(conv(conv(x, 256, 1), 256, 3), 384, 3, strides=2, padding="valid")
    return joined([three, double, narrowed(x)], "mixed_6a")


def _to_8(x: Tensor) -> Tensor:
    three = conv(conv(x, 256, 1), 384, 3, strides=2, padding="valid")
    wider = conv(conv(x, 256, 1), 288, 3, strides=2, padding="valid")
    double = conv(conv(conv(x, 256, 1), 288, 3), 320, 3, strides=2, padding="valid")
    return joined([three, wider, double, narrowed(x)], "mixed_7a")


def InceptionResNetV2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """InceptionResNetV2: 40 residual blocks of branches.

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
    return _inception_resnet_v2(request)


def _inception_resnet_v2(request: Request) -> Model:
    start = building.input_of(request, building.shape_of_input(request, 299, 75))
    x = _first(stem(start))
    for i in range(1, 11):
        x = _block_35(x, f"block35_{i}")
    x = _to_17(x)
    for i in range(1, 21):
        x = _block_17(x, f"block17_{i}")
    x = _to_8(x)
    for i in range(1, 10):
        x = _block_8(x, f"block8_{i}")
    x = _block_8(x, "block8_10", scale=1.0, active=False)
    x = conv(x, 1536, 1, name="conv_7b")
    if request.include_top:
        x = building.classified(x, request.classes)
    else:
        x = building.pooled(x, request.pooling)
    files = Weights(
        _FOLDER,
        (f"{_FILE}.h5", "e693bd0210a403b3192acc6073ad2e96"),
        (f"{_FILE}_notop.h5", "d19885ff4a710c122648d3b5c3b684e4"),
    )
    return building.model_of(request, start, x, "inception_resnet_v2", lambda: files)
