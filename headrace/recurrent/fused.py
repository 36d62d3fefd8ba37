"""Cells that run over a whole sequence in one call."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.kernels.composing.arranging import stack
from headrace.ops.array.join import unstack
from headrace.ops.array.reverse import reverse, reverse_sequence
from headrace.recurrent.dynamic import dynamic_rnn
from headrace.recurrent.static import static_rnn

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.block_cells import LSTMBlockFusedCell
    from headrace.recurrent.cell import RNNCell
    from headrace.state.current_scope import VariableScope


class FusedRNNCell(abc.ABC):
    """What takes a whole sequence and returns the outputs of all steps; it is called, and has no sizes."""

    @abc.abstractmethod
    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: DTypeLike | None = None,
        sequence_length: Sequence[TensorLike] | None = None,
        scope: str | VariableScope | None = None,
    ) -> tuple[Any, Any]:
        """Runs over a sequence.

        Args:
            inputs: [time, batch, depth], or a list of `time` matrices [batch, depth].
            initial_state: the state to start with; zeros by default.
            dtype: the element type, needed without an initial state.
            sequence_length: int [batch], the sequences' lengths; all are whole by default.
            scope: the variable scope.

        Returns:
            the outputs, in the layout of the inputs, and the final state.
        """


class FusedRNNCellAdaptor(FusedRNNCell):
    """A cell of steps as one of sequences.

    Args:
        cell: an `RNNCell`.
        use_dynamic_rnn: whether it runs in a loop rather than unrolled.
    """

    def __init__(self, cell: RNNCell, use_dynamic_rnn: bool = False) -> None:
        self._cell = cell
        self._use_dynamic_rnn = use_dynamic_rnn

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: DTypeLike | None = None,
        sequence_length: Sequence[TensorLike] | None = None,
        scope: str | VariableScope | None = None,
    ) -> tuple[Any, Any]:
        """Runs the cell over a sequence; see `FusedRNNCell`."""
        given: dict[str, Any] = {
            "initial_state": initial_state,
            "dtype": dtype,
            "sequence_length": sequence_length,
            "scope": scope,
        }
        is_list = isinstance(inputs, list)
        if self._use_dynamic_rnn:
            outputs, state = dynamic_rnn(self._cell, stack(inputs) if is_list else inputs, time_major=True, **given)
            return (unstack(outputs) if is_list else outputs), state
        steps, state = static_rnn(self._cell, inputs if is_list else unstack(inputs), **given)
        return (steps if is_list else stack(steps)), state


class TimeReversedFusedRNN(FusedRNNCell):
    """Runs another over the sequences backwards, each from its own end.

    Args:
        cell: a `FusedRNNCell`.
    """

    def __init__(self, cell: LSTMBlockFusedCell) -> None:
        self._cell = cell

    def __call__(
        self,
        inputs: Any,
        initial_state: Any = None,
        dtype: DTypeLike | None = None,
        sequence_length: TensorLike | None = None,
        scope: str | VariableScope | None = None,
    ) -> tuple[Any, Any]:
        """Runs the other over what is turned round, and turns the outputs back; see `FusedRNNCell`."""

        def reversed_(steps: TensorLike) -> Any:
            if isinstance(steps, list):
                return steps[::-1]
            if sequence_length is None:
                return reverse(steps, [0])
            return reverse_sequence(steps, sequence_length, 0, 1)

        outputs, state = self._cell(
            reversed_(inputs), initial_state=initial_state, dtype=dtype, sequence_length=sequence_length, scope=scope
        )
        return reversed_(outputs), state
