"""Connectionist temporal classification (Graves et al., 2006): losses and decoding of labels without times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.composite import SparseTensor
from headrace.functions.array.gather import gather_nd
from headrace.functions.array.where import sequence_mask
from headrace.keras.backend_config import epsilon
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.scatter import sparse_to_dense
from headrace.ops.array.where import where
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import log
from headrace.ops.nn.ctc import ctc_loss
from headrace.ops.nn.ctc_decoding import ctc_beam_search_decoder, ctc_greedy_decoder

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> SparseTensor:
    """Labels of each sample, filled up to a matrix, as a sparse tensor.

    Args:
        labels: a matrix (batch, greatest length).
        label_lengths: a vector of how many of each row count.
    """
    counted = sequence_mask(label_lengths, shape(labels)[1])
    places = where(counted)
    return SparseTensor(indices=places, values=gather_nd(labels, places), dense_shape=cast(shape(labels), "int64"))


def _scores(y_pred: TensorLike) -> Tensor:
    """Logarithms of probabilities, time first."""
    return log(transpose(y_pred, perm=[1, 0, 2]) + epsilon())


def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Tensor:
    """The loss of each sample.

    Args:
        y_true: the labels, a matrix (batch, greatest length).
        y_pred: probabilities of each class at each time, the last of them for no label: (batch, time, classes).
        input_length: how many times of each sample count, (batch, 1).
        label_length: how many labels of each count, (batch, 1).

    Returns:
        a tensor (batch, 1).
    """
    labels_count = cast(squeeze(label_length, axis=-1), "int32")
    times = cast(squeeze(input_length, axis=-1), "int32")
    labels = ctc_label_dense_to_sparse(cast(y_true, "int32"), labels_count)
    return expand_dims(ctc_loss(inputs=_scores(y_pred), labels=labels, sequence_length=times), 1)


def ctc_decode(
    y_pred: Any, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[Tensor], Tensor]:
    """The most probable labels.

    Args:
        y_pred: probabilities of each class at each time, the last of them for no label: (batch, time, classes).
        input_length: how many times of each sample count, a vector.
        greedy: whether the best class of each time is taken, which is faster than a search.
        beam_width: how many candidates a search keeps.
        top_paths: how many a search returns.

    Returns:
        a list of matrices of labels, -1 after the last of each, and the logarithms of their probabilities.
    """
    scores = _scores(y_pred)
    times = cast(input_length, "int32")
    if greedy:
        found, scored = ctc_greedy_decoder(inputs=scores, sequence_length=times)
    else:
        found, scored = ctc_beam_search_decoder(
            inputs=scores, sequence_length=times, beam_width=beam_width, top_paths=top_paths
        )
    return [sparse_to_dense(st.indices, st.dense_shape, st.values, default_value=-1) for st in found], scored
