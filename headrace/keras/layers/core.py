"""Layers without variables that rearrange, mask or pass on what they take."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_any
from headrace.keras import regularizers
from headrace.kernels.composing.arranging import stack, transpose
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.layers import named
from headrace.layers.core import Dropout
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import default_data_format
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike


class Activation(Layer):
    """Applies a function to every element.

    Args:
        activation: the function, or the name of an activation such as "relu".

    Example:
        >>> y = tf.keras.layers.Activation("relu")(x)
    """

    def __init__(self, activation: FunctionIdentifier | None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.activation = named.get_activation(activation)

    def call(self, inputs: Any) -> Any:
        """activation(inputs)."""
        return self.activation(inputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """That of the inputs."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "activation": named.setting(self.activation)}


class ActivityRegularization(Layer):
    """Passes on its inputs and adds a loss for their size.

    Args:
        l1: the factor of the sum of their absolute values.
        l2: the factor of the sum of their squares.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0, **kwargs: Any) -> None:
        super().__init__(activity_regularizer=regularizers.L1L2(l1=l1, l2=l2), **kwargs)
        self.supports_masking = True
        self.l1 = l1
        self.l2 = l2

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """That of the inputs."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "l1": self.l1, "l2": self.l2}


class Masking(Layer):
    """Masks the steps of sequences at which all features have one value, and sets them to 0.

    Args:
        mask_value: that value.

    Example:
        >>> sequences = tf.keras.Input((None, 8))
        >>> y = tf.keras.layers.LSTM(32)(tf.keras.layers.Masking(mask_value=0.0)(sequences))
    """

    # `call` makes the mask as well.
    _compute_output_and_mask_jointly = True

    def __init__(self, mask_value: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.mask_value = mask_value

    def compute_mask(self, inputs: Any, mask: Any = None) -> Tensor:
        """Which steps are to be used."""
        return reduce_any(raw.NotEqual(inputs, self.mask_value), axis=-1)

    def call(self, inputs: Any) -> Tensor:
        """The inputs, 0 where they are masked."""
        used = reduce_any(raw.NotEqual(inputs, self.mask_value), axis=-1, keepdims=True)
        outputs = inputs * cast(used, inputs.dtype)
        outputs._keras_mask = squeeze(used, axis=-1)
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """That of the inputs."""
        return input_shape

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "mask_value": self.mask_value}


class Permute(Layer):
    """Puts the axes behind the batch's into another order.

    Args:
        dims: the numbers of the axes, from 1 on, in their new order.

    Raises:
        ValueError: if `dims` is no permutation of 1, 2, ...

    Example:
        >>> tf.keras.layers.Permute((2, 1))(tf.zeros([8, 3, 5])).shape
        TensorShape([Dimension(8), Dimension(5), Dimension(3)])
    """

    def __init__(self, dims: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(
                f"Invalid permutation `dims` for Permute Layer: {dims}. The set of indices in `dims` must be consecutive "
                "and start from 1."
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The sizes in their new order."""
        sizes = TensorShape(input_shape).as_list()
        return TensorShape([sizes[0], *(sizes[axis] for axis in self.dims)])

    def call(self, inputs: Any) -> Tensor:
        """The inputs with their axes in another order."""
        return transpose(inputs, perm=(0, *self.dims))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "dims": self.dims}


class RepeatVector(Layer):
    """Makes sequences, [batch, n, features], that repeat their input, [batch, features].

    Args:
        n: how many steps they have.
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """[batch, n, features]."""
        batch, features = TensorShape(input_shape).as_list()
        return TensorShape([batch, self.n, features])

    def call(self, inputs: Any) -> Tensor:
        """The inputs, `n` times."""
        return tile(expand_dims(inputs, 1), stack([1, self.n, 1]))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "n": self.n}


class Reshape(Layer):
    """Gives each example another shape.

    Args:
        target_shape: that shape, without the batch's axis; -1 for one size is what is left over.

    Example:
        >>> tf.keras.layers.Reshape((3, 4))(tf.zeros([8, 12])).shape
        TensorShape([Dimension(8), Dimension(3), Dimension(4)])
    """

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def _fix_unknown_dimension(self, input_shape: Sequence[int], output_shape: Sequence[int]) -> list[int]:
        """`output_shape` with the size for its -1 by which it has as many elements as `input_shape`."""
        sizes = list(output_shape)
        unknown = [i for i, size in enumerate(sizes) if size < 0]
        if len(unknown) > 1:
            raise ValueError("Can only specify one unknown dimension.")
        known = math.prod(size for size in sizes if size >= 0)
        original = math.prod(input_shape)
        wrong = "total size of new array must be unchanged"
        if unknown:
            if not known or original % known:
                raise ValueError(wrong)
            sizes[unknown[0]] = original // known
        elif original != known:
            raise ValueError(wrong)
        return sizes

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """[batch, *target_shape], with the size that stands for -1 where it follows from that of the inputs."""
        known: list[Any] = TensorShape(input_shape).as_list()
        batch, *sizes = known
        if None in sizes:
            return TensorShape([batch, *(None if size == -1 else size for size in self.target_shape)])
        return TensorShape([batch, *self._fix_unknown_dimension(sizes, self.target_shape)])

    def call(self, inputs: Any) -> Tensor:
        """The inputs in their new shape."""
        return reshape(inputs, (shape(inputs)[0], *self.target_shape))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "target_shape": self.target_shape}


def _layout(data_format: str | None) -> str:
    layout = default_data_format[-1] if data_format is None else data_format
    if layout not in ("channels_last", "channels_first"):
        raise ValueError('data_format must be in {"channels_last", "channels_first"}')
    return layout


class SpatialDropout1D(Dropout):
    """Drops whole features of sequences, [batch, steps, features], in training (Tompson et al., arXiv:1411.4280).

    Args:
        rate: the share of features to set to 0.
    """

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.input_spec = InputSpec(ndim=3)

    def _get_noise_shape(self, inputs: Any) -> Any:
        sizes = shape(inputs)
        return (sizes[0], 1, sizes[2])


class SpatialDropout2D(Dropout):
    """Drops whole channels of images in training (Tompson et al., arXiv:1411.4280).

    Args:
        rate: the share of channels to set to 0.
        data_format: "channels_last" or "channels_first".
    """

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = _layout(data_format)
        self.input_spec = InputSpec(ndim=4)

    def _get_noise_shape(self, inputs: Any) -> Any:
        sizes = shape(inputs)
        if self.data_format == "channels_first":
            return (sizes[0], sizes[1], 1, 1)
        return (sizes[0], 1, 1, sizes[3])


class SpatialDropout3D(Dropout):
    """Drops whole channels of volumes in training (Tompson et al., arXiv:1411.4280).

    Args:
        rate: the share of channels to set to 0.
        data_format: "channels_last" or "channels_first".
    """

    def __init__(self, rate: float, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(rate, **kwargs)
        self.data_format = _layout(data_format)
        self.input_spec = InputSpec(ndim=5)

    def _get_noise_shape(self, inputs: Any) -> Any:
        sizes = shape(inputs)
        if self.data_format == "channels_first":
            return (sizes[0], sizes[1], 1, 1, 1)
        return (sizes[0], 1, 1, 1, sizes[4])
