"""Decoders of TensorFlow 1.0: functions that say in each step what a cell reads next and whether a sequence has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.core.dtypes import bool as bool_dtype
from headrace.core.dtypes import float32, int32
from headrace.core.shapes import dimension_value
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.kernels.composing.arranging import concat, gather, transpose
from headrace.kernels.composing.filling import ones, zeros, zeros_like
from headrace.kernels.composing.shapes import shape
from headrace.ops.math.argmax import argmax
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal, greater, greater_equal
from headrace.recurrent.dynamic import raw_rnn
from headrace.recurrent.lstm_cells import LSTMStateTuple

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.cell import RNNCell
    from headrace.state.variable_scope import VariableScope

# Takes (time, state, input, output, context); returns (done, state, input, what to emit, context).
DecoderFunction = Callable[[Any, Any, Any, Any, Any], tuple[Any, Any, Any, Any, Any]]


def dynamic_rnn_decoder(
    cell: RNNCell,
    decoder_fn: DecoderFunction,
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: str | VariableScope | None = None,
    name: str | None = None,
) -> tuple[Tensor, Any, Any]:
    """Runs a cell as a decoder: on inputs that are known, or on what a function makes of the outputs.

    Args:
        cell: the cell that decodes.
        decoder_fn: takes the time, the cell's state, its next input, its output and a context, the first time without
            state, output and context; returns who is done (None: `sequence_length` decides), the state, the input, what
            to emit and the next context. The input it gets is None where there are no `inputs`.
        inputs: [batch, time, depth] in training, None in inference.
        sequence_length: int32 [batch], needed with `inputs`.
        parallel_iterations, swap_memory: as in `tf.while_loop`.
        time_major: whether inputs and outputs are [time, batch, depth].
        scope: the variable scope, "rnn" by default.
        name: a name for the operations.

    Returns:
        what was emitted, [batch, time, ...], the last state and the last context, None where there is none.

    Raises:
        ValueError: for inputs of fewer than three axes, or without `sequence_length` where `decoder_fn` asks for it.

    Example:
        >>> cell, sequences = tf.nn.rnn_cell.GRUCell(4), tf.ones([2, 5, 3])
        >>> train = tf.contrib.seq2seq.simple_decoder_fn_train(tf.zeros([2, 4]))
        >>> outputs, state, _ = tf.contrib.seq2seq.dynamic_rnn_decoder(cell, train, sequences, [5, 3])
    """
    with name_scope(name, "dynamic_rnn_decoder", [inputs, sequence_length]):
        next_of_inputs = None if inputs is None else _reader(inputs, time_major)

        def loop_fn(time: Tensor, output: Any, state: Any, loop_state: Any) -> tuple[Any, ...]:
            done, context = loop_state if isinstance(loop_state, tuple) else (loop_state, None)
            given = None if next_of_inputs is None else next_of_inputs(time, done)
            done, state, given, emitted, context = decoder_fn(time, state, given, output, context)
            if done is None:
                if sequence_length is None:
                    raise ValueError(
                        "dynamic_rnn_decoder: `decoder_fn` returned None for who is done, so `sequence_length` is needed."
                    )
                done = greater_equal(time, sequence_length)
            return done, given, state, emitted, done if context is None else (done, context)

        emitted, state, loop_state = raw_rnn(cell, loop_fn, parallel_iterations, swap_memory, scope)
        outputs = emitted.stack()
        context = loop_state[1] if isinstance(loop_state, tuple) else None
        return outputs if time_major else transpose(outputs, [1, 0, 2]), state, context


def _reader(inputs: TensorLike, time_major: bool) -> Callable[[Tensor, Any], Tensor]:
    """What gives the input of a step: the row of that time, zeros past the last."""
    rows = convert_to_tensor(inputs, name="inputs")
    if rows.shape.ndims is not None and rows.shape.ndims < 3:
        raise ValueError(f"dynamic_rnn_decoder: `inputs` must be [batch, time, depth], got the shape {rows.shape}.")
    if not time_major:
        rows = transpose(rows, [1, 0, 2])
    steps, batch, depth = (dimension_value(size) for size in rows.shape)
    steps = shape(rows)[0] if steps is None else steps
    array = TensorArray(rows.dtype, size=steps).unstack(rows)

    def read(time: Tensor, done: Any) -> Tensor:
        if done is None:
            return array.read(0)
        missing = [shape(done)[0] if batch is None else batch, depth]
        return cond(equal(time, steps), lambda: zeros(missing, dtype=rows.dtype), lambda: array.read(time))

    return read


def simple_decoder_fn_train(encoder_state: Any, name: str | None = None) -> DecoderFunction:
    """For `dynamic_rnn_decoder` in training: the inputs as they are, from the encoder's state on.

    Args:
        encoder_state: the state that the decoder begins with.
        name: a name for the operations.

    Example:
        >>> train = tf.contrib.seq2seq.simple_decoder_fn_train(tf.zeros([2, 4]))
    """

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, context: Any) -> tuple[Any, ...]:
        del time
        return None, encoder_state if state is None else state, given, output, context

    return decoder_fn


def simple_decoder_fn_inference(
    output_fn: Callable[[Tensor], Tensor] | None,
    encoder_state: Any,
    embeddings: TensorLike,
    start_of_sequence_id: TensorLike,
    end_of_sequence_id: TensorLike,
    maximum_length: TensorLike,
    num_decoder_symbols: TensorLike,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> DecoderFunction:
    """For `dynamic_rnn_decoder` in inference: each step reads the likeliest symbol of the step before.

    Args:
        output_fn: makes logits of the cell's output; None where the output is that already.
        encoder_state: the state that the decoder begins with.
        embeddings: [symbols, depth].
        start_of_sequence_id, end_of_sequence_id: the symbols that a sequence begins and ends with.
        maximum_length: after so many steps all sequences are done.
        num_decoder_symbols: the number of symbols.
        dtype: the type of the symbols.
        name: a name for the operations.

    Example:
        >>> table = tf.ones([9, 3])
        >>> infer = tf.contrib.seq2seq.simple_decoder_fn_inference(None, tf.zeros([2, 9]), table, 0, 1, 20, 9)
    """
    with name_scope(name, "simple_decoder_fn_inference"):
        greedy = _Greedy(
            output_fn, encoder_state, embeddings, (start_of_sequence_id, end_of_sequence_id), maximum_length,
            num_decoder_symbols, dtype,
        )  # fmt: skip

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, context: Any) -> tuple[Any, ...]:
        with name_scope(name, "simple_decoder_fn_inference"):
            done, emitted, embedded = greedy.step(time, given, output)
            return done, encoder_state if output is None else state, embedded, emitted, context

    return decoder_fn


def attention_decoder_fn_train(
    encoder_state: Any,
    attention_keys: Tensor,
    attention_values: Tensor,
    attention_score_fn: Callable[..., Tensor],
    attention_construct_fn: Callable[..., Tensor],
    name: str | None = None,
) -> DecoderFunction:
    """For `dynamic_rnn_decoder` in training: each input with the attention of the step before.

    Args:
        encoder_state: the state that the decoder begins with.
        attention_keys, attention_values, attention_score_fn, attention_construct_fn: what `prepare_attention` returned; the
            last of them calls the one before it.
        name: a name for the operations.

    Example:
        >>> prepared = tf.contrib.seq2seq.prepare_attention(tf.ones([2, 6, 4]), "luong", 4)
        >>> train = tf.contrib.seq2seq.attention_decoder_fn_train(tf.zeros([2, 4]), *prepared)
    """
    del attention_score_fn

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, context: Any) -> tuple[Any, ...]:
        del time
        with name_scope(name, "attention_decoder_fn_train"):
            if state is None:
                state, attention = encoder_state, _first_attention(encoder_state)
            else:
                output = attention = attention_construct_fn(output, attention_keys, attention_values)
            return None, state, concat([given, attention], 1), output, context

    return decoder_fn


def attention_decoder_fn_inference(
    output_fn: Callable[[Tensor], Tensor] | None,
    encoder_state: Any,
    attention_keys: Tensor,
    attention_values: Tensor,
    attention_score_fn: Callable[..., Tensor],
    attention_construct_fn: Callable[..., Tensor],
    embeddings: TensorLike,
    start_of_sequence_id: TensorLike,
    end_of_sequence_id: TensorLike,
    maximum_length: TensorLike,
    num_decoder_symbols: TensorLike,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> DecoderFunction:
    """For `dynamic_rnn_decoder` in inference: the likeliest symbol and the attention of the step before.

    Args:
        output_fn: makes logits of the attention; None where it is that already.
        encoder_state: the state that the decoder begins with.
        attention_keys, attention_values, attention_score_fn, attention_construct_fn: what `prepare_attention` returned; the
            last of them calls the one before it.
        embeddings: [symbols, depth].
        start_of_sequence_id, end_of_sequence_id: the symbols that a sequence begins and ends with.
        maximum_length: after so many steps all sequences are done.
        num_decoder_symbols: the number of symbols.
        dtype: the type of the symbols.
        name: a name for the operations.

    Example:
        >>> prepared = tf.contrib.seq2seq.prepare_attention(tf.ones([2, 6, 4]), "luong", 4)
        >>> infer = tf.contrib.seq2seq.attention_decoder_fn_inference(
        ...     None, tf.zeros([2, 4]), *prepared, tf.ones([4, 3]), 0, 1, 20, 4)
    """
    del attention_score_fn
    with name_scope(name, "attention_decoder_fn_inference"):
        greedy = _Greedy(
            output_fn, encoder_state, embeddings, (start_of_sequence_id, end_of_sequence_id), maximum_length,
            num_decoder_symbols, dtype,
        )  # fmt: skip

    def decoder_fn(time: Any, state: Any, given: Any, output: Any, context: Any) -> tuple[Any, ...]:
        with name_scope(name, "attention_decoder_fn_inference"):
            if output is None:
                state, attention = encoder_state, _first_attention(encoder_state)
            else:
                output = attention = attention_construct_fn(output, attention_keys, attention_values)
            done, emitted, embedded = greedy.step(time, given, output)
            return done, state, concat([embedded, attention], 1), emitted, context

    return decoder_fn


class _Greedy:
    """What both kinds of inference share: the next symbol is the likeliest one, and the last one ends a sequence."""

    def __init__(
        self,
        output_fn: Callable[[Tensor], Tensor] | None,
        encoder_state: Any,
        embeddings: TensorLike,
        ends: tuple[TensorLike, TensorLike],
        maximum_length: TensorLike,
        num_decoder_symbols: TensorLike,
        dtype: DTypeLike,
    ) -> None:
        self._logits_of = output_fn or (lambda output: output)
        self._embeddings = embeddings
        self._start = convert_to_tensor(ends[0], dtype)
        self._end = convert_to_tensor(ends[1], dtype)
        self._maximum_length = convert_to_tensor(maximum_length, dtype)
        self._symbols = convert_to_tensor(num_decoder_symbols, dtype)
        self._dtype = dtype
        first = nest.flatten(encoder_state)[0]
        self._batch: Any = dimension_value(first.shape[0])
        if self._batch is None:
            self._batch = shape(first)[0]

    def step(self, time: Tensor, given: Any, output: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """Who is done, what to emit, and the embeddings of the symbols that come next."""
        if given is not None:
            raise ValueError(f"dynamic_rnn_decoder: a decoder_fn of inference takes no `inputs`, got {given}.")
        if output is None:
            ids = ones([self._batch], dtype=self._dtype) * self._start
            done: Tensor = zeros([self._batch], dtype=bool_dtype)
            # Only its shape counts, without the batch: it tells what the loop emits.
            emitted = zeros([self._symbols], dtype=float32)
        else:
            emitted = self._logits_of(output)
            ids = cast(argmax(emitted, 1), self._dtype)
            done = equal(ids, self._end)
        among_the_last = greater(cast(time, self._maximum_length.dtype), self._maximum_length)
        done = cond(among_the_last, lambda: ones([self._batch], dtype=bool_dtype), lambda: done)
        return done, emitted, gather(self._embeddings, ids)


def _first_attention(encoder_state: Any) -> Tensor:
    """Zeros of the shape of the outermost cell's output."""
    top = encoder_state[-1] if isinstance(encoder_state, tuple) else encoder_state
    return zeros_like(top.h if isinstance(top, LSTMStateTuple) else top)
