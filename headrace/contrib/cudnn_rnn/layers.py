"""Layers of recurrent networks in one op: CudnnLSTM, CudnnGRU, CudnnRNNTanh, CudnnRNNRelu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.contrib.cudnn_rnn import cudnn_rnn_ops as network
from headrace.contrib.cudnn_rnn import saveables
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import add_to_collection
from headrace.core.dtypes import as_dtype, float16, float32, float64
from headrace.core.shapes import TensorShape
from headrace.kernels.composing.filling import zeros
from headrace.kernels.composing.shapes import shape
from headrace.kernels.nn.cudnn_layout import GATES
from headrace.layers.base import Layer
from headrace.layers.input_spec import InputSpec
from headrace.ops.array.constant import constant
from headrace.state.initializers import constant_initializer, glorot_uniform_initializer
from headrace.state.variable_scope import get_variable, get_variable_scope, variable_scope
from headrace.util import tf_logging

if TYPE_CHECKING:
    from headrace.contrib.cudnn_rnn.saveables import CudnnOpaqueParamsSaveable
    from headrace.core.dtypes import DType
    from headrace.core.tensor import Tensor
    from headrace.core.typing import InitializerLike, ShapeLike, TensorLike
    from headrace.state.variables import Variable


class _CudnnRNN(Layer):
    """A network of several layers whose weights are one variable, `opaque_kernel`.

    Checkpoints hold the kernels and biases of the cells that compute the same.

    Args:
        num_layers: how many layers.
        num_units: the size of each layer's state.
        input_mode: "linear_input", or "skip_input" where the inputs are as many as the units and are not multiplied, or
            "auto_select".
        direction: "unidirectional" or "bidirectional".
        dropout: the share of values dropped between layers in training.
        seed: the seed of what is dropped, and of the default initializer.
        dtype: float16, float32 or float64.
        kernel_initializer, bias_initializer: for each gate's matrices and biases; Glorot's uniform and 0 by default.
        name: the name of its scope.

    Raises:
        ValueError: for a direction, mode or type that is none.
    """

    _rnn_mode: str
    _saveable_cls: type[saveables.CudnnOpaqueParamsSaveable]

    def __init__(
        self,
        num_layers: int,
        num_units: int,
        input_mode: str = network.CUDNN_INPUT_LINEAR_MODE,
        direction: str = network.CUDNN_RNN_UNIDIRECTION,
        dropout: float = 0.0,
        seed: int | None = None,
        dtype: DType = float32,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(dtype=dtype, name=name)
        network.check_direction(direction)
        network.check_input_mode(input_mode)
        self._plain_dtype = as_dtype(dtype)
        if self._plain_dtype not in (float16, float32, float64):
            raise ValueError(f"Only support float16, float32, float64, provided {dtype}")
        self._num_layers, self._num_units = num_layers, num_units
        self._input_mode, self._direction = input_mode, direction
        self._dropout, self._seed = dropout, seed
        self._kernel_initializer, self._bias_initializer = kernel_initializer, bias_initializer
        self._input_size: int | None = None
        self._saveable: CudnnOpaqueParamsSaveable | None = None

    @property
    def num_layers(self) -> int:
        """How many layers."""
        return self._num_layers

    @property
    def num_units(self) -> int:
        """The size of each layer's state."""
        return self._num_units

    @property
    def input_mode(self) -> str:
        """How the inputs are taken."""
        return self._input_mode

    @property
    def input_size(self) -> int:
        """The size of the inputs.

        Raises:
            ValueError: before it has been built.
        """
        if not self._input_size:
            raise ValueError("'input_size' is unknown since layer has not been built.")
        return self._input_size

    @property
    def rnn_mode(self) -> str:
        """The kind of network."""
        return self._rnn_mode

    @property
    def direction(self) -> str:
        """Which ways it runs."""
        return self._direction

    @property
    def num_dirs(self) -> int:
        """How many ways it runs."""
        return 1 if self._direction == network.CUDNN_RNN_UNIDIRECTION else 2

    @property
    def saveable(self) -> Any:
        """What a saver saves of it."""
        return self._saveable

    @property
    def canonical_weight_shapes(self) -> list[tuple[int, int]]:
        """The shapes of the gates' matrices.

        Raises:
            RuntimeError: before it has been built.
        """
        if not self._input_size:
            raise RuntimeError(f"{type(self).__name__}.canonical_weight_shapes invoked before input shape is known")
        gates, units = GATES[self._rnn_mode], self._num_units
        shapes: list[tuple[int, int]] = []
        for layer in range(self._num_layers):
            depth = self.num_dirs * units if layer else self._input_size
            shapes += ([(units, depth)] * gates + [(units, units)] * gates) * self.num_dirs
        return shapes

    @property
    def canonical_bias_shapes(self) -> list[list[int]]:
        """The shapes of the gates' biases."""
        return [[self._num_units]] * (2 * GATES[self._rnn_mode] * self._num_layers * self.num_dirs)

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variable, and registers what a saver saves of it.

        Raises:
            ValueError: if the inputs are not of rank 3 and known depth.
        """
        if self.built:
            return
        known = TensorShape(input_shape)
        if known.ndims != 3:
            raise ValueError(f"Expecting input_shape with 3 dims, got {known.ndims}")
        depth = known.as_list()[-1]
        if depth is None:
            raise ValueError("The last dimension of the inputs to `CudnnRNN` should be defined. Found `None`.")
        self._input_size = depth
        self.input_spec = InputSpec(ndim=3, axes={-1: depth})
        self._set_scope(None)
        with variable_scope(self._scope, reuse=self.built, custom_getter=self._noted):
            dtype = self._plain_dtype
            if self._kernel_initializer is None:
                self._kernel_initializer = glorot_uniform_initializer(seed=self._seed, dtype=dtype)
            if self._bias_initializer is None:
                self._bias_initializer = constant_initializer(0.0, dtype=dtype)
            opaque = network.cudnn_rnn_canonical_to_opaque_params(
                self._rnn_mode,
                self._num_layers,
                self._num_units,
                depth,
                [self._kernel_initializer(sizes, dtype=dtype) for sizes in self.canonical_weight_shapes],
                [self._bias_initializer(sizes, dtype=dtype) for sizes in self.canonical_bias_shapes],
                self._input_mode,
                self._direction,
                self._dropout,
                self._seed,
            )
            if get_variable_scope().partitioner is not None:
                tf_logging.warn("CudnnRNN keeps all weights in one variable, which cannot be split into parts.")
            self.kernel = get_variable("opaque_kernel", dtype=dtype, initializer=opaque, validate_shape=False)
        if get_variable_scope().reuse is not True:
            self._create_saveable()
        self.built = True

    def _noted(self, getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Variable:
        variable = getter(*args, **kwargs)
        weights = self._trainable_weights if kwargs.get("trainable", True) else self._non_trainable_weights
        if all(variable is not other for other in weights):
            weights.append(variable)
        return variable

    def _create_saveable(self) -> None:
        if self._saveable is not None:
            raise RuntimeError("Cudnn saveable already created.")
        self._saveable = self._saveable_cls(
            self.kernel,
            self._num_layers,
            self._num_units,
            self.input_size,
            self._input_mode,
            self._direction,
            scope=get_variable_scope(),
            name=f"{self.kernel.name.split(':')[0]}_saveable",
        )
        add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self._saveable)

    def state_shape(self, batch_size: TensorLike) -> tuple[list[Any], ...]:
        """The shapes of the states for a batch."""
        return ([self._num_layers * self.num_dirs, batch_size, self._num_units],)

    def call(
        self,
        inputs: TensorLike,
        initial_state: Sequence[Tensor] | None = None,
        sequence_lengths: Sequence[int] | None = None,
        time_major: bool = True,
        training: Any = True,
    ) -> Tensor | tuple[Any, ...]:
        """Runs the network.

        Args:
            inputs: [time, batch, depth], or [batch, time, depth] where not `time_major`.
            initial_state: a tuple of states [layers * directions, batch, units], batch first where not `time_major`:
                output and memory for an LSTM, one for others. Zeros by default.
            sequence_lengths: int32 [batch], from 1 up; all sequences are whole by default.
            time_major: whether time is the first axis.
            training: whether it can be differentiated, and drops.

        Returns:
            the outputs [time, batch, directions * units] in the layout of the inputs, and the tuple of final states.

        Raises:
            TypeError: if the state is no tuple.
        """
        if initial_state is not None and not isinstance(initial_state, tuple):
            raise TypeError(f"Invalid initial_state type: {initial_state}, expecting tuple.")
        dtype = self.dtype
        inputs = convert_to_tensor(inputs, dtype=dtype)
        if initial_state is None:
            batch = shape(inputs)[1 if time_major else 0]
            shapes = self.state_shape(batch)
            if not time_major:
                shapes = tuple([batch, first, units] for first, _, units in shapes)
            initial_state = tuple(zeros(sizes, dtype=dtype) for sizes in shapes)
        h, *memory = (convert_to_tensor(state, dtype=dtype) for state in initial_state)
        outputs, *states = network.run_network(
            inputs,
            h,
            memory[0] if memory else constant([], dtype=dtype),
            self.kernel,
            training,
            self._rnn_mode,
            sequence_lengths,
            time_major,
            self._input_mode,
            self._direction,
            self._dropout,
            self._seed,
        )
        return outputs, tuple(states[: len(initial_state)])


class CudnnLSTM(_CudnnRNN):
    """An LSTM of several layers in one op.

    Example:
        >>> time_major_inputs = tf.transpose(inputs, [1, 0, 2])
        >>> lstm = tf.contrib.cudnn_rnn.CudnnLSTM(num_layers=2, num_units=128, direction="bidirectional")
        >>> outputs, (output_h, output_c) = lstm(time_major_inputs)
    """

    _rnn_mode = network.CUDNN_LSTM
    _saveable_cls = saveables.CudnnLSTMSaveable

    def state_shape(self, batch_size: TensorLike) -> tuple[list[Any], ...]:
        """The shapes of the states for a batch: output and memory."""
        return super().state_shape(batch_size) * 2


class CudnnGRU(_CudnnRNN):
    """Gated recurrent units of several layers in one op."""

    _rnn_mode = network.CUDNN_GRU
    _saveable_cls = saveables.CudnnGRUSaveable


class CudnnRNNTanh(_CudnnRNN):
    """A simple network of several layers with tanh in one op."""

    _rnn_mode = network.CUDNN_RNN_TANH
    _saveable_cls = saveables.CudnnRNNTanhSaveable


class CudnnRNNRelu(_CudnnRNN):
    """A simple network of several layers with relus in one op."""

    _rnn_mode = network.CUDNN_RNN_RELU
    _saveable_cls = saveables.CudnnRNNReluSaveable
