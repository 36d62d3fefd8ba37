"""Confusion matrices: how often each label was predicted as each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.checks import assert_less, assert_non_negative
from headrace.functions.math.reduction import reduce_max
from headrace.functions.squeezing import remove_squeezable_dimensions
from headrace.kernels import composing
from headrace.ops.flow.grouping import with_dependencies
from headrace.ops.sparse.add import sparse_add

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike


def confusion_matrix(
    labels: Tensor | Sequence[int | Sequence[int]],
    predictions: Tensor,
    num_classes: int | Tensor | None = None,
    dtype: DTypeLike = "int32",
    name: str | None = None,
    weights: Tensor | None = None,
) -> Tensor:
    """How often each label (a row) was predicted as each class (a column).

    Args:
        labels: a vector of class indices.
        predictions: a vector as long; one of the two may have a last dimension of 1.
        num_classes: how many classes; the greatest index plus one by default.
        dtype: the type of the counts.
        name: a name scope.
        weights: what each prediction counts, a vector as long; 1 by default.

    Returns:
        a tensor of shape (num_classes, num_classes).

    Raises:
        ValueError: if the shapes do not fit.
        InvalidArgumentError: when run, if an index is negative or not less than `num_classes`.

    Example:
        >>> tf.Session().run(tf.confusion_matrix([0, 1, 1], [0, 1, 0]))
        array([[1, 0],
               [1, 1]], dtype=int32)
    """
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels = convert_to_tensor(labels, name="labels")
        predictions = convert_to_tensor(predictions, name="predictions")
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions, labels = composing.cast(predictions, "int64"), composing.cast(labels, "int64")
        checks = [assert_non_negative(labels, message="`labels` contains negative values")]
        labels = with_dependencies(checks, labels)
        checks = [assert_non_negative(predictions, message="`predictions` contains negative values")]
        predictions = with_dependencies(checks, predictions)
        if num_classes is None:
            num_classes = raw.Maximum(reduce_max(predictions), reduce_max(labels)) + 1
        else:
            limit = composing.cast(num_classes, "int64")
            labels = with_dependencies([assert_less(labels, limit, message="`labels` out of bound")], labels)
            checks = [assert_less(predictions, limit, message="`predictions` out of bound")]
            predictions = with_dependencies(checks, predictions)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.get_shape().assert_is_compatible_with(weights.get_shape())
            weights = composing.cast(weights, dtype)
        sides = composing.stack([num_classes, num_classes])
        cells = raw.Pack([labels, predictions], axis=1, name="stack")
        counts = composing.ones_like(predictions, dtype) if weights is None else weights
        counted = SparseTensor(indices=cells, values=counts, dense_shape=composing.cast(sides, "int64"))
        return sparse_add(composing.zeros(composing.cast(sides, "int32"), dtype), counted)
