"""The layer that slides filters over each channel by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.keras.backend.convolution import bias_add, depthwise_conv2d
from headrace.layers import named
from headrace.layers.convolutional import Conv2D
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import conv_output_length

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier, ShapeLike


class DepthwiseConv2D(Conv2D):
    """Slides filters over each channel of images by itself, the first step of a separable convolution.

    Args:
        kernel_size: the size of the filters: an int or (height, width).
        strides: by how much they move, likewise.
        padding: "valid" or "same".
        depth_multiplier: how many channels it makes of each.
        data_format: "channels_last" or "channels_first".
        activation: a function; None changes nothing.
        use_bias: whether to add `bias`.
        depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer, depthwise_constraint,
            bias_constraint: as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        **kwargs: those of layers, and `dilation_rate`.

    Example:
        >>> y = tf.keras.layers.DepthwiseConv2D(3, padding="same")(images)
    """

    def __init__(
        self,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: str | None = None,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        depthwise_initializer: FunctionIdentifier | None = "glorot_uniform",
        bias_initializer: FunctionIdentifier | None = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        depthwise_constraint: Any = None,
        bias_constraint: FunctionIdentifier | None = None,
        **kwargs: Any,
    ) -> None:
        # The number of filters follows from that of the channels.
        super().__init__(
            filters=None,  # type: ignore[arg-type]  # it follows from the channels
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = named.get_initializer(depthwise_initializer)
        self.depthwise_regularizer = named.get_regularizer(depthwise_regularizer)
        self.depthwise_constraint = named.get_constraint(depthwise_constraint)
        self.bias_initializer = named.get_initializer(bias_initializer)

    def _channel_axis(self) -> int:
        return 1 if self.data_format == "channels_first" else 3

    def build(self, input_shape: TensorShape) -> None:
        """Makes kernel and bias."""
        known = TensorShape(input_shape)
        if len(known) < 4:
            raise ValueError(f"Inputs to `DepthwiseConv2D` should have rank 4. Received input shape: {known}")
        channels = known[self._channel_axis()].value
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs to `DepthwiseConv2D` should be defined. Found `None`."
            )
        self.depthwise_kernel = self.add_weight(
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            name="depthwise_kernel",
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(channels * self.depth_multiplier,),
                initializer=self.bias_initializer,
                name="bias",
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(ndim=4, axes={self._channel_axis(): channels})
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """activation(depthwise convolution of the inputs, plus bias)."""
        outputs = depthwise_conv2d(
            inputs,
            self.depthwise_kernel,
            strides=self.strides,
            padding=self.padding,
            dilation_rate=self.dilation_rate,
            data_format=self.data_format,
        )
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=self.data_format)
        return self._activated(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The shape of the outputs for inputs of `input_shape`."""
        sizes: list[Any] = TensorShape(input_shape).as_list()
        axis = self._channel_axis()
        channels = None if sizes[axis] is None else sizes[axis] * self.depth_multiplier
        first = 2 if axis == 1 else 1
        space = [
            conv_output_length(size, window, self.padding, stride)
            for size, window, stride in zip(sizes[first : first + 2], self.kernel_size, self.strides)
        ]
        return TensorShape([sizes[0], channels, *space] if axis == 1 else [sizes[0], *space, channels])

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        config = super().get_config()
        for key in ("filters", "kernel_initializer", "kernel_regularizer", "kernel_constraint"):
            del config[key]
        return {
            **config,
            "depth_multiplier": self.depth_multiplier,
            **named.settings(self, "depthwise_initializer depthwise_regularizer depthwise_constraint"),
        }
