"""Cells around cells as Keras has them: dropout, residual connections, devices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.defaults import name_scope
from headrace.keras.layers.recurrent_cells import AbstractRNNCell
from headrace.recurrent.cell import assert_like_rnn_cell
from headrace.recurrent.wrappers import DeviceWrapperBase, DropoutWrapperBase, ResidualWrapperBase

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike


class _RNNCellWrapperV2(AbstractRNNCell):
    """A Keras cell that calls another; its state and output are the other's."""

    _call_wrapped_cell: Any

    def __init__(self, cell: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert_like_rnn_cell("cell", cell)
        self.cell = cell

    def call(self, inputs: Any, state: Any, **kwargs: Any) -> Any:  # type: ignore[override]  # 1.x's name of the argument
        """A step of the inner cell."""
        return self._call_wrapped_cell(inputs, state, cell_call_fn=self.cell.call, **kwargs)

    def build(self, inputs_shape: Any) -> None:  # type: ignore[override]  # 1.x's name of the argument
        """Builds the inner cell."""
        self.cell.build(inputs_shape)
        self.cell.built = True
        self.built = True

    @property
    def wrapped_cell(self) -> Any:
        """The cell inside."""
        return self.cell

    @property
    def state_size(self) -> Any:
        """The size of the inner cell's state."""
        return self.cell.state_size

    @property
    def output_size(self) -> Any:
        """The size of the inner cell's output."""
        return self.cell.output_size

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        """A state of zeros, where the inner cell has that method."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return self.cell.zero_state(batch_size, dtype)

    def get_initial_state(
        self,
        inputs: Tensor | None = None,
        batch_size: int | Tensor | None = None,
        dtype: DTypeLike | None = None,
    ) -> Any:
        """The states that the inner cell starts with."""
        if hasattr(self.cell, "get_initial_state"):
            return self.cell.get_initial_state(inputs=inputs, batch_size=batch_size, dtype=dtype)
        return super().get_initial_state(inputs, batch_size, dtype)

    def get_config(self) -> dict[str, Any]:
        """The inner cell's class and configuration with the layer's own."""
        inner = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        return {**super().get_config(), "cell": inner}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The wrapper that `get_config` describes."""
        arguments = dict(config)
        return cls(slots.keras_layer_from_config(arguments.pop("cell"), custom_objects), **arguments)


class DropoutWrapper(DropoutWrapperBase, _RNNCellWrapperV2):
    """Drops units of a Keras cell's inputs, outputs and states; arguments as for `tf.nn.rnn_cell.DropoutWrapper`."""


class ResidualWrapper(ResidualWrapperBase, _RNNCellWrapperV2):
    """Adds a Keras cell's inputs to its outputs; arguments as for `tf.nn.rnn_cell.ResidualWrapper`."""


class DeviceWrapper(DeviceWrapperBase, _RNNCellWrapperV2):
    """Runs a Keras cell on a device; arguments as for `tf.nn.rnn_cell.DeviceWrapper`."""
