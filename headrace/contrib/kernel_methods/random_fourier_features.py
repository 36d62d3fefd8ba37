"""Random features of a Gaussian kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headrace.contrib.kernel_methods.dense_kernel_mapper import DenseKernelMapper, InvalidShapeError
from headrace.core.tensor import Tensor
from headrace.kernels.composing.arithmetic import matmul
from headrace.ops.array.constant import constant
from headrace.ops.math.binary import add
from headrace.ops.math.trigonometric import cos


class RandomFourierFeatureMapper(DenseKernelMapper):
    """Features whose inner products are about a Gaussian kernel.

    Rahimi and Recht, "Random features for large-scale kernel machines", NIPS 2007.

    Args:
        input_dim: the size of the vectors.
        output_dim: the number of features; the more, the closer the products come to the kernel.
        stddev: the width of the kernel.
        seed: of NumPy's global generator, which `map` seeds.
        name: the mapper's name.

    Example:
        >>> mapper = tf.contrib.kernel_methods.RandomFourierFeatureMapper(3, 2000, stddev=5.0)
        >>> features = mapper.map(x)
    """

    def __init__(
        self, input_dim: int, output_dim: int, stddev: float = 1.0, seed: int = 1, name: str | None = None
    ) -> None:
        self._input_dim, self._output_dim, self._stddev, self._seed = input_dim, output_dim, stddev, seed
        self._name = name

    @property
    def name(self) -> str:
        """The mapper's name."""
        return self._name or str(id(self))

    @property
    def input_dim(self) -> int:
        """The size of the vectors."""
        return self._input_dim

    @property
    def output_dim(self) -> int:
        """The number of features."""
        return self._output_dim

    def map(self, input_tensor: Any) -> Tensor:
        """The features of each row.

        Args:
            input_tensor: float32 [batch, input_dim].

        Returns:
            float32 [batch, output_dim].

        Raises:
            InvalidShapeError: for another shape.
        """
        known = input_tensor.get_shape()
        if len(known) != 2:
            raise InvalidShapeError(f"The shape of the tensor should be 2. Got {len(known)} instead.")
        if known[1] != self._input_dim:
            raise InvalidShapeError(
                f"Invalid dimension: expected {self._input_dim} input features, got {known[1]} instead."
            )
        np.random.seed(self._seed)
        directions = np.random.normal(scale=1.0 / self._stddev, size=[self._input_dim, self._output_dim])
        phases = np.random.uniform(low=0.0, high=2 * np.pi, size=[self._output_dim])
        weights, bias = constant(directions, dtype="float32"), constant(phases, dtype="float32")
        waves = cos(add(matmul(input_tensor, weights), bias))
        return math.sqrt(2.0 / self._output_dim) * waves
