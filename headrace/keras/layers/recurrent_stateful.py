"""Layers that keep their last states for the next batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from headrace.core import nest
from headrace.core.shapes import TensorShape
from headrace.keras.backend.sessions import batch_set_value
from headrace.keras.backend.variables import variable
from headrace.keras.layers.recurrent_states import zero_state
from headrace.layers.engine import Layer
from headrace.state.updates import assign


class StatefulLayer(Layer):
    """A layer whose states are variables that are none of its weights, where it is stateful."""

    cell: Any
    time_major: bool
    _states: Any = None

    @property
    def states(self) -> Any:
        """The variables of the states; None for each before they are made, and where the layer keeps none."""
        if self._states is not None:
            return self._states
        nothing = nest.map_structure(lambda _: None, self.cell.state_size)
        return nothing if nest.is_sequence(self.cell.state_size) else [nothing]

    @states.setter
    def states(self, states: Any) -> None:
        # Around what notes variables as weights.
        object.__setattr__(self, "_states", states)

    def _batch_size(self) -> int:
        """The batch size that its inputs were found to have.

        Raises:
            ValueError: if they have none.
        """
        spec = nest.flatten(self.input_spec)[0] if self.input_spec is not None else None
        known = None if spec is None or spec.shape is None else spec.shape[1 if self.time_major else 0]
        if not known:
            raise ValueError(
                "If a RNN is stateful, it needs to know its batch size. Specify the batch size of your input tensors: \n"
                "- If using a Sequential model, specify the batch size by passing a `batch_input_shape` argument to your "
                "first layer.\n"
                "- If using the functional API, specify the batch size by passing a `batch_shape` argument to your Input "
                "layer."
            )
        return int(known)

    def _first_states(self, batch: int) -> list[Any]:
        """The values to start with, flat."""
        dtype = self.dtype or "float32"
        of_cell = getattr(self.cell, "get_initial_state", None)
        if of_cell:
            return nest.flatten(of_cell(inputs=None, batch_size=batch, dtype=dtype))
        return nest.flatten(zero_state(batch, self.cell.state_size, dtype))

    def _shape_of_state(self, batch: int, size: Any) -> tuple[Any, ...]:
        return (batch, *TensorShape(size).as_list())

    def reset_states(self, states: Any = None) -> None:
        """Sets the states to zeros, or to the given values.

        Args:
            states: an array or a list of arrays, as many as the cell has states.

        Raises:
            AttributeError: if the layer is not stateful; ValueError: if the batch size is not known, or the values are
                others than the states in number or shape.
        """
        if not self.stateful:
            raise AttributeError("Layer must be stateful.")
        batch = self._batch_size()
        sizes = nest.flatten(self.cell.state_size)
        if nest.flatten(self.states)[0] is None:
            made = nest.pack_sequence_as(self.cell.state_size, [variable(value) for value in self._first_states(batch)])
            self.states = made if nest.is_sequence(made) else [made]
            if states is None:
                return
        kept = nest.flatten(self.states)
        if states is None:
            values = [np.zeros(self._shape_of_state(batch, size)) for size in sizes]
        else:
            values = nest.flatten(states)
            if len(values) != len(kept):
                raise ValueError(
                    f"Layer {self.name} expects {len(kept)} states, but it received {len(values)} state values. "
                    f"Input received: {states}"
                )
        for index, (value, size) in enumerate(zip(values, sizes)):
            expected = self._shape_of_state(batch, size)
            if value.shape != expected:
                raise ValueError(
                    f"State {index} is incompatible with layer {self.name}: expected shape={expected}, "
                    f"found shape={value.shape}"
                )
        batch_set_value(list(zip(kept, values)))

    def _keep_states(self, states: Any) -> None:
        """Adds the updates that keep the last states."""
        pairs = zip(nest.flatten(self.states), nest.flatten(states))
        updates: Any = [assign(kept, state) for kept, state in pairs]
        self.add_update(updates)
