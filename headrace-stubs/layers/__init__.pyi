# Made by tools/make_stubs.py.

from headrace.core.tensor import Tensor
from headrace.core.typing import TensorLike
__all__ = ['AveragePooling1D', 'AveragePooling2D', 'AveragePooling3D', 'AvgPool2D', 'BatchNorm', 'BatchNormalization', 'Conv1D', 'Conv2D', 'Conv2DTranspose', 'Conv3D', 'Conv3DTranspose', 'Convolution1D', 'Convolution2D', 'Convolution2DTranspose', 'Convolution3D', 'Convolution3DTranspose', 'Deconv2D', 'Deconv3D', 'Deconvolution2D', 'Deconvolution3D', 'Dense', 'Dropout', 'Flatten', 'FullyConnected', 'InputSpec', 'Layer', 'MaxPool2D', 'MaxPooling1D', 'MaxPooling2D', 'MaxPooling3D', 'SeparableConv1D', 'SeparableConv2D', 'SeparableConvolution2D', 'average_pooling1d', 'average_pooling2d', 'average_pooling3d', 'avg_pool2d', 'batch_norm', 'batch_normalization', 'conv1d', 'conv2d', 'conv2d_transpose', 'conv3d', 'conv3d_transpose', 'convolution1d', 'convolution2d', 'convolution2d_transpose', 'convolution3d', 'convolution3d_transpose', 'deconv2d', 'deconv3d', 'dense', 'dropout', 'experimental', 'flatten', 'fully_connected', 'max_pool2d', 'max_pooling1d', 'max_pooling2d', 'max_pooling3d', 'separable_conv1d', 'separable_conv2d', 'separable_convolution2d']
from headrace.layers.classic.pooling import AveragePooling1D as AveragePooling1D
from headrace.layers.classic.pooling import AveragePooling2D as AveragePooling2D
from headrace.layers.classic.pooling import AveragePooling3D as AveragePooling3D
from headrace.layers.classic.pooling import AveragePooling2D as AvgPool2D
from headrace.layers.classic.normalization import BatchNorm as BatchNorm
from headrace.layers.classic.normalization import BatchNormalization as BatchNormalization
from headrace.layers.classic.convolutional import Conv1D as Conv1D
from headrace.layers.classic.convolutional import Conv2D as Conv2D
from headrace.layers.classic.convolutional import Conv2DTranspose as Conv2DTranspose
from headrace.layers.classic.convolutional import Conv3D as Conv3D
from headrace.layers.classic.convolutional import Conv3DTranspose as Conv3DTranspose
from headrace.layers.classic.convolutional import Conv1D as Convolution1D
from headrace.layers.classic.convolutional import Conv2D as Convolution2D
from headrace.layers.classic.convolutional import Conv2DTranspose as Convolution2DTranspose
from headrace.layers.classic.convolutional import Conv3D as Convolution3D
from headrace.layers.classic.convolutional import Conv3DTranspose as Convolution3DTranspose
from headrace.layers.classic.convolutional import Conv2DTranspose as Deconv2D
from headrace.layers.classic.convolutional import Conv3DTranspose as Deconv3D
from headrace.layers.classic.convolutional import Conv2DTranspose as Deconvolution2D
from headrace.layers.classic.convolutional import Conv3DTranspose as Deconvolution3D
from headrace.layers.classic.core import Dense as Dense
from headrace.layers.classic.core import Dropout as Dropout
from headrace.layers.classic.core import Flatten as Flatten
from headrace.layers.classic.core import FullyConnected as FullyConnected
from headrace.layers.base import InputSpec as InputSpec
from headrace.layers.base import Layer as Layer
from headrace.layers.classic.pooling import MaxPooling2D as MaxPool2D
from headrace.layers.classic.pooling import MaxPooling1D as MaxPooling1D
from headrace.layers.classic.pooling import MaxPooling2D as MaxPooling2D
from headrace.layers.classic.pooling import MaxPooling3D as MaxPooling3D
from headrace.layers.classic.convolutional import SeparableConv1D as SeparableConv1D
from headrace.layers.classic.convolutional import SeparableConv2D as SeparableConv2D
from headrace.layers.classic.convolutional import SeparableConv2D as SeparableConvolution2D
def average_pooling1d(inputs: TensorLike, pool_size: int, strides: int, padding: str = ..., data_format: str = ..., name=...) -> Tensor:
    """The mean of every window of sequences, [batch, steps, channels].

    Args:
        inputs: the tensor to apply it to.
        name: a name for the operations.
        others: those of `tf.layers.AveragePooling1D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.average_pooling1d(x, pool_size=2, strides=2)
    """
