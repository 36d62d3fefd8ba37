"""Long short-term memories: the cell, the layer, and the cell whose gates see the memory.

Hochreiter and Schmidhuber, "Long short-term memory", Neural Computation 9 (1997); the forget gate: Gers, Schmidhuber and
Cummins, "Learning to forget", Neural Computation 12 (2000); peepholes: Gers, Schraudolph and Schmidhuber, "Learning
precise timing with LSTM recurrent networks", JMLR 3 (2002).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.keras.layers.recurrent_cells import UnitsCell, take_settings
from headrace.keras.layers.recurrent_layers import CellLayer, of_cell
from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.split import split
from headrace.ops.nn.bias import bias_add
from headrace.state.initializers import Ones

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import FunctionIdentifier

_SETTINGS = (
    "units activation recurrent_activation use_bias kernel_initializer recurrent_initializer bias_initializer "
    "unit_forget_bias kernel_regularizer recurrent_regularizer bias_regularizer kernel_constraint "
    "recurrent_constraint bias_constraint dropout recurrent_dropout implementation"
)


class LSTMCell(UnitsCell):
    """The cell of `LSTM`: one step. The columns of the kernels are those of the gates i, f, c and o.

    Args:
        units: the size of memory and output.
        activation, recurrent_activation: functions or their names, of memory and output and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        unit_forget_bias: whether the bias of the forget gate starts at 1.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
        implementation: 1 for a product by gate and 2 for one of all gates.
    """

    GATES = 4
    SETTINGS = _SETTINGS

    unit_forget_bias: bool
    implementation: int

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        recurrent_activation: Any = "hard_sigmoid",
        use_bias: bool = True,
        kernel_initializer: FunctionIdentifier | None = "glorot_uniform",
        recurrent_initializer: FunctionIdentifier | None = "orthogonal",
        bias_initializer: FunctionIdentifier | None = "zeros",
        unit_forget_bias: bool = True,
        kernel_regularizer: FunctionIdentifier | None = None,
        recurrent_regularizer: FunctionIdentifier | None = None,
        bias_regularizer: FunctionIdentifier | None = None,
        kernel_constraint: FunctionIdentifier | None = None,
        recurrent_constraint: FunctionIdentifier | None = None,
        bias_constraint: FunctionIdentifier | None = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        implementation: int = 1,
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
            unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
        )
        self.state_size = [units, units]
        self.output_size = units

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`."""
        units, given = self.units, self.bias_initializer

        def biases(_: Any, *args: Any, **kwargs: Any) -> Tensor:
            first = given((units,), *args, **kwargs)
            return concat([first, Ones()((units,), *args, **kwargs), given((2 * units,), *args, **kwargs)], -1)

        self._make_weights(input_shape[-1], (4 * units,), biases if self.unit_forget_bias else given)
        self.built = True

    def call(self, inputs: Any, states: Any, training: Any = None) -> tuple[Tensor, list[Tensor]]:  # type: ignore[override]  # a cell takes its states too
        """One step."""
        h_before, c_before = states[0], states[1]
        masks = self.get_dropout_mask_for_cell(inputs, training, count=4)
        recurrent_masks = self.get_recurrent_dropout_mask_for_cell(h_before, training, count=4)
        if self.implementation == 1:
            dropped = [inputs] * 4 if masks is None else [inputs * mask for mask in masks]
            kernels = split(self.kernel, num_or_size_splits=4, axis=1)
            mapped = [matmul(x, kernel) for x, kernel in zip(dropped, kernels)]
            if self.bias is not None:
                biases = split(self.bias, num_or_size_splits=4, axis=0)
                mapped = [bias_add(x, bias) for x, bias in zip(mapped, biases)]
            h = [h_before] * 4 if recurrent_masks is None else [h_before * mask for mask in recurrent_masks]
            c, o = self._compute_carry_and_output(mapped, h, c_before)
        else:
            if masks is not None:
                inputs = inputs * masks[0]
            z = matmul(inputs, self.kernel)
            if recurrent_masks is not None:
                h_before = h_before * recurrent_masks[0]
            z = z + matmul(h_before, self.recurrent_kernel)
            if self.bias is not None:
                z = bias_add(z, self.bias)
            c, o = self._compute_carry_and_output_fused(split(z, num_or_size_splits=4, axis=1), c_before)
        h_new = o * self.activation(c)
        return h_new, [h_new, c]

    def _recurrent(self, h: Tensor, gate: int) -> Tensor:
        """What the output before adds to a gate."""
        units = self.units
        begin, end = gate * units, None if gate == self.GATES - 1 else (gate + 1) * units
        return matmul(h, self.recurrent_kernel[:, begin:end] if begin else self.recurrent_kernel[:, :end])

    def _seen(self, gate: str, c: Tensor, x: Tensor) -> Tensor:
        """What a gate is computed from: `x`, and the memory where it sees that."""
        return x

    def _compute_carry_and_output(self, x: Any, h_tm1: Any, c_tm1: Tensor) -> tuple[Tensor, Tensor]:
        """The next memory and the gate of the output, with a product by gate."""
        bent, gated, seen = self.activation, self.recurrent_activation, self._seen
        i = gated(seen("input", c_tm1, x[0] + self._recurrent(h_tm1[0], 0)))
        f = gated(seen("forget", c_tm1, x[1] + self._recurrent(h_tm1[1], 1)))
        c = f * c_tm1 + i * bent(x[2] + self._recurrent(h_tm1[2], 2))
        return c, gated(seen("output", c, x[3] + self._recurrent(h_tm1[3], 3)))

    def _compute_carry_and_output_fused(self, z: Any, c_tm1: Tensor) -> tuple[Tensor, Tensor]:
        """The next memory and the gate of the output, from what was computed for all gates at once."""
        gated, seen = self.recurrent_activation, self._seen
        i = gated(seen("input", c_tm1, z[0]))
        f = gated(seen("forget", c_tm1, z[1]))
        c = f * c_tm1 + i * self.activation(z[2])
        return c, gated(seen("output", c, z[3]))


