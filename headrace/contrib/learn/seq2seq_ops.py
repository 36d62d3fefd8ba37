"""Sequences to sequences in model functions of `tf.contrib.learn`: their inputs, decoders and losses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import name_scope
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.cross_entropy import softmax_cross_entropy_with_logits
from headrace.kernels.composing.arranging import stack
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.join import unstack
from headrace.ops.math.add_n import add_n
from headrace.ops.nn.softmax import softmax
from headrace.recurrent.static import static_rnn
from headrace.state.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike

_Decoding = tuple[list[Any], list[Any], list[Any], list[Any]]


def seq2seq_inputs(
    x: TensorLike,
    y: TensorLike,
    input_length: int,
    output_length: int,
    sentinel: Tensor | None = None,
    name: str | None = None,
) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    """The steps of an encoder and a decoder.

    Args:
        x: [batch, input_length, size].
        y: [batch, output_length, size].
        input_length, output_length: how many steps there are.
        sentinel: what begins and ends the output, [batch, size]; zeros by default.
        name: a name for the operations.

    Returns:
        the encoder's inputs, the decoder's, which begin with the sentinel, and the outputs, which end with it.
    """
    with name_scope(name, "seq2seq_inputs", [x, y]):
        inputs = unstack(x, num=input_length, axis=1)
        outputs = unstack(y, num=output_length, axis=1)
        if sentinel is None:
            y = convert_to_tensor(y)
            sentinel = zeros(stack([shape(inputs[0])[0], y.shape[-1].value]), y.dtype)
            sentinel.set_shape(outputs[0].shape)
        return inputs, [sentinel, *outputs], [*outputs, sentinel]


def rnn_decoder(decoder_inputs: Sequence[Tensor], initial_state: Any, cell: Any, scope: str | None = None) -> _Decoding:
    """A cell over known inputs, for training, and over its own outputs, for sampling; with the same weights.

    Args:
        decoder_inputs: a tensor [batch, size] for each step; sampling takes the first alone.
        initial_state: the state that both begin with.
        cell: an `RNNCell`, whose outputs have the size of its inputs.
        scope: the variable scope, "dnn_decoder" by default.

    Returns:
        outputs and states in training, outputs and states in sampling.
    """
    with variable_scope(scope or "dnn_decoder"):
        outputs: list[Any] = []
        states, sampled_states = [initial_state], [initial_state]
        sampled: list[Any] = []
        for i, step_input in enumerate(decoder_inputs):
            if i:
                get_variable_scope().reuse_variables()
            output, state = cell(step_input, states[-1])
            outputs.append(output)
            states.append(state)
            if i:
                output, state = cell(sampled[-1], sampled_states[-1])
            else:
                # As in 1.15, sampling's second step begins with the first state again.
                state = initial_state
            sampled.append(output)
            sampled_states.append(state)
    return outputs, states, sampled, sampled_states


def rnn_seq2seq(
    encoder_inputs: Sequence[Tensor],
    decoder_inputs: Sequence[Tensor],
    encoder_cell: Any,
    decoder_cell: Any = None,
    dtype: DTypeLike = "float32",
    scope: str | None = None,
) -> _Decoding:
    """An encoder, whose last state a decoder begins with.

    Args:
        encoder_inputs, decoder_inputs: a tensor [batch, size] for each step.
        encoder_cell: the encoder's `RNNCell`.
        decoder_cell: the decoder's; the encoder's by default.
        dtype: the type of the encoder's first state.
        scope: the variable scope, "rnn_seq2seq" by default.

    Returns:
        as `rnn_decoder`.
    """
    with variable_scope(scope or "rnn_seq2seq"):
        _, state = static_rnn(encoder_cell, list(encoder_inputs), dtype=dtype)
        return rnn_decoder(decoder_inputs, state, decoder_cell or encoder_cell)


def sequence_classifier(
    decoding: Sequence[Tensor],
    labels: Sequence[Tensor],
    sampling_decoding: Sequence[Tensor] | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The probabilities of each step, and the loss: the cross entropies of all added up.

    Args:
        decoding: the logits of each step in training.
        labels: the probabilities or rows of zeros and a one for each step.
        sampling_decoding: the logits that predictions are made of; those in training by default.
        name: a name for the operations.

    Returns:
        probabilities [batch, steps, classes] and the loss.
    """
    with name_scope(name, "sequence_classifier", [*decoding, *labels]):
        losses = [
            softmax_cross_entropy_with_logits(labels=label, logits=logits)
            for logits, label in zip(decoding, labels, strict=False)
        ]
        predictions = [softmax(logits) for logits in (decoding if sampling_decoding is None else sampling_decoding)]
        return stack(predictions, axis=1), reduce_sum(add_n(losses))
