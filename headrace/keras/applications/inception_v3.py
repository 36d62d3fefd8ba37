"""InceptionV3 (Szegedy et al., "Rethinking the Inception Architecture for Computer Vision", 2015)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.applications import building
from headrace.keras.applications.building import Request, Shape, Weights
from headrace.keras.applications.inception import conv, joined, narrowed, pooled_then, stem
from headrace.keras.layers.merge import Concatenate

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.keras.engine.training import Model

_FOLDER = "https://github.com/fchollet/deep-learning-models/releases/download/v0.5/"
_FILE = "inception_v3_weights_tf_dim_ordering_tf_kernels"


def _block_35(x: Tensor, after_pool: int, name: str) -> Tensor:
    """Images of 35 by 35: convolutions of 1, of 5, and of twice 3."""
    one = conv(x, 64, 1)
    five = conv(conv(x, 48, 1), 64, 5)
    double = conv(conv(conv(x, 64, 1), 96, 3), 96, 3)
    return joined([one, five, double, pooled_then(x, after_pool)], name)


def _block_17(x: Tensor, width: int, name: str) -> Tensor:
    """Images of 17 by 17: convolutions of 7, a row or a column each."""
    one = conv(x, 192, 1)
    seven = conv(conv(conv(x, width, 1), width, (1, 7)), 192, (7, 1))
    double = conv(conv(x, width, 1), width, (7, 1))
    double = conv(conv(conv(double, width, (1, 7)), width, (7, 1)), 192, (1, 7))
    return joined([one, seven, double, pooled_then(x, 192)], name)


def _block_8(x: Tensor, number: int) -> Tensor:
    """Images of 8 by 8: convolutions of 3, a row and a column side by side."""
    axis = building.channel_axis()
    one = conv(x, 320, 1)
    three = conv(x, 384, 1)
    three = joined([conv(three, 384, (1, 3)), conv(three, 384, (3, 1))], f"mixed9_{number}")
    double = conv(conv(x, 448, 1), 384, 3)
    double = Concatenate(axis=axis)([conv(double, 384, (1, 3)), conv(double, 384, (3, 1))])
    return joined([one, three, double, pooled_then(x, 192)], f"mixed{9 + number}")


def InceptionV3(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """InceptionV3, of 94 convolutions.

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
    return _inception_v3(request)


def _inception_v3(request: Request) -> Model:
    start = building.input_of(request, building.shape_of_input(request, 299, 75))
    x = stem(start)
    for i, after_pool in enumerate((32, 64, 64)):
        x = _block_35(x, after_pool, f"mixed{i}")
    x = _to_17(x)
    for i, width in enumerate((128, 160, 160, 192), 4):
        x = _block_17(x, width, f"mixed{i}")
    x = _to_8(x)
    for number in range(2):
        x = _block_8(x, number)
    if request.include_top:
        x = building.classified(x, request.classes)
    else:
        x = building.pooled(x, request.pooling)
    files = Weights(
        _FOLDER,
        (f"{_FILE}.h5", "9a0d58056eeedaa3f26cb7ebd46da564"),
        (f"{_FILE}_notop.h5", "bcbd6486424b2319ff4ef7d526e38f63"),
    )
    return building.model_of(request, start, x, "inception_v3", lambda: files)


def _to_17(x: Tensor) -> Tensor:
    three = conv(x, 384, 3, strides=2, padding="valid")
    double = conv(conv(conv(x, 64, 1), 96, 3), 96, 3, strides=2, padding="valid")
    return joined([three, double, narrowed(x)], "mixed3")


def _to_8(x: Tensor) -> Tensor:
    three = conv(conv(x, 192, 1), 320, 3, strides=2, padding="valid")
    seven = conv(conv(conv(x, 192, 1), 192, (1, 7)), 192, (7, 1))
    seven = conv(seven, 192, 3, strides=2, padding="valid")
    return joined([three, seven, narrowed(x)], "mixed8")
