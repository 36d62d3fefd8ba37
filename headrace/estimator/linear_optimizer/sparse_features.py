"""A sparse feature of a batch of examples, as `SdcaModel` takes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import float32, int64
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing import cast, shape

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


class SparseFeatureColumn:
    """Which example has which feature, and with what value.

    Args:
        example_indices: the number of the example, ascending, shape [n], int64.
        feature_indices: the number of the feature, shape [n], int64.
        feature_values: the value, shape [n], float32; None for ones.

    Attributes:
        example_indices, feature_indices, feature_values: the same as tensors.

    Example:
        >>> # The first example has feature 5; the second 6, and 10 by half.
        >>> tf.contrib.linear_optimizer.SparseFeatureColumn([0, 1, 1], [5, 6, 10], [1.0, 1.0, 0.5])
    """

    def __init__(
        self,
        example_indices: TensorLike | np.ndarray | Sequence[float | str],
        feature_indices: TensorLike | np.ndarray | Sequence[int],
        feature_values: TensorLike | np.ndarray | Sequence[float] | None,
    ) -> None:
        with name_scope(None, "SparseFeatureColumn", [example_indices, feature_indices]):
            self.example_indices: Tensor = convert_to_tensor(example_indices, int64, name="example_indices")
            self.feature_indices: Tensor = convert_to_tensor(feature_indices, int64, name="feature_indices")
        self.feature_values: Tensor | None = None
        if feature_values is not None:
            with name_scope(None, "SparseFeatureColumn", [feature_values]):
                self.feature_values = convert_to_tensor(feature_values, float32, name="feature_values")


def feature_of_classes(classes: SparseTensor, weights: Tensor) -> SparseFeatureColumn:
    """Each class that an example has, once, with the sum of its weights; classes below zero stand for none."""
    examples = raw.Reshape(classes.indices[:, 0], [-1])
    # Bucketized columns have their classes as int32.
    numbers = cast(raw.Reshape(classes.values, [-1]), int64)
    is_class = raw.GreaterEqual(numbers, 0)
    numbers, examples, weights = (boolean_mask(values, is_class) for values in (numbers, examples, weights))
    # One number for each pair of example and class.
    width = reduce_max(numbers) + 1
    pairs, positions = raw.Unique(width * examples + numbers)
    count = shape(pairs)[0]
    their_examples = raw.UnsortedSegmentMin(examples, positions, count)
    their_classes = pairs - width * their_examples
    total = raw.Reshape(raw.UnsortedSegmentSum(weights, positions, shape(pairs)[0]), [-1])
    return SparseFeatureColumn(their_examples, their_classes, total)
