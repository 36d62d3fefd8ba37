"""Linear-chain conditional random fields: scores and likelihoods of sequences of tags, and the best sequences.

Lafferty, McCallum and Pereira, "Conditional random fields", ICML 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.contrib.crf.cells import CrfDecodeBackwardRnnCell, CrfDecodeForwardRnnCell, CrfForwardRnnCell
from headrace.core.constant_value import constant_value
from headrace.core.dtypes import float32, int32, int64
from headrace.core.shapes import dimension_value
from headrace.core.tensor import Tensor
from headrace.functions.array.gather import gather_nd
from headrace.functions.array.where import sequence_mask
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_logsumexp, reduce_max, reduce_sum
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros_like
from headrace.kernels.composing.shapes import expand_dims, shape, squeeze
from headrace.ops.array.constant import constant
from headrace.ops.array.fill import fill
from headrace.ops.array.gather import gather
from headrace.ops.array.reverse import reverse_sequence
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import slice as slice_of
from headrace.ops.array.where import where
from headrace.ops.math.argmax import argmax
from headrace.ops.math.binary import maximum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, less_equal
from headrace.recurrent.dynamic import dynamic_rnn
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike
    from headrace.state.variables import Variable


def _by_length(inputs: Tensor, single: Callable[[], Any], several: Callable[[], Any]) -> Any:
    """What `single` gives for sequences of one step, and `several` for longer ones."""
    alone = equal(dimension_value(inputs.shape[1]) or shape(inputs)[1], 1)
    known = constant_value(alone)
    if known is None:
        return cond(alone, single, several)
    return single() if known else several()


def _zero_if_empty(values: Tensor, sequence_lengths: TensorLike) -> Tensor:
    return where(less_equal(sequence_lengths, 0), zeros_like(values), values)


def _less_one(sequence_lengths: Tensor) -> Tensor:
    return maximum(constant(0, dtype=sequence_lengths.dtype), sequence_lengths - 1)


def _first_step(inputs: Tensor) -> Tensor:
    return squeeze(slice_of(inputs, [0, 0, 0], [-1, 1, -1]), [1])


def _later_steps(inputs: Tensor) -> Tensor:
    return slice_of(inputs, [0, 1, 0], [-1, -1, -1])


def _as_lengths(sequence_lengths: TensorLike) -> Tensor:
    return sequence_lengths if isinstance(sequence_lengths, Tensor) else constant(sequence_lengths)


def crf_sequence_score(
    inputs: Tensor, tag_indices: Tensor, sequence_lengths: TensorLike, transition_params: Tensor | Variable
) -> Tensor:
    """The unnormalized scores of sequences of tags.

    Args:
        inputs: float [batch, time, tags]: the score of each tag in each step.
        tag_indices: int [batch, time].
        sequence_lengths: int [batch].
        transition_params: float [tags, tags]: the score of each tag after each.

    Returns:
        float [batch].
    """

    def single() -> Tensor:
        batch = shape(inputs, out_type=tag_indices.dtype)[0]
        rows = reshape(integers(batch, dtype=tag_indices.dtype), [-1, 1])
        scores = gather_nd(squeeze(inputs, [1]), concat([rows, tag_indices], axis=1))
        return _zero_if_empty(scores, sequence_lengths)

    def several() -> Tensor:
        unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
        return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)

    return _by_length(inputs, single, several)


def crf_multitag_sequence_score(
    inputs: Tensor, tag_bitmap: TensorLike, sequence_lengths: TensorLike, transition_params: Tensor | Variable
) -> Tensor:
    """The unnormalized scores of all sequences that are allowed, summed as probabilities.

    Args:
        inputs: float [batch, time, tags]: the score of each tag in each step.
        tag_bitmap: bool [batch, time, tags]: the tags that are allowed.
        sequence_lengths: int [batch].
        transition_params: float [tags, tags]: the score of each tag after each.

    Returns:
        float [batch].
    """

    def allowed() -> Tensor:
        return where(tag_bitmap, inputs, fill(shape(inputs), float("-inf")))

    return _by_length(
        inputs,
        lambda: reduce_logsumexp(allowed(), axis=[1, 2], keepdims=False),
        lambda: crf_log_norm(allowed(), sequence_lengths, transition_params),
    )


def crf_log_norm(inputs: Tensor, sequence_lengths: TensorLike, transition_params: Tensor | Variable) -> Tensor:
    """The logarithm of what scores are to be divided by to be probabilities.

    Args:
        inputs: float [batch, time, tags]: the score of each tag in each step.
        sequence_lengths: int [batch].
        transition_params: float [tags, tags]: the score of each tag after each.

    Returns:
        float [batch].
    """
    first = _first_step(inputs)
    lengths = _as_lengths(sequence_lengths)

    def several() -> Tensor:
        rest = _later_steps(inputs)
        _, alphas = dynamic_rnn(
            cell=CrfForwardRnnCell(transition_params),
            inputs=rest,
            sequence_length=_less_one(lengths),
            initial_state=first,
            dtype=float32,
        )
        return _zero_if_empty(reduce_logsumexp(alphas, [1]), lengths)

    return _by_length(inputs, lambda: _zero_if_empty(reduce_logsumexp(first, [1]), lengths), several)


def crf_log_likelihood(
    inputs: Tensor,
    tag_indices: Tensor,
    sequence_lengths: TensorLike,
    transition_params: Tensor | Variable | None = None,
) -> tuple[Tensor, Any]:
    """The logarithms of the probabilities of sequences of tags.

    Args:
        inputs: float [batch, time, tags]: the score of each tag in each step.
        tag_indices: int [batch, time].
        sequence_lengths: int [batch].
        transition_params: float [tags, tags]: the score of each tag after each; a variable "transitions" by default.

    Returns:
        float [batch], and the scores of transitions.

    Example:
        >>> tags, lengths = tf.constant([[0, 1, 1, 3, 2], [1, 2, 0, 0, 0]]), tf.constant([5, 3])
        >>> likelihood, transitions = tf.contrib.crf.crf_log_likelihood(inputs, tags, lengths)
        >>> loss = tf.reduce_mean(-likelihood)
    """
    tags = dimension_value(inputs.shape[2])
    if transition_params is None:
        transition_params = get_variable("transitions", [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def crf_unary_score(tag_indices: Tensor, sequence_lengths: TensorLike, inputs: TensorLike) -> Tensor:
    """The sums of the scores of the tags themselves.

    Args:
        tag_indices: int [batch, time].
        sequence_lengths: int [batch].
        inputs: float [batch, time, tags].

    Returns:
        float [batch].
    """
    batch, time, tags = shape(inputs)[0], shape(inputs)[1], shape(inputs)[2]
    scores = reshape(inputs, [-1])
    places = expand_dims(integers(batch) * time * tags, 1) + expand_dims(integers(time) * tags, 0)
    if tag_indices.dtype == int64:
        places = cast(places, int64)
    chosen = reshape(gather(scores, reshape(places + tag_indices, [-1])), [batch, time])
    counted = sequence_mask(sequence_lengths, maxlen=shape(tag_indices)[1], dtype=float32)
    return reduce_sum(chosen * counted, 1)


def crf_binary_score(
    tag_indices: TensorLike, sequence_lengths: TensorLike, transition_params: Tensor | Variable
) -> Tensor:
    """The sums of the scores of the transitions.

    Args:
        tag_indices: int [batch, time].
        sequence_lengths: int [batch].
        transition_params: float [tags, tags].

    Returns:
        float [batch].
    """
    tags = transition_params.get_shape()[0]
    count = shape(tag_indices)[1] - 1
    before, after = slice_of(tag_indices, [0, 0], [-1, count]), slice_of(tag_indices, [0, 1], [-1, count])
    places = before * tags + after
    chosen = gather(reshape(transition_params, [-1]), places)
    counted = sequence_mask(sequence_lengths, maxlen=shape(tag_indices)[1], dtype=float32)
    return reduce_sum(chosen * slice_of(counted, [0, 1], [-1, -1]), 1)


def viterbi_decode(score: np.ndarray, transition_params: TensorLike) -> tuple[list[Any], Any]:
    """The best sequence of tags, computed by NumPy (Viterbi, IEEE Transactions on Information Theory 13, 1967).

    Args:
        score: array [time, tags]: the score of each tag in each step.
        transition_params: array [tags, tags]: the score of each tag after each.

    Returns:
        the list of tags, and their score.

    Example:
        >>> tf.contrib.crf.viterbi_decode(np.eye(2), np.zeros([2, 2]))  # ([0, 1], 2.0)
    """
    best = np.zeros_like(score)
    came_from = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for t in range(1, score.shape[0]):
        through = best[t - 1][:, None] + transition_params
        best[t] = score[t] + through.max(0)
        came_from[t] = through.argmax(0)
    path = [np.argmax(best[-1])]
    for pointers in came_from[:0:-1]:
        path.append(pointers[path[-1]])
    return path[::-1], np.max(best[-1])


def crf_decode(
    potentials: Tensor, transition_params: Tensor | Variable, sequence_length: TensorLike
) -> tuple[Tensor, Tensor]:
    """The best sequences of tags.

    Args:
        potentials: float [batch, time, tags]: the score of each tag in each step.
        transition_params: float [tags, tags]: the score of each tag after each.
        sequence_length: int [batch].

    Returns:
        the tags, int32 [batch, time], zeros past the ends, and their scores, float [batch].

    Example:
        >>> scores = tf.constant([[[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]])
        >>> tags, best = tf.contrib.crf.crf_decode(scores, tf.zeros([2, 2]), tf.constant([3]))
        >>> sess.run([tags, best])
        [array([[0, 1, 0]], dtype=int32), array([6.], dtype=float32)]
    """
    lengths = _as_lengths(sequence_length)

    def single() -> tuple[Tensor, Tensor]:
        scores = squeeze(potentials, [1])
        tags = expand_dims(argmax(scores, axis=1), 1)
        best = reduce_max(scores, axis=1)
        return cast(tags, dtype=int32), best

    def several() -> tuple[Tensor, Tensor]:
        tags = dimension_value(potentials.shape[2])
        forward = CrfDecodeForwardRnnCell(transition_params)
        first, rest = _first_step(potentials), _later_steps(potentials)
        less_one = _less_one(lengths)
        came_from, last = dynamic_rnn(
            forward,
            inputs=rest,
            sequence_length=less_one,
            initial_state=first,
            time_major=False,
            dtype=int32,
        )
        came_from = reverse_sequence(came_from, less_one, seq_axis=1)
        end = expand_dims(cast(argmax(last, axis=1), dtype=int32), axis=-1)
        path, _ = dynamic_rnn(
            CrfDecodeBackwardRnnCell(tags),
            inputs=came_from,
            sequence_length=less_one,
            initial_state=end,
            time_major=False,
            dtype=int32,
        )
        path = concat([end, squeeze(path, axis=[2])], axis=1)
        return reverse_sequence(path, lengths, seq_axis=1), reduce_max(last, axis=1)

    return _by_length(potentials, single, several)