def average_pooling2d(inputs: TensorLike, pool_size, strides, padding: str = ..., data_format: str = ..., name=...) -> Tensor:
    """The mean of every window of images, [batch, height, width, channels].

    Args:
        inputs: the tensor to apply it to.
        name: a name for the operations.
        others: those of `tf.layers.AveragePooling2D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.average_pooling2d(x, pool_size=2, strides=2)
    """
def average_pooling3d(inputs: TensorLike, pool_size: int, strides: int, padding: str = ..., data_format: str = ..., name=...) -> Tensor:
    """The mean of every window of volumes, [batch, depth, height, width, channels].

    Args:
        inputs: the tensor to apply it to.
        name: a name for the operations.
        others: those of `tf.layers.AveragePooling3D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.average_pooling3d(x, pool_size=2, strides=2)
    """
avg_pool2d = average_pooling2d
from headrace.layers.classic.normalization import batch_norm as batch_norm
from headrace.layers.classic.normalization import batch_normalization as batch_normalization
def conv1d(inputs: TensorLike, filters: int, kernel_size: int, strides: int = ..., padding: str = ..., data_format: str = ..., dilation_rate: int = ..., activation=..., use_bias: bool = ..., kernel_initializer=..., bias_initializer=..., kernel_regularizer=..., bias_regularizer=..., activity_regularizer=..., kernel_constraint=..., bias_constraint=..., trainable: bool = ..., name: str | None = ..., reuse=...) -> Tensor:
    """Slides filters over sequences, [batch, steps, channels].

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.Conv1D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.conv1d(x, filters=32, kernel_size=3, activation=tf.nn.relu)
    """
def conv2d(inputs: TensorLike, filters: int, kernel_size, strides=..., padding: str = ..., data_format: str = ..., dilation_rate=..., activation=..., use_bias: bool = ..., kernel_initializer=..., bias_initializer=..., kernel_regularizer=..., bias_regularizer=..., activity_regularizer=..., kernel_constraint=..., bias_constraint=..., trainable: bool = ..., name: str | None = ..., reuse=...) -> Tensor:
    """Slides filters over images, [batch, height, width, channels].

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.Conv2D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.conv2d(images, 32, 5, padding="same", activation=tf.nn.relu)
    """
def conv2d_transpose(inputs: TensorLike, filters: int, kernel_size, strides=..., padding: str = ..., data_format: str = ..., activation=..., use_bias: bool = ..., kernel_initializer=..., bias_initializer=..., kernel_regularizer=..., bias_regularizer=..., activity_regularizer=..., kernel_constraint=..., bias_constraint=..., trainable: bool = ..., name: str | None = ..., reuse=...) -> Tensor:
    """The transpose of a convolution over images: makes them larger by the strides.

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.Conv2DTranspose`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.conv2d_transpose(x, 16, 4, strides=2, padding="same")
    """
def conv3d(inputs: TensorLike, filters: int, kernel_size: int, strides=..., padding: str = ..., data_format: str = ..., dilation_rate=..., activation=..., use_bias: bool = ..., kernel_initializer=..., bias_initializer=..., kernel_regularizer=..., bias_regularizer=..., activity_regularizer=..., kernel_constraint=..., bias_constraint=..., trainable: bool = ..., name: str | None = ..., reuse=...) -> Tensor:
    """Slides filters over volumes, [batch, depth, height, width, channels].

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.Conv3D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.conv3d(volumes, 8, 3)
    """
def conv3d_transpose(inputs: TensorLike, filters: int, kernel_size, strides=..., padding: str = ..., data_format: str = ..., activation=..., use_bias: bool = ..., kernel_initializer=..., bias_initializer=..., kernel_regularizer=..., bias_regularizer=..., activity_regularizer=..., kernel_constraint=..., bias_constraint=..., trainable: bool = ..., name=..., reuse=...) -> Tensor:
    """The transpose of a convolution over volumes.

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.Conv3DTranspose`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.conv3d_transpose(x, 16, 4, strides=2)
    """
