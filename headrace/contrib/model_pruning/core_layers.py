"""Layers whose kernels have masks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.model_pruning.masks import (
    MASK_COLLECTION,
    MASKED_WEIGHT_COLLECTION,
    MASKED_WEIGHT_NAME,
    THRESHOLD_COLLECTION,
    WEIGHT_COLLECTION,
    masked,
)
from headrace.core.convert import convert_to_tensor
from headrace.core.shapes import TensorShape
from headrace.functions.math.products import tensordot
from headrace.functions.nn.convolution_functions import convolution
from headrace.kernels.composing.arithmetic import matmul
from headrace.layers.classic import convolutional, core
from headrace.layers.input_spec import InputSpec
from headrace.layers.sizes import convert_data_format
from headrace.ops.nn.bias import bias_add
from headrace.state.initializers import ones_initializer, zeros_initializer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, Regularizer, ShapeLike, TensorLike
    from headrace.state.variables import Variable


__all__ = [
    "MASKED_WEIGHT_COLLECTION",
    "MASKED_WEIGHT_NAME",
    "MASK_COLLECTION",
    "THRESHOLD_COLLECTION",
    "WEIGHT_COLLECTION",
    "MaskedConv2D",
    "MaskedFullyConnected",
    "add_mask",
    "add_threshold",
]


def add_mask(layer: Any, shape: ShapeLike) -> Variable:
    """The variable `mask` of a layer, of ones."""
    return layer.add_variable(
        name="mask", shape=shape, initializer=ones_initializer(), trainable=False, dtype=layer.dtype
    )


def add_threshold(layer: Any) -> Variable:
    """The variable `threshold` of a layer, 0."""
    return layer.add_variable(
        name="threshold", shape=[], initializer=zeros_initializer(), trainable=False, dtype=layer.dtype
    )


def without_constraints(further: dict[str, Any]) -> dict[str, Any]:
    """Further arguments of a layer with a mask.

    Raises:
        TypeError: for constraints of its weights.
    """
    for name in ("kernel_constraint", "bias_constraint"):
        if name in further:
            raise TypeError(f"('Keyword argument not understood:', '{name}')")
    return further


class MaskedConv2D(convolutional.Conv2D):
    """A convolution over images by a kernel with a mask.

    Arguments as in `tf.layers.Conv2D`, without the constraints: what a mask hides has none.
    """

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = (1, 1),
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: int | Sequence[int] = (1, 1),
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        activity_regularizer: Regularizer | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
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
            trainable=trainable,
            name=name,
            **without_constraints(kwargs),
        )

    def build(self, input_shape: TensorShape) -> None:
        """Makes mask, kernel, threshold and bias."""
        shape = (*self.kernel_size, self._channels(input_shape), self.filters)
        self.mask = add_mask(self, shape)
        self.kernel = self._add_kernel("kernel", shape)
        self.threshold = add_threshold(self)
        self.masked_kernel = masked(self.kernel, self.mask, self.threshold)
        self.bias = self._add_bias()
        convolve: Any = self._convolve_masked
        self._convolution_op = convolve
        self.built = True

    def _convolve_masked(self, inputs: Tensor, _: Variable) -> Tensor:
        return convolution(
            input=inputs,
            filter=self.masked_kernel,
            dilation_rate=self.dilation_rate,
            strides=self.strides,
            padding=self.padding.upper(),
            data_format=convert_data_format(self.data_format, self.rank + 2),
        )


class MaskedFullyConnected(core.Dense):
    """A layer of units whose kernel has a mask.

    Arguments as in `tf.layers.Dense`, without the constraints: what a mask hides has none.
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        activity_regularizer: Regularizer | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            units,
            activation,
            use_bias,
            kernel_initializer,
            bias_initializer,
            kernel_regularizer,
            bias_regularizer,
            activity_regularizer,
            trainable=trainable,
            name=name,
            **without_constraints(kwargs),
        )

    def build(self, input_shape: TensorShape) -> None:
        """Makes kernel, mask, threshold and bias."""
        last = TensorShape(input_shape)[-1].value
        if last is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_variable(
            "kernel",
            shape=[last, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            dtype=self.dtype,
            trainable=True,
        )
        self.mask = add_mask(self, [last, self.units])
        self.threshold = add_threshold(self)
        self.masked_kernel = masked(self.kernel, self.mask, self.threshold)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                dtype=self.dtype,
                trainable=True,
            )
        self.built = True

    def call(self, inputs: TensorLike) -> Tensor:
        """activation(inputs @ masked kernel + bias)."""
        inputs = convert_to_tensor(inputs, dtype=self.dtype)
        sizes = inputs.get_shape().as_list()
        if len(sizes) > 2:
            outputs = tensordot(inputs, self.masked_kernel, [[len(sizes) - 1], [0]])
            outputs.set_shape([*sizes[:-1], self.units])
        else:
            outputs = matmul(inputs, self.masked_kernel)
        if self.use_bias:
            outputs = bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)
