"""Recurrent networks as loops: `dynamic_rnn`, `bidirectional_dynamic_rnn` and `raw_rnn`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import colocate_with, control_dependencies, name_scope
from headrace.core.dims import merge_dim
from headrace.core.dtypes import int32
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.shapes import TensorShape
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop
from headrace.functions.math.reduction import reduce_all, reduce_max, reduce_min
from headrace.kernels.composing.arranging import identity, stack
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.ops.array.constant import constant
from headrace.ops.array.reverse import reverse, reverse_sequence
from headrace.ops.array.where import where
from headrace.ops.math.binary import maximum, minimum
from headrace.ops.math.cast import cast
from headrace.ops.math.comparison import equal
from headrace.ops.math.logical import logical_not, logical_or
from headrace.recurrent.cell import assert_like_rnn_cell
from headrace.recurrent.sizes import shape_with_batch, static_shape_with_batch
from headrace.recurrent.steps import (
    batch_size_of,
    cache_variables,
    initial_state_of,
    is_keras_cell,
    known_shape,
    rnn_step,
    state_dtype,
    transpose_batch_time,
)
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.cell import RNNCell
    from headrace.state.current_scope import VariableScope


def dynamic_rnn(
    cell: int | RNNCell,
    inputs: TensorLike,
    sequence_length: Any = None,
    initial_state: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: VariableScope | None = None,
) -> tuple[Any, Any]:
    """Runs a cell over sequences, in a loop: batches may differ in length.

    Args:
        cell: an `RNNCell`.
        inputs: [batch, time, depth], or a structure of such tensors; [time, batch, depth] if `time_major`.
        sequence_length: int [batch]: the sequences' lengths. Past its end a sequence gives zeros and keeps its state.
        initial_state: the state to start with; zeros by default.
        dtype: the element type of state and output, needed without an initial state.
        parallel_iterations, swap_memory: as in `tf.while_loop`.
        time_major: whether time is the first axis of inputs and outputs.
        scope: the variable scope, "rnn" by default.

    Returns:
        the outputs, [batch, time, output size] (or time-major), and the final state.

    Raises:
        TypeError: if `cell` is no cell.
        ValueError: if shapes that must be known are not, or do not fit.

    Example:
        >>> cell = tf.nn.rnn_cell.GRUCell(64)
        >>> outputs, state = tf.nn.dynamic_rnn(cell, inputs, sequence_length=[5, 3], dtype=tf.float32)
    """
    assert_like_rnn_cell("cell", cell)
    with variable_scope(scope or "rnn") as entered:
        cache_variables(entered)
        flat: Any = nest.flatten(inputs)
        flat = [convert_to_tensor(item) for item in flat]
        if not time_major:
            flat = tuple(transpose_batch_time(item) for item in flat)
        if sequence_length is not None:
            sequence_length = cast(sequence_length, int32)
            if sequence_length.dims is not None and len(sequence_length.dims) != 1:
                raise ValueError(
                    f"sequence_length must be a vector of length batch_size, but saw shape: {sequence_length.shape}"
                )
            sequence_length = identity(sequence_length, name="sequence_length")
        batch_size = batch_size_of(list(flat))
        if initial_state is None:
            if not dtype:
                raise ValueError("If there is no initial_state, you must give a dtype.")
            initial_state = initial_state_of(cell, batch_size, dtype)
        if sequence_length is not None and not executing_eagerly():
            with control_dependencies([_has_shape(sequence_length, [batch_size])]):
                sequence_length = identity(sequence_length, name="CheckSeqLen")
        outputs, final_state = _loop(
            cell,
            nest.pack_sequence_as(inputs, flat),
            initial_state,
            parallel_iterations or 32,
            swap_memory,
            sequence_length,
            dtype,
        )
        if not time_major:
            outputs = nest.map_structure(transpose_batch_time, outputs)
        return outputs, final_state


def _has_shape(x: Tensor, expected: list[Any]) -> Operation:
    found = shape(x)
    packed = stack(expected)
    return Assert(
        reduce_all(equal(found, packed)),
        [f"Expected shape for Tensor {x.name} is ", packed, " but saw shape: ", found],
    )


def _check_inputs(flat: list[Tensor]) -> tuple[int | None, int | None]:
    """The time and batch sizes that all inputs have, as far as they are known."""
    shapes = [item.get_shape().with_rank_at_least(3) for item in flat]
    if shapes[0].ndims is None:
        raise TypeError("'NoneType' object is not subscriptable: the rank of the inputs of an RNN must be known.")
    time, batch = shapes[0].as_list()[:2]
    for known in shapes:
        if not known[2:].is_fully_defined():
            raise ValueError("Input size (depth of inputs) must be accessible via shape inference, but saw value None.")
        if known.as_list()[0] != time:
            raise ValueError("Time steps is not the same for all the elements in the input in a batch.")
        if known.as_list()[1] != batch:
            raise ValueError("Batch_size is not the same for all the elements in the input.")
    return time, batch


def _loop(
    cell: Any,
    inputs: Tensor,
    initial_state: object,
    parallel_iterations: int,
    swap_memory: bool,
    sequence_length: Tensor | None,
    dtype: DTypeLike | None,
) -> tuple[Any, Any]:
    if not isinstance(parallel_iterations, int):
        raise AssertionError(f"parallel_iterations must be int, got {parallel_iterations!r}")
    state = initial_state
    flat = nest.flatten(inputs)
    output_sizes = nest.flatten(cell.output_size)
    steps = shape(flat[0])[0]
    batch_size = batch_size_of(flat)
    known_steps, known_batch = _check_inputs(flat)
    kind = state_dtype(dtype, state)
    flat_zeros = [zeros(stack(shape_with_batch(batch_size, size)), kind) for size in output_sizes]
    zero_output = nest.pack_sequence_as(cell.output_size, flat_zeros)
    shortest: Any = None
    longest: Tensor = steps
    if sequence_length is not None:
        shortest, longest = reduce_min(sequence_length), reduce_max(sequence_length)
    time = constant(0, dtype=int32, name="time")
    with name_scope("dynamic_rnn") as prefix:
        base = prefix

    def array(name: str, element_shape: Any, element_type: DType) -> TensorArray:
        return TensorArray(element_type, size=steps, element_shape=element_shape, tensor_array_name=base + name)

    output_arrays = tuple(
        array(f"output_{i}", TensorShape([known_batch]).concatenate(known_shape(size)), kind)
        for i, size in enumerate(output_sizes)
    )
    input_arrays = tuple(array(f"input_{i}", item.shape[1:], item.dtype) for i, item in enumerate(flat))
    input_arrays = tuple(made.unstack(item) for made, item in zip(input_arrays, flat, strict=True))

    def step(time: Tensor, arrays: Sequence[TensorArray], state: Any) -> Any:
        current = tuple(made.read(time) for made in input_arrays)
        for read, item in zip(current, flat, strict=True):
            read.set_shape(item.shape[1:])
        packed = nest.pack_sequence_as(inputs, current)
        keras = is_keras_cell(cell)
        if keras and not nest.is_sequence(state):
            state = [state]
        if sequence_length is not None:
            output, new_state = rnn_step(
                time,
                sequence_length,
                shortest,
                longest,
                zero_output,
                state,
                lambda: cell(packed, state),
                skip_conditionals=True,
            )
        else:
            output, new_state = cell(packed, state)
        if keras and len(new_state) == 1:
            new_state = new_state[0]
        arrays = tuple(made.write(time, out) for made, out in zip(arrays, nest.flatten(output), strict=True))
        return time + 1, arrays, new_state

    bound = minimum(steps, maximum(1, longest))
    _, final_arrays, final_state = while_loop(
        cond=lambda time, *_: time < bound,
        body=step,
        loop_vars=(time, output_arrays, state),
        parallel_iterations=parallel_iterations,
        maximum_iterations=steps,
        swap_memory=swap_memory,
    )
    outputs = [made.stack() for made in final_arrays]
    for output, size in zip(outputs, output_sizes, strict=True):
        output.set_shape(static_shape_with_batch([known_steps, known_batch], size))
    return nest.pack_sequence_as(cell.output_size, outputs), final_state


def bidirectional_dynamic_rnn(
    cell_fw: RNNCell,
    cell_bw: RNNCell,
    inputs: TensorLike,
    sequence_length: TensorLike | None = None,
    initial_state_fw: TensorLike | None = None,
    initial_state_bw: TensorLike | None = None,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    time_major: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any]:
    """Runs one cell over sequences forwards and another backwards.

    Schuster and Paliwal, "Bidirectional recurrent neural networks", IEEE Transactions on Signal Processing 45 (1997).

    Args:
        cell_fw, cell_bw: the cells.
        inputs, sequence_length, dtype, parallel_iterations, swap_memory, time_major: as in `dynamic_rnn`.
        initial_state_fw, initial_state_bw: the states to start with; zeros by default.
        scope: the variable scope, "bidirectional_rnn" by default.

    Returns:
        the pair of outputs and the pair of final states.

    Raises:
        TypeError: if one of the cells is none.
    """
    assert_like_rnn_cell("cell_fw", cell_fw)
    assert_like_rnn_cell("cell_bw", cell_bw)
    options: dict[str, Any] = {
        "sequence_length": sequence_length,
        "dtype": dtype,
        "parallel_iterations": parallel_iterations,
        "swap_memory": swap_memory,
        "time_major": time_major,
    }
    time_axis, batch_axis = (0, 1) if time_major else (1, 0)

    def reversed_(x: Tensor) -> Tensor:
        if sequence_length is None:
            return reverse(x, axis=[time_axis])
        return reverse_sequence(x, seq_lengths=sequence_length, seq_axis=time_axis, batch_axis=batch_axis)

    with variable_scope(scope or "bidirectional_rnn"):
        with variable_scope("fw") as forward:
            output_fw, state_fw = dynamic_rnn(cell_fw, inputs, initial_state=initial_state_fw, scope=forward, **options)
        with variable_scope("bw") as backward:
            reversed_inputs = nest.map_structure(reversed_, inputs)
            output_bw, state_bw = dynamic_rnn(
                cell_bw, reversed_inputs, initial_state=initial_state_bw, scope=backward, **options
            )
    return (output_fw, nest.map_structure(reversed_, output_bw)), (state_fw, state_bw)


def raw_rnn(
    cell: RNNCell,
    loop_fn: Callable[..., Any],
    parallel_iterations: int | None = None,
    swap_memory: bool = False,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any, Any]:
    """Runs a cell in a loop whose inputs, outputs and end a function decides.

    Args:
        cell: an `RNNCell`.
        loop_fn: takes (time, output, state, loop state), the last three None at first; returns (finished [batch], next
            input, next state, what to emit, next loop state).
        parallel_iterations, swap_memory: as in `tf.while_loop`.
        scope: the variable scope, "rnn" by default.

    Returns:
        the TensorArrays of what was emitted, the final state and the final loop state.

    Raises:
        TypeError: if `cell` is no cell or `loop_fn` no function.
    """
    assert_like_rnn_cell("cell", cell)
    if not callable(loop_fn):
        raise TypeError("loop_fn must be a callable")
    with variable_scope(scope or "rnn") as entered:
        cache_variables(entered)
        time = constant(0, dtype=int32)
        finished, next_input, state, emit_structure, init_loop_state = loop_fn(time, None, None, None)
        flat_input = nest.flatten(next_input)
        loop_state = constant(0, dtype=int32) if init_loop_state is None else init_loop_state
        known_batch: int | None = None
        for item in flat_input:
            known_batch = merge_dim(known_batch, item.dims[0] if item.dims else None)
        batch_size = shape(flat_input[0])[0] if known_batch is None else known_batch
        nest.assert_same_structure(state, cell.state_size)
        flat_state = [convert_to_tensor(item) for item in nest.flatten(state)]
        state = nest.pack_sequence_as(state, flat_state)
        if emit_structure is not None:
            parts = nest.flatten(emit_structure)
            sizes = [part.shape if part.shape.is_fully_defined() else shape(part) for part in parts]
            kinds = [part.dtype for part in parts]
        else:
            emit_structure = cell.output_size
            sizes = nest.flatten(emit_structure)
            kinds = [flat_state[0].dtype] * len(sizes)
        arrays = nest.pack_sequence_as(
            emit_structure,
            [
                TensorArray(
                    kind,
                    size=0,
                    dynamic_size=True,
                    element_shape=TensorShape([known_batch]).concatenate(known_shape(size)),
                    name=f"rnn_output_{i}",
                )
                for i, (kind, size) in enumerate(zip(kinds, sizes, strict=True))
            ],
        )
        nothing = nest.pack_sequence_as(
            emit_structure,
            [zeros(shape_with_batch(batch_size, size), kind) for size, kind in zip(sizes, kinds, strict=True)],
        )
        returned = while_loop(
            lambda _, finished, *__: logical_not(reduce_all(finished)),
            _raw_step(cell, loop_fn, nothing),
            loop_vars=[time, finished, next_input, arrays, state, loop_state],
            parallel_iterations=parallel_iterations or 32,
            swap_memory=swap_memory,
        )
        arrays, final_state, final_loop_state = returned[-3:]
        return arrays, final_state, None if init_loop_state is None else final_loop_state


def _raw_step(cell: RNNCell, loop_fn: Callable[..., Any], nothing: Any) -> Callable[..., Any]:
    """The body of `raw_rnn`'s loop; sequences that have ended emit `nothing` and keep their state."""

    def body(time: Tensor, finished: TensorLike, current: Any, arrays: Any, state: object, loop_state: Any) -> Any:
        output, cell_state = cell(current, state)
        nest.assert_same_structure(state, cell_state)
        nest.assert_same_structure(cell.output_size, output)
        following = time + 1
        next_finished, next_input, next_state, emitted, next_loop_state = loop_fn(
            following, output, cell_state, loop_state
        )
        nest.assert_same_structure(state, next_state)
        nest.assert_same_structure(current, next_input)
        nest.assert_same_structure(arrays, emitted)

        def kept(old: Any, new: Any) -> Any:
            if isinstance(old, TensorArray) or old.dims == ():
                return new
            with colocate_with(new):
                return where(finished, old, new)

        emitted = nest.map_structure(kept, nothing, emitted)
        next_state = nest.map_structure(kept, state, next_state)
        arrays = nest.map_structure(lambda made, value: made.write(time, value), arrays, emitted)
        return (
            following,
            logical_or(finished, next_finished),
            next_input,
            arrays,
            next_state,
            loop_state if next_loop_state is None else next_loop_state,
        )

    return body
