"""`tf.layers`: pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.layers import pooling
from headrace.layers.base import Layer
from headrace.layers.classic.functional import function_of


class AveragePooling1D(pooling.AveragePooling1D, Layer):
    """The mean of every window of sequences, [batch, steps, channels]."""

    def __init__(
        self,
        pool_size: int,
        strides: int,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        super().__init__(
            pool_size=pool_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            name=name,
            **kwargs,
        )


class MaxPooling1D(pooling.MaxPooling1D, Layer):
    """The largest value of every window of sequences, [batch, steps, channels]."""

    def __init__(
        self,
        pool_size: int,
        strides: int,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        super().__init__(
            pool_size=pool_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            name=name,
            **kwargs,
        )


class AveragePooling2D(pooling.AveragePooling2D, Layer):
    """The mean of every window of images, [batch, height, width, channels]."""

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int],
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        super().__init__(
            pool_size=pool_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            name=name,
            **kwargs,
        )


class MaxPooling2D(pooling.MaxPooling2D, Layer):
    """The largest value of every window of images, [batch, height, width, channels]."""

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int] | None,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        super().__init__(
            pool_size=pool_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            name=name,
            **kwargs,
        )


class AveragePooling3D(pooling.AveragePooling3D, Layer):
    """The mean of every window of volumes, [batch, depth, height, width, channels]."""

    def __init__(
        self,
        pool_size: int,
        strides: int,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        super().__init__(
            pool_size=pool_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            name=name,
            **kwargs,
        )


class MaxPooling3D(pooling.MaxPooling3D, Layer):
    """The largest value of every window of volumes, [batch, depth, height, width, channels]."""

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int,
        padding: str = "valid",
        data_format: str = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        if strides is None:
            raise ValueError("Argument `strides` must not be None.")
        super().__init__(
            pool_size=pool_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            name=name,
            **kwargs,
        )


average_pooling1d = function_of(
    AveragePooling1D,
    "average_pooling1d",
    "The mean of every window of sequences, [batch, steps, channels].",
    "y = tf.layers.average_pooling1d(x, pool_size=2, strides=2)",
)
max_pooling1d = function_of(
    MaxPooling1D,
    "max_pooling1d",
    "The largest value of every window of sequences, [batch, steps, channels].",
    "y = tf.layers.max_pooling1d(x, pool_size=2, strides=2)",
)
average_pooling2d = function_of(
    AveragePooling2D,
    "average_pooling2d",
    "The mean of every window of images, [batch, height, width, channels].",
    "y = tf.layers.average_pooling2d(x, pool_size=2, strides=2)",
)
max_pooling2d = function_of(
    MaxPooling2D,
    "max_pooling2d",
    "The largest value of every window of images, [batch, height, width, channels].",
    "y = tf.layers.max_pooling2d(x, pool_size=2, strides=2)",
)
average_pooling3d = function_of(
    AveragePooling3D,
    "average_pooling3d",
    "The mean of every window of volumes, [batch, depth, height, width, channels].",
    "y = tf.layers.average_pooling3d(x, pool_size=2, strides=2)",
)
max_pooling3d = function_of(
    MaxPooling3D,
    "max_pooling3d",
    "The largest value of every window of volumes, [batch, depth, height, width, channels].",
    "y = tf.layers.max_pooling3d(x, pool_size=2, strides=2)",
)
