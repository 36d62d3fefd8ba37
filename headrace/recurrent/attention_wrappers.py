"""Cells around cells: attention over past states, highway connections, compilation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.functions.math.reduction import reduce_sum
from headrace.functions.nn.convolution_functions import conv2d
from headrace.kernels.composing.arranging import concat
from headrace.kernels.composing.shapes import expand_dims
from headrace.ops.array.shape import reshape
from headrace.ops.array.slice import slice as slice_
from headrace.ops.math.unary import sigmoid, tanh
from headrace.ops.nn.bias import xw_plus_b
from headrace.ops.nn.softmax import softmax
from headrace.recurrent.cell import RNNCell
from headrace.recurrent.cell_parts import warn_of_single_state
from headrace.recurrent.linear import LinearOnce
from headrace.recurrent.projections import AroundCell
from headrace.state.initializers import constant_initializer
from headrace.state.variable_scope import get_variable, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.recurrent.basic_cells import GRUCell
    from headrace.recurrent.cell import RNNCell
    from headrace.recurrent.lstm_cells import LSTMStateTuple
    from headrace.state.current_scope import VariableScope


class AttentionCellWrapper(AroundCell):
    """A cell that attends over the last `attn_length` outputs (arXiv:1409.0473).

    Args:
        cell: the inner cell.
        attn_length: how many steps it looks back.
        attn_size: the size of an attention vector, and of the output; the inner cell's output size by default.
        attn_vec_size: the size of the hidden layer that scores; `attn_size` by default.
        input_size: the size of what the inner cell gets; that of the inputs by default.
        state_is_tuple: whether the state is a tuple (inner state, attention, past) rather than one tensor.
        reuse: whether to share variables that are there.

    Raises:
        TypeError: if `cell` is no cell.
        ValueError: for a length that is not positive, or a tuple for a state that is to be one tensor.
    """

    def __init__(
        self,
        cell: RNNCell,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(cell, reuse)
        if nest.is_sequence(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "Cell returns tuple of states, but the flag state_is_tuple is not set. State size is: "
                f"{cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero, got {attn_length}")
        warn_of_single_state(self, state_is_tuple)
        self._state_is_tuple = state_is_tuple
        self._attn_length = attn_length
        self._attn_size: int = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = self._attn_size if attn_vec_size is None else attn_vec_size
        self._input_size = input_size
        self._into_cell: LinearOnce | None = None
        self._into_output = LinearOnce(self._attn_size)
        self._query = LinearOnce(self._attn_vec_size)

    @property
    def state_size(self) -> Any:
        """The sizes of the inner state, the attention and the outputs of the past."""
        sizes = (self._cell.state_size, self._attn_size, self._attn_size * self._attn_length)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> int:
        """The size of an attention vector."""
        return self._attn_size

    # Its state is more than the inner cell's.
    zero_state = RNNCell.zero_state

    def call(self, inputs: Any, state: Any) -> tuple[Tensor, Tensor | tuple[LSTMStateTuple, Tensor, Tensor]]:
        """One step."""
        size, length = self._attn_size, self._attn_length
        if self._state_is_tuple:
            inner, attention, past = state
        else:
            own = self._cell.state_size
            inner = slice_(state, [0, 0], [-1, own])
            attention = slice_(state, [0, own], [-1, size])
            past = slice_(state, [0, own + size], [-1, size * length])
        past = reshape(past, [-1, length, size])
        if self._into_cell is None:
            self._into_cell = LinearOnce(self._input_size or inputs.get_shape().as_list()[1])
        cell_output, new_inner = self._cell(self._into_cell([inputs, attention]), inner)
        query = concat(nest.flatten(new_inner), 1) if self._state_is_tuple else new_inner
        new_attention, rest = self._attend(query, past)
        with variable_scope("attn_output_projection"):
            output = self._into_output([cell_output, new_attention])
        new_past = reshape(concat([rest, expand_dims(output, 1)], 1), [-1, length * size])
        new_state = (new_inner, new_attention, new_past)
        return output, (new_state if self._state_is_tuple else concat(list(new_state), 1))

    def _attend(self, query: Tensor, past: Tensor) -> tuple[Any, Any]:
        """The attention that `query` pays to the past, and the past without its first step."""
        size, length, width = self._attn_size, self._attn_length, self._attn_vec_size
        with variable_scope("attention"):
            kernel = get_variable("attn_w", [1, 1, size, width])
            vector = get_variable("attn_v", [width])
            hidden = reshape(past, [-1, length, 1, size])
            features = conv2d(hidden, kernel, [1, 1, 1, 1], "SAME")
            asked = reshape(self._query(query), [-1, 1, 1, width])
            weights = softmax(reduce_sum(vector * tanh(features + asked), [2, 3]))
            seen = reduce_sum(reshape(weights, [-1, length, 1, 1]) * hidden, [1, 2])
            return reshape(seen, [-1, size]), slice_(past, [0, 1, 0], [-1, -1, -1])


class HighwayWrapper(AroundCell):
    """Blends a cell's inputs with its outputs by a gate of the inputs (arXiv:1505.00387).

    Args:
        cell: the cell; its outputs have the shapes of its inputs.
        couple_carry_transform_gates: whether the share of the outputs is 1 minus that of the inputs; otherwise it has a
            gate of its own.
        carry_bias_init: where the bias of the gate starts.
    """

    def __init__(self, cell: RNNCell, couple_carry_transform_gates: bool = True, carry_bias_init: float = 1.0) -> None:
        super().__init__(cell)
        self._couple = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def _gate(self, name: str, inputs: Tensor, start: float) -> Any:
        size = inputs.get_shape().with_rank(2).as_list()[1]
        weights = get_variable(f"{name}_w", [size, size])
        return sigmoid(
            xw_plus_b(inputs, weights, get_variable(f"{name}_b", [size], initializer=constant_initializer(start)))
        )

    def _highway(self, inputs: Tensor, outputs: Any) -> Any:
        carry = self._gate("carry", inputs, self._carry_bias_init)
        transform = 1 - carry if self._couple else self._gate("transform", inputs, -self._carry_bias_init)
        return inputs * carry + outputs * transform

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> Any:
        """One step, in the caller's variable scope; `scope` is the inner cell's."""
        outputs, new_state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        nest.map_structure(lambda i, o: i.get_shape().assert_is_compatible_with(o.get_shape()), inputs, outputs)
        return nest.map_structure(self._highway, inputs, outputs), new_state


class CompiledWrapper(AroundCell):
    """The cell itself: every graph is compiled here, so nothing is left to ask for.

    Args:
        cell: the cell.
        compile_stateful: whether ops with a state are compiled too; has no effect.
    """

    def __init__(self, cell: GRUCell, compile_stateful: bool = False) -> None:
        super().__init__(cell)
        self._compile_stateful = compile_stateful

    def __call__(self, inputs: Any, state: Any, scope: str | VariableScope | None = None) -> tuple[Tensor, Tensor]:
        """One step of the cell."""
        return self._cell(inputs, state, scope=scope)
