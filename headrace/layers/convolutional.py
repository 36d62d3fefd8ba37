"""Layers that slide filters over sequences, images and volumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.functions.nn.prepared_convolution import Convolution
from headrace.layers import named
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import (
    conv_output_length,
    convert_data_format,
    normalize_data_format,
    normalize_padding,
    normalize_tuple,
)
from headrace.ops.array.pad import pad
from headrace.ops.array.shape import reshape
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike, TensorLike
    from headrace.state.variables import Variable


class Conv(Layer):
    """What the layers of convolution share: activation(convolution of the inputs by `kernel`, plus `bias`).

    Args:
        rank: the number of spatial axes.
        filters: the number of channels of the outputs.
        kernel_size: the size of the filters: an int or one for each spatial axis.
        strides: by how much they move, likewise.
        padding: "valid", "same", or in one dimension "causal".
        data_format: "channels_last" or "channels_first".
        dilation_rate: how far apart the elements of filters are; not together with strides.
        activation: a function; None changes nothing.
        use_bias: whether to add `bias`.
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint:
            as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
    """

    _accepts_causal = False

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Any = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.rank = rank
        self.filters = filters
        self.kernel_size = normalize_tuple(kernel_size, rank, "kernel_size")
        self.strides = normalize_tuple(strides, rank, "strides")
        self.padding = normalize_padding(padding)
        if self.padding == "causal" and not self._accepts_causal:
            raise ValueError("Causal padding is only supported for `Conv1D`and ``SeparableConv1D`.")
        self.data_format = normalize_data_format(data_format)
        self.dilation_rate = normalize_tuple(dilation_rate, rank, "dilation_rate")
        self.activation = named.get_activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = named.get_initializer(kernel_initializer)
        self.bias_initializer = named.get_initializer(bias_initializer)
        self.kernel_regularizer = named.get_regularizer(kernel_regularizer)
        self.bias_regularizer = named.get_regularizer(bias_regularizer)
        self.kernel_constraint = named.get_constraint(kernel_constraint)
        self.bias_constraint = named.get_constraint(bias_constraint)
        self.input_spec = InputSpec(ndim=rank + 2)

    # ---- what the kinds of convolution share ----

    def _channels(self, input_shape: TensorShape) -> int:
        """The number of channels of the inputs, which are asked for from now on."""
        axis = 1 if self.data_format == "channels_first" else -1
        channels = TensorShape(input_shape)[axis].value
        if channels is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _add_kernel(self, name: str, shape: tuple[int, ...]) -> Variable:
        kind = name.removesuffix("_kernel")
        return self.add_weight(
            name=name,
            shape=shape,
            initializer=getattr(self, f"{kind}_initializer"),
            regularizer=getattr(self, f"{kind}_regularizer"),
            constraint=getattr(self, f"{kind}_constraint"),
            trainable=True,
            dtype=self.dtype,
        )

    def _add_bias(self) -> Variable | None:
        if not self.use_bias:
            return None
        return self.add_weight(
            name="bias",
            shape=(self.filters,),
            initializer=self.bias_initializer,
            regularizer=self.bias_regularizer,
            constraint=self.bias_constraint,
            trainable=True,
            dtype=self.dtype,
        )

    def _with_strides_for_all(self) -> tuple[int, ...]:
        return (1, *self.strides, 1) if self.data_format == "channels_last" else (1, 1, *self.strides)

    def _activated(self, outputs: Tensor) -> Tensor:
        return outputs if self.activation is None else self.activation(outputs)

    def _compute_causal_padding(self) -> list[list[int]]:
        left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        amounts = [[0, 0], [0, 0], [0, 0]]
        amounts[1 if self.data_format == "channels_last" else 2][0] = left
        return amounts

    # ---- the convolution proper ----

    def build(self, input_shape: TensorShape) -> None:
        """Makes kernel and bias."""
        channels = self._channels(input_shape)
        self.kernel = self._add_kernel("kernel", (*self.kernel_size, channels, self.filters))
        self.bias = self._add_bias()
        padding = "valid" if self.padding == "causal" else self.padding
        self._convolution_op = Convolution(
            input_shape,
            filter_shape=self.kernel.shape,
            dilation_rate=self.dilation_rate,
            strides=self.strides,
            padding=padding.upper() if isinstance(padding, str) else padding,
            data_format=convert_data_format(self.data_format, self.rank + 2),
        )
        self.built = True

    def call(self, inputs: TensorLike) -> Any:
        """activation(convolution of the inputs, plus bias)."""
        outputs = self._convolution_op(inputs, self.kernel)
        if self.use_bias:
            if self.data_format == "channels_last":
                outputs = bias_add(outputs, self.bias, data_format="NHWC")
            elif self.rank == 1:
                outputs += reshape(self.bias, (1, self.filters, 1))
            else:
                outputs = bias_add(outputs, self.bias, data_format="NCHW")
        return self._activated(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the outputs for inputs of `input_shape`."""
        sizes = TensorShape(input_shape).as_list()
        last = self.data_format == "channels_last"
        space = [
            conv_output_length(size, window, self.padding, stride, rate)
            for size, window, stride, rate in zip(
                sizes[1:-1] if last else sizes[2:], self.kernel_size, self.strides, self.dilation_rate
            )
        ]
        return TensorShape([sizes[0], *space, self.filters] if last else [sizes[0], self.filters, *space])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        plain = ("filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate")
        return {
            **Layer.get_config(self),
            **{key: getattr(self, key) for key in plain},
            **named.settings(self, "activation"),
            "use_bias": self.use_bias,
            **named.settings(
                self,
                "kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
                "kernel_constraint bias_constraint",
            ),
        }


class Conv1D(Conv):
    """Slides filters over sequences, [batch, steps, channels]; arguments as in `Conv`."""

    _accepts_causal = True

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Any = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: int | Sequence[int] = 1,
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
            1,
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

    def call(self, inputs: TensorLike) -> Tensor:
        """activation(convolution of the inputs, plus bias)."""
        if self.padding == "causal":
            inputs = pad(inputs, self._compute_causal_padding())
        return super().call(inputs)


class Conv2D(Conv):
    """Slides filters over images, [batch, height, width, channels]; arguments as in `Conv`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: Any = "valid",
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


class Conv3D(Conv):
    """Slides filters over volumes, [batch, depth, height, width, channels]; arguments as in `Conv`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1, 1),
        padding: Any = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = (1, 1, 1),
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
