"""Bidirectional networks of several layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.kernels.composing.arranging import concat
from headrace.recurrent.dynamic import bidirectional_dynamic_rnn
from headrace.recurrent.static import static_bidirectional_rnn
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.state.current_scope import VariableScope


def _check(
    cells_fw: Any, cells_bw: Any, states_fw: Sequence[Tensor] | None, states_bw: Sequence[Tensor] | None
) -> None:
    for cells, way in ((cells_fw, "fw"), (cells_bw, "bw")):
        if not cells:
            raise ValueError(f"Must specify at least one {way} cell for BidirectionalRNN.")
    for cells, way in ((cells_fw, "fw"), (cells_bw, "bw")):
        if not isinstance(cells, list):
            raise ValueError(f"cells_{way} must be a list of RNNCells (one per layer).")
    if len(cells_fw) != len(cells_bw):
        raise ValueError("Forward and Backward cells must have the same depth.")
    for states, way in ((states_fw, "fw"), (states_bw, "bw")):
        if states is not None and (not isinstance(states, list) or len(states) != len(cells_fw)):
            raise ValueError(f"initial_states_{way} must be a list of state tensors (one per layer).")


def _layers(
    cells_fw: list[Any], cells_bw: list[Any], states_fw: Sequence[Tensor] | None, states_bw: Sequence[Tensor] | None
) -> Any:
    nothing = [None] * len(cells_fw)
    return enumerate(zip(cells_fw, cells_bw, states_fw or nothing, states_bw or nothing, strict=True))


def stack_bidirectional_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: Sequence[Tensor],
    initial_states_fw: Any = None,
    initial_states_bw: Any = None,
    dtype: DTypeLike | None = None,
    sequence_length: Any = None,
    scope: str | VariableScope | None = None,
) -> tuple[Any, Any, Any]:
    """Several layers of `static_bidirectional_rnn`, the outputs of each the inputs of the next.

    Args:
        cells_fw, cells_bw: lists with one cell a layer, for the way forwards and backwards.
        inputs: a list of tensors [batch, depth], one a step.
        initial_states_fw, initial_states_bw: lists of the layers' states to start with; zeros by default.
        dtype: the element type, needed without initial states.
        sequence_length: int [batch], the sequences' lengths.
        scope: the variable scope, "stack_bidirectional_rnn" by default.

    Returns:
        the list of the last layer's outputs and two tuples with the layers' final states.

    Raises:
        ValueError: if the lists are empty, no lists, or of different lengths.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (cell_fw, cell_bw, first_fw, first_bw) in _layers(
            cells_fw, cells_bw, initial_states_fw, initial_states_bw
        ):
            with variable_scope(f"cell_{i}") as entered:
                inputs, state_fw, state_bw = static_bidirectional_rnn(
                    cell_fw, cell_bw, inputs, first_fw, first_bw, dtype, sequence_length, scope=entered
                )
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_dynamic_rnn(
    cells_fw: list[Any],
    cells_bw: list[Any],
    inputs: TensorLike,
    initial_states_fw: Sequence[Tensor] | None = None,
    initial_states_bw: Sequence[Tensor] | None = None,
    dtype: DTypeLike | None = None,
    sequence_length: TensorLike | None = None,
    parallel_iterations: int | None = None,
    time_major: bool = False,
    scope: str | VariableScope | None = None,
    swap_memory: bool = False,
) -> tuple[Any, Any, Any]:
    """Several layers of `bidirectional_dynamic_rnn`, the outputs of each the inputs of the next.

    Args:
        cells_fw, cells_bw: lists with one cell a layer, for the way forwards and backwards.
        inputs: [batch, time, depth], or [time, batch, depth] where `time_major`.
        initial_states_fw, initial_states_bw: lists of the layers' states to start with; zeros by default.
        dtype: the element type, needed without initial states.
        sequence_length: int [batch], the sequences' lengths.
        parallel_iterations, swap_memory: as in `tf.while_loop`.
        time_major: whether time is the first axis.
        scope: the variable scope, "stack_bidirectional_rnn" by default.

    Returns:
        the last layer's outputs, both ways concatenated, and two tuples with the layers' final states.

    Raises:
        ValueError: if the lists are empty, no lists, or of different lengths.
    """
    _check(cells_fw, cells_bw, initial_states_fw, initial_states_bw)
    states_fw, states_bw = [], []
    with variable_scope(scope or "stack_bidirectional_rnn"):
        for i, (cell_fw, cell_bw, first_fw, first_bw) in _layers(
            cells_fw, cells_bw, initial_states_fw, initial_states_bw
        ):
            with variable_scope(f"cell_{i}"):
                outputs, (state_fw, state_bw) = bidirectional_dynamic_rnn(
                    cell_fw,
                    cell_bw,
                    inputs,
                    sequence_length,
                    first_fw,
                    first_bw,
                    dtype,
                    parallel_iterations,
                    swap_memory,
                    time_major,
                )
                inputs = concat(outputs, 2)
            states_fw.append(state_fw)
            states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)
