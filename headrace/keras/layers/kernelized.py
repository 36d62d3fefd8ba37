"""Layers that approximate kernel machines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.registry import raw
from headrace.core.shapes import TensorShape
from headrace.keras.constraints import NonNeg
from headrace.layers import named
from headrace.layers.engine import Layer
from headrace.layers.input_spec import InputSpec
from headrace.ops.math.cast import cast
from headrace.ops.nn.bias import bias_add
from headrace.state.initializers import Constant, RandomNormal, RandomUniform

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import ShapeLike
    from headrace.state.initializers import Initializer

_KERNELS = ["gaussian", "laplacian"]


class RandomFourierFeatures(Layer):
    """cos(inputs @ W / scale + b) with a random W: products of what it gives approximate a kernel of the inputs.

    A linear model on it comes near to one with that kernel (Rahimi and Recht, "Random features for large-scale kernel
    machines", NIPS 2007).

    Args:
        output_dim: how many features it makes.
        kernel_initializer: "gaussian", "laplacian", or an initializer of W.
        scale: of the kernel; by default sqrt(input size / 2) for "gaussian", else 1.
        trainable: whether `scale` is learned.
        name: a name of the layer.

    Raises:
        ValueError: if `output_dim` or `scale` is not positive, or the kernel is another.

    Example:
        >>> layer = RandomFourierFeatures(1024, "gaussian", scale=5.0)
    """

    def __init__(
        self,
        output_dim: int,
        kernel_initializer: Any = "gaussian",
        scale: float | None = None,
        trainable: bool = False,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        if output_dim <= 0:
            raise ValueError(f"`output_dim` should be a positive integer. Given: {output_dim}.")
        if isinstance(kernel_initializer, str) and kernel_initializer.lower() not in _KERNELS:
            raise ValueError(f"Unsupported kernel type: '{kernel_initializer}'. Supported kernel types: {_KERNELS}.")
        if scale is not None and scale <= 0.0:
            raise ValueError(f"When provided, `scale` should be a positive float. Given: {scale}.")
        super().__init__(trainable=trainable, name=name, **kwargs)
        self.output_dim = output_dim
        self.kernel_initializer = kernel_initializer
        self.scale = scale

    def build(self, input_shape: ShapeLike) -> None:
        """Makes W, b and the scale."""
        known = TensorShape(input_shape)
        if known.ndims != 2:
            raise ValueError(f"The rank of the input tensor should be 2. Got {known.ndims} instead.")
        size = known[1].value
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `RandomFourierFeatures` should be defined. Found `None`."
            )
        self.input_spec = InputSpec(ndim=2, axes={1: size})
        self.unscaled_kernel = self.add_weight(
            name="unscaled_random_features",
            shape=(size, self.output_dim),
            dtype="float32",
            initializer=_random_features(self.kernel_initializer, size, self.output_dim),
            trainable=False,
        )
        self.bias = self.add_weight(
            name="random_features_bias",
            shape=(self.output_dim,),
            dtype="float32",
            initializer=RandomUniform(minval=0.0, maxval=2 * np.pi, dtype="float32"),
            trainable=False,
        )
        if self.scale is None:
            self.scale = _default_scale(self.kernel_initializer, size)
        self.kernel_scale = self.add_weight(
            name="random_features_scale",
            shape=(1,),
            dtype="float32",
            initializer=Constant(self.scale),
            trainable=True,
            constraint=NonNeg(),
        )
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """cos(inputs @ W / scale + b)."""
        inputs = cast(convert_to_tensor(inputs, dtype=self.dtype), "float32")
        kernel = (1.0 / self.kernel_scale) * self.unscaled_kernel
        return raw.Cos(bias_add(raw.MatMul(a=inputs, b=kernel), self.bias))

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """[batch, output_dim]."""
        known = TensorShape(input_shape).with_rank(2)
        if known[-1].value is None:
            raise ValueError(f"The innermost dimension of input shape must be defined. Given: {known}")
        return known[:-1].concatenate(self.output_dim)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        kernel = self.kernel_initializer
        return {
            **super().get_config(),
            "output_dim": self.output_dim,
            "kernel_initializer": kernel if isinstance(kernel, str) else named.setting(kernel),
            "scale": self.scale,
        }


def _random_features(kernel: Any, rows: int, columns: int) -> Initializer:
    """What draws W: by Bochner's theorem from the Fourier transform of the kernel."""
    if not isinstance(kernel, str):
        return kernel
    if kernel.lower() == "gaussian":
        return RandomNormal(stddev=1.0)
    # The transform of a Laplacian is a Cauchy distribution; by the inverse of its distribution function.
    return Constant(np.tan(np.pi * (np.random.uniform(0.0, 1.0, (rows, columns)) - 0.5)))


def _default_scale(kernel: Any, size: int) -> float:
    return math.sqrt(size / 2.0) if isinstance(kernel, str) and kernel.lower() == "gaussian" else 1.0
