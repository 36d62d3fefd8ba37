"""Layers that make sequences, images and volumes larger by repeating or interpolating elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.keras.backend.arrays import repeat_elements, resize_images, resize_volumes
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import normalize_data_format, normalize_tuple

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import ShapeLike


def _enlarged(input_shape: ShapeLike, factors: Sequence[int], first_axis: int) -> TensorShape:
    sizes: list[Any] = TensorShape(input_shape).as_list()
    for axis, factor in enumerate(factors, first_axis):
        if sizes[axis] is not None:
            sizes[axis] *= factor
    return TensorShape(sizes)


class UpSampling1D(Layer):
    """Repeats every step of sequences.

    Args:
        size: how many times.
    """

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = int(size)
        self.input_spec = InputSpec(ndim=3)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """[batch, size * steps, features]."""
        return _enlarged(input_shape, [self.size], 1)

    def call(self, inputs: Any) -> Tensor:
        """The inputs, each step several times."""
        return repeat_elements(inputs, self.size, axis=1)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "size": self.size}


class UpSampling2D(Layer):
    """Makes images larger.

    Args:
        size: the factors of height and width, or one for both.
        data_format: "channels_last" or "channels_first".
        interpolation: "nearest" or "bilinear".

    Raises:
        ValueError: for another interpolation.

    Example:
        >>> tf.keras.layers.UpSampling2D(2)(tf.zeros([1, 4, 5, 3])).shape.as_list()
        [1, 8, 10, 3]
    """

    def __init__(
        self,
        size: int | Sequence[int] = (2, 2),
        data_format: str | None = None,
        interpolation: str = "nearest",
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.size = normalize_tuple(size, 2, "size")
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError('`interpolation` argument should be one of `"nearest"` or `"bilinear"`.')
        self.interpolation = interpolation
        self.input_spec = InputSpec(ndim=4)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the inputs with height and width times the factors."""
        return _enlarged(input_shape, self.size, 2 if self.data_format == "channels_first" else 1)

    def call(self, inputs: Any) -> Tensor:
        """The larger images."""
        return resize_images(inputs, self.size[0], self.size[1], self.data_format, interpolation=self.interpolation)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        own = {key: getattr(self, key) for key in ("size", "data_format", "interpolation")}
        return {**super().get_config(), **own}


class UpSampling3D(Layer):
    """Repeats the elements of volumes along their three axes.

    Args:
        size: how many times along each, or one int for all.
        data_format: "channels_last" or "channels_first".
    """

    def __init__(self, size: int | Sequence[int] = (2, 2, 2), data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.size = normalize_tuple(size, 3, "size")
        self.input_spec = InputSpec(ndim=5)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the inputs with the spatial sizes times the factors."""
        return _enlarged(input_shape, self.size, 2 if self.data_format == "channels_first" else 1)

    def call(self, inputs: Any) -> Tensor:
        """The larger volumes."""
        return resize_volumes(inputs, self.size[0], self.size[1], self.size[2], self.data_format)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "size": self.size, "data_format": self.data_format}
