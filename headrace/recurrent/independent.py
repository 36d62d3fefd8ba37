"""Independently recurrent cells (arXiv:1803.04831): each unit sees of the state only its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.dtypes import int32
from headrace.kernels.composing.arithmetic import matmul
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.constant import constant
from headrace.ops.array.split import split
from headrace.ops.array.tile import tile
from headrace.ops.math.binary import add, multiply
from headrace.ops.math.unary import sigmoid, tanh
from headrace.ops.nn.bias import bias_add
from headrace.recurrent.cell_arguments import depth_of
from headrace.recurrent.gated import SizedLayerCell
from headrace.recurrent.lstm_cells import LSTMStateTuple
from headrace.state.initializers import constant_initializer, random_uniform_initializer, zeros_initializer

if TYPE_CHECKING:
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, TensorLike
    from headrace.state.initializers import Constant


Activation = Callable[[Any], Any]


class _Independent(SizedLayerCell):
    """What the three share: weights of the inputs, and a row of weights of the state."""

    def __init__(
        self,
        activation: Activation | None,
        reuse: bool | None,
        name: str | None,
        dtype: Any,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype)
        self.input_spec = InputSpec(ndim=2)
        self._activation = activation or tanh
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer

    def _weights(
        self, depth: int, width: int, prefix: str = "", kernel: str = "kernel_w", default: Constant | None = None
    ) -> tuple[Any, Any, Any]:
        """Variables: of the inputs, of the state, and a bias that starts as `default` unless the caller said how."""
        own = self._bias_initializer
        zeros = zeros_initializer(dtype=self.dtype)
        uniform = random_uniform_initializer(minval=-1, maxval=1, dtype=self.dtype)
        return (
            self.add_variable(f"{prefix}{kernel}", shape=[depth, width], initializer=self._kernel_initializer),
            self.add_variable(f"{prefix}kernel_u", shape=[1, width], initializer=uniform),
            self.add_variable(f"{prefix}bias", shape=[width], initializer=(default or zeros) if own is None else own),
        )


class IndRNNCell(_Independent):
    """`output = new_state = activation(W input + u * state + b)`.

    Args:
        num_units: the size of state and output.
        activation: a function; tanh by default.
        reuse: whether to share variables that are there.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(activation, reuse, name, dtype)
        self._has_units(num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel_w`, `kernel_u` and `bias`."""
        self._kernel_w, self._kernel_u, self._bias = self._weights(depth_of(inputs_shape), self._num_units)
        self.built = True

    def call(self, inputs: TensorLike, state: object) -> Any:
        """One step."""
        output = self._activation(bias_add(matmul(inputs, self._kernel_w) + state * self._kernel_u, self._bias))
        return output, output


class IndyGRUCell(_Independent):
    """A gated recurrent unit whose units see of the state only their own.

    Args:
        num_units: the size of state and output.
        activation: a function; tanh by default.
        reuse: whether to share variables that are there.
        kernel_initializer: for the weights of the inputs.
        bias_initializer: for the biases; 1 for the gates and 0 for the candidate by default.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: bool | None = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(activation, reuse, name, dtype, kernel_initializer, bias_initializer)
        self._has_units(num_units)

    def build(self, inputs_shape: Any) -> None:
        """Makes the variables of the gates and of the candidate."""
        depth, units = depth_of(inputs_shape), self._num_units
        ones = constant_initializer(1.0, dtype=self.dtype)
        self._gates = self._weights(depth, 2 * units, "gates/", default=ones)
        self._candidate = self._weights(depth, units, "candidate/", "kernel")
        self.built = True

    def call(self, inputs: TensorLike, state: Any) -> tuple[Tensor, Tensor]:
        """One step."""
        w, u, b = self._gates
        gates = sigmoid(bias_add(matmul(inputs, w) + tile(state, [1, 2]) * u, b))
        reset, update = split(value=gates, num_or_size_splits=2, axis=1)
        w, u, b = self._candidate
        remembered = reset * state
        candidate = self._activation(bias_add(matmul(inputs, w) + remembered * u, b))
        new = update * state + (1 - update) * candidate
        return new, new


class IndyLSTMCell(_Independent):
    """An LSTM whose units see of the state only their own.

    Args:
        num_units: the size of memory and output.
        forget_bias: added to the forget gate.
        activation: a function; tanh by default.
        reuse: whether to share variables that are there.
        kernel_initializer: for the weights of the inputs.
        bias_initializer: for the bias; zeros by default.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Activation | None = None,
        reuse: bool | None = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(activation, reuse, name, dtype, kernel_initializer, bias_initializer)
        self._has_memory(num_units)
        self._forget_bias = forget_bias

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel_w`, `kernel_u` and `bias`."""
        self._kernel_w, self._kernel_u, self._bias = self._weights(depth_of(inputs_shape), 4 * self._num_units)
        self.built = True

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """One step."""
        axis = constant(1, dtype=int32)
        c, h = state
        gates = bias_add(matmul(inputs, self._kernel_w) + tile(h, [1, 4]) * self._kernel_u, self._bias)
        i, j, f, o = split(value=gates, num_or_size_splits=4, axis=axis)
        forget = add(f, constant(self._forget_bias, dtype=f.dtype))
        new_c = add(multiply(c, sigmoid(forget)), multiply(sigmoid(i), self._activation(j)))
        new_h = multiply(self._activation(new_c), sigmoid(o))
        return new_h, LSTMStateTuple(new_c, new_h)
