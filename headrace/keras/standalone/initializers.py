"""`keras.initializers`: names of Keras 1, and orthogonal matrices as NumPy draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.tensor import Tensor
from headrace.keras import initializers as tf_initializers
from headrace.keras.standalone.stand_in import stand_in
from headrace.keras.utils.generic_utils import CustomObjectScope
from headrace.state import initializers

zero, one = initializers.Zeros, initializers.Ones
VarianceScaling: Any = stand_in(
    initializers.VarianceScaling, defaults={"distribution": "normal"}, module="keras.initializers"
)


class Orthogonal(initializers.Orthogonal):
    """Makes a matrix with orthogonal rows or columns of what `np.random` draws; Saxe et al., arXiv:1312.6120.

    Args:
        gain: a factor.
        seed: that of the numbers; None for those of `np.random` itself.
        dtype: the element type where the call names none.
    """

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """A tensor of `shape`, orthogonal when seen as a matrix of its last dimension by all others."""
        sizes = [int(size) for size in shape]
        random: Any = np.random
        if self.seed is not None:
            random = np.random.RandomState(self.seed)
            self.seed += 1
        rows, columns = int(np.prod(sizes[:-1])), sizes[-1]
        left, _, right = np.linalg.svd(random.normal(size=(rows, columns)), full_matrices=False)
        chosen = left if left.shape == (rows, columns) else right
        return convert_to_tensor(self.gain * chosen.reshape(sizes), dtype=self._dtype_or(dtype))


def known_initializers() -> CustomObjectScope:
    """A context in which "orthogonal" is the class above."""
    return CustomObjectScope({"orthogonal": Orthogonal, "Orthogonal": Orthogonal})


def get(identifier: Any) -> Any:
    """An initializer by its name, configuration or itself; see `tf.keras.initializers.get`."""
    with known_initializers():
        return tf_initializers.get(identifier)


orthogonal = Orthogonal


def _compute_fans(shape: Sequence[int], data_format: str = "channels_last") -> tuple[float, float]:
    """The numbers of inputs and outputs of a unit with weights of this shape.

    Args:
        shape: the shape of a matrix or kernel.
        data_format: "channels_last", or "channels_first" for kernels whose first axes are outputs and inputs.
    """
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Invalid data_format: {data_format}")
    if data_format == "channels_first" and len(shape) in (3, 4, 5):
        shape = [*shape[2:], shape[1], shape[0]]
    return initializers.compute_fans(shape)
