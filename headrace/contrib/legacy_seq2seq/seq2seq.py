"""Decoders that are unrolled: a list of inputs, one for each step, and a list of outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.dtypes import float32
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.convolution_functions import conv2d
from headrace.functions.nn.embedding import embedding_lookup
from headrace.kernels.composing.arranging import concat, stack
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.identity import stop_gradient
from headrace.ops.array.shape import reshape
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.ops.math.unary import tanh
from headrace.ops.nn.bias import xw_plus_b
from headrace.ops.nn.softmax import softmax
from headrace.recurrent.linear import Linear
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.cell import RNNCell
    from headrace.recurrent.lstm_cells import LSTMStateTuple
    from headrace.state.current_scope import VariableScope
    from headrace.state.variables import Variable


LoopFunction = Callable[[Any, int], Any]


def extract_argmax_and_embed(
    embedding: TensorLike, output_projection: Any = None, update_embedding: bool = True
) -> LoopFunction:
    """A loop function: the embedding of the last output's largest word.

    Args:
        embedding: the table of embeddings.
        output_projection: the weights and biases that make words of outputs; None if outputs are words.
        update_embedding: whether gradients go to the embedding.
    """

    def embed(previous: TensorLike, _: int) -> Tensor:
        if output_projection is not None:
            previous = xw_plus_b(previous, *output_projection)
        embedded = embedding_lookup(embedding, argmax(previous, 1))
        return embedded if update_embedding else stop_gradient(embedded)

    return embed


_extract_argmax_and_embed = extract_argmax_and_embed


def check_projection(
    output_projection: Sequence[Variable] | None, size: int, dtype: DTypeLike | None, weights: bool = True
) -> None:
    """Raises ValueError unless an output projection, where there is one, is to `size` words."""
    if output_projection is None:
        return
    if weights:
        kernel = convert_to_tensor(output_projection[0], dtype=dtype)
        kernel.get_shape().assert_is_compatible_with([None, size])
    bias = convert_to_tensor(output_projection[1], dtype=dtype)
    bias.get_shape().assert_is_compatible_with([size])


def _next_input(given: Tensor, previous: Tensor | None, i: int, loop_function: LoopFunction | None) -> Tensor:
    if loop_function is None or previous is None:
        return given
    with variable_scope("loop_function", reuse=True):
        return loop_function(previous, i)


def rnn_decoder(
    decoder_inputs: Iterable[Any],
    initial_state: TensorLike | LSTMStateTuple,
    cell: RNNCell,
    loop_function: LoopFunction | None = None,
    scope: str | None = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs.

    Args:
        decoder_inputs: a list of [batch, depth].
        initial_state: the cell's first state.
        cell: an `RNNCell`.
        loop_function: takes the last output and the number of the step, returns the input; only the first of
            `decoder_inputs` is used then.
        scope: the variable scope, "rnn_decoder" by default.

    Returns:
        the list of outputs, and the last state.
    """
    with variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, []
        previous = None
        for i, given in enumerate(decoder_inputs):
            given = _next_input(given, previous, i, loop_function)
            if i > 0:
                get_variable_scope().reuse_variables()
            previous, state = cell(given, state)
            outputs.append(previous)
    return outputs, state