class PeepholeLSTMCell(LSTMCell):
    """An LSTM cell whose gates see the memory, each unit its own.

    Args: those of `LSTMCell`.

    Example:
        >>> layer = tf.keras.layers.RNN(tf.keras.experimental.PeepholeLSTMCell(8))
    """

    def build(self, input_shape: Any) -> None:
        """Makes the weights of `LSTMCell`, and those of the peepholes."""
        super().build(input_shape)
        self.input_gate_peephole_weights, self.forget_gate_peephole_weights, self.output_gate_peephole_weights = (
            self.add_weight(f"{gate}_gate_peephole_weights", shape=(self.units,), initializer=self.kernel_initializer)
            for gate in ("input", "forget", "output")
        )

    def _seen(self, gate: str, c: Tensor, x: Tensor) -> Tensor:
        return x + getattr(self, f"{gate}_gate_peephole_weights") * c


@of_cell(_SETTINGS)
class LSTM(CellLayer):
    """A long short-term memory: a layer that keeps what its gates let in until they let it go.

    Args:
        units: the size of memory and output.
        activation, recurrent_activation: functions or their names, of memory and output and of the gates.
        use_bias: whether there is a bias.
        kernel_initializer, recurrent_initializer, bias_initializer, kernel_regularizer, recurrent_regularizer,
            bias_regularizer, kernel_constraint, recurrent_constraint, bias_constraint: as in `add_weight`.
        unit_forget_bias: whether the bias of the forget gate starts at 1.
        activity_regularizer: a function of the outputs whose value becomes a loss.
        dropout, recurrent_dropout: the share of the inputs and of the states that is dropped while training.
        implementation: 1 for a product by gate and 2 for one of all gates.
        return_sequences, return_state, go_backwards, stateful, unroll: as in `RNN`.

    Example:
        >>> model = tf.keras.Sequential([tf.keras.layers.Embedding(1000, 32, mask_zero=True), tf.keras.layers.LSTM(32)])
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
        unit_forget_bias: bool = True,
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
        **kwargs: Any,
    ) -> None:
        cell = LSTMCell(
            units,
            activation=activation,
            recurrent_activation=recurrent_activation,
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer,
            unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint,
            dropout=dropout,
            recurrent_dropout=recurrent_dropout,
            implementation=implementation,
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
