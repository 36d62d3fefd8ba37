"""Cells around cells: dropout, residual connections, devices."""

from __future__ import annotations

import hashlib
import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest, nest_paths
from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import device as device_scope
from headrace.core.defaults import name_scope
from headrace.core.shapes import TensorShape
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.nn.dropout import dropout
from headrace.kernels.composing.arranging import concat
from headrace.layers.engine import Layer
from headrace.ops.math.division import div
from headrace.ops.math.unary import floor
from headrace.ops.random.uniform import random_uniform
from headrace.recurrent.cell import RNNCell, assert_like_rnn_cell
from headrace.recurrent.lstm_cells import LSTMStateTuple

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, TensorLike
    from headrace.recurrent.cell import RNNCell
    from headrace.state.current_scope import VariableScope
    from headrace.state.dependencies import NamedDependencies


class CellWrapper(RNNCell):
    """A cell that calls another; its state and output are the other's."""

    def __init__(self, cell: RNNCell, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        assert_like_rnn_cell("cell", cell)
        self.cell = cell
        if isinstance(cell, Layer):
            self._track_trackable(cell, "cell")

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
        """A state of zeros; see `RNNCell.zero_state`."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return self.cell.zero_state(batch_size, dtype)

    def _call_wrapped_cell(
        self, inputs: TensorLike, state: Tensor | LSTMStateTuple, cell_call_fn: Callable[..., Any], **kwargs: Any
    ) -> tuple[Tensor, Tensor | LSTMStateTuple]:
        raise NotImplementedError

    def __call__(  # type: ignore[override]  # as in 1.x: no other arguments go to the inner cell
        self, inputs: Any, state: Any, scope: str | VariableScope | None = None
    ) -> Any:
        """One step of the inner cell; arguments as for `RNNCell`."""
        return self._call_wrapped_cell(inputs, state, self.cell.__call__, scope=scope)

    def get_config(self) -> dict[str, Any]:
        """The inner cell's class and configuration with the layer's own."""
        inner = {"class_name": type(self.cell).__name__, "config": self.cell.get_config()}
        return {**super().get_config(), "cell": inner}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> NamedDependencies:
        """The wrapper that `get_config` describes, around a cell that is to be put in the place of its description.

        Raises:
            ValueError: if `config["cell"]` is no cell.
        """
        arguments = dict(config)
        cell = arguments.pop("cell")
        if not isinstance(cell, RNNCell):
            raise ValueError(
                "RNNCellWrapper cannot reconstruct the wrapped cell. Please overwrite the cell in the config with a "
                "RNNCell instance."
            )
        return cls(cell, **arguments)


def _default_filter(substate: Any) -> Any:
    """Dropout spares the memory of an LSTM, and TensorArrays."""
    if isinstance(substate, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(substate, TensorArray)


def _enumerated_map(shallow: Tensor, function: Callable[..., Any], *structures: Any) -> Tensor:
    """Maps with the number of the leaf as first argument."""
    count = -1

    def numbered(*leaves: Any) -> Tensor:
        nonlocal count
        count += 1
        return function(count, *leaves)

    return nest_paths.map_structure_up_to(shallow, numbered, *structures)


def _drops(keep: float) -> bool:
    return not isinstance(keep, float) or keep < 1


class DropoutWrapperBase(Layer):
    """What `DropoutWrapper` computes, for cells of either kind; see there."""

    cell: Any

    def __init__(
        self,
        cell: RNNCell,
        input_keep_prob: TensorLike = 1.0,
        output_keep_prob: TensorLike = 1.0,
        state_keep_prob: TensorLike = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: DType | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)  # type: ignore[arg-type]  # the next class in line takes the cell
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._dropout_state_filter = dropout_state_filter_visitor or _default_filter
        with name_scope("DropoutWrapperInit"):
            self._input_keep_prob = _probability(input_keep_prob, "input_keep_prob")
            self._state_keep_prob = _probability(state_keep_prob, "state_keep_prob")
            self._output_keep_prob = _probability(output_keep_prob, "output_keep_prob")
        self._variational_recurrent = variational_recurrent
        self._input_size = input_size
        self._seed = seed
        self._recurrent_input_noise = self._recurrent_state_noise = self._recurrent_output_noise = None
        if not variational_recurrent:
            return
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")

        def noise(kind: str, sizes: Any) -> Any:
            def draw(i: int, size: TensorLike) -> Any:
                shape = concat(([1], TensorShape(size).as_list()), 0)
                return random_uniform(shape, seed=self._gen_seed(kind, i), dtype=dtype)

            return _enumerated_map(sizes, draw, sizes)

        if not isinstance(self._input_keep_prob, numbers.Real) or self._input_keep_prob < 1.0:
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, input_size must be provided"
                )
            self._recurrent_input_noise = noise("input", input_size)
        self._recurrent_state_noise = noise("state", cell.state_size)
        self._recurrent_output_noise = noise("output", cell.output_size)

    def _gen_seed(self, salt: str, index: int) -> int | None:
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropout(self, values: TensorLike, salt: str, noise: Any, keep: float, chosen: Any = None) -> Tensor:
        chosen = values if chosen is None else chosen

        def drawn(i: int, enabled: Tensor, value: Tensor) -> Tensor:
            if isinstance(enabled, bool) and not enabled:
                return value
            return dropout(value, rate=1.0 - keep, seed=self._gen_seed(salt, i))

        def fixed(_: int, enabled: Any, value: Tensor, own_noise: Any) -> Any:
            if isinstance(enabled, bool) and not enabled:
                return value
            result = div(value, keep) * floor(keep + own_noise)
            result.set_shape(value.get_shape())
            return result

        if self._variational_recurrent:
            return _enumerated_map(chosen, fixed, chosen, values, noise)
        return _enumerated_map(chosen, drawn, chosen, values)

    def _call_wrapped_cell(
        self, inputs: TensorLike, state: Tensor | LSTMStateTuple, cell_call_fn: Callable[..., Any], **kwargs: Any
    ) -> tuple[Tensor, Tensor | LSTMStateTuple]:
        if _drops(self._input_keep_prob):
            inputs = self._dropout(inputs, "input", self._recurrent_input_noise, self._input_keep_prob)
        output, new_state = cell_call_fn(inputs, state, **kwargs)
        if _drops(self._state_keep_prob):
            chosen = nest_paths.get_traverse_shallow_structure(self._dropout_state_filter, new_state)
            new_state = self._dropout(new_state, "state", self._recurrent_state_noise, self._state_keep_prob, chosen)
        if _drops(self._output_keep_prob):
            output = self._dropout(output, "output", self._recurrent_output_noise, self._output_keep_prob)
        return output, new_state

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with; a filter is there as the function it is."""
        filtering = {}
        if self._dropout_state_filter is not _default_filter:
            filtering["dropout_state_filter_visitor"] = self._dropout_state_filter
        return {
            **super().get_config(),
            **filtering,
            "input_keep_prob": self._input_keep_prob,
            "output_keep_prob": self._output_keep_prob,
            "state_keep_prob": self._state_keep_prob,
            "variational_recurrent": self._variational_recurrent,
            "input_size": self._input_size,
            "seed": self._seed,
        }


class DropoutWrapper(DropoutWrapperBase, CellWrapper):
    """Drops units of a cell's inputs, outputs and states (Zaremba et al., arXiv:1409.2329).

    Args:
        cell: the cell.
        input_keep_prob, output_keep_prob, state_keep_prob: the probabilities with which units are kept: floats or
            scalar tensors.
        variational_recurrent: whether all steps of a run drop the same units (Gal and Ghahramani, arXiv:1512.05287).
        input_size: the depth of the inputs, needed for variational dropout of inputs.
        dtype: the element type, needed for variational dropout.
        seed: the seed of the draws.
        dropout_state_filter_visitor: takes a part of the state, returns whether its parts are dropped; all but the
            memory of an LSTM by default.

    Raises:
        TypeError: if `cell` is no cell, or the filter no function.
        ValueError: for a probability outside [0, 1], or a missing argument.
    """


def _probability(value: TensorLike, name: str) -> Any:
    tensor = convert_to_tensor(value)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if known < 0 or known > 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {float(known)}")
    return float(known)


class ResidualWrapperBase(Layer):
    """What `ResidualWrapper` computes, for cells of either kind; see there."""

    cell: Any

    def __init__(self, cell: RNNCell, residual_fn: Callable[[Any, Any], Any] | None = None, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)  # type: ignore[arg-type]  # the next class in line takes the cell
        self._residual_fn = residual_fn

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with; `residual_fn` is there as the function it is."""
        own = {} if self._residual_fn is None else {"residual_fn": self._residual_fn}
        return {**super().get_config(), **own}

    def _call_wrapped_cell(
        self, inputs: TensorLike, state: Tensor | LSTMStateTuple, cell_call_fn: Callable[..., Any], **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        outputs, new_state = cell_call_fn(inputs, state, **kwargs)
        return (self._residual_fn or _added)(inputs, outputs), new_state


class ResidualWrapper(ResidualWrapperBase, CellWrapper):
    """Adds a cell's inputs to its outputs (Wu et al., arXiv:1609.08144, section 3.1).

    Args:
        cell: the cell.
        residual_fn: takes inputs and outputs, returns the outputs; their sum by default.
    """


def _added(inputs: TensorLike, outputs: Tensor) -> Tensor:
    nest.assert_same_structure(inputs, outputs)
    nest.map_structure(lambda i, o: i.get_shape().assert_is_compatible_with(o.get_shape()), inputs, outputs)
    return nest.map_structure(lambda i, o: i + o, inputs, outputs)


class DeviceWrapperBase(Layer):
    """What `DeviceWrapper` computes, for cells of either kind; see there."""

    cell: Any

    def __init__(self, cell: RNNCell, device: str, **kwargs: Any) -> None:
        super().__init__(cell, **kwargs)  # type: ignore[arg-type]  # the next class in line takes the cell
        self._device = device

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {**super().get_config(), "device": self._device}

    def zero_state(self, batch_size: int | Tensor, dtype: DTypeLike) -> Any:
        """A state of zeros on the device; see `RNNCell.zero_state`."""
        with name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]), device_scope(self._device):
            return self.cell.zero_state(batch_size, dtype)

    def _call_wrapped_cell(
        self, inputs: TensorLike, state: Tensor | LSTMStateTuple, cell_call_fn: Callable[..., Any], **kwargs: Any
    ) -> tuple[Tensor, Tensor]:
        with device_scope(self._device):
            return cell_call_fn(inputs, state, **kwargs)


class DeviceWrapper(DeviceWrapperBase, CellWrapper):
    """Runs a cell on a device.

    Args:
        cell: the cell.
        device: a device name or function, as for `tf.device`.
    """
