"""Cells that compute what the networks in one op do, with the variables into which those are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.split import split
from headrace.ops.math.unary import sigmoid
from headrace.ops.nn.bias import bias_add
from headrace.recurrent.basic_cells import GRUCell
from headrace.recurrent.block_cells import LSTMBlockCell
from headrace.recurrent.cell_arguments import depth_of
from headrace.state.initializers import constant_initializer, zeros_initializer

if TYPE_CHECKING:
    from headrace.core.typing import InitializerLike, TensorLike
    from headrace.state.variables import Variable


_OF_INPUT, _OF_STATE = "candidate/input_projection", "candidate/hidden_projection"


class CudnnCompatibleLSTMCell(LSTMBlockCell):
    """The LSTM of `CudnnLSTM`, one step at a time.

    Args:
        num_units: the size of memory and output.
        reuse: whether to share variables that are there.

    Example:
        >>> # trained with CudnnLSTM(2, 64), restored from its checkpoint
        >>> cells = [tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(64) for _ in range(2)]
        >>> outputs, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells), inputs, dtype=tf.float32)
    """

    def __init__(self, num_units: int, reuse: bool | None = None) -> None:
        super().__init__(num_units, forget_bias=0, reuse=reuse, name="cudnn_compatible_lstm_cell")


class CudnnCompatibleGRUCell(GRUCell):
    """The gated recurrent unit of `CudnnGRU`, which resets the product with the state rather than the state.

    Args:
        num_units: the size of state and output.
        reuse: whether to share variables that are there.
        kernel_initializer: for the weights.
    """

    def __init__(
        self, num_units: int, reuse: bool | None = None, kernel_initializer: InitializerLike | None = None
    ) -> None:
        super().__init__(num_units, activation=None, reuse=reuse, kernel_initializer=kernel_initializer)

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables of the gates, and of the candidate's two products."""
        depth, units = depth_of(inputs_shape), self._num_units

        def kernel(scope: str, rows: int, columns: int) -> Variable:
            return self.add_variable(f"{scope}/kernel", shape=[rows, columns], initializer=self._kernel_initializer)

        def bias(scope: str) -> Variable:
            start = self._bias_initializer or zeros_initializer(dtype=self.dtype)
            return self.add_variable(f"{scope}/bias", shape=[units], initializer=start)

        ones = self._bias_initializer or constant_initializer(1.0, dtype=self.dtype)
        gates = kernel("gates", depth + units, 2 * units)
        self._gates = gates, self.add_variable("gates/bias", shape=[2 * units], initializer=ones)
        kernels = kernel(_OF_INPUT, depth, units), kernel(_OF_STATE, units, units)
        biases = bias(_OF_INPUT), bias(_OF_STATE)
        self._of_input, self._of_state = zip(kernels, biases, strict=True)
        self.built = True

    def call(self, inputs: TensorLike, state: Any) -> Any:
        """One step."""
        kernel, bias = self._gates
        gates = sigmoid(bias_add(matmul(concat([inputs, state], 1), kernel), bias))
        reset, update = split(value=gates, num_or_size_splits=2, axis=1)
        (kernel, bias), (state_kernel, state_bias) = self._of_input, self._of_state
        candidate = bias_add(matmul(inputs, kernel), bias) + reset * bias_add(matmul(state, state_kernel), state_bias)
        new = (1 - update) * self._activation(candidate) + update * state
        return new, new
