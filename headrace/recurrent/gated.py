"""Cells with gates of other kinds: update gates, intersections, searched architectures, simple and minimal units."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.kernels.composing.arithmetic import matmul
from headrace.kernels.composing.arranging import concat
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.split import split
from headrace.ops.math.unary import sigmoid, tanh
from headrace.ops.nn.activations import relu
from headrace.ops.nn.bias import bias_add
from headrace.recurrent.cell import LayerRNNCell
from headrace.recurrent.cell_arguments import activation_of, depth_of, initializer_of
from headrace.recurrent.cell_parts import SizedCell, input_depth
from headrace.recurrent.linear import LinearOnce
from headrace.recurrent.lstm_cells import LSTMStateTuple
from headrace.state.initializers import zeros_initializer
from headrace.state.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, TensorLike


Activation = Callable[[Any], Any]


class SizedLayerCell(SizedCell, LayerRNNCell):
    """A cell of known sizes that makes its variables in `build`."""


class UGRNNCell(SizedCell):
    """The update gate network (arXiv:1611.09913): a simple network with a gate between old and new state.

    Args:
        num_units: the size of state and output.
        initializer: for the weights.
        forget_bias: added to the gate.
        activation: a function.
        reuse: whether to share variables that are there.
    """

    def __init__(
        self,
        num_units: int,
        initializer: InitializerLike | None = None,
        forget_bias: float = 1.0,
        activation: Activation = tanh,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._has_units(num_units)
        self._initializer, self._forget_bias, self._activation = initializer, forget_bias, activation
        self._linear = LinearOnce(2 * num_units)

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> tuple[Tensor, Tensor]:
        """One step."""
        input_depth(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            mapped = self._linear(concat([inputs, state], 1))
            g, c = split(axis=1, num_or_size_splits=2, value=mapped)
            c, keep = self._activation(c), sigmoid(g + self._forget_bias)
            new = keep * state + (1.0 - keep) * c
        return new, new


class IntersectionRNNCell(SizedCell):
    """The intersection network (arXiv:1611.09913), gated both in time and in depth.

    Args:
        num_units: the size of state and output.
        num_in_proj: whether inputs of another size are projected: the number of units, or None.
        initializer: for the weights.
        forget_bias: added to both gates.
        y_activation: the function of the outputs.
        reuse: whether to share variables that are there.

    Raises:
        ValueError: in a call with inputs of another size that are not projected.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: InitializerLike | None = None,
        forget_bias: float = 1.0,
        y_activation: Activation = relu,
        reuse: bool | None = None,
    ) -> None:
        super().__init__(_reuse=reuse)
        self._has_units(num_units)
        self._initializer, self._forget_bias, self._y_activation = initializer, forget_bias, y_activation
        self._num_input_proj = num_in_proj
        self._projection, self._linear = LinearOnce(num_units), LinearOnce(4 * num_units)

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step."""
        units = self._num_units
        depth = input_depth(inputs)
        with variable_scope(get_variable_scope(), initializer=self._initializer):
            if depth != units:
                if not self._num_input_proj:
                    raise ValueError(
                        "Must have input size == output size for Intersection RNN. To fix, num_in_proj should be set to "
                        "num_units at cell init."
                    )
                with variable_scope("in_projection"):
                    inputs = self._projection(inputs)
            mapped = self._linear(concat([inputs, state], 1))
            in_time, h, in_depth, y = (mapped[:, part * units : (part + 1) * units] for part in range(4))
            h, y = tanh(h), self._y_activation(y)
            in_time, in_depth = sigmoid(in_time + self._forget_bias), sigmoid(in_depth + self._forget_bias)
            new_state = in_time * state + (1.0 - in_time) * h
            output = in_depth * inputs + (1.0 - in_depth) * y
        return output, new_state


class NASCell(SizedLayerCell):
    """The cell that architecture search found for language models (arXiv:1611.01578).

    Args:
        num_units: the size of the memory.
        num_proj: the size of the output when it is projected, or None.
        use_bias: whether there are biases.
        reuse: whether to share variables that are there.
    """

    _NAS_BASE = 8

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_bias: bool = False,
        reuse: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, **kwargs)
        self._has_memory(num_units, num_proj)
        self._use_bias = use_bias

    def build(self, inputs_shape: Any) -> None:
        """Makes the weights of state and inputs, of the projection, and the biases."""
        depth, width = depth_of(inputs_shape), self._NAS_BASE * self._num_units
        self.recurrent_kernel = self.add_variable("recurrent_kernel", [self._output_size, width])
        self.kernel = self.add_variable("kernel", [depth, width])
        if self._use_bias:
            self.bias = self.add_variable("bias", shape=[width], initializer=zeros_initializer())
        if self._num_proj is not None:
            self.projection_weights = self.add_variable("projection_weights", [self._num_units, self._num_proj])
        self.built = True

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> tuple[Tensor, LSTMStateTuple]:
        """One step."""
        c_before, m_before = state
        of_state, of_inputs = matmul(m_before, self.recurrent_kernel), matmul(inputs, self.kernel)
        if self._use_bias:
            of_state = bias_add(of_state, self.bias)
        m = split(axis=1, num_or_size_splits=self._NAS_BASE, value=of_state)
        x = split(axis=1, num_or_size_splits=self._NAS_BASE, value=of_inputs)
        # The tree that was found, from its leaves: the fourth one is a product, all others are sums.
        functions = (sigmoid, relu, sigmoid, relu, tanh, sigmoid, tanh, sigmoid)
        leaf = [function(x[i] * m[i] if i == 3 else x[i] + m[i]) for i, function in enumerate(functions)]
        branch = [tanh(leaf[0] * leaf[1]), tanh(leaf[2] + leaf[3]), tanh(leaf[4] * leaf[5]), sigmoid(leaf[6] + leaf[7])]
        new_c = tanh(branch[0] + c_before) * branch[1]
        new_m = tanh(new_c * tanh(branch[2] + branch[3]))
        if self._num_proj is not None:
            new_m = matmul(new_m, self.projection_weights)
        return new_m, LSTMStateTuple(new_c, new_m)


class SRUCell(SizedLayerCell):
    """The simple recurrent unit (arXiv:1709.02755): only products of the inputs, none of the state.

    Args:
        num_units: the size of state and output.
        activation: a function; tanh by default.
        reuse: whether to share variables that are there.
        name: the name of its scope.
    """

    def __init__(
        self,
        num_units: int,
        activation: Activation | None = None,
        reuse: bool | None = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(_reuse=reuse, name=name, **kwargs)
        self._has_units(num_units)
        self._activation = activation or tanh
        self.input_spec = InputSpec(ndim=2)

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        self._kernel = self.add_variable("kernel", shape=[depth_of(inputs_shape), 4 * self._num_units])
        self._bias = self.add_variable("bias", shape=[2 * self._num_units], initializer=zeros_initializer())
        self.built = True

    def call(self, inputs: TensorLike, state: object) -> Any:
        """One step."""
        new, f, r, carried = split(value=matmul(inputs, self._kernel), num_or_size_splits=4, axis=1)
        gates = sigmoid(bias_add(concat([f, r], 1), self._bias))
        forget, highway = split(value=gates, num_or_size_splits=2, axis=1)
        c = forget * state + (1.0 - forget) * new
        return highway * self._activation(c) + (1.0 - highway) * carried, c


class _NamedCell(SizedLayerCell):
    """A cell whose functions may be given by name."""

    def __init__(
        self,
        units: int,
        activation: Any = "tanh",
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "ones",
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._has_units(units)
        self.units = units
        self.activation: Callable[..., Any] = activation_of(activation) or (lambda x: x)
        self.kernel_initializer = initializer_of(kernel_initializer)
        self.bias_initializer = initializer_of(bias_initializer)


class MinimalRNNCell(_NamedCell):
    """The minimal network (arXiv:1711.06788): maps the inputs, and a gate blends them into the state.

    Args:
        units: the size of state and output.
        activation: the function of the mapped inputs, or its name.
        kernel_initializer, bias_initializer: for weights and bias: objects or names.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel` and `bias`."""
        rows = depth_of(inputs_shape) + 2 * self.units
        self.kernel = self.add_weight(name="kernel", shape=[rows, self.units], initializer=self.kernel_initializer)
        self.bias = self.add_weight(name="bias", shape=[self.units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> Any:
        """One step."""
        sizes = [input_depth(inputs), 2 * self.units]
        of_inputs, of_gate = split(value=self.kernel, num_or_size_splits=sizes, axis=0)
        mapped = self.activation(matmul(inputs, of_inputs))
        keep = sigmoid(bias_add(matmul(concat([mapped, state], 1), of_gate), self.bias))
        new = keep * state + (1 - keep) * mapped
        return new, new


class CFNCell(_NamedCell):
    """The chaos free network (arXiv:1612.06212): without inputs its state dies away.

    Args:
        units: the size of state and output.
        activation: the function of state and inputs, or its name.
        kernel_initializer, bias_initializer: for weights and bias: objects or names.
        name: the name of its scope.
        dtype: the type of its variables; that of the first input by default.
    """

    def build(self, inputs_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`."""
        depth, units = depth_of(inputs_shape), self.units
        initializer = self.kernel_initializer
        self.kernel = self.add_weight(name="kernel", shape=[depth, 3 * units], initializer=initializer)
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel", shape=[units, 2 * units], initializer=initializer
        )
        self.bias = self.add_weight(name="bias", shape=[2 * units], initializer=self.bias_initializer)
        self.built = True

    def call(self, inputs: Tensor | Sequence[Tensor], state: Any) -> tuple[Tensor, Tensor]:
        """One step."""
        input_depth(inputs)
        of_gates, of_inputs = split(value=self.kernel, num_or_size_splits=[2 * self.units, self.units], axis=1)
        gates = sigmoid(bias_add(matmul(state, self.recurrent_kernel) + matmul(inputs, of_gates), self.bias))
        theta, eta = split(value=gates, num_or_size_splits=2, axis=1)
        new = theta * self.activation(state) + (1 - eta) * self.activation(matmul(inputs, of_inputs))
        return new, new
