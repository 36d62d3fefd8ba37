"""Encoders and decoders together, unrolled (Sutskever, Vinyals and Le, arXiv:1409.3215)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from headrace.contrib.legacy_seq2seq.seq2seq import (
    LoopFunction,
    check_projection,
    embedding_attention_decoder,
    embedding_rnn_decoder,
    extract_argmax_and_embed,
    rnn_decoder,
)
from headrace.core import nest
from headrace.core.dims import merge_dim
from headrace.core.dtypes import float32
from headrace.functions.flow.cond import cond
from headrace.functions.nn.embedding import embedding_lookup
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.shape import reshape
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.projections import EmbeddingWrapper, OutputProjectionWrapper
from headrace.recurrent.static import static_rnn
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike
    from headrace.recurrent.basic_cells import GRUCell
    from headrace.recurrent.lstm_cells import BasicLSTMCell
    from headrace.state.current_scope import VariableScope
    from headrace.state.variables import Variable


Decoded = tuple[list[Any], Any]


def _fed(
    feed_previous: bool | Tensor, decode: Callable[[bool, bool], Decoded], structure: Callable[[], Any]
) -> Decoded:
    """What a decoder gives that feeds back its words or not, as a Python bool or a tensor says.

    Args:
        feed_previous: a bool, or a bool scalar tensor.
        decode: takes `feed_previous`, and whether gradients go to embeddings of words fed back.
        structure: gives a state of the same structure.
    """
    if isinstance(feed_previous, bool):
        return decode(feed_previous, True)

    def branch(feeds: bool) -> list[Any]:
        with variable_scope(get_variable_scope(), reuse=None if feeds else True):
            outputs, state = decode(feeds, False)
            return outputs + nest.flatten(state)

    both = cond(feed_previous, lambda: branch(True), lambda: branch(False))
    like = structure()
    count = len(nest.flatten(like))
    outputs, state = list(both[:-count]), list(both[-count:])
    return outputs, nest.pack_sequence_as(like, state) if nest.is_sequence(like) else state[0]


# Cells that have been used, as they were before: those have variables, and cannot be copied.
_unused: WeakKeyDictionary[RNNCell, RNNCell] = WeakKeyDictionary()


def _another(cell: RNNCell) -> RNNCell:
    """A cell like one, with variables of its own; the one may have been used, for another bucket."""
    if cell not in _unused:
        _unused[cell] = copy.deepcopy(cell)
    return copy.deepcopy(_unused[cell])


def basic_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: BasicLSTMCell,
    dtype: DTypeLike = float32,
    scope: str | VariableScope | None = None,
) -> Decoded:
    """An encoder, and a decoder that begins with its last state.

    Args:
        encoder_inputs, decoder_inputs: lists of [batch, depth].
        cell: an `RNNCell`; the encoder runs a copy with weights of its own.
        dtype: the type of the encoder's first state.
        scope: the variable scope, "basic_rnn_seq2seq" by default.

    Returns:
        the list of outputs, and the decoder's last state.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(_another(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: RNNCell,
    loop_function: LoopFunction | None = None,
    dtype: DTypeLike = float32,
    scope: Any = None,
) -> Decoded:
    """An encoder and a decoder with the same weights.

    Args:
        encoder_inputs, decoder_inputs: lists of [batch, depth].
        cell: an `RNNCell`.
        loop_function: as for `rnn_decoder`.
        dtype: the type of the encoder's first state.
        scope: the variable scope, "tied_rnn_seq2seq" by default.

    Returns:
        the list of outputs, and the decoder's last state.
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def embedding_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: RNNCell,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    output_projection: Sequence[Variable] | None = None,
    feed_previous: bool | Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | None = None,
) -> Decoded:
    """`basic_rnn_seq2seq` of words.

    Args:
        encoder_inputs, decoder_inputs: lists of int32 [batch].
        cell: an `RNNCell`; the encoder runs a copy with weights of its own.
        num_encoder_symbols, num_decoder_symbols: the numbers of words.
        embedding_size: the size of a word's embedding.
        output_projection: the weights and biases that make words of outputs; outputs are words without.
        feed_previous: whether the last output's largest word is the next input: a bool, or a bool scalar tensor.
        dtype: the type of the variables; that of the scope by default.
        scope: the variable scope, "embedding_rnn_seq2seq" by default.

    Returns:
        the list of outputs, and the decoder's last state.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as entered:
        if dtype is not None:
            entered.set_dtype(dtype)
        else:
            dtype = entered.dtype
        encoder_cell = EmbeddingWrapper(
            _another(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size
        )
        _, encoded = static_rnn(encoder_cell, encoder_inputs, dtype=dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feeds: bool, update: bool) -> Decoded:
            return embedding_rnn_decoder(
                decoder_inputs,
                encoded,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feeds,
                update_embedding_for_previous=update,
            )

        return _fed(feed_previous, decode, lambda: encoded)


def embedding_tied_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    num_decoder_symbols: int | None = None,
    output_projection: Any = None,
    feed_previous: bool | Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
) -> Decoded:
    """`tied_rnn_seq2seq` of words, which encoder and decoder share.

    Args:
        encoder_inputs, decoder_inputs: lists of int32 [batch].
        cell: an `RNNCell`.
        num_symbols: the number of words.
        embedding_size: the size of a word's embedding.
        num_decoder_symbols: the number of words of the outputs; `num_symbols` by default.
        output_projection, feed_previous, dtype: as for `embedding_rnn_seq2seq`.
        scope: the variable scope, "embedding_tied_rnn_seq2seq" by default.

    Returns:
        the list of outputs, and the decoder's last state.
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as entered:
        dtype = entered.dtype
        check_projection(output_projection, num_symbols, dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=dtype)
        encoder_embedded = [embedding_lookup(embedding, words) for words in encoder_inputs]
        decoder_embedded = [embedding_lookup(embedding, words) for words in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(feeds: bool, update: bool) -> Decoded:
            loop = extract_argmax_and_embed(embedding, output_projection, update) if feeds else None
            return tied_rnn_seq2seq(encoder_embedded, decoder_embedded, cell, loop_function=loop, dtype=dtype)

        def structure() -> Tensor:
            batch: int | None = None
            for words in encoder_inputs:
                batch = merge_dim(batch, words.get_shape()[0].value)
            return cell.zero_state(shape(encoder_inputs[0])[0] if batch is None else batch, dtype)

        return _fed(feed_previous, decode, structure)


def embedding_attention_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    cell: RNNCell,
    num_encoder_symbols: int,
    num_decoder_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_projection: Sequence[Variable] | None = None,
    feed_previous: bool | Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
    initial_state_attention: bool = False,
) -> Decoded:
    """An encoder of words, and a decoder that attends to its outputs.

    Args:
        encoder_inputs, decoder_inputs: lists of int32 [batch].
        cell: an `RNNCell`; the encoder runs a copy with weights of its own.
        num_encoder_symbols, num_decoder_symbols: the numbers of words.
        embedding_size: the size of a word's embedding.
        num_heads: how many heads attend.
        output_projection, feed_previous, dtype: as for `embedding_rnn_seq2seq`.
        scope: the variable scope, "embedding_attention_seq2seq" by default.
        initial_state_attention: as for `attention_decoder`.

    Returns:
        the list of outputs, and the decoder's last state.
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as entered:
        dtype = entered.dtype
        encoder_cell = EmbeddingWrapper(
            _another(cell), embedding_classes=num_encoder_symbols, embedding_size=embedding_size
        )
        outputs, encoded = static_rnn(encoder_cell, encoder_inputs, dtype=dtype)
        seen = concat([reshape(output, [-1, 1, cell.output_size]) for output in outputs], 1)
        output_size = None
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)
            output_size = num_decoder_symbols

        def decode(feeds: bool, update: bool) -> Decoded:
            return embedding_attention_decoder(
                decoder_inputs,
                encoded,
                seen,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feeds,
                update_embedding_for_previous=update,
                initial_state_attention=initial_state_attention,
            )

        return _fed(feed_previous, decode, lambda: encoded)


