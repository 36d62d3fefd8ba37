"""Layers of transposed convolution: from what a convolution gives to the shape of what it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.functions.nn.transposed_functions import atrous_conv2d_transpose, conv2d_transpose, conv3d_transpose
from headrace.kernels.composing.arranging import stack, transpose
from headrace.kernels.composing.shapes import shape
from headrace.layers.convolutional import Conv
from headrace.layers.sizes import convert_data_format, normalize_tuple, transposed_output_length
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike, TensorLike


class ConvTranspose(Conv):
    """What the layers of transposed convolution share.

    Args:
        output_padding: what to add to the sizes of the outputs, an int or one for each spatial axis; none by default.
        others: as in `Conv`.
    """

    output_padding: Any

    def _set_output_padding(self, output_padding: Any) -> None:
        self.output_padding = output_padding
        if output_padding is not None:
            self.output_padding = normalize_tuple(output_padding, self.rank, "output_padding")
            for stride, amount in zip(self.strides, self.output_padding):
                if amount >= stride:
                    raise ValueError(f"Stride {self.strides} must be greater than output padding {self.output_padding}")

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        known = TensorShape(input_shape)
        if len(known) != self.rank + 2:
            raise ValueError(f"Inputs should have rank {self.rank + 2}. Received input shape: {known}")
        channels = self._channels(known)
        self.kernel = self._add_kernel("kernel", (*self.kernel_size, self.filters, channels))
        self.bias = self._add_bias()
        self.built = True

    def call(self, inputs: Any) -> Any:
        """activation(transposed convolution of the inputs, plus bias)."""
        sizes = shape(inputs)
        batch = sizes[0]
        start = self._first_spatial_axis()
        space = self._output_space([sizes[start + i] for i in range(self.rank)])
        first = self.data_format == "channels_first"
        target = (batch, self.filters, *space) if first else (batch, *space, self.filters)
        outputs = self._transposed(inputs, stack(target))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=convert_data_format(self.data_format, 4))
        return self._activated(outputs)

    def _transposed(self, inputs: TensorLike, output_shape: Tensor) -> Tensor:
        raise NotImplementedError

    def _first_spatial_axis(self) -> int:
        return 2 if self.data_format == "channels_first" else 1

    def _output_space(self, space: list[Any]) -> list[Any]:
        extra = self.output_padding or (None,) * self.rank
        return [
            transposed_output_length(size, window, self.padding, more, stride, rate)
            for size, window, more, stride, rate in zip(
                space, self.kernel_size, extra, self.strides, self.dilation_rate
            )
        ]

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the outputs for inputs of `input_shape`."""
        sizes = TensorShape(input_shape).as_list()
        start = self._first_spatial_axis()
        space = self._output_space(sizes[start : start + self.rank])
        return TensorShape([sizes[0], self.filters, *space] if start == 2 else [sizes[0], *space, self.filters])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "output_padding": self.output_padding}


class Conv2DTranspose(ConvTranspose):
    """The transpose of a convolution over images; arguments as in `ConvTranspose`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            2,
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            **kwargs,
        )
        self._set_output_padding(output_padding)

    def _transposed(self, inputs: TensorLike, output_shape: Any) -> Tensor:
        first = self.data_format == "channels_first"
        if first:
            # As TensorFlow without a GPU: with the channels last.
            inputs = transpose(inputs, (0, 2, 3, 1))
            output_shape = stack([output_shape[0], output_shape[2], output_shape[3], output_shape[1]])
        else:
            output_shape[0]  # looked at by TensorFlow, which leaves an operation in the graph
        padding = self.padding.upper()
        if self.dilation_rate == (1, 1):
            outputs = conv2d_transpose(
                inputs, self.kernel, output_shape, (1, *self.strides, 1), padding=padding, data_format="NHWC"
            )
        else:
            rate = self.dilation_rate[0]
            if rate != self.dilation_rate[1]:
                raise ValueError(f"Both dilation rates have to be the same. Received: {self.dilation_rate}")
            outputs = atrous_conv2d_transpose(inputs, self.kernel, output_shape, rate=rate, padding=padding)
        return transpose(outputs, (0, 3, 1, 2)) if first else outputs


class Conv3DTranspose(ConvTranspose):
    """The transpose of a convolution over volumes; arguments as in `ConvTranspose`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1, 1),
        padding: str = "valid",
        output_padding: Any = None,
        data_format: str | None = None,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            3,
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            1,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            **kwargs,
        )
        self._set_output_padding(output_padding)

    def _transposed(self, inputs: TensorLike, output_shape: Tensor) -> Tensor:
        return conv3d_transpose(
            inputs,
            self.kernel,
            output_shape,
            self._with_strides_for_all(),
            data_format=convert_data_format(self.data_format, 5),
            padding=self.padding.upper(),
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        config = super().get_config()
        del config["dilation_rate"]
        return config