def embedding_rnn_decoder(
    decoder_inputs: Sequence[TensorLike],
    initial_state: TensorLike | LSTMStateTuple,
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    output_projection: Sequence[Variable] | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    scope: str | VariableScope | None = None,
) -> tuple[list[Any], Any]:
    """`rnn_decoder` of words.

    Args:
        decoder_inputs: a list of int32 [batch].
        initial_state: the cell's first state.
        cell: an `RNNCell`.
        num_symbols: the number of words.
        embedding_size: the size of a word's embedding.
        output_projection: the weights and biases that make words of outputs, for `feed_previous`.
        feed_previous: whether the last output's largest word is the next input.
        update_embedding_for_previous: whether gradients go to embeddings of such words.
        scope: the variable scope, "embedding_rnn_decoder" by default.

    Returns:
        the list of outputs, and the last state.
    """
    with variable_scope(scope or "embedding_rnn_decoder") as entered:
        check_projection(output_projection, num_symbols, entered.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop = (
            extract_argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        embedded = (embedding_lookup(embedding, words) for words in decoder_inputs)
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop)


class _Heads:
    """Attention to the states of an encoder (Vinyals et al., arXiv:1412.7449), by several heads.

    Args:
        states: [batch, length, size].
        count: the number of heads.
        dtype: the type of the variables.
    """

    def __init__(self, states: Any, count: int, dtype: DType) -> None:
        self.dtype = dtype
        self.length = states.get_shape()[1].value
        if self.length is None:
            self.length = shape(states)[1]
        self.size = states.get_shape()[2].value
        self.hidden = reshape(states, [-1, self.length, 1, self.size])
        self.features, self.v = [], []
        for head in range(count):
            kernel = get_variable(f"AttnW_{head}", [1, 1, self.size, self.size], dtype=dtype)
            self.features.append(conv2d(self.hidden, kernel, [1, 1, 1, 1], "SAME"))
            self.v.append(get_variable(f"AttnV_{head}", [self.size], dtype=dtype))

    def __call__(self, query: Any) -> list[Any]:
        """What each head reads for a query, a tensor or structure of tensors [batch, depth]: [batch, size]."""
        if nest.is_sequence(query):
            parts = nest.flatten(query)
            for part in parts:
                if part.get_shape().ndims and part.get_shape().ndims != 2:
                    raise ValueError(f"A state to attend with must be of rank 2, got shape {part.get_shape()}")
            query = concat(parts, 1)
        return [self._read(head, query) for head in range(len(self.v))]

    def _read(self, head: int, query: TensorLike) -> Tensor:
        with variable_scope(f"Attention_{head}"):
            mapped = reshape(Linear(query, self.size, True)(query), [-1, 1, 1, self.size])
            mapped = cast(mapped, self.dtype)
            scores = reduce_sum(self.v[head] * tanh(self.features[head] + mapped), [2, 3])
            weights = cast(softmax(cast(scores, dtype=float32)), self.dtype)
            read = reduce_sum(reshape(weights, [-1, self.length, 1, 1]) * self.hidden, [1, 2])
            return reshape(read, [-1, self.size])


def attention_decoder(
    decoder_inputs: list[Any],
    initial_state: TensorLike | LSTMStateTuple | None,
    attention_states: Tensor,
    cell: RNNCell,
    output_size: int | None = None,
    num_heads: int = 1,
    loop_function: LoopFunction | None = None,
    dtype: Any = None,
    scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """Runs a cell that attends to states over a list of inputs.

    Args:
        decoder_inputs: a list of [batch, depth].
        initial_state: the cell's first state.
        attention_states: [batch, length, size]: what is attended to.
        cell: an `RNNCell`.
        output_size: the depth of the outputs; the cell's by default.
        num_heads: how many heads attend.
        loop_function: takes the last output and the number of the step, returns the input.
        dtype: the type of the variables; that of the scope by default.
        scope: the variable scope, "attention_decoder" by default.
        initial_state_attention: whether the first step sees what the first state attends to, or zeros.

    Returns:
        the list of outputs, and the last state.

    Raises:
        ValueError: without inputs, or heads, or if the size of the states is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.get_shape()[2].value is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.get_shape()}")
    if output_size is None:
        output_size = cell.output_size
    with variable_scope(scope or "attention_decoder", dtype=dtype) as entered:
        dtype = entered.dtype
        batch = shape(decoder_inputs[0])[0]
        attend = _Heads(attention_states, num_heads, dtype)
        nothing = stack([batch, attend.size])
        read = [zeros(nothing, dtype=dtype) for _ in range(num_heads)]
        for part in read:
            part.set_shape([None, attend.size])
        if initial_state_attention:
            read = attend(initial_state)
        state, outputs = initial_state, []
        previous = None
        for i, given in enumerate(decoder_inputs):
            if i > 0:
                get_variable_scope().reuse_variables()
            given = _next_input(given, previous, i, loop_function)
            depth = given.get_shape().with_rank(2)[1].value
            if depth is None:
                raise ValueError(f"Could not infer input size from input: {given.name}")
            inputs = [cast(part, dtype) for part in [given, *read]]
            cell_output, state = cell(Linear(inputs, depth, True)(inputs), state)
            if i == 0 and initial_state_attention:
                with variable_scope(get_variable_scope(), reuse=True):
                    read = attend(state)
            else:
                read = attend(state)
            with variable_scope("AttnOutputProjection"):
                parts = [cast(cell_output, dtype), *read]
                previous = Linear(parts, output_size, True)(parts)
            outputs.append(previous)
    return outputs, state


def embedding_attention_decoder(
    decoder_inputs: list[Any],
    initial_state: TensorLike | LSTMStateTuple,
    attention_states: Tensor,
    cell: RNNCell,
    num_symbols: int,
    embedding_size: int,
    num_heads: int = 1,
    output_size: int | None = None,
    output_projection: Sequence[Variable] | None = None,
    feed_previous: bool = False,
    update_embedding_for_previous: bool = True,
    dtype: DTypeLike | None = None,
    scope: str | VariableScope | None = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """`attention_decoder` of words; arguments as for it and for `embedding_rnn_decoder`.

    Returns:
        the list of outputs, and the last state.
    """
    if output_size is None:
        output_size = cell.output_size
    check_projection(output_projection, num_symbols, dtype, weights=False)
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop = (
            extract_argmax_and_embed(embedding, output_projection, update_embedding_for_previous)
            if feed_previous
            else None
        )
        return attention_decoder(
            [embedding_lookup(embedding, words) for words in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop,
            initial_state_attention=initial_state_attention,
        )
