"""`tf.layers`: convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.layers import convolutional, separable, transposed
from headrace.layers.base import Layer
from headrace.layers.classic.functional import function_of
from headrace.state.initializers import Zeros

if TYPE_CHECKING:
    from headrace.core.typing import Activation, FunctionIdentifier, InitializerLike, Regularizer


ZEROS = Zeros()


class Conv1D(convolutional.Conv1D, Layer):
    """Slides filters over sequences, [batch, steps, channels]; arguments as in `tf.keras.layers.Conv1D`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        strides: int = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: int = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = ZEROS,
        kernel_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class Conv2D(convolutional.Conv2D, Layer):
    """Slides filters over images, [batch, height, width, channels]; arguments as in `tf.keras.layers.Conv2D`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: Activation | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = ZEROS,
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class Conv3D(convolutional.Conv3D, Layer):
    """Slides filters over volumes, [batch, depth, height, width, channels]; arguments as in `tf.keras.layers.Conv3D`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        strides: int | Sequence[int] = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: int | Sequence[int] = (1, 1, 1),
        activation: Activation | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = ZEROS,
        kernel_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class SeparableConv1D(separable.SeparableConv1D, Layer):
    """Separable convolution of sequences; arguments as in `tf.keras.layers.SeparableConv1D`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int,
        strides: int = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: int = 1,
        depth_multiplier: int = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike | None = None,
        pointwise_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = ZEROS,
        depthwise_regularizer: FunctionIdentifier | None = None,
        pointwise_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        depthwise_constraint: FunctionIdentifier | None = None,
        pointwise_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            depth_multiplier=depth_multiplier,
            activation=activation,
            use_bias=use_bias,
            depthwise_initializer=depthwise_initializer,
            pointwise_initializer=pointwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            pointwise_regularizer=pointwise_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class SeparableConv2D(separable.SeparableConv2D, Layer):
    """Separable convolution of images; arguments as in `tf.keras.layers.SeparableConv2D`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Sequence[int] = (1, 1),
        depth_multiplier: int = 1,
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        depthwise_initializer: InitializerLike | None = None,
        pointwise_initializer: InitializerLike | None = None,
        bias_initializer: FunctionIdentifier | None = ZEROS,
        depthwise_regularizer: FunctionIdentifier | None = None,
        pointwise_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        depthwise_constraint: FunctionIdentifier | None = None,
        pointwise_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            depth_multiplier=depth_multiplier,
            activation=activation,
            use_bias=use_bias,
            depthwise_initializer=depthwise_initializer,
            pointwise_initializer=pointwise_initializer,
            bias_initializer=bias_initializer,
            depthwise_regularizer=depthwise_regularizer,
            pointwise_regularizer=pointwise_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class Conv2DTranspose(transposed.Conv2DTranspose, Layer):
    """The transpose of a convolution over images; arguments as in `tf.keras.layers.Conv2DTranspose`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike = ZEROS,
        kernel_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


class Conv3DTranspose(transposed.Conv3DTranspose, Layer):
    """The transpose of a convolution over volumes; arguments as in `tf.keras.layers.Conv3DTranspose`."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        activation: FunctionIdentifier | None = None,
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = None,
        bias_initializer: FunctionIdentifier | None = ZEROS,
        kernel_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters=filters,
            kernel_size=kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            activation=activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )


conv1d = function_of(
    Conv1D,
    "conv1d",
    "Slides filters over sequences, [batch, steps, channels].",
    "y = tf.layers.conv1d(x, filters=32, kernel_size=3, activation=tf.nn.relu)",
)
conv2d = function_of(
    Conv2D,
    "conv2d",
    "Slides filters over images, [batch, height, width, channels].",
    'y = tf.layers.conv2d(images, 32, 5, padding="same", activation=tf.nn.relu)',
)
conv3d = function_of(
    Conv3D,
    "conv3d",
    "Slides filters over volumes, [batch, depth, height, width, channels].",
    "y = tf.layers.conv3d(volumes, 8, 3)",
)
separable_conv1d = function_of(
    SeparableConv1D,
    "separable_conv1d",
    "Separable convolution of sequences.",
    "y = tf.layers.separable_conv1d(x, 32, 3)",
)
separable_conv2d = function_of(
    SeparableConv2D,
    "separable_conv2d",
    "Separable convolution of images.",
    "y = tf.layers.separable_conv2d(images, 32, 3)",
)
conv2d_transpose = function_of(
    Conv2DTranspose,
    "conv2d_transpose",
    "The transpose of a convolution over images: makes them larger by the strides.",
    'y = tf.layers.conv2d_transpose(x, 16, 4, strides=2, padding="same")',
)
conv3d_transpose = function_of(
    Conv3DTranspose,
    "conv3d_transpose",
    "The transpose of a convolution over volumes.",
    "y = tf.layers.conv3d_transpose(x, 16, 4, strides=2)",
)
