"""ResNet50V2, ResNet101V2 and ResNet152V2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.applications.building import Request, Shape
from headrace.keras.applications.residual import resnet

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


def ResNet50V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A residual network of 50 layers, normalization first.

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
    return resnet(
        "resnet50v2",
        (3, 4, 6, 3),
        True,
        request,
        ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917"),
    )


def ResNet101V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A residual network of 101 layers, normalization first.

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
    return resnet(
        "resnet101v2",
        (3, 4, 23, 3),
        True,
        request,
        ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5"),
    )


def ResNet152V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A residual network of 152 layers, normalization first.

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
    return resnet(
        "resnet152v2",
        (3, 8, 36, 3),
        True,
        request,
        ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33"),
    )
