"""Cells one upon the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.defaults import name_scope
from headrace.kernels.composing.arranging import concat
from headrace.layers.engine import Layer
from headrace.ops.array.slice import slice as slice_
from headrace.recurrent.cell import RNNCell
from headrace.state.variable_scope import variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.lstm_cells import LSTMStateTuple


class MultiRNNCell(RNNCell):
    """Several cells, the output of each the input of the next.

    Args:
        cells: the cells, from the input up.
        state_is_tuple: whether the state is a tuple with one state a cell rather than one tensor.

    Raises:
        ValueError: if there are no cells, or they have tuples of states that one tensor cannot hold.
        TypeError: if `cells` is no list or tuple.
    """

    def __init__(self, cells: Sequence[RNNCell], state_is_tuple: bool = True) -> None:
        super().__init__()
        if not cells:
            raise ValueError("Must specify at least one cell for MultiRNNCell.")
        if not nest.is_sequence(cells):
            raise TypeError(f"cells must be a list or tuple, but saw: {cells}.")
        self._cells = cells
        self._state_is_tuple = state_is_tuple
        for i, cell in enumerate(cells):
            if isinstance(cell, Layer):
                self._track_trackable(cell, f"cell-{i}")
        if not state_is_tuple and any(nest.is_sequence(cell.state_size) for cell in cells):
            raise ValueError(
                "Some cells return tuples of states, but the flag state_is_tuple is not set.  State sizes are: "
                f"{[cell.state_size for cell in cells]}"
            )

    @property
    def state_size(self) -> Any:
        """The sizes of the cells' states."""
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        return self._cells[-1].output_size

    def zero_state(
        self, batch_size: int | Tensor, dtype: DTypeLike
    ) -> tuple[Tensor | LSTMStateTuple, LSTMStateTuple | Tensor]:
        """A state of zeros; see `RNNCell.zero_state`."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    def _of_cells(self, attribute: str) -> list[Any]:
        return [weight for cell in self._cells if isinstance(cell, Layer) for weight in getattr(cell, attribute)]

    @property
    def trainable_weights(self) -> list[Any]:
        """The cells' variables that optimizers train."""
        return self._of_cells("trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The cells' other variables."""
        others = self._of_cells("non_trainable_weights")
        return others if self.trainable else self._of_cells("trainable_weights") + others

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """One step of each cell."""
        position = 0
        current, states = inputs, []
        for i, cell in enumerate(self._cells):
            with variable_scope(f"cell_{i}"):
                if self._state_is_tuple:
                    if not nest.is_sequence(state):
                        raise ValueError(
                            f"Expected state to be a tuple of length {len(self.state_size)}, but received: {state}"
                        )
                    own = state[i]
                else:
                    own = slice_(state, [0, position], [-1, cell.state_size])
                    position += cell.state_size
                current, new = cell(current, own)
                states.append(new)
        return current, (tuple(states) if self._state_is_tuple else concat(states, 1))
