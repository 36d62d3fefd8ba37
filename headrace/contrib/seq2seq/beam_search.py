"""One step of beam search: the best continuations of all beams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from headrace.contrib.seq2seq.beams import Beams, attention_probs_of, length_penalty
from headrace.core import nest
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import int32, int64
from headrace.core.shapes import dimension_value
from headrace.core.tensor import Tensor
from headrace.functions.math.reduction import reduce_sum
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import ones_like
from headrace.kernels.composing.shapes import expand_dims, shape
from headrace.ops.array.fill import fill
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.where import one_hot, where
from headrace.ops.math.binary import minimum
from headrace.ops.math.cast import cast, to_int64
from headrace.ops.math.comparison import equal
from headrace.ops.math.division import mod
from headrace.ops.math.logical import logical_not, logical_or
from headrace.ops.math.unary import log
from headrace.ops.nn.softmax import log_softmax
from headrace.ops.nn.topk import top_k

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


class BeamSearchDecoderState(NamedTuple):
    """The state of a `BeamSearchDecoder`.

    Args:
        cell_state: the cell's state, [batch, width, ...].
        log_probs: [batch, width]: the logarithms of the beams' probabilities.
        finished: bool [batch, width].
        lengths: int64 [batch, width].
        accumulated_attention_probs: [batch, width, time], or () where coverage is not penalized.
    """

    cell_state: Any
    log_probs: Any
    finished: Any
    lengths: Any
    accumulated_attention_probs: Any


class BeamSearchDecoderOutput(NamedTuple):
    """The outputs of a step of a `BeamSearchDecoder`: the scores, ids and parents of the beams, [batch, width]."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


def mask_probs(probs: Tensor, eos_token: TensorLike, finished: Tensor) -> Tensor:
    """Log probabilities of words, [batch, width, vocabulary]: beams that have ended go on with ends only, at no cost."""
    vocabulary = shape(probs)[2]
    only_end = one_hot(
        eos_token,
        vocabulary,
        dtype=probs.dtype,
        on_value=convert_to_tensor(0.0, dtype=probs.dtype),
        off_value=probs.dtype.min,
    )
    ends = tile(reshape(only_end, [1, 1, -1]), concat([shape(finished), [1]], 0))
    return where(tile(expand_dims(finished, 2), [1, 1, vocabulary]), ends, probs)


class BeamSearch:
    """The choice among continuations.

    Args:
        beams: their layout.
        end_token: int32 scalar: the word that ends a sequence.
        length_penalty_weight: the exponent of the length by which scores are divided.
        coverage_penalty_weight: the weight of the penalty for what was not attended to.
    """

    def __init__(
        self,
        beams: Beams,
        end_token: Any,
        length_penalty_weight: TensorLike = 0.0,
        coverage_penalty_weight: float = 0.0,
    ) -> None:
        self._beams, self._end_token = beams, end_token
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight

    def step(
        self, logits: Tensor, next_cell_state: object, state: BeamSearchDecoderState
    ) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
        """The best continuations of all beams, and what is known of them.

        Args:
            logits: [batch, width, vocabulary].
            next_cell_state: the cell's state after the beams that were.
            state: the state before the step.
        """
        beams, width = self._beams, self._beams.width
        finished = state.finished
        going_on = logical_not(finished)
        step_probs = mask_probs(log_softmax(logits), self._end_token, finished)
        total_probs = expand_dims(state.log_probs, 2) + step_probs
        vocabulary = dimension_value(logits.shape[-1]) or shape(logits)[-1]
        # What goes on with another word than the end grows longer.
        words_count = one_hot(
            fill([beams.batch_size, width], self._end_token), vocabulary, on_value=to_int64(0), off_value=to_int64(1)
        )
        added = words_count * expand_dims(cast(going_on, int64), 2)
        lengths = added + expand_dims(state.lengths, 2)

        accumulated: Tensor | None = None
        attention_probs = attention_probs_of(next_cell_state, self._coverage_penalty_weight)
        if attention_probs is not None:
            attended = attention_probs * expand_dims(cast(going_on, attention_probs.dtype), 2)
            accumulated = state.accumulated_attention_probs + attended
        scores = self._scores(total_probs, lengths, finished, accumulated)

        flat_scores = reshape(scores, [beams.batch_size, -1])
        best_scores, places = top_k(flat_scores, k=convert_to_tensor(width, dtype=int32, name="beam_width"))
        best_scores.set_shape([beams.static_batch, width])
        places.set_shape([beams.static_batch, width])
        best_probs = beams.pick(total_probs, places, width * vocabulary, [-1], name="next_beam_probs")
        words = cast(mod(places, vocabulary, name="next_beam_word_ids"), int32)
        parents = cast(places / vocabulary, int32, name="next_beam_parent_ids")

        finished = beams.pick(finished, parents, width, [-1])
        ended = logical_or(finished, equal(words, self._end_token), name="next_beam_finished")
        going_on = cast(logical_not(finished), int64)
        next_lengths = beams.pick(state.lengths, parents, width, [-1]) + going_on
        next_seen: Any = ()
        if accumulated is not None:
            next_seen = beams.reorder(accumulated, parents, "next_accumulated_attention_probs")
        next_state = BeamSearchDecoderState(
            cell_state=nest.map_structure(lambda part: beams.reorder(part, parents), next_cell_state),
            log_probs=best_probs,
            lengths=next_lengths,
            finished=ended,
            accumulated_attention_probs=next_seen,
        )
        return BeamSearchDecoderOutput(best_scores, words, parents), next_state

    def _scores(self, total_probs: Tensor, lengths: Tensor, finished: Tensor, accumulated: Tensor | None) -> Tensor:
        """What beams are ordered by: their log probabilities, with the penalties of length and coverage.

        Wu et al., arXiv:1609.08144, equation 14.
        """
        scores = total_probs / cast(length_penalty(lengths, self._length_penalty_weight), total_probs.dtype)
        weight = convert_to_tensor(self._coverage_penalty_weight, name="coverage_penalty_weight")
        if weight.shape.ndims != 0:
            raise ValueError(f"coverage_penalty_weight should be a scalar, but saw shape: {weight.shape}")
        if constant_value(weight) == 0.0:
            return scores
        if accumulated is None:
            raise ValueError("accumulated_attention_probs can be None only if coverage penalty is disabled.")
        # Places that nothing has attended to are those past the end of the memory.
        seen = where(equal(accumulated, 0.0), ones_like(accumulated), accumulated)
        coverage = reduce_sum(log(minimum(seen, 1.0)), 2) * cast(finished, seen.dtype)
        return scores + expand_dims(coverage * weight, 2)
