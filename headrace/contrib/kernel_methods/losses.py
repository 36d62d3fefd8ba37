"""A loss for linear classifiers over the features of a kernel."""

from __future__ import annotations

from typing import Any

from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.dtypes import int32, int64
from headrace.core.tensor import Tensor
from headrace.functions.array.gather import gather_nd
from headrace.functions.flow.checks import assert_less
from headrace.functions.math.reduction import reduce_max
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.losses.weighting import Reduction, compute_weighted_loss
from headrace.ops.array.shape import reshape
from headrace.ops.array.where import one_hot
from headrace.ops.math.cast import cast
from headrace.ops.nn.activations import relu


def sparse_multiclass_hinge_loss(
    labels: Tensor,
    logits: Tensor,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """How far the logit of another class comes within 1 of the true one's (Crammer and Singer, JMLR 2, 2001).

    Args:
        labels: int32 or int64 classes [batch] or [batch, 1].
        logits: [batch, num_classes].
        weights: a scalar, [batch] or [batch, 1].
        scope: a name scope.
        loss_collection: the collection the loss joins, or None.
        reduction: a `tf.losses.Reduction`.

    Returns:
        the loss; a scalar unless `reduction` is NONE.

    Raises:
        ValueError: for other ranks or types.

    Example:
        >>> tf.contrib.kernel_methods.sparse_multiclass_hinge_loss(tf.constant([0]), tf.constant([[1.2, -1.4]]))  # 0
    """
    with name_scope(scope, "sparse_multiclass_hinge_loss", (logits, labels)) as opened:
        if logits.get_shape().ndims != 2:
            raise ValueError(
                f"logits should have rank 2 ([batch_size, num_classes]). Given rank is {logits.get_shape().ndims}"
            )
        sizes = shape(logits)
        batch_size, num_classes = sizes[0], sizes[1]
        logits = cast(logits, "float32")
        if labels.dtype not in (int32, int64):
            raise ValueError(f"Invalid dtype for labels: {labels.dtype}. Acceptable dtypes: int32 and int64")
        rank = labels.get_shape().ndims
        if rank not in (1, 2):
            raise ValueError(f"labels should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). Given rank is {rank}")
        with control_dependencies([assert_less(labels, cast(num_classes, labels.dtype))]):
            labels = reshape(labels, shape=[-1])
        weights = convert_to_tensor(weights)
        if weights.get_shape().ndims not in (0, 1, 2):
            raise ValueError(
                "non-scalar weights should have rank 1 ([batch_size]) or 2 ([batch_size, 1]). "
                f"Given rank is {weights.get_shape().ndims}"
            )
        if weights.get_shape().ndims > 0:
            weights = reshape(weights, shape=[-1])
            weights.get_shape().assert_is_compatible_with(labels.get_shape())
        rows = reshape(range_(batch_size), shape=[batch_size, 1])
        places = concat([rows, reshape(cast(labels, rows.dtype), shape=[batch_size, 1])], axis=1)
        of_label = reshape(gather_nd(params=logits, indices=places), shape=[batch_size, 1])
        others = one_hot(indices=labels, depth=num_classes, on_value=0.0, off_value=1.0)
        margin = relu(logits - of_label + others)
        return compute_weighted_loss(reduce_max(margin, axis=1), weights, opened, loss_collection, reduction=reduction)
