"""Conditional random fields over a chain of tags: scores, likelihoods, and the best tags (Lafferty et al. 2001).

`inputs` are scores of shape (batch, time, tags), `sequence_lengths` a vector of how many times of each count, and
`transition_params` the scores, of shape (tags, tags), of one tag followed by another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headrace.core.convert import convert_to_tensor
from headrace.core.operation import Tensor
from headrace.core.registry import raw
from headrace.ops import composing
from headrace.ops.array.fill import fill
from headrace.ops.array.range import range as range_
from headrace.ops.array.reverse import reverse_sequence
from headrace.ops.array.shape import shape_internal
from headrace.ops.array.where import sequence_mask
from headrace.ops.flow.case import smart_cond
from headrace.ops.math.argmax import argmax
from headrace.ops.math.reduction import reduce_logsumexp, reduce_max, reduce_sum
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.dynamic import dynamic_rnn
from headrace.state.variable_scope import get_variable


def _if_one_time(inputs: Any, one: Callable[[], Any], several: Callable[[], Any]) -> Any:
    """What `one` gives if the sequences have one time only, else what `several` gives."""
    length = inputs.get_shape()[1].value
    return smart_cond(raw.Equal(length or composing.shape(inputs)[1], 1), one, several)


def _zero_where_empty(scores: Tensor, sequence_lengths: Any) -> Tensor:
    return raw.Select(raw.LessEqual(sequence_lengths, 0), composing.zeros_like(scores), scores)


def _less_one(sequence_lengths: Any) -> Tensor:
    return raw.Maximum(convert_to_tensor(0, dtype=sequence_lengths.dtype), sequence_lengths - 1)


class _ChainCell(RNNCell):
    """A step along the chain: the state are scores of the tags."""

    def __init__(self, transition_params: Any) -> None:
        self._transition_params = composing.expand_dims(transition_params, 0)
        self._num_tags = transition_params.get_shape()[0].value

    @property
    def state_size(self) -> Any:
        """The number of tags."""
        return self._num_tags

    @property
    def output_size(self) -> Any:
        """The number of tags."""
        return self._num_tags

    def _arriving(self, state: Any) -> Tensor:
        """Scores of shape (batch, tag before, tag)."""
        return composing.expand_dims(state, 2) + self._transition_params


class CrfForwardRnnCell(_ChainCell):
    """The forward algorithm: the logarithm of the sum over all tags so far.

    Args:
        transition_params: of shape (tags, tags).
    """

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """The new scores, as output and state."""
        alphas = inputs + reduce_logsumexp(self._arriving(state), [1])
        return alphas, alphas


class CrfDecodeForwardRnnCell(_ChainCell):
    """Viterbi's algorithm: the best score so far, and from which tag it comes.

    Args:
        transition_params: of shape (tags, tags).
    """

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """Where the best scores come from (int32), and the scores."""
        arriving = self._arriving(state)
        best = inputs + reduce_max(arriving, [1])
        return composing.cast(argmax(arriving, 1), "int32"), best


class CrfDecodeBackwardRnnCell(RNNCell):
    """Follows the tags back from the last.

    Args:
        num_tags: the number of tags.
    """

    def __init__(self, num_tags: int) -> None:
        self._num_tags = num_tags

    @property
    def state_size(self) -> int:
        """One tag."""
        return 1

    @property
    def output_size(self) -> int:
        """One tag."""
        return 1

    def __call__(self, inputs: Any, state: Any, scope: Any = None) -> tuple[Any, Any]:
        """The tag before, as output and state."""
        tags = composing.squeeze(state, [1])
        places = composing.stack([composing.range_(composing.shape(inputs)[0]), tags], axis=1)
        before = composing.expand_dims(raw.GatherNd(inputs, places), -1)
        return before, before


def crf_unary_score(tag_indices: Any, sequence_lengths: Any, inputs: Any) -> Tensor:
    """The sums of the scores of the tags.

    Args:
        tag_indices: integers of shape (batch, time).
        sequence_lengths, inputs: as everywhere.

    Returns:
        a vector of shape (batch,).
    """
    shape = composing.shape(inputs)
    batch, time, tags = shape[0], shape[1], shape[2]
    starts = composing.expand_dims(composing.range_(batch) * time * tags, 1)
    starts += composing.expand_dims(composing.range_(time) * tags, 0)
    starts = composing.cast(starts, tag_indices.dtype)
    places = raw.Reshape(starts + tag_indices, [-1])
    scores = composing.gather(raw.Reshape(inputs, [-1]), places)
    scores = raw.Reshape(scores, composing.stack([batch, time]))
    masks = sequence_mask(sequence_lengths, maxlen=composing.shape(tag_indices)[1], dtype="float32")
    return reduce_sum(scores * masks, 1)


def crf_binary_score(tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The sums of the scores of tags that follow one another.

    Args:
        tag_indices: integers of shape (batch, time).
        sequence_lengths, transition_params: as everywhere.

    Returns:
        a vector of shape (batch,).
    """
    tags = transition_params.get_shape()[0].value
    count = composing.shape(tag_indices)[1] - 1
    size = composing.stack([-1, count])
    before, after = raw.Slice(tag_indices, [0, 0], size), raw.Slice(tag_indices, [0, 1], size)
    scores = composing.gather(raw.Reshape(transition_params, [-1]), before * tags + after)
    masks = sequence_mask(sequence_lengths, maxlen=composing.shape(tag_indices)[1], dtype="float32")
    return reduce_sum(scores * raw.Slice(masks, [0, 1], [-1, -1]), 1)


