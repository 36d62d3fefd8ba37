"""Layers that take the largest or mean value of windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.functions.nn.pooling_functions import avg_pool, avg_pool3d, max_pool, max_pool3d
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import (
    conv_output_length,
    convert_data_format,
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
)

if TYPE_CHECKING:
    from headrace.core.typing import ShapeLike, TensorLike


class Pooling(Layer):
    """What the layers of pooling share.

    Args:
        pool_function: the function of `tf.nn` that does it.
        pool_size: the window: an int or one for each spatial axis.
        strides: by how much it moves; as much as it is large by default.
        padding: "valid" or "same".
        data_format: "channels_last" or "channels_first".
    """

    rank: int

    def __init__(
        self,
        pool_function: Callable[..., Any],
        pool_size: int | Sequence[int],
        strides: Any,
        padding: str = "valid",
        data_format: str | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_function = pool_function
        self.pool_size = normalize_tuple(pool_size, self.rank, "pool_size")
        self.strides = normalize_tuple(pool_size if strides is None else strides, self.rank, "strides")
        self.padding = normalize_padding(padding)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the inputs with the number of windows along the spatial axes."""
        sizes = TensorShape(input_shape).as_list()
        start = 2 if self.data_format == "channels_first" else 1
        for i in range(self.rank):
            sizes[start + i] = conv_output_length(sizes[start + i], self.pool_size[i], self.padding, self.strides[i])
        return TensorShape(sizes)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        own = ("pool_size", "padding", "strides", "data_format")
        return {**Layer.get_config(self), **{key: getattr(self, key) for key in own}}


class Pooling1D(Pooling):
    """What the layers of pooling over sequences share: they see them as images of width 1."""

    rank = 1

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with, in 1.15's order."""
        config = super().get_config()
        own = {key: config.pop(key) for key in ("strides", "pool_size", "padding", "data_format")}
        return {**config, **own}

    def call(self, inputs: TensorLike) -> Any:
        """The largest or mean values."""
        last = self.data_format == "channels_last"
        axis = 2 if last else 3
        image = expand_dims(inputs, axis)
        if not last:
            # As TensorFlow without a GPU: pooled with the channels last.
            image = transpose(image, (0, 2, 3, 1))
        outputs = self.pool_function(
            image, (1, *self.pool_size, 1, 1), (1, *self.strides, 1, 1), self.padding.upper(), data_format="NHWC"
        )
        if not last:
            outputs = transpose(outputs, (0, 3, 1, 2))
        return squeeze(outputs, axis)


class Pooling2D(Pooling):
    """What the layers of pooling over images share."""

    rank = 2

    def call(self, inputs: TensorLike) -> Any:
        """The largest or mean values."""
        last = self.data_format == "channels_last"
        return self.pool_function(
            inputs,
            ksize=(1, *self.pool_size, 1) if last else (1, 1, *self.pool_size),
            strides=(1, *self.strides, 1) if last else (1, 1, *self.strides),
            padding=self.padding.upper(),
            data_format=convert_data_format(self.data_format, 4),
        )


class Pooling3D(Pooling):
    """What the layers of pooling over volumes share."""

    rank = 3

    def call(self, inputs: Any) -> Any:
        """The largest or mean values."""
        first = self.data_format == "channels_first"
        if first:
            inputs = transpose(inputs, (0, 2, 3, 4, 1))
        outputs = self.pool_function(
            inputs, ksize=(1, *self.pool_size, 1), strides=(1, *self.strides, 1), padding=self.padding.upper()
        )
        return transpose(outputs, (0, 4, 1, 2, 3)) if first else outputs


class MaxPooling1D(Pooling1D):
    """The largest value of every window of sequences, [batch, steps, channels]."""

    def __init__(
        self,
        pool_size: int = 2,
        strides: int | None = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(max_pool, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling1D(Pooling1D):
    """The mean of every window of sequences, [batch, steps, channels]."""

    def __init__(
        self,
        pool_size: int = 2,
        strides: int | None = None,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        **kwargs: Any,
    ) -> None:
        super().__init__(avg_pool, pool_size, strides, padding, data_format, **kwargs)


class MaxPooling2D(Pooling2D):
    """The largest value of every window of images, [batch, height, width, channels]."""

    def __init__(
        self,
        pool_size: int | Sequence[int] = (2, 2),
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_pool, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling2D(Pooling2D):
    """The mean of every window of images, [batch, height, width, channels]."""

    def __init__(
        self,
        pool_size: int | Sequence[int] = (2, 2),
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(avg_pool, pool_size, strides, padding, data_format, **kwargs)


class MaxPooling3D(Pooling3D):
    """The largest value of every window of volumes, [batch, depth, height, width, channels]."""

    def __init__(
        self,
        pool_size: int | Sequence[int] = (2, 2, 2),
        strides: int | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(max_pool3d, pool_size, strides, padding, data_format, **kwargs)


class AveragePooling3D(Pooling3D):
    """The mean of every window of volumes, [batch, depth, height, width, channels]."""

    def __init__(
        self,
        pool_size: int | Sequence[int] = (2, 2, 2),
        strides: int | Sequence[int] | None = None,
        padding: str = "valid",
        data_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(avg_pool3d, pool_size, strides, padding, data_format, **kwargs)
