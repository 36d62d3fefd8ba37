"""What the Inception networks are put together from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.keras.applications import building
from headrace.keras.layers.core import Activation
from headrace.keras.layers.merge import Concatenate
from headrace.layers.convolutional import Conv2D
from headrace.layers.normalization import BatchNormalization
from headrace.layers.pooling import AveragePooling2D, MaxPooling2D

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor


def conv(
    x: Tensor,
    filters: int,
    size: int | tuple[int, int],
    strides: int = 1,
    padding: str = "same",
    name: str | None = None,
) -> Tensor:
    """A convolution without a bias, normalized and activated.

    Args:
        x: the images.
        filters, size, strides, padding: of the convolution.
        name: its name; the normalization's ends with `_bn` and the activation's with `_ac`.
    """
    x = Conv2D(filters, size, strides=strides, padding=padding, use_bias=False, name=name)(x)
    x = BatchNormalization(axis=building.channel_axis(), scale=False, name=name and f"{name}_bn")(x)
    return Activation("relu", name=name and f"{name}_ac")(x)


def joined(branches: Sequence[Tensor], name: str) -> Tensor:
    """Branches as channels of one image."""
    return Concatenate(axis=building.channel_axis(), name=name)(list(branches))


def narrowed(x: Tensor) -> Tensor:
    """Images of half the size, by the largest of each nine points."""
    return MaxPooling2D((3, 3), strides=(2, 2))(x)


def pooled_then(x: Tensor, filters: int) -> Tensor:
    """The averages of nine points, and a convolution of them."""
    x = AveragePooling2D((3, 3), strides=(1, 1), padding="same")(x)
    return conv(x, filters, 1)


def stem(x: Tensor) -> Tensor:
    """The first convolutions: 299 by 299 points to 35 by 35."""
    x = conv(x, 32, 3, strides=2, padding="valid")
    x = conv(x, 32, 3, padding="valid")
    x = narrowed(conv(x, 64, 3))
    x = conv(x, 80, 1, padding="valid")
    return narrowed(conv(x, 192, 3, padding="valid"))
