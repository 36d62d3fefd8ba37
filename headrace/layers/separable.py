"""Layers of separable convolution: each channel by itself first, then the channels at each place.

F. Chollet, "Xception: deep learning with depthwise separable convolutions", arXiv:1610.02357.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.functions.nn.separable_functions import separable_conv2d
from headrace.kernels.composing.shapes import expand_dims, squeeze
from headrace.layers import named
from headrace.layers.convolutional import Conv
from headrace.layers.sizes import convert_data_format
from headrace.ops.array.pad import pad
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.shapes import TensorShape
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, TensorLike


class SeparableConv(Conv):
    """What the layers of separable convolution share.

    Args:
        depth_multiplier: how many channels the first step makes of each.
        depthwise_initializer, depthwise_regularizer, depthwise_constraint: for the kernel of the first step.
        pointwise_initializer, pointwise_regularizer, pointwise_constraint: for that of the second.
        others: as in `Conv`.
    """

    def __init__(
        self,
        rank: int,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Any = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = 1,
        depth_multiplier: int = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        depthwise_initializer: FunctionIdentifier | None = "glorot_uniform",
        pointwise_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            rank,
            filters,
            kernel_size,
            strides,
            padding,
            data_format,
            dilation_rate,
            activation,
            use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = named.get_initializer(depthwise_initializer)
        self.pointwise_initializer = named.get_initializer(pointwise_initializer)
        self.depthwise_regularizer = named.get_regularizer(depthwise_regularizer)
        self.pointwise_regularizer = named.get_regularizer(pointwise_regularizer)
        self.depthwise_constraint = named.get_constraint(depthwise_constraint)
        self.pointwise_constraint = named.get_constraint(pointwise_constraint)

    def build(self, input_shape: TensorShape) -> None:
        """Makes the kernels and the bias."""
        channels = self._channels(input_shape)
        self.depthwise_kernel = self._add_kernel(
            "depthwise_kernel", (*self.kernel_size, channels, self.depth_multiplier)
        )
        self.pointwise_kernel = self._add_kernel(
            "pointwise_kernel", (*(1,) * self.rank, self.depth_multiplier * channels, self.filters)
        )
        self.bias = self._add_bias()
        self.built = True

    def call(self, inputs: TensorLike) -> Any:
        """Each kind has its own."""
        raise NotImplementedError

    def _with_bias(self, outputs: Tensor) -> Tensor:
        if not self.use_bias:
            return outputs
        return bias_add(outputs, self.bias, data_format=convert_data_format(self.data_format, 4))

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {
            **super().get_config(),
            "depth_multiplier": self.depth_multiplier,
            **named.settings(
                self,
                "depthwise_initializer pointwise_initializer depthwise_regularizer pointwise_regularizer "
                "depthwise_constraint pointwise_constraint",
            ),
        }


class SeparableConv1D(SeparableConv):
    """Separable convolution of sequences; arguments as in `SeparableConv`."""

    _accepts_causal = True

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: Any = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = 1,
        depth_multiplier: int = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        depthwise_initializer: FunctionIdentifier | None = "glorot_uniform",
        pointwise_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        depthwise_regularizer: FunctionIdentifier | None = None,
        pointwise_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        depthwise_constraint: FunctionIdentifier | None = None,
        pointwise_constraint: FunctionIdentifier | None = None,
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
            depth_multiplier,
            activation,
            use_bias,
            depthwise_initializer,
            pointwise_initializer,
            bias_initializer,
            depthwise_regularizer,
            pointwise_regularizer,
            bias_regularizer,
            activity_regularizer,
            depthwise_constraint,
            pointwise_constraint,
            bias_constraint,
            **kwargs,
        )

    def call(self, inputs: TensorLike) -> Tensor:
        """Does it with images of height 1."""
        if self.padding == "causal":
            inputs = pad(inputs, self._compute_causal_padding())
        last = self.data_format == "channels_last"
        axis = 1 if last else 2
        steps = self.strides * 2
        image = expand_dims(inputs, axis)
        outputs = separable_conv2d(
            image,
            expand_dims(self.depthwise_kernel, 0),
            expand_dims(self.pointwise_kernel, 0),
            strides=(1, *steps, 1) if last else (1, 1, *steps),
            padding="VALID" if self.padding == "causal" else self.padding.upper(),
            rate=(1, *self.dilation_rate),
            data_format=convert_data_format(self.data_format, 4),
        )
        return self._activated(squeeze(self._with_bias(outputs), [axis]))


class SeparableConv2D(SeparableConv):
    """Separable convolution of images; arguments as in `SeparableConv`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: Any = "valid",
        data_format: str | None = None,
        dilation_rate: int | Sequence[int] = (1, 1),
        depth_multiplier: int = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        depthwise_initializer: FunctionIdentifier | None = "glorot_uniform",
        pointwise_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        depthwise_regularizer: FunctionIdentifier | None = None,
        pointwise_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        depthwise_constraint: FunctionIdentifier | None = None,
        pointwise_constraint: FunctionIdentifier | None = None,
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
            depth_multiplier,
            activation,
            use_bias,
            depthwise_initializer,
            pointwise_initializer,
            bias_initializer,
            depthwise_regularizer,
            pointwise_regularizer,
            bias_regularizer,
            activity_regularizer,
            depthwise_constraint,
            pointwise_constraint,
            bias_constraint,
            **kwargs,
        )

    def call(self, inputs: TensorLike) -> Tensor:
        """activation(separable convolution of the inputs, plus bias)."""
        outputs = separable_conv2d(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides=self._with_strides_for_all(),
            padding=self.padding.upper(),
            rate=self.dilation_rate,
            data_format=convert_data_format(self.data_format, 4),
        )
        return self._activated(self._with_bias(outputs))