convolution1d = conv1d
convolution2d = conv2d
convolution2d_transpose = conv2d_transpose
convolution3d = conv3d
convolution3d_transpose = conv3d_transpose
deconv2d = conv2d_transpose
deconv3d = conv3d_transpose
def dense(inputs: TensorLike, units: int, activation: object = ..., use_bias: bool = ..., kernel_initializer=..., bias_initializer=..., kernel_regularizer=..., bias_regularizer=..., activity_regularizer=..., kernel_constraint=..., bias_constraint=..., trainable: bool = ..., name: str | None = ..., reuse=...) -> Tensor:
    """activation(inputs @ kernel + bias), over the last axis of the inputs.

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.Dense`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> logits = tf.layers.dense(hidden, 10)
    """
def dropout(inputs: TensorLike, rate: float = ..., noise_shape=..., seed: int | None = ..., training=..., name: str | None = ...) -> Tensor:
    """Sets elements to 0 at random in training.

    Args:
        inputs: the tensor to apply it to.
        training: whether this is training: a bool or a bool tensor.
        name: a name for the operations.
        others: those of `tf.layers.Dropout`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.dropout(x, rate=0.4, training=is_training)
    """
from headrace.layers import experimental as experimental
from headrace.layers.classic.core import flatten as flatten
fully_connected = dense
def max_pool2d(inputs: TensorLike, pool_size, strides, padding: str = ..., data_format: str = ..., name: str | None = ...) -> Tensor:
    """The largest value of every window of images, [batch, height, width, channels].

    Args:
        inputs: the tensor to apply it to.
        name: a name for the operations.
        others: those of `tf.layers.MaxPooling2D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.max_pooling2d(x, pool_size=2, strides=2)
    """
def max_pooling1d(inputs: TensorLike, pool_size: int, strides: int, padding: str = ..., data_format: str = ..., name=...) -> Tensor:
    """The largest value of every window of sequences, [batch, steps, channels].

    Args:
        inputs: the tensor to apply it to.
        name: a name for the operations.
        others: those of `tf.layers.MaxPooling1D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.max_pooling1d(x, pool_size=2, strides=2)
    """
max_pooling2d = max_pool2d
def max_pooling3d(inputs: TensorLike, pool_size, strides: int, padding: str = ..., data_format: str = ..., name=...) -> Tensor:
    """The largest value of every window of volumes, [batch, depth, height, width, channels].

    Args:
        inputs: the tensor to apply it to.
        name: a name for the operations.
        others: those of `tf.layers.MaxPooling3D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.max_pooling3d(x, pool_size=2, strides=2)
    """
def separable_conv1d(inputs: TensorLike, filters: int, kernel_size: int, strides: int = ..., padding: str = ..., data_format: str = ..., dilation_rate: int = ..., depth_multiplier: int = ..., activation=..., use_bias: bool = ..., depthwise_initializer=..., pointwise_initializer=..., bias_initializer=..., depthwise_regularizer=..., pointwise_regularizer=..., bias_regularizer=..., activity_regularizer=..., depthwise_constraint=..., pointwise_constraint=..., bias_constraint=..., trainable: bool = ..., name=..., reuse=...) -> Tensor:
    """Separable convolution of sequences.

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.SeparableConv1D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.separable_conv1d(x, 32, 3)
    """
def separable_conv2d(inputs: TensorLike, filters: int, kernel_size, strides=..., padding: str = ..., data_format: str = ..., dilation_rate=..., depth_multiplier: int = ..., activation=..., use_bias: bool = ..., depthwise_initializer=..., pointwise_initializer=..., bias_initializer=..., depthwise_regularizer=..., pointwise_regularizer=..., bias_regularizer=..., activity_regularizer=..., depthwise_constraint=..., pointwise_constraint=..., bias_constraint=..., trainable: bool = ..., name: str | None = ..., reuse=...) -> Tensor:
    """Separable convolution of images.

    Args:
        inputs: the tensor to apply it to.
        name: the name of its variable scope.
        reuse: whether to use the variables that a layer of this name has made before.
        others: those of `tf.layers.SeparableConv2D`.

    Returns:
        the outputs, a tensor.

    Example:
        >>> y = tf.layers.separable_conv2d(images, 32, 3)
    """
separable_convolution2d = separable_conv2d
