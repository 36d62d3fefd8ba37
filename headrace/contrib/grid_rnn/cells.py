"""Grids of cells (arXiv:1507.01526): each dimension has a cell or a function, and all see each other's outputs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.layers.dense import fully_connected
from headrace.contrib.layers.initializers import xavier_initializer
from headrace.core import nest
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.filling import zeros
from headrace.ops.array.slice import slice as slice_
from headrace.ops.array.split import split
from headrace.ops.nn.activations import relu
from headrace.recurrent.basic_cells import BasicRNNCell, GRUCell
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.lstm_cells import BasicLSTMCell, LSTMCell
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike
    from headrace.recurrent.lstm_cells import LSTMStateTuple
    from headrace.state.current_scope import VariableScope


def _dimensions(given: int | Sequence[int] | None, count: int) -> list[int]:
    """A dimension, or a list of them, or None, as a sorted list.

    Raises:
        ValueError: for one that is not there.
    """
    listed = given if isinstance(given, (list, tuple)) else [] if given is None else [given]
    listed = sorted(set(listed))
    if any(not 0 <= dimension < count for dimension in listed):
        raise ValueError(f"Invalid dims: {listed}. Must be in [0, {count})")
    return listed


class GridRNNCell(RNNCell):
    """A grid of cells.

    Args:
        num_units: the size of each dimension's state and output.
        num_dims: how many dimensions.
        input_dims: those that get the inputs: a number or a list.
        output_dims: those whose outputs are the cell's.
        priority_dims: those that run after all others and see their outputs.
        non_recurrent_dims: those without a state, where `non_recurrent_fn` of a linear map stands for the cell.
        tied: whether all dimensions share weights.
        cell_fn: a function of `num_units` that makes a cell; `LSTMCell` by default.
        non_recurrent_fn: a function; relu by default.
        state_is_tuple, output_is_tuple: whether states and outputs are tuples, one item a dimension, rather than one
            tensor.

    Raises:
        ValueError: for dimensions that are not there.
        TypeError: if `cell_fn` makes no cell.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: int | Sequence[int] | None = None,
        output_dims: int | Sequence[int] | None = None,
        priority_dims: int | Sequence[int] | None = None,
        non_recurrent_dims: int | None = None,
        tied: bool = False,
        cell_fn: Callable[[int], Any] | None = None,
        non_recurrent_fn: Callable[[Any], Any] | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__()
        for what, is_tuple in (("state", state_is_tuple), ("output", output_is_tuple)):
            if not is_tuple:
                tf_logging.warning(
                    "%s: a %s in one tensor is slower than a tuple; use %s_is_tuple=True.", self, what, what
                )
        if num_dims < 1:
            raise ValueError(f"dims must be >= 1: {num_dims}")
        self._num_units, self._num_dims, self._tied = num_units, num_dims, tied
        self._inputs = _dimensions(input_dims, num_dims)
        self._outputs = _dimensions(output_dims, num_dims)
        self._priority = _dimensions(priority_dims, num_dims)
        self._functional = _dimensions(non_recurrent_dims, num_dims)
        self._recurrent = [dimension for dimension in range(num_dims) if dimension not in self._functional]
        self._function = non_recurrent_fn or relu
        self._state_is_tuple, self._output_is_tuple = state_is_tuple, output_is_tuple
        if cell_fn is None:
            make: Callable[[], Any] = functools.partial(LSTMCell, num_units, state_is_tuple=state_is_tuple)
        else:
            make = functools.partial(cell_fn, num_units)
        self._cells = [make()] * num_dims if tied else [make() for _ in range(num_dims)]
        if not isinstance(self._cells[0], RNNCell):
            raise TypeError(f"cell_fn must return an RNNCell instance, saw: {type(self._cells[0])}")

    def _cell_state_size(self) -> int:
        size = self._cells[0].state_size
        return sum(size) if isinstance(size, tuple) else size

    @property
    def output_size(self) -> Any:
        """The sizes of the outputs."""
        sizes = (self._cells[0].output_size,) * len(self._outputs)
        return sizes if self._output_is_tuple else sum(sizes)

    @property
    def state_size(self) -> Any:
        """The sizes of the recurrent dimensions' states."""
        if self._state_is_tuple:
            return (self._cells[0].state_size,) * len(self._recurrent)
        return self._cell_state_size() * len(self._recurrent)

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> Any:
        """One step; arguments as for `RNNCell`."""
        dtype = inputs.dtype
        with variable_scope(scope or type(self).__name__):
            memories, before = self._states(state)
            self._project(inputs, memories, before)
            step = _Step(self, memories, before)
            later = [dimension for dimension in range(self._num_dims) if dimension not in self._priority]
            step.run(later)
            step.run(self._priority)
            outputs = [step.outputs[dimension] for dimension in self._outputs]
            states = [step.states[dimension] for dimension in self._recurrent]
            whole = tuple(outputs) if self._output_is_tuple else _joined(outputs, dtype)
            if self._state_is_tuple:
                return whole, tuple(states)
            return whole, _joined(nest.flatten(states), dtype)

    def _states(self, state: Tensor | Sequence[Tensor | LSTMStateTuple]) -> tuple[list[Any], list[Any]]:
        """The memories and outputs before this step, one a dimension; None where there are none."""
        memories: list[Any] = [None] * self._num_dims
        before: list[Any] = [None] * self._num_dims
        size, units = self._cell_state_size(), self._num_units
        remembers = size > units
        if self._state_is_tuple:
            if len(self._recurrent) != len(state):
                raise ValueError(f"Expected state as a tuple of {len(self._recurrent)} element")
            for dimension, own in zip(self._recurrent, state, strict=True):
                memories[dimension], before[dimension] = own if remembers else (None, own)
            return memories, before
        for i, dimension in enumerate(self._recurrent):
            first = slice_(state, [0, i * size], [-1, units])
            if remembers:
                memories[dimension] = first
                before[dimension] = slice_(state, [0, i * size + units], [-1, size - units])
            else:
                before[dimension] = first
        return memories, before

    def _project(self, inputs: Tensor, memories: list[Any], before: list[Any]) -> None:
        """Puts maps of the inputs where the states of the input dimensions were."""
        count = len(self._inputs)
        if inputs is None or not count:
            return
        if isinstance(inputs, tuple):
            if count != len(inputs):
                raise ValueError(f"Expect inputs as a tuple of {count} tensors")
            parts: Any = inputs
        else:
            if not inputs.get_shape().with_rank(2).as_list()[1]:
                return
            parts = split(value=inputs, num_or_size_splits=count, axis=1)
        shape = [parts[0].get_shape().with_rank(2).as_list()[1], self._num_units]
        dtype = parts[0].dtype
        for part, dimension in zip(parts, self._inputs, strict=True):
            before[dimension] = matmul(part, get_variable(f"project_m_{dimension}", shape, dtype=dtype))
            if self._cell_state_size() > self._num_units:
                memories[dimension] = matmul(part, get_variable(f"project_c_{dimension}", shape, dtype=dtype))


