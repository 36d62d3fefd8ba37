"""What the functions that unroll cells share: layouts, types, and one step of sequences of different lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.constant_value import constant_value
from headrace.core.defaults import colocate_with, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.tensor import Tensor
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.kernels.composing.arithmetic import range as integers
from headrace.kernels.composing.arranging import concat, transpose
from headrace.kernels.composing.shapes import rank, shape
from headrace.layers.engine import Layer
from headrace.ops.array.where import where
from headrace.recurrent.cell import RNNCell

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.lstm_cells import LSTMStateTuple
    from headrace.state.current_scope import VariableScope


def transpose_batch_time(x: Tensor) -> Tensor:
    """Swaps the first two axes."""
    dims = x.dims
    if dims is not None and len(dims) < 2:
        return x
    result = transpose(x, concat(([1, 0], integers(2, rank(x))), axis=0))
    if dims is not None:
        result.set_shape([dims[1], dims[0], *dims[2:]])
    return result


def batch_size_of(flat_input: list[Any]) -> Any:
    """The batch size of time-major flat_input: a number where it is known, else a tensor.

    Raises:
        ValueError: if an input has less than two axes.
    """
    for item in flat_input:
        if item.dims is None:
            continue
        if len(item.dims) < 2:
            raise ValueError(f"Expected input tensor {item} to have rank at least 2")
        if item.dims[1] is not None:
            return item.dims[1]
    return shape(flat_input[0])[1]


def state_dtype(dtype: DTypeLike | None, state: Any) -> Any:
    """The type asked for, else the one that all of `state` has.

    Raises:
        ValueError: if the state has several types, or no parts.
    """
    if dtype is not None:
        return dtype
    if not nest.is_sequence(state):
        return state.dtype
    types = [item.dtype for item in nest.flatten(state)]
    if not types:
        raise ValueError("Unable to infer dtype from empty state.")
    if any(kind != types[0] for kind in types):
        raise ValueError(
            "State has tensors of different inferred_dtypes. Unable to infer a single representative dtype."
        )
    return types[0]


def known_shape(size: TensorLike) -> Any:
    """A size, as a shape where it is a tensor of known value."""
    if not isinstance(size, Tensor):
        return size
    known = constant_value(size)
    return None if known is None else known.tolist()


def cache_variables(scope: VariableScope) -> None:
    """Makes variables of `scope` be read once, outside loops, unless this is in a loop already."""
    if executing_eagerly():
        return
    context = get_default_graph()._get_control_flow_context()
    if (context is None or context.GetWhileContext() is None) and scope.caching_device is None:
        scope.set_caching_device(lambda op: op.device)


def is_keras_cell(cell: RNNCell) -> bool:
    """Whether `cell` is a cell of Keras, whose states are lists."""
    return not isinstance(cell, RNNCell) and isinstance(cell, Layer) and getattr(cell, "zero_state", None) is None


def rnn_step(
    time: int | Tensor,
    sequence_length: Tensor,
    min_sequence_length: Tensor,
    max_sequence_length: Tensor,
    zero_output: TensorLike,
    state: Tensor | LSTMStateTuple | Sequence[Tensor | LSTMStateTuple],
    call_cell: Callable[[], Any],
    skip_conditionals: bool = False,
) -> tuple[Any, Any]:
    """One step in which sequences that have ended give zeros and keep their state.

    Args:
        time: the number of the step.
        sequence_length: int32 [batch].
        min_sequence_length, max_sequence_length: the least and greatest of them.
        zero_output: zeros in the structure of the output.
        state: the state before the step.
        call_cell: computes output and next state.
        skip_conditionals: whether to compute the step even when all sequences have ended.

    Returns:
        the output and the next state.
    """
    flat_state, flat_zeros = nest.flatten(state), nest.flatten(zero_output)
    ended = time >= sequence_length

    def kept(old: Tensor, new: Tensor) -> Tensor:
        if isinstance(old, TensorArray) or old.dims == ():
            return new
        with colocate_with(new):
            return where(ended, old, new)

    def some_kept(outputs: list[Any], states: list[Any]) -> list[Any]:
        outputs = [kept(zero, new) for zero, new in zip(flat_zeros, outputs, strict=True)]
        return outputs + [kept(old, new) for old, new in zip(flat_state, states, strict=True)]

    def called() -> tuple[list[Any], list[Any]]:
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return nest.flatten(output), nest.flatten(new_state)

    def step() -> list[Tensor]:
        outputs, states = called()
        return cond(time < min_sequence_length, lambda: outputs + states, lambda: some_kept(outputs, states))

    if skip_conditionals:
        outputs, states = called()
        final = some_kept(outputs, states)
    else:
        final = cond(time >= max_sequence_length, lambda: flat_zeros + flat_state, step)
    if len(final) != len(flat_zeros) + len(flat_state):
        raise ValueError("The cell returns outputs and states in other numbers than its sizes say.")
    outputs, states = list(final[: len(flat_zeros)]), list(final[len(flat_zeros) :])
    for new, old in zip(outputs, flat_zeros, strict=True):
        new.set_shape(old.get_shape())
    for new, old in zip(states, flat_state, strict=True):
        if not isinstance(new, TensorArray):
            new.set_shape(old.get_shape())
    return nest.pack_sequence_as(zero_output, outputs), nest.pack_sequence_as(state, states)


def initial_state_of(cell: Any, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
    """The state that a cell starts with."""
    if getattr(cell, "get_initial_state", None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)
