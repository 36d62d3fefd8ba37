"""Recurrent networks unrolled: `static_rnn`, `static_state_saving_rnn` and `static_bidirectional_rnn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies
from headrace.core.dtypes import int32
from headrace.core.shapes import TensorShape
from headrace.functions.math.reduction import reduce_max, reduce_min
from headrace.kernels.composing.arranging import concat, identity, stack
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.join import unstack
from headrace.ops.array.reverse import reverse_sequence
from headrace.ops.math.cast import cast
from headrace.recurrent.cell import assert_like_rnn_cell
from headrace.recurrent.sizes import shape_with_batch, static_shape_with_batch
from headrace.recurrent.steps import cache_variables, initial_state_of, is_keras_cell, rnn_step, state_dtype
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.cell import RNNCell
    from headrace.recurrent.lstm_cells import LSTMStateTuple
    from headrace.state.current_scope import VariableScope


def static_rnn(
    cell: RNNCell,
    inputs: Tensor | Sequence[Tensor],
    initial_state: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    scope: str | VariableScope | None = None,
) -> tuple[list[Any], Any]:
    """Runs a cell over a list of inputs, one after the other.

    Args:
        cell: an `RNNCell`.
        inputs: a list with one tensor [batch, depth], or structure of them, a step.
        initial_state: the state to start with; zeros by default.
        dtype: the element type of state and output, needed without an initial state.
        sequence_length: int [batch]: the sequences' lengths. Past its end a sequence gives zeros and keeps its state.
        scope: the variable scope, "rnn" by default.

    Returns:
        the list of outputs and the final state.

    Raises:
        TypeError: if `cell` is no cell or `inputs` no list.
        ValueError: if there are no inputs, or sizes that must be known are not.

    Example:
        >>> cell = tf.nn.rnn_cell.GRUCell(64)
        >>> outputs, state = tf.nn.static_rnn(cell, tf.unstack(inputs, axis=1), dtype=tf.float32)
    """
    assert_like_rnn_cell("cell", cell)
    _check_inputs(inputs)
    with variable_scope(scope or "rnn") as entered:
        cache_variables(entered)
        known_batch = _known_batch(inputs)
        first = nest.flatten(inputs)[0]
        batch_size = known_batch or shape(first)[0]
        state = initial_state
        if state is None:
            if not dtype:
                raise ValueError("If no initial_state is provided, dtype must be specified")
            state = initial_state_of(cell, batch_size, dtype)
        zero_output = shortest = longest = None
        if sequence_length is not None:
            sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if sequence_length.dims is not None and len(sequence_length.dims) != 1:
                raise ValueError("sequence_length must be a vector of length batch_size")

            def nothing(size: int) -> Tensor:
                made = zeros(stack(shape_with_batch(batch_size, size)), state_dtype(dtype, state))
                made.set_shape(static_shape_with_batch(known_batch, size))
                return made

            flat = [nothing(size) for size in nest.flatten(cell.output_size)]
            zero_output = nest.pack_sequence_as(cell.output_size, flat)
            sequence_length = cast(sequence_length, int32)
            shortest, longest = reduce_min(sequence_length), reduce_max(sequence_length)
        keras = is_keras_cell(cell)
        if keras and not nest.is_sequence(state):
            state = [state]
        outputs = []
        for time, current in enumerate(inputs):
            if time > 0:
                entered.reuse_variables()
            if sequence_length is None:
                output, state = cell(current, state)
            else:
                output, state = _step(cell, time, current, state, sequence_length, shortest, longest, zero_output)
            outputs.append(output)
        if keras and len(state) == 1:
            state = state[0]
        return outputs, state


def _step(
    cell: RNNCell,
    time: int,
    current: Tensor,
    state: Tensor | LSTMStateTuple,
    lengths: Any,
    shortest: Any,
    longest: Any,
    zero_output: Any,
) -> tuple[Tensor, Tensor | LSTMStateTuple]:
    return rnn_step(time, lengths, shortest, longest, zero_output, state, lambda: cell(current, state))


def _check_inputs(inputs: TensorLike) -> None:
    if not nest.is_sequence(inputs):
        raise TypeError("inputs must be a sequence")
    if not inputs:
        raise ValueError("inputs must not be empty")


def _known_batch(inputs: TensorLike) -> int | None:
    """The batch size that all inputs have, as far as it is known."""
    flat = nest.flatten(inputs)
    first = flat[0].get_shape()
    if first.rank == 1:
        return first.with_rank_at_least(1).as_list()[0]
    batch = first.with_rank_at_least(2)[0]
    for item in flat:
        known = item.get_shape().with_rank_at_least(2)
        batch = batch.merge_with(known[0])
        for i, size in enumerate(known.as_list()[1:]):
            if size is None:
                raise ValueError(
                    f"Input size (dimension {i} of inputs) must be accessible via shape inference, but saw value None."
                )
    return batch.value


def static_state_saving_rnn(
    cell: RNNCell,
    inputs: Tensor | Sequence[Tensor],
    state_saver: Any,
    state_name: Any,
    sequence_length: Tensor | None = None,
    scope: str | VariableScope | None = None,
) -> tuple[list[Any], Any]:
    """`static_rnn` that takes its initial state from `state_saver` and gives the final one back to it.

    Args:
        cell, inputs, sequence_length, scope: as in `static_rnn`.
        state_saver: an object with `state(name)` and `save_state(name, value)`.
        state_name: the name of the state, or a structure of names like that of the cell's state size.

    Returns:
        the list of outputs and the final state.

    Raises:
        ValueError: if the names do not fit the structure of the state.
    """
    size = cell.state_size
    is_tuple = nest.is_sequence(size)
    if is_tuple != nest.is_sequence(state_name):
        raise ValueError(
            f"state_name should be the same type as cell.state_size.  state_name: {state_name}, cell.state_size: {size}"
        )
    names = nest.flatten(state_name)
    if is_tuple:
        if len(names) != len(nest.flatten(size)):
            raise ValueError(f"#elems(state_name) != #elems(state_size): {len(names)} vs. {len(nest.flatten(size))}")
        start = nest.pack_sequence_as(size, [state_saver.state(name) for name in names])
    else:
        start = state_saver.state(state_name)
    outputs, state = static_rnn(cell, inputs, initial_state=start, sequence_length=sequence_length, scope=scope)
    flat_state = nest.flatten(state)
    saved = [state_saver.save_state(name, part) for name, part in zip(names, flat_state, strict=True)]
    with control_dependencies(saved):
        outputs[-1] = nest.map_structure(identity, outputs[-1])
        state = nest.pack_sequence_as(state, [identity(part) for part in flat_state]) if is_tuple else identity(state)
    return outputs, state


def static_bidirectional_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: Sequence[Tensor],
    initial_state_fw: Any = None,
    initial_state_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Sequence[int] | None = None,
    scope: VariableScope | None = None,
) -> tuple[Any, Any, Any]:
    """Runs one cell over a list of inputs forwards and another backwards.

    Schuster and Paliwal, "Bidirectional recurrent neural networks", IEEE Transactions on Signal Processing 45 (1997).

    Args:
        cell_fw, cell_bw: the cells.
        inputs, dtype, sequence_length: as in `static_rnn`.
        initial_state_fw, initial_state_bw: the states to start with; zeros by default.
        scope: the variable scope, "bidirectional_rnn" by default.

    Returns:
        the list of outputs, each both cells' concatenated, and the two final states.

    Raises:
        TypeError: if one of the cells is none or `inputs` no list.
        ValueError: if there are no inputs.
    """
    assert_like_rnn_cell("cell_fw", cell_fw)
    assert_like_rnn_cell("cell_bw", cell_bw)
    _check_inputs(inputs)
    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype, sequence_length, scope=forward)
        with variable_scope("bw") as backward:
            reversed_inputs = reversed_steps(inputs, sequence_length)
            output_bw, state_bw = static_rnn(
                cell_bw, reversed_inputs, initial_state_bw, dtype, sequence_length, scope=backward
            )
    pairs = zip(nest.flatten(output_fw), nest.flatten(reversed_steps(output_bw, sequence_length)), strict=True)
    joined = tuple(concat([forward, backward], 1) for forward, backward in pairs)
    return nest.pack_sequence_as(output_fw, joined), state_fw, state_bw


def reversed_steps(inputs: Sequence[Tensor], lengths: TensorLike | None) -> list[Any]:
    """A list of steps backwards, each sequence from its own end."""
    if lengths is None:
        return list(reversed(inputs))
    results: list[list[Any]] = [[] for _ in inputs]
    for sequence in zip(*(nest.flatten(item) for item in inputs), strict=True):
        rank = sequence[0].get_shape().rank
        known = TensorShape([None] * rank) if rank is not None else TensorShape(None)
        for item in sequence:
            known = known.merge_with(item.get_shape())
            item.set_shape(known)
        unstacked = unstack(reverse_sequence(stack(sequence), lengths, 0, 1))
        for item, result in zip(unstacked, results, strict=True):
            item.set_shape(known)
            result.append(item)
    return [nest.pack_sequence_as(item, result) for item, result in zip(inputs, results, strict=True)]
