"""Beam search: decoding that follows the best few beginnings of each sequence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from headrace.contrib.seq2seq.basic_decoder import check_output_layer, output_size_of
from headrace.contrib.seq2seq.beams import Beams, attention_probs_of, known_rank, length_penalty
from headrace.contrib.seq2seq.decoder import Decoder
from headrace.contrib.seq2seq.helper import embedding_function
from headrace.contrib.seq2seq.reordering import sorted_array
from headrace.core import nest
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import bool as bool_dtype
from headrace.core.dtypes import int32, int64
from headrace.core.operation import Tensor
from headrace.core.shapes import TensorShape, dimension_value
from headrace.layers.classic.core import Dense
from headrace.ops.array.fill import ones_like, zeros
from headrace.ops.array.join import concat
from headrace.ops.array.shape import expand_dims, reshape, shape, size
from headrace.ops.array.tile import tile
from headrace.ops.array.where import one_hot, where, where_v2
from headrace.ops.flow.cond import cond
from headrace.ops.math.binary import minimum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.ops.math.logical import logical_not, logical_or
from headrace.ops.math.reduction import reduce_all, reduce_max, reduce_sum
from headrace.ops.math.unary import log
from headrace.ops.nn.gather_tree import gather_tree
from headrace.ops.nn.softmax import log_softmax
from headrace.ops.nn.topk import top_k
from headrace.recurrent.cell import assert_like_rnn_cell


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


class FinalBeamSearchDecoderOutput(NamedTuple):
    """What `dynamic_decode` returns of a `BeamSearchDecoder`.

    Args:
        predicted_ids: int32 [batch, time, width]: the beams, the best first.
        beam_search_decoder_output: the outputs of all steps.
    """

    predicted_ids: Any
    beam_search_decoder_output: Any


def _tile_batch(t: Any, multiplier: int) -> Tensor:
    t = convert_to_tensor(t, name="t")
    sizes, dims = shape(t), t.dims
    if not dims:
        raise ValueError("t must have statically known rank")
    tiled = tile(expand_dims(t, 1), [1, multiplier] + [1] * (len(dims) - 1))
    tiled = reshape(tiled, concat(([sizes[0] * multiplier], sizes[1:]), 0))
    tiled.set_shape([None if dims[0] is None else dims[0] * multiplier, *dims[1:]])
    return tiled


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Repeats each entry of a batch, as beam search needs of an encoder's outputs and states.

    Args:
        t: a tensor [batch, ...], or a structure of them.
        multiplier: how often each entry is repeated: the beam width.
        name: a name for the operations.

    Returns:
        tensors [batch * multiplier, ...]: entry 0 `multiplier` times, then entry 1, and so on.

    Raises:
        ValueError: for a tensor of unknown rank, or a scalar.

    Example:
        >>> tf.contrib.seq2seq.tile_batch([1, 2], 2)  # [1, 1, 2, 2]
    """
    with name_scope(name, "tile_batch", [*nest.flatten(t), multiplier]):
        return nest.map_structure(lambda part: _tile_batch(part, multiplier), t)


