"""Cells on top of each other as one cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.shapes import TensorShape
from headrace.keras.layers.recurrent_states import is_multiple_state, zero_state_of_cell
from headrace.keras.utils import generic_utils
from headrace.layers.engine import Layer
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


class StackedRNNCells(Layer):
    """Several cells as one: each gets what the one before it gives.

    Args:
        cells: the cells, the first of which gets the inputs.
        **kwargs: those of layers, and `reverse_state_order`: whether the states are those of the last cell first, as they
            were in early versions.

    Raises:
        ValueError: if a cell has no `call` or no `state_size`.

    Example:
        >>> cells = tf.keras.layers.StackedRNNCells([tf.keras.layers.GRUCell(8) for _ in range(3)])
        >>> layer = tf.keras.layers.RNN(cells)
    """

    def __init__(self, cells: Sequence[Any], **kwargs: Any) -> None:
        for cell in cells:
            if not hasattr(cell, "call"):
                raise ValueError("All cells must have a `call` method. received cells:", cells)
            if not hasattr(cell, "state_size"):
                raise ValueError("All cells must have a `state_size` attribute. received cells:", cells)
        self.reverse_state_order = kwargs.pop("reverse_state_order", False)
        if self.reverse_state_order:
            tf_logging.warning(
                "reverse_state_order=True in StackedRNNCells will soon be deprecated: it is there for models that were "
                "saved with states in that order."
            )
        super().__init__(**kwargs)
        self.cells = list(cells)

    @property
    def state_size(self) -> tuple[Any, ...]:
        """The sizes of the states, those of each cell in an entry."""
        return tuple(cell.state_size for cell in self._in_state_order())

    @property
    def output_size(self) -> Any:
        """The size of the last cell's output."""
        last = self.cells[-1]
        if getattr(last, "output_size", None) is not None:
            return last.output_size
        return last.state_size[0] if is_multiple_state(last.state_size) else last.state_size

    def _in_state_order(self) -> list[Any]:
        return self.cells[::-1] if self.reverse_state_order else self.cells

    def get_initial_state(
        self,
        inputs: Tensor | None = None,
        batch_size: int | Tensor | None = None,
        dtype: DTypeLike | None = None,
    ) -> tuple[Any, ...]:
        """The states to start with; see `AbstractRNNCell`."""
        states = []
        for cell in self._in_state_order():
            of_cell = getattr(cell, "get_initial_state", None)
            if of_cell:
                states.append(of_cell(inputs=inputs, batch_size=batch_size, dtype=dtype))
            else:
                states.append(zero_state_of_cell(cell, inputs, batch_size, dtype))
        return tuple(states)

    def call(
        self, inputs: Any, states: Any, constants: Sequence[Tensor] | None = None, **kwargs: Any
    ) -> tuple[Any, Any]:
        """A step of all cells.

        Args:
            inputs: what the first cell gets.
            states: the states, nested as `state_size` or flat.
            constants: passed to the cells that take them; so are `kwargs`.

        Returns:
            the output of the last cell, and the next states, nested as `state_size`.
        """
        nested = nest.pack_sequence_as(self.state_size, nest.flatten(states))
        new_states = []
        for cell, state in zip(self.cells, nested[::-1] if self.reverse_state_order else nested):
            state = state if nest.is_sequence(state) else [state]
            # A cell with one structure of states takes that itself, where others take a list.
            whole = getattr(cell, "_is_tf_rnn_cell", None) is not None
            state = state[0] if len(state) == 1 and whole else state
            given = {key: value for key, value in kwargs.items() if generic_utils.has_arg(cell.call, key)}
            if generic_utils.has_arg(cell.call, "constants"):
                given["constants"] = constants
            inputs, state = cell.call(inputs, state, **given)
            new_states.append(state)
        ordered = new_states[::-1] if self.reverse_state_order else new_states
        return inputs, nest.pack_sequence_as(self.state_size, nest.flatten(ordered))

    def build(self, input_shape: Any) -> None:
        """Builds the cells one after the other."""
        if isinstance(input_shape, list):
            input_shape = input_shape[0]
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
                cell.built = True
            if getattr(cell, "output_size", None) is not None:
                size = cell.output_size
            else:
                size = cell.state_size[0] if is_multiple_state(cell.state_size) else cell.state_size
            batch = TensorShape(nest.flatten(input_shape)[0] if isinstance(input_shape, dict) else _one(input_shape))[0]
            input_shape = (batch.value, *TensorShape(size).as_list())
        self.built = True

    def get_config(self) -> dict[str, Any]:
        """The cells' classes and configurations with the layer's own."""
        cells = [{"class_name": type(cell).__name__, "config": cell.get_config()} for cell in self.cells]
        return {**super().get_config(), "cells": cells}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The stack that `get_config` describes."""
        arguments = dict(config)
        return cls(
            [slots.keras_layer_from_config(cell, custom_objects) for cell in arguments.pop("cells")], **arguments
        )


def _one(shapes: Any) -> Any:
    """A shape, the first of several."""
    several = isinstance(shapes, tuple) and any(isinstance(shape, (tuple, list, TensorShape)) for shape in shapes)
    return shapes[0] if several else shapes
