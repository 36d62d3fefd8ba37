"""LSTMs over images and the like: their gates are convolutions (Shi et al., arXiv:1506.04214)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.shapes import TensorShape
from headrace.functions.nn.convolution_functions import conv1d, conv2d, conv3d
from headrace.kernels.composing.arranging import concat
from headrace.ops.array.split import split
from headrace.ops.math.unary import sigmoid, tanh
from headrace.recurrent.cell_parts import SizedCell
from headrace.recurrent.lstm_cells import LSTMStateTuple
from headrace.state.initializers import constant_initializer
from headrace.state.variable_scope import get_variable

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.state.current_scope import VariableScope


_CONVOLUTIONS: dict[int, Callable[..., Any]] = {3: conv1d, 4: conv2d, 5: conv3d}


class ConvLSTMCell(SizedCell):
    """An LSTM whose products are convolutions in 1, 2 or 3 dimensions.

    Args:
        conv_ndims: 1, 2 or 3.
        input_shape: the sizes of an input, channels last, without the batch.
        output_channels: the channels of memory and output.
        kernel_shape: the sizes of the window.
        use_bias: whether there is a bias.
        skip_connection: whether the output has the inputs' channels beside its own.
        forget_bias: added to the forget gate.
        initializers: kept; as in 1.x the variables take the scope's initializer.
        name: the name of its scope.

    Raises:
        ValueError: if the shape of the inputs does not fit the dimensions.

    Example:
        >>> cell = tf.contrib.rnn.ConvLSTMCell(2, [28, 28, 1], output_channels=8, kernel_shape=[3, 3])
    """

    def __init__(
        self,
        conv_ndims: int,
        input_shape: TensorShape,
        output_channels: int,
        kernel_shape: Any,
        use_bias: bool = True,
        skip_connection: bool = False,
        forget_bias: float = 1.0,
        initializers: Any = None,
        name: str = "conv_lstm_cell",
    ) -> None:
        super().__init__(name=name)
        if conv_ndims != len(input_shape) - 1:
            raise ValueError(f"Invalid input_shape {input_shape} for conv_ndims={conv_ndims}.")
        self._conv_ndims, self._output_channels, self._kernel_shape = conv_ndims, output_channels, list(kernel_shape)
        self._use_bias, self._skip_connection = use_bias, skip_connection
        self._forget_bias, self._initializers = forget_bias, initializers
        *places, depth = input_shape
        size = TensorShape([*places, output_channels])
        self._state_size = LSTMStateTuple(size, size)
        self._output_size = TensorShape([*places, output_channels + (depth if skip_connection else 0)])

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any, scope: str | VariableScope | None = None) -> Any:
        """One step."""
        memory, hidden = state
        gates = self._convolved([inputs, hidden], 4 * self._output_channels)
        i, j, f, o = split(value=gates, num_or_size_splits=4, axis=self._conv_ndims + 1)
        new = sigmoid(f + self._forget_bias) * memory + sigmoid(i) * tanh(j)
        output = tanh(new) * sigmoid(o)
        if self._skip_connection:
            output = concat([output, inputs], axis=-1)
        return output, LSTMStateTuple(new, output)

    def _convolved(self, args: list[Any], channels: int) -> Any:
        shapes = [item.get_shape().as_list() for item in args]
        rank, dtype = len(shapes[0]), args[0].dtype
        if rank not in _CONVOLUTIONS:
            raise ValueError(f"Conv Linear expects 3D, 4D or 5D arguments: {shapes}")
        if any(len(shape) != rank for shape in shapes):
            raise ValueError(f"Conv Linear expects all args to be of same Dimension: {shapes}")
        sizes = [*self._kernel_shape, sum(shape[-1] for shape in shapes), channels]
        kernel = get_variable("kernel", sizes, dtype=dtype)
        strides: Any = 1 if rank == 3 else [1] * rank
        result = _CONVOLUTIONS[rank](concat(axis=rank - 1, values=args), kernel, strides, padding="SAME")
        if not self._use_bias:
            return result
        start = constant_initializer(0.0, dtype=dtype)
        return result + get_variable("biases", [channels], dtype=dtype, initializer=start)


class Conv1DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` in one dimension."""

    def __init__(self, name: str = "conv_1d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=1, name=name, **kwargs)


class Conv2DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` in two dimensions."""

    def __init__(self, name: str = "conv_2d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=2, name=name, **kwargs)


class Conv3DLSTMCell(ConvLSTMCell):
    """`ConvLSTMCell` in three dimensions."""

    def __init__(self, name: str = "conv_3d_lstm_cell", **kwargs: Any) -> None:
        super().__init__(conv_ndims=3, name=name, **kwargs)
