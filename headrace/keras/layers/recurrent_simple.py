"""The simplest recurrent cell and layer: output = activation(x W + h U + b).

J. Elman, "Finding structure in time", Cognitive Science 14 (1990).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.layers.recurrent_cells import UnitsCell, take_settings
from headrace.keras.layers.recurrent_layers import CellLayer, of_cell
from headrace.kernels.composing.arithmetic import matmul
from headrace.ops.nn.bias import bias_add

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier

_SETTINGS = (
    "units activation use_bias kernel_initializer recurrent_initializer bias_initializer kernel_regularizer "
    "recurrent_regularizer bias_regularizer kernel_constraint recurrent_constraint bias_constraint dropout "
    "recurrent_dropout"
)


class SimpleRNNCell(UnitsCell):
    """The cell of `SimpleRNN`: one step.

    Args:
        units: the size of state and output.
        activation: a function or its name.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
    """

    SETTINGS = _SETTINGS

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
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
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        take_settings(
            self,
            units=units,
            activation=activation,
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
        )
        self.state_size = self.output_size = units

    def call(self, inputs: Any, states: Any, training: Any = None) -> tuple[Tensor, list[Tensor]]:  # type: ignore[override]  # a cell takes its states too
        """One step."""
        before = states[0]
        masks = self.get_dropout_mask_for_cell(inputs, training)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(before, training)
        mapped = matmul(inputs if masks is None else inputs * masks[0], self.kernel)
        if self.bias is not None:
            mapped = bias_add(mapped, self.bias)
        if recurrent_masks is not None:
            before = before * recurrent_masks[0]
        output = self.activation(mapped + matmul(before, self.recurrent_kernel))
        return output, [output]


@of_cell(_SETTINGS)
class SimpleRNN(CellLayer):
    """The simplest recurrent layer: each output is a function of the input and the output before it.

    Args:
        units: the size of state and output.
        activation: a function or its name.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
        return_sequences, return_state, go_backwards, stateful, unroll: as in `RNN`.
    """

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
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
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("implementation", None)
        cell = SimpleRNNCell(
            units,
            activation=activation,
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
