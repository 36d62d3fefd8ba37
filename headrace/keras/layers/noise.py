"""Layers that disturb what they take in training, against overfitting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.keras.backend.random import random_normal, random_uniform
from headrace.kernels.composing.shapes import shape
from headrace.layers.conditions import smart_cond
from headrace.layers.context import training_phase
from headrace.layers.engine import Layer
from headrace.ops.math.cast import cast

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import ShapeLike, TensorLike


class GaussianNoise(Layer):
    """Adds normally distributed noise in training.

    Args:
        stddev: its standard deviation.
    """

    def __init__(self, stddev: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.stddev = stddev

    def call(self, inputs: Any, training: TensorLike | None = None) -> Tensor:
        """The inputs, with noise in training."""

        def noised() -> Tensor:
            return inputs + random_normal(shape(inputs), mean=0.0, stddev=self.stddev, dtype=inputs.dtype)

        return smart_cond(training_phase(training), noised, lambda: inputs)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "stddev": self.stddev}

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """That of the inputs."""
        return TensorShape(input_shape)


class GaussianDropout(Layer):
    """Multiplies by normally distributed noise of mean 1 in training (Srivastava et al., JMLR 15, 2014).

    Args:
        rate: the rate of the dropout that has the same variance, sqrt(rate / (1 - rate)); without effect outside of (0, 1).
    """

    def __init__(self, rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.rate = rate

    def call(self, inputs: Any, training: TensorLike | None = None) -> Tensor:
        """The inputs, times noise in training."""
        if not 0 < self.rate < 1:
            return inputs

        def noised() -> Tensor:
            stddev = math.sqrt(self.rate / (1.0 - self.rate))
            return inputs * random_normal(shape(inputs), mean=1.0, stddev=stddev, dtype=inputs.dtype)

        return smart_cond(training_phase(training), noised, lambda: inputs)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with."""
        return {**super().get_config(), "rate": self.rate}

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """That of the inputs."""
        return TensorShape(input_shape)


# The scale and alpha of the activation `selu` (Klambauer et al., arXiv:1706.02515, appendix A.4).
_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_ALPHA = 1.6732632423543772848170429916717


class AlphaDropout(Layer):
    """Dropout that keeps mean and variance of activations by `selu`: elements are set to what selu has far below 0.

    Args:
        rate: the share of elements; without effect outside of (0, 1).
        noise_shape: the shape of the choices, which are broadcast; that of the inputs by default.
        seed: a seed of the choices.
    """

    def __init__(self, rate: float, noise_shape: Any = None, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed
        self.supports_masking = True

    def _get_noise_shape(self, inputs: Any) -> Any:
        return self.noise_shape if self.noise_shape else shape(inputs)

    def call(self, inputs: Any, training: TensorLike | None = None) -> Tensor:
        """The inputs, with elements dropped in training."""
        if not 0.0 < self.rate < 1.0:
            return inputs
        noise_shape = self._get_noise_shape(inputs)
        lowest = -_SELU_ALPHA * _SELU_SCALE

        def dropped() -> Tensor:
            kept = random_uniform(noise_shape, seed=self.seed) >= self.rate
            kept = cast(kept, inputs.dtype)
            # a and b of the affine function that gives mean and variance back, section 3 of the paper.
            a = ((1 - self.rate) * (1 + self.rate * lowest**2)) ** -0.5
            b = -a * lowest * self.rate
            x = inputs * kept + lowest * (1 - kept)
            return a * x + b

        return smart_cond(training_phase(training), dropped, lambda: inputs)

    def get_config(self) -> dict[str, Any]:
        """The arguments to make another such layer with; 1.15 leaves out all but the rate."""
        return {**super().get_config(), "rate": self.rate}

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        """That of the inputs."""
        return TensorShape(input_shape)
