"""Recurrent networks by `Recurrent`, with the arguments of `tf.nn.dynamic_rnn`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.contrib.recurrent.recurrent import Recurrent
from headrace.core import nest
from headrace.functions.array.where import sequence_mask
from headrace.functions.math.reduction import reduce_max, reduce_sum
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import transpose
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.reverse import reverse, reverse_sequence
from headrace.ops.array.shape import reshape
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.recurrent.sizes import shape_with_batch
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import TensorLike
    from headrace.recurrent.cell import RNNCell
    from headrace.state.variable_scope import VariableScope


def functional_rnn(
    cell: RNNCell,
    inputs: Tensor,
    sequence_length: TensorLike | None = None,
    initial_state: Any = None,
    dtype: DType | None = None,
    time_major: bool = False,
    scope: VariableScope | str | None = None,
    use_tpu: bool = False,
    reverse: bool = False,
) -> tuple[Tensor, Any]:
    """`tf.nn.dynamic_rnn` by way of `Recurrent`.

    Args:
        cell: an `RNNCell`.
        inputs: a tensor [batch, time, ...], or [time, batch, ...].
        sequence_length: how long each sequence is; all are whole by default. No steps are made beyond the longest one.
        initial_state: the state at the beginning; `cell.zero_state(batch, dtype)` by default.
        dtype: of that state.
        time_major: whether time is the first axis of inputs and outputs.
        scope: the variable scope of the cell's variables, "rnn" by default.
        use_tpu: whether a TPU computes it in 1.15; the values are the same.
        reverse: whether to go from the end to the beginning.

    Returns:
        (the outputs, which are 0 behind the end of a sequence, and the state at its end). With `reverse` the state is
        that after the last step made. A sequence of no steps ends with a state of 0.

    Example:
        >>> cell = tf.nn.rnn_cell.GRUCell(4)
        >>> outputs, state = tf.contrib.recurrent.functional_rnn(cell, tf.ones([2, 3, 5]), dtype=tf.float32)
    """
    with variable_scope(scope or "rnn"):
        if not time_major:
            inputs = transpose(inputs, [1, 0, 2])
        batch = shape(inputs)[1]
        as_given: Any = dtype  # without one, the cell says what is missing
        state0 = cell.zero_state(batch, as_given) if initial_state is None else initial_state
        nothing = zeros(shape_with_batch(batch, cell.output_size), nest.flatten(state0)[0].dtype)
        states, last = Recurrent(
            [],
            [nothing, state0],
            _reversed(inputs) if reverse else inputs,
            lambda theta, before, x: (list(cell(x, before[1])), []),
            max_input_length=None if sequence_length is None else reduce_max(sequence_length),
            use_tpu=use_tpu,
            aligned_end=reverse,
        )
        outputs, history = states
        state = last[1]
        if reverse:
            outputs = _reversed(outputs)
        elif sequence_length is not None:
            state = nest.map_structure(lambda x: _at_the_end(x, sequence_length), history)
        for each, like in zip(nest.flatten(state), nest.flatten(state0), strict=True):
            each.set_shape(like.shape)
        outputs = transpose(outputs, [1, 0, 2])
        outputs.set_shape([None, inputs.shape[0], None])
        if sequence_length is not None:
            within = sequence_mask(sequence_length, shape(outputs)[1], dtype=outputs.dtype)
            outputs *= reshape(within, [shape(outputs)[0], shape(outputs)[1], 1])
        return (transpose(outputs, [1, 0, 2]) if time_major else outputs), state


def _reversed(inputs: Tensor) -> Tensor:
    return reverse(inputs, [0])


def _at_the_end(history: Tensor, lengths: TensorLike) -> Tensor:
    """The states [batch, ...] that a history [time, batch, ...] has at the last step of each sequence."""
    steps = reshape(integers(shape(history)[0]), [-1, 1])
    last = cast(equal(steps, reshape(cast(lengths, "int32"), [1, -1]) - 1), history.dtype)
    while last.shape.ndims < history.shape.ndims:
        last = last[..., None]
    return reduce_sum(history * last, 0)


def bidirectional_functional_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: Tensor,
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DType | None = None,
    sequence_length: TensorLike | None = None,
    time_major: bool = False,
    use_tpu: bool = False,
    fast_reverse: bool = False,
    scope: VariableScope | str | None = None,
) -> tuple[tuple[Tensor, Tensor], tuple[Any, Any]]:
    """`tf.nn.bidirectional_dynamic_rnn` by way of `Recurrent`.

    Args:
        cell_fw, cell_bw: the cells that go forth and back.
        inputs, dtype, sequence_length, time_major, use_tpu: see `functional_rnn`.
        initial_state_fw, initial_state_bw: the cells' states at the beginning.
        fast_reverse: whether the way back begins at the end of all inputs, not at that of each sequence.
        scope: the variable scope, "bidirectional_rnn" by default.

    Returns:
        ((the outputs forth, the outputs back), (the last state forth, the last one back)).

    Raises:
        AssertionError: for a TPU without lengths, unless `fast_reverse` is True.
    """

    def back(values: Tensor) -> Tensor:
        if sequence_length is not None:
            return reverse_sequence(
                values, seq_lengths=sequence_length, seq_dim=int(not time_major), batch_dim=int(time_major)
            )
        assert not use_tpu, "Bidirectional with variable sequence lengths unsupported on TPU"
        return reverse(values, axis=[int(not time_major)])

    shared: dict[str, Any] = {"dtype": dtype, "time_major": time_major, "use_tpu": use_tpu}
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forth_scope:
            forth, state_forth = functional_rnn(
                cell_fw, inputs, sequence_length, initial_state_fw, scope=forth_scope, **shared
            )
        with variable_scope("bw") as back_scope:
            backwards, state_back = functional_rnn(
                cell_bw,
                inputs if fast_reverse else back(inputs),
                sequence_length,
                initial_state_bw,
                scope=back_scope,
                reverse=fast_reverse,
                **shared,
            )
    return (forth, backwards if fast_reverse else back(backwards)), (state_forth, state_back)
