"""What cells of tf.contrib.rnn share: sizes, sharded weights, peepholes, clipped values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core.collections import GraphKeys
from headrace.core.defaults import add_to_collection, get_collection
from headrace.kernels.composing.arranging import concat
from headrace.ops.math.clip import clip_by_value
from headrace.ops.math.unary import sigmoid
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.lstm_cells import LSTMStateTuple
from headrace.state.variable_scope import get_variable, get_variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.typing import DTypeLike, TensorLike


class SizedCell(RNNCell):
    """A cell whose sizes are known when it is made, in `_state_size` and `_output_size`."""

    _state_size: int | LSTMStateTuple
    _output_size: Any

    @property
    def state_size(self) -> Any:
        """The size of the state."""
        return self._state_size

    @property
    def output_size(self) -> Any:
        """The size of the output."""
        return self._output_size

    def _has_units(self, num_units: int) -> None:
        self._num_units = self._state_size = self._output_size = num_units

    def _has_memory(self, num_units: int, num_proj: int | None = None, state_is_tuple: bool = True) -> None:
        self._num_units, self._num_proj, self._output_size = num_units, num_proj, num_proj or num_units
        pair = LSTMStateTuple(num_units, self._output_size)
        self._state_size = pair if state_is_tuple else sum(pair)


def warn_of_single_state(cell: RNNCell, state_is_tuple: bool) -> None:
    """Says in the log that states in one tensor are on their way out, unless the cell's is a tuple."""
    if not state_is_tuple:
        tf_logging.warn("%s: a state in one tensor is slower than a tuple; use state_is_tuple=True.", cell)


def input_depth(inputs: Any) -> int:
    """The depth of a matrix of inputs.

    Raises:
        ValueError: if it is not known.
    """
    depth = inputs.get_shape().with_rank(2).as_list()[1]
    if depth is None:
        raise ValueError("Could not infer input size from inputs.get_shape()[-1]")
    return depth


def sharded_variable(name: str, shape: list[int], dtype: DTypeLike, num_shards: int) -> Any:
    """A matrix that is the concatenation of `num_shards` variables `name_0`, `name_1`, …; that one, where it is one.

    Raises:
        ValueError: for more shards than rows.
    """
    rows, *others = shape
    if num_shards > rows:
        raise ValueError(f"Too many shards: shape={shape}, num_shards={num_shards}")
    size, more = divmod(rows, num_shards)
    shards = [get_variable(f"{name}_{i}", [size + (i < more), *others], dtype=dtype) for i in range(num_shards)]
    if num_shards == 1:
        return shards[0]
    joined = f"{name}/concat"
    full = f"{get_variable_scope().name}/{joined}:0"
    for made in get_collection(GraphKeys.CONCATENATED_VARIABLES):
        if made.name == full:
            return made
    whole = concat(shards, 0, name=joined)
    add_to_collection(GraphKeys.CONCATENATED_VARIABLES, whole)
    return whole


def diagonals(names: str, size: int, dtype: DTypeLike) -> list[Any]:
    """Vectors of weights for peepholes, one a name."""
    return [get_variable(name, shape=[size], dtype=dtype) for name in names.split()]


def clipped(value: TensorLike, bound: float | None) -> Any:
    """A value kept within [-bound, bound]; None does nothing."""
    return value if bound is None else clip_by_value(value, -bound, bound)


def gate(value: TensorLike, *seen: Any) -> Any:
    """The sigmoid of `value` plus what the peepholes see: pairs of weights and values (Gers and Schmidhuber 2000)."""
    for weights, memory in seen:
        value = value + weights * memory
    return sigmoid(value)
