"""Functions over the loss of connectionist temporal classification: dense labels, collapsed and unique ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.array.where import boolean_mask, sequence_mask
from headrace.functions.flow.custom_gradient import custom_gradient
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.kernels import composing
from headrace.kernels.composing.arithmetic import range as range_
from headrace.kernels.composing.shapes import shape_internal
from headrace.ops.array.scatter import scatter_nd
from headrace.ops.nn.ctc import ctc_loss
from headrace.ops.nn.softmax import softmax
from headrace.ops.sparse.reshape import sparse_reshape

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def size_of(tensor: Tensor, axis: int) -> Any:
    """A dimension's size, a Python number where it is known."""
    known = None if tensor.dims is None else tensor.dims[axis]
    return composing.shape(tensor)[axis] if known is None else known


def dense_labels_to_sparse(dense: TensorLike, length: TensorLike) -> SparseTensor:
    """The first `length` labels of each row of a matrix, as a SparseTensor.

    Args:
        dense: integer matrix of labels.
        length: integer vector, how many labels of each row count.

    Returns:
        an int32 SparseTensor as wide as the longest row.
    """
    flat = raw.Reshape(dense, [-1])
    places = range_(shape_internal(flat, out_type="int64")[0])
    mask = raw.Reshape(sequence_mask(length, maxlen=composing.shape(dense)[1]), [-1])
    places = composing.expand_dims(boolean_mask(places, mask), 1)
    values = composing.cast(boolean_mask(flat, mask), "int32")
    row = SparseTensor(places, values, shape_internal(flat, out_type="int64"))
    matrix = sparse_reshape(row, composing.shape(dense))
    sizes = [composing.cast(matrix.dense_shape[0], "int64"), composing.cast(reduce_max(length), "int64")]
    return SparseTensor(matrix.indices, matrix.values, composing.stack(sizes))


