"""`tf.contrib.ctc`: the loss of connectionist temporal classification with the arguments it had there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headrace.ops.nn import ctc

if TYPE_CHECKING:
    from headrace.core.composite import SparseTensor
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def ctc_loss(
    inputs: TensorLike,
    labels: SparseTensor,
    sequence_length: TensorLike,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
) -> Tensor:
    """The loss of each example, as `tf.nn.ctc_loss` gives it, whose first two arguments are the other way round.

    Args:
        inputs: float32 `[max_time, batch_size, num_classes]`, the logits.
        labels: int32 SparseTensor `[batch_size, max_labels]`.
        sequence_length: int32 `[batch_size]`, how many steps of each example count.
        preprocess_collapse_repeated: whether repeated labels are made one before.
        ctc_merge_repeated: whether repeated labels of a path count as one.

    Returns:
        float32 `[batch_size]`, the negative log probabilities.

    Raises:
        TypeError: if `labels` is no SparseTensor.

    Example:
        >>> labels = tf.SparseTensor([[0, 0]], tf.constant([1]), [1, 1])
        >>> tf.contrib.ctc.ctc_loss(tf.zeros([3, 1, 4]), labels, [3]).shape.as_list()
        [1]
    """
    return ctc.ctc_loss(
        labels,
        inputs,
        sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
    )
