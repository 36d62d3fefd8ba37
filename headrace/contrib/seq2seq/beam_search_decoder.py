"""Beam search: decoding that follows the best few beginnings of each sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headrace.contrib.seq2seq.basic_decoder import check_output_layer, output_size_of
from headrace.contrib.seq2seq.beam_search import BeamSearch, BeamSearchDecoderOutput, BeamSearchDecoderState, mask_probs
from headrace.contrib.seq2seq.beams import Beams, attention_probs_of
from headrace.contrib.seq2seq.decoder import Decoder
from headrace.contrib.seq2seq.helper import embedding_function
from headrace.contrib.seq2seq.reordering import check_holds_beams, may_hold_beams, sorted_array
from headrace.contrib.seq2seq.reordering import gather_tree_from_array as gather_tree_from_array
from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import bool as bool_dtype
from headrace.core.dtypes import int32, int64
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.math.reduction import reduce_all, reduce_max
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import expand_dims, shape, size
from headrace.ops.array.shape import reshape
from headrace.ops.array.tile import tile
from headrace.ops.array.where import one_hot
from headrace.ops.math.cast import cast
from headrace.ops.nn.gather_tree import gather_tree
from headrace.recurrent.cell import assert_like_rnn_cell

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import Nested, ShapeLike, TensorLike
    from headrace.recurrent.cell import RNNCell


class FinalBeamSearchDecoderOutput(NamedTuple):
    """What `dynamic_decode` returns of a `BeamSearchDecoder`.

    Args:
        predicted_ids: int32 [batch, time, width]: the beams, the best first.
        beam_search_decoder_output: the outputs of all steps.
    """

    predicted_ids: Any
    beam_search_decoder_output: Any


def _tile_batch(t: Tensor, multiplier: int) -> Tensor:
    t = convert_to_tensor(t, name="t")
    sizes, dims = shape(t), t.dims
    if not dims:
        raise ValueError("t must have statically known rank")
    tiled = tile(expand_dims(t, 1), [1, multiplier] + [1] * (len(dims) - 1))
    tiled = reshape(tiled, concat(([sizes[0] * multiplier], sizes[1:]), 0))
    tiled.set_shape([None if dims[0] is None else dims[0] * multiplier, *dims[1:]])
    return tiled


def tile_batch(t: Nested[TensorLike], multiplier: int, name: str | None = None) -> Any:
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
        >>> sess.run(tf.contrib.seq2seq.tile_batch(tf.constant([1, 2]), 2))
        array([1, 1, 2, 2], dtype=int32)
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
        >>> cell, embedding = tf.nn.rnn_cell.GRUCell(16), tf.get_variable("embedding", [10, 4])
        >>> state = tf.contrib.seq2seq.tile_batch(tf.ones([2, 16]), 5)  # of an encoder, for two sentences
        >>> decoder = tf.contrib.seq2seq.BeamSearchDecoder(
        ...     cell, embedding, start_tokens=[1, 1], end_token=2, initial_state=state, beam_width=5,
        ...     output_layer=tf.layers.Dense(10))
        >>> outputs, _, _ = tf.contrib.seq2seq.dynamic_decode(decoder, maximum_iterations=50)
        >>> best = outputs.predicted_ids[:, :, 0]
    """

    def __init__(
        self,
        cell: RNNCell,
        embedding: TensorLike | Callable[..., Any],
        start_tokens: TensorLike,
        end_token: TensorLike,
        initial_state: object,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: TensorLike = 0.0,
        coverage_penalty_weight: float = 0.0,
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
        self._search = BeamSearch(self._beams, self._end_token, length_penalty_weight, coverage_penalty_weight)
        self._initial_cell_state = nest.map_structure(self._beams.maybe_split, initial_state, cell.state_size)
        self._start_tokens = tile(expand_dims(self._start_tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        # All beams begin alike: only the first is followed, the others count as ended.
        self._finished = one_hot(
            zeros([self._batch_size], dtype=int32), depth=beam_width, on_value=False, off_value=True, dtype=bool_dtype
        )

    @property
    def batch_size(self) -> Tensor:
        """The number of start tokens."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places."""
        return True

    def _rnn_output_size(self) -> TensorShape:
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

    def initialize(self, name: str | None = None) -> tuple[Tensor, Tensor, BeamSearchDecoderState]:
        """The start tokens' embeddings, and beams of which all but the first have probability 0."""
        dtype = self._dtype
        log_probs = one_hot(
            zeros([self._batch_size], dtype=int32),
            depth=self._beam_width,
            on_value=convert_to_tensor(0.0, dtype=dtype),
            off_value=convert_to_tensor(-np.inf, dtype=dtype),
            dtype=dtype,
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

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: TensorLike) -> Any:
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

    def step(self, time: TensorLike, inputs: TensorLike, state: Any, name: str | None = None) -> Any:
        """One step of all beams; see `Decoder.step`."""
        beams = self._beams
        with name_scope(name, "BeamSearchDecoderStep", (time, inputs, state)):
            merged = nest.map_structure(lambda part: beams.merge(part, part.shape[2:]), inputs)
            cell_state = nest.map_structure(beams.maybe_merge, state.cell_state, self._cell.state_size)
            outputs, next_cell_state = self._cell(merged, cell_state)
            outputs = nest.map_structure(lambda part: beams.split(part, part.shape[1:]), outputs)
            next_cell_state = nest.map_structure(beams.maybe_split, next_cell_state, self._cell.state_size)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            output, next_state = self._search.step(outputs, next_cell_state, state)
            next_inputs = cond(
                reduce_all(next_state.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(output.predicted_ids),
            )
        return output, next_state, next_inputs, next_state.finished


# ---- single steps, under the names 1.15 has them by in its module ----

_mask_probs = mask_probs


def _beam_search_step(
    time: int,
    logits: Tensor,
    next_cell_state: Tensor,
    beam_state: BeamSearchDecoderState,
    batch_size: Tensor,
    beam_width: int,
    end_token: int,
    length_penalty_weight: float,
    coverage_penalty_weight: float,
) -> tuple[BeamSearchDecoderOutput, BeamSearchDecoderState]:
    search = BeamSearch(Beams(batch_size, beam_width), end_token, length_penalty_weight, coverage_penalty_weight)
    return search.step(logits, next_cell_state, beam_state)


def _check_static_batch_beam_maybe(shape: ShapeLike, batch_size: int, beam_width: int) -> bool:
    return may_hold_beams(TensorShape(shape), Beams(convert_to_tensor(batch_size), beam_width))


def _check_batch_beam(t: Tensor, batch_size: int, beam_width: int) -> Operation:
    return check_holds_beams(t, Beams(convert_to_tensor(batch_size), beam_width))