def crf_sequence_score(inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The score of a sequence of tags, not normalized.

    Args:
        inputs, sequence_lengths, transition_params: as everywhere.
        tag_indices: integers of shape (batch, time).

    Returns:
        a vector of shape (batch,).
    """

    def one() -> Tensor:
        batch = shape_internal(inputs, out_type=tag_indices.dtype)[0]
        examples = raw.Reshape(range_(batch, dtype=tag_indices.dtype), [-1, 1])
        places = composing.concat([examples, tag_indices], 1)
        return _zero_where_empty(raw.GatherNd(composing.squeeze(inputs, [1]), places), sequence_lengths)

    def several() -> Tensor:
        unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
        return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)

    return _if_one_time(inputs, one, several)


def crf_multitag_sequence_score(inputs: Any, tag_bitmap: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The logarithm of the sum of the scores of all sequences of allowed tags.

    Args:
        inputs, sequence_lengths, transition_params: as everywhere.
        tag_bitmap: bools of shape (batch, time, tags), which tags are allowed.

    Returns:
        a vector of shape (batch,).
    """

    def allowed() -> Tensor:
        return raw.Select(tag_bitmap, inputs, fill(composing.shape(inputs), float("-inf")))

    return _if_one_time(
        inputs,
        lambda: reduce_logsumexp(allowed(), axis=[1, 2], keepdims=False),
        lambda: crf_log_norm(allowed(), sequence_lengths, transition_params),
    )


def crf_log_norm(inputs: Any, sequence_lengths: Any, transition_params: Any) -> Tensor:
    """The logarithm of the sum of the scores of all sequences of tags.

    Args:
        inputs, sequence_lengths, transition_params: as everywhere.

    Returns:
        a vector of shape (batch,).
    """
    first = composing.squeeze(raw.Slice(inputs, [0, 0, 0], [-1, 1, -1]), [1])

    def one() -> Tensor:
        return _zero_where_empty(reduce_logsumexp(first, [1]), sequence_lengths)

    def several() -> Tensor:
        _, alphas = dynamic_rnn(
            cell=CrfForwardRnnCell(transition_params),
            inputs=raw.Slice(inputs, [0, 1, 0], [-1, -1, -1]),
            sequence_length=_less_one(sequence_lengths),
            initial_state=first,
            dtype="float32",
        )
        return _zero_where_empty(reduce_logsumexp(alphas, [1]), sequence_lengths)

    return _if_one_time(inputs, one, several)


def crf_log_likelihood(
    inputs: Any, tag_indices: Any, sequence_lengths: Any, transition_params: Any = None
) -> tuple[Tensor, Any]:
    """The log likelihood of sequences of tags.

    Args:
        inputs, sequence_lengths: as everywhere.
        tag_indices: integers of shape (batch, time).
        transition_params: as everywhere; a variable `transitions` by default.

    Returns:
        (a vector of shape (batch,), `transition_params`).

    Example:
        >>> likelihood, transitions = tf.contrib.crf.crf_log_likelihood(scores, tags, lengths)
        >>> loss = tf.reduce_mean(-likelihood)
    """
    tags = inputs.get_shape()[2].value
    if transition_params is None:
        transition_params = get_variable("transitions", [tags, tags])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return score - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


def viterbi_decode(score: np.ndarray, transition_params: np.ndarray) -> tuple[list[Any], Any]:
    """The best sequence of tags, of NumPy arrays.

    Args:
        score: array of shape (time, tags).
        transition_params: array of shape (tags, tags).

    Returns:
        (a list of tags, their score).
    """
    best, sources = score[0], []
    for now in score[1:]:
        arriving = best[:, None] + transition_params
        sources.append(arriving.argmax(0))
        best = now + arriving.max(0)
    tags = [np.argmax(best)]
    for source in reversed(sources):
        tags.append(source[tags[-1]])
    tags.reverse()
    return tags, np.max(best)


def crf_decode(potentials: Any, transition_params: Any, sequence_length: Any) -> tuple[Tensor, Tensor]:
    """The best sequences of tags.

    Args:
        potentials: scores of shape (batch, time, tags).
        transition_params: as everywhere.
        sequence_length: how many times of each sequence count.

    Returns:
        (int32 tags of shape (batch, time), scores of shape (batch,)).

    Example:
        >>> tags, score = tf.contrib.crf.crf_decode(scores, transitions, lengths)
    """

    def one() -> tuple[Tensor, Tensor]:
        scores = composing.squeeze(potentials, [1])
        tags = composing.expand_dims(argmax(scores, axis=1), 1)
        return composing.cast(tags, "int32"), reduce_max(scores, axis=1)

    def several() -> tuple[Tensor, Tensor]:
        first = composing.squeeze(raw.Slice(potentials, [0, 0, 0], [-1, 1, -1]), [1])
        lengths = _less_one(sequence_length)
        sources, last = dynamic_rnn(
            CrfDecodeForwardRnnCell(transition_params),
            inputs=raw.Slice(potentials, [0, 1, 0], [-1, -1, -1]),
            sequence_length=lengths,
            initial_state=first,
            dtype="int32",
        )
        sources = reverse_sequence(sources, lengths, seq_axis=1)
        end = composing.expand_dims(composing.cast(argmax(last, axis=1), "int32"), -1)
        tags, _ = dynamic_rnn(
            CrfDecodeBackwardRnnCell(potentials.get_shape()[2].value),
            inputs=sources,
            sequence_length=lengths,
            initial_state=end,
            dtype="int32",
        )
        tags = composing.concat([end, composing.squeeze(tags, [2])], 1)
        return reverse_sequence(tags, sequence_length, seq_axis=1), reduce_max(last, axis=1)

    return _if_one_time(potentials, one, several)