class BeamSearchDecoder(Decoder):
    """Follows the `beam_width` best beginnings of each sequence.

    What the cell attends to, and its first state, are to be repeated by `tile_batch` first.

    Args:
        cell: an `RNNCell`.
        embedding: a function from ids to inputs, or the parameters of `embedding_lookup`.
        start_tokens: int32 [batch]: the first ids.
        end_token: int32 scalar: the id that ends a sequence.
        initial_state: the cell's first state, [batch * beam_width, ...].
        beam_width: how many beginnings are followed.
        output_layer: a layer that makes logits of the cell's outputs.
        length_penalty_weight: the exponent of the length by which scores are divided (Wu et al., arXiv:1609.08144).
        coverage_penalty_weight: the weight of the penalty for places of the memory that were not attended to.
        reorder_tensor_arrays: whether TensorArrays of the cell's state are returned as tensors in the beams' order.

    Raises:
        TypeError: if `cell` is no cell or `output_layer` no layer.
        ValueError: if `start_tokens` is not a vector or `end_token` not a scalar.

    Example:
        >>> memory = tf.contrib.seq2seq.tile_batch(encoder_outputs, 5)
        >>> decoder = tf.contrib.seq2seq.BeamSearchDecoder(cell, embedding, start_tokens, end, state, beam_width=5)
        >>> outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=50)
        >>> best = outputs.predicted_ids[:, :, 0]
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: Any = 0.0,
        coverage_penalty_weight: Any = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        assert_like_rnn_cell("cell", cell)
        check_output_layer(output_layer)
        self._cell = cell
        self._output_layer = output_layer
        self._reorder_tensor_arrays = reorder_tensor_arrays
        self._beam_width = beam_width
        self._length_penalty_weight = length_penalty_weight
        self._coverage_penalty_weight = coverage_penalty_weight
        self._embedding_fn = embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, dtype=int32, name="start_tokens")
        if self._start_tokens.get_shape().ndims != 1:
            raise ValueError("start_tokens must be a vector")
        self._end_token = convert_to_tensor(end_token, dtype=int32, name="end_token")
        if self._end_token.get_shape().ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = size(start_tokens)
        self._beams = Beams(self._batch_size, beam_width)
        self._initial_cell_state = nest.map_structure(self._beams.maybe_split, initial_state, cell.state_size)
        self._start_tokens = tile(expand_dims(self._start_tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        # All beams begin alike: only the first is followed, the others count as ended.
        self._finished = self._first_beam(False, True, bool_dtype)

    def _first_beam(self, first: Any, others: Any, dtype: Any) -> Tensor:
        """[batch, width] of one value for the first beam and another for the rest."""
        return one_hot(
            zeros([self._batch_size], dtype=int32),
            depth=self._beam_width,
            on_value=first,
            off_value=others,
            dtype=dtype,
        )

    @property
    def batch_size(self) -> Any:
        """The number of start tokens."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places."""
        return True

    def _rnn_output_size(self) -> Any:
        return output_size_of(self._cell, self._output_layer)

    @property
    def _dtype(self) -> Any:
        return nest.flatten(self._initial_cell_state)[0].dtype

    @property
    def output_size(self) -> BeamSearchDecoderOutput:
        """The sizes of the outputs: [width] each."""
        width = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(width, width, width)

    @property
    def output_dtype(self) -> BeamSearchDecoderOutput:
        """The element types of the outputs: that of the cell's state, and int32."""
        scores = nest.map_structure(lambda _: self._dtype, self._rnn_output_size())
        return BeamSearchDecoderOutput(scores, int32, int32)

    def initialize(self, name: str | None = None) -> Any:
        """The start tokens' embeddings, and beams of which all but the first have probability 0."""
        dtype = self._dtype
        log_probs = self._first_beam(
            convert_to_tensor(0.0, dtype=dtype), convert_to_tensor(-np.inf, dtype=dtype), dtype
        )
        attention_probs = attention_probs_of(self._initial_cell_state, self._coverage_penalty_weight)
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=log_probs,
            finished=self._finished,
            lengths=zeros([self._batch_size, self._beam_width], dtype=int64),
            accumulated_attention_probs=() if attention_probs is None else attention_probs,
        )
        return self._finished, self._start_inputs, state

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """The whole beams; `sequence_lengths` does not count, the lengths are in the state."""
        predicted = gather_tree(
            outputs.predicted_ids,
            outputs.parent_ids,
            max_sequence_lengths=cast(reduce_max(final_state.lengths, axis=1), int32),
            end_token=self._end_token,
        )
        if self._reorder_tensor_arrays:
            final_state = final_state._replace(
                cell_state=nest.map_structure(
                    lambda part: sorted_array(part, outputs.parent_ids, final_state.lengths, self._beams),
                    final_state.cell_state,
                )
            )
        return FinalBeamSearchDecoderOutput(predicted, outputs), final_state

    def step(self, time: Any, inputs: Any, state: Any, name: str | None = None) -> Any:
        """One step of all beams; see `Decoder.step`."""
        beams = self._beams
        with name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            merged = nest.map_structure(lambda part: beams.merge(part, part.shape[2:]), inputs)
            cell_state = nest.map_structure(beams.maybe_merge, state.cell_state, self._cell.state_size)
            outputs, next_cell_state = self._cell(merged, cell_state)
            # A dense layer looks at the last axis only, and a matrix is simpler than beams of vectors.
            flat = type(self._output_layer) is Dense and isinstance(outputs, Tensor) and known_rank(outputs) == 2
            if flat:
                outputs = self._output_layer(outputs)
            outputs = nest.map_structure(lambda part: beams.split(part, part.shape[1:]), outputs)
            next_cell_state = nest.map_structure(beams.maybe_split, next_cell_state, self._cell.state_size)
            if self._output_layer is not None and not flat:
                outputs = self._output_layer(outputs)
            output, next_state = self._search(outputs, next_cell_state, state)
            next_inputs = cond(
                reduce_all(next_state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, next_state, next_inputs, next_state.finished

    def _search(
        self, logits: Tensor, next_cell_state: Any, state: BeamSearchDecoderState
    ) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
        """The best continuations of all beams, and what is known of them.

        Args:
            logits: [batch, width, vocabulary].
            next_cell_state: the cell's state after the beams that were.
            state: the state before the step.
        """
        beams, end, width = self._beams, self._end_token, self._beam_width
        vocabulary = dimension_value(logits.shape[-1]) or shape(logits)[-1]
        finished = state.finished
        going_on = logical_not(finished)
        # A beam that has ended goes on with end tokens only, at no cost.
        only_end = one_hot(
            end,
            vocabulary,
            on_value=convert_to_tensor(0.0, dtype=logits.dtype),
            off_value=convert_to_tensor(logits.dtype.min, dtype=logits.dtype),
            dtype=logits.dtype,
        )
        step_probs = where_v2(expand_dims(finished, 2), only_end, log_softmax(logits))
        total_probs = expand_dims(state.log_probs, 2) + step_probs

        accumulated: Any = None
        attention_probs = attention_probs_of(next_cell_state, self._coverage_penalty_weight)
        if attention_probs is not None:
            attended = attention_probs * expand_dims(cast(going_on, attention_probs.dtype), 2)
            accumulated = state.accumulated_attention_probs + attended
        scores = self._scores(total_probs, state, vocabulary, accumulated)

        best_scores, places = top_k(reshape(scores, [self._batch_size, -1]), k=width)
        static_batch = beams.static_batch
        best_scores.set_shape([static_batch, width])
        places.set_shape([static_batch, width])
        if scores is total_probs:
            best_probs = best_scores
        else:
            best_probs = beams.pick_each(total_probs, places, width * vocabulary, name="next_beam_probs")
        words = cast(places % vocabulary, int32, name="next_beam_word_ids")
        parents = cast(places // vocabulary, int32, name="next_beam_parent_ids")

        pick = beams.picker(parents)
        finished = pick(finished)
        next_state = BeamSearchDecoderState(
            cell_state=nest.map_structure(pick, next_cell_state),
            log_probs=best_probs,
            lengths=pick(state.lengths) + cast(logical_not(finished), int64),
            finished=logical_or(finished, equal(words, end), name="next_beam_finished"),
            accumulated_attention_probs=() if accumulated is None else pick(accumulated),
        )
        return BeamSearchDecoderOutput(best_scores, words, parents), next_state

    def _scores(self, total_probs: Tensor, state: BeamSearchDecoderState, vocabulary: Any, accumulated: Any) -> Tensor:
        """What beams are ordered by: their log probabilities, with the penalties of length and coverage."""
        scores = total_probs
        penalty_weight = convert_to_tensor(self._length_penalty_weight, name="penalty_factor")
        penalty_weight.set_shape(())
        known = constant_value(penalty_weight)
        if known is None or known != 0:
            # Only what goes on with another word than the end grows longer.
            lengths = expand_dims(state.lengths, 2)
            longer = lengths + expand_dims(cast(logical_not(state.finished), int64), 2)
            ends = one_hot(self._end_token, vocabulary, on_value=True, off_value=False, dtype=bool_dtype)
            penalties = where_v2(ends, length_penalty(lengths, penalty_weight), length_penalty(longer, penalty_weight))
            scores = scores / cast(penalties, scores.dtype)
        weight = convert_to_tensor(self._coverage_penalty_weight, name="coverage_penalty_weight")
        if weight.shape.ndims != 0:
            raise ValueError(f"coverage_penalty_weight should be a scalar, but saw shape: {weight.shape}")
        if constant_value(weight) == 0.0:
            return scores
        if accumulated is None:
            raise ValueError("accumulated_attention_probs can be None only if coverage penalty is disabled.")
        # Places that nothing has attended to are those past the end of the memory.
        seen = where(equal(accumulated, 0.0), ones_like(accumulated), accumulated)
        coverage = reduce_sum(log(minimum(seen, 1.0)), 2) * cast(state.finished, seen.dtype)
        return scores + expand_dims(coverage * weight, 2)
