# Made by tools/make_stubs.py.

from headrace.core.composite import SparseTensor as SparseTensor
from headrace.core.tensor import Tensor as Tensor
from headrace.core.typing import TensorLike as TensorLike
from headrace.ops.nn import ctc as ctc

def ctc_loss(inputs: TensorLike, labels: SparseTensor, sequence_length: TensorLike, preprocess_collapse_repeated: bool = False, ctc_merge_repeated: bool = True) -> Tensor:
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
__all__ = ['ctc_beam_search_decoder', 'ctc_greedy_decoder', 'ctc_loss']
from headrace.ops.nn.ctc_decoding import ctc_beam_search_decoder as ctc_beam_search_decoder
from headrace.ops.nn.ctc_decoding import ctc_greedy_decoder as ctc_greedy_decoder
