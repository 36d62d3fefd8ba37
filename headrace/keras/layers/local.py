"""Layers of convolution in which each place has filters of its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.keras.backend.convolution import bias_add
from headrace.keras.backend.local import local_conv
from headrace.keras.layers.local_connections import (
    get_locallyconnected_mask,
    local_conv_matmul,
    local_conv_sparse_matmul,
)
from headrace.keras.utils.conv_utils import conv_kernel_idxs
from headrace.layers import named
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import conv_output_length, normalize_data_format, normalize_padding, normalize_tuple

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike


class LocallyConnected(Layer):
    """What the locally connected layers share.

    Args:
        filters: the number of channels of the outputs.
        kernel_size, strides: ints, or one for each spatial axis.
        padding: "valid", or "same" for the implementations 2 and 3.
        data_format: "channels_last" or "channels_first".
        activation: a function; None changes nothing.
        use_bias: whether to add `bias`, which each place has its own of too.
        kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint:
            as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        implementation: 1: a product for each place; 2: one with a dense matrix that is mostly 0; 3: one with a sparse
            matrix. The variable `kernel` is of another shape in each.
    """

    rank: int

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: str = "valid",
        data_format: str | None = None,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filters = filters
        self.kernel_size = normalize_tuple(kernel_size, self.rank, "kernel_size")
        self.strides = normalize_tuple(strides, self.rank, "strides")
        self.padding = normalize_padding(padding)
        if self.padding != "valid" and implementation == 1:
            raise ValueError(
                f'Invalid border mode for {type(self).__name__} (only "valid" is supported if implementation is 1): '
                f"{padding}"
            )
        self.data_format = normalize_data_format(data_format)
        self.activation = named.get_activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = named.get_initializer(kernel_initializer)
        self.bias_initializer = named.get_initializer(bias_initializer)
        self.kernel_regularizer = named.get_regularizer(kernel_regularizer)
        self.bias_regularizer = named.get_regularizer(bias_regularizer)
        self.activity_regularizer = named.get_regularizer(activity_regularizer)
        self.kernel_constraint = named.get_constraint(kernel_constraint)
        self.bias_constraint = named.get_constraint(bias_constraint)
        self.implementation = implementation
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _split(self, sizes: Sequence[Any]) -> tuple[list[Any], Any]:
        """The sizes of an input in space, and of its channels."""
        if self.data_format == "channels_first":
            return list(sizes[2:]), sizes[1]
        return list(sizes[1:-1]), sizes[-1]

    def _check_defined(self, space: Sequence[int | None], channels: int | None, sizes: Sequence[int | None]) -> None:
        raise NotImplementedError

    def build(self, input_shape: ShapeLike) -> None:
        """Makes kernel and bias."""
        sizes = TensorShape(input_shape).as_list()
        space, channels = self._split(sizes)
        self._check_defined(space, channels, sizes)
        self.output_space = [
            conv_output_length(size, window, self.padding, stride)
            for size, window, stride in zip(space, self.kernel_size, self.strides)
        ]
        places = math.prod(self.output_space)
        if self.implementation == 1:
            self.kernel_shape: tuple[int, ...] = (places, math.prod(self.kernel_size) * channels, self.filters)
            kernel_shape: tuple[int, ...] = self.kernel_shape
        elif self.implementation == 2:
            ends = (channels, *space), (self.filters, *self.output_space)
            if self.data_format == "channels_last":
                ends = (*space, channels), (*self.output_space, self.filters)
            self.kernel_shape = kernel_shape = (*ends[0], *ends[1])
            self.kernel_mask = get_locallyconnected_mask(
                space, self.kernel_size, self.strides, self.padding, self.data_format
            ).astype("float64")
        elif self.implementation == 3:
            self.kernel_shape = (places * self.filters, math.prod(space) * channels)
            connected = conv_kernel_idxs(
                space, self.kernel_size, self.strides, self.padding, channels, self.filters, self.data_format
            )
            self.kernel_idxs = sorted(connected)
            kernel_shape = (len(self.kernel_idxs),)
        else:
            raise ValueError(f"Unrecognized implementation mode: {self.implementation}.")
        self.kernel = self.add_weight(
            shape=kernel_shape,
            initializer=self.kernel_initializer,
            name="kernel",
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(*self.output_space, self.filters),
                initializer=self.bias_initializer,
                name="bias",
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(
            ndim=self.rank + 2, axes={1 if self.data_format == "channels_first" else -1: channels}
        )
        self.built = True

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the outputs for inputs of `input_shape`."""
        sizes = TensorShape(input_shape).as_list()
        space = [
            conv_output_length(size, window, self.padding, stride)
            for size, window, stride in zip(self._split(sizes)[0], self.kernel_size, self.strides)
        ]
        if self.data_format == "channels_first":
            return TensorShape([sizes[0], self.filters, *space])
        return TensorShape([sizes[0], *space, self.filters])

    def call(self, inputs: Any) -> Tensor:
        """activation(filters of each place applied to the inputs, plus bias)."""
        if self.implementation == 1:
            outputs = local_conv(
                inputs, self.kernel, self.kernel_size, self.strides, self.output_space, self.data_format
            )
        else:
            output_shape = self.compute_output_shape(inputs.shape).as_list()
            if self.implementation == 2:
                outputs = local_conv_matmul(inputs, self.kernel, self.kernel_mask, output_shape)
            else:
                outputs = local_conv_sparse_matmul(
                    inputs, self.kernel, self.kernel_idxs, (self.kernel_shape[0], self.kernel_shape[1]), output_shape
                )
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=self.data_format)
        return self.activation(outputs)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        plain = ("filters", "kernel_size", "strides", "padding", "data_format")
        return {
            **super().get_config(),
            **{key: getattr(self, key) for key in plain},
            **named.settings(self, "activation"),
            "use_bias": self.use_bias,
            **named.settings(
                self,
                "kernel_initializer bias_initializer kernel_regularizer bias_regularizer activity_regularizer "
                "kernel_constraint bias_constraint",
            ),
            "implementation": self.implementation,
        }


class LocallyConnected1D(LocallyConnected):
    """Filters over sequences, [batch, steps, channels], with others at each step; arguments as in `LocallyConnected`."""

    rank = 1

    def _check_defined(self, space: Sequence[int | None], channels: int | None, sizes: Sequence[int | None]) -> None:
        if channels is None:
            raise ValueError("Axis 2 of input should be fully-defined. Found shape:", tuple(sizes))
        if space[0] is None:
            raise TypeError(
                f"The steps of the inputs to `LocallyConnected1D` should be defined. Found shape: {tuple(sizes)}"
            )


class LocallyConnected2D(LocallyConnected):
    """Filters over images with others at each place; arguments as in `LocallyConnected`."""

    rank = 2

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        data_format: str | None = None,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        implementation: int = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            kernel_constraint,
            bias_constraint,
            implementation,
            **kwargs,
        )

    def _check_defined(self, space: Sequence[int | None], channels: int | None, sizes: Sequence[int | None]) -> None:
        if None in space:
            raise ValueError(
                "The spatial dimensions of the inputs to  a LocallyConnected2D layer should be fully-defined, but layer "
                f"received the inputs shape {tuple(sizes)}"
            )
        if channels is None:
            raise TypeError(
                f"The channels of the inputs to `LocallyConnected2D` should be defined. Found shape: {tuple(sizes)}"
            )