def ctc_loss_v2(
    labels: SparseTensor | Tensor,
    logits: Tensor,
    label_length: Sequence[int] | None,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The loss of connectionist temporal classification, for sparse or dense labels and any blank.

    Graves, Fernández, Gomez and Schmidhuber, "Connectionist temporal classification", ICML 2006.

    Args:
        labels: int32 SparseTensor, or integer matrix of shape (batch, longest).
        logits: float logits of shape (time, batch, classes).
        label_length: vector, how many labels of each sequence count; None for a SparseTensor.
        logit_length: vector, how many times of each sequence count.
        logits_time_major: false for `logits` of shape (batch, time, classes).
        unique: the result of `ctc_unique_labels`, which makes no difference here.
        blank_index: the class that is blank; from the end if negative, 0 for dense labels by default.
        name: a name scope.

    Returns:
        a vector of shape (batch,).

    Raises:
        ValueError: for a SparseTensor without `blank_index`.
        InvalidArgumentError: when run, for labels or lengths that do not fit.

    Example:
        >>> logits = tf.zeros([5, 1, 3])  # 35 of 3**5 paths give the labels
        >>> sess.run(tf.nn.ctc_loss_v2([[1, 2]], logits, label_length=[2], logit_length=[5])).round(4)
        array([1.9377], dtype=float32)
    """
    if isinstance(labels, SparseTensor):
        if blank_index is None:
            raise ValueError("blank_index must be given when using SparseTensor labels.")
        logits = convert_to_tensor(logits)
        classes = size_of(logits, 2)
        if blank_index < 0:
            blank_index += classes
        if blank_index != classes - 1:
            logits = _blank_last(logits, blank_index)
            values = labels.values
            moved = raw.Select(values < blank_index, values, values - 1)
            labels = SparseTensor(labels.indices, moved, labels.dense_shape)
        return ctc_loss(labels, logits, logit_length, time_major=logits_time_major)
    return ctc_loss_dense(
        labels,
        logits,
        label_length,
        logit_length,
        logits_time_major,
        unique,
        0 if blank_index is None else blank_index,
        name,
    )


def _blank_last(logits: Tensor, blank: int) -> Tensor:
    parts = [logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]]
    return composing.concat(parts, 2)


def ctc_loss_dense(
    labels: Tensor,
    logits: Tensor,
    label_length: Any,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int = 0,
    name: str | None = None,
) -> Tensor:
    """`ctc_loss_v2` of dense labels; sequences without labels count as paths of blanks.

    Args:
        labels: integer matrix of shape (batch, longest).
        logits, label_length, logit_length, logits_time_major, unique, blank_index, name: as there.

    Returns:
        a vector of shape (batch,).
    """
    with name_scope(name, "ctc_loss_dense", [logits, labels, label_length, logit_length]):
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        label_length = convert_to_tensor(label_length, name="label_length")
        logit_length = convert_to_tensor(logit_length, name="logit_length")
        if not logits_time_major:
            logits = composing.transpose(logits, [1, 0, 2])
        classes = size_of(logits, 2)
        if blank_index < 0:
            blank_index += classes
        logits = _blank_last(logits, blank_index)
        labels = composing.cast(labels, "int32")
        labels = raw.Select(labels < blank_index, labels, labels - 1)
        # One label more than there are, which is no class and ends each sequence: an empty one is a sequence too.
        ended = composing.cast(size_of(logits, 2), "int32") * composing.ones_like(labels[:, :1])
        counted = sequence_mask(label_length, maxlen=composing.shape(labels)[1])
        padding = raw.Tile(ended, composing.stack([1, composing.shape(labels)[1]]))
        labels = composing.concat([raw.Select(counted, labels, padding), ended], 1)
        sparse = dense_labels_to_sparse(labels, composing.cast(label_length, "int32") + 1)
        times = composing.cast(logit_length, "int32")

        @custom_gradient
        def with_gradient(scores: Tensor) -> tuple[Tensor, Callable[..., Any]]:
            loss, score_gradients = raw.CTCLoss(scores, sparse.indices, sparse.values, times)
            # In TensorFlow the scores after a sequence's end get the gradient of a path of no probability.
            beyond = raw.LogicalNot(composing.transpose(sequence_mask(times, maxlen=composing.shape(scores)[0])))
            unused = composing.expand_dims(composing.cast(beyond, scores.dtype), 2) * softmax(scores)
            return loss, lambda grad: raw.Reshape(grad, [1, -1, 1]) * (score_gradients + unused)

        return with_gradient(logits)


def collapse_repeated(labels: TensorLike, seq_length: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Makes one label of equal labels that follow one another.

    Args:
        labels: matrix of shape (batch, longest).
        seq_length: vector, how many labels of each row count.
        name: a name scope.

    Returns:
        (labels, lengths), rows filled up with 0.

    Example:
        >>> tf.Session().run(tf.nn.collapse_repeated([[1, 1, 2, 2, 1]], [5]))
        (array([[1, 2, 1]], dtype=int32), array([3], dtype=int32))
    """
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        seq_length = convert_to_tensor(seq_length, name="seq_length")
        first = composing.ones_like(labels[:, :1], dtype="bool")
        starts = composing.concat([first, raw.NotEqual(labels[:, 1:], labels[:, :-1])], 1)
        starts = raw.LogicalAnd(starts, sequence_mask(seq_length, maxlen=size_of(labels, 1)))
        lengths = reduce_sum(composing.cast(starts, "int32"), axis=1)
        longest = reduce_max(lengths)
        places = raw.Reshape(sequence_mask(lengths, maxlen=longest), [-1])
        numbers = composing.range_(size_of(places, 0))
        indices = composing.expand_dims(boolean_mask(numbers, places), 1)
        kept = boolean_mask(raw.Reshape(labels, [-1]), raw.Reshape(starts, [-1]))
        flat = scatter_nd(indices, kept, composing.shape(places))
        collapsed = raw.Reshape(flat, composing.stack([size_of(labels, 0), longest]))
        return collapsed, composing.cast(lengths, seq_length.dtype)
