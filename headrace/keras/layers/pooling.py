"""Layers that take the mean or the largest value over all steps or places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_max, reduce_mean, reduce_sum
from headrace.keras.backend_config import floatx
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import normalize_data_format
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import ShapeLike


class GlobalPooling(Layer):
    """What the layers share that pool over all places.

    Args:
        data_format: "channels_last" or "channels_first".
    """

    rank: int

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _space(self) -> list[int]:
        first = 1 if self.data_format == "channels_last" else 2
        return list(range(first, first + self.rank))

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """[batch, channels]."""
        sizes = TensorShape(input_shape).as_list()
        return TensorShape([sizes[0], sizes[-1] if self.data_format == "channels_last" else sizes[1]])

    def call(self, inputs: Any) -> Any:
        """Each kind has its own."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "data_format": self.data_format}


class GlobalPooling1D(GlobalPooling):
    """What the layers share that pool over all steps of sequences."""

    rank = 1

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)

    def _step(self) -> int:
        return 1 if self.data_format == "channels_last" else 2


class GlobalPooling2D(GlobalPooling):
    """What the layers share that pool over whole images."""

    rank = 2


class GlobalPooling3D(GlobalPooling):
    """What the layers share that pool over whole volumes."""

    rank = 3


class GlobalAveragePooling1D(GlobalPooling1D):
    """The mean over the steps of sequences, [batch, steps, channels]; masked steps do not count."""

    def __init__(self, data_format: str | None = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format=data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs: Any, mask: Any = None) -> Tensor:
        """The means."""
        axis = self._step()
        if mask is None:
            return reduce_mean(inputs, axis=axis)
        known = inputs.shape.as_list()
        counted = cast(mask, floatx())
        counted = reshape(counted, [-1, known[1], 1] if axis == 1 else [-1, 1, known[2]])
        return reduce_sum(inputs * counted, axis=axis) / reduce_sum(counted, axis=axis)

    def compute_mask(self, inputs: Any, mask: Any = None) -> None:
        """None: there are no steps any more."""
        return None


class GlobalMaxPooling1D(GlobalPooling1D):
    """The largest value of each channel over the steps of sequences, [batch, steps, channels]."""

    def call(self, inputs: Any) -> Tensor:
        """The largest values."""
        return reduce_max(inputs, axis=self._step())


class GlobalAveragePooling2D(GlobalPooling2D):
    """The mean of each channel of images.

    Example:
        >>> features = tf.keras.layers.GlobalAveragePooling2D()(images)
    """

    def call(self, inputs: Any) -> Tensor:
        """The means."""
        return reduce_mean(inputs, axis=self._space())


class GlobalMaxPooling2D(GlobalPooling2D):
    """The largest value of each channel of images."""

    def call(self, inputs: Any) -> Tensor:
        """The largest values."""
        return reduce_max(inputs, axis=self._space())


class GlobalAveragePooling3D(GlobalPooling3D):
    """The mean of each channel of volumes."""

    def call(self, inputs: Any) -> Tensor:
        """The means."""
        return reduce_mean(inputs, axis=self._space())


class GlobalMaxPooling3D(GlobalPooling3D):
    """The largest value of each channel of volumes."""

    def call(self, inputs: Any) -> Tensor:
        """The largest values."""
        return reduce_max(inputs, axis=self._space())
