"""ResNet50, ResNet101 and ResNet152."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.applications.building import Request, Shape
from headrace.keras.applications.residual import resnet

if TYPE_CHECKING:
    from headrace.keras.engine.training import Model


def ResNet50(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A residual network of 50 layers.

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
        "resnet50",
        (3, 4, 6, 3),
        False,
        request,
        ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"),
    )


def ResNet101(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A residual network of 101 layers.

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
        "resnet101",
        (3, 4, 23, 3),
        False,
        request,
        ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"),
    )


def ResNet152(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Shape | None = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Model:
    """A residual network of 152 layers.

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
        "resnet152",
        (3, 8, 36, 3),
        False,
        request,
        ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"),
    )
