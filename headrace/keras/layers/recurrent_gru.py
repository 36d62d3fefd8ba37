"""Gated recurrent units: the cell and the layer.

Cho et al., "Learning phrase representations using RNN encoder-decoder for statistical machine translation",
arXiv:1406.1078.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.layers.recurrent_cells import UnitsCell, take_settings
from headrace.keras.layers.recurrent_layers import CellLayer, of_cell
from headrace.kernels.composing.arithmetic import matmul
from headrace.ops.array.join import unstack
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier

_SETTINGS = (
    "units activation recurrent_activation use_bias kernel_initializer recurrent_initializer bias_initializer "
    "kernel_regularizer recurrent_regularizer bias_regularizer kernel_constraint recurrent_constraint "
    "bias_constraint dropout recurrent_dropout implementation reset_after"
)


class GRUCell(UnitsCell):
    """The cell of `GRU`: one step. The columns of the kernels are those of the gates z and r and of the candidate.

    Args:
        units: the size of state and output.
        activation, recurrent_activation: functions or their names, of the candidate and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
        implementation: 1 for a product by gate and 2 for one of all gates.
        reset_after: whether the gate r is applied after the product of the state, as cuDNN does, rather than before.
    """

    GATES = 3
    SETTINGS = _SETTINGS

    implementation: int
    reset_after: bool

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        recurrent_initializer: FunctionIdentifier | None = "orthogonal",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: FunctionIdentifier | None = None,
        recurrent_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        recurrent_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        take_settings(
            self,
            units=units,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
            reset_after=reset_after,
        )
        self.state_size = self.output_size = units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`: two rows of biases where the reset gate comes last."""
        columns = 3 * self.units
        bias_shape = (2, columns) if self.reset_after else (columns,)
        self._make_weights(input_shape[-1], bias_shape, self.bias_initializer)
        self.built = True

    def call(self, inputs: Any, states: Any, training: Any = None) -> tuple[Tensor, list[Tensor]]:  # type: ignore[override]  # a cell takes its states too
        """One step."""
        h = states[0]
        masks = self.get_dropout_mask_for_cell(inputs, training, count=3)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h, training, count=3)
        bias = recurrent_bias = self.bias
        if self.bias is not None and self.reset_after:
            bias, recurrent_bias = unstack(self.bias)
        if self.implementation == 1:
            dropped = [inputs] * 3 if masks is None else [inputs * mask for mask in masks]
            x = [matmul(part, self._columns(self.kernel, gate)) for gate, part in enumerate(dropped)]
            if bias is not None:
                x = [bias_add(part, self._part(bias, gate)) for gate, part in enumerate(x)]
            dropped = [h] * 3 if recurrent_masks is None else [h * mask for mask in recurrent_masks]
            z, candidate = self._gated_apart(x, dropped, recurrent_bias)
        else:
            mapped = matmul(inputs if masks is None else inputs * masks[0], self.kernel)
            if bias is not None:
                mapped = bias_add(mapped, bias)
            x = [self._columns(mapped, gate) for gate in range(3)]
            if recurrent_masks is not None:
                h = h * recurrent_masks[0]
            z, candidate = self._gated_together(x, h, recurrent_bias)
        new = z * h + (1 - z) * candidate
        return new, [new]

    def _gated_apart(self, x: Any, h: Any, bias: Any) -> tuple[Tensor, Tensor]:
        """The gate z and the candidate, with a product by gate; `h` has the state for each."""
        inner = [matmul(h[gate], self._columns(self.recurrent_kernel, gate)) for gate in (0, 1)]
        if self.reset_after and bias is not None:
            inner = [bias_add(part, self._part(bias, gate)) for gate, part in enumerate(inner)]
        z = self.recurrent_activation(x[0] + inner[0])
        r = self.recurrent_activation(x[1] + inner[1])
        if not self.reset_after:
            return z, self.activation(x[2] + matmul(r * h[2], self._columns(self.recurrent_kernel, 2)))
        last = matmul(h[2], self._columns(self.recurrent_kernel, 2))
        if bias is not None:
            last = bias_add(last, self._part(bias, 2))
        return z, self.activation(x[2] + r * last)

    def _gated_together(self, x: Any, h: Tensor, bias: Any) -> tuple[Tensor, Tensor]:
        """The gate z and the candidate, with one product for all gates where that can be."""
        if self.reset_after:
            inner = matmul(h, self.recurrent_kernel)
            if bias is not None:
                inner = bias_add(inner, bias)
        else:
            inner = matmul(h, self.recurrent_kernel[:, : 2 * self.units])
        parts = [self._columns(inner, gate) for gate in (0, 1)]
        z = self.recurrent_activation(x[0] + parts[0])
        r = self.recurrent_activation(x[1] + parts[1])
        if self.reset_after:
            return z, self.activation(x[2] + r * self._columns(inner, 2))
        return z, self.activation(x[2] + matmul(r * h, self._columns(self.recurrent_kernel, 2)))

    def _of_gate(self, gate: int) -> slice:
        units = self.units
        return (slice(units), slice(units, 2 * units), slice(2 * units, None))[gate]

    def _columns(self, matrix: Any, gate: int) -> Tensor:
        return matrix[:, self._of_gate(gate)]

    def _part(self, bias: Any, gate: int) -> Tensor:
        return bias[self._of_gate(gate)]


@of_cell(_SETTINGS)
class GRU(CellLayer):
    """Gated recurrent units: a layer whose gates choose how much of the state is new at each step.

    Args:
        units: the size of state and output.
        activation, recurrent_activation: functions or their names, of the candidate and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
        implementation: 1 for a product by gate and 2 for one of all gates.
        return_sequences, return_state, go_backwards, stateful, unroll: as in `RNN`.
        reset_after: whether the gate r is applied after the product of the state, as cuDNN does, rather than before.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        recurrent_initializer: FunctionIdentifier | None = "orthogonal",
        bias_initializer: FunctionIdentifier | None = "zeros",
        kernel_regularizer: FunctionIdentifier | None = None,
        recurrent_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        activity_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        recurrent_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        reset_after: bool = False,
        **kwargs: Any,
    ) -> None:
        cell = GRUCell(
            units,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
            reset_after=reset_after,
            dtype=kwargs.get("dtype"),
        )
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