def _joined(parts: list[Any], dtype: DTypeLike) -> Tensor:
    return concat(parts, 1) if parts else zeros([0, 0], dtype)


class _Step:
    """One step of a grid: what its dimensions have put out so far."""

    def __init__(self, grid: GridRNNCell, memories: list[Any], before: list[Any]) -> None:
        self.grid, self.memories, self.before = grid, memories, before
        self.outputs: list[Any] = [None] * grid._num_dims
        self.states: list[Any] = [None] * grid._num_dims
        self._shared = False

    def _seen(self, dimension: int) -> Tensor:
        output = self.outputs[dimension]
        return self.before[dimension] if output is None else output

    def run(self, dimensions: list[int]) -> None:
        """Runs dimensions that see what was there before any of them ran."""
        if not dimensions:
            return
        grid, last = self.grid, self._seen(-1)
        if grid._num_dims > 1:
            inputs = concat([self._seen(other) for other in range(grid._num_dims - 1)], 1)
        else:
            inputs = zeros([self.before[0].get_shape().as_list()[0], 0], self.before[0].dtype)
        for dimension in dimensions:
            functional = dimension in grid._functional
            kind = "non_recurrent" if functional else "recurrent"
            with variable_scope(kind if grid._tied else f"{kind}/cell_{dimension}"):
                if grid._tied and self._shared:
                    get_variable_scope().reuse_variables()
                self._shared = True
                if functional:
                    self.outputs[dimension] = self._mapped(inputs, last)
                    continue
                memory = self.memories[dimension]
                state = last if memory is None else (memory, last)
                self.outputs[dimension], self.states[dimension] = grid._cells[dimension](inputs, state)

    def _mapped(self, inputs: Tensor, last: Tensor) -> Any:
        grid, scope = self.grid, get_variable_scope()
        return fully_connected(
            concat([inputs, last], 1) if grid._num_dims > 1 else last,
            num_outputs=grid._num_units,
            activation_fn=grid._function,
            weights_initializer=scope.initializer or xavier_initializer,
            weights_regularizer=scope.regularizer,
        )