def one2many_rnn_seq2seq(
    encoder_inputs: list[Any],
    decoder_inputs_dict: dict[Any, list[Any]],
    enc_cell: int | GRUCell,
    dec_cells_dict: dict[Any, Any],
    num_encoder_symbols: int,
    num_decoder_symbols_dict: dict[Any, int],
    embedding_size: int,
    feed_previous: bool | Tensor = False,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
) -> tuple[dict[Any, list[Any]], dict[Any, Any]]:
    """An encoder of words, and several decoders that begin with its last state.

    Args:
        encoder_inputs: a list of int32 [batch].
        decoder_inputs_dict: a list of int32 [batch] for each decoder's name.
        enc_cell: the encoder's cell.
        dec_cells_dict: the decoders' cells.
        num_encoder_symbols: the number of words of the encoder.
        num_decoder_symbols_dict: the numbers of words of the decoders.
        embedding_size: the size of a word's embedding.
        feed_previous, dtype: as for `embedding_rnn_seq2seq`.
        scope: the variable scope, "one2many_rnn_seq2seq" by default.

    Returns:
        the outputs and the last states, by the decoders' names.

    Raises:
        TypeError: if a cell is none.
        ValueError: if the dicts have other keys.
    """
    if not isinstance(enc_cell, RNNCell):
        raise TypeError(f"enc_cell is not an RNNCell: {type(enc_cell)}")
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise ValueError("keys of dec_cells_dict != keys of decoder_inputs_dict")
    for dec_cell in dec_cells_dict.values():
        if not isinstance(dec_cell, RNNCell):
            raise TypeError(f"dec_cell is not an RNNCell: {type(dec_cell)}")
    all_outputs, all_states = {}, {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as entered:
        wrapped = EmbeddingWrapper(enc_cell, embedding_classes=num_encoder_symbols, embedding_size=embedding_size)
        _, encoded = static_rnn(wrapped, encoder_inputs, dtype=entered.dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            with variable_scope(f"one2many_decoder_{name}"):
                words = num_decoder_symbols_dict[name]
                cell = OutputProjectionWrapper(dec_cells_dict[name], words)

                def decode(
                    feeds: bool,
                    _: bool,
                    inputs: Sequence[Tensor] = decoder_inputs,
                    cell: OutputProjectionWrapper = cell,
                    words: int = words,
                ) -> Decoded:
                    return embedding_rnn_decoder(inputs, encoded, cell, words, embedding_size, feed_previous=feeds)

                all_outputs[name], all_states[name] = _fed(feed_previous, decode, lambda: encoded)
    return all_outputs, all_states
