"""Cells with one state: BasicRNNCell and GRUCell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.split import split
from headrace.ops.math.unary import sigmoid, tanh
from headrace.ops.nn.bias import bias_add
from headrace.recurrent.cell import LayerRNNCell, check_cell_dtype, check_cell_inputs
from headrace.recurrent.cell_arguments import activation_of, config_of, depth_of, initializer_of
from headrace.state.initializers import constant_initializer, zeros_initializer

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import DTypeLike, InitializerLike


class BasicRNNCell(LayerRNNCell):
    """The simplest cell: `output = new_state = activation(W [input, state] + b)`.

    J. Elman, "Finding structure in time", Cognitive Science 14 (1990).

    Args:
        num_units: the size of the state and output.
        activation: a function or its name; tanh by default.
        reuse: whether to share variables that are there.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_cell_dtype(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation) or tanh

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the variables `kernel` and `bias`."""
        depth = depth_of(input_shape)
        check_cell_dtype(self.dtype)
        self._kernel = self.add_variable("kernel", shape=[depth + self._num_units, self._num_units])
        self._bias = self.add_variable("bias", shape=[self._num_units], initializer=zeros_initializer(dtype=self.dtype))
        self.built = True

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> tuple[Tensor, Tensor]:
        """One step."""
        check_cell_inputs(inputs, state)
        gates = bias_add(matmul(concat([inputs, state], 1), self._kernel), self._bias)
        output = self._activation(gates)
        return output, output

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return config_of(
            super().get_config(), num_units=self._num_units, activation=self._activation, reuse=self._reuse
        )


class GRUCell(LayerRNNCell):
    """The gated recurrent unit (Cho et al., arXiv:1406.1078).

    Args:
        num_units: the size of the state and output.
        activation: a function or its name; tanh by default.
        reuse: whether to share variables that are there.
        kernel_initializer, bias_initializer: for the weights and biases; the biases of the gates are 1 by default.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def __init__(
        self,
        num_units: int,
        activation: Any = None,
        reuse: bool | None = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        check_cell_dtype(self.dtype)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation_of(activation) or tanh
        self._kernel_initializer = initializer_of(kernel_initializer)
        self._bias_initializer = initializer_of(bias_initializer)

    @property
    def state_size(self) -> int:
        """The number of units."""
        return self._num_units

    @property
    def output_size(self) -> int:
        """The number of units."""
        return self._num_units

    def build(self, input_shape: Any) -> None:
        """Makes the variables of the gates and of the candidate."""
        depth = depth_of(input_shape)
        check_cell_dtype(self.dtype)
        units, given = self._num_units, self._bias_initializer
        self._gate_kernel = self.add_variable(
            "gates/kernel", shape=[depth + units, 2 * units], initializer=self._kernel_initializer
        )
        self._gate_bias = self.add_variable(
            "gates/bias",
            shape=[2 * units],
            initializer=given if given is not None else constant_initializer(1.0, dtype=self.dtype),
        )
        self._candidate_kernel = self.add_variable(
            "candidate/kernel", shape=[depth + units, units], initializer=self._kernel_initializer
        )
        self._candidate_bias = self.add_variable(
            "candidate/bias",
            shape=[units],
            initializer=given if given is not None else zeros_initializer(dtype=self.dtype),
        )
        self.built = True

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step."""
        check_cell_inputs(inputs, state)
        gates = bias_add(matmul(concat([inputs, state], 1), self._gate_kernel), self._gate_bias)
        reset, update = split(value=sigmoid(gates), num_or_size_splits=2, axis=1)
        candidate = bias_add(matmul(concat([inputs, reset * state], 1), self._candidate_kernel), self._candidate_bias)
        candidate = self._activation(candidate)
        new = update * state + (1 - update) * candidate
        return new, new

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return config_of(
            super().get_config(),
            num_units=self._num_units,
            kernel_initializer=self._kernel_initializer,
            bias_initializer=self._bias_initializer,
            activation=self._activation,
            reuse=self._reuse,
        )