class _Grid(GridRNNCell):
    """A grid whose first dimension gets the inputs, runs last and gives the output."""

    def __init__(
        self,
        num_units: int,
        num_dims: int,
        cell_fn: Callable[[int], Any],
        state_is_tuple: bool,
        output_is_tuple: bool,
        tied: bool = False,
        non_recurrent_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(
            num_units,
            num_dims,
            input_dims=0,
            output_dims=0,
            priority_dims=0,
            non_recurrent_dims=None if non_recurrent_fn is None else 0,
            tied=tied,
            cell_fn=cell_fn,
            non_recurrent_fn=non_recurrent_fn,
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )


class Grid1BasicRNNCell(_Grid):
    """A `BasicRNNCell` whose state takes the projected inputs; arguments as for `GridRNNCell`."""

    def __init__(self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True) -> None:
        super().__init__(num_units, 1, BasicRNNCell, state_is_tuple, output_is_tuple)


class Grid2BasicRNNCell(_Grid):
    """A grid of two `BasicRNNCell`s; arguments as for `GridRNNCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[[Any], Any] | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(num_units, 2, BasicRNNCell, state_is_tuple, output_is_tuple, tied, non_recurrent_fn)


class Grid1BasicLSTMCell(_Grid):
    """A `BasicLSTMCell` whose state takes the projected inputs; arguments as for `GridRNNCell`."""

    def __init__(
        self, num_units: int, forget_bias: float = 1, state_is_tuple: bool = True, output_is_tuple: bool = True
    ) -> None:
        cell_fn = functools.partial(BasicLSTMCell, forget_bias=forget_bias)
        super().__init__(num_units, 1, cell_fn, state_is_tuple, output_is_tuple)


class Grid2BasicLSTMCell(_Grid):
    """A grid of two `BasicLSTMCell`s; arguments as for `GridRNNCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[[Any], Any] | None = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        cell_fn = functools.partial(BasicLSTMCell, forget_bias=forget_bias)
        super().__init__(num_units, 2, cell_fn, state_is_tuple, output_is_tuple, tied, non_recurrent_fn)


class Grid1LSTMCell(_Grid):
    """An `LSTMCell` whose state takes the projected inputs; arguments as for `GridRNNCell`."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        cell_fn = functools.partial(LSTMCell, forget_bias=forget_bias, use_peepholes=use_peepholes)
        super().__init__(num_units, 1, cell_fn, state_is_tuple, output_is_tuple)


class _GridOfLSTMs(_Grid):
    _dims: int

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[[Any], Any] | None = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        cell_fn = functools.partial(LSTMCell, forget_bias=forget_bias, use_peepholes=use_peepholes)
        super().__init__(num_units, self._dims, cell_fn, state_is_tuple, output_is_tuple, tied, non_recurrent_fn)


class Grid2LSTMCell(_GridOfLSTMs):
    """A grid of two `LSTMCell`s; arguments as for `GridRNNCell`."""

    _dims = 2


class Grid3LSTMCell(_GridOfLSTMs):
    """A grid of three `LSTMCell`s; arguments as for `GridRNNCell`."""

    _dims = 3


class Grid2GRUCell(_Grid):
    """A grid of two `GRUCell`s; arguments as for `GridRNNCell`."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable[[Any], Any] | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ) -> None:
        super().__init__(num_units, 2, GRUCell, state_is_tuple, output_is_tuple, tied, non_recurrent_fn)
